//! Reads the booking on screen again: its visitor or host may have changed or replaced it elsewhere.

use std::cell::Cell;
use std::rc::Rc;
use std::sync::Arc;

use booking_ui::prelude::*;
use booking_wire::{BookingStatus, BookingUid, PublicBooking, PublicBookings};

use super::super::outcome::{FlowOutcome, OutcomeKind};
use super::super::state::reason_draft::ReasonDraft;
use super::super::state::{FlowState, Step};
use crate::client::query::READ_TIMEOUT_MS;
use crate::client::session::Session;
use crate::client::{Abort, ApiError, DeclineReason};
use crate::page::settings::use_clock;

/// Age of the state on screen from which it is read again when the page becomes visible.
const STALE_AFTER_MS: i64 = 60_000;

/// Maximum number of reschedules followed: each costs a request.
const MAX_SUCCESSORS: usize = 10;

/// Booking that replaced `booking`, unless it is one of those `seen` or too many were: services may return a cycle.
pub(crate) fn successor(seen: &[BookingUid], booking: &PublicBooking) -> Option<BookingUid> {
    let next = booking.rescheduled_to.clone()?;
    let is_replaced = booking.status == BookingStatus::Cancelled;
    let is_fresh = !seen.contains(&next) && seen.len() <= MAX_SUCCESSORS;
    (is_replaced && is_fresh).then_some(next)
}

/// Reads a booking, by its seat or else by its uid, or the booking that replaced it.
pub(crate) async fn read_present(
    session: &Session,
    uid: Option<&str>,
    seat_uid: Option<&str>,
    abort: &Abort,
) -> Result<Vec<PublicBooking>, ApiError> {
    let PublicBookings(mut bookings) = match (seat_uid, uid) {
        (Some(seat), _) => session.booking_by_seat(seat, abort.clone()).await?,
        (None, Some(uid)) => session.booking(uid, abort.clone()).await?,
        (None, None) => return Err(ApiError::Declined(DeclineReason::NotFound)),
    };
    let mut seen = Vec::<BookingUid>::new();
    while let [only] = bookings.as_slice() {
        seen.push(only.uid.clone());
        let Some(BookingUid(next)) = successor(&seen, only) else {
            break;
        };
        match session.booking(&next, abort.clone()).await {
            Ok(PublicBookings(newer)) => bookings = newer,
            // Shows the last booking found.
            Err(_) => break,
        }
    }
    Ok(bookings)
}

/// True if the service declined a request and the state of the booking may be the reason.
pub(crate) fn may_be_stale(error: &ApiError) -> bool {
    matches!(
        error,
        ApiError::Declined(
            DeclineReason::NotFound
                | DeclineReason::Forbidden
                | DeclineReason::Invalid(_)
                | DeclineReason::InvalidProperties(..)
        )
    )
}

/// Reads the booking of `shown` again and shows it if it has changed. Returns true in that case.
pub(crate) async fn show_if_changed(flow: FlowState, shown: &FlowOutcome) -> bool {
    let Some(reference) = shown.reference() else {
        return false;
    };
    if flow.is_disposed() {
        return false;
    }
    let session = flow.context().session.clone();
    let abort = Abort::after(READ_TIMEOUT_MS);
    let seat_uid = reference.seat.as_deref();
    let found = read_present(&session, Some(&reference.uid), seat_uid, &abort).await;
    let Some(changed) = found.ok().and_then(|found| changed(shown, found)) else {
        return false;
    };
    let is_shown = |now: Arc<FlowOutcome>| now.reference() == shown.reference();
    let is_on_screen = !flow.is_disposed() && on_screen(flow).is_some_and(is_shown);
    if is_on_screen {
        flow.rescheduling.set(None);
        flow.submit.error.set(None);
        flow.submit.unknown_outcome.set(None);
        flow.show_booking(changed, false);
    }
    is_on_screen
}

/// Reads the booking on screen again when the page becomes visible, as long as the current view lives. Nothing changes
/// while a request is pending or a reason has been typed.
pub(crate) fn follow_changes(flow: FlowState) {
    let clock = use_clock();
    let read_at = Rc::new(Cell::new(clock.now()));
    listen_to(&document(), "visibilitychange", move |_| {
        let now = clock.now();
        let is_due = !document().hidden() && now.0 - read_at.get().0 >= STALE_AFTER_MS;
        if !is_due {
            return;
        }
        let shown = on_screen(flow).filter(|shown| !has_input(flow, shown));
        if let Some(shown) = shown {
            read_at.set(now);
            spawn_local(async move {
                show_if_changed(flow, &shown).await;
            });
        }
    });
}

/// Booking on screen, also while it is rescheduled.
fn on_screen(flow: FlowState) -> Option<Arc<FlowOutcome>> {
    if let Some(old) = flow.rescheduling.get_untracked() {
        return Some(Arc::new(old.outcome()));
    }
    match flow.step.get_untracked() {
        Step::Done(outcome) => Some(outcome),
        _ => None,
    }
}

