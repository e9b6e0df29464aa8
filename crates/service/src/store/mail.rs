//! Outbox of e-mail messages: events with the rows of their booking, and one message per recipient.

use std::collections::{HashMap, HashSet};

use booking_mail::message::{Kind, Role};
use booking_wire::Instant;
use serde::Deserialize;
use serde_json::Value;

use crate::error::Result;
use crate::store::connection::Db;
use crate::store::sql::{self, QueryBuilder, Sql, by_database};
use crate::store::users::display_email;

/// Object with the columns of [`HostRow`].
macro_rules! host_object {
    ($object:literal) => {
        concat!(
            $object,
            "('id', u.id, 'name', u.name, 'email', u.email, 'time_zone', u.time_zone, 'locale', u.locale,
                  'time_format', u.time_format)"
        )
    };
}

/// Statement that stores an event with the rows of its booking as they are at that moment. Parameters: id of the booking,
/// kind, details, minutes before the start, ids of former hosts as JSON, instant.
///
/// It is one statement, because each booking waits for it.
macro_rules! insert_event {
    ($object:literal, $array:literal) => {
        concat!(
            "INSERT INTO mail_events (kind, booking_uid, data, minutes_before, created_ms)
             SELECT ?2, b.uid, CAST(",
            $object,
            "('booking', ",
            $object,
            "('uid', b.uid, 'series_uid', b.series_uid, 'event_type_id', b.event_type_id,
                 'title', b.title, 'description', b.description, 'status', b.status, 'start_ms', b.start_ms,
                 'end_ms', b.end_ms, 'location', b.location, 'responses', b.responses,
                 'ics_uid', b.ics_uid, 'updated_ms', b.updated_ms),
             'hosts', (SELECT ",
            $array,
            "(",
            host_object!($object),
            ")
                  FROM booking_hosts h CROSS JOIN users u WHERE h.booking_id = b.id AND u.id = h.user_id),
             'former_hosts', (SELECT ",
            $array,
            "(",
            host_object!($object),
            ")
                  FROM json_each(?5) former CROSS JOIN users u WHERE u.id = former.value),
             'attendees', (SELECT ",
            $array,
            "(",
            $object,
            "('id', a.id, 'name', a.name, 'email', a.email, 'phone_number', a.phone_number,
                  'time_zone', a.time_zone, 'language', a.language, 'guest', a.guest, 'seat_uid', a.seat_uid,
                  'responses', a.responses, 'reminders_stopped', a.reminders_stopped))
                  FROM attendees a WHERE a.booking_id = b.id),
             'details', CAST(?3 AS TEXT)) AS TEXT), CAST(?4 AS BIGINT), CAST(?6 AS BIGINT)
             FROM bookings b WHERE b.id = ?1
             ON CONFLICT DO NOTHING"
        )
    };
}

const INSERT_EVENT: Sql<'static> = by_database(
    insert_event!("json_object", "json_group_array"),
    insert_event!("json_build_object", "json_agg"),
);

/// An event to store.
#[derive(Clone, Copy, Debug)]
pub struct NewMailEvent<'a> {
    /// Kind.
    pub kind: Kind,
    /// The booking.
    pub booking_id: i64,
    /// JSON object.
    pub details: &'a str,
    /// Minutes before the start, of a reminder.
    pub minutes_before: Option<i64>,
    /// Users who were hosts before this event.
    pub former_host_ids: &'a [i64],
    /// Time of the event.
    pub now: Instant,
}

/// Stores an event; a reminder that is stored already stays as it is.
pub async fn insert_event(db: &mut Db, event: &NewMailEvent<'_>) -> Result<()> {
    sql::query(INSERT_EVENT)
        .bind(event.booking_id)
        .bind(event.kind.name())
        .bind(event.details)
        .bind(event.minutes_before)
        .bind(Value::from(event.former_host_ids).to_string())
        .bind(event.now.0)
        .execute(db)
        .await?;
    Ok(())
}

