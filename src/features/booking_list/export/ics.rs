//! Bookings as a calendar file. No DOM access.

use booking_calendar::{CalendarEvent, CalendarFile, CalendarPerson};
use booking_wire::Booking;

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
    // As in the invitations, so that calendars do not show the meeting twice. The booking that replaced this one has the
    // same: in one file with it, this one would end its entry.
    let ics_uid = booking.ics_uid.as_deref();
    let ics_uid = ics_uid.filter(|_| booking.rescheduled_to_uid.is_none());
    let uid = ics_uid.unwrap_or(&booking.uid.0);
    let event = CalendarEvent {
        uid,
        title: &booking.title,
        status: &booking.status,
        start: booking.start,
        end: booking.end,
        notes: &booking.description,
        location: &location,
        url: &location,
        host: host.unwrap_or_default(),
        attendees: others.chain(attendees).chain(guests).collect(),
        history: booking.history(),
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
            "SEQUENCE:226054800",
            "ORGANIZER;CN=\"Ada\":mailto:ada@example.org",
            "ATTENDEE;CN=\"Bo\":mailto:bo@example.org",
            "ATTENDEE;CN=\"Zoë\":mailto:zoe@example.org",
            "ATTENDEE:mailto:guest@example.org",
        ] {
            assert!(written.contains(&format!("{line}\r\n")), "{written}");
        }
    }

    #[test]
    fn replaced_booking_does_not_have_the_uid_of_its_successor() {
        let booking = |uid: &str, rescheduled_to_uid: Option<&str>| Booking {
            uid: BookingUid(uid.into()),
            ics_uid: Some("bk1@booking".into()),
            rescheduled_to_uid: rescheduled_to_uid.map(|uid| BookingUid(uid.into())),
            ..Booking::default()
        };
        let now = Instant::parse("2027-03-02T09:00:00Z").unwrap();
        for (booking, uid) in [
            (booking("bk1", Some("bk2")), "bk1"),
            (booking("bk2", None), "bk1@booking"),
        ] {
            let mut file = CalendarFile::default();
            write(&mut file, &booking, Translations::ENGLISH, now);
            let written = file.take();
            assert!(written.contains(&format!("UID:{uid}\r\n")), "{written}");
        }
    }
}
