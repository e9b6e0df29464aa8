//! One polite status line for screen readers.

use crate::dom::{Html, el};

/// Speaks `message` when it changes. Stays in the document, because a region that appears together
/// with its text is often not read.
pub fn live_region(message: impl Fn() -> String + 'static) -> Html {
    el("p")
        .class("visually-hidden")
        .attr("role", "status")
        .attr("aria-live", "polite")
        .text_with(message)
}