/// An event whose messages are not made yet.
#[derive(Clone, Debug, sqlx::FromRow)]
pub struct NewEventRow {
    /// Id.
    pub id: i64,
    /// Name of the kind.
    pub kind: String,
    /// JSON of [`EventRows`].
    pub data: String,
    /// Minutes before the start, of a reminder.
    pub minutes_before: Option<i64>,
    /// Time of the event.
    pub created_ms: i64,
}

/// Lists events whose messages are not made yet, oldest first.
pub async fn new_events(db: &mut Db, limit: i64) -> Result<Vec<NewEventRow>> {
    Ok(sql::query_as(
        "SELECT id, kind, data, minutes_before, created_ms FROM mail_events WHERE expanded = 0 ORDER BY id LIMIT ?",
    )
    .bind(limit)
    .fetch_all(db)
    .await?)
}

/// Deletes events.
pub async fn delete_events(db: &mut Db, ids: &[i64]) -> Result<()> {
    sql::query("DELETE FROM mail_events WHERE id IN (SELECT value FROM json_each(?))")
        .bind(Value::from(ids).to_string())
        .execute(db)
        .await?;
    Ok(())
}

/// Rows of a booking at the time of an event.
#[derive(Clone, Debug, Deserialize)]
pub struct EventRows {
    /// The booking.
    pub booking: BookingRow,
    /// Its hosts.
    #[serde(deserialize_with = "null_as_empty")]
    pub hosts: Vec<HostRow>,
    /// Hosts before the event.
    #[serde(deserialize_with = "null_as_empty")]
    pub former_hosts: Vec<HostRow>,
    /// Attendees and guests.
    #[serde(deserialize_with = "null_as_empty")]
    pub attendees: Vec<AttendeeRow>,
    /// JSON object of the recording use case.
    pub details: String,
}

/// PostgreSQL's aggregate of no rows is null.
fn null_as_empty<'de, D, T>(deserializer: D) -> Result<Vec<T>, D::Error>
where
    D: serde::Deserializer<'de>,
    T: Deserialize<'de>,
{
    Ok(Option::<Vec<T>>::deserialize(deserializer)?.unwrap_or_default())
}

/// Columns of `bookings`.
#[derive(Clone, Debug, Deserialize)]
#[expect(missing_docs, reason = "named as the columns")]
pub struct BookingRow {
    pub uid: String,
    pub series_uid: Option<String>,
    pub event_type_id: Option<i64>,
    pub title: String,
    pub description: String,
    pub status: String,
    pub start_ms: i64,
    pub end_ms: i64,
    pub location: Option<String>,
    pub responses: String,
    pub ics_uid: Option<String>,
    pub updated_ms: i64,
}

/// Columns of `users`.
#[derive(Clone, Debug, Deserialize)]
#[expect(missing_docs, reason = "named as the columns")]
pub struct HostRow {
    pub id: i64,
    pub name: Option<String>,
    pub email: String,
    pub time_zone: String,
    pub locale: Option<String>,
    pub time_format: i64,
}

/// Columns of `attendees`.
#[derive(Clone, Debug, Deserialize)]
#[expect(missing_docs, reason = "named as the columns")]
pub struct AttendeeRow {
    pub id: i64,
    pub name: String,
    pub email: String,
    pub phone_number: Option<String>,
    pub time_zone: String,
    pub language: Option<String>,
    pub guest: i64,
    pub seat_uid: Option<String>,
    pub responses: Option<String>,
    pub reminders_stopped: i64,
}

