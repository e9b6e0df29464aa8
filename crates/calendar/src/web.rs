//! Links that add a meeting to calendars on the web.

use crate::ics::{CalendarEvent, stamp};

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

/// Returns a link that adds the meeting to a calendar on the web. `encode` percent-encodes a text.
pub fn web_calendar_url(
    calendar: WebCalendar,
    event: &CalendarEvent<'_>,
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
                    ("location", event.location.to_owned()),
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
                ("location", event.location.to_owned()),
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
