mod hostile_texts;
mod series;

use booking_wire::Instant;
use proptest::prelude::*;

use super::*;
use crate::data::{Person, SeriesData};

const SENDER: Sender<'static> = Sender {
    name: "Booking desk",
    email: "booking@service.example",
};

fn at(text: &str) -> Instant {
    Instant::parse(text).unwrap()
}

fn person(name: &str, email: &str) -> Person {
    Person {
        name: name.into(),
        email: email.into(),
        time_zone: "Europe/Berlin".into(),
        ..Person::default()
    }
}

fn recipient(role: Role, email: &str) -> Recipient {
    let person = person("", email);
    Recipient { role, person }
}

fn host() -> Recipient {
    recipient(Role::Host, "ada@example.org")
}

fn attendee() -> Recipient {
    recipient(Role::Attendee, "zoe@example.org")
}

fn guest() -> Recipient {
    recipient(Role::Guest, "gil@example.org")
}

fn booking() -> BookingData {
    BookingData {
        uid: "bk1".into(),
        calendar_uid: "bk1@booking".into(),
        sequence: 7,
        changed: at("2027-03-01T09:00:00Z"),
        title: "Intro; Ada, Zoë".into(),
        event_type: "Intro".into(),
        start: at("2027-03-29T07:00:00Z"),
        end: at("2027-03-29T07:30:00Z"),
        is_confirmed: true,
        location: "Room 1".into(),
        notes: "First line\r\nsecond".into(),
        answers: vec![("Company".into(), "Analytical, Ltd".into())],
        hosts: vec![
            person("Ada \"Countess\" Lovelace", "ada@example.org"),
            person("Bo", "bo@example.org"),
        ],
        attendees: vec![person("Zoë", "zoe@example.org")],
        guests: vec![person("", "gil@example.org")],
        ..BookingData::default()
    }
}

/// Lines of an invitation, unfolded.
fn lines(kind: Kind, booking: &BookingData, recipient: &Recipient) -> Vec<String> {
    let url = Some("https://book.example/bk1");
    let found = invitation(kind, booking, recipient, url, None, SENDER).unwrap();
    let text = found.text.replace("\r\n ", "");
    text.split("\r\n").map(str::to_owned).collect()
}

/// Lines of the properties with a name.
fn values(lines: &[String], name: &str) -> Vec<String> {
    let is_named = |line: &&String| {
        line.strip_prefix(name)
            .is_some_and(|rest| rest.starts_with([':', ';']))
    };
    lines.iter().filter(is_named).cloned().collect()
}

#[track_caller]
fn check_contains(lines: &[String], expected: &[&str]) {
    for line in expected {
        assert!(
            lines.iter().any(|found| found == line),
            "{line}\n{lines:#?}"
        );
    }
}

