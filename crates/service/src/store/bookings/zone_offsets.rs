//! Offsets of time zones that people were told with upcoming bookings.

use std::collections::{BTreeMap, HashMap};

use booking_store_engine::connection::Db;
use booking_store_engine::sql::{self, QueryBuilder};
use booking_wire::Instant;
use serde_json::Value;

use crate::error::Result;

/// An upcoming booking.
#[derive(Clone, Debug, PartialEq, Eq, sqlx::FromRow)]
pub struct UpcomingBooking {
    /// Identifier.
    pub id: i64,
    /// Public identifier.
    pub uid: String,
    /// Uid of the series with whose occurrences it shares a calendar entry.
    pub series_uid: Option<String>,
    /// Epoch milliseconds.
    pub start_ms: i64,
    /// Epoch milliseconds.
    pub end_ms: i64,
    /// Offsets as they were told: see [`parse_offsets`].
    pub utc_offsets: Option<String>,
}

/// Offsets in seconds by the name of the zone.
pub type Offsets = BTreeMap<String, i64>;

/// Reads the offsets of a booking; none if it was made by a version that did not store them.
pub fn parse_offsets(text: Option<&str>) -> Option<Offsets> {
    serde_json::from_str(text?).ok()
}

const COLUMNS: &str = "SELECT id, uid, CASE WHEN is_apart = 0 THEN series_uid END AS series_uid, start_ms, end_ms, utc_offsets
    FROM bookings WHERE status IN ('accepted', 'pending', 'awaiting_host') AND rescheduled_to_uid IS NULL AND ";

/// Lists bookings that take place after a start and id, by start and id; at most `limit`.
pub async fn upcoming(
    db: &mut Db,
    after: (Instant, i64),
    limit: i64,
) -> Result<Vec<UpcomingBooking>> {
    let statement = format!(
        "{COLUMNS} start_ms >= ?1 AND (start_ms > ?1 OR id > ?2) ORDER BY start_ms, id LIMIT ?3"
    );
    Ok(sql::query_as(statement)
        .bind(after.0.0)
        .bind(after.1)
        .bind(limit)
        .fetch_all(db)
        .await?)
}

/// Lists the occurrences of a series that take or took place.
pub async fn occurrences(db: &mut Db, series_uid: &str) -> Result<Vec<UpcomingBooking>> {
    let statement = format!("{COLUMNS} series_uid = ? AND is_apart = 0 ORDER BY start_ms, id");
    Ok(sql::query_as(statement)
        .bind(series_uid)
        .fetch_all(db)
        .await?)
}

/// Returns a booking if it takes place.
pub async fn find(db: &mut Db, id: i64) -> Result<Option<UpcomingBooking>> {
    let statement = format!("{COLUMNS} id = ?");
    Ok(sql::query_as(statement).bind(id).fetch_optional(db).await?)
}

/// Time zones of the people of a booking.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PeopleZones {
    /// Of the hosts, by their ids.
    pub hosts: Vec<String>,
    /// Of attendees and guests.
    pub others: Vec<String>,
}

/// Returns the time zones of the people of bookings.
pub async fn zones_of(db: &mut Db, booking_ids: &[i64]) -> Result<HashMap<i64, PeopleZones>> {
    let ids = Value::from(booking_ids).to_string();
    let mut zones: HashMap<i64, PeopleZones> = HashMap::new();
    let hosts: Vec<(i64, String)> = sql::query_as(
        "SELECT h.booking_id, u.time_zone FROM booking_hosts h JOIN users u ON u.id = h.user_id
         WHERE h.booking_id IN (SELECT value FROM json_each(?)) ORDER BY h.booking_id, u.id",
    )
    .bind(&ids)
    .fetch_all(&mut *db)
    .await?;
    for (id, zone) in hosts {
        zones.entry(id).or_default().hosts.push(zone);
    }
    let others: Vec<(i64, String)> = sql::query_as(
        "SELECT DISTINCT booking_id, time_zone FROM attendees
         WHERE booking_id IN (SELECT value FROM json_each(?))",
    )
    .bind(&ids)
    .fetch_all(db)
    .await?;
    for (id, zone) in others {
        zones.entry(id).or_default().others.push(zone);
    }
    Ok(zones)
}

/// Stores the offsets that people are told, by the ids of bookings.
pub async fn set_offsets(db: &mut Db, bookings: &[(i64, Offsets)]) -> Result<()> {
    if bookings.is_empty() {
        return Ok(());
    }
    let mut query = QueryBuilder::new(
        db.database(),
        "UPDATE bookings SET utc_offsets = n.column2 FROM (VALUES ",
    );
    for (index, (id, offsets)) in bookings.iter().enumerate() {
        query.push(if index == 0 { "(" } else { ", (" });
        let offsets = serde_json::to_string(offsets)?;
        query.separated(", ").push_bind(*id).push_bind(offsets);
        query.push(")");
    }
    query.push(") AS n WHERE bookings.id = n.column1");
    query.build().execute(db).await?;
    Ok(())
}

/// Returns true if a host of the booking has another meeting at that time.
pub async fn has_conflict(
    db: &mut Db,
    booking_id: i64,
    start_ms: i64,
    end_ms: i64,
) -> Result<bool> {
    Ok(sql::query_scalar(
        "SELECT EXISTS (SELECT 1 FROM booking_hosts own JOIN booking_hosts other ON other.user_id = own.user_id
         WHERE own.booking_id = ?1 AND own.holds = 1 AND other.booking_id <> ?1 AND other.holds = 1
             AND other.start_ms < ?3 AND other.end_ms > ?2)",
    )
    .bind(booking_id)
    .bind(start_ms)
    .bind(end_ms)
    .fetch_one(db)
    .await?)
}

/// Moves a booking in place.
pub async fn set_time(
    db: &mut Db,
    booking_id: i64,
    start_ms: i64,
    end_ms: i64,
    now: Instant,
) -> Result<()> {
    sql::query("UPDATE bookings SET start_ms = ?, end_ms = ?, updated_ms = ? WHERE id = ?")
        .bind(start_ms)
        .bind(end_ms)
        .bind(now.0)
        .bind(booking_id)
        .execute(&mut *db)
        .await?;
    sql::query("UPDATE booking_hosts SET start_ms = ?, end_ms = ? WHERE booking_id = ?")
        .bind(start_ms)
        .bind(end_ms)
        .bind(booking_id)
        .execute(db)
        .await?;
    Ok(())
}

/// Returns the IANA version of the last review; none before the first one.
pub async fn reviewed_version(db: &mut Db) -> Result<Option<String>> {
    Ok(
        sql::query_scalar("SELECT version FROM zone_reviews WHERE id = 1")
            .fetch_optional(db)
            .await?,
    )
}

/// Stores the IANA version of the last review.
pub async fn set_reviewed_version(db: &mut Db, version: &str) -> Result<()> {
    sql::query(
        "INSERT INTO zone_reviews (id, version) VALUES (1, ?)
         ON CONFLICT (id) DO UPDATE SET version = excluded.version",
    )
    .bind(version)
    .execute(db)
    .await?;
    Ok(())
}
