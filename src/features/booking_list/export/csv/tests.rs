use booking_wire::{BookingStatus, BookingUid, Host, RawJson, Read};
use serde_json::{Value, json};

use super::*;

/// Parses CSV (RFC 4180) without its byte order mark.
fn read(table: &str) -> Vec<Vec<String>> {
    let table = table.strip_prefix('\u{feff}').unwrap_or(table);
    let (mut lines, mut line, mut cell) = (Vec::new(), Vec::new(), String::new());
    let (mut is_quoted, mut characters) = (false, table.chars().peekable());
    while let Some(character) = characters.next() {
        match character {
            '"' if is_quoted && characters.peek() == Some(&'"') => {
                cell.push(characters.next().unwrap())
            }
            '"' => is_quoted = !is_quoted,
            ',' if !is_quoted => line.push(std::mem::take(&mut cell)),
            '\r' if !is_quoted => {
                assert_eq!(characters.next(), Some('\n'));
                line.push(std::mem::take(&mut cell));
                lines.push(std::mem::take(&mut line));
            }
            character => cell.push(character),
        }
    }
    assert!(!is_quoted && cell.is_empty() && line.is_empty());
    lines
}

fn map(value: Value) -> JsonMap {
    value.as_object().cloned().unwrap()
}

fn field(slug: &str, label: Option<&str>) -> Value {
    json!({ "type": "text", "slug": slug, "label": label })
}

fn event_type(id: i64, title: &str, booking_fields: Vec<Value>) -> TeamEventType {
    TeamEventType {
        id,
        title: title.into(),
        booking_fields: RawJson::read(&json!(booking_fields)).unwrap(),
        ..TeamEventType::default()
    }
}

fn event_types() -> Vec<TeamEventType> {
    vec![
        event_type(
            41,
            "Intro call",
            vec![
                field("name", Some("Your name")),
                field("topic", None),
                field("size", Some("=How many?")),
            ],
        ),
        event_type(
            42,
            "Workshop",
            vec![field("topic", Some("Topic")), field("notes", Some(" "))],
        ),
    ]
}

fn instant(text: &str) -> Instant {
    Instant::parse(text).unwrap()
}

fn person(name: &str, email: &str) -> Attendee {
    Attendee {
        name: name.into(),
        email: email.into(),
        time_zone: "Europe/Rome".into(),
        ..Attendee::default()
    }
}

fn booking() -> Booking {
    Booking {
        uid: BookingUid("bk1".into()),
        title: "Intro, with \"Ada\"".into(),
        status: BookingStatus::Cancelled,
        start: instant("2027-03-28T00:30:00Z"),
        end: instant("2027-03-28T01:30:00Z"),
        duration: 60,
        event_type_id: Some(41),
        hosts: vec![Host {
            id: "5".into(),
            name: "Ada".into(),
            email: "ada@example.org".into(),
            ..Host::default()
        }],
        attendees: vec![Attendee {
            phone_number: Some("+390612345678".into()),
            absent: true,
            ..person("Zoë", "zoe@example.org")
        }],
        guests: Some(vec!["a@example.org".into(), "b@example.org".into()]),
        location: Some("Room 1\nsecond floor".into()),
        booking_fields_responses: Some(map(json!({
            "name": "Zoë", "topic": "@home", "size": 3, "old": ["a", "b"], "older": true,
        }))),
        cancellation_reason: Some("\ttabs".into()),
        rescheduled_from_uid: Some(BookingUid("bk0".into())),
        created_at: Some(instant("2027-03-01T09:00:00Z")),
        rating: Some(4),
        ..Booking::default()
    }
}

/// Table of some bookings in Rome, UTC+1 and from 28 March 2027, 01:00 UTC on UTC+2.
fn table(bookings: &[Booking]) -> Vec<Vec<String>> {
    let mut sheet = Sheet::new(Translations::ENGLISH, "Europe/Rome", event_types());
    sheet.head();
    let summer = instant("2027-03-28T01:00:00Z");
    let local = |instant: Instant| wall_time(instant, if instant < summer { 60 } else { 120 });
    for booking in bookings {
        sheet.booking(booking, &local);
    }
    let written = sheet.take();
    assert!(written.starts_with('\u{feff}'));
    let table = read(&written);
    assert!(table.iter().all(|line| line.len() == table[0].len()));
    table
}

#[track_caller]
fn check(booking: &Booking, expected: &[(&str, &str)]) {
    let table = table(std::slice::from_ref(booking));
    for (heading, value) in expected {
        let column = table[0].iter().position(|other| other == heading);
        let column = column.unwrap_or_else(|| panic!("no {heading} in {:?}", table[0]));
        assert_eq!(table[1][column], *value, "{heading}");
    }
}

#[test]
fn booking_fills_all_columns() {
    check(
        &booking(),
        &[
            ("Reference", "bk1"),
            ("Title", "Intro, with \"Ada\""),
            ("Status", "Cancelled"),
            ("Status (code)", "cancelled"),
            ("Start (UTC)", "2027-03-28T00:30:00.000Z"),
            ("End (UTC)", "2027-03-28T01:30:00.000Z"),
            ("Time zone", "Europe/Rome"),
            // Night of the change to summer time.
            ("Start", "2027-03-28 01:30"),
            ("End", "2027-03-28 03:30"),
            ("Duration in minutes", "60"),
            ("Event type", "Intro call"),
            ("Event type ID", "41"),
            ("Hosts", "Ada"),
            ("Hosts’ email addresses", "ada@example.org"),
            ("Attendees", "Zoë"),
            ("Attendees’ email addresses", "zoe@example.org"),
            ("Attendees’ phone numbers", "'+390612345678"),
            ("Attendees’ time zones", "Europe/Rome"),
            ("No-show", "Zoë"),
            ("Guests", "a@example.org | b@example.org"),
            ("Where", "Room 1\nsecond floor"),
            ("Location (code)", "Room 1\nsecond floor"),
            ("Topic", "'@home"),
            ("'=How many?", "3"),
            ("Anything we should know?", ""),
            ("Other answers", "old: a, b | older: Yes"),
            ("Reason", "'\ttabs"),
            ("Replaces", "bk0"),
            ("Replaced by", ""),
            ("Booked", "2027-03-01T09:00:00.000Z"),
            ("Changed", ""),
            ("Rating", "4"),
        ],
    );
}

