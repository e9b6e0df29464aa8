//! Records events of bookings and absences for subscribers.
//!
//! An event is recorded in the transaction of the change, so that both are stored or neither.
//! [`crate::process::worker`] sends it afterwards. The write is small: the payload once, and a short row
//! per webhook.

use booking_wire::{Instant, JsonMap};
use serde_json::Value;

use crate::error::Result;
use crate::messages::webhooks::payload::{self, Payload};
use crate::store::Db;
use crate::store::messages::deliveries::{self, NewEvent};
use crate::store::messages::webhooks;

pub use booking_wire::Trigger;

/// Records an event of `booking_id`, in the transaction of the change, for the webhooks of its
/// hosts, its event type, their organisation and their OAuth client.
///
/// The payload contains the fields of the booking, such as `cancellationReason` and the booking
/// that it replaces. `extras` are added and take precedence. Call this after the change is stored;
/// after a reschedule, pass the id of the new booking. For a seated booking, `seatUid` in the
/// extras selects the attendee whose form responses the payload contains.
///
/// Without subscribers the cost is one short query.
pub async fn booking(
    db: &mut Db,
    now: Instant,
    trigger: Trigger,
    booking_id: i64,
    extras: JsonMap,
) -> Result<()> {
    let subscribers = webhooks::subscribers_to_booking(db, trigger, booking_id).await?;
    if subscribers.is_empty() {
        return Ok(());
    }
    match payload::of_booking(db, trigger, booking_id, extras).await? {
        Some(payload) => record(db, now, trigger, &subscribers, payload).await,
        None => Ok(()),
    }
}

/// Records an out-of-office event, in the transaction that stores the absence.
pub async fn out_of_office(db: &mut Db, now: Instant, ooo_id: i64) -> Result<()> {
    let subscribers = webhooks::subscribers_to_absence(db, ooo_id).await?;
    if subscribers.is_empty() {
        return Ok(());
    }
    match payload::of_absence(db, ooo_id).await? {
        Some(payload) => record(db, now, Trigger::OooCreated, &subscribers, payload).await,
        None => Ok(()),
    }
}

async fn record(
    db: &mut Db,
    now: Instant,
    trigger: Trigger,
    webhook_ids: &[String],
    payload: Payload,
) -> Result<()> {
    let text = Value::Object(payload.fields).to_string();
    let event = NewEvent {
        trigger,
        about: &payload.uid,
        follows: payload.replaced_uid.as_deref(),
        payload: &text,
        now,
    };
    deliveries::insert(db, &event, webhook_ids).await
}
