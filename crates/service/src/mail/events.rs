//! Records events of bookings that people are told of by e-mail.
//!
//! An event is recorded in the transaction of the change, so that both are stored or neither. It is one statement;
//! [`crate::outbox`] makes the messages from it afterwards.

use booking_mail::data::Person;
use booking_wire::Instant;
use serde::{Deserialize, Serialize};

pub use booking_mail::message::Kind;

use crate::error::Result;
use crate::store::Db;
use crate::store::mail_events::{NewMailEvent, insert_event};

/// Details of an event that the rows of the booking do not have.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Details {
    /// Starts of all occurrences that the event is about, ascending; empty if it is about one booking.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub starts: Vec<Instant>,
    /// Start and end before a reschedule.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub previous_time: Option<(Instant, Instant)>,
    /// Location before it was changed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub previous_location: Option<String>,
    /// Addresses of guests and attendees who were added.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub new_guests: Vec<String>,
    /// Users who are hosts since this event.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub new_host_ids: Vec<i64>,
    /// Uid of the seat that the event is about: of all attendees, only its holder gets a message.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub seat_uid: Option<String>,
    /// Holder of a seat that was cancelled: of all attendees, only they are told.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub leaving: Option<Person>,
    /// Reason that was given for the event.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    /// True if the booking waited for a host before: guests do not know of it.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub was_pending: bool,
}

/// Records an event of a booking, in the transaction of the change and after it.
pub async fn record(
    db: &mut Db,
    now: Instant,
    kind: Kind,
    booking_id: i64,
    details: &Details,
) -> Result<()> {
    record_with_former_hosts(db, now, kind, booking_id, details, &[]).await
}

/// Records an event after which users are no hosts of the booking any more.
pub async fn record_with_former_hosts(
    db: &mut Db,
    now: Instant,
    kind: Kind,
    booking_id: i64,
    details: &Details,
    former_host_ids: &[i64],
) -> Result<()> {
    let details = serde_json::to_string(details)?;
    let event = NewMailEvent {
        kind,
        booking_id,
        details: &details,
        minutes_before: None,
        former_host_ids,
        now,
    };
    insert_event(db, &event).await
}