#[test]
fn each_message_has_the_invitation_of_the_table() {
    const NONE: &str = "";
    let columns = [Role::Host, Role::Attendee, Role::Guest, Role::FormerHost];
    let (confirmed, tentative, cancelled) = ("CONFIRMED", "TENTATIVE", "CANCELLED");
    // Is confirmed, has a previous time, host, attendee and guest, former host.
    let rows = [
        (Kind::Booked, true, false, confirmed, confirmed, NONE),
        (
            Kind::Confirmed,
            true,
            false,
            confirmed,
            confirmed,
            cancelled,
        ),
        (Kind::Requested, false, false, tentative, NONE, NONE),
        (Kind::Requested, false, true, tentative, cancelled, NONE),
        (
            Kind::Rescheduled,
            true,
            true,
            confirmed,
            confirmed,
            cancelled,
        ),
        (
            Kind::Rescheduled,
            false,
            true,
            tentative,
            cancelled,
            cancelled,
        ),
        (
            Kind::LocationChanged,
            true,
            false,
            confirmed,
            confirmed,
            NONE,
        ),
        (Kind::LocationChanged, false, true, tentative, NONE, NONE),
        (Kind::GuestsAdded, true, false, confirmed, confirmed, NONE),
        (Kind::GuestsAdded, false, false, tentative, NONE, NONE),
        (
            Kind::HostReassigned,
            true,
            false,
            confirmed,
            confirmed,
            cancelled,
        ),
        (
            Kind::HostReassigned,
            false,
            false,
            tentative,
            NONE,
            cancelled,
        ),
        (Kind::ClocksChanged, true, false, confirmed, confirmed, NONE),
        (Kind::ClocksChanged, false, false, tentative, NONE, NONE),
        (Kind::Declined, false, false, cancelled, NONE, NONE),
        (Kind::Cancelled, true, false, cancelled, cancelled, NONE),
        (Kind::Cancelled, false, false, cancelled, cancelled, NONE),
        (Kind::Reminder, true, false, NONE, NONE, NONE),
        (Kind::VerificationCode, true, false, NONE, NONE, NONE),
    ];
    assert!(
        Kind::ALL
            .iter()
            .all(|kind| rows.iter().any(|row| row.0 == *kind))
    );
    for (kind, is_confirmed, is_moved, of_host, of_others, of_former) in rows {
        let booking = BookingData {
            is_confirmed,
            previous_time: is_moved
                .then(|| (at("2027-03-22T08:00:00Z"), at("2027-03-22T08:30:00Z"))),
            former_hosts: vec![person("Cy", "cy@example.org")],
            ..booking()
        };
        for (role, expected) in columns
            .into_iter()
            .zip([of_host, of_others, of_others, of_former])
        {
            let recipient = recipient(role, "zoe@example.org");
            let found = invitation(kind, &booking, &recipient, None, None, SENDER);
            let found = found.map(|found| (found.method, found.text));
            let (method, text) = match &found {
                None => (None, ""),
                Some((method, text)) => (Some(*method), text.as_str()),
            };
            let case = format!("{kind:?} {role:?} confirmed: {is_confirmed}\n{text}");
            let of_status = match expected {
                NONE => None,
                "CANCELLED" => Some(Method::Cancel),
                _ => Some(Method::Request),
            };
            assert_eq!(method, of_status, "{case}");
            if let Some(method) = method {
                assert!(
                    text.contains(&format!("\r\nSTATUS:{expected}\r\n")),
                    "{case}"
                );
                assert!(
                    text.contains(&format!("\r\nMETHOD:{}\r\n", method.name())),
                    "{case}"
                );
            }
        }
    }
}

#[test]
fn invitation_of_a_booking_has_all_properties() {
    let booking = booking();
    let expected = [
        "BEGIN:VCALENDAR",
        "VERSION:2.0",
        "PRODID:-//Booking//EN",
        "CALSCALE:GREGORIAN",
        "METHOD:REQUEST",
        "BEGIN:VTIMEZONE",
        "TZID:Europe/Berlin",
        "BEGIN:DAYLIGHT",
        "DTSTART:20260329T020000",
        "RRULE:FREQ=YEARLY;BYMONTH=3;BYDAY=-1SU",
        "TZOFFSETFROM:+0100",
        "TZOFFSETTO:+0200",
        "TZNAME:CEST",
        "END:DAYLIGHT",
        "BEGIN:STANDARD",
        "DTSTART:20261025T030000",
        "RRULE:FREQ=YEARLY;BYMONTH=10;BYDAY=-1SU",
        "TZOFFSETFROM:+0200",
        "TZOFFSETTO:+0100",
        "TZNAME:CET",
        "END:STANDARD",
        "END:VTIMEZONE",
        "BEGIN:VEVENT",
        "UID:bk1@booking",
        "SEQUENCE:7",
        "DTSTAMP:20270301T090000Z",
        "LAST-MODIFIED:20270301T090000Z",
        "DTSTART;TZID=Europe/Berlin:20270329T090000",
        "DTEND;TZID=Europe/Berlin:20270329T093000",
        "SUMMARY:Intro\\; Ada\\, Zoë",
        "DESCRIPTION:First line\\nsecond\\n\\nCompany: Analytical\\, Ltd\\n\\nhttps://book.example/bk1",
        "LOCATION:Room 1",
        "URL:https://book.example/bk1",
        "STATUS:CONFIRMED",
        "TRANSP:OPAQUE",
        "ORGANIZER;CN=\"Ada ^'Countess^' Lovelace\":mailto:booking@service.example",
        "ATTENDEE;CN=\"Ada ^'Countess^' Lovelace\";CUTYPE=INDIVIDUAL;ROLE=REQ-PARTICIPANT;PARTSTAT=ACCEPTED:mailto:ada@example.org",
        "ATTENDEE;CN=Bo;CUTYPE=INDIVIDUAL;ROLE=REQ-PARTICIPANT;PARTSTAT=ACCEPTED:mailto:bo@example.org",
        "ATTENDEE;CN=\"Zoë\";CUTYPE=INDIVIDUAL;ROLE=REQ-PARTICIPANT;PARTSTAT=ACCEPTED:mailto:zoe@example.org",
        "ATTENDEE;CUTYPE=INDIVIDUAL;ROLE=OPT-PARTICIPANT;PARTSTAT=NEEDS-ACTION:mailto:gil@example.org",
        "END:VEVENT",
        "END:VCALENDAR",
        "",
    ];
    assert_eq!(lines(Kind::Booked, &booking, &attendee()), expected);
    // Hosts get a message of the desk, not of themselves.
    let of_host = expected.map(|line| {
        if line.starts_with("ORGANIZER") {
            "ORGANIZER;CN=\"Booking desk\":mailto:booking@service.example"
        } else {
            line
        }
    });
    assert_eq!(lines(Kind::Booked, &booking, &host()), of_host);
    // Guests do not see the answers of the person who booked.
    let of_guest = expected.map(|line| line.replace("Company: Analytical\\, Ltd\\n\\n", ""));
    assert_ne!(of_guest, expected);
    assert_eq!(lines(Kind::Booked, &booking, &guest()), of_guest);
}

