//! Actions on bookings: whether they are allowed, and the status after them.

use booking_wire::{BookingStatus, Instant};

use crate::limits::{EMAIL_CORRECTION_MINUTES, MAX_EMAIL_CORRECTIONS};
use crate::policy::{Confirmation, Policy, Restriction};

/// Person who acts on a booking.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Actor {
    /// Holder of the uid, usually the person who booked.
    Visitor,
    /// Authenticated host of the booking, owner of its event type or manager of its team.
    Host,
}

/// Action on a booking, for the rules about its status.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Transition {
    /// A host confirms it, or joins an instant meeting.
    Confirm,
    /// A host declines it.
    Decline,
    /// A host or visitor cancels it.
    Cancel {
        /// Person who cancels.
        by: Actor,
        /// True if a reason is given.
        has_reason: bool,
    },
    /// A host or visitor replaces it by a booking at another time.
    Reschedule,
    /// A host records absence.
    MarkAbsent,
    /// A host changes its hosts, attendees, guests or location.
    Change,
    /// The person who booked corrects their e-mail address.
    CorrectEmail {
        /// Time at which they booked; none if the attendee has another origin, such as a reschedule.
        booked: Option<Instant>,
        /// Corrections so far.
        corrections: i64,
    },
}

/// State of a booking for a transition.
#[derive(Clone, Copy, Debug)]
pub struct BookingContext<'a> {
    /// Current status.
    pub status: &'a BookingStatus,
    /// Start.
    pub start: Instant,
    /// End.
    pub end: Instant,
    /// Current instant.
    pub now: Instant,
    /// True if payment is due.
    pub is_unpaid: bool,
    /// Uid of the successor.
    pub replaced_by: Option<&'a str>,
    /// Policy of the event type.
    pub policy: &'a Policy,
}

/// Reason why an action is not allowed.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum TransitionError {
    /// It is accepted already.
    #[error("the booking is already accepted")]
    AlreadyAccepted,
    /// An accepted booking cannot be declined.
    #[error("the booking is already accepted: it can only be cancelled")]
    OnlyCancellable,
    /// It is cancelled.
    #[error("the booking is already cancelled")]
    AlreadyCancelled,
    /// The booking with this uid replaces it.
    #[error("the booking has been rescheduled: its successor is {0}")]
    Rescheduled(String),
    /// It was declined.
    #[error("the booking has been declined")]
    Declined,
    /// It is not paid for.
    #[error("the booking has not been paid for yet")]
    Unpaid,
    /// It has ended.
    #[error("the booking is over: it can no longer be {0}")]
    Over(&'static str),
    /// It has begun.
    #[error("the booking has already started: it can no longer be rescheduled")]
    Started,
    /// It has not begun.
    #[error("the booking has not started yet: nobody can be marked absent")]
    NotStarted,
    /// It is not accepted.
    #[error("the booking is not accepted: nobody can be marked absent")]
    NotAccepted,
    /// The event type forbids it.
    #[error("bookings of this event type cannot be {0}")]
    Disabled(&'static str),
    /// The event type forbids it this number of minutes before the start.
    #[error("the booking starts in less than {0} minutes: it can no longer be rescheduled")]
    StartsSoon(i64),
    /// Hosts who cancel give a reason.
    #[error("cancellationReason is required of a host")]
    ReasonRequired,
    /// It waits for a host to join.
    #[error("an instant booking waits for a host: {0}")]
    AwaitingHost(&'static str),
    /// A code has verified the address.
    #[error("the address has been verified: it cannot be corrected")]
    AddressVerified,
    /// It has begun.
    #[error("the booking has already started: its address can no longer be corrected")]
    StartedWithAddress,
    /// The address was entered some time ago, or by another person.
    #[error(
        "an address can be corrected within {EMAIL_CORRECTION_MINUTES} minutes of the booking only"
    )]
    CorrectionTooLate,
    /// Every correction is used.
    #[error(
        "the address has been corrected {MAX_EMAIL_CORRECTIONS} times, which is the most that is allowed"
    )]
    NoCorrectionsLeft,
    /// The status is none of those known here.
    #[error("the booking is {0}")]
    UnknownStatus(String),
}

