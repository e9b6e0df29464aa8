//! Outbox of e-mail messages: one message per recipient of an event, which `mail_events.rs` stores.

use std::collections::{HashMap, HashSet};

use booking_mail::message::{Kind, Role};
use booking_store_engine::connection::Db;
use booking_store_engine::lease::Lease;
use booking_store_engine::sql::{self, QueryBuilder};
use booking_wire::Instant;
use booking_wire::formats::instant::DAY_MS;
use serde_json::Value;

use super::claims::is_unclaimed;
use crate::error::Result;
use crate::store::old_rows::OldRows;
use crate::store::rows::push_ids;

/// A message to store.
#[derive(Clone, Debug)]
pub struct NewMessage {
    /// Part of the recipient.
    pub role: Role,
    /// Address of the recipient.
    pub email: String,
    /// The same for all addresses of one mailbox.
    pub mailbox: String,
    /// Without brackets.
    pub message_id: String,
    /// Initial status.
    pub status: Status,
    /// Reason why it is not sent.
    pub problem: Option<String>,
    /// Time from which it is sent, if it is over a limit until then.
    pub due: Option<Instant>,
}

/// An event with its messages, and the values that they share.
#[derive(Clone, Debug)]
pub struct EventMessages {
    /// Id of the event.
    pub event_id: i64,
    /// Kind.
    pub kind: Kind,
    /// Uid of the booking; empty for a code.
    pub booking_uid: String,
    /// Event type, whose messages are counted.
    pub event_type_id: Option<i64>,
    /// Organisation, team or user whose event type it is; empty if unknown.
    pub tenant: String,
    /// Hash of the client that caused it; empty if unknown.
    pub source: String,
    /// Messages to one address with this key are sent in order.
    pub order_key: String,
    /// SEQUENCE of the calendar entry.
    pub sequence: i64,
    /// JSON of `booking_mail::data::MessageData`.
    pub data: String,
    /// One per recipient.
    pub messages: Vec<NewMessage>,
}

/// Status of a message.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Status {
    /// Waits for an attempt.
    Waiting,
    /// Stored without a mail server.
    Kept,
    /// Accepted by the mail server.
    Sent,
    /// Given up.
    Failed,
    /// Not sent because of a limit.
    Suppressed,
}

impl Status {
    /// All statuses.
    pub const ALL: [Self; 5] = [
        Self::Waiting,
        Self::Kept,
        Self::Sent,
        Self::Failed,
        Self::Suppressed,
    ];

    /// Returns the name in the database, in lists and in metrics.
    pub fn name(self) -> &'static str {
        match self {
            Self::Waiting => "waiting",
            Self::Kept => "kept",
            Self::Sent => "sent",
            Self::Failed => "failed",
            Self::Suppressed => "suppressed",
        }
    }
}

/// Messages per statement.
const MESSAGES_PER_STATEMENT: usize = 500;

/// Stores the messages of events.
pub async fn insert_messages(
    db: &mut Db,
    events: impl IntoIterator<Item = &EventMessages>,
    now: Instant,
) -> Result<()> {
    let rows: Vec<(&EventMessages, &NewMessage)> = events
        .into_iter()
        .flat_map(|event| event.messages.iter().map(move |message| (event, message)))
        .collect();
    for rows in rows.chunks(MESSAGES_PER_STATEMENT) {
        let mut query = QueryBuilder::new(
            db.database(),
            "INSERT INTO mail_messages (organization_id, event_id, kind, booking_uid, event_type_id, tenant, source, order_key, sequence, role,
                 email, mailbox, message_id, status, due_ms, last_problem, created_ms, settled_ms) VALUES ",
        );
        for (index, (event, message)) in rows.iter().enumerate() {
            let is_waiting = message.status == Status::Waiting;
            query.push(if index == 0 { "(" } else { ", (" });
            query
                .push("(SELECT organization_id FROM mail_events WHERE id = ")
                .push_bind(event.event_id)
                .push("), ");
            query
                .separated(", ")
                .push_bind(event.event_id)
                .push_bind(event.kind.name())
                .push_bind(event.booking_uid.as_str())
                .push_bind(event.event_type_id)
                .push_bind(event.tenant.as_str())
                .push_bind(event.source.as_str())
                .push_bind(event.order_key.as_str())
                .push_bind(event.sequence)
                .push_bind(message.role.name())
                .push_bind(message.email.as_str())
                .push_bind(message.mailbox.as_str())
                .push_bind(message.message_id.as_str())
                .push_bind(message.status.name())
                .push_bind(is_waiting.then_some(message.due.unwrap_or(now).0))
                .push_bind(message.problem.as_deref())
                .push_bind(now.0)
                .push_bind((!is_waiting).then_some(now.0));
            query.push(")");
        }
        query.build().execute(&mut *db).await?;
    }
    Ok(())
}