#[test]
fn cancellation_has_the_reason_and_no_notes() {
    let booking = BookingData {
        reason: Some("Ill,\nsorry".into()),
        sequence: i64::MAX,
        ..booking()
    };
    let found = lines(Kind::Cancelled, &booking, &attendee());
    check_contains(
        &found,
        &[
            "METHOD:CANCEL",
            "UID:bk1@booking",
            "SEQUENCE:2147483647",
            "COMMENT:Ill\\,\\nsorry",
            "STATUS:CANCELLED",
            "TRANSP:TRANSPARENT",
        ],
    );
    assert!(values(&found, "DESCRIPTION").is_empty() && values(&found, "URL").is_empty());
    assert!(
        !found.iter().any(|line| line.contains("RSVP")),
        "{found:#?}"
    );
}

#[test]
fn hidden_address_of_a_host_is_in_no_message_to_others() {
    let booking = BookingData {
        hides_host_addresses: true,
        ..booking()
    };
    for recipient in [attendee(), guest()] {
        for kind in Kind::ALL {
            let found = invitation(kind, &booking, &recipient, None, None, SENDER);
            let text = found.map(|found| found.text.replace("\r\n ", ""));
            let text = text.unwrap_or_default();
            assert!(!text.contains("ada@") && !text.contains("bo@"), "{text}");
        }
        let found = lines(Kind::Booked, &booking, &recipient);
        assert_eq!(
            values(&found, "ORGANIZER"),
            ["ORGANIZER;CN=\"Ada ^'Countess^' Lovelace\":mailto:booking@service.example"]
        );
        assert_eq!(values(&found, "ATTENDEE").len(), 2);
        let nobody = Sender {
            email: "",
            ..SENDER
        };
        assert_eq!(
            invitation(Kind::Booked, &booking, &recipient, None, None, nobody),
            None
        );
    }
    let found = lines(Kind::Booked, &booking, &host());
    assert_eq!(values(&found, "ATTENDEE").len(), 4);
}

#[test]
fn organizer_is_that_of_the_entry_and_never_the_recipient() {
    let organizer = |booking: &BookingData, recipient: &Recipient, sender: &str| {
        let sender = Sender {
            email: sender,
            ..SENDER
        };
        let found =
            invitation(Kind::HostReassigned, booking, recipient, None, None, sender).unwrap();
        let text = found.text.replace("\r\n ", "");
        let line = text.lines().find(|line| line.starts_with("ORGANIZER"));
        let line = line.unwrap();
        let address = line.rsplit_once("mailto:");
        address.unwrap_or_else(|| panic!("{line}")).1.to_owned()
    };
    let desk = "booking@service.example";
    let made_with = |organizer: &str| BookingData {
        organizer: organizer.to_owned(),
        ..booking()
    };
    for (entry, recipient, sender, expected) in [
        ("", host(), desk, desk),
        ("", guest(), desk, desk),
        // The sender was changed after the entry was made.
        (desk, attendee(), "new@service.example", desk),
        // Version 0.1 made entries with the first host.
        ("ada@example.org", attendee(), desk, "ada@example.org"),
        ("Ada@example.org", host(), desk, desk),
        // A host sends the messages of a small company.
        ("", host(), "ADA@example.org", "ADA+calendar@example.org"),
        ("", attendee(), "ada@example.org", "ada@example.org"),
    ] {
        let booking = made_with(entry);
        assert_eq!(
            organizer(&booking, &recipient, sender),
            expected,
            "{entry} {sender}"
        );
    }
    // Another first host changes nothing.
    let mut reassigned = booking();
    reassigned.former_hosts = vec![reassigned.hosts.remove(0)];
    let former = recipient(Role::FormerHost, "ada@example.org");
    for recipient in [attendee(), former, recipient(Role::Host, "bo@example.org")] {
        assert_eq!(organizer(&reassigned, &recipient, desk), desk);
    }
    let found = lines(Kind::Booked, &made_with("ada@example.org"), &attendee());
    let sent_by = "SENT-BY=\"mailto:booking@service.example\"";
    assert!(
        values(&found, "ORGANIZER")[0].contains(sent_by),
        "{found:#?}"
    );
}

