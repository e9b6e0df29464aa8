//! Steps of the flow in the history of the page: writes each step to it, and shows the step of the entry that the
//! visitor goes to.

use std::cell::{Cell, RefCell};
use std::rc::Rc;
use std::sync::Arc;
use std::time::Duration;

use booking_ui::prelude::*;
use booking_wire::Slot;

use super::existing::{mode_of, show_first_step};
use super::outcome::{FlowOutcome, OutcomeKind};
use super::state::{FlowState, Step, default_length, near_place};
use crate::client::query::Load;
use crate::features::booking_form::SubmitError;
use crate::i18n::Key;
use crate::page::attributes::Mode;
use crate::page::booking_events::BookingEvent;
use crate::page::settings::use_clock;
use crate::page::step_history::StepHistory;
use crate::page::step_place::{BookingReference, StepAction, StepChange, StepPlace};
use crate::time::Instant;

/// Number of times, and their distance, that slots are loaded again for one that is missing: the visitor's own
/// reservation of it may be ending.
const RETRIES: u32 = 6;
const RETRY_AFTER: Duration = Duration::from_millis(600);

/// Keeps the flow and the history of the page in the same step.
pub(super) fn follow_history(flow: FlowState) {
    let Some(steps) = flow.history.steps else {
        return;
    };
    let clock = use_clock();
    let seen = Cell::new(steps.arrivals().get_untracked());
    // The bookings that were shown, the last one last: the visitor may go back or forward to each.
    let shown = RefCell::new(Vec::<Arc<FlowOutcome>>::new());
    let retries = Rc::new(Cell::new(if steps.is_return() { RETRIES } else { 0 }));
    steps.follow();
    start_at_place(flow, steps);
    effect(move || {
        if let Step::Done(outcome) = flow.step.get() {
            let uid = |outcome: &FlowOutcome| Some(outcome.reference()?.uid);
            let mut shown = shown.borrow_mut();
            shown.retain(|other| uid(other) != uid(&outcome));
            shown.push(outcome);
        }
        let arrivals = steps.arrivals().get();
        if steps.place().event_type != flow.history.event_type {
            // The list before this flow follows the visitor.
            return;
        }
        let has_arrived = seen.replace(arrivals) != arrivals && !steps.has_returned();
        if has_arrived {
            let shown = shown.borrow().clone();
            retries.set(RETRIES);
            if untrack(|| show_place(flow, steps, &shown, clock.now())) == Arrival::Skipped {
                return;
            }
        }
        // Events let the page remove this view.
        if !flow.is_disposed() {
            open_awaited_slot(flow, steps, &retries);
        }
        if !flow.is_disposed() {
            note_place(flow, steps, has_arrived);
        }
    });
}

/// Corrects the place of the first entry, which may name what is not shown.
fn start_at_place(flow: FlowState, steps: StepHistory) {
    let mut place = steps.place();
    if !flow
        .step
        .with_untracked(|step| matches!(step, Step::Picker))
    {
        flow.history.awaited_slot.set(None);
    } else if !flow.is_rescheduling() && place.booking.is_some() {
        place = StepPlace::first_of(flow.history.event_type);
    }
    steps.replace(place);
}

/// Writes the place of a booking to the history at once.
pub(super) fn note_outcome(flow: FlowState, outcome: &FlowOutcome) {
    if let Some(steps) = flow.history.steps
        && let Some(booking) = outcome.reference()
    {
        steps.replace(StepPlace {
            booking: Some(booking),
            ..StepPlace::first_of(flow.history.event_type)
        });
    }
}

/// Writes the place of the flow to the history: to the entry that the visitor has gone to, if `has_arrived`.
fn note_place(flow: FlowState, steps: StepHistory, has_arrived: bool) {
    let before = steps.place();
    let place = place_of(flow, &before);
    if place == before || steps.is_going_back() {
        return;
    }
    if has_arrived {
        return steps.replace(place);
    }
    let shows_slots = flow.step.with(|step| matches!(step, Step::Picker));
    match before.change_to(&place, shows_slots) {
        StepChange::Push => {
            if let Some(start) = place.slot {
                // The entry before a form shows the day of its slot.
                steps.replace(StepPlace {
                    date: Some(flow.locale.day_of(start)),
                    layout: place.layout,
                    length: place.length,
                    ..before
                });
            }
            steps.push(place);
        }
        StepChange::Back => steps.go_back(place),
        StepChange::Replace => steps.replace(place),
        StepChange::ReplaceSoon => steps.replace_soon(place),
    }
}

