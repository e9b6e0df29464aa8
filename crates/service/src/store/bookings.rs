//! Bookings: inserts and complete reads.

pub mod actions;
pub mod attendees;
pub mod email_corrections;
pub mod list;
pub mod payments;
pub mod references;
pub mod round_robin;
pub mod scope;
pub(crate) mod search;
pub mod v1;
pub mod zone_offsets;

use std::collections::HashMap;

use booking_store_engine::connection::{Database, Db};
use booking_store_engine::sql::{self, QueryBuilder, Sql, by_database};
use booking_wire::booking::BookedEventType;
use booking_wire::formats::instant::{DAY_MS, MINUTE_MS};
use booking_wire::formats::is_url;
use booking_wire::{Attendee, Booking, BookingStatus, BookingUid, Host, Instant, JsonMap};
use booking_zones::Zone;
use serde::Deserialize;
use serde_json::Value;
use sha2::{Digest, Sha256};

use crate::error::{Error, Result};
use crate::input_limits::MAX_RESPONSE_BYTES;
use crate::store::people::users::display_email;
use crate::store::rows::json_rows;

/// Longest booking, in milliseconds: one day, as a constraint of `booking_hosts` ensures. A booking
/// that ends after an instant therefore starts less than a day before it, so that the index on the
/// start can find bookings by their end.
pub(super) const MAX_LENGTH_MS: i64 = DAY_MS;

/// A booking to be stored.
#[derive(Clone, Debug, Default)]
pub struct Draft {
    /// Public identifier.
    pub uid: String,
    /// Uid of its series.
    pub series_uid: Option<String>,
    /// True if it has a calendar entry for itself although it is in a series.
    pub is_apart: bool,
    /// Booked event type; none for a dynamic group.
    pub event_type_id: Option<i64>,
    /// The team of the event type.
    pub team_id: Option<i64>,
    /// The organization of the team, or of the owner of the event type.
    pub organization_id: Option<i64>,
    /// Title.
    pub title: String,
    /// Plain text.
    pub description: String,
    /// Initial status.
    pub status: BookingStatus,
    /// Epoch milliseconds.
    pub start_ms: i64,
    /// Epoch milliseconds.
    pub end_ms: i64,
    /// A URL, an address, a phone number or a token.
    pub location: Option<String>,
    /// Number of seats; none if it is not seated.
    pub seats: Option<i64>,
    /// True if its price has been paid; none without a price.
    pub paid: Option<bool>,
    /// True if it blocks its hosts' time: see [`booking_rules::transitions::blocks_time`].
    pub blocks_time: bool,
    /// Form responses by slug.
    pub responses: JsonMap,
    /// E-mail addresses.
    pub guests: Vec<String>,
    /// Metadata of the client.
    pub metadata: JsonMap,
    /// Epoch milliseconds.
    pub created_ms: i64,
    /// User ids.
    pub host_ids: Vec<i64>,
    /// Time zones of the hosts, in which they are told the start.
    pub host_zones: Vec<String>,
    /// Address of the organizer in calendar entries; none for that which messages come from.
    pub organizer_email: Option<String>,
    /// Attendees.
    pub attendees: Vec<Attendee>,
    /// Time at which the attendees book, in epoch milliseconds; none if they have booked before, as in a reschedule.
    pub booked_ms: Option<i64>,
    /// Later changes; empty for a new booking.
    pub history: History,
}

/// Changes of a booking after its creation.
#[derive(Clone, Debug, Default)]
pub struct History {
    /// Reason for which it was cancelled or declined.
    pub cancellation_reason: Option<String>,
    /// E-mail address of the user who cancelled it.
    pub cancelled_by_email: Option<String>,
    /// Reason for which it was rescheduled.
    pub rescheduling_reason: Option<String>,
    /// E-mail address of the user who rescheduled it.
    pub rescheduled_by_email: Option<String>,
    /// Uid of the booking that it replaces.
    pub rescheduled_from_uid: Option<String>,
    /// Uid of the booking that replaces it.
    pub rescheduled_to_uid: Option<String>,
    /// Uid in calendars, kept from the booking that it replaces: calendars move their entry.
    pub ics_uid: Option<String>,
    /// True if the host was absent.
    pub absent_host: bool,
    /// Rating, 1 to 5.
    pub rating: Option<i64>,
    /// Last update in epoch milliseconds; the creation if absent.
    pub updated_ms: Option<i64>,
}

