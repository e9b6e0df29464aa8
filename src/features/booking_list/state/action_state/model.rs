//! Booking actions: which ones are allowed, and if one was done. No DOM access.

use booking_rules::limits::MAX_GUESTS;
use booking_rules::transitions::next_status;
use booking_rules::{Actor, BookingContext, Policy, Transition};
use booking_wire::phone_number::is_phone;
use booking_wire::{Booking, BookingStatus, Instant, LocationInput};

use crate::client::operations::booking_actions::BookingAction;

/// Action of a team on a booking.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ActionKind {
    /// Accepts it.
    Confirm,
    /// Rejects it.
    Decline,
    /// Marks absent participants.
    MarkAbsent,
    /// Moves it to another time.
    Reschedule,
    /// Assigns another host.
    Reassign,
    /// Changes the location.
    Relocate,
    /// Adds guests.
    AddGuests,
    /// Cancels it.
    Cancel,
}

impl ActionKind {
    /// All actions, most needed first.
    pub const ALL: [Self; 8] = [
        Self::Confirm,
        Self::Decline,
        Self::MarkAbsent,
        Self::Reschedule,
        Self::Reassign,
        Self::Relocate,
        Self::AddGuests,
        Self::Cancel,
    ];

    /// Actions available for many bookings at once.
    pub const BULK: [Self; 4] = [Self::Confirm, Self::Decline, Self::MarkAbsent, Self::Cancel];

    /// Returns the action as the rules know it.
    fn transition(self) -> Transition {
        match self {
            Self::Confirm => Transition::Confirm,
            Self::Decline => Transition::Decline,
            Self::MarkAbsent => Transition::MarkAbsent,
            Self::Reschedule => Transition::Reschedule,
            Self::Reassign | Self::Relocate | Self::AddGuests => Transition::Change,
            Self::Cancel => Transition::Cancel {
                by: Actor::Host,
                has_reason: true,
            },
        }
    }
}

/// Facts apart from the booking that decide which actions are allowed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ActionFacts {
    /// True for round-robin hosts: another one can take over.
    pub is_round_robin: bool,
    /// Restrictions of the event type.
    pub policy: Policy,
    /// Current instant.
    pub now: Instant,
}

/// True if `action` is allowed for `booking`, as far as known here: the service decides.
pub fn allows(action: ActionKind, booking: &Booking, facts: ActionFacts) -> bool {
    let context = BookingContext {
        status: &booking.status,
        start: booking.start,
        end: booking.end,
        now: facts.now,
        // Not known here.
        is_unpaid: false,
        replaced_by: booking
            .rescheduled_to_uid
            .as_ref()
            .map(|uid| uid.0.as_str()),
        policy: &facts.policy,
    };
    let is_possible = match action {
        ActionKind::Reassign => facts.is_round_robin && has_host(booking),
        ActionKind::AddGuests => {
            let count = booking.guests.as_ref().map_or(0, Vec::len);
            !booking.is_seated() && count < MAX_GUESTS
        }
        _ => true,
    };
    is_possible && next_status(context, action.transition()).is_ok()
}

/// Actions allowed for `booking`, most needed first.
pub fn allowed(booking: &Booking, facts: ActionFacts) -> Vec<ActionKind> {
    let mut actions = ActionKind::ALL.to_vec();
    actions.retain(|action| allows(*action, booking, facts));
    actions
}

fn has_host(booking: &Booking) -> bool {
    booking.hosts.iter().any(|host| host.id != "unknown")
}

/// True if `after` shows that `action`, which got no response, was done on the booking `before`.
pub fn is_done(action: &BookingAction, before: &Booking, after: &Booking) -> bool {
    let attends = |email: &str| {
        let mut attendees = after.attendees.iter();
        attendees.any(|attendee| attendee.email.eq_ignore_ascii_case(email))
    };
    match action {
        BookingAction::Confirm => after.status == BookingStatus::Accepted,
        BookingAction::Decline(_) => after.status == BookingStatus::Rejected,
        BookingAction::Cancel(request) => match &request.seat_uid {
            Some(seat) if after.status != BookingStatus::Cancelled => after
                .attendees
                .iter()
                .all(|attendee| attendee.seat_uid.as_ref() != Some(seat)),
            _ => after.status == BookingStatus::Cancelled,
        },
        BookingAction::MarkAbsent(request) => {
            let is_host_as_requested = request
                .host
                .is_none_or(|absent| absent == after.absent_host);
            let mut absences = request.attendees.iter().flatten();
            is_host_as_requested
                && absences.all(|absence| {
                    after.attendees.iter().all(|attendee| {
                        attendee.email != absence.email || attendee.absent == absence.absent
                    })
                })
        }
        BookingAction::AddGuests(request) => request.guests.iter().all(|guest| {
            let mut guests = after.guests.iter().flatten();
            guests.any(|other| other.eq_ignore_ascii_case(&guest.email)) || attends(&guest.email)
        }),
        BookingAction::Relocate(request) => {
            after.location.as_deref() == Some(location_text(&request.location))
        }
        BookingAction::Reassign(host, _) => {
            let is_wanted = |id: &String| host.is_none_or(|host| *id == host.to_string());
            let had = |id: &String| before.hosts.iter().any(|other| other.id == *id);
            let mut hosts = after.hosts.iter().map(|host| &host.id);
            hosts.any(|id| is_wanted(id) && !had(id))
        }
    }
}

