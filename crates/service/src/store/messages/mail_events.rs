//! Events that e-mail messages are about, with the rows of their booking.

use std::collections::{HashMap, HashSet};

use booking_mail::data::MAX_PEOPLE;
use booking_mail::message::Kind;
use booking_store_engine::connection::Db;
use booking_store_engine::sql::{self, QueryBuilder, Sql, by_database};
use booking_store_engine::statements::current_span;
use booking_wire::{BookingStatus, Instant};
use serde::Deserialize;
use serde_json::Value;

use crate::error::Result;
use crate::store::messages::mail::EventMessages;

/// Object with the columns of [`HostRow`]. A new address of a host gets no messages before it is proven.
macro_rules! host_object {
    ($object:literal) => {
        concat!(
            $object,
            "('id', u.id, 'name', u.name, 'email', coalesce(u.proven_email, u.email), 'time_zone', u.time_zone, 'locale', u.locale,
                  'time_format', u.time_format, 'disabled_ms', u.disabled_ms)"
        )
    };
}

/// Statement that stores an event with the rows of its bookings as they are at that moment. Parameters: ids of the bookings
/// as JSON, kind, details, minutes before the start, ids of former hosts as JSON, instant, uids of the seats that it is
/// about in one text, most attendees of a booking, span.
///
/// It is one statement, because each booking waits for it.
macro_rules! insert_event {
    ($object:literal, $array:literal) => {
        concat!(
            "INSERT INTO mail_events (organization_id, kind, booking_uid, data, minutes_before, created_ms, trace_parent)
             SELECT min(b.organization_id), ?2, min(b.uid), CAST(",
            $object,
            "('bookings', ",
            $array,
            "(",
            $object,
            "('booking', ",
            $object,
            "('id', b.id, 'uid', b.uid, 'series_uid', b.series_uid, 'is_apart', b.is_apart,
                 'event_type_id', b.event_type_id, 'title', b.title, 'description', b.description,
                 'status', b.status, 'start_ms', b.start_ms, 'end_ms', b.end_ms, 'location', b.location,
                 'responses', b.responses, 'ics_uid', b.ics_uid, 'organizer_email', b.organizer_email,
                 'rescheduled_from_uid', b.rescheduled_from_uid,
                 'updated_ms', b.updated_ms),
             'hosts', (SELECT ",
            $array,
            "(",
            host_object!($object),
            ")
                  FROM booking_hosts h CROSS JOIN users u WHERE h.booking_id = b.id AND u.id = h.user_id),
             'attendees', (SELECT ",
            $array,
            "(",
            $object,
            "('id', a.id, 'name', a.name, 'email', a.email, 'phone_number', a.phone_number,
                  'time_zone', a.time_zone, 'language', a.language, 'guest', a.guest, 'seat_uid', a.seat_uid,
                  'responses', a.responses, 'reminders_stopped', a.reminders_stopped, 'is_proven', a.is_proven))
                  FROM (SELECT * FROM attendees people WHERE people.booking_id = b.id
                        ORDER BY CASE WHEN ?7 LIKE '%' || people.seat_uid || '%' THEN 0 ELSE 1 END, people.id
                        LIMIT CAST(?8 AS BIGINT)) a))),
             'former_hosts', (SELECT ",
            $array,
            "(",
            host_object!($object),
            ")
                  FROM json_each(?5) former CROSS JOIN users u WHERE u.id = former.value),
             'details', CAST(?3 AS TEXT)) AS TEXT), CAST(?4 AS BIGINT), CAST(?6 AS BIGINT),
                 CAST(?9 AS TEXT)
             FROM json_each(?1) changed JOIN bookings b ON b.id = changed.value HAVING count(*) > 0
             ON CONFLICT DO NOTHING"
        )
    };
}

const INSERT_EVENT: Sql = by_database(
    insert_event!("json_object", "json_group_array"),
    insert_event!("json_build_object", "json_agg"),
);

