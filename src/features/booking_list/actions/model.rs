//! Booking actions: which ones are allowed, and if one was done. No DOM access.

use booking_wire::{Booking, BookingPolicy, BookingStatus, Instant, LocationInput};

use crate::client::booking_actions::BookingAction;

/// Maximum number of guests per call (contract 8).
pub const GUESTS_PER_CALL: usize = 10;
/// Maximum number of guests of a booking (contract 8).
pub const GUESTS_PER_BOOKING: usize = 30;

/// Action of a team on a booking.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Act {
    /// Accepts it.
    Confirm,
    /// Rejects it.
    Decline,
    /// Marks absent participants.
    MarkAbsent,
    /// Moves it to another time.
    Reschedule,
    /// Assigns another host.
    Reassign,
    /// Changes the location.
    Relocate,
    /// Adds guests.
    AddGuests,
    /// Cancels it.
    Cancel,
}

impl Act {
    /// All actions, most needed first.
    pub const ALL: [Self; 8] = [
        Self::Confirm,
        Self::Decline,
        Self::MarkAbsent,
        Self::Reschedule,
        Self::Reassign,
        Self::Relocate,
        Self::AddGuests,
        Self::Cancel,
    ];

    /// Actions available for many bookings at once.
    pub const FOR_MANY: [Self; 4] = [Self::Confirm, Self::Decline, Self::MarkAbsent, Self::Cancel];
}

/// Facts beside the booking that decide which actions are allowed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ActionFacts {
    /// True for round-robin hosts: another one can take over.
    pub is_round_robin: bool,
    /// Restrictions of the event type.
    pub policy: BookingPolicy,
    /// Current instant.
    pub now: Instant,
}

/// True if `act` is allowed for `booking` (contract 6.3), as far as known here: the service
/// decides.
pub fn allows(act: Act, booking: &Booking, known: ActionFacts) -> bool {
    use BookingStatus::{Accepted, AwaitingHost, Cancelled, Pending};
    let status = &booking.status;
    let (is_waiting, is_open) = (
        matches!(status, Pending | AwaitingHost),
        matches!(status, Accepted | Pending | AwaitingHost) && booking.end > known.now,
    );
    match act {
        Act::Confirm => is_waiting && is_open,
        // Also after its end: otherwise it would stay pending.
        Act::Decline => is_waiting,
        Act::MarkAbsent => *status == Accepted && booking.start <= known.now,
        Act::Reschedule => {
            let may_be_taken_up = *status == Cancelled
                && known.policy.allows_cancelled_reschedule
                && booking.rescheduled_to_uid.is_none();
            (matches!(status, Accepted | Pending) || may_be_taken_up) && may_move(booking, known)
        }
        Act::Reassign => is_open && known.is_round_robin && has_host(booking),
        Act::Relocate => is_open,
        Act::AddGuests => {
            let count = booking.guests.as_ref().map_or(0, Vec::len);
            is_open && !booking.is_seated() && count < GUESTS_PER_BOOKING
        }
        Act::Cancel => is_open && !known.policy.is_cancellation_disabled,
    }
}

/// Actions allowed for `booking`, most needed first.
pub fn allowed(booking: &Booking, known: ActionFacts) -> Vec<Act> {
    let mut acts = Act::ALL.to_vec();
    acts.retain(|act| allows(*act, booking, known));
    acts
}

fn may_move(booking: &Booking, known: ActionFacts) -> bool {
    let ActionFacts { policy, now, .. } = known;
    let is_too_near = policy.min_reschedule_notice_minutes > 0
        && booking.start > now
        && booking.start < now.plus_minutes(policy.min_reschedule_notice_minutes);
    let is_past = booking.start <= now && !policy.allows_past_reschedule;
    !policy.is_reschedule_disabled && !is_too_near && !is_past
}

fn has_host(booking: &Booking) -> bool {
    booking.hosts.iter().any(|host| host.id != "unknown")
}

