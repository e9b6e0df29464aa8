//! Links that add a booking to somebody's calendar (contract 3.5.2).

use booking_wire::{Booking, BookingStatus, CalendarLink, Instant};

use crate::app::AppState;
use crate::auth::Caller;
use crate::auth::access::Subject;
use crate::bookings::read::read_one;
use crate::error::Result;
use crate::store::booking_acts;

/// Links that add a booking to the calendars of Google and Microsoft, and a calendar file.
pub async fn calendar_links(
    app: &AppState,
    caller: &Caller,
    uid: &str,
) -> Result<Vec<CalendarLink>> {
    let mut db = app.store.read().await?;
    let known = booking_acts::one(&mut db, uid).await?;
    caller
        .authorise(&mut db, &Subject::of_booking(&known))
        .await?;
    let booking = read_one(&mut db, known.id).await?;
    Ok(links(&booking))
}

fn links(booking: &Booking) -> Vec<CalendarLink> {
    let link = |label: &str, link: String| CalendarLink {
        label: label.to_owned(),
        link,
    };
    let file = escaped(&file(booking));
    vec![
        link("Google Calendar", google(booking)),
        link(
            "Microsoft Office",
            microsoft("https://outlook.office.com", booking),
        ),
        link(
            "Microsoft Outlook",
            microsoft("https://outlook.live.com", booking),
        ),
        link("ICS", format!("data:text/calendar;charset=utf-8,{file}")),
    ]
}

fn google(booking: &Booking) -> String {
    let dates = format!("{}/{}", basic(booking.start), basic(booking.end));
    address(
        "https://calendar.google.com/calendar/render",
        &[
            ("action", "TEMPLATE"),
            ("text", &booking.title),
            ("dates", &dates),
            ("details", &booking.description),
            ("location", place(booking)),
        ],
    )
}

fn microsoft(origin: &str, booking: &Booking) -> String {
    address(
        &format!("{origin}/calendar/0/deeplink/compose"),
        &[
            ("path", "/calendar/action/compose"),
            ("rru", "addevent"),
            ("subject", &booking.title),
            ("startdt", &booking.start.to_string()),
            ("enddt", &booking.end.to_string()),
            ("body", &booking.description),
            ("location", place(booking)),
        ],
    )
}

/// Where people go. A token of the service, such as `integrations:zoom`, is no place for them.
fn place(booking: &Booking) -> &str {
    booking
        .location
        .as_deref()
        .filter(|location| !location.starts_with("integrations:"))
        .unwrap_or_default()
}

fn address(base: &str, parameters: &[(&str, &str)]) -> String {
    let pairs: Vec<String> = parameters
        .iter()
        .filter(|(_, value)| !value.is_empty())
        .map(|(name, value)| format!("{name}={}", escaped(value)))
        .collect();
    format!("{base}?{}", pairs.join("&"))
}

/// Percent-encodes all but the unreserved characters of RFC 3986.
fn escaped(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len() * 2);
    for byte in text.bytes() {
        if byte.is_ascii_alphanumeric() || b"-._~".contains(&byte) {
            escaped.push(char::from(byte));
        } else {
            escaped.push_str(&format!("%{byte:02X}"));
        }
    }
    escaped
}

/// `20270329T070000Z`
fn basic(instant: Instant) -> String {
    let text = instant.to_string();
    let seconds = text.split('.').next().unwrap_or_default();
    format!("{}Z", seconds.replace(['-', ':'], ""))
}

/// The booking as an iCalendar file (RFC 5545).
fn file(booking: &Booking) -> String {
    let uid = booking.ics_uid.as_deref().unwrap_or(&booking.uid.0);
    let stamp = booking.updated_at.or(booking.created_at);
    let status = match booking.status {
        BookingStatus::Accepted => "CONFIRMED",
        BookingStatus::Cancelled | BookingStatus::Rejected => "CANCELLED",
        _ => "TENTATIVE",
    };
    let mut lines = vec![
        "BEGIN:VCALENDAR".to_owned(),
        "VERSION:2.0".to_owned(),
        "PRODID:-//Booking service//Calendar links//EN".to_owned(),
        "CALSCALE:GREGORIAN".to_owned(),
        "BEGIN:VEVENT".to_owned(),
        format!("UID:{}", text(uid)),
        format!("DTSTAMP:{}", basic(stamp.unwrap_or(booking.start))),
        format!("DTSTART:{}", basic(booking.start)),
        format!("DTEND:{}", basic(booking.end)),
        format!("SUMMARY:{}", text(&booking.title)),
        format!("STATUS:{status}"),
    ];
    if !booking.description.is_empty() {
        lines.push(format!("DESCRIPTION:{}", text(&booking.description)));
    }
    if !place(booking).is_empty() {
        lines.push(format!("LOCATION:{}", text(place(booking))));
    }
    // A URI is written as it is; one with odd characters is told as the place only.
    if let Some(url) = booking
        .meeting_url
        .as_deref()
        .filter(|url| url.is_ascii() && !url.contains(|letter: char| letter.is_ascii_control()))
    {
        lines.push(format!("URL:{url}"));
    }
    lines.push("END:VEVENT".to_owned());
    lines.push("END:VCALENDAR".to_owned());
    lines.iter().map(|line| folded(line)).collect()
}