/// Returns the highest SEQUENCE of messages by calendar entry, without those that have no messages.
pub async fn last_sequences(
    db: &mut Db,
    order_keys: &HashSet<&str>,
) -> Result<HashMap<String, i64>> {
    if order_keys.is_empty() {
        return Ok(HashMap::new());
    }
    let mut query = QueryBuilder::new(
        db.database(),
        "SELECT order_key, max(sequence) FROM mail_messages WHERE order_key IN (",
    );
    let mut list = query.separated(", ");
    for key in order_keys {
        list.push_bind(*key);
    }
    query.push(") GROUP BY order_key");
    let rows: Vec<(String, i64)> = query.build_query_as().fetch_all(db).await?;
    Ok(rows.into_iter().collect())
}

/// Mailboxes per statement, which has at most 32,766 parameters in SQLite.
const MAILBOXES_PER_STATEMENT: usize = 500;

/// Numbers of messages to a mailbox.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, sqlx::FromRow)]
pub struct MailboxCounts {
    /// To attendees and guests, with codes, in the shorter period.
    pub recent: i64,
    /// The same in the longer period.
    pub all: i64,
    /// To hosts in the shorter period.
    pub to_host: i64,
}

/// Counts messages by mailbox since each of two instants, the earlier one last.
pub async fn counts_to_mailboxes(
    db: &mut Db,
    mailboxes: &[&str],
    since: [Instant; 2],
) -> Result<HashMap<String, MailboxCounts>> {
    let mut counts = HashMap::new();
    for mailboxes in mailboxes.chunks(MAILBOXES_PER_STATEMENT) {
        let mut query = QueryBuilder::new(
            db.database(),
            "SELECT mailbox, count(CASE WHEN role IN ('attendee', 'guest') AND created_ms > ",
        );
        query.push_bind(since[0].0);
        query.push(
            " THEN 1 END), count(CASE WHEN role IN ('attendee', 'guest') THEN 1 END),
                 count(CASE WHEN role IN ('host', 'former_host') AND created_ms > ",
        );
        query.push_bind(since[0].0);
        query
            .push(" THEN 1 END) FROM mail_messages WHERE status <> 'suppressed' AND created_ms > ");
        query.push_bind(since[1].0).push(" AND mailbox IN (");
        let mut list = query.separated(", ");
        for mailbox in mailboxes {
            list.push_bind(*mailbox);
        }
        query.push(") GROUP BY mailbox");
        let rows: Vec<(String, i64, i64, i64)> = query.build_query_as().fetch_all(&mut *db).await?;
        counts.extend(rows.into_iter().map(|(mailbox, recent, all, to_host)| {
            let found = MailboxCounts {
                recent,
                all,
                to_host,
            };
            (mailbox, found)
        }));
    }
    Ok(counts)
}

/// Returns when the latest codes to a mailbox were made, in epoch milliseconds, latest first; at most `limit`.
pub async fn codes_to_mailbox(
    db: &mut Db,
    mailbox: &str,
    since: Instant,
    limit: i64,
) -> Result<Vec<i64>> {
    Ok(sql::query_scalar(
        "SELECT created_ms FROM mail_messages
         WHERE mailbox = ? AND created_ms > ? AND status <> 'suppressed' AND kind = 'verification_code'
         ORDER BY created_ms DESC LIMIT ?",
    )
    .bind(mailbox)
    .bind(since.0)
    .bind(limit)
    .fetch_all(db)
    .await?)
}

/// Counts messages about bookings of event types since an instant, other than to hosts.
pub async fn counts_of_event_types(
    db: &mut Db,
    event_types: &Value,
    since: Instant,
) -> Result<HashMap<i64, i64>> {
    let rows: Vec<(i64, i64)> = sql::query_as(
        "SELECT event_type_id, count(*) FROM mail_messages
         WHERE event_type_id IN (SELECT value FROM json_each(?)) AND created_ms > ? AND status <> 'suppressed'
             AND role IN ('attendee', 'guest') GROUP BY event_type_id",
    )
    .bind(event_types.to_string())
    .bind(since.0)
    .fetch_all(db)
    .await?;
    Ok(rows.into_iter().collect())
}

/// Numbers of messages to an address about a calendar entry: those that are not over a limit, and those that are.
pub async fn counts_of_entry(db: &mut Db, email: &str, order_key: &str) -> Result<[i64; 2]> {
    let (all, suppressed): (i64, i64) = sql::query_as(
        "SELECT count(*), count(CASE WHEN status = 'suppressed' THEN 1 END) FROM mail_messages
         WHERE order_key = ? AND email = ?",
    )
    .bind(order_key)
    .bind(email)
    .fetch_one(db)
    .await?;
    Ok([all - suppressed, suppressed])
}

/// Statement that selects the columns of [`StoredMessage`], with conditions and order.
macro_rules! stored_messages {
    ($rest:literal) => {
        concat!(
            "SELECT m.id, m.kind, m.role, m.email, m.message_id, m.status, m.attempts, m.created_ms, e.data, e.trace_parent,
                 CASE WHEN m.attempts = 0 AND m.due_ms <= m.created_ms THEN e.created_ms ELSE m.due_ms END AS due_ms
             FROM mail_messages m JOIN mail_events e ON e.id = m.event_id ",
            $rest
        )
    };
}

/// A message with everything that an attempt needs.
#[derive(Clone, Debug, sqlx::FromRow)]
pub struct StoredMessage {
    /// Id.
    pub id: i64,
    /// Name of the kind.
    pub kind: String,
    /// Name of the role.
    pub role: String,
    /// Address of the recipient.
    pub email: String,
    /// Without brackets.
    pub message_id: String,
    /// Name of the status.
    pub status: String,
    /// Attempts so far.
    pub attempts: i64,
    /// Time at which it was made.
    pub created_ms: i64,
    /// JSON of `booking_mail::data::MessageData`.
    pub data: String,
    /// Time since which it is due: that of its event, unless a limit or a failed attempt delays it. None once it is settled.
    pub due_ms: Option<i64>,
    /// Span of the event ([`current_span`](booking_store_engine::statements::current_span)).
    pub trace_parent: Option<String>,
}

/// A message that is due.
#[derive(Clone, Debug, PartialEq, Eq, sqlx::FromRow)]
pub struct DueMessage {
    /// Id.
    pub id: i64,
    /// Organisation, team or user whose event type it is about.
    pub tenant: String,
}

/// Lists due codes, for which people wait: at most `limit`.
pub async fn due_codes(db: &mut Db, now: Instant, limit: i64, lease: &Lease) -> Result<Vec<i64>> {
    let sql = format!(
        "SELECT id FROM mail_messages
         WHERE status = 'waiting' AND kind = 'verification_code' AND due_ms <= ?{} ORDER BY due_ms, id LIMIT ?",
        is_unclaimed(lease)
    );
    let mut query = sql::query_scalar(sql).bind(now.0);
    if let Some(replica_id) = lease.replica_id() {
        query = query.bind(replica_id);
    }
    Ok(query.bind(limit).fetch_all(db).await?)
}

/// Lists due messages about bookings in the order in which they are sent, at most `limit`: tenants take turns, and of one
/// tenant, event types and clients do. Of messages to one address with one order key only the first one is due.
pub async fn due_in_turns(
    db: &mut Db,
    now: Instant,
    limit: i64,
    lease: &Lease,
) -> Result<Vec<DueMessage>> {
    let sql = format!(
        "SELECT id, tenant FROM (
             SELECT id, tenant, row_number() OVER (PARTITION BY tenant ORDER BY turn, id) AS tenant_turn FROM (
                 SELECT m.id, m.tenant, row_number() OVER (PARTITION BY m.tenant, m.event_type_id, m.source
                     ORDER BY m.due_ms, m.id) AS turn
                 FROM mail_messages m
                 WHERE m.status = 'waiting' AND m.kind <> 'verification_code' AND m.due_ms <= ?{} AND NOT EXISTS (
                     SELECT 1 FROM mail_messages o
                     WHERE o.order_key = m.order_key AND o.email = m.email AND o.status = 'waiting' AND o.id < m.id)
             ) AS of_client
         ) AS of_tenant ORDER BY tenant_turn, id LIMIT ?",
        is_unclaimed(lease)
    );
    let mut query = sql::query_as(sql).bind(now.0);
    if let Some(replica_id) = lease.replica_id() {
        query = query.bind(replica_id);
    }
    Ok(query.bind(limit).fetch_all(db).await?)
}

