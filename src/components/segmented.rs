//! Segmented control: a few options, one selected.

use booking_ui::prelude::*;

/// Radio buttons drawn as one bar. `options` are values with their labels.
#[component]
pub fn Segmented<T>(
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
    let group = RadioGroup::unique();
    for (option, text) in options {
        let input = group
            .button()
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