/// Place of the flow, tracked; `before` is that of the history entry.
fn place_of(flow: FlowState, before: &StepPlace) -> StepPlace {
    let is_form = match flow.step.get() {
        Step::Picker => false,
        Step::Form => true,
        Step::Done(outcome) => {
            let is_cancelling = flow.history.is_cancelling.get();
            return StepPlace {
                booking: reference(&outcome, before),
                action: is_cancelling.then_some(StepAction::Cancel),
                ..StepPlace::first_of(flow.history.event_type)
            };
        }
        Step::Hidden => return before.clone(),
    };
    let picker = flow.selection.picker;
    let slot = match is_form {
        true if flow.selection.is_instant.get() => None,
        true => picker.slot.with(|slot| Some(slot.as_ref()?.start)),
        false => flow.history.awaited_slot.get(),
    };
    let (date, layout) = picker.place();
    let old = flow.rescheduling.get();
    let context = flow.context();
    let default_length = default_length(&context.event_type, &context.config);
    let length = Some(flow.selection.length.get());
    StepPlace {
        event_type: flow.history.event_type,
        length: length.filter(|length| old.is_none() && *length != default_length),
        action: old.as_ref().map(|_| StepAction::Reschedule),
        booking: old.map(|old| BookingReference {
            uid: old.booking.uid.0.clone(),
            seat: old.seat_uid.clone(),
        }),
        date: date.filter(|_| slot.is_none()),
        layout: Some(layout).filter(|layout| *layout != flow.context().options.layout),
        slot,
    }
}

/// Reference of a booking. Answers to a cancellation do not name the seat.
fn reference(outcome: &FlowOutcome, before: &StepPlace) -> Option<BookingReference> {
    let found = outcome.reference()?;
    let known = before.booking.as_ref();
    let known = known.filter(|known| known.uid == found.uid && found.seat.is_none());
    Some(known.cloned().unwrap_or(found))
}

/// Handling of an entry that the visitor went to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Arrival {
    /// Its step is shown.
    Shown,
    /// Its slots are to be shown.
    Slots,
    /// Its step was on screen already, as after a booking has moved: the next entry follows.
    Skipped,
}

/// Shows the step of the entry that the visitor went to. `shown` are the bookings that were shown.
fn show_place(
    flow: FlowState,
    steps: StepHistory,
    shown: &[Arc<FlowOutcome>],
    now: Instant,
) -> Arrival {
    let context = flow.context();
    context.drafts.delete_booked();
    let place = near_place(steps.place(), flow.selection.picker.today.get_untracked());
    if place.booking.is_some() {
        let arrival = show_booking(flow, steps, &place, shown, now);
        if arrival != Arrival::Slots {
            return arrival;
        }
    } else {
        let is_other = flow.is_rescheduling()
            || flow
                .step
                .with_untracked(|step| !matches!(step, Step::Picker | Step::Form));
        if is_other {
            flow.start_new_booking();
        }
    }
    if place.booking.is_none() {
        let lengths = &context.event_type.lengths;
        let placed = place.length.filter(|length| lengths.contains(length));
        let length = placed.unwrap_or(default_length(&context.event_type, &context.config));
        if flow.selection.length.get_untracked() != length {
            flow.selection.length.set(length);
        }
    }
    if place.slot.is_none() {
        show_slots(flow, &place);
        return Arrival::Shown;
    }
    let is_open = flow.step.with_untracked(|step| matches!(step, Step::Form))
        && flow.selection.start() == place.slot;
    if !is_open {
        flow.resume(&place);
        flow.step.set(Step::Picker);
    }
    Arrival::Shown
}

