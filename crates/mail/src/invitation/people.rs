//! Organizer and attendees of an invitation, as its recipient may see them.

use std::collections::HashSet;

use booking_calendar::{CalendarFile, calendar_address};

use crate::data::{BookingData, Person};
use crate::message::{Recipient, Role};

/// Name and address that messages come from.
#[derive(Clone, Copy, Debug)]
pub struct Sender<'a> {
    /// May be empty.
    pub name: &'a str,
    /// E-mail address.
    pub email: &'a str,
}

/// Organizer of a meeting.
pub(super) struct Organizer<'a> {
    name: &'a str,
    address: String,
}

impl<'a> Organizer<'a> {
    /// Returns the address that the entry was made with, or else that of the sender of the message. It stays the same when
    /// hosts change, as calendars take an entry with another organizer for another meeting. To hosts it has the name of
    /// the sender, to others that of the first host. None without any usable address.
    ///
    /// It is never the recipient, whose calendar would expect no answer and may delete the message: instead, it is the
    /// sender, or a subaddress of it.
    pub(super) fn of(
        booking: &'a BookingData,
        recipient: &Recipient,
        sender: Sender<'a>,
    ) -> Option<Self> {
        let own = calendar_address(&recipient.person.email);
        let candidates = [
            booking.organizer.clone(),
            sender.email.to_owned(),
            subaddress(sender.email),
        ];
        let is_other = |address: &String| own.as_ref().is_none_or(|own| !is_same(own, address));
        let address = (candidates.iter())
            .filter_map(|candidate| calendar_address(candidate))
            .find(is_other)?;
        let name = match recipient.role.is_host() {
            true => sender.name,
            false => booking.hosts.first().map_or("", |host| &host.name),
        };
        Some(Self { name, address })
    }

    /// Writes the organizer. The message comes from `sender`, so another address has SENT-BY (RFC 6047, 2.3): calendars
    /// distrust invitations whose sender is neither.
    pub(super) fn write(&self, file: &mut CalendarFile, sender: &str) {
        let mut parameters = name(self.name);
        let sender = calendar_address(sender).filter(|sender| *sender != self.address);
        if let Some(sender) = &sender {
            parameters.push(("SENT-BY", sender));
        }
        file.property("ORGANIZER", &parameters, &self.address);
    }
}

/// Returns an address that mail servers deliver as they do that one.
fn subaddress(email: &str) -> String {
    match email.rsplit_once('@') {
        Some((local, domain)) => format!("{local}+calendar@{domain}"),
        None => String::new(),
    }
}

/// Attendee of a meeting.
struct Participant<'a> {
    person: &'a Person,
    is_required: bool,
    has_accepted: bool,
}

/// Writes the attendees, each once, or the organizer if there is no one else.
///
/// A person who booked has chosen the time and has accepted, also a time that a host moved the booking to: they cancel or
/// reschedule by the links of the message. So have hosts of a confirmed meeting. Guests have not been asked, so their
/// answer is open; they are optional, as the meeting takes place without them. Answers are not requested: they would reach
/// the organizer, who is no person. Persons without a usable address are left out: calendars know people by their
/// addresses only.
pub(super) fn write_attendees(
    file: &mut CalendarFile,
    booking: &BookingData,
    attendees: &[Person],
    recipient: &Recipient,
    organizer: &Organizer<'_>,
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
        let role = match participant.is_required {
            true => "REQ-PARTICIPANT",
            false => "OPT-PARTICIPANT",
        };
        let status = match participant.has_accepted {
            true => "ACCEPTED",
            false => "NEEDS-ACTION",
        };
        parameters.extend([("ROLE", role), ("PARTSTAT", status)]);
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
        recipient.role == Role::Attendee || recipient.role == Role::Host && booking.is_confirmed,
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
    let hosts = booking.hosts.iter();
    let hosts = hosts.filter(|_| recipient.role.sees_host_addresses(booking));
    let attendees = attendees.iter().filter(is_visible);
    let guests = booking.guests.iter().filter(is_visible);
    hosts
        .map(|host| participant(host, true, booking.is_confirmed))
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
