//! Button that does not submit.

use crate::dom::{Html, el};

/// Calls `on_press`; `class` sets its weight: `button`, `button-primary` or `button-quiet`.
pub fn button(class: &str, mut on_press: impl FnMut() + 'static) -> Html {
    el("button")
        .class(class)
        .attr("type", "button")
        .on("click", move |_| on_press())
}
