//! Bookings as a calendar file. No DOM access.

use booking_wire::Booking;
use booking_wire::calendar::{CalendarEvent, CalendarFile, CalendarPerson};

use crate::features::shared::location::booked_location_text;
use crate::i18n::Translations;
use crate::time::Instant;

/// Writes a booking, as of `now`.
pub(super) fn write(file: &mut CalendarFile, booking: &Booking, texts: Translations, now: Instant) {
    let mut hosts = booking.hosts.iter().filter(|host| host.id != "unknown");
    let host = hosts.next().map(|host| CalendarPerson {
        name: &host.name,
        email: &host.email,
    });
    // Calendars know one organiser: other hosts become attendees.
    let others = hosts.map(|host| CalendarPerson {
        name: &host.name,
        email: &host.email,
    });
    let attendees = booking.attendees.iter().map(|person| CalendarPerson {
        name: &person.name,
        email: &person.email,
    });
    let guests = booking.guests.iter().flatten().map(|email| CalendarPerson {
        name: "",
        email: email.as_str(),
    });
    let location = booked_location_text(booking.location.as_deref(), texts);
    let event = CalendarEvent {
        // As in the invitations, so that calendars do not show the meeting twice.
        uid: booking.ics_uid.as_deref().unwrap_or(&booking.uid.0),
        title: &booking.title,
        status: &booking.status,
        start: booking.start,
        end: booking.end,
        notes: &booking.description,
        location: &location,
        url: &location,
        host: host.unwrap_or_default(),
        attendees: others.chain(attendees).chain(guests).collect(),
        history: booking
            .created_at
            .map(|created| (created, booking.updated_at.unwrap_or(created))),
    };
    file.event(&event, now);
}

#[cfg(test)]
mod tests {
    use booking_wire::{Attendee, BookingStatus, BookingUid, Host};

    use super::*;

    #[test]
    fn hosts_attendees_and_guests_are_participants() {
        let host = |id: &str, name: &str, email: &str| Host {
            id: id.into(),
            name: name.into(),
            email: email.into(),
            ..Host::default()
        };
        let at = |text| Instant::parse(text).unwrap();
        let booking = Booking {
            uid: BookingUid("bk1".into()),
            title: "Intro".into(),
            status: BookingStatus::Rejected,
            hosts: vec![
                host("unknown", "unknown", "unknown"),
                host("5", "Ada", "ada@example.org"),
                host("6", "Bo", "bo@example.org"),
            ],
            attendees: vec![Attendee {
                name: "Zoë".into(),
                email: "zoe@example.org".into(),
                ..Attendee::default()
            }],
            guests: Some(vec!["guest@example.org".into()]),
            created_at: Some(at("2027-03-01T09:00:00Z")),
            ..Booking::default()
        };
        let mut file = CalendarFile::default();
        write(
            &mut file,
            &booking,
            Translations::ENGLISH,
            at("2027-03-02T09:00:00Z"),
        );
        let written = file.take();
        for line in [
            "STATUS:CANCELLED",
            "SEQUENCE:0",
            "ORGANIZER;CN=\"Ada\":mailto:ada@example.org",
            "ATTENDEE;CN=\"Bo\":mailto:bo@example.org",
            "ATTENDEE;CN=\"Zoë\":mailto:zoe@example.org",
            "ATTENDEE:mailto:guest@example.org",
        ] {
            assert!(written.contains(&format!("{line}\r\n")), "{written}");
        }
    }
}
