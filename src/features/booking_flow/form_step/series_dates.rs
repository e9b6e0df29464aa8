//! Dates of a series, in place of the form until the visitor has agreed to them.

use std::time::Duration;

use booking_rules::recurrence::starts;
use booking_ui::prelude::*;
use booking_wire::event_type::Recurrence;
use booking_wire::{EventTypeKey, SlotDays, SlotsQuery};
use web_sys::HtmlElement;

use super::super::state::FlowState;
use super::super::state::series_plan::{
    DateChange, SeriesDate, chosen_starts, series_dates, session_count,
};
use crate::client::Dialect;
use crate::client::query::{Load, latest};
use crate::components::field::{option, select_box};
use crate::components::focus::focus_first_soon;
use crate::components::{button, live_region};
use crate::i18n::Key;
use crate::time::Instant;

/// Longest time that the check of the dates hides them.
const SKELETON_TIME: Duration = Duration::from_millis(300);

/// Series of the event type, if it has more than one date.
pub(crate) fn series_of(flow: FlowState) -> Option<Recurrence> {
    let series = flow.context().event_type.recurrence.clone();
    series.filter(|series| series.occurrences > 1 && !flow.is_rescheduling())
}

/// Dates of the series, to be changed, with a button that leads to the form in `root`.
pub(crate) fn dates_step(flow: FlowState, series: &Recurrence, root: HtmlElement) -> Node {
    let texts = flow.locale.texts;
    let can_change = flow.context().session.dialect() == Dialect::Svc;
    let all = all_starts(flow, series);
    let response = free_days(flow, series.occurrences, can_change);
    let is_checking = move || can_change && response.with(|days| matches!(days, Load::Pending));
    let is_hidden = RwSignal::new(can_change);
    set_timeout(move || is_hidden.set(false), SKELETON_TIME);
    let (count, changes, lost) = (
        flow.series.count,
        flow.series.changes,
        flow.submit.lost_slot,
    );
    let dates = Signal::memo(move || {
        let count = usize::try_from(count.get()).unwrap_or(1);
        let all = all.get();
        let zone = flow.attendee_zone();
        let day_of = |start| flow.locale.formats.day_of(start, &zone);
        let starts = all.get(..count).unwrap_or(&all);
        changes.with(|changes| {
            response.with(|days| {
                let lost = lost.get().filter(|_| can_change);
                series_dates(starts, days.ready(), day_of, lost, changes)
            })
        })
    });
    let rows = move || {
        let count = usize::try_from(count.get()).unwrap_or(1);
        fragment_of((0..count).map(|index| row(flow, dates, index, can_change)))
    };
    let list = el("ol")
        .class("series-list")
        .attr("aria-label", texts.get(Key::SeriesDates))
        .flag_with("aria-busy", is_checking)
        .flag_with("data-waiting", move || is_hidden.get() && is_checking())
        .child_with(rows);
    let is_moved = move |date: &SeriesDate| !date.is_free;
    let moved = move || {
        let has_moved = dates.with(|dates| dates.iter().any(is_moved));
        let text = if has_moved {
            texts.get(Key::SeriesMoved)
        } else {
            ""
        };
        text.to_owned()
    };
    let hint = can_change.then(|| el("p").class("hint").child(texts.get(Key::SeriesHint)));
    let proceed = move || {
        let (number, starts) =
            dates.with_untracked(|dates| (session_count(dates), chosen_starts(dates)));
        flow.series.number.set(number);
        flow.series.starts.set(starts);
        flow.submit.error.set(None);
        flow.submit.lost_slot.set(None);
        flow.series.is_open.set(false);
        focus_first_soon(root.clone(), ".form-title");
    };
    let label = move || {
        let number = dates.with(|dates| session_count(dates));
        texts.count(Key::ContinueSessions, number)
    };
    let error = move || {
        let error = flow.submit.error.get()?;
        Some(
            el("p")
                .class("series-notice")
                .attr("role", "alert")
                .child(error.text),
        )
    };
    el("div")
        .class("series")
        .attr("part", "dates")
        .child_with(error)
        .child(stepper(flow, series.occurrences))
        .child(hint)
        .child(list)
        .child(el("p").class("series-moved").text_with(moved))
        .child(live_region(moved))
        .child(
            el("div").class("form-end").child(
                button("button-primary", proceed)
                    .attr("part", "submit")
                    .text_with(label),
            ),
        )
}

/// Starts of all dates by the rule.
fn all_starts(flow: FlowState, series: &Recurrence) -> Signal<Vec<Instant>> {
    let series = series.clone();
    let slot = flow.selection.picker.slot;
    Signal::memo(move || {
        let Some(first) = slot.with(|slot| slot.as_ref().map(|slot| slot.start)) else {
            return Vec::new();
        };
        let zone = flow.attendee_zone();
        let offset = |instant| flow.locale.formats.offset(instant, &zone);
        starts(first, &series, series.occurrences, offset)
    })
}

/// Free slots of the days of the series. The service checks the dates in any case when they are booked.
fn free_days(flow: FlowState, count: i64, can_change: bool) -> ReadSignal<Load<SlotDays>> {
    let context = flow.context();
    let (session, event_type_id) = (context.session.clone(), context.event_type.id);
    let selection = flow.selection;
    let query = move || {
        let start = selection
            .picker
            .slot
            .with(|slot| Some(slot.as_ref()?.start))?;
        can_change.then(|| SlotsQuery {
            event_type: EventTypeKey::Id(event_type_id),
            start,
            end: start,
            time_zone: flow.attendee_zone().0,
            duration: selection.has_lengths.then(|| selection.length.get()),
            rescheduled_uid: None,
            recurrence_count: Some(count),
        })
    };
    let response = latest(query, move |query, abort| {
        let session = session.clone();
        async move { session.slots(query, abort).await }
    });
    response.signal()
}

