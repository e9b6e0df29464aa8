//! Makes messages from events.
//!
//! Reads happen before the transaction that stores the messages, so that bookings do not wait for them: only the replica
//! that leads makes messages, and events whose messages another one has stored by then are left out. Statements are
//! about all events of a batch, as one for each of them would take as long as their bookings did; those about series, and
//! about cancellations over a limit, are not.

use std::collections::{HashMap, HashSet};
use std::time::Duration;

use booking_mail::data::MessageData;
use booking_mail::message::{Kind, Recipient, Role};
use booking_smtp::email_address::mailbox_key;
use booking_wire::Instant;
use serde_json::Value;

use crate::app::AppState;
use crate::error::Result;
use crate::messages::mail::expand::{Event, Expanded, expand};
use crate::messages::mail::message_id::new_message_id;
use crate::messages::mail::retries_and_limits::{
    EXEMPT_FACTOR, MESSAGES_PER_EVENT_TYPE, MESSAGES_PER_HOST, MESSAGES_PER_MAILBOX,
};
use crate::monitoring::metrics::{Channel, MessageOutcome};
use crate::store::messages::mail::{self, EventMessages, MailboxCounts, NewMessage, Status};
use crate::store::messages::mail_events::{self, EventRows, NewEventRow};
use crate::store::{Db, Locks, Resource};

/// Makes the messages of the oldest events that have none, `max_events` at most. If there may be more events, returns the
/// time for which the oldest of these has waited.
pub(super) async fn make_messages(
    app: &AppState,
    is_sent: bool,
    max_events: i64,
) -> Result<Option<Duration>> {
    let mut db = app.store.read().await?;
    let events = mail_events::new_events(&mut db, max_events).await?;
    let count = events.len();
    let Some(oldest) = events.first() else {
        return Ok(None);
    };
    let now = app.clock.now();
    let waited_ms = now.0.saturating_sub(oldest.created_ms);
    let all: Vec<i64> = events.iter().map(|event| event.id).collect();
    let expanded = expand_all(&mut db, events).await?;
    let mut limits = Limits::read(&mut db, &expanded, now).await?;
    let keys: HashSet<&str> = (expanded.iter())
        .map(|(_, expanded)| expanded.data.calendar_uid.as_str())
        .collect();
    let mut sequences = mail::last_sequences(&mut db, &keys).await?;
    let mut made: Vec<EventMessages> = Vec::with_capacity(expanded.len());
    for (event_id, mut expanded) in expanded {
        if expanded.recipients.is_empty() {
            continue;
        }
        let order_key = expanded.data.calendar_uid.clone();
        // Of two changes within a second, the later one counts.
        let sequence = (sequences.get(&order_key))
            .map_or(0, |last| last + 1)
            .max(expanded.data.sequence);
        expanded.data.sequence = sequence;
        sequences.insert(order_key.clone(), sequence);
        let mut messages = Vec::with_capacity(expanded.recipients.len());
        for recipient in &expanded.recipients {
            let mailbox = mailbox_key(&recipient.person.email);
            let verdict = limits.verdict(&mut db, &expanded, recipient, &mailbox);
            let status = if is_sent {
                Status::Waiting
            } else {
                Status::Kept
            };
            let (status, problem, due) = match verdict.await? {
                Verdict::Send => (status, None, None),
                Verdict::Delay(delay_ms) => (status, None, Some(Instant(now.0 + delay_ms))),
                Verdict::Suppress(problem) => (Status::Suppressed, Some(problem), None),
            };
            messages.push(NewMessage {
                role: recipient.role,
                email: recipient.person.email.clone(),
                mailbox,
                message_id: new_message_id(&app.settings.base_url)?,
                status,
                problem,
                due,
            });
        }
        made.push(EventMessages {
            event_id,
            messages,
            kind: expanded.kind,
            booking_uid: expanded.data.uid.clone(),
            event_type_id: expanded.event_type_id,
            tenant: expanded.tenant,
            source: expanded.source,
            order_key,
            sequence,
            data: serde_json::to_string(&MessageData::Booking(Box::new(expanded.data)))?,
        });
    }
    drop(db);
    let count_of = |status| {
        let messages = made.iter().flat_map(|event| &event.messages);
        let count = messages.filter(|message| message.status == status).count();
        u64::try_from(count).unwrap_or(u64::MAX)
    };
    let (kept, suppressed) = (count_of(Status::Kept), count_of(Status::Suppressed));
    app.store
        .write(Locks::none().and(Resource::Mail), move |db| {
            Box::pin(async move { store(db, &all, made, now).await })
        })
        .await?;
    let metrics = &app.metrics;
    metrics.record_messages(Channel::Mail, MessageOutcome::Kept, kept);
    metrics.record_messages(Channel::Mail, MessageOutcome::Suppressed, suppressed);
    let may_have_more = i64::try_from(count) == Ok(max_events);
    let waited = Duration::from_millis(u64::try_from(waited_ms).unwrap_or(0));
    Ok(may_have_more.then_some(waited))
}

