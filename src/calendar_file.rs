//! Bookings as a calendar file (RFC 5545), and as addresses that put one into calendars on the web.
//! No document.

use booking_wire::{BookingStatus, MadeBooking};

use crate::time::Instant;

/// The longest line, in bytes without its end.
const LINE: usize = 75;

/// Somebody who takes part.
#[derive(Clone, Copy, Debug, Default)]
pub struct Person<'a> {
    /// May be empty.
    pub name: &'a str,
    /// E-mail address; who has none is left out.
    pub email: &'a str,
}

/// One meeting, as calendars want it.
pub struct Event<'a> {
    /// The same booking is the same event, however often it is added.
    pub uid: &'a str,
    /// What was booked.
    pub title: &'a str,
    /// Where it stands.
    pub status: &'a BookingStatus,
    /// UTC.
    pub start: Instant,
    /// UTC.
    pub end: Instant,
    /// What else there is to say, on lines of its own.
    pub notes: &'a str,
    /// Where it takes place, in words or as an address.
    pub place: &'a str,
    /// Who hosts it.
    pub host: Person<'a>,
    /// Whom it was made for.
    pub attendees: Vec<Person<'a>>,
    /// When it was made and last changed, if that is known: of two files, calendars believe the later.
    pub history: Option<(Instant, Instant)>,
}

impl<'a> Event<'a> {
    /// The event of a booking as its visitor knows it.
    pub fn of(booking: &'a MadeBooking, notes: &'a str, place: &'a str) -> Self {
        let person = |names: &'a [String], email: &'a str| Person {
            name: names.first().map_or("", String::as_str),
            email,
        };
        Self {
            uid: &booking.uid.0,
            title: &booking.title,
            status: &booking.status,
            start: booking.start,
            end: booking.end,
            notes,
            place,
            host: person(&booking.host_names, &booking.host_email),
            attendees: vec![person(&booking.attendee_names, &booking.email)],
            history: None,
        }
    }
}