/// Reads those of the messages that wait and are due.
pub async fn waiting(db: &mut Db, ids: &[i64], now: Instant) -> Result<Vec<StoredMessage>> {
    let mut query = QueryBuilder::new(db.database(), stored_messages!("WHERE m.id IN ("));
    push_ids(&mut query, ids);
    query.push(") AND m.status = 'waiting' AND m.due_ms <= ");
    query.push_bind(now.0);
    Ok(query.build_query_as().fetch_all(db).await?)
}

/// Outcome of an attempt.
#[derive(Clone, Debug)]
pub struct MailAttempt {
    /// The message.
    pub id: i64,
    /// State afterwards.
    pub outcome: MailOutcome,
    /// End of the attempt.
    pub at: Instant,
}

/// State of a message after an attempt.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum MailOutcome {
    /// The mail server has accepted it.
    Sent,
    /// Waits for another attempt.
    Retry {
        /// Cause of the failure.
        problem: String,
        /// Time of the next attempt.
        due: Instant,
    },
    /// Failed, without another attempt.
    GivenUp {
        /// Cause of the failure.
        problem: String,
    },
}

/// Stores the outcome of an attempt. A sent message keeps no data, and a code that was given up, which has expired or
/// cannot reach its address, neither.
pub async fn settle(db: &mut Db, attempt: &MailAttempt) -> Result<()> {
    let (status, problem, due, settled) = match &attempt.outcome {
        MailOutcome::Sent => (Status::Sent, None, None, Some(attempt.at.0)),
        MailOutcome::Retry { problem, due } => (Status::Waiting, Some(problem), Some(due.0), None),
        MailOutcome::GivenUp { problem } => {
            (Status::Failed, Some(problem), None, Some(attempt.at.0))
        }
    };
    sql::query(
        "UPDATE mail_messages SET attempts = attempts + 1, status = ?, due_ms = ?, last_problem = ?, settled_ms = ?,
             claimed_by = NULL,
             event_id = CASE WHEN ? = 1 OR ? = 1 AND kind = 'verification_code' THEN NULL ELSE event_id END
         WHERE id = ? AND status = 'waiting'",
    )
    .bind(status.name())
    .bind(due)
    .bind(problem)
    .bind(settled)
    .bind(i64::from(status == Status::Sent))
    .bind(i64::from(status == Status::Failed))
    .bind(attempt.id)
    .execute(db)
    .await?;
    Ok(())
}