/// Stores messages, and deletes events without any.
async fn store(db: &mut Db, all: &[i64], mut made: Vec<EventMessages>, now: Instant) -> Result<()> {
    let with_messages: HashSet<i64> = made.iter().map(|event| event.event_id).collect();
    let without: Vec<i64> = (all.iter().copied())
        .filter(|id| !with_messages.contains(id))
        .collect();
    if !without.is_empty() {
        mail_events::delete_events(db, &without).await?;
    }
    // An event keeps its row for the first messages; others with different data get rows of their own. All messages are
    // stored in the order of the events: those to one person about one entry are sent in this order.
    let mut seen = HashSet::new();
    let first: Vec<&EventMessages> = (made.iter())
        .filter(|event| seen.insert(event.event_id))
        .collect();
    let marked: HashSet<i64> = mail_events::mark_expanded(db, &first)
        .await?
        .into_iter()
        .collect();
    made.retain(|event| marked.contains(&event.event_id));
    let mut seen = HashSet::new();
    for event in &mut made {
        if !seen.insert(event.event_id) {
            event.event_id = mail_events::insert_expanded(db, event, now).await?;
        }
    }
    mail::insert_messages(db, &made, now).await
}

/// Makes data and recipients of events, with the ids of these; without events that cannot be read.
async fn expand_all(db: &mut Db, events: Vec<NewEventRow>) -> Result<Vec<(i64, Expanded)>> {
    let mut known: Vec<(i64, Event)> = Vec::with_capacity(events.len());
    for event in events {
        let rows = serde_json::from_str::<EventRows>(&event.data);
        match (Kind::from_name(&event.kind), rows) {
            (Some(kind), Ok(rows)) => known.push((
                event.id,
                Event {
                    kind,
                    rows,
                    minutes_before: event.minutes_before,
                    at: Instant(event.created_ms),
                },
            )),
            _ => tracing::error!(
                event = event.id,
                kind = event.kind,
                "an e-mail event cannot be read"
            ),
        }
    }
    let event_types = (known.iter())
        .flat_map(|(_, event)| &event.rows.bookings)
        .filter_map(|rows| rows.booking.event_type_id);
    let event_types = mail_events::mail_of_event_types(db, &distinct(event_types)).await?;
    let mut all: Vec<(i64, Expanded)> = Vec::with_capacity(known.len());
    // Guests who get a message by this batch, by calendar entry.
    let mut guests: HashMap<String, HashSet<String>> = HashMap::new();
    for (event_id, event) in known {
        for expanded in expand(db, event, &event_types, &guests).await? {
            let of_entry = guests
                .entry(expanded.data.calendar_uid.clone())
                .or_default();
            of_entry.extend(
                (expanded.recipients.iter())
                    .filter(|recipient| recipient.role == Role::Guest)
                    .map(address),
            );
            all.push((event_id, expanded));
        }
    }
    Ok(all)
}

fn distinct(ids: impl Iterator<Item = i64>) -> Value {
    let ids: HashSet<i64> = ids.collect();
    ids.into_iter().collect()
}

/// Numbers of messages that count for limits, with those of this batch.
struct Limits {
    /// Within the periods of [`MESSAGES_PER_MAILBOX`], by mailbox.
    mailboxes: HashMap<String, MailboxCounts>,
    /// Within the period of [`MESSAGES_PER_EVENT_TYPE`].
    event_types: HashMap<i64, i64>,
    /// Of this batch only, as [`mail::counts_of_entry`], by calendar entry and address.
    entries: HashMap<(String, String), [i64; 2]>,
}

/// Result of the limits for a message.
enum Verdict {
    /// It is sent now.
    Send,
    /// It is sent after this time, in milliseconds.
    Delay(i64),
    /// It is not sent, for this reason.
    Suppress(String),
}