/// Stores a booking with its hosts and attendees. A trigger rejects overlapping bookings of a host
/// (see [`super::is_host_taken`]).
///
/// The booking, its hosts and its attendee are stored in one round trip, during which others wait: in
/// SQLite by several statements in one text, in PostgreSQL by one with parts.
pub async fn insert(db: &mut Db, draft: &Draft) -> Result<i64, sqlx::Error> {
    let database = db.database();
    let mut query = QueryBuilder::new(database, "");
    query.push_sql(&by_database("", "WITH booking AS ("));
    push_booking(&mut query, draft);
    let uid = draft.uid.as_str();
    query.push_sql(&by_database("; ", "), hosts AS ("));
    query.push(
        "INSERT INTO booking_hosts (booking_id, user_id, organization_id, start_ms, end_ms, holds) SELECT booking.id, host.value, ",
    );
    query.push_bind(draft.organization_id).push(", ");
    query.push_bind(draft.start_ms).push(", ");
    query.push_bind(draft.end_ms).push(", ");
    // `holds`: see `transitions::blocks_time`.
    query.push_bind(i64::from(draft.blocks_time)).push(" FROM ");
    push_new_booking(&mut query, uid);
    query
        .push(", json_each(")
        .push_bind(Value::from(draft.host_ids.as_slice()).to_string())
        .push(") AS host");
    // A trigger counts the seats of the booking, which a part of the same statement would not see.
    let first = draft.attendees.first();
    let first = first.filter(|attendee| attendee.seat_uid.is_none());
    if let Some(attendee) = first {
        query.push_sql(&by_database("; ", "), attendee AS ("));
        query.push(ATTENDEE_COLUMNS).push(" SELECT booking.id, ");
        query.push_bind(draft.organization_id).push(", ");
        push_attendee(&mut query, attendee, draft.booked_ms);
        query.push(" FROM ");
        push_new_booking(&mut query, uid);
    }
    query.push_sql(&by_database("", ") SELECT id FROM booking"));
    let ids: Vec<i64> = query.build_query_scalar().fetch_all(&mut *db).await?;
    let id = ids.first().copied().ok_or(sqlx::Error::RowNotFound)?;

    for attendee in draft.attendees.iter().skip(usize::from(first.is_some())) {
        insert_attendee(db, id, attendee, draft.booked_ms).await?;
    }
    let zone = draft
        .attendees
        .first()
        .map_or("UTC", |attendee| attendee.time_zone.as_str());
    for guest in &draft.guests {
        sql::query("INSERT INTO attendees (booking_id, organization_id, name, email, time_zone, guest) VALUES (?, ?, '', ?, ?, 1)")
            .bind(id)
            .bind(draft.organization_id)
            .bind(guest)
            .bind(zone)
            .execute(&mut *db)
            .await?;
    }
    Ok(id)
}

/// Returns the uid of the calendar entry of a booking or series. Everyone who takes part has it in their calendar, and the
/// uid of the booking, which it is made from, would let them change the booking.
pub fn calendar_uid(uid: &str) -> String {
    /// Hexadecimal digits: 128 bits.
    const DIGITS: usize = 32;
    let digest = Sha256::digest(format!("calendar entry of {uid}"));
    let mut text: String = digest.iter().map(|byte| format!("{byte:02x}")).collect();
    text.truncate(DIGITS);
    text.push_str("@booking");
    text
}