/// True if `after` shows that `deed`, which got no response, was done on the booking `before`.
pub fn is_done(deed: &BookingAction, before: &Booking, after: &Booking) -> bool {
    let attends = |email: &str| {
        let mut attendees = after.attendees.iter();
        attendees.any(|attendee| attendee.email.eq_ignore_ascii_case(email))
    };
    match deed {
        BookingAction::Confirm => after.status == BookingStatus::Accepted,
        BookingAction::Decline(_) => after.status == BookingStatus::Rejected,
        BookingAction::Cancel(asked) => match &asked.seat_uid {
            Some(seat) if after.status != BookingStatus::Cancelled => after
                .attendees
                .iter()
                .all(|attendee| attendee.seat_uid.as_ref() != Some(seat)),
            _ => after.status == BookingStatus::Cancelled,
        },
        BookingAction::MarkAbsent(asked) => {
            let is_host_right = asked.host.is_none_or(|absent| absent == after.absent_host);
            let mut told = asked.attendees.iter().flatten();
            is_host_right
                && told.all(|asked| {
                    after.attendees.iter().all(|attendee| {
                        attendee.email != asked.email || attendee.absent == asked.absent
                    })
                })
        }
        BookingAction::AddGuests(asked) => asked.guests.iter().all(|guest| {
            let mut guests = after.guests.iter().flatten();
            guests.any(|known| known.eq_ignore_ascii_case(&guest.email)) || attends(&guest.email)
        }),
        BookingAction::Relocate(asked) => {
            after.location.as_deref() == Some(place_of(&asked.location))
        }
        BookingAction::Reassign(host, _) => {
            let is_wanted = |id: &String| host.is_none_or(|host| *id == host.to_string());
            let had = |id: &String| before.hosts.iter().any(|known| known.id == *id);
            let mut hosts = after.hosts.iter().map(|host| &host.id);
            hosts.any(|id| is_wanted(id) && !had(id))
        }
    }
}

/// Location as shown on the booking.
pub fn place_of(place: &LocationInput) -> &str {
    match place {
        LocationInput::Address { address } | LocationInput::AttendeeAddress { address } => address,
        LocationInput::Link { link } => link,
        LocationInput::Phone { phone } | LocationInput::AttendeePhone { phone } => phone,
        LocationInput::AttendeeDefined { location } => location,
    }
}

/// Location type that a host can set.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// Link to the meeting.
    Link,
    /// Organiser's address.
    Address,
    /// Number the attendee calls.
    Phone,
    /// Attendee's address.
    AttendeeAddress,
    /// Number the organiser calls.
    AttendeePhone,
    /// Text.
    AttendeeDefined,
}

impl Kind {
    /// All types with their names, in display order.
    pub const ALL: [(&'static str, Self); 6] = [
        ("link", Self::Link),
        ("address", Self::Address),
        ("phone", Self::Phone),
        ("attendeeAddress", Self::AttendeeAddress),
        ("attendeePhone", Self::AttendeePhone),
        ("attendeeDefined", Self::AttendeeDefined),
    ];

    /// Type with this name; a link if there is none.
    pub fn named(name: &str) -> Self {
        let mut all = Self::ALL.into_iter();
        all.find(|(known, _)| *known == name)
            .map_or(Self::Link, |(_, kind)| kind)
    }
}

/// Error of a typed location.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LocationError {
    /// Nothing typed.
    Missing,
    /// Not a web address.
    Link,
    /// Not a phone number with a country code.
    Phone,
}

/// Parses a typed location.
pub fn place(kind: Kind, typed: &str) -> Result<LocationInput, LocationError> {
    let text = typed.trim();
    if text.is_empty() {
        return Err(LocationError::Missing);
    }
    let phone = || phone(text).ok_or(LocationError::Phone);
    let address = text.to_owned();
    Ok(match kind {
        Kind::Link => {
            let link = link(text).ok_or(LocationError::Link)?;
            LocationInput::Link { link }
        }
        Kind::Address => LocationInput::Address { address },
        Kind::Phone => LocationInput::Phone { phone: phone()? },
        Kind::AttendeeAddress => LocationInput::AttendeeAddress { address },
        Kind::AttendeePhone => LocationInput::AttendeePhone { phone: phone()? },
        Kind::AttendeeDefined => LocationInput::AttendeeDefined { location: address },
    })
}

/// Parses a web address; adds the scheme if only that is missing.
fn link(text: &str) -> Option<String> {
    let whole = match text.split_once("://") {
        Some(_) => text.to_owned(),
        None => ["https://", text].concat(),
    };
    let host = crate::features::shared::location::web_host(&whole)?;
    let is_address = host.bytes().any(|sign| sign == b'.')
        && !host.starts_with('.')
        && !host.ends_with('.')
        && !whole.bytes().any(|sign| sign == b' ' || sign == b'\\');
    is_address.then_some(whole)
}

/// Phone number in the services' format: a plus sign and digits.
fn phone(text: &str) -> Option<String> {
    let mut number = String::from("+");
    let rest = text.strip_prefix('+').or_else(|| text.strip_prefix("00"))?;
    for sign in rest.chars() {
        match sign {
            '0'..='9' => number.push(sign),
            ' ' | '-' | '.' | '/' | '(' | ')' | '\u{a0}' => {}
            _ => return None,
        }
    }
    (8..=16).contains(&number.len()).then_some(number)
}

#[cfg(test)]
mod tests {
    use booking_wire::{
        Absence, AddGuests, Attendee, BookingUid, CancelBooking, Host, MarkAbsent, NewGuest,
        ReassignBooking, UpdateLocation,
    };

    use super::*;

    fn at(text: &str) -> Instant {
        Instant::parse(text).unwrap()
    }

