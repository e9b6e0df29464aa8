//! What happens to bookings and absences, by the names that subscribers know it by (contract 7).
//!
//! Whoever changes something says so here, in the transaction of the change: what is told is
//! stored with it, or not at all. [`crate::webhooks`] sends it afterwards.

pub use booking_wire::Trigger;
use booking_wire::{Instant, JsonMap};

use crate::error::Result;
use crate::store::Db;
use crate::store::deliveries::{self, NewDelivery};
use crate::store::webhooks::{self, Subscriber};
use crate::webhooks::message::{Message, message};
use crate::webhooks::payload::{self, Payload};

/// Notes, in the transaction of what happened, that `booking_id` is to be told about: to the
/// webhooks of its hosts, its event type, their organisation and their OAuth client.
///
/// What the booking itself knows is in the payload anyway, such as `cancellationReason` and what
/// it was moved from. `extras` are added to it and win. Call this after the change is stored, and
/// for a move with the id of the new booking. For a seated booking, `seatUid` among the extras
/// names the visitor whose answers the payload shows.
///
/// It costs one short query where nobody listens.
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
        Some(payload) => tell(db, now, trigger, &subscribers, payload).await,
        None => Ok(()),
    }
}

/// Notes, in the transaction that stored it, that somebody will be out of office.
pub async fn out_of_office(db: &mut Db, now: Instant, ooo_id: i64) -> Result<()> {
    let subscribers = webhooks::subscribers_to_absence(db, ooo_id).await?;
    if subscribers.is_empty() {
        return Ok(());
    }
    match payload::of_absence(db, ooo_id).await? {
        Some(payload) => tell(db, now, Trigger::OooCreated, &subscribers, payload).await,
        None => Ok(()),
    }
}

async fn tell(
    db: &mut Db,
    now: Instant,
    trigger: Trigger,
    subscribers: &[Subscriber],
    payload: Payload,
) -> Result<()> {
    for subscriber in subscribers {
        let Message { body, content_type } = message(
            now,
            trigger,
            &payload.fields,
            subscriber.payload_template.as_deref(),
        );
        let delivery = NewDelivery {
            webhook_id: &subscriber.webhook_id,
            trigger,
            about: &payload.about,
            body: &body,
            content_type,
            now,
        };
        deliveries::insert(db, &delivery).await?;
    }
    Ok(())
}