/// Adds the statement that stores a booking and returns its id.
fn push_booking<'q>(query: &mut QueryBuilder<'q>, draft: &'q Draft) {
    let json = |value: Value| value.to_string();
    let history = &draft.history;
    let ics_uid = history.ics_uid.clone();
    query.push(
        "INSERT INTO bookings (uid, series_uid, is_apart, event_type_id, team_id, organization_id, title, description, status, start_ms,
             end_ms, location, seated, seats, paid, absent_host, responses, guests, metadata, cancellation_reason, cancelled_by_email,
             rescheduling_reason, rescheduled_by_email, rescheduled_from_uid, rescheduled_to_uid, rating, ics_uid,
             organizer_email, utc_offsets, created_ms, updated_ms) VALUES (",
    );
    query
        .separated(", ")
        .push_bind(&draft.uid)
        .push_bind(draft.series_uid.as_deref())
        .push_bind(i64::from(draft.is_apart))
        .push_bind(draft.event_type_id)
        .push_bind(draft.team_id)
        .push_bind(draft.organization_id)
        .push_bind(&draft.title)
        .push_bind(&draft.description)
        .push_bind(draft.status.as_str())
        .push_bind(draft.start_ms)
        .push_bind(draft.end_ms)
        .push_bind(draft.location.as_deref())
        .push_bind(i64::from(draft.seats.is_some()))
        .push_bind(draft.seats)
        .push_bind(draft.paid.map(i64::from))
        .push_bind(i64::from(history.absent_host))
        .push_bind(json(Value::Object(draft.responses.clone())))
        .push_bind(json(draft.guests.clone().into()))
        .push_bind(json(Value::Object(draft.metadata.clone())))
        .push_bind(history.cancellation_reason.as_deref())
        .push_bind(history.cancelled_by_email.as_deref())
        .push_bind(history.rescheduling_reason.as_deref())
        .push_bind(history.rescheduled_by_email.as_deref())
        .push_bind(history.rescheduled_from_uid.as_deref())
        .push_bind(history.rescheduled_to_uid.as_deref())
        .push_bind(history.rating)
        .push_bind(ics_uid.unwrap_or_else(|| calendar_uid(&draft.uid)))
        .push_bind(draft.organizer_email.as_deref())
        .push_bind(utc_offsets(draft))
        .push_bind(draft.created_ms)
        .push_bind(history.updated_ms.unwrap_or(draft.created_ms));
    query.push(") RETURNING id");
}

/// Returns the offsets of the people's time zones at the start, in seconds by zone, as JSON. Guests are told the start in
/// the zone of the person who invited them.
fn utc_offsets(draft: &Draft) -> String {
    let attendees = draft.attendees.iter().map(|attendee| &attendee.time_zone);
    let offsets: serde_json::Map<String, Value> = attendees
        .chain(&draft.host_zones)
        .filter_map(|name| {
            let offset_s = Zone::named(name)?.offset_s(Instant(draft.start_ms));
            Some((name.clone(), offset_s.into()))
        })
        .collect();
    Value::Object(offsets).to_string()
}

/// Adds the booking that the statement has just stored, as `booking`.
fn push_new_booking<'q>(query: &mut QueryBuilder<'q>, uid: &'q str) {
    match query.database() {
        Database::Sqlite => query
            .push("(SELECT id FROM bookings WHERE uid = ")
            .push_bind(uid)
            .push(") AS booking"),
        Database::Postgres => query.push("booking"),
    };
}

/// Beginning of the statement that stores an attendee; [`push_attendee`] adds the values after the first two.
const ATTENDEE_COLUMNS: &str = "INSERT INTO attendees (booking_id, organization_id, name, email, phone_number, time_zone, language, absent,
             seat_uid, responses, metadata, booked_ms)";

fn push_attendee<'q>(query: &mut QueryBuilder<'q>, attendee: &'q Attendee, booked_ms: Option<i64>) {
    let json = |map: &JsonMap| Value::Object(map.clone()).to_string();
    query
        .separated(", ")
        .push_bind(&attendee.name)
        .push_bind(&attendee.email)
        .push_bind(attendee.phone_number.as_deref())
        .push_bind(&attendee.time_zone)
        .push_bind(attendee.language.as_deref())
        .push_bind(i64::from(attendee.absent))
        .push_bind(attendee.seat_uid.as_deref())
        .push_bind(attendee.booking_fields_responses.as_ref().map(json))
        .push_bind(attendee.metadata.as_ref().map(json))
        .push_bind(booked_ms);
}