    const EARLY: &str = "2027-03-01T08:00:00Z";
    const DURING: &str = "2027-03-01T09:10:00Z";
    const LATE: &str = "2027-03-01T10:00:00Z";

    fn booking(status: BookingStatus) -> Booking {
        Booking {
            uid: BookingUid("bk1".into()),
            status,
            start: at("2027-03-01T09:00:00Z"),
            end: at("2027-03-01T09:30:00Z"),
            hosts: vec![Host {
                id: "1".into(),
                ..Host::default()
            }],
            attendees: vec![Attendee {
                email: "zoe@example.org".into(),
                ..Attendee::default()
            }],
            booking_fields_responses: Some(Default::default()),
            ..Booking::default()
        }
    }

    fn names(booking: &Booking, known: ActionFacts) -> String {
        let names: Vec<String> = allowed(booking, known)
            .into_iter()
            .map(|act| format!("{act:?}"))
            .collect();
        names.join(" ")
    }

    #[test]
    fn what_can_be_done_depends_on_status_and_time() {
        use BookingStatus::{Accepted, AwaitingHost, Cancelled, Pending, Rejected};
        let other = BookingStatus::Unknown("later".into());
        for (status, now, acts) in [
            (Accepted, EARLY, "Reschedule Relocate AddGuests Cancel"),
            (Accepted, DURING, "MarkAbsent Relocate AddGuests Cancel"),
            (Accepted, LATE, "MarkAbsent"),
            (
                Pending,
                EARLY,
                "Confirm Decline Reschedule Relocate AddGuests Cancel",
            ),
            (Pending, LATE, "Decline"),
            (
                AwaitingHost,
                EARLY,
                "Confirm Decline Relocate AddGuests Cancel",
            ),
            (Cancelled, EARLY, ""),
            (Rejected, EARLY, ""),
            (other, EARLY, ""),
        ] {
            let known = ActionFacts {
                now: at(now),
                ..ActionFacts::default()
            };
            assert_eq!(
                names(&booking(status.clone()), known),
                acts,
                "{status:?} {now}"
            );
        }
    }

    #[test]
    fn event_types_forbid_and_allow() {
        let known = |policy: BookingPolicy| ActionFacts {
            now: at(EARLY),
            policy,
            is_round_robin: true,
        };
        let accepted = booking(BookingStatus::Accepted);
        let all = BookingPolicy::default();
        for (policy, acts) in [
            (all, "Reschedule Reassign Relocate AddGuests Cancel"),
            (
                BookingPolicy {
                    is_cancellation_disabled: true,
                    is_reschedule_disabled: true,
                    ..all
                },
                "Reassign Relocate AddGuests",
            ),
            (
                BookingPolicy {
                    min_reschedule_notice_minutes: 61,
                    ..all
                },
                "Reassign Relocate AddGuests Cancel",
            ),
            (
                BookingPolicy {
                    min_reschedule_notice_minutes: 60,
                    ..all
                },
                "Reschedule Reassign Relocate AddGuests Cancel",
            ),
        ] {
            assert_eq!(names(&accepted, known(policy)), acts, "{policy:?}");
        }
        let may = |change: fn(&mut Booking), act: Act, policy: BookingPolicy, now: &str| {
            let mut changed = booking(BookingStatus::Accepted);
            change(&mut changed);
            let now = at(now);
            allows(
                act,
                &changed,
                ActionFacts {
                    now,
                    ..known(policy)
                },
            )
        };
        let past = BookingPolicy {
            allows_past_reschedule: true,
            ..all
        };
        let cancelled = BookingPolicy {
            allows_cancelled_reschedule: true,
            ..all
        };
        assert!(may(|_| {}, Act::Reschedule, past, LATE));
        assert!(may(
            |one| one.status = BookingStatus::Cancelled,
            Act::Reschedule,
            cancelled,
            EARLY
        ));
        assert!(!may(
            |one| {
                one.status = BookingStatus::Cancelled;
                one.rescheduled_to_uid = Some(BookingUid("bk2".into()));
            },
            Act::Reschedule,
            cancelled,
            EARLY
        ));
        assert!(!may(
            |one| one.hosts[0].id = "unknown".into(),
            Act::Reassign,
            all,
            EARLY
        ));
        assert!(!may(
            |one| one.booking_fields_responses = None,
            Act::AddGuests,
            all,
            EARLY
        ));
        assert!(!may(
            |one| one.guests = Some(vec!["a@example.org".into(); GUESTS_PER_BOOKING]),
            Act::AddGuests,
            all,
            EARLY
        ));
    }