#[test]
fn hosts_of_a_meeting_that_waits_have_not_accepted() {
    let booking = BookingData {
        is_confirmed: false,
        ..booking()
    };
    let found = lines(Kind::Requested, &booking, &host());
    let attendees = values(&found, "ATTENDEE");
    for (attendee, status) in attendees
        .iter()
        .zip(["NEEDS-ACTION", "NEEDS-ACTION", "ACCEPTED"])
    {
        assert!(
            attendee.contains(&format!("PARTSTAT={status}:")),
            "{attendees:#?}"
        );
    }
}

#[test]
fn hidden_attendees_see_themselves_and_hosts() {
    let booking = BookingData {
        hides_attendees: true,
        title: "Intro with Zoë".into(),
        attendees: vec![
            person("Zoë", "zoe@example.org"),
            person("Yan", "yan@example.org"),
        ],
        ..booking()
    };
    let addresses = |recipient: &Recipient| -> Vec<String> {
        let found = lines(Kind::Booked, &booking, recipient);
        let address = |line: String| line.rsplit(':').next().unwrap_or_default().to_owned();
        values(&found, "ATTENDEE")
            .into_iter()
            .map(address)
            .collect()
    };
    let yan = recipient(Role::Attendee, "YAN@example.org");
    assert_eq!(
        addresses(&attendee()),
        ["ada@example.org", "bo@example.org", "zoe@example.org"]
    );
    assert_eq!(
        addresses(&yan),
        ["ada@example.org", "bo@example.org", "yan@example.org"]
    );
    assert_eq!(
        addresses(&guest()),
        ["ada@example.org", "bo@example.org", "gil@example.org"]
    );
    assert_eq!(
        addresses(&host()),
        [
            "ada@example.org",
            "bo@example.org",
            "zoe@example.org",
            "yan@example.org",
            "gil@example.org"
        ]
    );
    // The title names a person, and notes are those of one of them.
    for (recipient, title) in [
        (yan, "Intro"),
        (attendee(), "Intro with Zoë"),
        (host(), "Intro with Zoë"),
    ] {
        let found = lines(Kind::Booked, &booking, &recipient);
        assert_eq!(values(&found, "SUMMARY"), [format!("SUMMARY:{title}")]);
        let has_notes = found.iter().any(|line| line.contains("First line"));
        assert_eq!(has_notes, recipient.role == Role::Host, "{found:#?}");
    }
}

#[test]
fn attendee_whose_seat_was_cancelled_does_not_see_the_remaining_ones() {
    let booking = BookingData {
        hides_attendees: true,
        remaining_attendees: vec![person("Yan", "yan@example.org")],
        ..booking()
    };
    let cancelled = lines(Kind::Cancelled, &booking, &attendee());
    check_contains(&cancelled, &["METHOD:CANCEL", "STATUS:CANCELLED"]);
    assert!(
        !cancelled.iter().any(|line| line.contains("yan@")),
        "{cancelled:#?}"
    );
    let of_host = lines(Kind::Cancelled, &booking, &host());
    check_contains(&of_host, &["METHOD:REQUEST", "STATUS:CONFIRMED"]);
    assert!(
        of_host.iter().any(|line| line.contains("yan@")),
        "{of_host:#?}"
    );
    assert!(
        !of_host.iter().any(|line| line.contains("zoe@")),
        "{of_host:#?}"
    );
}

