//! A booking as a calendar file (RFC 5545), and as addresses that put it into calendars on the web.
//! No document.

use booking_wire::{BookingStatus, MadeBooking};

use crate::time::Instant;

/// The longest line, in bytes without its end.
const LINE: usize = 75;

/// One meeting, as calendars want it.
pub(super) struct Event<'a> {
    /// What was booked.
    pub(super) booking: &'a MadeBooking,
    /// What else there is to say, on lines of its own.
    pub(super) notes: &'a str,
    /// Where it takes place, in words or as an address.
    pub(super) place: &'a str,
}

/// A file with all meetings, made at `now`.
pub(super) fn calendar_file(events: &[Event<'_>], now: Instant) -> String {
    let mut file = File(String::with_capacity(1024));
    file.line("BEGIN", "VCALENDAR");
    file.line("VERSION", "2.0");
    file.line("PRODID", "-//Booking widget//EN");
    file.line("CALSCALE", "GREGORIAN");
    file.line("METHOD", "PUBLISH");
    for event in events {
        file.event(event, now);
    }
    file.line("END", "VCALENDAR");
    file.0
}

struct File(String);

impl File {
    fn event(&mut self, event: &Event<'_>, now: Instant) {
        let booking = event.booking;
        self.line("BEGIN", "VEVENT");
        // The same booking is the same event, however often it is added.
        self.line("UID", &escaped(&booking.uid.0));
        self.line("DTSTAMP", &stamp(now));
        self.line("DTSTART", &stamp(booking.start));
        self.line("DTEND", &stamp(booking.end));
        self.text("SUMMARY", &booking.title);
        self.text("DESCRIPTION", event.notes);
        self.text("LOCATION", event.place);
        if is_web(event.place) {
            self.line("URL", &single_line(event.place));
        }
        self.line(
            "STATUS",
            match booking.status {
                BookingStatus::Accepted => "CONFIRMED",
                BookingStatus::Cancelled | BookingStatus::Rejected => "CANCELLED",
                _ => "TENTATIVE",
            },
        );
        self.person("ORGANIZER", &booking.host_names, &booking.host_email);
        self.person("ATTENDEE", &booking.attendee_names, &booking.email);
        self.line("END", "VEVENT");
    }

    /// A person is left out unless there is an address: a name alone says nothing to a calendar.
    fn person(&mut self, key: &str, names: &[String], email: &str) {
        let is_address = email.len() > 3
            && email.bytes().any(|byte| byte == b'@')
            && email
                .bytes()
                .all(|byte| byte.is_ascii_graphic() && !b",;:\"".contains(&byte));
        if !is_address {
            return;
        }
        let mut key = key.to_owned();
        let name: String = names
            .first()
            .map(|name| {
                name.chars()
                    .filter(|sign| *sign != '"' && !sign.is_control())
                    .collect()
            })
            .unwrap_or_default();
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
pub(super) enum WebCalendar {
    /// Google Calendar.
    Google,
    /// Outlook, of a company.
    Office,
    /// Outlook, of a person.
    Outlook,
}

/// The address that offers to add the meeting. `encode` makes a text safe in a query.
pub(super) fn web_address(
    calendar: WebCalendar,
    event: &Event<'_>,
    encode: impl Fn(&str) -> String,
) -> String {
    let booking = event.booking;
    let (start, end) = (booking.start, booking.end);
    let (address, pairs) = match calendar {
        WebCalendar::Google => {
            let mut dates = stamp(start);
            dates.push('/');
            dates.push_str(&stamp(end));
            (
                "https://calendar.google.com/calendar/render?action=TEMPLATE",
                [
                    ("text", booking.title.clone()),
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
                ("subject", booking.title.clone()),
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
            &[Event {
                booking: &booking,
                notes: "First line\r\nsecond\u{7}",
                place: "https://meet.example/a?b=c",
            }],
            now(),
        );
        let expected = [
            "BEGIN:VCALENDAR",
            "VERSION:2.0",
            "PRODID:-//Booking widget//EN",
            "CALSCALE:GREGORIAN",
            "METHOD:PUBLISH",
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
        let event = |booking| Event {
            booking,
            notes: "",
            place: "",
        };
        let file = calendar_file(&[event(&first), event(&second)], now());
        assert_eq!(file.matches("BEGIN:VEVENT\r\n").count(), 2);
        assert!(file.contains("UID:bk1\r\n") && file.contains("UID:bk2\r\n"));
        assert!(!file.contains("LOCATION") && !file.contains("DESCRIPTION"));
    }

    #[test]
    fn no_line_is_longer_than_75_bytes_and_no_letter_is_cut() {
        let mut long = booking();
        long.title = "日本語の予約🎉".repeat(40);
        let file = calendar_file(
            &[Event {
                booking: &long,
                notes: &"x".repeat(400),
                place: "",
            }],
            now(),
        );
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
            &[Event {
                booking: &odd,
                notes: "\r\nATTACH:x",
                place: "https://a.example\r\nATTACH:x",
            }],
            now(),
        );
        assert!(!file.contains("\nATTACH"), "{file}");
        assert!(!file.contains("ORGANIZER"), "{file}");
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
            let event = Event {
                booking: &booking,
                notes: "",
                place: "",
            };
            let file = calendar_file(&[event], now());
            assert!(file.contains(&format!("STATUS:{written}\r\n")), "{file}");
        }
    }

    #[test]
    fn web_calendars_get_the_meeting_in_their_own_words() {
        let booking = booking();
        let event = Event {
            booking: &booking,
            notes: "",
            place: "Room 1",
        };
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