/// An event to store.
#[derive(Clone, Copy, Debug)]
pub struct NewMailEvent<'a> {
    /// Kind.
    pub kind: Kind,
    /// The bookings.
    pub booking_ids: &'a [i64],
    /// JSON object.
    pub details: &'a str,
    /// Minutes before the start, of a reminder.
    pub minutes_before: Option<i64>,
    /// Users who were hosts before this event.
    pub former_host_ids: &'a [i64],
    /// True if it is about single seats of the bookings. Of the other attendees only some are stored: there can be many, and
    /// each has such an event.
    pub is_about_seats: bool,
    /// Uids of these seats, as far as somebody has them.
    pub seat_uids: &'a [&'a str],
    /// Time of the event.
    pub now: Instant,
}

/// Attendees of a booking in an event about some of its seats: one more than messages name.
const ATTENDEES_OF_SEAT_EVENT: i64 = MAX_PEOPLE as i64 + 1;

/// Stores an event; a reminder that is stored already stays as it is.
pub async fn insert_event(db: &mut Db, event: &NewMailEvent<'_>) -> Result<()> {
    let max_attendees = match event.is_about_seats {
        true => ATTENDEES_OF_SEAT_EVENT,
        false => i64::MAX,
    };
    sql::query(INSERT_EVENT)
        .bind(Value::from(event.booking_ids).to_string())
        .bind(event.kind.name())
        .bind(event.details)
        .bind(event.minutes_before)
        .bind(Value::from(event.former_host_ids).to_string())
        .bind(event.now.0)
        .bind(event.seat_uids.join(" "))
        .bind(max_attendees)
        .bind(current_span())
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

/// Rows of bookings at the time of an event.
#[derive(Clone, Debug, Deserialize)]
#[serde(from = "StoredEventRows")]
pub struct EventRows {
    /// The bookings with their people.
    pub bookings: Vec<BookingRows>,
    /// Hosts of any of them before the event.
    pub former_hosts: Vec<HostRow>,
    /// JSON object of the recording use case.
    pub details: String,
}

/// Rows of one booking.
#[derive(Clone, Debug, Deserialize)]
pub struct BookingRows {
    /// The booking.
    pub booking: BookingRow,
    /// Its hosts.
    #[serde(deserialize_with = "null_as_empty")]
    pub hosts: Vec<HostRow>,
    /// Attendees and guests.
    #[serde(deserialize_with = "null_as_empty")]
    pub attendees: Vec<AttendeeRow>,
}

/// [`EventRows`] as they are stored. Version 0.1 stored the rows of one booking beside the other values.
#[derive(Deserialize)]
struct StoredEventRows {
    #[serde(default)]
    bookings: Vec<BookingRows>,
    #[serde(flatten)]
    only: Option<BookingRows>,
    #[serde(deserialize_with = "null_as_empty")]
    former_hosts: Vec<HostRow>,
    details: String,
}

impl From<StoredEventRows> for EventRows {
    fn from(stored: StoredEventRows) -> Self {
        Self {
            bookings: stored.bookings.into_iter().chain(stored.only).collect(),
            former_hosts: stored.former_hosts,
            details: stored.details,
        }
    }
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
    /// 0 in events of version 0.1.
    #[serde(default)]
    pub id: i64,
    pub uid: String,
    pub series_uid: Option<String>,
    pub is_apart: i64,
    pub event_type_id: Option<i64>,
    pub title: String,
    pub description: String,
    pub status: BookingStatus,
    pub start_ms: i64,
    pub end_ms: i64,
    pub location: Option<String>,
    pub responses: String,
    pub ics_uid: Option<String>,
    #[serde(default)]
    pub organizer_email: Option<String>,
    #[serde(default)]
    pub rescheduled_from_uid: Option<String>,
    pub updated_ms: i64,
}

impl BookingRow {
    /// Returns the uid of the series with whose meetings it shares a calendar entry.
    pub fn shared_series_uid(&self) -> Option<&str> {
        self.series_uid.as_deref().filter(|_| self.is_apart == 0)
    }
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
    #[serde(default)]
    pub disabled_ms: Option<i64>,
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
    #[serde(default)]
    pub is_proven: i64,
}

/// Replaces the rows of events by the data that their messages are rendered from. Returns the ids of those whose messages
/// are not stored yet.
pub async fn mark_expanded(db: &mut Db, events: &[&EventMessages]) -> Result<Vec<i64>> {
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

/// Stores the data of further messages of an event whose messages do not all have the same data. Returns the id of the row.
pub async fn insert_expanded(db: &mut Db, event: &EventMessages, now: Instant) -> Result<i64> {
    Ok(sql::query_scalar(
        "INSERT INTO mail_events (organization_id, kind, booking_uid, data, expanded, created_ms, trace_parent)
         VALUES ((SELECT organization_id FROM mail_events WHERE id = ?1), ?2, ?3, ?4, 1, ?5,
             coalesce(?6, (SELECT trace_parent FROM mail_events WHERE id = ?1))) RETURNING id",
    )
    .bind(event.event_id)
    .bind(event.kind.name())
    .bind(&event.booking_uid)
    .bind(&event.data)
    .bind(now.0)
    .bind(current_span())
    .fetch_one(db)
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

/// Lists the addresses, in lower case, of guests with a message about a calendar entry, within the retention of messages.
pub async fn informed_guests(db: &mut Db, order_key: &str) -> Result<HashSet<String>> {
    let addresses: Vec<String> = sql::query_scalar(
        "SELECT lower(email) FROM mail_messages WHERE order_key = ? AND role = 'guest' AND status <> 'suppressed'",
    )
    .bind(order_key)
    .fetch_all(db)
    .await?;
    Ok(addresses.into_iter().collect())
}

/// Counts the occurrences of a series: a booking that was moved counts once.
pub async fn count_occurrences(db: &mut Db, series_uid: &str) -> Result<i64> {
    Ok(sql::query_scalar(
        "SELECT count(*) FROM bookings WHERE series_uid = ? AND is_apart = 0 AND rescheduled_to_uid IS NULL",
    )
    .bind(series_uid)
    .fetch_one(db)
    .await?)
}

/// Settings and tenant of an event type, for messages about its bookings.
#[derive(Clone, Debug, Default)]
pub struct EventTypeMail {
    /// Settings, keyed as on the wire.
    pub settings: Value,
    /// Organisation, team or user that it belongs to.
    pub tenant: String,
}

/// Returns what messages about bookings of event types depend on, by id; without those that were deleted.
pub async fn mail_of_event_types(
    db: &mut Db,
    event_types: &Value,
) -> Result<HashMap<i64, EventTypeMail>> {
    #[derive(sqlx::FromRow)]
    struct Row {
        id: i64,
        settings: String,
        organization_id: Option<i64>,
        team_id: Option<i64>,
        owner_id: Option<i64>,
    }
    let rows: Vec<Row> = sql::query_as(
        "SELECT e.id, e.settings, coalesce(t.organization_id, u.organization_id) AS organization_id, e.team_id, e.owner_id
         FROM event_types e LEFT JOIN teams t ON t.id = e.team_id LEFT JOIN users u ON u.id = e.owner_id
         WHERE e.id IN (SELECT value FROM json_each(?))",
    )
    .bind(event_types.to_string())
    .fetch_all(db)
    .await?;
    let read = |row: Row| {
        let tenant = match (row.organization_id, row.team_id, row.owner_id) {
            (Some(id), _, _) => format!("organization {id}"),
            (None, Some(id), _) => format!("team {id}"),
            (None, None, Some(id)) => format!("user {id}"),
            (None, None, None) => String::new(),
        };
        // One that cannot be read must not stop the messages of others.
        let settings = serde_json::from_str(&row.settings).unwrap_or_default();
        (row.id, EventTypeMail { settings, tenant })
    };
    Ok(rows.into_iter().map(read).collect())
}
