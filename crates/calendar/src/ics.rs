//! Calendar files (iCalendar, RFC 5545).
//!
//! [`CalendarFile`] is the one writer of such files: exports are made of [`CalendarFile::event`]; invitations by e-mail,
//! which need time zones, are made of its lines.

use booking_wire::formats::is_url;
use booking_wire::{BookingStatus, Instant, PublicBooking};

/// Longest line in bytes, without its end.
const MAX_LINE_BYTES: usize = 75;

/// A person who takes part in a meeting.
#[derive(Clone, Copy, Debug, Default)]
pub struct CalendarPerson<'a> {
    /// May be empty.
    pub name: &'a str,
    /// E-mail address. A person without one is left out.
    pub email: &'a str,
}

/// A meeting in a calendar.
pub struct CalendarEvent<'a> {
    /// Identifies the meeting: a calendar that has it updates it.
    pub uid: &'a str,
    /// Title.
    pub title: &'a str,
    /// Status of the booking.
    pub status: &'a BookingStatus,
    /// UTC.
    pub start: Instant,
    /// UTC.
    pub end: Instant,
    /// Description; may have several lines.
    pub notes: &'a str,
    /// Location, in words or as a URL; may be empty.
    pub location: &'a str,
    /// Link to the meeting, or else to the booking. Left out unless it is an absolute http or https URL in ASCII.
    pub url: &'a str,
    /// Host.
    pub host: CalendarPerson<'a>,
    /// Attendees and guests.
    pub attendees: Vec<CalendarPerson<'a>>,
    /// Instants of creation and of the last change, if known: of two files with one `uid`, calendars keep the
    /// later version (see [`sequence`]).
    pub history: Option<(Instant, Instant)>,
}

impl<'a> CalendarEvent<'a> {
    /// Meeting of a booking, for its visitor. `page_url` is the page that shows the booking; empty if there is none.
    ///
    /// The uid is that of calendars, which a rescheduled booking keeps. A booking without it has only its own uid:
    /// after a reschedule, calendars take it for another meeting.
    pub fn of(
        booking: &'a PublicBooking,
        notes: &'a str,
        location: &'a str,
        page_url: &'a str,
    ) -> Self {
        let person = |names: &'a [String], email: &'a str| CalendarPerson {
            name: names.first().map_or("", String::as_str),
            email,
        };
        Self {
            uid: booking.ics_uid.as_deref().unwrap_or(&booking.uid.0),
            title: &booking.title,
            status: &booking.status,
            start: booking.start,
            end: booking.end,
            notes,
            location,
            url: if is_url(location) { location } else { page_url },
            host: person(&booking.host_names, &booking.host_email),
            attendees: vec![person(&booking.attendee_names, &booking.email)],
            history: booking.history,
        }
    }
}

/// Returns the sequence number of a booking that was last changed at that instant: the seconds since 2020. It rises with
/// each change, also when another booking takes the place of one and keeps its uid in calendars. (The number of changes
/// is not known; seconds since 1970 would exceed the number's 31 bits in 2038.)
pub fn sequence(changed: Instant) -> i64 {
    const START_OF_2020_S: i64 = 1_577_836_800;
    (changed.0 / 1_000 - START_OF_2020_S).max(0)
}

