//! The dates of a series: their number, and the list of them.

use booking_wire::PublicEventType;
use booking_wire::recurrence::starts;

use super::state::{LocaleContext, Selection};
use crate::components::field::select_box;
use crate::i18n::Key;
use crate::time::Instant;
use crate::ui::dom::{Node, el, fragment, fragment_of, value_of};
use crate::ui::signal::RwSignal;

/// Maximum number of dates.
const MAX_LISTED: i64 = 52;

/// Field for the number of occurrences, with the date of each. Empty if the event type does not repeat.
pub(super) fn occurrences_field(
    event_type: &PublicEventType,
    selection: Selection,
    locale: LocaleContext,
    lost_slot: RwSignal<Option<Instant>>,
) -> Node {
    let Some(series) = event_type.recurrence.clone() else {
        return fragment();
    };
    let (occurrences, slot) = (selection.occurrences, selection.picker.slot);
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
        .child(el("span").child(locale.texts.get(Key::SeriesCount)))
        .child(select_box(select));
    let dates = move || {
        let first = slot.get()?.start;
        let zone = locale.settings.zone.get();
        let all = starts(
            first,
            &series,
            occurrences.get().min(MAX_LISTED),
            |instant| locale.formats.offset(instant, &zone),
        );
        Some(date_list(locale, lost_slot.get(), &all))
    };
    el("div").class("series").child(label).child_with(dates)
}

/// One line for each date; an unavailable one is struck through.
fn date_list(locale: LocaleContext, lost_slot: Option<Instant>, starts: &[Instant]) -> Node {
    let items = starts.iter().map(|start| {
        let text = locale.date_time(*start);
        if lost_slot == Some(*start) {
            el("li").child(el("s").class("lost").child(text))
        } else {
            el("li").child(text)
        }
    });
    el("ol")
        .class("series-dates")
        .attr("aria-label", locale.texts.get(Key::SeriesDates))
        .child(fragment_of(items))
}