/// Shows the booking of a place, or the change of it.
fn show_booking(
    flow: FlowState,
    steps: StepHistory,
    place: &StepPlace,
    shown: &[Arc<FlowOutcome>],
    now: Instant,
) -> Arrival {
    let is_rescheduling = flow.is_rescheduling();
    if is_rescheduling && place.action == Some(StepAction::Reschedule) {
        return Arrival::Slots;
    }
    let wanted = place.booking.as_ref().map(|booking| booking.uid.clone());
    let is_wanted =
        |outcome: &Arc<FlowOutcome>| outcome.reference().map(|found| found.uid) == wanted;
    // A booking that has moved is followed by its successor. After a reload, none was shown yet.
    let replaced = |outcome: &Arc<FlowOutcome>| {
        matches!(
            outcome.kind,
            OutcomeKind::Rescheduled | OutcomeKind::Changed
        )
    };
    let last = shown
        .last()
        .filter(|last| replaced(last) || !shown.iter().any(is_wanted));
    let found = last.or_else(|| shown.iter().find(|outcome| is_wanted(outcome)));
    let opened = || Some(Arc::new(flow.rescheduling.get_untracked()?.outcome()));
    let Some(outcome) = found.cloned().or_else(opened) else {
        return Arrival::Shown;
    };
    let is_same = is_wanted(&outcome);
    let mode = place.action.filter(|_| is_same).map(mode_of);
    let is_shown = mode.is_none()
        && flow.step.with_untracked(
            |step| matches!(step, Step::Done(current) if Arc::ptr_eq(current, &outcome)),
        )
        && !flow.history.is_cancelling.get_untracked();
    if is_shown && steps.skip_entry() {
        return Arrival::Skipped;
    }
    if is_shown && outcome.kind == OutcomeKind::Opened {
        return Arrival::Shown;
    }
    let mut outcome = (*outcome).clone();
    if is_shown {
        // The entry before the news of the change.
        outcome.kind = OutcomeKind::Opened;
    }
    flow.rescheduling.set(None);
    show_first_step(flow, outcome, mode.unwrap_or(Mode::Manage), now);
    match flow.is_rescheduling() {
        true => Arrival::Slots,
        false => Arrival::Shown,
    }
}

/// Shows the slots of a place. The form closes as if the visitor had pressed its button.
fn show_slots(flow: FlowState, place: &StepPlace) {
    flow.history.awaited_slot.set(None);
    if flow.step.with_untracked(|step| matches!(step, Step::Form)) {
        flow.context().page.emit(&BookingEvent::FormBack);
        if flow.is_disposed() {
            return;
        }
        flow.submit.unknown_outcome.set(None);
        flow.selection.is_instant.set(false);
        flow.step.set(Step::Picker);
    }
    let picker = flow.selection.picker;
    let (date, layout) = untrack(|| picker.place());
    let wanted = place.layout.unwrap_or(flow.context().options.layout);
    if let Some(day) = place.date.or(date)
        && (place.date.is_some_and(|day| Some(day) != date) || wanted != layout)
    {
        picker.show_place(day, wanted);
    }
}

/// Opens the form of the slot that the history entry names, once its day is loaded; says so if it is no longer free.
fn open_awaited_slot(flow: FlowState, steps: StepHistory, retries: &Rc<Cell<u32>>) {
    let Some(start) = flow.history.awaited_slot.get() else {
        return;
    };
    let picker = flow.selection.picker;
    let day = flow
        .locale
        .settings
        .zone
        .with(|zone| flow.locale.formats.day_of(start, zone));
    let is_busy = picker.slots.is_busy().get();
    let found = picker.slots.signal().with(|response| match response {
        Load::Ready(days) if !is_busy => Some(slot_at(days.on(day), start)),
        _ => None,
    });
    // The visitor may choose another day in the meantime.
    let is_in_view = picker.covers(day) && picker.day.get() == Some(day);
    untrack(|| match found {
        _ if !is_in_view => flow.history.awaited_slot.set(None),
        Some(Some(slot)) => flow.select_slot(slot),
        Some(None) if retries.get() > 0 => retry_soon(flow, Rc::clone(retries)),
        Some(None) => {
            flow.history.awaited_slot.set(None);
            steps.replace(StepPlace {
                date: Some(day),
                slot: None,
                ..steps.place()
            });
            show_lost_slot(flow, start);
        }
        None => {}
    });
}

/// Says above the slots that the one of the history entry is not free.
fn show_lost_slot(flow: FlowState, start: Instant) {
    let locale = flow.locale;
    let time = locale.settings.time(locale.formats, start);
    flow.handle_lost_slot(start);
    flow.submit.error.set(Some(SubmitError {
        title: locale.texts.get(Key::TimeTakenTitle).to_owned(),
        text: locale.texts.fill(Key::TimeGone, &[("time", &time)]),
        details: None,
    }));
}

/// Loads the slots again after a while.
fn retry_soon(flow: FlowState, retries: Rc<Cell<u32>>) {
    let left = retries.get();
    let retry = move || {
        // Another change of the view may have come first.
        if retries.get() != left {
            return;
        }
        retries.set(left.saturating_sub(1));
        if flow.history.awaited_slot.get_untracked().is_some() {
            flow.selection.picker.slots.reload();
        }
    };
    set_timeout(retry, RETRY_AFTER);
}

fn slot_at(slots: &[Slot], start: Instant) -> Option<Slot> {
    slots.iter().find(|slot| slot.start == start).cloned()
}