/// Returns the status of a new booking.
pub fn initial_status(
    policy: &Policy,
    start: Instant,
    now: Instant,
    is_instant: bool,
) -> BookingStatus {
    if is_instant {
        return BookingStatus::AwaitingHost;
    }
    let waits = policy.price > 0
        || match policy.confirmation {
            Confirmation::Never => false,
            Confirmation::Always => true,
            Confirmation::Within(minutes) => start < now.plus_minutes(minutes),
        };
    if waits {
        BookingStatus::Pending
    } else {
        BookingStatus::Accepted
    }
}

/// Returns the status of a booking after an action; for a reschedule, the status of the old booking
/// (see [`successor_status`] for the new one).
pub fn next_status(
    context: BookingContext<'_>,
    action: Transition,
) -> Result<BookingStatus, TransitionError> {
    use BookingStatus::{Accepted, AwaitingHost, Cancelled, Pending, Rejected};
    use TransitionError as Reason;
    let (now, policy) = (context.now, context.policy);
    let is_over = context.end <= now;
    match (context.status, action) {
        (Accepted, Transition::Confirm) => Err(Reason::AlreadyAccepted),
        (Accepted, Transition::Decline) => Err(Reason::OnlyCancellable),
        // Of a rescheduled booking, only the successor can be rescheduled.
        (Cancelled, Transition::Reschedule)
            if policy.allows_rescheduling_cancelled && context.replaced_by.is_none() =>
        {
            check_reschedulable(context).map(|()| Cancelled)
        }
        (Cancelled, _) => Err(match context.replaced_by {
            Some(uid) => Reason::Rescheduled(uid.to_owned()),
            None => Reason::AlreadyCancelled,
        }),
        (Rejected, _) => Err(Reason::Declined),
        (Pending, Transition::Confirm) if context.is_unpaid => Err(Reason::Unpaid),
        (Pending | AwaitingHost, Transition::Confirm) if is_over => Err(Reason::Over("confirmed")),
        (Pending | AwaitingHost, Transition::Confirm) => Ok(Accepted),
        (Pending | AwaitingHost, Transition::Decline) => Ok(Rejected),
        (Accepted | Pending | AwaitingHost, Transition::Cancel { by, has_reason }) => {
            if policy.is_cancelling_disabled {
                Err(Reason::Disabled("cancelled"))
            } else if is_over {
                Err(Reason::Over("cancelled"))
            } else if by == Actor::Host && !has_reason {
                Err(Reason::ReasonRequired)
            } else {
                Ok(Cancelled)
            }
        }
        (AwaitingHost, Transition::Reschedule) => {
            Err(Reason::AwaitingHost("it cannot be rescheduled"))
        }
        (Accepted | Pending, Transition::Reschedule) => {
            check_reschedulable(context).map(|()| Cancelled)
        }
        (Accepted, Transition::MarkAbsent) if context.start <= now => Ok(Accepted),
        (Accepted, Transition::MarkAbsent) => Err(Reason::NotStarted),
        (Pending | AwaitingHost, Transition::MarkAbsent) => Err(Reason::NotAccepted),
        (Accepted | Pending | AwaitingHost, Transition::Change) if is_over => {
            Err(Reason::Over("changed"))
        }
        (status @ (Accepted | Pending | AwaitingHost), Transition::Change) => Ok(status.clone()),
        (AwaitingHost, Transition::CorrectEmail { .. }) => {
            Err(Reason::AwaitingHost("its address cannot be corrected"))
        }
        (
            status @ (Accepted | Pending),
            Transition::CorrectEmail {
                booked,
                corrections,
            },
        ) => check_correctable(context, booked, corrections).map(|()| status.clone()),
        (BookingStatus::Unknown(name), _) => Err(Reason::UnknownStatus(name.clone())),
    }
}

/// Returns the status of the booking that replaces `old` at `start`. An accepted booking that its
/// owner reschedules stays accepted; otherwise the rules for a new booking apply.
pub fn successor_status(old: BookingContext<'_>, start: Instant, by_owner: bool) -> BookingStatus {
    // A paid booking is not paid for again.
    let policy = Policy {
        price: if old.is_unpaid || old.status != &BookingStatus::Accepted {
            old.policy.price
        } else {
            0
        },
        ..*old.policy
    };
    if by_owner && old.status == &BookingStatus::Accepted {
        return BookingStatus::Accepted;
    }
    initial_status(&policy, start, old.now, false)
}

/// Returns true if a booking of this status blocks its hosts' time. `booking_hosts.holds` stores
/// the result for each host.
pub fn blocks_time(status: &BookingStatus, policy: &Policy) -> bool {
    match status {
        BookingStatus::Accepted => true,
        BookingStatus::Pending => policy.pending_blocks_time,
        _ => false,
    }
}