/// Returns a calendar file with all meetings, as of `now`.
pub fn calendar_file(events: &[CalendarEvent<'_>], now: Instant) -> String {
    let mut file = CalendarFile::default();
    file.begin();
    for event in events {
        file.event(event, now);
    }
    file.end();
    file.0
}

/// Calendar file that is written event by event.
#[derive(Default)]
pub struct CalendarFile(String);

impl CalendarFile {
    /// Writes the lines before the first meeting.
    pub fn begin(&mut self) {
        self.line("BEGIN", "VCALENDAR");
        self.line("VERSION", "2.0");
        self.line("PRODID", "-//Booking//EN");
        self.line("CALSCALE", "GREGORIAN");
    }

    /// Writes the lines after the last meeting.
    pub fn end(&mut self) {
        self.line("END", "VCALENDAR");
    }

    /// Returns the lines written so far and forgets them.
    pub fn take(&mut self) -> String {
        std::mem::take(&mut self.0)
    }

    /// Writes a meeting.
    pub fn event(&mut self, event: &CalendarEvent<'_>, now: Instant) {
        self.line("BEGIN", "VEVENT");
        self.line("UID", &escaped(event.uid));
        self.line("DTSTAMP", &stamp(now));
        self.line("DTSTART", &stamp(event.start));
        self.line("DTEND", &stamp(event.end));
        self.texts(event.title, event.notes, event.location, event.url);
        self.line(
            "STATUS",
            match event.status {
                BookingStatus::Accepted => "CONFIRMED",
                BookingStatus::Cancelled | BookingStatus::Rejected => "CANCELLED",
                _ => "TENTATIVE",
            },
        );
        if let Some((created, changed)) = event.history {
            self.line("SEQUENCE", &sequence(changed).to_string());
            self.line("CREATED", &stamp(created));
            self.line("LAST-MODIFIED", &stamp(changed));
        }
        self.person("ORGANIZER", event.host);
        for attendee in &event.attendees {
            self.person("ATTENDEE", *attendee);
        }
        self.line("END", "VEVENT");
    }

    /// Writes a person with an e-mail address, which calendars need; omits others.
    fn person(&mut self, key: &str, person: CalendarPerson<'_>) {
        let email = person.email;
        let is_address = email.len() > 3
            && email.bytes().any(|byte| byte == b'@')
            && email
                .bytes()
                .all(|byte| byte.is_ascii_graphic() && !b",;:\"".contains(&byte));
        if !is_address {
            return;
        }
        let mut key = key.to_owned();
        let name: String = person
            .name
            .chars()
            .filter(|sign| *sign != '"' && !sign.is_control())
            .collect();
        if !name.is_empty() {
            key.push_str(";CN=\"");
            key.push_str(&name);
            key.push('"');
        }
        let mut value = "mailto:".to_owned();
        value.push_str(email);
        self.line(&key, &value);
    }

    /// Writes title, description, location and link; empty ones are left out, and so is a link that is no absolute http
    /// or https URL in ASCII.
    pub fn texts(&mut self, title: &str, notes: &str, location: &str, url: &str) {
        self.text("SUMMARY", title);
        self.text("DESCRIPTION", notes);
        self.text("LOCATION", location);
        if is_url(url) && url.is_ascii() {
            self.line("URL", url);
        }
    }

    /// Writes a property whose value is a text; leaves it out if the text is empty.
    pub fn text(&mut self, key: &str, text: &str) {
        if !text.trim().is_empty() {
            self.line(key, &escaped(text));
        }
    }

    /// Writes a property with parameters. The value is written as it is, except for control characters, which are left
    /// out. Parameters may have any value.
    pub fn property(&mut self, name: &str, parameters: &[(&str, &str)], value: &str) {
        let mut key = name.to_owned();
        for (parameter, value) in parameters {
            key.push(';');
            key.push_str(parameter);
            key.push('=');
            push_parameter(&mut key, value);
        }
        let value: String = value.chars().filter(|sign| !sign.is_control()).collect();
        self.line(&key, &value);
    }

    /// Writes `key:value`, folded between characters so that no line is longer than
    /// [`MAX_LINE_BYTES`].
    fn line(&mut self, key: &str, value: &str) {
        let mut width = 0;
        for sign in key.chars().chain([':']).chain(value.chars()) {
            let bytes = sign.len_utf8();
            if width + bytes > MAX_LINE_BYTES {
                self.0.push_str("\r\n ");
                width = 1;
            }
            self.0.push(sign);
            width += bytes;
        }
        self.0.push_str("\r\n");
    }
}

/// Appends the value of a parameter, encoded by RFC 6868: it may contain quotes and line breaks. Other control characters
/// are left out.
fn push_parameter(line: &mut String, value: &str) {
    let value = value.trim();
    // A name in capitals, a time zone, a number.
    let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || b"-+_./".contains(&byte);
    if !value.is_empty() && value.bytes().all(is_plain) {
        line.push_str(value);
        return;
    }
    line.push('"');
    let mut signs = value.chars().peekable();
    while let Some(sign) = signs.next() {
        match sign {
            '^' => line.push_str("^^"),
            '"' => line.push_str("^'"),
            '\r' if signs.peek() == Some(&'\n') => {}
            '\n' | '\r' | '\u{2028}' | '\u{2029}' => line.push_str("^n"),
            sign if sign.is_control() => {}
            sign => line.push(sign),
        }
    }
    line.push('"');
}

/// Returns the calendar address of an e-mail address: a URL by RFC 6068, in ASCII also for international addresses. None
/// for a text that is no address.
pub fn calendar_address(email: &str) -> Option<String> {
    let (local, domain) = email.split_once('@')?;
    let is_address = email.len() <= 254
        && !local.is_empty()
        && !domain.is_empty()
        && !domain.contains('@')
        && !email.contains(|sign: char| {
            sign.is_whitespace() || sign.is_control() || "<>()[],;:\\\"".contains(sign)
        });
    if !is_address {
        return None;
    }
    let mut address = "mailto:".to_owned();
    for byte in email.bytes() {
        if byte.is_ascii_alphanumeric() || b"@-._~!$'*+".contains(&byte) {
            address.push(char::from(byte));
        } else {
            let digit = |digit: u8| char::from(b"0123456789ABCDEF"[usize::from(digit)]);
            address.extend(['%', digit(byte >> 4), digit(byte & 15)]);
        }
    }
    Some(address)
}

/// Escapes a TEXT value. Control characters other than line breaks are left out.
fn escaped(text: &str) -> String {
    let text = text.trim();
    let mut out = String::with_capacity(text.len() + 8);
    let mut signs = text.chars().peekable();
    while let Some(sign) = signs.next() {
        match sign {
            '\\' | ';' | ',' => {
                out.push('\\');
                out.push(sign);
            }
            '\r' if signs.peek() == Some(&'\n') => {}
            '\n' | '\r' => out.push_str("\\n"),
            sign if sign.is_control() => {}
            sign => out.push(sign),
        }
    }
    out
}

/// Returns an instant as calendar files have it: `20270329T070000Z`.
pub fn stamp(instant: Instant) -> String {
    let written = instant.to_string();
    let mut stamp: String = written
        .chars()
        .take(19)
        .filter(|sign| !matches!(sign, '-' | ':'))
        .collect();
    stamp.push('Z');
    stamp
}

#[cfg(test)]
mod tests {
    use booking_wire::BookingUid;

    use super::*;
    use crate::web::{WebCalendar, web_calendar_url};

    fn booking() -> PublicBooking {
        PublicBooking {
            uid: BookingUid("bk1".into()),
            title: "Intro; Ada, Zoë \\ you".into(),
            status: BookingStatus::Accepted,
            start: Instant::parse("2027-03-29T07:00:00Z").unwrap(),
            end: Instant::parse("2027-03-29T07:30:00.500Z").unwrap(),
            host_names: vec!["Ada \"Countess\" Lovelace".into()],
            host_email: "ada@example.org".into(),
            attendee_names: vec!["Zoë".into()],
            email: "zoe@example.org".into(),
            ..PublicBooking::default()
        }
    }

    fn now() -> Instant {
        Instant::parse("2027-03-01T09:00:00Z").unwrap()
    }

    #[test]
    fn event_is_written_in_utc_with_escaped_texts() {
        let booking = booking();
        let file = calendar_file(
            &[CalendarEvent::of(
                &booking,
                "First line\r\nsecond\u{7}",
                "https://meet.example/a?b=c",
                "https://book.example/bk1",
            )],
            now(),
        );
        let expected = [
            "BEGIN:VCALENDAR",
            "VERSION:2.0",
            "PRODID:-//Booking//EN",
            "CALSCALE:GREGORIAN",
            "BEGIN:VEVENT",
            "UID:bk1",
            "DTSTAMP:20270301T090000Z",
            "DTSTART:20270329T070000Z",
            "DTEND:20270329T073000Z",
            "SUMMARY:Intro\\; Ada\\, Zoë \\\\ you",
            "DESCRIPTION:First line\\nsecond",
            "LOCATION:https://meet.example/a?b=c",
            "URL:https://meet.example/a?b=c",
            "STATUS:CONFIRMED",
            "ORGANIZER;CN=\"Ada Countess Lovelace\":mailto:ada@example.org",
            "ATTENDEE;CN=\"Zoë\":mailto:zoe@example.org",
            "END:VEVENT",
            "END:VCALENDAR",
            "",
        ];
        assert_eq!(file, expected.join("\r\n"));
    }

    #[test]
    fn series_has_one_event_for_each_meeting() {
        let (first, mut second) = (booking(), booking());
        second.uid = BookingUid("bk2".into());
        let event = |booking| CalendarEvent::of(booking, "", "", "");
        let file = calendar_file(&[event(&first), event(&second)], now());
        assert_eq!(file.matches("BEGIN:VEVENT\r\n").count(), 2);
        assert!(file.contains("UID:bk1\r\n") && file.contains("UID:bk2\r\n"));
        assert!(!file.contains("LOCATION") && !file.contains("DESCRIPTION"));
    }

    #[test]
    fn long_lines_are_folded_between_characters() {
        let mut long = booking();
        long.title = "日本語の予約🎉".repeat(40);
        let file = calendar_file(&[CalendarEvent::of(&long, &"x".repeat(400), "", "")], now());
        assert!(
            file.split("\r\n").all(|line| line.len() <= MAX_LINE_BYTES),
            "{file}"
        );
        let unfolded = file.replace("\r\n ", "");
        assert!(unfolded.contains(&format!("SUMMARY:{}\r\n", long.title)));
        assert!(unfolded.contains(&format!("DESCRIPTION:{}\r\n", "x".repeat(400))));
    }

    #[test]
    fn line_break_in_a_value_adds_no_line() {
        let mut odd = booking();
        odd.uid = BookingUid("a\r\nATTACH:x".into());
        odd.title = "a\r\nATTACH:x".into();
        odd.host_email = "a@b.example\r\nATTACH:x".into();
        odd.attendee_names = vec!["Zoë\r\nATTACH:x".into()];
        let file = calendar_file(
            &[CalendarEvent::of(
                &odd,
                "\r\nATTACH:x",
                "https://a.example\r\nATTACH:x",
                "https://b.example\r\nATTACH:x",
            )],
            now(),
        );
        assert!(!file.contains("\nATTACH"), "{file}");
        assert!(!file.contains("ORGANIZER"), "{file}");
    }

    #[test]
    fn event_lists_its_attendees_and_history() {
        let booking = booking();
        let person = |name, email| CalendarPerson { name, email };
        let event = CalendarEvent {
            attendees: vec![
                person("Zoë", "zoe@example.org"),
                person("Nobody", ""),
                person("", "bo@example.org"),
            ],
            history: Some((now(), now().plus_minutes(2))),
            ..CalendarEvent::of(&booking, "", "", "")
        };
        let mut file = CalendarFile::default();
        file.event(&event, now());
        let written = file.take();
        for lines in [
            "SEQUENCE:226054920\r\nCREATED:20270301T090000Z\r\nLAST-MODIFIED:20270301T090200Z\r\n",
            "ATTENDEE;CN=\"Zoë\":mailto:zoe@example.org\r\nATTENDEE:mailto:bo@example.org\r\nEND:",
        ] {
            assert!(written.contains(lines), "{written}");
        }
        assert!(file.take().is_empty());
    }

    #[test]
    fn parameters_are_encoded_and_values_have_no_control_characters() {
        let mut file = CalendarFile::default();
        file.property(
            "ATTENDEE",
            &[
                ("ROLE", "CHAIR"),
                ("TZID", "Etc/GMT+5"),
                ("CN", " Ada \"Countess\" ^L^;:,\r\nx\u{7}\u{85}\ny "),
                ("X", ""),
            ],
            "mailto:a\r\nATTACH:x",
        );
        assert_eq!(
            file.take().replace("\r\n ", ""),
            "ATTENDEE;ROLE=CHAIR;TZID=Etc/GMT+5;CN=\"Ada ^'Countess^' ^^L^^;:,^nx^ny\";X=\"\":mailto:aATTACH:x\r\n"
        );
    }

    #[test]
    fn calendar_address_is_a_url_in_ascii() {
        for (email, address) in [
            ("ada+x@example.org", Some("mailto:ada+x@example.org")),
            ("ada@localhost", Some("mailto:ada@localhost")),
            (
                "jörg@bücher.example",
                Some("mailto:j%C3%B6rg@b%C3%BCcher.example"),
            ),
            ("50%/a?b&c#d@x.y", Some("mailto:50%25%2Fa%3Fb%26c%23d@x.y")),
            ("", None),
            ("ada", None),
            ("@example.org", None),
            ("ada@", None),
            ("ada@b@c.example", None),
            ("ada@example.org\r\nATTACH:x", None),
            ("ada@example.org\nx", None),
            ("a da@example.org", None),
            ("<ada@example.org>", None),
            ("\"a\"@example.org", None),
            ("a@b.example,c", None),
        ] {
            assert_eq!(calendar_address(email).as_deref(), address, "{email}");
        }
        let long = "x".repeat(10_000) + "@example.org";
        assert_eq!(calendar_address(&long), None);
    }

    #[test]
    fn moved_booking_replaces_its_entry_in_calendars() {
        let made = PublicBooking {
            ics_uid: Some("bk1@booking".into()),
            history: Some((now(), now())),
            ..booking()
        };
        let moved_at = now().plus_minutes(1);
        let moved = PublicBooking {
            uid: BookingUid("bk2".into()),
            history: Some((moved_at, moved_at)),
            ..made.clone()
        };
        let file = |booking| {
            let page = "https://book.example/bk";
            calendar_file(&[CalendarEvent::of(booking, "", "Room 1", page)], now())
        };
        let (before, after) = (file(&made), file(&moved));
        for (file, sequence) in [(&before, 226_054_800), (&after, 226_054_860)] {
            assert!(file.contains("\r\nUID:bk1@booking\r\n"), "{file}");
            assert!(
                file.contains(&format!("\r\nSEQUENCE:{sequence}\r\n")),
                "{file}"
            );
            assert!(
                file.contains("\r\nURL:https://book.example/bk\r\n"),
                "{file}"
            );
        }
    }

    #[test]
    fn status_of_the_booking_is_that_of_the_event() {
        for (status, written) in [
            (BookingStatus::Pending, "TENTATIVE"),
            (BookingStatus::AwaitingHost, "TENTATIVE"),
            (BookingStatus::Cancelled, "CANCELLED"),
        ] {
            let booking = PublicBooking {
                status,
                ..booking()
            };
            let event = CalendarEvent::of(&booking, "", "", "");
            let file = calendar_file(&[event], now());
            assert!(file.contains(&format!("STATUS:{written}\r\n")), "{file}");
        }
    }

    #[test]
    fn web_calendar_url_has_the_parameters_of_its_calendar() {
        let booking = booking();
        let event = CalendarEvent::of(&booking, "", "Room 1", "");
        let encode = |text: &str| text.replace(' ', "%20");
        assert_eq!(
            web_calendar_url(WebCalendar::Google, &event, encode),
            "https://calendar.google.com/calendar/render?action=TEMPLATE\
             &text=Intro;%20Ada,%20Zoë%20\\%20you&dates=20270329T070000Z/20270329T073000Z\
             &location=Room%201"
        );
        let office = web_calendar_url(WebCalendar::Office, &event, encode);
        assert!(office.starts_with("https://outlook.office.com/calendar/0/deeplink/compose?"));
        assert!(office.contains("&startdt=2027-03-29T07:00:00.000Z&enddt="));
    }
}
