//! Recipients of a message about one booking.

use std::collections::HashSet;

use booking_mail::data::{BookingData, Person};
use booking_mail::message::{Kind, Recipient, Role};
use booking_smtp::email_address::is_email;
use serde_json::Value;

use crate::messages::mail::events::Change;

/// Returns the recipients: of guests those whom the kind of message is for, or who know of the meeting. No address has
/// two messages as attendee or guest, or two as host. The event type's `emailSettings` are obeyed.
pub(super) fn recipients(
    kind: Kind,
    data: &BookingData,
    settings: &Value,
    change: &Change,
    informed_guests: &HashSet<String>,
) -> Vec<Recipient> {
    let is_on = |key: &str| settings["emailSettings"][key] == Value::Bool(true);
    let (no_attendees, no_hosts) = (
        is_on("disableEmailsToAttendees"),
        is_on("disableEmailsToHosts"),
    );
    let knows_guests = match kind {
        Kind::Requested | Kind::Declined => false,
        // The meeting of the others takes place.
        Kind::Cancelled => !change.was_pending && change.leaving.is_none(),
        // If a host has to confirm the new time, guests lose the entry of the former one.
        Kind::Rescheduled => data.is_confirmed || !change.was_pending,
        _ => data.is_confirmed,
    };
    let is_told = |person: &&Person| match (&change.leaving, &change.seat_uid) {
        (Some(leaving), _) => person.email == leaving.email,
        (None, Some(seat_uid)) => person.seat_uid.as_ref() == Some(seat_uid),
        (None, None) => true,
    };
    let as_role = |role: Role| {
        move |person: &Person| Recipient {
            role,
            person: person.clone(),
        }
    };
    let mut all: Vec<Recipient> = Vec::new();
    if !no_attendees {
        let told = data.attendees.iter().filter(is_told);
        let most = match change.is_for_booker_only {
            true => 1,
            false => usize::MAX,
        };
        all.extend(told.take(most).map(as_role(Role::Attendee)));
        // A host may have had to confirm a new time of a meeting that guests knew of.
        let is_known = |person: &&Person| {
            !change.is_for_booker_only
                && (knows_guests || informed_guests.contains(&person.email.to_ascii_lowercase()))
        };
        all.extend(
            data.guests
                .iter()
                .filter(is_known)
                .map(as_role(Role::Guest)),
        );
    }
    if !no_hosts && !change.is_for_booker_only {
        all.extend(data.hosts.iter().map(as_role(Role::Host)));
        all.extend(data.former_hosts.iter().map(as_role(Role::FormerHost)));
    }
    let mut told: Vec<(bool, String)> = Vec::new();
    all.retain(|recipient| {
        let key = (
            recipient.role.is_host(),
            recipient.person.email.to_lowercase(),
        );
        let is_new = is_email(&recipient.person.email) && !told.contains(&key);
        told.push(key);
        is_new
    });
    all
}
