//! A box for several others: all, some or none of them are ticked.

use leptos::prelude::*;
use wasm_bindgen::JsCast;
use web_sys::HtmlInputElement;

use crate::dom::{Html, el, is_checked};

/// How much of a group is ticked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TriState {
    /// Everything.
    All,
    /// Something, but not everything.
    Some,
    /// Nothing.
    None,
}

/// Ticks a whole group: `on_change` is told whether all of it is to be ticked. Some but not all of
/// it shows as mixed, which browsers tell screen readers by themselves; pressed then, it ticks all.
pub fn group_box(
    label: &str,
    state: impl Fn() -> TriState + Copy + 'static,
    on_change: impl Fn(bool) + 'static,
) -> Html {
    let input = el("input")
        .attr("type", "checkbox")
        .checked_with(move || state() == TriState::All)
        .on("change", move |event| on_change(is_checked(&event)));
    let node = input.element();
    // There is no attribute for it.
    Effect::new(move |_| {
        node.unchecked_ref::<HtmlInputElement>()
            .set_indeterminate(state() == TriState::Some);
    });
    el("label")
        .class("choice")
        .add(input)
        .add(el("span").add(label))
}
