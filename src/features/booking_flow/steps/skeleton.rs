//! Skeletons of the card while the event type or the booking loads. Before the start: `embed.js`; of slots:
//! `slot_picker/views.rs`.

use booking_ui::prelude::*;

use crate::i18n::{Key, Translations};

/// Lines of the summary: avatar, title and facts.
const SUMMARY_LINES: usize = 4;

/// Cells of a month.
const DAYS: usize = 6 * 7;

/// Times of a day: more than fit beside the month.
const TIMES: usize = 7;

/// Parts of a booking: sign, title and facts.
const BOOKING_PARTS: usize = 3;

/// Skeleton of the card in its final size, while the event type is loading.
pub(crate) fn loading_card(texts: Translations, is_slow: ReadSignal<bool>) -> Node {
    let days = boxes("ghost-days", DAYS, "ghost-block");
    let times = boxes("times", TIMES, "ghost");
    let title = el("div").class("times-title");
    let parts = [
        boxes("flow-summary", SUMMARY_LINES, "ghost-block"),
        el("div").class("soonest"),
        el("div").class("picker-head"),
        el("div").class("picker-month").child(days),
        el("div").class("picker-zone"),
        el("div")
            .class("picker-times")
            .child(title)
            .child(el("div").class("times-scroll").child(times)),
    ];
    let parts = fragment_of(parts.map(|part| part.attr("aria-hidden", "true")));
    card("card flow flow-pick", parts, texts, is_slow)
}

/// Skeleton of a booking, while it is loading.
pub(crate) fn loading_booking(texts: Translations, is_slow: ReadSignal<bool>) -> Node {
    let parts = boxes("confirmation", BOOKING_PARTS, "ghost-block").attr("aria-hidden", "true");
    card("card flow flow-done", parts, texts, is_slow)
}

/// Card with `parts` and a status text.
fn card(class: &str, parts: Node, texts: Translations, is_slow: ReadSignal<bool>) -> Node {
    let text = move || {
        texts
            .get(if is_slow.get() {
                Key::StillLoading
            } else {
                Key::Loading
            })
            .to_owned()
    };
    // Shown if it takes long.
    let status_class = move || {
        let class = if is_slow.get() {
            "flow-wait"
        } else {
            "visually-hidden"
        };
        Some(class.to_owned())
    };
    el("div")
        .class(class)
        .attr("aria-busy", "true")
        .child(parts)
        .child(
            el("p")
                .attr("role", "status")
                .attr_with("class", status_class)
                .text_with(text),
        )
}

/// A box with `count` boxes.
fn boxes(class: &str, count: usize, each: &str) -> Node {
    el("div")
        .class(class)
        .child(fragment_of((0..count).map(|_| el("div").class(each))))
}
