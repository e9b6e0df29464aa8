//! Calendar invitations (RFC 5545, 5546 and 6047).
//!
//! | Message | Host | Attendee, guest | Former host |
//! |---|---|---|---|
//! | booked | REQUEST | REQUEST | none |
//! | confirmed | REQUEST | REQUEST | CANCEL |
//! | requested | REQUEST, tentative | none; CANCEL after a reschedule | none |
//! | rescheduled | REQUEST | REQUEST; CANCEL if a host has to confirm the new time | CANCEL |
//! | location changed, guests added, clocks changed | REQUEST | REQUEST if confirmed | none |
//! | host reassigned | REQUEST | REQUEST if confirmed | CANCEL |
//! | declined | CANCEL | none | none |
//! | cancelled | CANCEL; REQUEST if others keep their seats | CANCEL | none |
//! | reminder, code | none | none | none |
//!
//! Entries of bookings that wait for a host are tentative, and only hosts have them: for others the meeting does not exist
//! until it is confirmed. When a confirmed booking is moved and waits again, they lose their entry, whose time is free for
//! others, and get it back when it is confirmed; so a refusal changes no entry of theirs. A cancellation goes to everyone,
//! because calendars ignore one without an entry.
//!
//! Times are in the zone of the series, or else of the first host: in a series it decides when the meetings are after
//! clocks change, and for a single meeting calendars convert it. A series is one event with a rule, or with a list of
//! dates if calendars would compute other dates from the rule.
//!
//! The sender of the messages organizes all meetings, and hosts are attendees (`people.rs`).
//!
//! There is no alarm: calendars add those of their users.

mod people;
mod time_zone;
mod times;

use booking_calendar::{CalendarFile, stamp};
use booking_wire::formats::{in_range, is_url};

use crate::data::BookingData;
use crate::message::{Kind, Recipient, Role, sees_answers};
pub use people::Sender;
use people::{Organizer, hidden_attendees, write_attendees};
use times::{EventTimes, Times};

/// Effect of an invitation on a calendar.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Method {
    /// Adds or updates the meeting.
    Request,
    /// Removes the meeting.
    Cancel,
}

impl Method {
    /// Returns the name in calendar files and content types.
    pub fn name(self) -> &'static str {
        match self {
            Self::Request => "REQUEST",
            Self::Cancel => "CANCEL",
        }
    }
}

/// Calendar invitation of a message.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Invitation {
    /// Value of METHOD.
    pub method: Method,
    /// Calendar file in UTF-8 with CRLF.
    pub text: String,
}

/// Status of a calendar entry.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Status {
    Confirmed,
    Tentative,
    Cancelled,
}

impl Status {
    /// Returns the status of the recipient's entry after an event; none if the event changes no entry.
    fn after(kind: Kind, booking: &BookingData, role: Role) -> Option<Self> {
        let of_meeting = match kind {
            Kind::Booked | Kind::Confirmed => Self::Confirmed,
            Kind::Requested => Self::Tentative,
            _ if booking.is_confirmed => Self::Confirmed,
            _ => Self::Tentative,
        };
        match (kind, role) {
            (Kind::Reminder | Kind::VerificationCode, _) => None,
            (Kind::HostReassigned | Kind::Rescheduled | Kind::Confirmed, Role::FormerHost) => {
                Some(Self::Cancelled)
            }
            (_, Role::FormerHost) => None,
            (Kind::Cancelled, Role::Host) if !booking.remaining_attendees.is_empty() => {
                Some(of_meeting)
            }
            (Kind::Cancelled, _) | (Kind::Declined, Role::Host) => Some(Self::Cancelled),
            (Kind::Declined, _) => None,
            (_, Role::Host) => Some(of_meeting),
            (_, Role::Attendee | Role::Guest) if of_meeting == Self::Confirmed => Some(of_meeting),
            (Kind::Requested | Kind::Rescheduled, _) => {
                booking.previous_time.map(|_| Self::Cancelled)
            }
            _ => None,
        }
    }

    fn name(self) -> &'static str {
        match self {
            Self::Confirmed => "CONFIRMED",
            Self::Tentative => "TENTATIVE",
            Self::Cancelled => "CANCELLED",
        }
    }

    /// Cancellations for one person have this method, too, where RFC 5546 would have only the person's name removed:
    /// calendars act on a cancelled status.
    fn method(self) -> Method {
        match self {
            Self::Confirmed | Self::Tentative => Method::Request,
            Self::Cancelled => Method::Cancel,
        }
    }
}

