//! Records events of bookings that people are told of by e-mail.
//!
//! An event is recorded in the transaction of the change, so that both are stored or neither. It is about one booking or
//! several, such as the occurrences of a series that are cancelled together. It is one statement; [`crate::messages::mail::outbox`] makes
//! the messages from it afterwards.

use std::collections::BTreeMap;

use booking_mail::data::Person;
use booking_wire::Instant;
use serde::{Deserialize, Serialize};

pub use booking_mail::message::Kind;

use crate::error::Result;
use crate::store::Db;
use crate::store::messages::mail_events::{NewMailEvent, insert_event};

/// Change of one booking, as far as its rows do not tell it.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Change {
    /// Start and end before a reschedule.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub previous_time: Option<(Instant, Instant)>,
    /// Users who are hosts since this event.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub new_host_ids: Vec<i64>,
    /// Users who were hosts before this event.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub former_host_ids: Vec<i64>,
    /// Uid of the seat that the event is about: of all attendees, only its holder gets a message.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub seat_uid: Option<String>,
    /// True if only the person who booked gets a message, or the holder of `seat_uid`.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub is_for_booker_only: bool,
    /// Attendee who leaves while others may stay: of all attendees, only they get a message.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub leaving: Option<Person>,
    /// True if the booking waited for a host before: guests do not know of it.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub was_pending: bool,
    /// Offsets in seconds that were told for zones whose rules have changed since.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub told_offsets: BTreeMap<String, i64>,
    /// Starts of the occurrences that an event of version 0.1 is about, which has the rows of the first one only.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub starts: Vec<Instant>,
}

/// Details of an event that are the same for all of its bookings.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Details {
    /// Location before it was changed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub previous_location: Option<String>,
    /// Addresses of guests and attendees who were added.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub new_guests: Vec<String>,
    /// Reason that was given for the event.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    /// True if the caller had no credentials.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub is_anonymous: bool,
    /// Hash of the client that caused the event; empty if it is unknown or has no share of its own.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub source: String,
    /// Changes by the id of the booking. [`record`] sets them.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub changes: BTreeMap<i64, Change>,
}

/// Records an event of bookings with their changes, in the transaction of the change and after it.
pub async fn record(
    db: &mut Db,
    now: Instant,
    kind: Kind,
    bookings: impl IntoIterator<Item = (i64, Change)>,
    details: Details,
) -> Result<()> {
    let details = Details {
        changes: bookings.into_iter().collect(),
        ..details
    };
    let booking_ids: Vec<i64> = details.changes.keys().copied().collect();
    let former = details.changes.values();
    let former_host_ids: Vec<i64> = former
        .flat_map(|change| change.former_host_ids.iter().copied())
        .collect();
    let changes = details.changes.values();
    let seat_uids: Vec<&str> = (changes.clone())
        .filter_map(|change| change.seat_uid.as_deref())
        .collect();
    let text = serde_json::to_string(&details)?;
    let event = NewMailEvent {
        kind,
        booking_ids: &booking_ids,
        details: &text,
        minutes_before: None,
        former_host_ids: &former_host_ids,
        is_about_seats: (changes.clone())
            .all(|change| change.seat_uid.is_some() || change.leaving.is_some()),
        seat_uids: &seat_uids,
        now,
    };
    insert_event(db, &event).await
}

/// Records an event of one booking without a change of its own.
pub async fn record_one(
    db: &mut Db,
    now: Instant,
    kind: Kind,
    booking_id: i64,
    details: Details,
) -> Result<()> {
    record(db, now, kind, [(booking_id, Change::default())], details).await
}
