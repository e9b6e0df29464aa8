//! The dates of a series: their number, and the list of them.

use booking_wire::recurrence::starts;

use super::state::{Display, FlowState};
use crate::i18n::Key;
use crate::time::Instant;
use crate::ui::dom::{Node, el, fragment, fragment_of, value_of};

/// Maximum number of dates.
const MAX_LISTED: i64 = 52;

/// Chooser for the number of occurrences, with the date of each. Empty if the event type does not repeat.
pub(super) fn occurrences_field(flow: FlowState) -> Node {
    let texts = flow.display.texts;
    let context = flow.context();
    let is_rescheduling = flow.is_rescheduling();
    let Some(series) = context
        .event_type
        .recurrence
        .clone()
        .filter(|_| !is_rescheduling)
    else {
        return fragment();
    };
    let occurrences = flow.selection.occurrences;
    let (display, lost_slot) = (flow.display, flow.submission.lost_slot);
    let slot = flow.selection.picker.slot;
    let options = (1..=series.occurrences).map(|number| {
        let number = number.to_string();
        el("option").attr("value", &number).child(number.as_str())
    });
    let select = el("select")
        .attr("name", "recurrenceCount")
        .child(fragment_of(options))
        .value_with(move || occurrences.get().to_string())
        .on("change", move |event| {
            if let Ok(count) = value_of(&event).parse() {
                occurrences.set(count);
            }
        });
    let label = el("label")
        .class("series-count")
        .child(el("span").child(texts.get(Key::SeriesCount)))
        .child(select);
    let dates = move || {
        let first = slot.get()?.start;
        let zone = display.settings.zone.get();
        let all = starts(
            first,
            &series,
            occurrences.get().min(MAX_LISTED),
            |instant| display.formats.offset(instant, &zone),
        );
        Some(date_list(display, lost_slot.get(), &all))
    };
    el("div").class("series").child(label).child_with(dates)
}

/// One line for each date; an unavailable one is struck through.
fn date_list(display: Display, lost_slot: Option<Instant>, starts: &[Instant]) -> Node {
    let items = starts.iter().map(|start| {
        let text = display.date_time(*start);
        if lost_slot == Some(*start) {
            el("li").child(el("s").class("lost").child(text))
        } else {
            el("li").child(text)
        }
    });
    el("ol")
        .class("series-dates")
        .attr("aria-label", display.texts.get(Key::SeriesDates))
        .child(fragment_of(items))
}
