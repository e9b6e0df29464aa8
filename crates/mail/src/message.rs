//! Kinds of messages, recipients and links.

use serde::{Deserialize, Serialize};

use crate::data::{BookingData, Person};

/// Event that a message is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Kind {
    /// A booking was made that needs no confirmation, or a seat in it was taken.
    Booked,
    /// A booking was made that a host has to confirm.
    Requested,
    /// A host confirmed the booking.
    Confirmed,
    /// A host declined the booking.
    Declined,
    /// The booking has another start.
    Rescheduled,
    /// The booking, or the recipient's seat in it, was cancelled.
    Cancelled,
    /// The meeting has another location.
    LocationChanged,
    /// Guests were added.
    GuestsAdded,
    /// Another host has the booking.
    HostReassigned,
    /// A change of law has changed the time of day of the meeting in some zones, or the meeting was moved to keep it.
    ClocksChanged,
    /// The meeting starts soon.
    Reminder,
    /// A code that shows that the recipient owns the address.
    VerificationCode,
}

impl Kind {
    /// All kinds.
    pub const ALL: [Self; 12] = [
        Self::Booked,
        Self::Requested,
        Self::Confirmed,
        Self::Declined,
        Self::Rescheduled,
        Self::Cancelled,
        Self::LocationChanged,
        Self::GuestsAdded,
        Self::HostReassigned,
        Self::ClocksChanged,
        Self::Reminder,
        Self::VerificationCode,
    ];

    /// Returns the name in the database, in templates and on the command line.
    pub fn name(self) -> &'static str {
        match self {
            Self::Booked => "booked",
            Self::Requested => "requested",
            Self::Confirmed => "confirmed",
            Self::Declined => "declined",
            Self::Rescheduled => "rescheduled",
            Self::Cancelled => "cancelled",
            Self::LocationChanged => "location_changed",
            Self::GuestsAdded => "guests_added",
            Self::HostReassigned => "host_reassigned",
            Self::ClocksChanged => "clocks_changed",
            Self::Reminder => "reminder",
            Self::VerificationCode => "verification_code",
        }
    }

    /// Returns the kind with a name.
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|kind| kind.name() == name)
    }
}

/// Part of the recipient in the meeting.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Role {
    /// Person who booked, or who has a seat.
    Attendee,
    /// Guest of the person who booked.
    Guest,
    /// Host.
    Host,
    /// Host until the booking was reassigned: for them the meeting is cancelled.
    FormerHost,
}

impl Role {
    /// Returns the name in the database and in templates.
    pub fn name(self) -> &'static str {
        match self {
            Self::Attendee => "attendee",
            Self::Guest => "guest",
            Self::Host => "host",
            Self::FormerHost => "former_host",
        }
    }

    /// Returns the role with a name.
    pub fn from_name(name: &str) -> Option<Self> {
        [Self::Attendee, Self::Guest, Self::Host, Self::FormerHost]
            .into_iter()
            .find(|role| role.name() == name)
    }

    /// Returns true for hosts of now and before.
    pub fn is_host(self) -> bool {
        matches!(self, Self::Host | Self::FormerHost)
    }

    /// Returns true if messages show the addresses of hosts.
    pub(crate) fn sees_host_addresses(self, booking: &BookingData) -> bool {
        self.is_host() || !booking.hides_host_addresses
    }
}

/// Recipient of a message.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Recipient {
    /// Part in the meeting.
    pub role: Role,
    /// Name, address, time zone and language.
    pub person: Person,
}

/// Returns true if messages to a person show the answers and the telephone number of who booked: they are for the hosts,
/// and for who gave them. With seats, each attendee has given their own.
pub(crate) fn sees_answers(role: Role, person: &Person, booking: &BookingData) -> bool {
    let gave = |booker: &Person| booker.email.eq_ignore_ascii_case(&person.email);
    match role {
        Role::Host | Role::FormerHost => true,
        Role::Attendee => booking.hides_attendees || booking.attendees.first().is_some_and(gave),
        Role::Guest => false,
    }
}

impl Recipient {
    /// Returns the person who gets the answer to a message: the first host, or for a host the person who booked. None if
    /// that is not one person, or not one whose address the recipient sees.
    pub fn counterpart<'a>(&self, booking: &'a BookingData) -> Option<&'a Person> {
        match self.role {
            Role::Attendee | Role::Guest => {
                (booking.hosts.first()).filter(|_| self.role.sees_host_addresses(booking))
            }
            Role::Host => match &booking.attendees[..] {
                [attendee] => Some(attendee),
                _ => None,
            },
            Role::FormerHost => None,
        }
    }
}

/// Absolute URLs in a message; none for what the recipient cannot do.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Links {
    /// Shows the booking.
    pub manage: Option<String>,
    /// Moves the booking to another time.
    pub reschedule: Option<String>,
    /// Cancels the booking.
    pub cancel: Option<String>,
    /// Page of the event type, after a cancellation.
    pub book_again: Option<String>,
    /// Confirms the booking, for hosts.
    pub confirm: Option<String>,
    /// Declines the booking, for hosts.
    pub decline: Option<String>,
    /// Stops reminders of this booking (RFC 8058).
    pub stop_reminders: Option<String>,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_unique_and_found_again() {
        for kind in Kind::ALL {
            assert_eq!(Kind::from_name(kind.name()), Some(kind));
        }
        for role in [Role::Attendee, Role::Guest, Role::Host, Role::FormerHost] {
            assert_eq!(Role::from_name(role.name()), Some(role));
        }
        assert_eq!(Kind::from_name("other"), None);
        assert_eq!(Role::from_name(""), None);
    }

    #[test]
    fn answers_go_to_the_other_side_unless_it_is_hidden_or_several() {
        let person = |email: &str| Person {
            email: email.to_owned(),
            ..Person::default()
        };
        let booking = BookingData {
            hosts: vec![person("host"), person("second")],
            attendees: vec![person("attendee")],
            ..BookingData::default()
        };
        let hidden = BookingData {
            hides_host_addresses: true,
            ..booking.clone()
        };
        let seats = BookingData {
            attendees: vec![person("attendee"), person("other")],
            ..booking.clone()
        };
        for (role, data, expected) in [
            (Role::Attendee, &booking, Some("host")),
            (Role::Guest, &booking, Some("host")),
            (Role::Host, &booking, Some("attendee")),
            (Role::FormerHost, &booking, None),
            (Role::Attendee, &hidden, None),
            (Role::Guest, &hidden, None),
            (Role::Host, &hidden, Some("attendee")),
            (Role::Attendee, &seats, Some("host")),
            (Role::Host, &seats, None),
        ] {
            let recipient = Recipient {
                role,
                person: person("recipient"),
            };
            let found = recipient.counterpart(data);
            assert_eq!(found.map(|it| &it.email[..]), expected, "{role:?}");
        }
    }
}