/// Adds an attendee to a booking; `booked_ms` as in [`Draft`]. A trigger rejects more attendees than seats (see
/// [`super::is_out_of_seats`]).
pub async fn insert_attendee(
    db: &mut Db,
    booking_id: i64,
    attendee: &Attendee,
    booked_ms: Option<i64>,
) -> Result<(), sqlx::Error> {
    let mut query = QueryBuilder::new(db.database(), ATTENDEE_COLUMNS);
    query.push(" VALUES (").push_bind(booking_id);
    query
        .push(", (SELECT organization_id FROM bookings WHERE id = ")
        .push_bind(booking_id)
        .push("), ");
    push_attendee(&mut query, attendee, booked_ms);
    query.push(")");
    query.build().execute(db).await?;
    Ok(())
}

/// The booking that replaces another one, and the reason.
#[derive(Clone, Copy, Debug)]
pub struct Successor<'a> {
    /// Uid of the new booking.
    pub uid: &'a str,
    /// Reason for the reschedule.
    pub reason: Option<&'a str>,
    /// E-mail address of the user who rescheduled it.
    pub by_email: Option<&'a str>,
    /// Current instant.
    pub now: Instant,
}

/// Stores the booking that replaces another one.
pub async fn set_successor(db: &mut Db, booking_id: i64, successor: Successor<'_>) -> Result<()> {
    sql::query(
        "UPDATE bookings
         SET rescheduled_to_uid = ?, rescheduling_reason = ?, rescheduled_by_email = ?, updated_ms = ? WHERE id = ?",
    )
    .bind(successor.uid)
    .bind(successor.reason)
    .bind(successor.by_email)
    .bind(successor.now.0)
    .bind(booking_id)
    .execute(db)
    .await?;
    Ok(())
}

/// Moves all seats of one booking to another one with as many seats.
pub async fn move_seats(db: &mut Db, from_id: i64, to_id: i64) -> Result<()> {
    sql::query(
        "UPDATE attendees SET booking_id = ?, absent = 0 WHERE booking_id = ? AND seat_uid IS NOT NULL",
    )
    .bind(to_id)
    .bind(from_id)
    .execute(db)
    .await?;
    Ok(())
}

/// Returns true if a series has, or had, an occurrence with that start. A calendar entry has one occurrence for a start, also
/// after it was moved or cancelled, so another booking needs an entry for itself.
pub async fn has_occurrence(db: &mut Db, series_uid: &str, start_ms: i64) -> Result<bool> {
    Ok(sql::query_scalar(
        "SELECT EXISTS (SELECT 1 FROM bookings WHERE series_uid = ? AND start_ms = ? AND is_apart = 0)",
    )
    .bind(series_uid)
    .bind(start_ms)
    .fetch_one(db)
    .await?)
}

/// Values that a booking passes on to the one that replaces it.
#[derive(Clone, Debug, sqlx::FromRow)]
pub struct Inheritance {
    /// Organization.
    pub organization_id: Option<i64>,
    /// Number of seats; none if it is not seated.
    pub seats: Option<i64>,
    /// 1 if its price has been paid; none without a price.
    pub paid: Option<i64>,
    /// Address of the organizer in calendar entries.
    pub organizer_email: Option<String>,
}

/// Returns what a booking passes on.
pub async fn inheritance(db: &mut Db, booking_id: i64) -> Result<Inheritance> {
    Ok(sql::query_as(
        "SELECT organization_id, seats, paid, organizer_email FROM bookings WHERE id = ?",
    )
    .bind(booking_id)
    .fetch_one(db)
    .await?)
}

/// Returns the id of the booking with that uid, or the ids of all occurrences of the series with
/// it, by start; and true for a series.
pub async fn ids_by_uid(db: &mut Db, uid: &str) -> Result<(Vec<i64>, bool)> {
    let one: Option<i64> = sql::query_scalar("SELECT id FROM bookings WHERE uid = ?")
        .bind(uid)
        .fetch_optional(&mut *db)
        .await?;
    if let Some(id) = one {
        return Ok((vec![id], false));
    }
    let series: Vec<i64> =
        sql::query_scalar("SELECT id FROM bookings WHERE series_uid = ? ORDER BY start_ms, id")
            .bind(uid)
            .fetch_all(db)
            .await?;
    Ok((series, true))
}

