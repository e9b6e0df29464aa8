//! Texts that could add lines or properties.

use super::*;

/// Names of all properties that an invitation may have.
const NAMES: &str = "BEGIN END VERSION PRODID CALSCALE METHOD TZID DTSTART RRULE RDATE TZOFFSETFROM TZOFFSETTO TZNAME UID \
    SEQUENCE DTSTAMP LAST-MODIFIED DTEND RECURRENCE-ID SUMMARY DESCRIPTION LOCATION URL COMMENT STATUS TRANSP ORGANIZER \
    ATTENDEE";

/// Checks that a file is made of the properties that the writer writes, in short lines.
fn check_lines(text: &str) {
    assert!(text.ends_with("\r\nEND:VCALENDAR\r\n"));
    for line in text.strip_suffix("\r\n").unwrap_or_default().split("\r\n") {
        assert!(line.len() <= 75, "{line}");
    }
    let unfolded = text.replace("\r\n ", "");
    let names: Vec<&str> = NAMES.split(' ').collect();
    for line in unfolded
        .strip_suffix("\r\n")
        .unwrap_or_default()
        .split("\r\n")
    {
        let breaks = |sign: char| sign.is_control() || "\u{2028}\u{2029}".contains(sign);
        assert!(!line.contains(breaks), "{line:?}");
        let name = line.split([':', ';']).next().unwrap_or_default();
        assert!(names.contains(&name), "{line:?}");
        // Quotes only around values of parameters: their number is even before the value.
        if name == "ATTENDEE" || name == "ORGANIZER" {
            let (parameters, address) = line.rsplit_once(":mailto:").unwrap_or_default();
            assert_eq!(parameters.matches('"').count() % 2, 0, "{line}");
            assert!(
                address.is_ascii() && !address.contains(['"', ';', ',', ':']),
                "{line}"
            );
        }
    }
    for line in [
        "BEGIN:VCALENDAR",
        "END:VCALENDAR",
        "BEGIN:VEVENT",
        "END:VEVENT",
    ] {
        let count = unfolded
            .split("\r\n")
            .filter(|found| *found == line)
            .count();
        assert_eq!(count, 1, "{line}\n{unfolded}");
    }
}

/// The booking with a text in every field.
fn hostile(text: &str) -> BookingData {
    let unnamed = || Person {
        name: text.into(),
        email: text.into(),
        time_zone: text.into(),
        language: text.into(),
        ..Person::default()
    };
    let named = |email: &str| Person {
        time_zone: text.into(),
        ..person(text, email)
    };
    BookingData {
        uid: text.into(),
        calendar_uid: format!("x{text}"),
        title: text.into(),
        event_type: text.into(),
        location: text.into(),
        notes: text.into(),
        answers: vec![(text.into(), text.into())],
        reason: Some(text.into()),
        hosts: vec![named("ada@example.org"), named("bo@example.org"), unnamed()],
        attendees: vec![named("zoe@example.org"), unnamed()],
        guests: vec![named(&format!("{text}@example.org")), unnamed()],
        ..booking()
    }
}

fn check_hostile(text: &str) {
    for (kind, hides, sender) in [
        (Kind::Booked, false, SENDER),
        (Kind::Booked, true, SENDER),
        (
            Kind::Booked,
            false,
            Sender {
                name: text,
                email: text,
            },
        ),
        (Kind::Cancelled, false, SENDER),
    ] {
        let booking = BookingData {
            hides_attendees: hides,
            hides_host_addresses: hides,
            ..hostile(text)
        };
        for recipient in [host(), attendee(), recipient(Role::Guest, text)] {
            if let Some(found) = invitation(kind, &booking, &recipient, Some(text), None, sender) {
                check_lines(&found.text);
            }
        }
    }
}

#[test]
fn long_texts_are_folded_between_characters() {
    for sign in [
        "x", "é", "日", "🎉", "\"", ",", "^", "\n", "\r", "\u{2028}", "\u{7}", ";:,\"日",
    ] {
        let text = sign.repeat(10_000);
        check_hostile(&text);
        let found = lines(Kind::Booked, &hostile(&text), &attendee());
        if sign == "日" {
            check_contains(
                &found,
                &[&format!("SUMMARY:{text}"), &format!("LOCATION:{text}")],
            );
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(100) })]

    #[test]
    fn hostile_texts_add_no_line(text in "(?s).{0,120}") {
        check_hostile(&text);
    }

    #[test]
    fn texts_of_delimiters_add_no_line(
        parts in proptest::collection::vec(
            proptest::sample::select(vec![
                "\r\n", "\n", "\r", "\r\n ", "\u{b}", "\u{c}", "\u{85}", "\u{2028}", "\u{2029}", "\u{0}", "\"", "^", ":",
                ";", ",", "\\", "@", "=", "%0D%0A", "BEGIN:VALARM", "END:VEVENT", "mailto:", "ATTACH:x", "日", "https://",
            ]),
            0..40,
        )
    ) {
        check_hostile(&parts.concat());
    }

    #[test]
    fn any_times_and_series_are_written(
        starts in proptest::collection::vec(0_i64..253_402_300_800_000, 0..6),
        interval in any::<i64>(),
        zone in proptest::sample::select(vec!["Europe/Berlin", "Africa/Casablanca", "Pacific/Apia", "UTC", "x"]),
        minutes in any::<i64>(),
    ) {
        let booking = BookingData {
            start: Instant(starts.first().copied().unwrap_or_default()),
            end: Instant(minutes),
            series: Some(SeriesData {
                frequency: "monthly".into(),
                interval,
                time_zone: zone.into(),
                starts: starts.into_iter().map(Instant).collect(),
                ..SeriesData::default()
            }),
            ..booking()
        };
        if let Some(found) = invitation(Kind::Booked, &booking, &attendee(), None, None, SENDER) {
            check_lines(&found.text);
        }
    }
}
