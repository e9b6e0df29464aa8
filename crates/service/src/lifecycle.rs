//! Status transitions of bookings, and which statuses block the hosts' time.
//!
//! Pure functions: from the status, the action, the policy of the event type and the current
//! instant to a new status or an error. Availability is decided by [`crate::availability`] and,
//! finally, by the database.

use booking_wire::limits::EMAIL_CORRECTION_MINUTES;
use booking_wire::{BookingStatus, Instant};
use serde_json::Value;

use crate::error::Error;

/// Settings of an event type that affect status transitions.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Policy {
    /// Price in minor units; above 0 a booking is pending until it is paid.
    pub price: i64,
    /// Rule for confirmation by a host.
    pub confirmation: Confirmation,
    /// True if pending bookings block their hosts' time: see [`blocks_time`].
    pub pending_blocks_time: bool,
    /// True if bookings cannot be cancelled.
    pub is_cancelling_disabled: bool,
    /// Restriction of rescheduling.
    pub rescheduling_restriction: Restriction,
    /// True if a booking may be rescheduled after its start.
    pub allows_rescheduling_past: bool,
    /// True if a cancelled booking may be rescheduled.
    pub allows_rescheduling_cancelled: bool,
    /// True if a code verifies the e-mail address of the person who books.
    pub requires_verified_email: bool,
}

/// Rule for confirmation by a host.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Confirmation {
    /// No booking is confirmed by a host.
    #[default]
    Never,
    /// Each booking.
    Always,
    /// Bookings that start in less than this number of minutes.
    Within(i64),
}

/// Rule that forbids an action.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Restriction {
    /// Always allowed.
    #[default]
    Never,
    /// Always forbidden.
    Always,
    /// Forbidden if the start is in less than this number of minutes.
    Within(i64),
}

impl Policy {
    /// Reads the settings of an event type in wire format.
    pub fn read(settings: &Value) -> Self {
        let flag = |value: &Value| value.as_bool() == Some(true);
        let confirmation = &settings["confirmationPolicy"];
        let rescheduling = &settings["disableRescheduling"];
        Self {
            price: settings["price"].as_i64().unwrap_or(0),
            confirmation: match confirmation["type"].as_str() {
                _ if flag(&confirmation["disabled"]) => Confirmation::Never,
                Some("always") => Confirmation::Always,
                Some("time") => {
                    let threshold = &confirmation["noticeThreshold"];
                    let count = threshold["count"].as_i64().unwrap_or(0);
                    Confirmation::Within(match threshold["unit"].as_str() {
                        Some("hours") => count.saturating_mul(60),
                        _ => count,
                    })
                }
                _ => Confirmation::Never,
            },
            pending_blocks_time: flag(&confirmation["blockUnconfirmedBookingsInBooker"]),
            is_cancelling_disabled: flag(&settings["disableCancelling"]["disabled"]),
            rescheduling_restriction: match rescheduling["minutesBefore"].as_i64() {
                _ if flag(&rescheduling["disabled"]) => Restriction::Always,
                Some(minutes) if minutes > 0 => Restriction::Within(minutes),
                _ => Restriction::Never,
            },
            allows_rescheduling_past: flag(&settings["allowReschedulingPastBookings"]),
            allows_rescheduling_cancelled: flag(&settings["allowReschedulingCancelledBookings"]),
            requires_verified_email: flag(&settings["requiresBookerEmailVerification"]),
        }
    }
}

/// Person who acts on a booking.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Actor {
    /// Holder of the uid, usually the person who booked.
    Visitor,
    /// Authenticated host of the booking, owner of its event type or manager of its team.
    Host,
}

/// Action on a booking.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BookingAction {
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

/// Corrections of one person's e-mail address.
pub const MAX_EMAIL_CORRECTIONS: i64 = 3;

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

/// Reason why an action is not allowed; a message for the client.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TransitionError(pub String);

