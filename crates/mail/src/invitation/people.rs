//! Organizer and attendees of an invitation, as its recipient may see them.

use std::collections::HashSet;

use booking_wire::calendar::{CalendarFile, calendar_address};

use crate::data::{BookingData, Person};
use crate::message::{Recipient, Role};

/// Organizer of a meeting.
pub(super) struct Organizer<'a> {
    name: &'a str,
    address: String,
    /// True if answers to the invitation reach a host.
    is_host: bool,
}

impl<'a> Organizer<'a> {
    /// Returns the first host. The sender of the message takes the place of a host whose address is malformed or whom the
    /// recipient may not see by address; it has the name of the host. None without any address.
    pub(super) fn of(
        booking: &'a BookingData,
        recipient: &Recipient,
        sender: &str,
    ) -> Option<Self> {
        // The calendar of a former host compares the organizer with that of the entry: the first host before the
        // reassignment. That is a former host if no host stayed.
        let are_all_new = booking.hosts.len() <= booking.former_hosts.len();
        let is_former = recipient.role == Role::FormerHost && are_all_new;
        let hosts = if is_former {
            &booking.former_hosts
        } else {
            &booking.hosts
        };
        let host = hosts.first();
        let name = host.map_or("", |host| &host.name);
        let host = host.filter(|_| recipient.role.sees_host_addresses(booking));
        let (address, is_host) = match host.and_then(|host| calendar_address(&host.email)) {
            Some(address) => (address, true),
            None => (calendar_address(sender)?, false),
        };
        Some(Self {
            name,
            address,
            is_host,
        })
    }

    /// Writes the organizer. The message comes from `sender`, so a host has SENT-BY (RFC 6047, 2.3): calendars distrust
    /// invitations whose sender is neither.
    pub(super) fn write(&self, file: &mut CalendarFile, sender: &str) {
        let mut parameters = name(self.name);
        let sender = calendar_address(sender).filter(|sender| *sender != self.address);
        if let Some(sender) = &sender {
            parameters.push(("SENT-BY", sender));
        }
        file.property("ORGANIZER", &parameters, &self.address);
    }
}

/// Attendee of a meeting.
struct Participant<'a> {
    person: &'a Person,
    is_required: bool,
    has_accepted: bool,
}

/// Writes the attendees: all but the organizer, each once, or the organizer if there is no one else.
///
/// A person who booked has chosen the time and has accepted, also a time that a host moved the booking to: they cancel or
/// reschedule by the links of the message. Hosts and guests have not been asked, so their answer is open. Guests are
/// optional: the meeting takes place without them. Persons without a usable address are left out: calendars know people
/// by their addresses only.
pub(super) fn write_attendees(
    file: &mut CalendarFile,
    booking: &BookingData,
    attendees: &[Person],
    recipient: &Recipient,
    organizer: &Organizer<'_>,
    can_answer: bool,
) {
    let mut written = HashSet::from([organizer.address.to_lowercase()]);
    for participant in participants(booking, attendees, recipient) {
        let Some(address) = calendar_address(&participant.person.email) else {
            continue;
        };
        if !written.insert(address.to_lowercase()) {
            continue;
        }
        let mut parameters = name(&participant.person.name);
        parameters.push(("CUTYPE", "INDIVIDUAL"));
        let is_required = participant.is_required;
        parameters.push((
            "ROLE",
            if is_required {
                "REQ-PARTICIPANT"
            } else {
                "OPT-PARTICIPANT"
            },
        ));
        if participant.has_accepted {
            parameters.push(("PARTSTAT", "ACCEPTED"));
        } else {
            parameters.push(("PARTSTAT", "NEEDS-ACTION"));
            if can_answer && organizer.is_host {
                parameters.push(("RSVP", "TRUE"));
            }
        }
        file.property("ATTENDEE", &parameters, &address);
    }
    // An invitation has at least one (RFC 5546, 3.2.2).
    if written.len() == 1 {
        let mut parameters = name(organizer.name);
        parameters.extend([
            ("CUTYPE", "INDIVIDUAL"),
            ("ROLE", "CHAIR"),
            ("PARTSTAT", "ACCEPTED"),
        ]);
        file.property("ATTENDEE", &parameters, &organizer.address);
    }
}

/// Returns the people whom the recipient sees, with the recipient among them.
fn participants<'a>(
    booking: &'a BookingData,
    attendees: &'a [Person],
    recipient: &'a Recipient,
) -> Vec<Participant<'a>> {
    let participant = |person, is_required, has_accepted| Participant {
        person,
        is_required,
        has_accepted,
    };
    let themselves = participant(
        &recipient.person,
        recipient.role != Role::Guest,
        recipient.role == Role::Attendee,
    );
    // Who is an attendee of a cancellation leaves the meeting.
    if recipient.role == Role::FormerHost {
        return vec![themselves];
    }
    let is_visible = |person: &&Person| {
        recipient.role.is_host()
            || !booking.hides_attendees
            || is_same(&person.email, &recipient.person.email)
    };
    let hosts = booking.hosts.iter().skip(1);
    let hosts = hosts.filter(|_| recipient.role.sees_host_addresses(booking));
    let attendees = attendees.iter().filter(is_visible);
    let guests = booking.guests.iter().filter(is_visible);
    hosts
        .map(|host| participant(host, true, false))
        .chain(attendees.map(|person| participant(person, true, true)))
        .chain(guests.map(|person| participant(person, false, false)))
        .chain([themselves])
        .collect()
}

/// Returns the people who booked and whom the recipient may not see.
pub(super) fn hidden_attendees<'a>(
    booking: &'a BookingData,
    recipient: &'a Recipient,
) -> impl Iterator<Item = &'a Person> {
    let are_hidden = booking.hides_attendees && !recipient.role.is_host();
    let people = booking.attendees.iter().chain(&booking.remaining_attendees);
    people.filter(move |person| are_hidden && !is_same(&person.email, &recipient.person.email))
}

fn is_same(email: &str, other: &str) -> bool {
    email.to_lowercase() == other.to_lowercase()
}

fn name(name: &str) -> Vec<(&'static str, &str)> {
    let has_letters = |name: &str| {
        name.chars()
            .any(|sign| !sign.is_control() && !sign.is_whitespace())
    };
    if has_letters(name) {
        vec![("CN", name)]
    } else {
        Vec::new()
    }
}