/// Returns the event type of the booking that has this uid or a seat with it.
pub async fn event_type_id_of(db: &mut Db, uid: &str) -> Result<Option<i64>> {
    let found: Option<Option<i64>> = sql::query_scalar(
        "SELECT event_type_id FROM bookings
         WHERE uid = ? OR id = (SELECT booking_id FROM attendees WHERE seat_uid = ?)",
    )
    .bind(uid)
    .bind(uid)
    .fetch_optional(db)
    .await?;
    Ok(found.flatten())
}

/// Fields in the order of the columns that [`load`] selects.
#[derive(Deserialize)]
struct Row {
    id: i64,
    uid: String,
    series_uid: Option<String>,
    event_type_id: Option<i64>,
    event_type_slug: Option<String>,
    title: String,
    description: String,
    status: BookingStatus,
    start_ms: i64,
    end_ms: i64,
    location: Option<String>,
    seated: i64,
    absent_host: i64,
    responses: String,
    guests: String,
    metadata: String,
    cancellation_reason: Option<String>,
    cancelled_by_email: Option<String>,
    rescheduling_reason: Option<String>,
    rescheduled_by_email: Option<String>,
    rescheduled_from_uid: Option<String>,
    rescheduled_to_uid: Option<String>,
    rating: Option<i64>,
    ics_uid: Option<String>,
    created_ms: i64,
    updated_ms: i64,
}

/// Fields in the order of the columns that [`load`] selects.
#[derive(Deserialize)]
struct AttendeeRow {
    booking_id: i64,
    name: String,
    email: String,
    phone_number: Option<String>,
    time_zone: String,
    language: Option<String>,
    absent: i64,
    seat_uid: Option<String>,
    responses: Option<String>,
    metadata: Option<String>,
}

/// Id of the booking; id, name, e-mail address, user name and time zone of a host.
type HostRow = (i64, i64, Option<String>, String, String, String);

/// Bytes of a booking in a response beside its texts of any length, and of each of its attendees.
const RECORD_BYTES: usize = 2 * 1024;

/// Returns how many of the bookings with these ids, from the first, fit into `max_bytes`, if each booking and attendee takes
/// `record_bytes` beside texts of any length.
async fn count_fitting(
    db: &mut Db,
    ids: &[i64],
    max_bytes: usize,
    record_bytes: usize,
) -> Result<usize> {
    let sizes: Vec<(i64, i64, i64)> = sql::query_as(
        "SELECT b.id, CAST(octet_length(b.responses) + octet_length(b.metadata) + octet_length(b.description)
                + (SELECT coalesce(sum(coalesce(octet_length(a.responses), 0) + coalesce(octet_length(a.metadata), 0)), 0)
                   FROM attendees a WHERE a.booking_id = b.id AND a.guest = 0) AS BIGINT),
                (SELECT count(*) FROM attendees a WHERE a.booking_id = b.id AND a.guest = 0)
         FROM json_each(?) asked CROSS JOIN bookings b WHERE b.id = asked.value",
    )
    .bind(Value::from(ids).to_string())
    .fetch_all(db)
    .await?;
    let bytes = |text_bytes: i64, attendees: i64| {
        let records = usize::try_from(attendees + 1).unwrap_or(usize::MAX);
        let text_bytes = usize::try_from(text_bytes).unwrap_or(usize::MAX);
        records
            .saturating_mul(record_bytes)
            .saturating_add(text_bytes)
    };
    let sizes: HashMap<i64, usize> = sizes
        .into_iter()
        .map(|(id, text_bytes, attendees)| (id, bytes(text_bytes, attendees)))
        .collect();
    let mut left = max_bytes;
    let fits = |id: &&i64| match left.checked_sub(sizes.get(id).copied().unwrap_or_default()) {
        Some(rest) => {
            left = rest;
            true
        }
        None => false,
    };
    Ok(ids.iter().take_while(fits).count())
}