/// True if the visitor has typed a reason, or has sent a request.
fn has_input(flow: FlowState, shown: &FlowOutcome) -> bool {
    let action = match flow.is_rescheduling() {
        true => "move",
        false => "cancel",
    };
    let is_open = flow.is_rescheduling() || flow.history.is_cancelling.get_untracked();
    let typed = shown.bookings.first().filter(|_| is_open);
    let typed = typed.and_then(|first| ReasonDraft::of(&flow.context(), action, &first.uid).text());
    flow.submit.is_busy.get_untracked() || typed.is_some_and(|text| !text.trim().is_empty())
}

/// Outcome that shows `found` in place of `shown`; `None` if what visitors see is the same.
fn changed(shown: &FlowOutcome, found: Vec<PublicBooking>) -> Option<FlowOutcome> {
    let is_series = shown.bookings.len() > 1;
    if found.is_empty() || (is_series && found.len() != shown.bookings.len()) {
        return None;
    }
    let differs = |is_same: fn(&PublicBooking, &PublicBooking) -> bool| {
        found.len() != shown.bookings.len()
            || !shown
                .bookings
                .iter()
                .zip(&found)
                .all(|(old, new)| is_same(old, new))
    };
    let has_changed = differs(|old, new| {
        (&old.uid, &old.status, old.start) == (&new.uid, &new.status, new.start)
    });
    let has_moved_place = differs(|old, new| old.location == new.location);
    let kind = match (has_changed, has_moved_place) {
        (true, _) => OutcomeKind::Changed,
        // A host has added the link, for example.
        (false, true) => shown.kind,
        (false, false) => return None,
    };
    Some(FlowOutcome {
        bookings: found,
        seat_uid: shown.seat_uid.clone(),
        kind,
        previous_start: shown.previous_start.filter(|_| !has_changed),
        address: shown.address.clone().filter(|_| !has_changed),
    })
}

#[cfg(test)]
mod tests {
    use booking_wire::Instant;

    use super::*;

    fn booking(uid: &str, status: BookingStatus, location: &str) -> PublicBooking {
        PublicBooking {
            uid: BookingUid(uid.into()),
            status,
            start: Instant::parse("2027-03-10T09:00:00Z").unwrap(),
            location: Some(location.into()),
            ..PublicBooking::default()
        }
    }

    #[test]
    fn changed_booking_is_shown_as_such() {
        let shown = FlowOutcome {
            bookings: vec![booking("a", BookingStatus::Accepted, "")],
            seat_uid: None,
            kind: OutcomeKind::Booked,
            previous_start: None,
            address: None,
        };
        let link = "https://meet.example";
        for (found, kind) in [
            (booking("a", BookingStatus::Accepted, ""), None),
            (
                booking("a", BookingStatus::Accepted, link),
                Some(OutcomeKind::Booked),
            ),
            (
                booking("a", BookingStatus::Cancelled, ""),
                Some(OutcomeKind::Changed),
            ),
            (
                booking("b", BookingStatus::Accepted, link),
                Some(OutcomeKind::Changed),
            ),
        ] {
            let changed = changed(&shown, vec![found.clone()]);
            assert_eq!(changed.map(|changed| changed.kind), kind, "{found:?}");
        }
        assert!(changed(&shown, Vec::new()).is_none());
    }

    #[test]
    fn declined_change_may_be_stale_lost_slot_is_not() {
        for (reason, expected) in [
            (DeclineReason::Invalid("is cancelled".into()), true),
            (DeclineReason::NotFound, true),
            (DeclineReason::TimeTaken, false),
            (DeclineReason::SignInNeeded, false),
        ] {
            assert_eq!(may_be_stale(&ApiError::Declined(reason)), expected);
        }
        assert!(!may_be_stale(&ApiError::Unreachable));
    }

    fn replaced(uid: &str, rescheduled_to: Option<&str>) -> PublicBooking {
        PublicBooking {
            uid: BookingUid(uid.into()),
            status: BookingStatus::Cancelled,
            rescheduled_to: rescheduled_to.map(|uid| BookingUid(uid.into())),
            ..PublicBooking::default()
        }
    }

    #[test]
    fn successor_cycle_is_not_followed() {
        let uid = |text: &str| BookingUid(text.into());
        let a = replaced("a", Some("b"));
        assert_eq!(successor(&[uid("a")], &a), Some(uid("b")));
        assert_eq!(successor(&[uid("b"), uid("a")], &a), None);
        assert_eq!(successor(&[uid("a")], &replaced("a", None)), None);
        let many: Vec<BookingUid> = (0..=MAX_SUCCESSORS)
            .map(|number| uid(&number.to_string()))
            .collect();
        assert_eq!(successor(&many[..MAX_SUCCESSORS], &a), Some(uid("b")));
        assert_eq!(successor(&[many, vec![uid("x")]].concat(), &a), None);
        let state = PublicBooking {
            status: BookingStatus::Accepted,
            ..a
        };
        assert_eq!(successor(&[uid("a")], &state), None);
    }
}