    #[test]
    fn a_booking_read_again_tells_whether_a_deed_was_done() {
        type Change = fn(&mut Booking);
        let seat = |uid: &str| CancelBooking {
            seat_uid: Some(uid.into()),
            ..CancelBooking::default()
        };
        let absent = |host, email: &str| {
            let email = email.to_owned();
            let attendees = Some(vec![Absence {
                email,
                absent: true,
            }]);
            BookingAction::MarkAbsent(MarkAbsent { host, attendees })
        };
        let guest = |email: &str| {
            let guest = NewGuest {
                email: email.into(),
                ..NewGuest::default()
            };
            BookingAction::AddGuests(AddGuests {
                guests: vec![guest],
            })
        };
        let link = BookingAction::Relocate(UpdateLocation {
            location: LocationInput::Link {
                link: "https://meet.example/1".into(),
            },
        });
        let hand = |host| BookingAction::Reassign(host, ReassignBooking::default());
        let second: Change = |one| one.hosts[0].id = "2".into();
        let cases: [(BookingAction, Change, bool); 19] = [
            (BookingAction::Confirm, |_| {}, false),
            (
                BookingAction::Confirm,
                |one| one.status = BookingStatus::Accepted,
                true,
            ),
            (
                BookingAction::Decline(Default::default()),
                |one| one.status = BookingStatus::Rejected,
                true,
            ),
            (
                BookingAction::Cancel(CancelBooking::default()),
                |_| {},
                false,
            ),
            (
                BookingAction::Cancel(CancelBooking::default()),
                |one| one.status = BookingStatus::Cancelled,
                true,
            ),
            (
                BookingAction::Cancel(seat("s1")),
                |one| one.attendees[0].seat_uid = Some("s1".into()),
                false,
            ),
            (
                BookingAction::Cancel(seat("s1")),
                |one| one.attendees[0].seat_uid = Some("s2".into()),
                true,
            ),
            (
                BookingAction::Cancel(seat("s1")),
                |one| {
                    one.attendees[0].seat_uid = Some("s1".into());
                    one.status = BookingStatus::Cancelled;
                },
                true,
            ),
            (absent(None, "zoe@example.org"), |_| {}, false),
            (
                absent(None, "zoe@example.org"),
                |one| one.attendees[0].absent = true,
                true,
            ),
            (
                absent(Some(true), "zoe@example.org"),
                |one| one.attendees[0].absent = true,
                false,
            ),
            (guest("a@example.org"), |_| {}, false),
            (
                guest("a@example.org"),
                |one| one.guests = Some(vec!["A@example.org".into()]),
                true,
            ),
            (link.clone(), |_| {}, false),
            (
                link,
                |one| one.location = Some("https://meet.example/1".into()),
                true,
            ),
            (hand(None), |_| {}, false),
            (hand(None), second, true),
            (hand(Some(2)), second, true),
            (hand(Some(3)), second, false),
        ];
        for (deed, change, expected) in cases {
            let before = booking(BookingStatus::Pending);
            let mut after = before.clone();
            change(&mut after);
            assert_eq!(is_done(&deed, &before, &after), expected, "{deed:?}");
        }
    }

    #[test]
    fn places_are_tidied_or_complained_about() {
        let told = |kind, text| place(kind, text).map(|place| place_of(&place).to_owned());
        for (kind, text, expected) in [
            (
                Kind::Link,
                " https://meet.example/a ",
                Ok("https://meet.example/a"),
            ),
            (Kind::Link, "meet.example/a", Ok("https://meet.example/a")),
            (Kind::Link, "http://meet.example", Ok("http://meet.example")),
            (
                Kind::Link,
                "javascript://x.y/%0aalert(1)",
                Err(LocationError::Link),
            ),
            (Kind::Link, "javascript:alert(1)", Err(LocationError::Link)),
            (Kind::Link, "somewhere", Err(LocationError::Link)),
            (Kind::Link, "meet.example/a b", Err(LocationError::Link)),
            (Kind::Phone, "+39 06 1234-5678", Ok("+390612345678")),
            (
                Kind::AttendeePhone,
                "0039 (06) 1234 5678",
                Ok("+390612345678"),
            ),
            (Kind::Phone, "06 1234 5678", Err(LocationError::Phone)),
            (Kind::Phone, "+1", Err(LocationError::Phone)),
            (Kind::Phone, "+39 call me", Err(LocationError::Phone)),
            (Kind::Address, " Via Roma 1 ", Ok("Via Roma 1")),
            (
                Kind::AttendeeAddress,
                "12 Langley Road",
                Ok("12 Langley Road"),
            ),
            (Kind::AttendeeDefined, "the café", Ok("the café")),
            (Kind::Address, "  ", Err(LocationError::Missing)),
        ] {
            let expected = expected.map(str::to_owned);
            assert_eq!(told(kind, text), expected, "{kind:?} {text}");
        }
        for (name, kind) in Kind::ALL {
            assert_eq!(Kind::named(name), kind);
        }
    }
}