/// The bookings with the ids in a JSON array.
const BOOKING_ROWS: Sql = json_rows!(
    "b.id, b.uid, b.series_uid, b.event_type_id, e.slug, b.title, b.description,
     b.status, b.start_ms, b.end_ms, b.location, b.seated, b.absent_host, b.responses, b.guests, b.metadata,
     b.cancellation_reason, b.cancelled_by_email, b.rescheduling_reason, b.rescheduled_by_email,
     b.rescheduled_from_uid, b.rescheduled_to_uid, b.rating, b.ics_uid, b.created_ms, b.updated_ms",
    "FROM json_each(?1) asked CROSS JOIN bookings b LEFT JOIN event_types e ON e.id = b.event_type_id
     WHERE b.id = asked.value"
);

/// Their hosts.
const HOST_ROWS: Sql = json_rows!(
    "h.booking_id, u.id, u.name, u.email, u.username, u.time_zone",
    " ORDER BY u.id",
    "FROM json_each(?1) asked CROSS JOIN booking_hosts h CROSS JOIN users u
     WHERE h.booking_id = asked.value AND u.id = h.user_id"
);

/// Their attendees, without guests.
const ATTENDEE_ROWS: Sql = json_rows!(
    "a.booking_id, a.name, a.email, a.phone_number, a.time_zone, a.language, a.absent, a.seat_uid,
     a.responses, a.metadata",
    " ORDER BY a.id",
    "FROM json_each(?1) asked CROSS JOIN attendees a
     WHERE a.booking_id = asked.value AND a.guest = 0"
);

/// Reads the bookings with these ids, in this order.
///
/// # Errors
///
/// If they are larger than a response can be.
pub async fn load(db: &mut Db, ids: &[i64]) -> Result<Vec<Booking>> {
    if ids.len() > 1 && count_fitting(db, ids, MAX_RESPONSE_BYTES, 0).await? < ids.len() {
        return Err(Error::response_too_large());
    }
    read(db, ids).await
}

/// Reads as many of the bookings with these ids as a response can have, from the first, in this order.
pub async fn load_fitting(db: &mut Db, ids: &[i64]) -> Result<Vec<Booking>> {
    // The texts are longer as JSON, and some are in it twice.
    let max_bytes = MAX_RESPONSE_BYTES / 4 * 3;
    let count = count_fitting(db, ids, max_bytes, RECORD_BYTES).await?;
    let count = count.max(1);
    read(db, ids.get(..count).unwrap_or(ids)).await
}

async fn read(db: &mut Db, ids: &[i64]) -> Result<Vec<Booking>> {
    if ids.is_empty() {
        return Ok(Vec::new());
    }
    let ids_json = Value::from(ids).to_string();
    let parts = [BOOKING_ROWS, HOST_ROWS, ATTENDEE_ROWS];
    let (rows, hosts, attendees): (String, String, String) = if ids.len() == 1 {
        let query = sql::query_as(sql::as_columns(&parts)).bind(&ids_json);
        query.fetch_one(db).await?
    } else {
        // For many, PostgreSQL takes longer for one statement than for three.
        let [rows, hosts, attendees] =
            parts.map(|part| sql::query_scalar::<String>(part).bind(&ids_json));
        let (rows, hosts) = (rows.fetch_one(db).await?, hosts.fetch_one(db).await?);
        (rows, hosts, attendees.fetch_one(db).await?)
    };
    let rows: Vec<Row> = serde_json::from_str(&rows)?;
    let hosts: Vec<HostRow> = serde_json::from_str(&hosts)?;
    let attendees: Vec<AttendeeRow> = serde_json::from_str(&attendees)?;

    let mut hosts_of: HashMap<i64, Vec<Host>> = HashMap::new();
    for (booking_id, id, name, email, username, time_zone) in hosts {
        hosts_of.entry(booking_id).or_default().push(Host {
            id: id.to_string(),
            name: name.unwrap_or_default(),
            display_email: display_email(&email),
            email,
            username,
            time_zone,
        });
    }
    let mut attendees_of: HashMap<i64, Vec<Attendee>> = HashMap::new();
    for row in attendees {
        attendees_of
            .entry(row.booking_id)
            .or_default()
            .push(attendee(row));
    }
    let mut bookings: HashMap<i64, Booking> = rows
        .into_iter()
        .map(|row| {
            let hosts = hosts_of.remove(&row.id).unwrap_or_default();
            let attendees = attendees_of.remove(&row.id).unwrap_or_default();
            (row.id, booking(row, hosts, attendees))
        })
        .collect();
    Ok(ids.iter().filter_map(|id| bookings.remove(id)).collect())
}

