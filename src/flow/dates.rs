//! The dates of a series: their number, and the list of them.

use booking_wire::recurrence::starts;

use super::Flow;
use crate::dom::{Html, el, nothing, row, value_of};
use crate::i18n::Key;
use crate::time::Instant;

/// Maximum number of dates.
const MAX_LISTED: i64 = 52;

/// Chooser for the number of occurrences, with the date of each. Empty if the event type does not repeat.
pub(super) fn chooser(flow: Flow) -> Html {
    let texts = flow.texts;
    let world = flow.world();
    let is_moving = flow.moved.with_untracked(Option::is_some);
    let Some(series) = world.event_type.recurrence.clone().filter(|_| !is_moving) else {
        return nothing();
    };
    let count = flow.count;
    let options = (1..=series.occurrences).map(|number| {
        let number = number.to_string();
        el("option").attr("value", &number).add(number.as_str())
    });
    let choice = el("select")
        .attr("name", "recurrenceCount")
        .add(row(options))
        .value_with(move || count.get().to_string())
        .on("change", move |event| {
            if let Ok(chosen) = value_of(&event).parse() {
                count.set(chosen);
            }
        });
    let label = el("label")
        .class("series-count")
        .add(el("span").add(texts.get(Key::SeriesCount)))
        .add(choice);
    let dates = move || {
        let first = flow.choice.slot.get()?.start;
        let zone = flow.settings.zone.get();
        let all = starts(first, &series, count.get().min(MAX_LISTED), |instant| {
            flow.formats.offset(instant, &zone)
        });
        Some(list(flow, &all))
    };
    el("div").class("series").add(label).show(dates)
}

/// One line for each date; an unavailable one is struck through.
fn list(flow: Flow, starts: &[Instant]) -> Html {
    let lost = flow.lost.get();
    let items = starts.iter().map(|start| {
        let item = el("li").add(written(flow, *start));
        if lost == Some(*start) {
            el("li").add(el("s").class("lost").add(written(flow, *start)))
        } else {
            item
        }
    });
    el("ol")
        .class("series-dates")
        .attr("aria-label", flow.texts.get(Key::SeriesDates))
        .add(row(items))
}

/// `Tue, 4 Mar 2027, 9:30 AM`.
pub(super) fn written(flow: Flow, start: Instant) -> String {
    let day = flow
        .settings
        .zone
        .with(|zone| flow.formats.day_of(start, zone));
    let mut text = flow.formats.short_day(day);
    text.push_str(", ");
    text.push_str(&flow.settings.time(flow.formats, start));
    text
}