fn check_reschedulable(context: BookingContext<'_>) -> Result<(), TransitionError> {
    let (start, now, policy) = (context.start, context.now, context.policy);
    let has_started = start <= now;
    match policy.rescheduling_restriction {
        Restriction::Always => return Err(TransitionError::Disabled("rescheduled")),
        Restriction::Within(minutes) if !has_started && start < now.plus_minutes(minutes) => {
            return Err(TransitionError::StartsSoon(minutes));
        }
        Restriction::Never | Restriction::Within(_) => {}
    }
    if has_started && !policy.allows_rescheduling_past {
        return Err(TransitionError::Started);
    }
    Ok(())
}

fn check_correctable(
    context: BookingContext<'_>,
    booked: Option<Instant>,
    corrections: i64,
) -> Result<(), TransitionError> {
    if context.policy.requires_verified_email {
        return Err(TransitionError::AddressVerified);
    }
    if context.start <= context.now {
        return Err(TransitionError::StartedWithAddress);
    }
    let is_recent =
        booked.is_some_and(|booked| context.now < booked.plus_minutes(EMAIL_CORRECTION_MINUTES));
    if !is_recent {
        return Err(TransitionError::CorrectionTooLate);
    }
    if corrections >= MAX_EMAIL_CORRECTIONS {
        return Err(TransitionError::NoCorrectionsLeft);
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use booking_wire::BookingStatus::{Accepted, AwaitingHost, Cancelled, Pending, Rejected};
    use serde_json::json;

    use super::*;

    const NOW: Instant = Instant(1_803_888_000_000);
    const CANCEL: Transition = Transition::Cancel {
        by: Actor::Visitor,
        has_reason: false,
    };

    fn context<'a>(
        status: &'a BookingStatus,
        minutes: i64,
        policy: &'a Policy,
    ) -> BookingContext<'a> {
        BookingContext {
            status,
            start: NOW.plus_minutes(minutes),
            end: NOW.plus_minutes(minutes + 30),
            now: NOW,
            is_unpaid: false,
            replaced_by: None,
            policy,
        }
    }

    /// Checks the new status, or a fragment of the error.
    #[track_caller]
    fn check(
        context: BookingContext<'_>,
        action: Transition,
        expected: Result<BookingStatus, &str>,
    ) {
        let found = next_status(context, action);
        match (&found, &expected) {
            (Ok(status), Ok(expected)) => assert_eq!(status, expected, "{context:?} {action:?}"),
            (Err(reason), Err(fragment)) => {
                let text = reason.to_string();
                assert!(text.contains(fragment), "{context:?} {action:?}: {text}");
            }
            _ => panic!("{context:?} {action:?}: {found:?} instead of {expected:?}"),
        }
    }

    #[test]
    fn every_action_follows_the_table() {
        let cases = crate::action_cases::cases();
        assert_eq!(cases.len(), 160);
        for case in cases {
            let policy = case.policy();
            let found: String = crate::action_cases::ACTIONS
                .iter()
                .filter(|(_, action)| next_status(case.context(&policy), *action).is_ok())
                .map(|(letter, _)| *letter)
                .collect();
            assert_eq!(found, case.allowed, "{case:?}");
        }
    }

    #[test]
    fn status_after_an_action_depends_on_it_alone() {
        let policy = Policy::default();
        for (status, action, expected) in [
            (&Pending, Transition::Confirm, Accepted),
            (&AwaitingHost, Transition::Confirm, Accepted),
            (&Pending, Transition::Decline, Rejected),
            (&Accepted, CANCEL, Cancelled),
            (&Pending, Transition::Reschedule, Cancelled),
            (&Pending, Transition::Change, Pending),
        ] {
            check(context(status, 600, &policy), action, Ok(expected));
        }
    }

    #[test]
    fn reason_names_what_forbids_an_action() {
        let policy = Policy::default();
        for (status, minutes, action, reason) in [
            (&Accepted, 600, Transition::Confirm, "already accepted"),
            (&Accepted, 600, Transition::Decline, "only be cancelled"),
            (&Accepted, 1, Transition::MarkAbsent, "not started"),
            (&Pending, 600, Transition::MarkAbsent, "not accepted"),
            (
                &AwaitingHost,
                600,
                Transition::Reschedule,
                "waits for a host",
            ),
            (&Cancelled, 600, CANCEL, "already cancelled"),
            (&Rejected, 600, CANCEL, "declined"),
        ] {
            check(context(status, minutes, &policy), action, Err(reason));
        }
    }

    #[test]
    fn start_and_end_limit_actions() {
        let policy = Policy::default();
        // Minutes until the start of a booking of 30 minutes.
        let cases = [
            (&Accepted, 0, Transition::MarkAbsent, Ok(Accepted)),
            (&Accepted, -600, Transition::MarkAbsent, Ok(Accepted)),
            (&Accepted, 1, Transition::MarkAbsent, Err("not started")),
            (&Accepted, -29, CANCEL, Ok(Cancelled)),
            (&Accepted, -30, CANCEL, Err("over")),
            (&Accepted, 0, Transition::Reschedule, Err("already started")),
            (&Accepted, 1, Transition::Reschedule, Ok(Cancelled)),
            (&Accepted, -30, Transition::Change, Err("over")),
            (&Pending, -29, Transition::Confirm, Ok(Accepted)),
            (&Pending, -30, Transition::Confirm, Err("over")),
            (&Pending, -30, Transition::Decline, Ok(Rejected)),
        ];
        for (status, minutes, action, outcome) in cases {
            check(context(status, minutes, &policy), action, outcome);
        }
    }

    #[test]
    fn cancel_reason_is_required_of_hosts_only() {
        let policy = Policy::default();
        for (by, has_reason, outcome) in [
            (Actor::Host, true, Ok(Cancelled)),
            (Actor::Host, false, Err("cancellationReason")),
            (Actor::Visitor, true, Ok(Cancelled)),
            (Actor::Visitor, false, Ok(Cancelled)),
        ] {
            let action = Transition::Cancel { by, has_reason };
            check(context(&Accepted, 600, &policy), action, outcome);
        }
    }

    #[test]
    fn address_is_corrected_soon_after_booking_and_before_the_start() {
        let policy = Policy::default();
        let booked = |minutes: i64| Some(NOW.plus_minutes(-minutes));
        for (status, minutes, booked, corrections, outcome) in [
            (&Accepted, 600, booked(0), 0, Ok(Accepted)),
            (&Pending, 600, booked(9), 2, Ok(Pending)),
            (&Accepted, 600, booked(10), 0, Err("within 10 minutes")),
            (&Accepted, 600, None, 0, Err("within 10 minutes")),
            (&Accepted, 600, booked(0), 3, Err("3 times")),
            (&Accepted, 1, booked(0), 0, Ok(Accepted)),
            (&Accepted, 0, booked(0), 0, Err("already started")),
            (&AwaitingHost, 600, booked(0), 0, Err("waits for a host")),
            (&Cancelled, 600, booked(0), 0, Err("already cancelled")),
            (&Rejected, 600, booked(0), 0, Err("declined")),
        ] {
            let action = Transition::CorrectEmail {
                booked,
                corrections,
            };
            check(context(status, minutes, &policy), action, outcome);
        }
        let verified = Policy::of_settings(&json!({"requiresBookerEmailVerification": true}));
        let action = Transition::CorrectEmail {
            booked: booked(0),
            corrections: 0,
        };
        check(context(&Accepted, 600, &verified), action, Err("verified"));
    }

    #[test]
    fn event_type_settings_forbid_or_allow_actions() {
        for (settings, status, minutes, action, outcome) in [
            (
                json!({"disableCancelling": {"disabled": true}}),
                &Accepted,
                600,
                CANCEL,
                Err("cannot be cancelled"),
            ),
            (
                json!({"disableCancelling": {"disabled": false}}),
                &Accepted,
                600,
                CANCEL,
                Ok(Cancelled),
            ),
            (
                json!({"disableRescheduling": {"disabled": true}}),
                &Pending,
                600,
                Transition::Reschedule,
                Err("cannot be rescheduled"),
            ),
            (
                json!({"disableRescheduling": {"disabled": false, "minutesBefore": 60}}),
                &Accepted,
                59,
                Transition::Reschedule,
                Err("less than 60 minutes"),
            ),
            (
                json!({"disableRescheduling": {"minutesBefore": 60}}),
                &Accepted,
                60,
                Transition::Reschedule,
                Ok(Cancelled),
            ),
            (
                json!({"allowReschedulingPastBookings": true}),
                &Accepted,
                -600,
                Transition::Reschedule,
                Ok(Cancelled),
            ),
            (
                json!({"allowReschedulingCancelledBookings": true}),
                &Cancelled,
                600,
                Transition::Reschedule,
                Ok(Cancelled),
            ),
            (
                json!({"allowReschedulingCancelledBookings": true}),
                &Cancelled,
                -600,
                Transition::Reschedule,
                Err("already started"),
            ),
            (
                json!({"allowReschedulingCancelledBookings": true}),
                &Rejected,
                600,
                Transition::Reschedule,
                Err("declined"),
            ),
        ] {
            let policy = Policy::of_settings(&settings);
            check(context(status, minutes, &policy), action, outcome);
        }
    }

    #[test]
    fn rescheduled_booking_error_has_successor_uid() {
        let policy = Policy::default();
        let rescheduled = BookingContext {
            replaced_by: Some("bk2"),
            ..context(&Cancelled, 600, &policy)
        };
        check(rescheduled, Transition::Reschedule, Err("bk2"));
    }

    #[test]
    fn unpaid_booking_cannot_be_confirmed() {
        let policy = Policy::default();
        let unpaid = BookingContext {
            is_unpaid: true,
            ..context(&Pending, 600, &policy)
        };
        check(unpaid, Transition::Confirm, Err("paid"));
        check(unpaid, Transition::Decline, Ok(Rejected));
    }

    #[test]
    fn initial_status_depends_on_price_policy_and_notice() {
        let within = |unit: &str| json!({"confirmationPolicy": {"type": "time", "noticeThreshold": {"unit": unit, "count": 3}}});
        for (settings, minutes, status) in [
            (json!({}), 600, Accepted),
            (json!({"price": 2500}), 600, Pending),
            (
                json!({"confirmationPolicy": {"type": "always"}}),
                600,
                Pending,
            ),
            (
                json!({"confirmationPolicy": {"disabled": true}}),
                600,
                Accepted,
            ),
            (
                json!({"confirmationPolicy": {"type": "always", "disabled": true}}),
                600,
                Accepted,
            ),
            (within("hours"), 179, Pending),
            (within("hours"), 180, Accepted),
            (within("minutes"), 2, Pending),
            (within("minutes"), 3, Accepted),
        ] {
            let policy = Policy::of_settings(&settings);
            let start = NOW.plus_minutes(minutes);
            assert_eq!(
                initial_status(&policy, start, NOW, false),
                status,
                "{settings}"
            );
            assert_eq!(initial_status(&policy, start, NOW, true), AwaitingHost);
        }
    }

    #[test]
    fn successor_status_depends_on_actor_and_policy() {
        let confirmed = Policy::of_settings(&json!({"confirmationPolicy": {"type": "always"}}));
        let unconfirmed = Policy::default();
        for (policy, status, by_owner, expected) in [
            (&confirmed, &Accepted, true, Accepted),
            (&confirmed, &Accepted, false, Pending),
            (&confirmed, &Pending, true, Pending),
            (&unconfirmed, &Accepted, false, Accepted),
            (&unconfirmed, &Pending, false, Accepted),
        ] {
            let old = context(status, 600, policy);
            assert_eq!(
                successor_status(old, NOW.plus_minutes(900), by_owner),
                expected
            );
        }
        let priced = Policy::of_settings(&json!({"price": 100}));
        let paid = context(&Accepted, 600, &priced);
        assert_eq!(
            successor_status(paid, NOW.plus_minutes(900), false),
            Accepted
        );
        let unpaid = BookingContext {
            is_unpaid: true,
            ..context(&Pending, 600, &priced)
        };
        assert_eq!(
            successor_status(unpaid, NOW.plus_minutes(900), false),
            Pending
        );
    }

    #[test]
    fn accepted_and_blocking_pending_bookings_block_time() {
        let blocking = Policy::of_settings(
            &json!({"confirmationPolicy": {"type": "always", "blockUnconfirmedBookingsInBooker": true}}),
        );
        for (status, policy, taken) in [
            (Accepted, &Policy::default(), true),
            (Pending, &Policy::default(), false),
            (Pending, &blocking, true),
            (Cancelled, &blocking, false),
            (Rejected, &blocking, false),
            (AwaitingHost, &blocking, false),
        ] {
            assert_eq!(blocks_time(&status, policy), taken, "{status:?}");
        }
    }
}