/// Returns the invitation in a message to the recipient.
///
/// `url` is the page of the booking. `time_elsewhere` is the time on the clock of the other side, as
/// [`Templates::time_elsewhere`](crate::templates::Templates::time_elsewhere) returns it. `sender` is the name and address that the
/// message comes from.
///
/// There is none if the message changes no calendar entry, and none without a uid, an organizer with a usable address or
/// times in the years 1970 to 9999.
pub fn invitation(
    kind: Kind,
    booking: &BookingData,
    recipient: &Recipient,
    url: Option<&str>,
    time_elsewhere: Option<&str>,
    sender: Sender<'_>,
) -> Option<Invitation> {
    let status = Status::after(kind, booking, recipient.role)?;
    let organizer = Organizer::of(booking, recipient, sender)?;
    // An entry that is removed because the booking moved is at the time before.
    let is_moved = matches!(kind, Kind::Requested | Kind::Rescheduled);
    let is_removed = status == Status::Cancelled;
    let times = Times::of(booking, is_moved && is_removed, is_removed)?;
    let has_uid = booking.calendar_uid.chars().any(char::is_alphanumeric);
    if !has_uid || !in_range(booking.changed) {
        return None;
    }
    let writer = Writer {
        booking,
        recipient,
        url: url.unwrap_or_default(),
        time_elsewhere: time_elsewhere.unwrap_or_default(),
        sender: sender.email,
        status,
        organizer,
        has_remaining: kind == Kind::Cancelled && status != Status::Cancelled,
    };
    let mut file = CalendarFile::default();
    file.begin();
    file.property("METHOD", &[], status.method().name());
    times.write_zone(&mut file);
    for event in times.events() {
        writer.event(&mut file, &times, event);
    }
    file.end();
    Some(Invitation {
        method: status.method(),
        text: file.take(),
    })
}

/// Writes the events of an invitation.
struct Writer<'a> {
    booking: &'a BookingData,
    recipient: &'a Recipient,
    url: &'a str,
    time_elsewhere: &'a str,
    sender: &'a str,
    status: Status,
    organizer: Organizer<'a>,
    /// True if the meeting takes place without the attendees who cancelled.
    has_remaining: bool,
}

impl Writer<'_> {
    fn event(&self, file: &mut CalendarFile, times: &Times, event: &EventTimes) {
        let booking = self.booking;
        let is_cancelled = self.status == Status::Cancelled;
        file.property("BEGIN", &[], "VEVENT");
        file.text("UID", &text(&booking.calendar_uid));
        let sequence = booking.sequence.clamp(0, i64::from(i32::MAX));
        file.property("SEQUENCE", &[], &sequence.to_string());
        // Calendars compare it with that of the entry: it rises with the events, also if messages are sent late.
        file.property("DTSTAMP", &[], &stamp(booking.changed));
        file.property("LAST-MODIFIED", &[], &stamp(booking.changed));
        times.write(file, event);
        let location = text(&booking.location);
        let location = location.trim();
        if is_cancelled {
            file.texts(&self.title(), "", location, "");
            file.text(
                "COMMENT",
                &text(booking.reason.as_deref().unwrap_or_default()),
            );
        } else {
            let url = if is_url(location) { location } else { self.url };
            file.texts(&self.title(), &self.description(), location, url);
        }
        file.property("STATUS", &[], self.status.name());
        let transparency = if is_cancelled {
            "TRANSPARENT"
        } else {
            "OPAQUE"
        };
        file.property("TRANSP", &[], transparency);
        self.organizer.write(file, self.sender);
        let attendees = if self.has_remaining {
            &booking.remaining_attendees
        } else {
            &booking.attendees
        };
        write_attendees(file, booking, attendees, self.recipient, &self.organizer);
        file.property("END", &[], "VEVENT");
    }

    /// Title of the booking, or of the event type if it names a person whom the recipient may not see.
    fn title(&self) -> String {
        let (title, event_type) = (&self.booking.title, &self.booking.event_type);
        let names_hidden = hidden_attendees(self.booking, self.recipient)
            .map(|person| person.name.trim())
            .any(|name| !name.is_empty() && title.contains(name));
        let title = if names_hidden { event_type } else { title };
        if title.trim().is_empty() {
            let hosts: Vec<&str> = (self.booking.hosts.iter())
                .map(|host| host.name.as_str())
                .collect();
            return text(&hosts.join(", "));
        }
        text(title)
    }

    /// The other side's time, notes, answers and the link to the booking. Notes and answers of people whom the recipient
    /// may not see are left out.
    fn description(&self) -> String {
        let booking = self.booking;
        let is_hidden = booking.hides_notes_in_calendar
            || hidden_attendees(booking, self.recipient).next().is_some();
        let mut parts = vec![self.time_elsewhere.to_owned()];
        if !is_hidden {
            parts.push(booking.notes.trim().to_owned());
            let is_shown = sees_answers(self.recipient.role, &self.recipient.person, booking);
            let answers = booking.answers.iter().filter(|_| is_shown);
            let answers = answers.map(|(label, answer)| match (label.trim(), answer.trim()) {
                ("", answer) => answer.to_owned(),
                (label, answer) => format!("{label}: {answer}"),
            });
            parts.push(answers.collect::<Vec<_>>().join("\n"));
        }
        parts.push(self.url.to_owned());
        parts.retain(|part| !part.is_empty());
        text(&parts.join("\n\n"))
    }
}

/// Returns a text with plain line breaks: some readers end a line at Unicode's, too.
fn text(text: &str) -> String {
    text.replace(['\u{2028}', '\u{2029}'], "\n")
}

#[cfg(test)]
mod tests;
