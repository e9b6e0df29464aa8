//! State of a booking and the actions that it allows its visitor, without DOM.

use booking_rules::transitions::next_status;
use booking_rules::{Actor, BookingContext, Policy, Transition, TransitionError};
use booking_wire::{BookingStatus, PublicBooking};

use crate::time::Instant;

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
    policy: Policy,
    now: Instant,
) -> ActionAvailability {
    availability(booking, policy, now, Transition::Reschedule)
}

/// Checks if a visitor may cancel a booking.
pub(crate) fn cancel_availability(
    booking: &PublicBooking,
    policy: Policy,
    now: Instant,
) -> ActionAvailability {
    let cancellation = Transition::Cancel {
        by: Actor::Visitor,
        has_reason: true,
    };
    availability(booking, policy, now, cancellation)
}

fn availability(
    booking: &PublicBooking,
    policy: Policy,
    now: Instant,
    transition: Transition,
) -> ActionAvailability {
    let context = BookingContext {
        status: &booking.status,
        start: booking.start,
        end: booking.end,
        now,
        // Matters to hosts only.
        is_unpaid: false,
        replaced_by: booking.rescheduled_to.as_ref().map(|uid| uid.0.as_str()),
        policy: &policy,
    };
    match next_status(context, transition) {
        Ok(_) => ActionAvailability::Available,
        Err(_) if booking.end <= now => ActionAvailability::NotApplicable,
        Err(TransitionError::Disabled(_)) => ActionAvailability::Forbidden,
        Err(TransitionError::StartsSoon(_) | TransitionError::Started) => {
            ActionAvailability::TooLate
        }
        Err(_) => ActionAvailability::NotApplicable,
    }
}

#[cfg(test)]
mod tests {
    use booking_rules::action_cases::{NOW, cases};
    use serde_json::json;

    use super::*;

    #[test]
    fn actions_are_available_as_in_the_table() {
        for case in cases() {
            let booking = PublicBooking {
                status: case.status.clone(),
                start: case.start,
                end: case.end,
                ..PublicBooking::default()
            };
            let policy = case.policy();
            for (letter, found) in [
                ('r', reschedule_availability(&booking, policy, NOW)),
                ('x', cancel_availability(&booking, policy, NOW)),
            ] {
                let is_available = found == ActionAvailability::Available;
                assert_eq!(is_available, case.allows(letter), "{letter} {case:?}");
            }
        }
    }

    #[test]
    fn reason_is_told_unless_the_booking_is_over() {
        use ActionAvailability::{Forbidden, NotApplicable, TooLate};
        let strict = json!({
            "disableRescheduling": {"disabled": true}, "disableCancelling": {"disabled": true},
        });
        let near = json!({"disableRescheduling": {"minutesBefore": 120}});
        let free = json!({});
        for (status, minutes, settings, reschedule, cancel) in [
            (BookingStatus::Accepted, 60, &strict, Forbidden, Forbidden),
            (
                BookingStatus::Accepted,
                -60,
                &strict,
                NotApplicable,
                NotApplicable,
            ),
            (
                BookingStatus::Accepted,
                60,
                &near,
                TooLate,
                ActionAvailability::Available,
            ),
            (
                BookingStatus::Accepted,
                -15,
                &free,
                TooLate,
                ActionAvailability::Available,
            ),
            (
                BookingStatus::Accepted,
                -60,
                &free,
                NotApplicable,
                NotApplicable,
            ),
            (
                BookingStatus::Rejected,
                60,
                &strict,
                NotApplicable,
                NotApplicable,
            ),
        ] {
            let start = NOW.plus_minutes(minutes);
            let booking = PublicBooking {
                status: status.clone(),
                start,
                end: start.plus_minutes(30),
                ..PublicBooking::default()
            };
            let policy = Policy::of_settings(settings);
            let found = (
                reschedule_availability(&booking, policy, NOW),
                cancel_availability(&booking, policy, NOW),
            );
            assert_eq!(
                found,
                (reschedule, cancel),
                "{status:?} {minutes} {settings}"
            );
        }
    }

    #[test]
    fn pending_booking_with_a_price_is_unpaid() {
        let booking = PublicBooking {
            status: BookingStatus::Pending,
            start: NOW.plus_minutes(60),
            end: NOW.plus_minutes(90),
            ..PublicBooking::default()
        };
        assert_eq!(BookingState::of(&booking, 2500, NOW), BookingState::Unpaid);
        assert_eq!(BookingState::of(&booking, 0, NOW), BookingState::Requested);
    }
}
