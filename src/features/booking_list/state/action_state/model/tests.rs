use booking_rules::Restriction;
use booking_rules::action_cases::{NOW, cases};
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

fn names(booking: &Booking, facts: ActionFacts) -> String {
    let names: Vec<String> = allowed(booking, facts)
        .into_iter()
        .map(|action| format!("{action:?}"))
        .collect();
    names.join(" ")
}

#[test]
fn actions_are_offered_as_in_the_table() {
    for case in cases() {
        let changed = Booking {
            start: case.start,
            end: case.end,
            ..booking(case.status.clone())
        };
        let facts = ActionFacts {
            is_round_robin: true,
            policy: case.policy(),
            now: NOW,
        };
        for (letter, action) in [
            ('c', ActionKind::Confirm),
            ('d', ActionKind::Decline),
            ('x', ActionKind::Cancel),
            ('r', ActionKind::Reschedule),
            ('a', ActionKind::MarkAbsent),
            ('h', ActionKind::Reassign),
            ('h', ActionKind::Relocate),
            ('h', ActionKind::AddGuests),
        ] {
            let is_offered = allows(action, &changed, facts);
            assert_eq!(is_offered, case.allows(letter), "{action:?} {case:?}");
        }
    }
}

#[test]
fn actions_depend_on_status_and_time() {
    use BookingStatus::{Accepted, AwaitingHost, Cancelled, Pending, Rejected};
    let other = BookingStatus::Unknown("later".into());
    for (status, now, actions) in [
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
        let facts = ActionFacts {
            now: at(now),
            ..ActionFacts::default()
        };
        assert_eq!(
            names(&booking(status.clone()), facts),
            actions,
            "{status:?} {now}"
        );
    }
}

#[test]
fn actions_follow_event_type_policy() {
    let facts = |policy: Policy| ActionFacts {
        now: at(EARLY),
        policy,
        is_round_robin: true,
    };
    let accepted = booking(BookingStatus::Accepted);
    let all = Policy::default();
    for (policy, actions) in [
        (all, "Reschedule Reassign Relocate AddGuests Cancel"),
        (
            Policy {
                is_cancelling_disabled: true,
                rescheduling_restriction: Restriction::Always,
                ..all
            },
            "Reassign Relocate AddGuests",
        ),
        (
            Policy {
                rescheduling_restriction: Restriction::Within(61),
                ..all
            },
            "Reassign Relocate AddGuests Cancel",
        ),
        (
            Policy {
                rescheduling_restriction: Restriction::Within(60),
                ..all
            },
            "Reschedule Reassign Relocate AddGuests Cancel",
        ),
    ] {
        assert_eq!(names(&accepted, facts(policy)), actions, "{policy:?}");
    }
    let is_allowed = |change: fn(&mut Booking), action: ActionKind, policy: Policy, now: &str| {
        let mut changed = booking(BookingStatus::Accepted);
        change(&mut changed);
        let now = at(now);
        allows(
            action,
            &changed,
            ActionFacts {
                now,
                ..facts(policy)
            },
        )
    };
    let past = Policy {
        allows_rescheduling_past: true,
        ..all
    };
    let cancelled = Policy {
        allows_rescheduling_cancelled: true,
        ..all
    };
    assert!(is_allowed(|_| {}, ActionKind::Reschedule, past, LATE));
    assert!(is_allowed(
        |one| one.status = BookingStatus::Cancelled,
        ActionKind::Reschedule,
        cancelled,
        EARLY
    ));
    assert!(!is_allowed(
        |one| {
            one.status = BookingStatus::Cancelled;
            one.rescheduled_to_uid = Some(BookingUid("bk2".into()));
        },
        ActionKind::Reschedule,
        cancelled,
        EARLY
    ));
    assert!(!is_allowed(
        |one| one.hosts[0].id = "unknown".into(),
        ActionKind::Reassign,
        all,
        EARLY
    ));
    assert!(!is_allowed(
        |one| one.booking_fields_responses = None,
        ActionKind::AddGuests,
        all,
        EARLY
    ));
    assert!(!is_allowed(
        |one| one.guests = Some(vec!["a@example.org".into(); MAX_GUESTS]),
        ActionKind::AddGuests,
        all,
        EARLY
    ));
}

#[test]
fn reloaded_booking_shows_if_action_was_done() {
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
    let reassign = |host| BookingAction::Reassign(host, ReassignBooking::default());
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
        (reassign(None), |_| {}, false),
        (reassign(None), second, true),
        (reassign(Some(2)), second, true),
        (reassign(Some(3)), second, false),
    ];
    for (action, change, expected) in cases {
        let before = booking(BookingStatus::Pending);
        let mut after = before.clone();
        change(&mut after);
        assert_eq!(is_done(&action, &before, &after), expected, "{action:?}");
    }
}

#[test]
fn location_is_normalized_or_rejected() {
    let parsed =
        |kind, text| parse_location(kind, text).map(|location| location_text(&location).to_owned());
    for (kind, text, expected) in [
        (
            LocationKind::Link,
            " https://meet.example/a ",
            Ok("https://meet.example/a"),
        ),
        (
            LocationKind::Link,
            "meet.example/a",
            Ok("https://meet.example/a"),
        ),
        (
            LocationKind::Link,
            "http://meet.example",
            Ok("http://meet.example"),
        ),
        (
            LocationKind::Link,
            "javascript://x.y/%0aalert(1)",
            Err(LocationError::Link),
        ),
        (
            LocationKind::Link,
            "javascript:alert(1)",
            Err(LocationError::Link),
        ),
        (LocationKind::Link, "somewhere", Err(LocationError::Link)),
        (
            LocationKind::Link,
            "meet.example/a b",
            Err(LocationError::Link),
        ),
        (LocationKind::Phone, "+39 06 1234-5678", Ok("+390612345678")),
        (
            LocationKind::AttendeePhone,
            "0039 (06) 1234 5678",
            Ok("+390612345678"),
        ),
        (
            LocationKind::Phone,
            "06 1234 5678",
            Err(LocationError::Phone),
        ),
        (LocationKind::Phone, "+1", Err(LocationError::Phone)),
        (LocationKind::Phone, "+44 123456", Err(LocationError::Phone)),
        (
            LocationKind::Phone,
            "+39 call me",
            Err(LocationError::Phone),
        ),
        (LocationKind::Address, " Via Roma 1 ", Ok("Via Roma 1")),
        (
            LocationKind::AttendeeAddress,
            "12 Langley Road",
            Ok("12 Langley Road"),
        ),
        (LocationKind::AttendeeDefined, "the café", Ok("the café")),
        (LocationKind::Address, "  ", Err(LocationError::Missing)),
    ] {
        let expected = expected.map(str::to_owned);
        assert_eq!(parsed(kind, text), expected, "{kind:?} {text}");
    }
    for (name, kind) in LocationKind::ALL {
        assert_eq!(LocationKind::named(name), kind);
    }
}
