//! Data of a message, stored as JSON with the event that it is about.

use std::collections::BTreeMap;

use booking_rules::transitions::{BookingContext, Transition, next_status};
use booking_rules::{Policy, Restriction};
use booking_wire::formats::is_location_token;
use booking_wire::{BookingStatus, Instant};
use serde::{Deserialize, Serialize};

/// Most answers in a message.
pub const MAX_ANSWERS: usize = 50;

/// Most people of one kind that a message names.
pub const MAX_PEOPLE: usize = 50;

/// Data of a message.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", tag = "about")]
pub enum MessageData {
    /// A booking. Boxed, because it is much larger than the other.
    Booking(Box<BookingData>),
    /// A code that verifies an address.
    Code(CodeData),
}

/// A booking at the time of an event.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct BookingData {
    /// Uid of the booking.
    pub uid: String,
    /// Uid of its calendar entry, which a rescheduled booking keeps. Occurrences of a series share one.
    pub calendar_uid: String,
    /// Address of the organizer in calendar entries; empty for that which messages come from.
    pub organizer: String,
    /// Number that rises with each change of the calendar entry (RFC 5545, SEQUENCE).
    pub sequence: i64,
    /// Time of the event.
    pub changed: Instant,
    /// Title of the booking.
    pub title: String,
    /// Title of the event type.
    pub event_type: String,
    /// Colour of the event type, as `#rrggbb`; empty if it has none.
    pub colour: String,
    /// UTC.
    pub start: Instant,
    /// UTC.
    pub end: Instant,
    /// Start and end before a reschedule.
    pub previous_time: Option<(Instant, Instant)>,
    /// True unless the booking waits for a host.
    pub is_confirmed: bool,
    /// True if the booking waits for a host to join.
    pub awaits_host: bool,
    /// True if the whole booking is cancelled or declined.
    pub is_cancelled: bool,
    /// Location in words or as a URL, as people see it; empty if there is none.
    pub location: String,
    /// Reason why the location is empty; none if it is not known.
    pub missing_location: Option<MissingLocation>,
    /// Location before it was changed.
    pub previous_location: Option<String>,
    /// Additional notes of the person who booked; may have several lines.
    pub notes: String,
    /// Labels and answers of the other fields of the form.
    pub answers: Vec<(String, String)>,
    /// Reason for the cancellation, refusal, reschedule or reassignment.
    pub reason: Option<String>,
    /// Hosts; the first organises the meeting.
    pub hosts: Vec<Person>,
    /// Addresses of hosts who were none before this event.
    pub new_hosts: Vec<String>,
    /// Hosts before a reassignment who are no hosts now.
    pub former_hosts: Vec<Person>,
    /// People who booked: one, or one per seat. Of a booking whose attendees are hidden from each other, a message to
    /// one of them names no other.
    pub attendees: Vec<Person>,
    /// People who keep their seats when one seat is cancelled: for hosts the meeting takes place. Empty if the whole
    /// booking is cancelled.
    pub remaining_attendees: Vec<Person>,
    /// Guests of the person who booked.
    pub guests: Vec<Person>,
    /// Addresses of guests and attendees who were added by this event.
    pub new_guests: Vec<String>,
    /// True if attendees do not see each other (seats).
    pub hides_attendees: bool,
    /// True if attendees and guests do not see the addresses of hosts.
    pub hides_host_addresses: bool,
    /// True if calendar entries do not contain the notes and answers.
    pub hides_notes_in_calendar: bool,
    /// True if bookings of the event type cannot be cancelled.
    pub is_cancelling_disabled: bool,
    /// True if bookings of the event type can never be rescheduled.
    pub is_rescheduling_disabled: bool,
    /// Minutes before the start in which bookings of the event type cannot be rescheduled.
    pub rescheduling_notice_minutes: i64,
    /// True if bookings of the event type can be rescheduled after their start.
    pub allows_rescheduling_past: bool,
    /// Occurrences, if the event is about a series or one occurrence of it.
    pub series: Option<SeriesData>,
    /// Minutes until the start, in a reminder.
    pub minutes_before: Option<i64>,
    /// Offsets in seconds by which the start was told before a change of law, by the zones that it is about.
    pub told_offsets: BTreeMap<String, i64>,
    /// True if the reason comes from a caller without credentials: only hosts read it.
    pub is_reason_anonymous: bool,
    /// Texts for attendees and guests, if the booker is not verified.
    pub public_texts: Option<PublicTexts>,
}

