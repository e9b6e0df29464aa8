//! Where a booking stands and what may happen to it: the whole of contract 6.3, in one place.
//!
//! Pure: who acts, what was booked and the present moment come in, a new status or a refusal comes
//! out. Whether a time is still free is not decided here but by [`crate::availability`] and, in
//! the end, by the database.

use booking_wire::{BookingStatus, Instant};
use serde_json::Value;

use crate::error::Error;

/// What an event type asks of its bookings, as far as their life is concerned.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Policy {
    /// In minor units; above 0 a booking waits for payment.
    pub price: i64,
    /// When a host is asked.
    pub confirmation: Confirmation,
    /// Whether bookings that wait take their hosts' time.
    pub blocks_unconfirmed: bool,
    /// Whether nobody may cancel.
    pub no_cancelling: bool,
    /// When nobody may reschedule.
    pub no_rescheduling: Ban,
    /// Whether a booking that has begun may be moved all the same.
    pub past_may_move: bool,
    /// Whether a cancelled booking may be taken up again at another time.
    pub cancelled_may_move: bool,
}

/// When a host has to confirm.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Confirmation {
    /// Never.
    #[default]
    Never,
    /// Each booking.
    Always,
    /// Bookings that start in fewer minutes than these.
    Within(i64),
}

/// When something is forbidden.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Ban {
    /// Never.
    #[default]
    Never,
    /// At any time.
    Always,
    /// When the start is nearer than so many minutes.
    Within(i64),
}

impl Policy {
    /// Reads the settings of an event type, which are its fields on the wire.
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
            blocks_unconfirmed: flag(&confirmation["blockUnconfirmedBookingsInBooker"]),
            no_cancelling: flag(&settings["disableCancelling"]["disabled"]),
            no_rescheduling: match rescheduling["minutesBefore"].as_i64() {
                _ if flag(&rescheduling["disabled"]) => Ban::Always,
                Some(minutes) if minutes > 0 => Ban::Within(minutes),
                _ => Ban::Never,
            },
            past_may_move: flag(&settings["allowReschedulingPastBookings"]),
            cancelled_may_move: flag(&settings["allowReschedulingCancelledBookings"]),
        }
    }
}

/// Who acts on a booking.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Actor {
    /// Whoever knows the uid, mostly the person who booked.
    Visitor,
    /// Who hosts it, owns what was booked, or runs the team; proven by credentials.
    Host,
}

/// What somebody wants to do to a booking.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Event {
    /// A host agrees, or joins an instant meeting.
    Confirm,
    /// A host does not agree.
    Decline,
    /// Somebody calls it off.
    Cancel {
        /// Who does.
        by: Actor,
        /// Whether a reason is given.
        reasoned: bool,
    },
    /// Somebody replaces it by a booking at another time.
    Reschedule,
    /// A host notes who did not come.
    MarkAbsent,
    /// A host changes what belongs to it: hosts, attendees, guests, place.
    Change,
}

/// A booking at the moment of an event.
#[derive(Clone, Copy, Debug)]
pub struct Standing<'a> {
    /// Its status.
    pub status: &'a BookingStatus,
    /// When it starts.
    pub start: Instant,
    /// When it ends.
    pub end: Instant,
    /// The present moment.
    pub now: Instant,
    /// Whether its price was asked for and has not been paid.
    pub is_unpaid: bool,
    /// Uid of the booking that has replaced it.
    pub replaced_by: Option<&'a str>,
    /// What was booked.
    pub policy: &'a Policy,
}

/// Why an event cannot happen; worded for the caller.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Refusal(pub String);

impl From<Refusal> for Error {
    fn from(refusal: Refusal) -> Self {
        Self::BadRequest(refusal.0)
    }
}