impl From<TransitionError> for Error {
    fn from(error: TransitionError) -> Self {
        Self::BadRequest(error.0)
    }
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
    action: BookingAction,
) -> Result<BookingStatus, TransitionError> {
    use BookingStatus::{Accepted, AwaitingHost, Cancelled, Pending, Rejected};
    let (now, policy) = (context.now, context.policy);
    match (context.status, action) {
        (Accepted, BookingAction::Confirm) => reject("the booking is already accepted"),
        (Accepted, BookingAction::Decline) => {
            reject("the booking is already accepted: it can only be cancelled")
        }
        // Of a rescheduled booking, only the successor can be rescheduled.
        (Cancelled, BookingAction::Reschedule)
            if policy.allows_rescheduling_cancelled && context.replaced_by.is_none() =>
        {
            check_reschedulable(context).map(|()| Cancelled)
        }
        (Cancelled, _) => reject(match context.replaced_by {
            Some(uid) => format!("the booking has been rescheduled: its successor is {uid}"),
            None => "the booking is already cancelled".to_owned(),
        }),
        (Rejected, _) => reject("the booking has been declined"),
        (Pending, BookingAction::Confirm) if context.is_unpaid => {
            reject("the booking has not been paid for yet")
        }
        (Pending | AwaitingHost, BookingAction::Confirm) if context.end <= now => {
            reject("the booking is over: it can no longer be confirmed")
        }
        (Pending | AwaitingHost, BookingAction::Confirm) => Ok(Accepted),
        (Pending | AwaitingHost, BookingAction::Decline) => Ok(Rejected),
        (Accepted | Pending | AwaitingHost, BookingAction::Cancel { by, has_reason }) => {
            if policy.is_cancelling_disabled {
                reject("bookings of this event type cannot be cancelled")
            } else if context.end <= now {
                reject("the booking is over: it can no longer be cancelled")
            } else if by == Actor::Host && !has_reason {
                reject("cancellationReason is required of a host")
            } else {
                Ok(Cancelled)
            }
        }
        (AwaitingHost, BookingAction::Reschedule) => {
            reject("an instant booking waits for a host: it cannot be rescheduled")
        }
        (Accepted | Pending, BookingAction::Reschedule) => {
            check_reschedulable(context).map(|()| Cancelled)
        }
        (Accepted, BookingAction::MarkAbsent) if context.start <= now => Ok(Accepted),
        (Accepted, BookingAction::MarkAbsent) => {
            reject("the booking has not started yet: nobody can be marked absent")
        }
        (Pending | AwaitingHost, BookingAction::MarkAbsent) => {
            reject("the booking is not accepted: nobody can be marked absent")
        }
        (Accepted | Pending | AwaitingHost, BookingAction::Change) if context.end <= now => {
            reject("the booking is over: it can no longer be changed")
        }
        (status @ (Accepted | Pending | AwaitingHost), BookingAction::Change) => Ok(status.clone()),
        (AwaitingHost, BookingAction::CorrectEmail { .. }) => {
            reject("an instant booking waits for a host: its address cannot be corrected")
        }
        (
            status @ (Accepted | Pending),
            BookingAction::CorrectEmail {
                booked,
                corrections,
            },
        ) => check_correctable(context, booked, corrections).map(|()| status.clone()),
        (BookingStatus::Unknown(name), _) => reject(format!("the booking is {name}")),
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
        ..old.policy.clone()
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
    match policy.rescheduling_restriction {
        Restriction::Always => return reject("bookings of this event type cannot be rescheduled"),
        Restriction::Within(minutes) if start > now && start < now.plus_minutes(minutes) => {
            return reject(format!(
                "the booking starts in less than {minutes} minutes: it can no longer be rescheduled"
            ));
        }
        Restriction::Never | Restriction::Within(_) => {}
    }
    if start <= now && !policy.allows_rescheduling_past {
        return reject("the booking has already started: it can no longer be rescheduled");
    }
    Ok(())
}

fn check_correctable(
    context: BookingContext<'_>,
    booked: Option<Instant>,
    corrections: i64,
) -> Result<(), TransitionError> {
    if context.policy.requires_verified_email {
        return reject("the address has been verified: it cannot be corrected");
    }
    if context.start <= context.now {
        return reject("the booking has already started: its address can no longer be corrected");
    }
    let is_recent =
        booked.is_some_and(|booked| context.now < booked.plus_minutes(EMAIL_CORRECTION_MINUTES));
    if !is_recent {
        return reject(format!(
            "an address can be corrected within {EMAIL_CORRECTION_MINUTES} minutes of the booking only"
        ));
    }
    if corrections >= MAX_EMAIL_CORRECTIONS {
        return reject(format!(
            "the address has been corrected {MAX_EMAIL_CORRECTIONS} times, which is the most that is allowed"
        ));
    }
    Ok(())
}

fn reject<T>(text: impl Into<String>) -> Result<T, TransitionError> {
    Err(TransitionError(text.into()))
}

#[cfg(test)]
mod tests {
    use booking_wire::BookingStatus::{Accepted, AwaitingHost, Cancelled, Pending, Rejected};
    use serde_json::json;

    use super::*;

    const NOW: Instant = Instant(1_803_888_000_000);
    const CANCEL: BookingAction = BookingAction::Cancel {
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
        action: BookingAction,
        expected: Result<BookingStatus, &str>,
    ) {
        let found = next_status(context, action);
        match (&found, &expected) {
            (Ok(status), Ok(expected)) => assert_eq!(status, expected, "{context:?} {action:?}"),
            (Err(TransitionError(text)), Err(fragment)) => {
                assert!(text.contains(fragment), "{context:?} {action:?}: {text}");
            }
            _ => panic!("{context:?} {action:?}: {found:?} instead of {expected:?}"),
        }
    }

    #[test]
    fn action_before_start_depends_on_status() {
        let policy = Policy::default();
        let cases: [(BookingStatus, [Result<BookingStatus, &str>; 6]); 5] = [
            (
                Accepted,
                [
                    Err("already accepted"),
                    Err("already accepted"),
                    Ok(Cancelled),
                    Ok(Cancelled),
                    Err("not started"),
                    Ok(Accepted),
                ],
            ),
            (
                Pending,
                [
                    Ok(Accepted),
                    Ok(Rejected),
                    Ok(Cancelled),
                    Ok(Cancelled),
                    Err("not accepted"),
                    Ok(Pending),
                ],
            ),
            (
                AwaitingHost,
                [
                    Ok(Accepted),
                    Ok(Rejected),
                    Ok(Cancelled),
                    Err("waits for a host"),
                    Err("not accepted"),
                    Ok(AwaitingHost),
                ],
            ),
            (Cancelled, [const { Err("already cancelled") }; 6]),
            (Rejected, [const { Err("declined") }; 6]),
        ];
        let actions = [
            BookingAction::Confirm,
            BookingAction::Decline,
            CANCEL,
            BookingAction::Reschedule,
            BookingAction::MarkAbsent,
            BookingAction::Change,
        ];
        for (status, outcomes) in &cases {
            for (action, outcome) in actions.iter().zip(outcomes) {
                check(context(status, 600, &policy), *action, outcome.clone());
            }
        }
    }

    #[test]
    fn start_and_end_limit_actions() {
        let policy = Policy::default();
        // Minutes until the start of a booking of 30 minutes.
        let cases = [
            (&Accepted, 0, BookingAction::MarkAbsent, Ok(Accepted)),
            (&Accepted, -600, BookingAction::MarkAbsent, Ok(Accepted)),
            (&Accepted, 1, BookingAction::MarkAbsent, Err("not started")),
            (&Accepted, -29, CANCEL, Ok(Cancelled)),
            (&Accepted, -30, CANCEL, Err("over")),
            (
                &Accepted,
                0,
                BookingAction::Reschedule,
                Err("already started"),
            ),
            (&Accepted, 1, BookingAction::Reschedule, Ok(Cancelled)),
            (&Accepted, -30, BookingAction::Change, Err("over")),
            (&Pending, -29, BookingAction::Confirm, Ok(Accepted)),
            (&Pending, -30, BookingAction::Confirm, Err("over")),
            (&Pending, -30, BookingAction::Decline, Ok(Rejected)),
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
            let action = BookingAction::Cancel { by, has_reason };
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
            let action = BookingAction::CorrectEmail {
                booked,
                corrections,
            };
            check(context(status, minutes, &policy), action, outcome);
        }
        let verified = Policy::read(&json!({"requiresBookerEmailVerification": true}));
        let action = BookingAction::CorrectEmail {
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
                BookingAction::Reschedule,
                Err("cannot be rescheduled"),
            ),
            (
                json!({"disableRescheduling": {"disabled": false, "minutesBefore": 60}}),
                &Accepted,
                59,
                BookingAction::Reschedule,
                Err("less than 60 minutes"),
            ),
            (
                json!({"disableRescheduling": {"minutesBefore": 60}}),
                &Accepted,
                60,
                BookingAction::Reschedule,
                Ok(Cancelled),
            ),
            (
                json!({"allowReschedulingPastBookings": true}),
                &Accepted,
                -600,
                BookingAction::Reschedule,
                Ok(Cancelled),
            ),
            (
                json!({"allowReschedulingCancelledBookings": true}),
                &Cancelled,
                600,
                BookingAction::Reschedule,
                Ok(Cancelled),
            ),
            (
                json!({"allowReschedulingCancelledBookings": true}),
                &Cancelled,
                -600,
                BookingAction::Reschedule,
                Err("already started"),
            ),
            (
                json!({"allowReschedulingCancelledBookings": true}),
                &Rejected,
                600,
                BookingAction::Reschedule,
                Err("declined"),
            ),
        ] {
            let policy = Policy::read(&settings);
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
        check(rescheduled, BookingAction::Reschedule, Err("bk2"));
    }

    #[test]
    fn unpaid_booking_cannot_be_confirmed() {
        let policy = Policy::default();
        let unpaid = BookingContext {
            is_unpaid: true,
            ..context(&Pending, 600, &policy)
        };
        check(unpaid, BookingAction::Confirm, Err("paid"));
        check(unpaid, BookingAction::Decline, Ok(Rejected));
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
            let policy = Policy::read(&settings);
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
        let confirmed = Policy::read(&json!({"confirmationPolicy": {"type": "always"}}));
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
        let priced = Policy::read(&json!({"price": 100}));
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
        let blocking = Policy::read(
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
