//! Makes messages from events.
//!
//! All is read before the transaction that stores the messages, so that bookings do not wait for it: only the replica
//! that leads makes messages, and an event whose messages another one has stored meanwhile is left out.

use std::collections::HashMap;

use booking_mail::data::MessageData;
use booking_mail::message::{Kind, Recipient};
use booking_wire::Instant;
use serde_json::Value;

use crate::app::AppState;
use crate::error::Result;
use crate::mail::expand::expand;
use crate::mail::limits::{EVENTS_PER_TRANSACTION, MESSAGES_PER_ADDRESS, MESSAGES_PER_EVENT_TYPE};
use crate::mail::message_id::new_message_id;
use crate::store::mail::{self, EventMessages, EventRows, NewEventRow, NewMessage, Status};
use crate::store::{Db, Locks};

/// Makes the messages of the oldest events that have none. Returns true if there may be more events.
pub(super) async fn make_messages(app: &AppState, is_sent: bool) -> Result<bool> {
    let mut db = app.store.read().await?;
    let events = mail::new_events(&mut db, EVENTS_PER_TRANSACTION).await?;
    let count = events.len();
    if count == 0 {
        return Ok(false);
    }
    let mut batch = Batch {
        now: app.clock.now(),
        base_url: &app.settings.base_url,
        is_sent,
        event_types: HashMap::new(),
        addresses: HashMap::new(),
        sequences: HashMap::new(),
        entries: HashMap::new(),
    };
    let mut made = Vec::with_capacity(count);
    for event in events {
        made.push(batch.messages(&mut db, event).await?);
    }
    let now = batch.now;
    drop(db);
    app.store
        .write_with(Locks::of_mail(), move |db| {
            Box::pin(async move {
                for event in &made {
                    event.store(db, now).await?;
                }
                Ok(())
            })
        })
        .await?;
    Ok(i64::try_from(count) == Ok(EVENTS_PER_TRANSACTION))
}

/// Messages of an event; none if it has no recipients or cannot be read.
struct EventWithMessages {
    event_id: i64,
    messages: Vec<NewMessage>,
    kind: Kind,
    booking_uid: String,
    event_type_id: Option<i64>,
    order_key: String,
    sequence: i64,
    data: String,
}

impl EventWithMessages {
    async fn store(&self, db: &mut Db, now: Instant) -> Result<()> {
        if self.messages.is_empty() {
            return mail::delete_event(db, self.event_id).await;
        }
        let event = EventMessages {
            event_id: self.event_id,
            kind: self.kind,
            booking_uid: &self.booking_uid,
            event_type_id: self.event_type_id,
            order_key: &self.order_key,
            sequence: self.sequence,
            data: &self.data,
        };
        if mail::mark_expanded(db, &event).await? {
            mail::insert_messages(db, &event, &self.messages, now).await?;
        }
        Ok(())
    }
}

/// State of an event type.
struct EventType {
    /// None if it was deleted.
    settings: Option<Value>,
    /// Messages to attendees and guests within the period of the limit.
    count: i64,
}

/// Events whose messages are stored together, with what each has to know of those before it.
struct Batch<'a> {
    now: Instant,
    base_url: &'a str,
    /// False keeps messages.
    is_sent: bool,
    event_types: HashMap<i64, EventType>,
    /// Messages within each period of [`MESSAGES_PER_ADDRESS`], by address in lower case.
    addresses: HashMap<String, Vec<i64>>,
    /// Last SEQUENCE by calendar entry.
    sequences: HashMap<String, i64>,
    /// Messages of this batch as [`mail::counts_of_entry`], by calendar entry and address.
    entries: HashMap<(String, String), [i64; 2]>,
}