/// Age at which messages are deleted, in milliseconds. The data of sent ones is deleted at once, that of others with them.
pub const RETENTION_MS: i64 = 7 * DAY_MS;

/// Messages that were settled long ago.
pub fn settled() -> OldRows {
    OldRows {
        table: "mail_messages",
        key: "id",
        condition: format!("status <> 'waiting' AND settled_ms < ?1 - {RETENTION_MS}"),
        order: "settled_ms",
    }
}

/// A message in the operator's list, without its content.
#[derive(Clone, Debug, sqlx::FromRow)]
pub struct ListedMessage {
    /// Id.
    pub id: i64,
    /// Name of the status.
    pub status: String,
    /// Name of the kind.
    pub kind: String,
    /// Name of the role.
    pub role: String,
    /// Address of the recipient.
    pub email: String,
    /// Uid of the booking.
    pub booking_uid: String,
    /// Attempts so far.
    pub attempts: i64,
    /// Time at which it was made.
    pub created_ms: i64,
    /// Time of the next attempt.
    pub due_ms: Option<i64>,
    /// Cause of the last failure.
    pub last_problem: Option<String>,
}

/// Lists messages with these statuses, the latest `limit` ones, oldest first.
pub async fn list(db: &mut Db, statuses: &[Status], limit: i64) -> Result<Vec<ListedMessage>> {
    let mut query = QueryBuilder::new(
        db.database(),
        "SELECT id, status, kind, role, email, booking_uid, attempts, created_ms, due_ms, last_problem
         FROM mail_messages WHERE status IN (",
    );
    let mut list = query.separated(", ");
    for status in statuses {
        list.push_bind(status.name());
    }
    query.push(") ORDER BY id DESC LIMIT ").push_bind(limit);
    let mut messages: Vec<ListedMessage> = query.build_query_as().fetch_all(db).await?;
    messages.reverse();
    Ok(messages)
}

/// Reads a message that still has its data.
pub async fn get(db: &mut Db, id: i64) -> Result<Option<StoredMessage>> {
    Ok(sql::query_as(stored_messages!("WHERE m.id = ?"))
        .bind(id)
        .fetch_optional(db)
        .await?)
}

/// Reads the latest messages that still have their data, newest first.
pub async fn latest(db: &mut Db, limit: i64) -> Result<Vec<StoredMessage>> {
    Ok(
        sql::query_as(stored_messages!("ORDER BY m.id DESC LIMIT ?"))
            .bind(limit)
            .fetch_all(db)
            .await?,
    )
}

/// Makes a message due at once and resets its attempts. Returns false if there is no message with that id that was not
/// sent and still has its data, as a code that was given up has not.
pub async fn retry(db: &mut Db, id: i64, now: Instant) -> Result<bool> {
    let result = sql::query(
        "UPDATE mail_messages SET status = 'waiting', due_ms = ?, attempts = 0, settled_ms = NULL
         WHERE id = ? AND status <> 'sent' AND event_id IS NOT NULL",
    )
    .bind(now.0)
    .bind(id)
    .execute(db)
    .await?;
    Ok(result.rows_affected() == 1)
}

/// Makes all messages that were given up due at once, and resets their attempts; returns their number. Not codes and
/// reminders, which are too late, and not messages to people who were sent a later one about the same calendar entry, other
/// than a reminder.
pub async fn retry_failed(db: &mut Db, now: Instant) -> Result<u64> {
    let result = sql::query(
        "UPDATE mail_messages SET status = 'waiting', due_ms = ?, attempts = 0, settled_ms = NULL
         WHERE status = 'failed' AND kind NOT IN ('verification_code', 'reminder') AND NOT EXISTS (
             SELECT 1 FROM mail_messages later
             WHERE later.order_key = mail_messages.order_key AND later.email = mail_messages.email
                 AND later.id > mail_messages.id AND later.status = 'sent' AND later.kind <> 'reminder')",
    )
    .bind(now.0)
    .execute(db)
    .await?;
    Ok(result.rows_affected())
}
