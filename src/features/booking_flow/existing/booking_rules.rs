//! State of a booking and the actions that it allows its visitor, without DOM.

use booking_wire::{BookingPolicy, BookingStatus, BookingUid, PublicBooking};

use crate::time::Instant;

/// Maximum number of reschedules followed: each costs a request.
const MAX_SUCCESSORS: usize = 10;

/// Booking that replaced `booking`, unless it is one of those `seen` or too many were: services may return a cycle.
pub(crate) fn successor(seen: &[BookingUid], booking: &PublicBooking) -> Option<BookingUid> {
    let next = booking.rescheduled_to.clone()?;
    let is_replaced = booking.status == BookingStatus::Cancelled;
    let is_fresh = !seen.contains(&next) && seen.len() <= MAX_SUCCESSORS;
    (is_replaced && is_fresh).then_some(next)
}

/// State of a booking for its visitor.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum BookingState {
    /// Upcoming.
    Upcoming,
    /// Needs confirmation.
    Requested,
    /// Needs a payment.
    Unpaid,
    /// Waits for a host to join.
    AwaitingHost,
    /// Past.
    Past,
    /// Cancelled.
    Cancelled,
    /// Declined by a host.
    Declined,
}

impl BookingState {
    /// State of `booking` at `now`, whose event type costs `price`.
    pub(crate) fn of(booking: &PublicBooking, price: i64, now: Instant) -> Self {
        match booking.status {
            BookingStatus::Cancelled => Self::Cancelled,
            BookingStatus::Rejected => Self::Declined,
            _ if booking.end <= now => Self::Past,
            BookingStatus::Pending if price > 0 => Self::Unpaid,
            BookingStatus::Pending => Self::Requested,
            BookingStatus::AwaitingHost => Self::AwaitingHost,
            _ => Self::Upcoming,
        }
    }
}

/// Availability of a booking action.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ActionAvailability {
    /// Yes.
    Available,
    /// The event type forbids it.
    Forbidden,
    /// The start is too near.
    TooLate,
    /// Not applicable: there is nothing to explain.
    NotApplicable,
}

/// Checks if a visitor may reschedule. The service checks it again.
pub(crate) fn reschedule_availability(
    booking: &PublicBooking,
    state: BookingState,
    policy: BookingPolicy,
    now: Instant,
) -> ActionAvailability {
    let has_begun = booking.start <= now;
    match state {
        BookingState::Declined | BookingState::AwaitingHost => ActionAvailability::NotApplicable,
        BookingState::Cancelled
            if !policy.allows_cancelled_reschedule || booking.rescheduled_to.is_some() =>
        {
            ActionAvailability::NotApplicable
        }
        BookingState::Past if !policy.allows_past_reschedule => ActionAvailability::NotApplicable,
        _ if policy.is_reschedule_disabled => ActionAvailability::Forbidden,
        _ if has_begun && !policy.allows_past_reschedule => ActionAvailability::TooLate,
        _ if policy.min_reschedule_notice_minutes > 0
            && booking.start < now.plus_minutes(policy.min_reschedule_notice_minutes) =>
        {
            ActionAvailability::TooLate
        }
        _ => ActionAvailability::Available,
    }
}

/// Checks if a visitor may cancel a booking.
pub(crate) fn cancel_availability(
    state: BookingState,
    policy: BookingPolicy,
) -> ActionAvailability {
    match state {
        BookingState::Declined | BookingState::Cancelled | BookingState::Past => {
            ActionAvailability::NotApplicable
        }
        _ if policy.is_cancellation_disabled => ActionAvailability::Forbidden,
        _ => ActionAvailability::Available,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(text: &str) -> Instant {
        Instant::parse(text).unwrap()
    }

    fn booking(uid: &str, rescheduled_to: Option<&str>) -> PublicBooking {
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
        let a = booking("a", Some("b"));
        assert_eq!(successor(&[uid("a")], &a), Some(uid("b")));
        assert_eq!(successor(&[uid("b"), uid("a")], &a), None);
        assert_eq!(successor(&[uid("a")], &booking("a", None)), None);
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

    #[test]
    fn actions_availability_follows_state_and_policy() {
        let now = at("2027-03-10T09:00:00Z");
        let free = BookingPolicy::default();
        let strict = BookingPolicy {
            is_cancellation_disabled: true,
            is_reschedule_disabled: true,
            ..free
        };
        let near = BookingPolicy {
            min_reschedule_notice_minutes: 120,
            ..free
        };
        let lenient = BookingPolicy {
            allows_past_reschedule: true,
            allows_cancelled_reschedule: true,
            ..free
        };
        let make = |status: BookingStatus, start: &str| PublicBooking {
            status,
            start: at(start),
            end: at(start).plus_minutes(30),
            ..PublicBooking::default()
        };
        let soon = "2027-03-10T10:00:00Z";
        let gone = "2027-03-10T08:00:00Z";
        let running = "2027-03-10T08:45:00Z";
        for (status, start, policy, reschedule, cancel) in [
            (
                BookingStatus::Accepted,
                soon,
                free,
                ActionAvailability::Available,
                ActionAvailability::Available,
            ),
            (
                BookingStatus::Accepted,
                soon,
                strict,
                ActionAvailability::Forbidden,
                ActionAvailability::Forbidden,
            ),
            (
                BookingStatus::Accepted,
                soon,
                near,
                ActionAvailability::TooLate,
                ActionAvailability::Available,
            ),
            (
                BookingStatus::Pending,
                soon,
                free,
                ActionAvailability::Available,
                ActionAvailability::Available,
            ),
            (
                BookingStatus::Accepted,
                running,
                free,
                ActionAvailability::TooLate,
                ActionAvailability::Available,
            ),
            (
                BookingStatus::Accepted,
                gone,
                free,
                ActionAvailability::NotApplicable,
                ActionAvailability::NotApplicable,
            ),
            (
                BookingStatus::Accepted,
                gone,
                lenient,
                ActionAvailability::Available,
                ActionAvailability::NotApplicable,
            ),
            (
                BookingStatus::Cancelled,
                soon,
                free,
                ActionAvailability::NotApplicable,
                ActionAvailability::NotApplicable,
            ),
            (
                BookingStatus::Cancelled,
                soon,
                lenient,
                ActionAvailability::Available,
                ActionAvailability::NotApplicable,
            ),
            (
                BookingStatus::Rejected,
                soon,
                lenient,
                ActionAvailability::NotApplicable,
                ActionAvailability::NotApplicable,
            ),
        ] {
            let booking = make(status.clone(), start);
            let state = BookingState::of(&booking, 0, now);
            let found = (
                reschedule_availability(&booking, state, policy, now),
                cancel_availability(state, policy),
            );
            assert_eq!(found, (reschedule, cancel), "{status:?} {start} {policy:?}");
        }
        let paid = make(BookingStatus::Pending, soon);
        assert_eq!(BookingState::of(&paid, 2500, now), BookingState::Unpaid);
    }
}
