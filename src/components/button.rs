//! Button that does not submit.

use booking_ui::prelude::*;

/// Calls `on_press`; `class` sets its weight: `button`, `button-primary` or `button-quiet`.
pub fn button(class: &str, mut on_press: impl FnMut() + 'static) -> Node {
    el("button")
        .class(class)
        .attr("type", "button")
        .on("click", move |_| on_press())
}