/// A message to store.
#[derive(Clone, Debug)]
pub struct NewMessage {
    /// Part of the recipient.
    pub role: Role,
    /// Address of the recipient.
    pub email: String,
    /// Without brackets.
    pub message_id: String,
    /// Initial status.
    pub status: Status,
    /// Reason why it is not sent.
    pub problem: Option<String>,
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

/// Replaces the rows of events by the data that their messages are rendered from. Returns the ids of those whose messages
/// are not stored yet.
pub async fn mark_expanded(db: &mut Db, events: &[EventMessages]) -> Result<Vec<i64>> {
    if events.is_empty() {
        return Ok(Vec::new());
    }
    let mut query = QueryBuilder::new(
        db.database(),
        "UPDATE mail_events SET expanded = 1, kind = n.column2, data = n.column3 FROM (VALUES ",
    );
    for (index, event) in events.iter().enumerate() {
        query.push(if index == 0 { "(" } else { ", (" });
        query
            .separated(", ")
            .push_bind(event.event_id)
            .push_bind(event.kind.name())
            .push_bind(event.data.as_str());
        query.push(")");
    }
    query.push(") AS n WHERE mail_events.id = n.column1 AND expanded = 0 RETURNING id");
    Ok(query.build_query_scalar().fetch_all(db).await?)
}

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
            "INSERT INTO mail_messages (event_id, kind, booking_uid, event_type_id, order_key, sequence, role, email,
                 message_id, status, due_ms, last_problem, created_ms, settled_ms) VALUES ",
        );
        for (index, (event, message)) in rows.iter().enumerate() {
            let is_waiting = message.status == Status::Waiting;
            query.push(if index == 0 { "(" } else { ", (" });
            query
                .separated(", ")
                .push_bind(event.event_id)
                .push_bind(event.kind.name())
                .push_bind(event.booking_uid.as_str())
                .push_bind(event.event_type_id)
                .push_bind(event.order_key.as_str())
                .push_bind(event.sequence)
                .push_bind(message.role.name())
                .push_bind(message.email.as_str())
                .push_bind(message.message_id.as_str())
                .push_bind(message.status.name())
                .push_bind(is_waiting.then_some(now.0))
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

/// Addresses per statement, which has at most 32,766 parameters in SQLite.
const ADDRESSES_PER_STATEMENT: usize = 500;

/// Counts messages by address in lower case, except codes, which other limits are for: since each of two instants, the
/// earlier one last.
pub async fn counts_to_addresses(
    db: &mut Db,
    addresses: &[&str],
    since: [Instant; 2],
) -> Result<HashMap<String, [i64; 2]>> {
    let mut counts = HashMap::new();
    for addresses in addresses.chunks(ADDRESSES_PER_STATEMENT) {
        let mut query = QueryBuilder::new(
            db.database(),
            "SELECT lower(email), count(CASE WHEN created_ms > ",
        );
        query.push_bind(since[0].0);
        query.push(
            " THEN 1 END), count(*) FROM mail_messages
              WHERE status <> 'suppressed' AND kind <> 'verification_code' AND created_ms > ",
        );
        query.push_bind(since[1].0).push(" AND lower(email) IN (");
        let mut list = query.separated(", ");
        for address in addresses {
            list.push_bind(*address);
        }
        query.push(") GROUP BY lower(email)");
        let rows: Vec<(String, i64, i64)> = query.build_query_as().fetch_all(&mut *db).await?;
        counts.extend(
            rows.into_iter()
                .map(|(address, first, second)| (address, [first, second])),
        );
    }
    Ok(counts)
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
            "SELECT m.id, m.kind, m.role, m.email, m.message_id, m.status, m.attempts, m.created_ms, e.data
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
}

/// Reads due codes, for which people wait.
pub const DUE_CODES: &str = stored_messages!(
    "WHERE m.status = 'waiting' AND m.kind = 'verification_code' AND m.due_ms <= ? ORDER BY m.due_ms, m.id LIMIT ?"
);

/// Reads due messages about bookings, oldest first. Of those to one address with one order key only the first one is due.
pub const DUE_MESSAGES: &str = stored_messages!(
    "WHERE m.status = 'waiting' AND m.kind <> 'verification_code' AND m.due_ms <= ? AND NOT EXISTS (
    SELECT 1 FROM mail_messages o
    WHERE o.order_key = m.order_key AND o.email = m.email AND o.status = 'waiting' AND o.id < m.id)
ORDER BY m.due_ms, m.id LIMIT ?"
);