/// Location as shown on the booking.
pub fn location_text(location: &LocationInput) -> &str {
    match location {
        LocationInput::Address { address } | LocationInput::AttendeeAddress { address } => address,
        LocationInput::Link { link } => link,
        LocationInput::Phone { phone } | LocationInput::AttendeePhone { phone } => phone,
        LocationInput::AttendeeDefined { location } => location,
    }
}

/// Location type that a host can set.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LocationKind {
    /// Link to the meeting.
    Link,
    /// Organiser's address.
    Address,
    /// Number the attendee calls.
    Phone,
    /// Attendee's address.
    AttendeeAddress,
    /// Number the organiser calls.
    AttendeePhone,
    /// Text.
    AttendeeDefined,
}

impl LocationKind {
    /// All types with their names, in display order.
    pub const ALL: [(&'static str, Self); 6] = [
        ("link", Self::Link),
        ("address", Self::Address),
        ("phone", Self::Phone),
        ("attendeeAddress", Self::AttendeeAddress),
        ("attendeePhone", Self::AttendeePhone),
        ("attendeeDefined", Self::AttendeeDefined),
    ];

    /// Type with this name; a link if there is none.
    pub fn named(name: &str) -> Self {
        let mut all = Self::ALL.into_iter();
        all.find(|(other, _)| *other == name)
            .map_or(Self::Link, |(_, kind)| kind)
    }
}

/// Error of a typed location.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LocationError {
    /// Nothing typed.
    Missing,
    /// Not a web address.
    Link,
    /// Not a phone number with a country code.
    Phone,
}

/// Parses a typed location.
pub fn parse_location(kind: LocationKind, typed: &str) -> Result<LocationInput, LocationError> {
    let text = typed.trim();
    if text.is_empty() {
        return Err(LocationError::Missing);
    }
    let phone = || phone(text).ok_or(LocationError::Phone);
    let address = text.to_owned();
    Ok(match kind {
        LocationKind::Link => {
            let link = link(text).ok_or(LocationError::Link)?;
            LocationInput::Link { link }
        }
        LocationKind::Address => LocationInput::Address { address },
        LocationKind::Phone => LocationInput::Phone { phone: phone()? },
        LocationKind::AttendeeAddress => LocationInput::AttendeeAddress { address },
        LocationKind::AttendeePhone => LocationInput::AttendeePhone { phone: phone()? },
        LocationKind::AttendeeDefined => LocationInput::AttendeeDefined { location: address },
    })
}

/// Parses a web address; adds the scheme if only that is missing.
fn link(text: &str) -> Option<String> {
    let url = match text.split_once("://") {
        Some(_) => text.to_owned(),
        None => ["https://", text].concat(),
    };
    let host = crate::features::shared::location::web_host(&url)?;
    let is_valid = host.bytes().any(|byte| byte == b'.')
        && !host.starts_with('.')
        && !host.ends_with('.')
        && !url.bytes().any(|byte| byte == b' ' || byte == b'\\');
    is_valid.then_some(url)
}

/// Phone number in E.164.
fn phone(text: &str) -> Option<String> {
    let mut number = String::from("+");
    let rest = text.strip_prefix('+').or_else(|| text.strip_prefix("00"))?;
    for character in rest.chars() {
        match character {
            '0'..='9' => number.push(character),
            ' ' | '-' | '.' | '/' | '(' | ')' | '\u{a0}' => {}
            _ => return None,
        }
    }
    is_phone(&number).then_some(number)
}

#[cfg(test)]
mod tests;
