//! Checkbox for a group: all, some or none of its items are checked.

use booking_ui::prelude::*;
use wasm_bindgen::JsCast;
use web_sys::HtmlInputElement;

/// Check state of a group.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TriState {
    /// All items.
    All,
    /// Some, but not all items.
    Some,
    /// No items.
    None,
}

/// Checkbox for a whole group: `on_change` receives the new state. A partial selection is shown as mixed,
/// which browsers announce by themselves; a click then selects all.
pub fn tri_state_checkbox(
    label: &str,
    state: impl Fn() -> TriState + Copy + 'static,
    on_change: impl Fn(bool) + 'static,
) -> Node {
    let input = el("input")
        .attr("type", "checkbox")
        .checked_with(move || state() == TriState::All)
        .on("change", move |event| on_change(is_checked(&event)));
    let node = input.element();
    // There is no attribute for it.
    effect(move || {
        node.unchecked_ref::<HtmlInputElement>()
            .set_indeterminate(state() == TriState::Some);
    });
    el("label")
        .class("choice")
        .child(input)
        .child(el("span").child(label))
}