fn attendee(row: AttendeeRow) -> Attendee {
    let map = |text: Option<String>| text.map(|text| object(&text));
    Attendee {
        name: row.name,
        display_email: display_email(&row.email),
        email: row.email,
        time_zone: row.time_zone,
        absent: row.absent == 1,
        language: row.language,
        phone_number: row.phone_number,
        // A seat always has form responses, even if they are empty.
        booking_fields_responses: row
            .seat_uid
            .is_some()
            .then(|| map(row.responses).unwrap_or_default()),
        metadata: map(row.metadata),
        seat_uid: row.seat_uid,
    }
}

fn booking(row: Row, hosts: Vec<Host>, attendees: Vec<Attendee>) -> Booking {
    let seated = row.seated == 1;
    let hosts = if hosts.is_empty() {
        vec![unknown_host()]
    } else {
        hosts
    };
    let guests: Vec<String> = serde_json::from_str(&row.guests).unwrap_or_default();
    Booking {
        id: row.id,
        uid: BookingUid(row.uid),
        title: row.title,
        description: row.description,
        hosts,
        status: row.status,
        start: Instant(row.start_ms),
        end: Instant(row.end_ms),
        duration: (row.end_ms - row.start_ms) / MINUTE_MS,
        event_type_id: row.event_type_id,
        event_type: row
            .event_type_id
            .zip(row.event_type_slug)
            .map(|(id, slug)| BookedEventType { id, slug }),
        meeting_url: row.location.clone().filter(|location| is_url(location)),
        location: row.location,
        absent_host: row.absent_host == 1,
        created_at: Some(Instant(row.created_ms)),
        updated_at: Some(Instant(row.updated_ms)),
        attendees,
        booking_fields_responses: (!seated).then(|| object(&row.responses)),
        guests: (!seated && !guests.is_empty()).then_some(guests),
        recurring_booking_uid: row.series_uid,
        seat_uid: None,
        cancellation_reason: row.cancellation_reason,
        cancelled_by_email: row.cancelled_by_email,
        rescheduling_reason: row.rescheduling_reason,
        rescheduled_by_email: row.rescheduled_by_email,
        rescheduled_from_uid: row.rescheduled_from_uid.map(BookingUid),
        rescheduled_to_uid: row.rescheduled_to_uid.map(BookingUid),
        metadata: Some(object(&row.metadata)),
        rating: row.rating,
        ics_uid: row.ics_uid,
    }
}

/// Returns the placeholder for the host of a booking whose host was deleted.
fn unknown_host() -> Host {
    let unknown = || "unknown".to_owned();
    Host {
        id: unknown(),
        name: unknown(),
        email: unknown(),
        display_email: unknown(),
        username: unknown(),
        time_zone: "UTC".to_owned(),
    }
}

fn object(text: &str) -> JsonMap {
    match serde_json::from_str(text) {
        Ok(Value::Object(map)) => map,
        _ => JsonMap::new(),
    }
}

/// Counts bookings ahead that a user hosts.
pub async fn count_upcoming_of_host(db: &mut Db, user_id: i64, now: Instant) -> Result<i64> {
    Ok(sql::query_scalar(
        "SELECT count(*) FROM booking_hosts h JOIN bookings b ON b.id = h.booking_id
         WHERE h.user_id = ? AND b.start_ms > ? AND b.status IN ('accepted', 'pending', 'awaiting_host')",
    )
    .bind(user_id)
    .bind(now.0)
    .fetch_one(db)
    .await?)
}
