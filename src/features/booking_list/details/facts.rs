//! Lines of the details, and the day and time of an instant.

use booking_ui::prelude::*;
use booking_wire::Instant;

use crate::features::booking_list::state::list_state::ListContext;
use crate::i18n::Key;

/// Label with its value.
pub(super) fn fact(label: &str, value: Node) -> Node {
    el("div")
        .class("fact-line")
        .child(el("dt").child(label))
        .child(el("dd").child(value))
}

/// Day and time in the chosen zone.
pub(super) fn day_and_time(instant: Instant, context: ListContext) -> String {
    let ListContext {
        texts,
        formats,
        settings,
        ..
    } = context;
    let zone = settings.zone.get();
    let day = formats.short_day(formats.day_of(instant, &zone));
    let time = settings.time(formats, instant);
    texts.fill(Key::DateAndTime, &[("day", &day), ("time", &time)])
}
