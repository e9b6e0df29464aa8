//! Links that add a booking to a calendar.

use booking_calendar::{
    CalendarEvent, CalendarPerson, WebCalendar, calendar_file, web_calendar_url,
};
use booking_wire::formats::is_location_token;
use booking_wire::{Booking, CalendarLink};
use percent_encoding::utf8_percent_encode;

use crate::api::RESERVED;
use crate::app::AppState;
use crate::auth::Caller;
use crate::domain::bookings::read::{find_authorised, read_one};
use crate::error::Result;

/// Returns links that add a booking to the calendars of Google and Microsoft, and a calendar file.
pub async fn calendar_links(
    app: &AppState,
    caller: &Caller,
    uid: &str,
) -> Result<Vec<CalendarLink>> {
    let mut db = app.store.read().await?;
    let snapshot = find_authorised(&mut db, caller, uid).await?;
    let booking = read_one(&mut db, snapshot.id).await?;
    Ok(links(&booking))
}

fn links(booking: &Booking) -> Vec<CalendarLink> {
    let link = |label: &str, link: String| CalendarLink {
        label: label.to_owned(),
        link,
    };
    let location = booking
        .location
        .as_deref()
        .filter(|location| !is_location_token(location))
        .unwrap_or_default();
    let event = CalendarEvent {
        uid: booking.ics_uid.as_deref().unwrap_or(&booking.uid.0),
        title: &booking.title,
        status: &booking.status,
        start: booking.start,
        end: booking.end,
        notes: &booking.description,
        location,
        url: booking.meeting_url.as_deref().unwrap_or_default(),
        host: CalendarPerson::default(),
        attendees: Vec::new(),
        history: booking.history(),
    };
    let stamp = booking.updated_at.or(booking.created_at);
    let file = calendar_file(std::slice::from_ref(&event), stamp.unwrap_or(booking.start));
    let url = |calendar| web_calendar_url(calendar, &event, encoded);
    vec![
        link("Google Calendar", url(WebCalendar::Google)),
        link("Microsoft Office", url(WebCalendar::Office)),
        link("Microsoft Outlook", url(WebCalendar::Outlook)),
        link(
            "ICS",
            format!("data:text/calendar;charset=utf-8,{}", encoded(&file)),
        ),
    ]
}

fn encoded(text: &str) -> String {
    utf8_percent_encode(text, RESERVED).to_string()
}

#[cfg(test)]
mod tests {
    use booking_wire::{BookingUid, Instant};
    use percent_encoding::percent_decode_str;

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

    fn ics_file(booking: &Booking) -> String {
        let link = links(booking).pop().unwrap().link;
        let encoded = link
            .strip_prefix("data:text/calendar;charset=utf-8,")
            .unwrap();
        percent_decode_str(encoded)
            .decode_utf8()
            .unwrap()
            .into_owned()
    }

    #[test]
    fn calendar_file_has_escaped_texts() {
        assert_eq!(
            ics_file(&booking()),
            "BEGIN:VCALENDAR\r\nVERSION:2.0\r\nPRODID:-//Booking//EN\r\n\
             CALSCALE:GREGORIAN\r\nBEGIN:VEVENT\r\nUID:bk1@booking\r\nDTSTAMP:20270301T080000Z\r\n\
             DTSTART:20270329T070000Z\r\nDTEND:20270329T073000Z\r\n\
             SUMMARY:Zoë & Ada\\; plans\\, \\\\ more\r\n\
             DESCRIPTION:One\\nTwo\\nBEGIN:VALARM\r\nLOCATION:Piazza 1\\, Roma\r\n\
             STATUS:CONFIRMED\r\nEND:VEVENT\r\nEND:VCALENDAR\r\n"
        );
    }

    #[test]
    fn links_have_times_in_utc_and_encoded_texts() {
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
    fn integration_token_is_no_location_and_link_is_url() {
        let token = Booking {
            location: Some("integrations:zoom".into()),
            ..booking()
        };
        assert!(!ics_file(&token).contains("LOCATION"));
        assert!(!links(&token)[0].link.contains("location="));
        let link = Booking {
            location: Some("https://meet.example/a?b=1,2".into()),
            meeting_url: Some("https://meet.example/a?b=1,2".into()),
            ..booking()
        };
        assert!(ics_file(&link).contains("\r\nURL:https://meet.example/a?b=1,2\r\n"));
        assert!(ics_file(&link).contains("\r\nLOCATION:https://meet.example/a?b=1\\,2\r\n"));
    }
}