/// A TEXT value: backslash, semicolon, comma and line breaks are escaped, other controls dropped.
fn text(value: &str) -> String {
    let mut escaped = String::with_capacity(value.len());
    for letter in value.replace("\r\n", "\n").chars() {
        match letter {
            '\\' | ';' | ',' => {
                escaped.push('\\');
                escaped.push(letter);
            }
            '\n' | '\r' => escaped.push_str("\\n"),
            other if other.is_control() && other != '\t' => {}
            other => escaped.push(other),
        }
    }
    escaped
}

/// A content line of at most 75 octets, continued on lines that begin with a space; never broken
/// inside a character.
fn folded(line: &str) -> String {
    let mut folded = String::with_capacity(line.len() + 8);
    let mut octets = 0;
    for letter in line.chars() {
        if octets + letter.len_utf8() > 75 {
            folded.push_str("\r\n ");
            octets = 1;
        }
        folded.push(letter);
        octets += letter.len_utf8();
    }
    folded.push_str("\r\n");
    folded
}

#[cfg(test)]
mod tests {
    use booking_wire::BookingUid;

    use super::*;

    fn booking() -> Booking {
        Booking {
            uid: BookingUid("bk1".into()),
            ics_uid: Some("bk1@booking".into()),
            title: "Zoë & Ada; plans, \\ more".into(),
            description: "One\r\nTwo\nBEGIN:VALARM".into(),
            location: Some("Piazza 1, Roma".into()),
            start: Instant::parse("2027-03-29T07:00:00Z").unwrap(),
            end: Instant::parse("2027-03-29T07:30:00Z").unwrap(),
            updated_at: Instant::parse("2027-03-01T08:00:00Z"),
            ..Booking::default()
        }
    }

    #[test]
    fn a_calendar_file_escapes_what_has_a_meaning_in_it() {
        let file = file(&booking());
        assert_eq!(
            file,
            "BEGIN:VCALENDAR\r\nVERSION:2.0\r\nPRODID:-//Booking service//Calendar links//EN\r\n\
             CALSCALE:GREGORIAN\r\nBEGIN:VEVENT\r\nUID:bk1@booking\r\nDTSTAMP:20270301T080000Z\r\n\
             DTSTART:20270329T070000Z\r\nDTEND:20270329T073000Z\r\n\
             SUMMARY:Zoë & Ada\\; plans\\, \\\\ more\r\nSTATUS:CONFIRMED\r\n\
             DESCRIPTION:One\\nTwo\\nBEGIN:VALARM\r\nLOCATION:Piazza 1\\, Roma\r\n\
             END:VEVENT\r\nEND:VCALENDAR\r\n"
        );
    }

    #[test]
    fn long_lines_are_folded_between_characters() {
        let line = format!("SUMMARY:{}", "王小明".repeat(40));
        let folded = folded(&line);
        let parts: Vec<&str> = folded.trim_end().split("\r\n").collect();
        assert!(parts.len() > 4);
        assert!(parts.iter().all(|part| part.len() <= 75));
        assert!(parts[1..].iter().all(|part| part.starts_with(' ')));
        let unfolded: String = folded.trim_end().replace("\r\n ", "");
        assert_eq!(unfolded, line);
    }

    #[test]
    fn each_target_gets_the_times_in_utc_and_escaped_texts() {
        let links = links(&booking());
        let labels: Vec<&str> = links.iter().map(|link| link.label.as_str()).collect();
        assert_eq!(
            labels,
            [
                "Google Calendar",
                "Microsoft Office",
                "Microsoft Outlook",
                "ICS"
            ]
        );
        assert!(
            links[0]
                .link
                .contains("dates=20270329T070000Z%2F20270329T073000Z")
        );
        assert!(
            links[0]
                .link
                .contains("text=Zo%C3%AB%20%26%20Ada%3B%20plans%2C%20%5C%20more")
        );
        for link in &links[1..3] {
            assert!(link.link.contains("startdt=2027-03-29T07%3A00%3A00.000Z"));
            assert!(link.link.contains("location=Piazza%201%2C%20Roma"));
        }
        assert!(
            links[3]
                .link
                .starts_with("data:text/calendar;charset=utf-8,BEGIN%3AVCALENDAR%0D%0A")
        );
    }

    #[test]
    fn a_token_of_the_service_is_no_place_and_a_link_is_an_address() {
        let token = Booking {
            location: Some("integrations:zoom".into()),
            ..booking()
        };
        assert!(!file(&token).contains("LOCATION") && !google(&token).contains("location="));
        let link = Booking {
            location: Some("https://meet.example/a?b=1,2".into()),
            meeting_url: Some("https://meet.example/a?b=1,2".into()),
            ..booking()
        };
        assert!(file(&link).contains("\r\nURL:https://meet.example/a?b=1,2\r\n"));
        assert!(file(&link).contains("\r\nLOCATION:https://meet.example/a?b=1\\,2\r\n"));
    }
}
