//! Segmented control: a few options, one selected.

use leptos::prelude::*;

use crate::ui::dom::{Node, el};
use crate::ui::signal::{Callback, Signal};

/// Radio buttons drawn as one bar. `options` are values with their labels.
#[component]
pub fn Segmented<T>(
    /// Group name, unique within the root.
    #[prop(into)]
    name: String,
    /// Label for screen readers.
    #[prop(into)]
    label: String,
    options: Vec<(T, String)>,
    #[prop(into)] value: Signal<T>,
    #[prop(into)] on_pick: Callback<T>,
) -> Node
where
    T: Copy + PartialEq + Send + Sync + 'static,
{
    let mut bar = el("div")
        .class("segmented")
        .attr("role", "radiogroup")
        .attr("part", "segmented")
        .attr("aria-label", &label);
    for (option, text) in options {
        let input = el("input")
            .attr("type", "radio")
            .attr("name", &name)
            .checked_with(move || value.get() == option)
            .on("change", move |_| on_pick.run(option));
        bar = bar.child(
            el("label")
                .class("segment")
                .child(input)
                .child(el("span").child(text)),
        );
    }
    bar
}