impl BookingData {
    /// Sets what is stored of the event type's policy.
    pub fn set_policy(&mut self, policy: &Policy) {
        self.is_cancelling_disabled = policy.is_cancelling_disabled;
        self.is_rescheduling_disabled = policy.rescheduling_restriction == Restriction::Always;
        self.rescheduling_notice_minutes = match policy.rescheduling_restriction {
            Restriction::Within(minutes) => minutes,
            Restriction::Always | Restriction::Never => 0,
        };
        self.allows_rescheduling_past = policy.allows_rescheduling_past;
    }

    /// Returns the event type's policy, as far as it is stored.
    fn policy(&self) -> Policy {
        Policy {
            is_cancelling_disabled: self.is_cancelling_disabled,
            rescheduling_restriction: match self.rescheduling_notice_minutes {
                _ if self.is_rescheduling_disabled => Restriction::Always,
                minutes @ 1.. => Restriction::Within(minutes),
                _ => Restriction::Never,
            },
            allows_rescheduling_past: self.allows_rescheduling_past,
            ..Policy::default()
        }
    }

    /// Returns true if the meeting from `start` to `end` allows an action at `now`, unless it was changed since. It is that
    /// of the booking, or the last one of its series.
    pub fn allows(
        &self,
        transition: Transition,
        (start, end): (Instant, Instant),
        now: Instant,
    ) -> bool {
        let status = match (self.is_cancelled, self.is_confirmed) {
            (true, _) => BookingStatus::Cancelled,
            (false, true) => BookingStatus::Accepted,
            (false, false) if self.awaits_host => BookingStatus::AwaitingHost,
            (false, false) => BookingStatus::Pending,
        };
        let context = BookingContext {
            status: &status,
            start,
            end,
            now,
            is_unpaid: false,
            replaced_by: None,
            policy: &self.policy(),
        };
        next_status(context, transition).is_ok()
    }
}

/// Reason why a message has no location in words.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum MissingLocation {
    /// The booking has none.
    Unset,
    /// It is a video call whose link is not known yet.
    VideoCall,
    /// The visitor typed it, and the recipient may not read such texts.
    Withheld,
}

/// Returns a location as people read it, and the reason if that is empty. `stored` is the location of a booking, which can
/// be a token of a video call.
pub fn readable_location(stored: Option<&str>) -> (String, Option<MissingLocation>) {
    match stored.unwrap_or_default() {
        "" => (String::new(), Some(MissingLocation::Unset)),
        token if is_location_token(token) => (String::new(), Some(MissingLocation::VideoCall)),
        text => (text.to_owned(), None),
    }
}

/// Texts for attendees and guests, instead of those for hosts.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct PublicTexts {
    /// Title of the booking. Empty if it may have been typed.
    pub title: String,
    /// Title of the event type; empty if there is none.
    pub event_type: String,
    /// Location.
    pub location: String,
    /// Location before it was changed.
    pub previous_location: Option<String>,
}

/// A series of bookings.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct SeriesData {
    /// `weekly`, `monthly` or `yearly`.
    pub frequency: String,
    /// Weeks, months or years from one occurrence to the next.
    pub interval: i64,
    /// Time zone that it was booked in: its occurrences start at one time of day there.
    pub time_zone: String,
    /// Starts of all occurrences that the event is about, ascending; one if it is about one occurrence.
    pub starts: Vec<Instant>,
    /// Start of the one occurrence that the event is about as it was booked first: its RECURRENCE-ID. None if the event
    /// is about the whole series.
    pub occurrence: Option<Instant>,
    /// Starts of the occurrences as they were booked first, in the order of `starts`: their RECURRENCE-IDs. Empty if they are
    /// the same, or the event is about one occurrence.
    pub occurrences: Vec<Instant>,
    /// True if the event is about some of several occurrences.
    pub is_part: bool,
}

/// A person who takes part in a meeting.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Person {
    /// May be empty.
    pub name: String,
    /// E-mail address.
    pub email: String,
    /// IANA name.
    pub time_zone: String,
    /// BCP 47 tag; empty if it is not known.
    pub language: String,
    /// True for times with 24 hours, false for 12 hours; none for what is usual in the language.
    pub has_24_hours: Option<bool>,
    /// Uid of the seat in a booking with seats.
    pub seat_uid: Option<String>,
    /// True for an attendee who has shown that the address is theirs, or for whom a caller with credentials has booked.
    pub is_proven: bool,
}

/// A code that verifies an address.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct CodeData {
    /// Digits.
    pub code: String,
    /// Minutes until it expires.
    pub valid_minutes: i64,
    /// Recipient.
    pub person: Person,
}
