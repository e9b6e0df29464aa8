//! The dates of a series: their number, and the list of them.

use booking_wire::recurrence::starts;

use super::Flow;
use crate::i18n::Key;
use crate::time::Instant;
use crate::ui::dom::{Node, el, fragment, fragment_of, value_of};

/// Maximum number of dates.
const MAX_LISTED: i64 = 52;

/// Chooser for the number of occurrences, with the date of each. Empty if the event type does not repeat.
pub(super) fn chooser(flow: Flow) -> Node {
    let texts = flow.texts;
    let world = flow.world();
    let is_moving = flow.moved.with_untracked(Option::is_some);
    let Some(series) = world.event_type.recurrence.clone().filter(|_| !is_moving) else {
        return fragment();
    };
    let count = flow.count;
    let options = (1..=series.occurrences).map(|number| {
        let number = number.to_string();
        el("option").attr("value", &number).child(number.as_str())
    });
    let choice = el("select")
        .attr("name", "recurrenceCount")
        .child(fragment_of(options))
        .value_with(move || count.get().to_string())
        .on("change", move |event| {
            if let Ok(chosen) = value_of(&event).parse() {
                count.set(chosen);
            }
        });
    let label = el("label")
        .class("series-count")
        .child(el("span").child(texts.get(Key::SeriesCount)))
        .child(choice);
    let dates = move || {
        let first = flow.choice.slot.get()?.start;
        let zone = flow.settings.zone.get();
        let all = starts(first, &series, count.get().min(MAX_LISTED), |instant| {
            flow.formats.offset(instant, &zone)
        });
        Some(list(flow, &all))
    };
    el("div").class("series").child(label).child_with(dates)
}

/// One line for each date; an unavailable one is struck through.
fn list(flow: Flow, starts: &[Instant]) -> Node {
    let lost = flow.lost.get();
    let items = starts.iter().map(|start| {
        let item = el("li").child(written(flow, *start));
        if lost == Some(*start) {
            el("li").child(el("s").class("lost").child(written(flow, *start)))
        } else {
            item
        }
    });
    el("ol")
        .class("series-dates")
        .attr("aria-label", flow.texts.get(Key::SeriesDates))
        .child(fragment_of(items))
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