/// The status of a booking that is made now.
pub fn first(policy: &Policy, start: Instant, now: Instant, is_instant: bool) -> BookingStatus {
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

/// The status of a booking after an event; of one that is rescheduled, the status of the old
/// booking (see [`successor`] for the new one).
pub fn next(standing: Standing<'_>, event: Event) -> Result<BookingStatus, Refusal> {
    use BookingStatus::{Accepted, AwaitingHost, Cancelled, Pending, Rejected};
    let (now, policy) = (standing.now, standing.policy);
    match (standing.status, event) {
        (Accepted, Event::Confirm) => refuse("the booking is already accepted"),
        (Accepted, Event::Decline) => {
            refuse("the booking is already accepted: it can only be cancelled")
        }
        // One that was moved lives on in its successor, which can be moved again.
        (Cancelled, Event::Reschedule)
            if policy.cancelled_may_move && standing.replaced_by.is_none() =>
        {
            may_move(standing).map(|()| Cancelled)
        }
        (Cancelled, _) => refuse(match standing.replaced_by {
            Some(uid) => format!("the booking has been rescheduled: its successor is {uid}"),
            None => "the booking is already cancelled".to_owned(),
        }),
        (Rejected, _) => refuse("the booking has been declined"),
        (Pending, Event::Confirm) if standing.is_unpaid => {
            refuse("the booking has not been paid for yet")
        }
        (Pending | AwaitingHost, Event::Confirm) if standing.end <= now => {
            refuse("the booking is over: it can no longer be confirmed")
        }
        (Pending | AwaitingHost, Event::Confirm) => Ok(Accepted),
        (Pending | AwaitingHost, Event::Decline) => Ok(Rejected),
        (Accepted | Pending | AwaitingHost, Event::Cancel { by, reasoned }) => {
            if policy.no_cancelling {
                refuse("bookings of this event type cannot be cancelled")
            } else if standing.end <= now {
                refuse("the booking is over: it can no longer be cancelled")
            } else if by == Actor::Host && !reasoned {
                refuse("cancellationReason is required of a host")
            } else {
                Ok(Cancelled)
            }
        }
        (AwaitingHost, Event::Reschedule) => {
            refuse("an instant booking waits for a host: it cannot be rescheduled")
        }
        (Accepted | Pending, Event::Reschedule) => may_move(standing).map(|()| Cancelled),
        (Accepted, Event::MarkAbsent) if standing.start <= now => Ok(Accepted),
        (Accepted, Event::MarkAbsent) => {
            refuse("the booking has not started yet: nobody can be marked absent")
        }
        (Pending | AwaitingHost, Event::MarkAbsent) => {
            refuse("the booking is not accepted: nobody can be marked absent")
        }
        (Accepted | Pending | AwaitingHost, Event::Change) if standing.end <= now => {
            refuse("the booking is over: it can no longer be changed")
        }
        (status @ (Accepted | Pending | AwaitingHost), Event::Change) => Ok(status.clone()),
        (BookingStatus::Unknown(name), _) => refuse(format!("the booking is {name}")),
    }
}

/// The status of the booking that replaces `old` at `start`. An owner who moves a booking that
/// was not waiting for their word has given it; for everybody else it is as if they booked anew.
pub fn successor(old: Standing<'_>, start: Instant, by_owner: bool) -> BookingStatus {
    // What has been paid for is not paid for again.
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
    first(&policy, start, old.now, false)
}

/// Whether a booking of that status takes its hosts' time.
pub fn holds(status: &BookingStatus, policy: &Policy) -> bool {
    match status {
        BookingStatus::Accepted => true,
        BookingStatus::Pending => policy.blocks_unconfirmed,
        _ => false,
    }
}

fn may_move(standing: Standing<'_>) -> Result<(), Refusal> {
    let (start, now, policy) = (standing.start, standing.now, standing.policy);
    match policy.no_rescheduling {
        Ban::Always => return refuse("bookings of this event type cannot be rescheduled"),
        Ban::Within(minutes) if start > now && start < now.plus_minutes(minutes) => {
            return refuse(format!(
                "the booking starts in less than {minutes} minutes: it can no longer be rescheduled"
            ));
        }
        Ban::Never | Ban::Within(_) => {}
    }
    if start <= now && !policy.past_may_move {
        return refuse("the booking has already started: it can no longer be rescheduled");
    }
    Ok(())
}

fn refuse<T>(text: impl Into<String>) -> Result<T, Refusal> {
    Err(Refusal(text.into()))
}

#[cfg(test)]
mod tests {
    use booking_wire::BookingStatus::{Accepted, AwaitingHost, Cancelled, Pending, Rejected};
    use serde_json::json;

    use super::*;

    const NOW: Instant = Instant(1_803_888_000_000);
    const CANCEL: Event = Event::Cancel {
        by: Actor::Visitor,
        reasoned: false,
    };

    fn standing<'a>(status: &'a BookingStatus, minutes: i64, settings: &'a Policy) -> Standing<'a> {
        Standing {
            status,
            start: NOW.plus_minutes(minutes),
            end: NOW.plus_minutes(minutes + 30),
            now: NOW,
            is_unpaid: false,
            replaced_by: None,
            policy: settings,
        }
    }

    /// The new status, or a part of the refusal.
    #[track_caller]
    fn check(standing: Standing<'_>, event: Event, expected: Result<BookingStatus, &str>) {
        let found = next(standing, event);
        match (&found, &expected) {
            (Ok(status), Ok(wanted)) => assert_eq!(status, wanted, "{standing:?} {event:?}"),
            (Err(Refusal(text)), Err(part)) => {
                assert!(text.contains(part), "{standing:?} {event:?}: {text}");
            }
            _ => panic!("{standing:?} {event:?}: {found:?} instead of {expected:?}"),
        }
    }

    #[test]
    fn every_status_answers_every_event_before_the_start() {
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
        let events = [
            Event::Confirm,
            Event::Decline,
            CANCEL,
            Event::Reschedule,
            Event::MarkAbsent,
            Event::Change,
        ];
        for (status, outcomes) in &cases {
            for (event, outcome) in events.iter().zip(outcomes) {
                check(standing(status, 600, &policy), *event, outcome.clone());
            }
        }
    }

    #[test]
    fn time_closes_some_doors_and_opens_one() {
        let policy = Policy::default();
        // Minutes until the start of a booking of 30 minutes.
        let cases = [
            (&Accepted, 0, Event::MarkAbsent, Ok(Accepted)),
            (&Accepted, -600, Event::MarkAbsent, Ok(Accepted)),
            (&Accepted, 1, Event::MarkAbsent, Err("not started")),
            (&Accepted, -29, CANCEL, Ok(Cancelled)),
            (&Accepted, -30, CANCEL, Err("over")),
            (&Accepted, 0, Event::Reschedule, Err("already started")),
            (&Accepted, 1, Event::Reschedule, Ok(Cancelled)),
            (&Accepted, -30, Event::Change, Err("over")),
            (&Pending, -29, Event::Confirm, Ok(Accepted)),
            (&Pending, -30, Event::Confirm, Err("over")),
            (&Pending, -30, Event::Decline, Ok(Rejected)),
        ];
        for (status, minutes, event, outcome) in cases {
            check(standing(status, minutes, &policy), event, outcome);
        }
    }

    #[test]
    fn a_host_gives_a_reason_and_a_visitor_need_not() {
        let policy = Policy::default();
        for (by, reasoned, outcome) in [
            (Actor::Host, true, Ok(Cancelled)),
            (Actor::Host, false, Err("cancellationReason")),
            (Actor::Visitor, true, Ok(Cancelled)),
            (Actor::Visitor, false, Ok(Cancelled)),
        ] {
            let event = Event::Cancel { by, reasoned };
            check(standing(&Accepted, 600, &policy), event, outcome);
        }
    }

    #[test]
    fn an_event_type_may_forbid_cancelling_and_moving_or_allow_more() {
        for (settings, status, minutes, event, outcome) in [
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
                Event::Reschedule,
                Err("cannot be rescheduled"),
            ),
            (
                json!({"disableRescheduling": {"disabled": false, "minutesBefore": 60}}),
                &Accepted,
                59,
                Event::Reschedule,
                Err("less than 60 minutes"),
            ),
            (
                json!({"disableRescheduling": {"minutesBefore": 60}}),
                &Accepted,
                60,
                Event::Reschedule,
                Ok(Cancelled),
            ),
            (
                json!({"allowReschedulingPastBookings": true}),
                &Accepted,
                -600,
                Event::Reschedule,
                Ok(Cancelled),
            ),
            (
                json!({"allowReschedulingCancelledBookings": true}),
                &Cancelled,
                600,
                Event::Reschedule,
                Ok(Cancelled),
            ),
            (
                json!({"allowReschedulingCancelledBookings": true}),
                &Cancelled,
                -600,
                Event::Reschedule,
                Err("already started"),
            ),
            (
                json!({"allowReschedulingCancelledBookings": true}),
                &Rejected,
                600,
                Event::Reschedule,
                Err("declined"),
            ),
        ] {
            let policy = Policy::read(&settings);
            check(standing(status, minutes, &policy), event, outcome);
        }
    }

    #[test]
    fn a_moved_booking_names_the_one_that_replaced_it() {
        let policy = Policy::default();
        let moved = Standing {
            replaced_by: Some("bk2"),
            ..standing(&Cancelled, 600, &policy)
        };
        check(moved, Event::Reschedule, Err("bk2"));
    }

    #[test]
    fn what_is_not_paid_cannot_be_confirmed() {
        let policy = Policy::default();
        let unpaid = Standing {
            is_unpaid: true,
            ..standing(&Pending, 600, &policy)
        };
        check(unpaid, Event::Confirm, Err("paid"));
        check(unpaid, Event::Decline, Ok(Rejected));
    }

    #[test]
    fn the_first_status_depends_on_price_policy_and_notice() {
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
            assert_eq!(first(&policy, start, NOW, false), status, "{settings}");
            assert_eq!(first(&policy, start, NOW, true), AwaitingHost);
        }
    }

    #[test]
    fn who_moves_a_booking_decides_whether_it_has_to_be_confirmed_again() {
        let asked = Policy::read(&json!({"confirmationPolicy": {"type": "always"}}));
        let free = Policy::default();
        for (policy, status, by_owner, expected) in [
            (&asked, &Accepted, true, Accepted),
            (&asked, &Accepted, false, Pending),
            (&asked, &Pending, true, Pending),
            (&free, &Accepted, false, Accepted),
            (&free, &Pending, false, Accepted),
        ] {
            let old = standing(status, 600, policy);
            assert_eq!(successor(old, NOW.plus_minutes(900), by_owner), expected);
        }
        let priced = Policy::read(&json!({"price": 100}));
        let paid = standing(&Accepted, 600, &priced);
        assert_eq!(successor(paid, NOW.plus_minutes(900), false), Accepted);
        let unpaid = Standing {
            is_unpaid: true,
            ..standing(&Pending, 600, &priced)
        };
        assert_eq!(successor(unpaid, NOW.plus_minutes(900), false), Pending);
    }

    #[test]
    fn only_what_is_accepted_or_blocks_while_waiting_takes_time() {
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
            assert_eq!(holds(&status, policy), taken, "{status:?}");
        }
    }
}