impl Batch<'_> {
    async fn messages(&mut self, db: &mut Db, event: NewEventRow) -> Result<EventWithMessages> {
        let mut made = EventWithMessages {
            event_id: event.id,
            messages: Vec::new(),
            kind: Kind::Booked,
            booking_uid: String::new(),
            event_type_id: None,
            order_key: String::new(),
            sequence: 0,
            data: String::new(),
        };
        let rows = serde_json::from_str::<EventRows>(&event.data);
        let (Some(kind), Ok(rows)) = (Kind::from_name(&event.kind), rows) else {
            tracing::error!(
                event = event.id,
                kind = event.kind,
                "an e-mail event cannot be read"
            );
            return Ok(made);
        };
        let changed = Instant(event.created_ms);
        if let Some(id) = rows.booking.event_type_id {
            self.read_event_type(db, id).await?;
        }
        let event_type = rows
            .booking
            .event_type_id
            .and_then(|id| self.event_types.get(&id));
        let settings = event_type.and_then(|event_type| event_type.settings.as_ref());
        let expanded = expand(db, kind, rows, settings, event.minutes_before, changed).await?;
        let (kind, mut data) = (expanded.kind, expanded.data);
        let order_key = data.calendar_uid.clone();
        // Of two changes within a second, the later one counts.
        if let Some(last) = self.sequences.get(&order_key) {
            data.sequence = data.sequence.max(last + 1);
        }
        self.sequences.insert(order_key.clone(), data.sequence);
        for recipient in &expanded.recipients {
            let problem = if recipient.role.is_host() {
                None
            } else {
                self.over_limit(db, kind, recipient, expanded.event_type_id, &order_key)
                    .await?
            };
            let status = match &problem {
                Some(_) => Status::Suppressed,
                None if self.is_sent => Status::Waiting,
                None => Status::Kept,
            };
            made.messages.push(NewMessage {
                role: recipient.role,
                email: recipient.person.email.clone(),
                message_id: new_message_id(self.base_url)?,
                status,
                problem,
            });
        }
        made.kind = kind;
        made.booking_uid = data.uid.clone();
        made.event_type_id = expanded.event_type_id;
        made.order_key = order_key;
        made.sequence = data.sequence;
        made.data = serde_json::to_string(&MessageData::Booking(Box::new(data)))?;
        Ok(made)
    }

    async fn read_event_type(&mut self, db: &mut Db, id: i64) -> Result<()> {
        if !self.event_types.contains_key(&id) {
            let settings = mail::event_type_settings(db, id).await?;
            let since = Instant(self.now.0 - MESSAGES_PER_EVENT_TYPE.1);
            let count = mail::count_of_event_type(db, id, since).await?;
            self.event_types.insert(id, EventType { settings, count });
        }
        Ok(())
    }

    /// Returns the reason why a message to an attendee or guest is not sent, if there is one; counts it otherwise.
    async fn over_limit(
        &mut self,
        db: &mut Db,
        kind: Kind,
        recipient: &Recipient,
        event_type_id: Option<i64>,
        order_key: &str,
    ) -> Result<Option<String>> {
        let email = &recipient.person.email;
        let address = email.to_lowercase();
        if !self.addresses.contains_key(&address) {
            let mut counts = Vec::with_capacity(MESSAGES_PER_ADDRESS.len());
            for (_, period_ms) in MESSAGES_PER_ADDRESS {
                let since = Instant(self.now.0 - period_ms);
                counts.push(mail::count_to_address(db, email, since).await?);
            }
            self.addresses.insert(address.clone(), counts);
        }
        let mut event_type = event_type_id.and_then(|id| self.event_types.get_mut(&id));
        let counts = self.addresses.entry(address).or_default();
        let mut limits = MESSAGES_PER_ADDRESS.iter().zip(counts.iter());
        let problem = match &event_type {
            Some(event_type) if event_type.count >= MESSAGES_PER_EVENT_TYPE.0 => Some(format!(
                "over the limit of {} messages per hour about bookings of one event type",
                MESSAGES_PER_EVENT_TYPE.0
            )),
            _ => limits
                .find(|((max, _), count)| *count >= max)
                .map(|((max, period_ms), _)| {
                    let hours = period_ms / 3_600_000;
                    format!("over the limit of {max} messages in {hours} h to one address")
                }),
        };
        let counts_of_batch = (self.entries)
            .entry((order_key.to_owned(), email.clone()))
            .or_default();
        // People must learn that a meeting does not take place that they know of.
        let is_exempt = match kind {
            Kind::Cancelled | Kind::Declined if problem.is_some() => {
                let stored = mail::counts_of_entry(db, email, order_key).await?;
                let [told, suppressed] = [0, 1].map(|index| stored[index] + counts_of_batch[index]);
                told > 0 || suppressed == 0
            }
            _ => false,
        };
        if problem.is_some() && !is_exempt {
            counts_of_batch[1] += 1;
            return Ok(problem);
        }
        counts_of_batch[0] += 1;
        for count in counts {
            *count += 1;
        }
        if let Some(event_type) = &mut event_type {
            event_type.count += 1;
        }
        Ok(None)
    }
}
