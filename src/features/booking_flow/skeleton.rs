//! Skeleton of the card.

use crate::i18n::{Key, Translations};
use crate::ui::dom::{Node, el, fragment_of};
use crate::ui::signal::ReadSignal;

/// Skeleton of the card in its final size, while the event type is loading.
pub(super) fn loading_card(texts: Translations, is_slow: ReadSignal<bool>) -> Node {
    let parts = [
        "flow-summary ghost-block",
        "picker-head",
        "picker-month ghost-block",
        "picker-times ghost-block",
        "picker-foot",
    ];
    let text = move || {
        texts
            .get(if is_slow.get() {
                Key::StillLoading
            } else {
                Key::Loading
            })
            .to_owned()
    };
    el("div")
        .class("card flow flow-pick")
        .attr("aria-busy", "true")
        .child(fragment_of(parts.map(|class| el("div").class(class))))
        .child(
            el("p")
                .class("flow-wait")
                .attr("role", "status")
                .text_with(text),
        )
}