/// A file with all meetings, made at `now`.
pub fn calendar_file(events: &[Event<'_>], now: Instant) -> String {
    let mut file = CalendarFile::default();
    file.begin();
    for event in events {
        file.event(event, now);
    }
    file.end();
    file.0
}

/// A file that is written piece by piece.
#[derive(Default)]
pub struct CalendarFile(String);

impl CalendarFile {
    /// Writes what comes before the first meeting.
    pub fn begin(&mut self) {
        self.line("BEGIN", "VCALENDAR");
        self.line("VERSION", "2.0");
        self.line("PRODID", "-//Booking widget//EN");
        self.line("CALSCALE", "GREGORIAN");
    }

    /// Writes what comes after the last.
    pub fn end(&mut self) {
        self.line("END", "VCALENDAR");
    }

    /// Gives away what is written.
    pub fn take(&mut self) -> String {
        std::mem::take(&mut self.0)
    }

    /// Writes a meeting.
    pub fn event(&mut self, event: &Event<'_>, now: Instant) {
        self.line("BEGIN", "VEVENT");
        self.line("UID", &escaped(event.uid));
        self.line("DTSTAMP", &stamp(now));
        self.line("DTSTART", &stamp(event.start));
        self.line("DTEND", &stamp(event.end));
        self.text("SUMMARY", event.title);
        self.text("DESCRIPTION", event.notes);
        self.text("LOCATION", event.place);
        if is_web(event.place) {
            self.line("URL", &single_line(event.place));
        }
        self.line(
            "STATUS",
            match event.status {
                BookingStatus::Accepted => "CONFIRMED",
                BookingStatus::Cancelled | BookingStatus::Rejected => "CANCELLED",
                _ => "TENTATIVE",
            },
        );
        if let Some((made, changed)) = event.history {
            // Has to grow with each change; how many there were, nobody tells.
            let sequence = (changed.0 - made.0).max(0) / 1_000;
            self.line("SEQUENCE", &sequence.to_string());
            self.line("CREATED", &stamp(made));
            self.line("LAST-MODIFIED", &stamp(changed));
        }
        self.person("ORGANIZER", event.host);
        for attendee in &event.attendees {
            self.person("ATTENDEE", *attendee);
        }
        self.line("END", "VEVENT");
    }

    /// A person is left out unless there is an address: a name alone says nothing to a calendar.
    fn person(&mut self, key: &str, person: Person<'_>) {
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

    fn text(&mut self, key: &str, text: &str) {
        if !text.trim().is_empty() {
            self.line(key, &escaped(text));
        }
    }

    /// Writes `key:value`, folded so that no line is longer than [`LINE`] and no letter is cut.
    fn line(&mut self, key: &str, value: &str) {
        let mut width = 0;
        for sign in key.chars().chain([':']).chain(value.chars()) {
            let bytes = sign.len_utf8();
            if width + bytes > LINE {
                self.0.push_str("\r\n ");
                width = 1;
            }
            self.0.push(sign);
            width += bytes;
        }
        self.0.push_str("\r\n");
    }
}

/// What a text is in a calendar file. What is no text at all, such as a bell, is left out.
fn escaped(text: &str) -> String {
    let mut out = String::with_capacity(text.len() + 8);
    for sign in text.trim().chars() {
        match sign {
            '\\' | ';' | ',' => {
                out.push('\\');
                out.push(sign);
            }
            '\n' => out.push_str("\\n"),
            sign if sign.is_control() => {}
            sign => out.push(sign),
        }
    }
    out
}

fn single_line(text: &str) -> String {
    let is_kept = |sign: &char| !sign.is_control() && !sign.is_whitespace();
    text.chars().filter(is_kept).collect()
}

fn is_web(text: &str) -> bool {
    text.starts_with("https://") || text.starts_with("http://")
}

/// `20270329T070000Z`.
fn stamp(instant: Instant) -> String {
    let written = instant.to_string();
    let mut stamp: String = written
        .chars()
        .take(19)
        .filter(|sign| !matches!(sign, '-' | ':'))
        .collect();
    stamp.push('Z');
    stamp
}

/// A calendar on the web.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WebCalendar {
    /// Google Calendar.
    Google,
    /// Outlook, of a company.
    Office,
    /// Outlook, of a person.
    Outlook,
}

/// The address that offers to add the meeting. `encode` makes a text safe in a query.
pub fn web_address(
    calendar: WebCalendar,
    event: &Event<'_>,
    encode: impl Fn(&str) -> String,
) -> String {
    let (start, end) = (event.start, event.end);
    let (address, pairs) = match calendar {
        WebCalendar::Google => {
            let mut dates = stamp(start);
            dates.push('/');
            dates.push_str(&stamp(end));
            (
                "https://calendar.google.com/calendar/render?action=TEMPLATE",
                [
                    ("text", event.title.to_owned()),
                    ("dates", dates),
                    ("details", event.notes.to_owned()),
                    ("location", event.place.to_owned()),
                    ("", String::new()),
                ],
            )
        }
        WebCalendar::Office | WebCalendar::Outlook => (
            if calendar == WebCalendar::Office {
                "https://outlook.office.com/calendar/0/deeplink/compose?path=/calendar/action/compose&rru=addevent"
            } else {
                "https://outlook.live.com/calendar/0/deeplink/compose?path=/calendar/action/compose&rru=addevent"
            },
            [
                ("subject", event.title.to_owned()),
                ("startdt", start.to_string()),
                ("enddt", end.to_string()),
                ("body", event.notes.to_owned()),
                ("location", event.place.to_owned()),
            ],
        ),
    };
    let mut address = address.to_owned();
    for (name, value) in pairs {
        if !value.trim().is_empty() {
            address.push('&');
            address.push_str(name);
            address.push('=');
            address.push_str(&encode(value.trim()));
        }
    }
    address
}

#[cfg(test)]
mod tests {
    use super::*;
    use booking_wire::BookingUid;

    fn booking() -> MadeBooking {
        MadeBooking {
            uid: BookingUid("bk1".into()),
            title: "Intro; Ada, Zoë \\ you".into(),
            status: BookingStatus::Accepted,
            start: Instant::parse("2027-03-29T07:00:00Z").unwrap(),
            end: Instant::parse("2027-03-29T07:30:00.500Z").unwrap(),
            host_names: vec!["Ada \"Countess\" Lovelace".into()],
            host_email: "ada@example.org".into(),
            attendee_names: vec!["Zoë".into()],
            email: "zoe@example.org".into(),
            ..MadeBooking::default()
        }
    }

    fn now() -> Instant {
        Instant::parse("2027-03-01T09:00:00Z").unwrap()
    }

    #[test]
    fn a_meeting_is_written_in_utc_with_its_texts_escaped() {
        let booking = booking();
        let file = calendar_file(
            &[Event::of(
                &booking,
                "First line\r\nsecond\u{7}",
                "https://meet.example/a?b=c",
            )],
            now(),
        );
        let expected = [
            "BEGIN:VCALENDAR",
            "VERSION:2.0",
            "PRODID:-//Booking widget//EN",
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
    fn each_meeting_of_a_series_is_an_event_of_its_own() {
        let (first, mut second) = (booking(), booking());
        second.uid = BookingUid("bk2".into());
        let event = |booking| Event::of(booking, "", "");
        let file = calendar_file(&[event(&first), event(&second)], now());
        assert_eq!(file.matches("BEGIN:VEVENT\r\n").count(), 2);
        assert!(file.contains("UID:bk1\r\n") && file.contains("UID:bk2\r\n"));
        assert!(!file.contains("LOCATION") && !file.contains("DESCRIPTION"));
    }

    #[test]
    fn no_line_is_longer_than_75_bytes_and_no_letter_is_cut() {
        let mut long = booking();
        long.title = "日本語の予約🎉".repeat(40);
        let file = calendar_file(&[Event::of(&long, &"x".repeat(400), "")], now());
        assert!(file.split("\r\n").all(|line| line.len() <= LINE), "{file}");
        let unfolded = file.replace("\r\n ", "");
        assert!(unfolded.contains(&format!("SUMMARY:{}\r\n", long.title)));
        assert!(unfolded.contains(&format!("DESCRIPTION:{}\r\n", "x".repeat(400))));
    }

    #[test]
    fn nothing_that_a_service_sends_adds_a_line() {
        let mut odd = booking();
        odd.uid = BookingUid("a\r\nATTACH:x".into());
        odd.title = "a\r\nATTACH:x".into();
        odd.host_email = "a@b.example\r\nATTACH:x".into();
        odd.attendee_names = vec!["Zoë\r\nATTACH:x".into()];
        let file = calendar_file(
            &[Event::of(
                &odd,
                "\r\nATTACH:x",
                "https://a.example\r\nATTACH:x",
            )],
            now(),
        );
        assert!(!file.contains("\nATTACH"), "{file}");
        assert!(!file.contains("ORGANIZER"), "{file}");
    }

    #[test]
    fn a_meeting_of_several_people_tells_them_and_its_history() {
        let booking = booking();
        let person = |name, email| Person { name, email };
        let event = Event {
            attendees: vec![
                person("Zoë", "zoe@example.org"),
                person("Nobody", ""),
                person("", "bo@example.org"),
            ],
            history: Some((now(), now().plus_minutes(2))),
            ..Event::of(&booking, "", "")
        };
        let mut file = CalendarFile::default();
        file.event(&event, now());
        let written = file.take();
        for lines in [
            "SEQUENCE:120\r\nCREATED:20270301T090000Z\r\nLAST-MODIFIED:20270301T090200Z\r\n",
            "ATTENDEE;CN=\"Zoë\":mailto:zoe@example.org\r\nATTENDEE:mailto:bo@example.org\r\nEND:",
        ] {
            assert!(written.contains(lines), "{written}");
        }
        assert!(file.take().is_empty());
    }

    #[test]
    fn a_meeting_that_is_not_certain_says_so() {
        for (status, written) in [
            (BookingStatus::Pending, "TENTATIVE"),
            (BookingStatus::AwaitingHost, "TENTATIVE"),
            (BookingStatus::Cancelled, "CANCELLED"),
        ] {
            let booking = MadeBooking {
                status,
                ..booking()
            };
            let event = Event::of(&booking, "", "");
            let file = calendar_file(&[event], now());
            assert!(file.contains(&format!("STATUS:{written}\r\n")), "{file}");
        }
    }

    #[test]
    fn web_calendars_get_the_meeting_in_their_own_words() {
        let booking = booking();
        let event = Event::of(&booking, "", "Room 1");
        let encode = |text: &str| text.replace(' ', "%20");
        assert_eq!(
            web_address(WebCalendar::Google, &event, encode),
            "https://calendar.google.com/calendar/render?action=TEMPLATE\
             &text=Intro;%20Ada,%20Zoë%20\\%20you&dates=20270329T070000Z/20270329T073000Z\
             &location=Room%201"
        );
        let office = web_address(WebCalendar::Office, &event, encode);
        assert!(office.starts_with("https://outlook.office.com/calendar/0/deeplink/compose?"));
        assert!(office.contains("&startdt=2027-03-29T07:00:00.000Z&enddt="));
    }
}