#[test]
fn notes_and_answers_are_left_out_where_calendars_have_none() {
    let booking = BookingData {
        hides_notes_in_calendar: true,
        ..booking()
    };
    for recipient in [host(), attendee()] {
        let found = lines(Kind::Booked, &booking, &recipient);
        assert_eq!(
            values(&found, "DESCRIPTION"),
            ["DESCRIPTION:https://book.example/bk1"]
        );
    }
}

#[test]
fn link_of_the_meeting_comes_before_that_of_the_booking() {
    let booking = BookingData {
        location: "https://meet.example/a,b".into(),
        ..booking()
    };
    let found = lines(Kind::Booked, &booking, &attendee());
    check_contains(
        &found,
        &[
            "URL:https://meet.example/a,b",
            "LOCATION:https://meet.example/a\\,b",
        ],
    );
}

#[test]
fn former_host_leaves_the_meeting() {
    let booking = BookingData {
        former_hosts: vec![person("Cy", "cy@example.org")],
        ..booking()
    };
    let former = recipient(Role::FormerHost, "cy@example.org");
    let found = lines(Kind::HostReassigned, &booking, &former);
    let attendees = values(&found, "ATTENDEE");
    assert_eq!(attendees.len(), 1);
    assert!(
        attendees[0].ends_with(":mailto:cy@example.org"),
        "{found:#?}"
    );
}

#[test]
fn persons_are_attendees_once_and_only_with_an_address() {
    let booking = BookingData {
        guests: vec![
            person("Zoë again", "ZOE@example.org"),
            person("Ada again", "Ada@example.org"),
            person("Bad", "bad\r\nATTACH:x@example.org"),
            person("None", ""),
            person("Jörg", "jörg@bücher.example"),
        ],
        ..booking()
    };
    let found = lines(Kind::Booked, &booking, &attendee());
    let attendees = values(&found, "ATTENDEE");
    assert_eq!(attendees.len(), 4, "{attendees:#?}");
    assert!(
        attendees[3].ends_with(":mailto:j%C3%B6rg@b%C3%BCcher.example"),
        "{attendees:#?}"
    );

    let alone = BookingData {
        hosts: vec![person("Ada", "ada@example.org")],
        attendees: vec![person("Tel", "")],
        guests: Vec::new(),
        ..booking
    };
    let found = lines(Kind::Booked, &alone, &host());
    assert_eq!(
        values(&found, "ATTENDEE"),
        [
            "ATTENDEE;CN=Ada;CUTYPE=INDIVIDUAL;ROLE=REQ-PARTICIPANT;PARTSTAT=ACCEPTED:mailto:ada@example.org"
        ]
    );
}

#[test]
fn times_without_a_known_zone_are_in_utc() {
    for zone in ["", "UTC", "Mars/Base", "x\r\nATTACH:y"] {
        let mut booking = booking();
        booking.hosts[0].time_zone = zone.into();
        let found = lines(Kind::Booked, &booking, &attendee());
        check_contains(
            &found,
            &["DTSTART:20270329T070000Z", "DTEND:20270329T073000Z"],
        );
        assert!(!found.iter().any(|line| line.contains("TZ")), "{found:#?}");
    }
}

#[test]
fn time_that_clocks_show_twice_is_in_utc() {
    let booking = BookingData {
        start: at("2027-10-31T01:30:00Z"),
        end: at("2027-10-31T02:00:00Z"),
        ..booking()
    };
    let found = lines(Kind::Booked, &booking, &attendee());
    check_contains(
        &found,
        &[
            "DTSTART:20271031T013000Z",
            "DTEND;TZID=Europe/Berlin:20271031T030000",
        ],
    );
}

#[test]
fn booking_without_uid_or_with_times_out_of_range_has_no_invitation() {
    for booking in [
        BookingData {
            calendar_uid: " \r\n".into(),
            ..booking()
        },
        BookingData {
            start: Instant(-1),
            ..booking()
        },
        BookingData {
            end: Instant(i64::MAX),
            ..booking()
        },
        BookingData {
            start: Instant(i64::MIN),
            end: Instant(i64::MAX),
            ..booking()
        },
        BookingData {
            changed: Instant(i64::MAX),
            ..booking()
        },
    ] {
        assert_eq!(
            invitation(Kind::Booked, &booking, &attendee(), None, None, SENDER),
            None
        );
    }
    let ends_at_start = BookingData {
        end: booking().start,
        ..booking()
    };
    let found = lines(Kind::Booked, &ends_at_start, &attendee());
    assert!(values(&found, "DTEND").is_empty());
}