#[test]
fn columns_for_people_come_first_in_plain_words() {
    let call = Booking {
        status: BookingStatus::Accepted,
        location: Some("integrations:svc-video".into()),
        ..booking()
    };
    check(
        &call,
        &[
            ("Status", "Confirmed"),
            ("Status (code)", "accepted"),
            ("Where", "Video call"),
            ("Location (code)", "integrations:svc-video"),
        ],
    );
    let moved = Booking {
        rescheduled_to_uid: Some(BookingUid("bk2".into())),
        ..booking()
    };
    check(
        &moved,
        &[("Status", "Rescheduled"), ("Status (code)", "cancelled")],
    );
    let head = table(&[]).remove(0);
    assert_eq!(head[0], "Start");
    let position = |heading: &str| head.iter().position(|other| other == heading);
    for (people, programs) in [
        ("Attendees", "Reference"),
        ("Topic", "Reference"),
        ("Reason", "Start (UTC)"),
        ("Status", "Status (code)"),
    ] {
        assert!(position(people) < position(programs), "{people} {head:?}");
    }
}

#[test]
fn default_questions_have_no_own_column() {
    let slugs = [
        "name",
        "email",
        "location",
        "title",
        "guests",
        "rescheduleReason",
        "attendeePhoneNumber",
    ];
    let mut fields = slugs.map(|slug| field(slug, None)).to_vec();
    fields.push(field("company-size", None));
    let mut sheet = Sheet::new(
        Translations::ENGLISH,
        "UTC",
        vec![event_type(1, "Call", fields)],
    );
    sheet.head();
    let answers = slugs.map(|slug| (slug.to_owned(), json!("told elsewhere")));
    let answered = Booking {
        booking_fields_responses: Some(answers.into_iter().collect()),
        ..booking()
    };
    sheet.booking(&answered, &|instant| wall_time(instant, 0));
    let table = read(&sheet.take());
    assert_eq!(
        table[0].len(),
        BEFORE_ANSWERS.len() + 1 + AFTER_ANSWERS.len()
    );
    assert_eq!(table[0][BEFORE_ANSWERS.len()], "Company size");
    assert!(
        !table[1].contains(&"told elsewhere".to_owned()),
        "{:?}",
        table[1]
    );
}

#[test]
fn seated_answers_are_labelled_by_attendee() {
    let seat = |name: &str, answers: Value| Attendee {
        seat_uid: Some(format!("seat-{name}")),
        booking_fields_responses: Some(map(answers)),
        ..person(name, "")
    };
    let seated = Booking {
        attendees: vec![
            seat("Zoë", json!({"topic": "Tea"})),
            seat("Bo", json!({"topic": "", "old": 1})),
            seat("Cy", json!({"topic": "Milk"})),
        ],
        booking_fields_responses: None,
        ..booking()
    };
    check(
        &seated,
        &[
            ("Attendees", "Zoë | Bo | Cy"),
            ("Attendees’ email addresses", ""),
            ("Seats", "seat-Zoë | seat-Bo | seat-Cy"),
            ("Topic", "Zoë: Tea | Cy: Milk"),
            ("Other answers", "Bo: old: 1"),
        ],
    );
}

#[test]
fn cell_is_quoted_and_never_a_formula() {
    for (cell, expected) in [
        ("=1+1", "'=1+1"),
        ("+39", "'+39"),
        ("-1", "'-1"),
        ("@SUM(A1)", "'@SUM(A1)"),
        ("\tx", "'\tx"),
        ("\rx", "'\rx"),
        ("=\"a\",b", "'=\"a\",b"),
        ("a=b", "a=b"),
        (" =b", " '=b"),
        ("Hello;=1+1", "Hello;'=1+1"),
        ("＝1+1", "'＝1+1"),
        ("Hello\n=1+1", "Hello\n'=1+1"),
        ("Hello\n\n You", "Hello\n\n You"),
        ("Zoë; @b", "Zoë; '@b"),
        ("a\t=b", "a\t'=b"),
        ("\nx", "'\nx"),
        ("a;b", "a;b"),
        ("", ""),
        ("\"", "\""),
        ("a\r\nb", "a\r\nb"),
        ("日本, 語", "日本, 語"),
    ] {
        let mut line = String::new();
        write_cell(&mut line, cell);
        line.push_str("\r\n");
        assert_eq!(read(&line), [[expected]], "{cell:?}");
    }
}

#[test]
fn sheet_is_written_in_parts() {
    let mut sheet = Sheet::new(Translations::ENGLISH, "UTC", Vec::new());
    sheet.head();
    let head = sheet.take();
    sheet.booking(&booking(), &|instant| wall_time(instant, 0));
    let line = sheet.take();
    assert!(head.ends_with("\r\n") && line.ends_with("\r\n"));
    assert!(!line.contains('\u{feff}'));
    assert_eq!(read(&line).len(), 1);
    assert!(sheet.take().is_empty());
}