impl Limits {
    async fn read(db: &mut Db, expanded: &[(i64, Expanded)], now: Instant) -> Result<Self> {
        let event_types = expanded
            .iter()
            .filter_map(|(_, expanded)| expanded.event_type_id);
        let since = Instant(now.0 - MESSAGES_PER_EVENT_TYPE.1);
        let event_types = mail::counts_of_event_types(db, &distinct(event_types), since).await?;
        let mailboxes: HashSet<String> = (expanded.iter())
            .flat_map(|(_, expanded)| &expanded.recipients)
            .map(|recipient| mailbox_key(&recipient.person.email))
            .collect();
        let since = MESSAGES_PER_MAILBOX.map(|(_, period_ms)| Instant(now.0 - period_ms));
        let mailboxes: Vec<&str> = mailboxes.iter().map(String::as_str).collect();
        let mailboxes = mail::counts_to_mailboxes(db, &mailboxes, since).await?;
        Ok(Self {
            mailboxes,
            event_types,
            entries: HashMap::new(),
        })
    }

    /// Decides about a message, and counts it unless it is not sent.
    async fn verdict(
        &mut self,
        db: &mut Db,
        expanded: &Expanded,
        recipient: &Recipient,
        mailbox: &str,
    ) -> Result<Verdict> {
        let of_mailbox = self.mailboxes.entry(mailbox.to_owned()).or_default();
        if recipient.role.is_host() {
            of_mailbox.to_host += 1;
            return Ok(delay(of_mailbox.to_host - 1, MESSAGES_PER_HOST));
        }
        // A stranger who names somebody as a guest does not use up what is for their own bookings.
        let factor = match recipient.person.is_proven {
            true => EXEMPT_FACTOR,
            false => 1,
        };
        let problem = reached_limit(factor, of_mailbox);
        let (order_key, email) = (&expanded.data.calendar_uid, &recipient.person.email);
        let of_entry = (self.entries)
            .entry((order_key.clone(), email.clone()))
            .or_default();
        // People must learn that a meeting does not take place that they know of.
        let is_refusal = matches!(expanded.kind, Kind::Cancelled | Kind::Declined);
        if let Some(problem) = problem {
            let [told, suppressed] = match is_refusal {
                true => mail::counts_of_entry(db, email, order_key).await?,
                false => [0, 1],
            };
            let is_known = told + of_entry[0] > 0 || suppressed + of_entry[1] == 0;
            if !is_known || reached_limit(EXEMPT_FACTOR, of_mailbox).is_some() {
                of_entry[1] += 1;
                return Ok(Verdict::Suppress(problem));
            }
        }
        of_entry[0] += 1;
        of_mailbox.recent += 1;
        of_mailbox.all += 1;
        let Some(id) = expanded.event_type_id else {
            return Ok(Verdict::Send);
        };
        let of_event_type = self.event_types.entry(id).or_default();
        *of_event_type += 1;
        // A person who books is waiting for the answer.
        let is_answer = matches!(expanded.kind, Kind::Booked | Kind::Requested)
            && recipient.role == Role::Attendee;
        if is_answer || is_refusal {
            return Ok(Verdict::Send);
        }
        Ok(delay(*of_event_type - 1, MESSAGES_PER_EVENT_TYPE))
    }
}

/// Delays a message by as many periods as those before it fill.
fn delay(before: i64, (max, period_ms): (i64, i64)) -> Verdict {
    match before / max {
        0 => Verdict::Send,
        periods => Verdict::Delay(periods.saturating_mul(period_ms)),
    }
}

/// Returns the limit that the numbers of messages to a mailbox reach, if each limit is `factor` times as high.
fn reached_limit(factor: i64, of_mailbox: &MailboxCounts) -> Option<String> {
    let counts = [of_mailbox.recent, of_mailbox.all];
    (MESSAGES_PER_MAILBOX.iter().zip(counts))
        .find(|((max, _), count)| *count >= max * factor)
        .map(|((max, period_ms), _)| {
            let hours = period_ms / 3_600_000;
            format!("over the limit of {max} messages in {hours} h to one mailbox")
        })
}

/// Address as the database compares it: without regard to the case of ASCII letters.
fn address(recipient: &Recipient) -> String {
    recipient.person.email.to_ascii_lowercase()
}