/// Number of dates, with buttons for one fewer and one more.
fn stepper(flow: FlowState, max: i64) -> Node {
    let texts = flow.locale.texts;
    let count = flow.series.count;
    let step = move |by: i64, sign: &str, label: Key| {
        let next = move || count.get() + by;
        let is_end = move || !(1..=max).contains(&next());
        button("button", move || {
            let next = count.get_untracked() + by;
            if (1..=max).contains(&next) {
                count.set(next);
            }
        })
        .attr("aria-label", texts.get(label))
        // Not disabled: it keeps the focus.
        .flag_with("aria-disabled", is_end)
        .child(sign)
    };
    el("div")
        .class("series-count")
        .attr("role", "group")
        .attr("aria-label", texts.get(Key::SeriesCount))
        .child(el("span").child(texts.get(Key::SeriesCount)))
        .child(step(-1, "−", Key::FewerSessions))
        .child(el("output").text_with(move || count.get().to_string()))
        .child(step(1, "+", Key::MoreSessions))
}

/// Row of a date: a box to skip it and, if its time is taken, the other times of the day.
fn row(flow: FlowState, dates: Signal<Vec<SeriesDate>>, index: usize, can_change: bool) -> Node {
    let locale = flow.locale;
    let date = Signal::memo(move || dates.with(|dates| dates.get(index).cloned()));
    let rule = move || date.with(|date| date.as_ref().map(|date| date.rule));
    let is_free = move || date.with(|date| date.as_ref().is_none_or(|date| date.is_free));
    let is_booked =
        move || date.with(|date| date.as_ref().is_some_and(|date| date.start.is_some()));
    let has_choice = move || {
        is_free() || date.with(|date| date.as_ref().is_some_and(|date| !date.free.is_empty()))
    };
    let toggle = move |is_booked: bool| {
        let Some(rule) = untrack(rule) else { return };
        flow.series
            .change(rule, (!is_booked).then_some(DateChange::Skipped));
    };
    let label = move || match rule() {
        Some(rule) if is_free() => locale.brief_date_time(rule),
        Some(rule) => locale.formats.brief_day(
            locale
                .settings
                .zone
                .with(|zone| locale.formats.day_of(rule, zone)),
        ),
        None => String::new(),
    };
    let instead = move || {
        if is_free() {
            return None;
        }
        let rule = rule()?;
        let time = locale.settings.time(locale.formats, rule);
        if !has_choice() {
            return Some(
                fragment()
                    .child(el("s").class("lost").child(time))
                    .child(el("span").child(locale.texts.get(Key::NoTimeThatDay))),
            );
        }
        let free = date.with(|date| date.as_ref().map(|date| date.free.clone()))?;
        let instead = locale.texts.fill(Key::InsteadOf, &[("time", &time)]);
        Some(
            fragment()
                .child(times(flow, date, rule, &free))
                .child(el("span").child(instead)),
        )
    };
    let check = can_change.then(|| {
        el("input")
            .attr("type", "checkbox")
            // The first date is the slot that leads here.
            .flag_with("disabled", move || index == 0 || !has_choice())
            .checked_with(is_booked)
            .on("change", move |event| toggle(is_checked(&event)))
    });
    el("li")
        .class("series-row")
        .flag_with("data-moved", move || !is_free())
        .flag_with("data-skipped", move || !is_booked())
        .child(el("label").child(check).child(el("span").text_with(label)))
        .child(el("span").class("series-instead").child_with(instead))
}

/// Select control of the free times of a day.
fn times(
    flow: FlowState,
    date: Signal<Option<SeriesDate>>,
    rule: Instant,
    free: &[Instant],
) -> Node {
    let locale = flow.locale;
    let day = locale.day_of(rule);
    let label = locale
        .texts
        .fill(Key::TimeOn, &[("day", &locale.formats.brief_day(day))]);
    let options = free.iter().map(|start| {
        option(
            &start.0.to_string(),
            &locale.settings.time(locale.formats, *start),
            false,
        )
    });
    let value = move || {
        let start = date.with(|date| date.as_ref()?.start);
        start.map_or_else(String::new, |start| start.0.to_string())
    };
    let select = el("select")
        .attr("aria-label", &label)
        .child(fragment_of(options))
        .value_with(value)
        .on("change", move |event| {
            if let Ok(start) = value_of(&event).parse() {
                flow.series
                    .change(rule, Some(DateChange::At(Instant(start))));
            }
        });
    select_box(select)
}

/// Number of dates above the form, with a button that leads back to them.
pub(crate) fn dates_line(flow: FlowState, root: HtmlElement) -> Node {
    let texts = flow.locale.texts;
    let change = move || {
        flow.series.is_open.set(true);
        focus_first_soon(root.clone(), ".form-title");
    };
    el("p")
        .class("series-line")
        .child(el("span").text_with(move || texts.count(Key::Sessions, flow.series.number.get())))
        .child(button("button-quiet", change).child(texts.get(Key::ChangeDates)))
}