/// Lists due messages, codes first: at most `limit` of both.
pub async fn due_messages(db: &mut Db, now: Instant, limit: i64) -> Result<Vec<StoredMessage>> {
    let mut due: Vec<StoredMessage> = Vec::new();
    for statement in [DUE_CODES, DUE_MESSAGES] {
        let found: Vec<StoredMessage> = sql::query_as(statement)
            .bind(now.0)
            .bind(limit)
            .fetch_all(&mut *db)
            .await?;
        due.extend(found);
    }
    Ok(due)
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

/// Deletes messages that were settled before that time.
pub async fn delete_settled(db: &mut Db, before: Instant) -> Result<u64> {
    let result =
        sql::query("DELETE FROM mail_messages WHERE status <> 'waiting' AND settled_ms < ?")
            .bind(before.0)
            .execute(db)
            .await?;
    Ok(result.rows_affected())
}

/// Counts messages by the name of their status.
pub async fn count_by_status(db: &mut Db) -> Result<HashMap<String, i64>, sqlx::Error> {
    let rows: Vec<(String, i64)> =
        // Each part by an index alone.
        sql::query_as(
            "SELECT status, count(*) FROM mail_messages WHERE status <> 'waiting' GROUP BY status
             UNION ALL SELECT 'waiting', count(*) FROM mail_messages WHERE status = 'waiting'",
        )
        .fetch_all(db)
        .await?;
    Ok(rows.into_iter().collect())
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
/// sent.
pub async fn retry(db: &mut Db, id: i64, now: Instant) -> Result<bool> {
    let result = sql::query(
        "UPDATE mail_messages SET status = 'waiting', due_ms = ?, attempts = 0, settled_ms = NULL
         WHERE id = ? AND status <> 'sent'",
    )
    .bind(now.0)
    .bind(id)
    .execute(db)
    .await?;
    Ok(result.rows_affected() == 1)
}

/// Makes all messages that were given up due at once, and resets their attempts; returns their number. Not codes and
/// reminders, which are too late, and not messages to people who were sent a later one about the same calendar entry.
pub async fn retry_failed(db: &mut Db, now: Instant) -> Result<u64> {
    let result = sql::query(
        "UPDATE mail_messages SET status = 'waiting', due_ms = ?, attempts = 0, settled_ms = NULL
         WHERE status = 'failed' AND kind NOT IN ('verification_code', 'reminder') AND NOT EXISTS (
             SELECT 1 FROM mail_messages later
             WHERE later.order_key = mail_messages.order_key AND later.email = mail_messages.email
                 AND later.id > mail_messages.id AND later.status = 'sent')",
    )
    .bind(now.0)
    .execute(db)
    .await?;
    Ok(result.rows_affected())
}

/// Lists the addresses of the hosts of a booking, or of its attendees and guests who want reminders. None if the booking
/// does not take place.
pub async fn reminded_addresses(db: &mut Db, uid: &str, are_hosts: bool) -> Result<Vec<String>> {
    let statement = match are_hosts {
        true => {
            "SELECT u.email FROM bookings b JOIN booking_hosts h ON h.booking_id = b.id JOIN users u ON u.id = h.user_id
             WHERE b.uid = ? AND b.status = 'accepted'"
        }
        false => {
            "SELECT a.email FROM bookings b JOIN attendees a ON a.booking_id = b.id
             WHERE b.uid = ? AND b.status = 'accepted' AND a.reminders_stopped = 0"
        }
    };
    let emails: Vec<String> = sql::query_scalar(statement).bind(uid).fetch_all(db).await?;
    Ok(emails.iter().map(|email| display_email(email)).collect())
}

/// A booking that a reminder is due for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, sqlx::FromRow)]
pub struct DueReminder {
    /// The booking.
    pub booking_id: i64,
    /// Its event type.
    pub event_type_id: Option<i64>,
    /// Its start.
    pub start_ms: i64,
}

/// Lists accepted bookings after a start and id, that start until `until` and were made before `minutes` before their
/// start, by start and id; at most `limit`.
pub async fn due_reminders(
    db: &mut Db,
    after: (Instant, i64),
    until: Instant,
    minutes: i64,
    limit: i64,
) -> Result<Vec<DueReminder>> {
    Ok(sql::query_as(
        "SELECT id AS booking_id, event_type_id, start_ms FROM bookings
         WHERE start_ms >= ?1 AND (start_ms > ?1 OR id > ?2) AND start_ms <= ?3 AND status = 'accepted' AND created_ms <= start_ms - ?4
         ORDER BY start_ms, id LIMIT ?5",
    )
    .bind(after.0.0)
    .bind(after.1)
    .bind(until.0)
    .bind(minutes * booking_wire::instant::MINUTE_MS)
    .bind(limit)
    .fetch_all(db)
    .await?)
}

/// Returns the start of the first booking in the chain of reschedules that ends with the booking `uid`.
pub async fn first_start(db: &mut Db, uid: &str) -> Result<Option<Instant>> {
    let start: Option<i64> = sql::query_scalar(
        "WITH RECURSIVE chain (uid, start_ms, earlier, depth) AS (
             SELECT uid, start_ms, rescheduled_from_uid, 0 FROM bookings WHERE uid = ?
             UNION ALL
             SELECT b.uid, b.start_ms, b.rescheduled_from_uid, c.depth + 1
             FROM chain c JOIN bookings b ON b.uid = c.earlier WHERE c.depth < 1000
         )
         SELECT start_ms FROM chain ORDER BY depth DESC LIMIT 1",
    )
    .bind(uid)
    .fetch_optional(db)
    .await?;
    Ok(start.map(Instant))
}

/// Lists uid and start of the occurrences of a series as they are now: without bookings that were moved.
pub async fn occurrences(db: &mut Db, series_uid: &str) -> Result<Vec<(String, i64)>> {
    Ok(sql::query_as(
        "SELECT uid, start_ms FROM bookings WHERE series_uid = ? AND rescheduled_to_uid IS NULL ORDER BY start_ms",
    )
    .bind(series_uid)
    .fetch_all(db)
    .await?)
}

/// Returns the settings of the event types that have reminders of their own, by their id.
pub async fn event_types_with_reminders(db: &mut Db) -> Result<Vec<(i64, String)>> {
    Ok(sql::query_as(
        "SELECT id, settings FROM event_types WHERE settings LIKE '%\"emailReminders\"%'",
    )
    .fetch_all(db)
    .await?)
}

/// Returns the settings of event types, keyed as on the wire, by id; without those that were deleted.
pub async fn settings_of_event_types(
    db: &mut Db,
    event_types: &Value,
) -> Result<HashMap<i64, Value>> {
    let rows: Vec<(i64, String)> = sql::query_as(
        "SELECT id, settings FROM event_types WHERE id IN (SELECT value FROM json_each(?))",
    )
    .bind(event_types.to_string())
    .fetch_all(db)
    .await?;
    // One that cannot be read must not stop the messages of others.
    let read = |text: String| serde_json::from_str(&text).unwrap_or_default();
    Ok(rows
        .into_iter()
        .map(|(id, text)| (id, read(text)))
        .collect())
}

/// Name of the reminders' position in the table of meetings' events.
const REMINDERS: &str = "mail_reminders";

/// Returns the instant up to which reminders were recorded; none before the first run.
pub async fn reminders_until(db: &mut Db) -> Result<Option<Instant>> {
    let until: Option<i64> =
        sql::query_scalar("SELECT until_ms FROM meeting_marks WHERE trigger_name = ?")
            .bind(REMINDERS)
            .fetch_optional(db)
            .await?;
    Ok(until.map(Instant))
}

/// Stores the instant up to which reminders were recorded.
pub async fn set_reminders_until(db: &mut Db, until: Instant) -> Result<()> {
    sql::query(
        "INSERT INTO meeting_marks (trigger_name, until_ms, booking_id) VALUES (?, ?, 0)
         ON CONFLICT (trigger_name) DO UPDATE SET until_ms = excluded.until_ms",
    )
    .bind(REMINDERS)
    .bind(until.0)
    .execute(db)
    .await?;
    Ok(())
}
