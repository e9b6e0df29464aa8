//! Reservations: temporary holds on slots.
//!
//! Expired reservations are retained for a while, to sum up the time for which their client has
//! reserved the slot.

use booking_rules::availability::{MINUTE, TimeRange};
use booking_store_engine::connection::Db;
use booking_store_engine::sql;
use booking_wire::Instant;

use crate::error::Result;
use crate::store::old_rows::OldRows;

/// Retention of a reservation after its creation.
const RETENTION_MS: i64 = 120 * MINUTE;

/// A stored reservation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ReservationRow {
    /// Public identifier: a capability to update and cancel the reservation.
    pub uid: String,
    /// Hash of the client that made it ([`crate::limits::Client::hash`]); empty if it is unknown.
    pub client_hash: String,
    /// Event type.
    pub event_type_id: i64,
    /// Epoch milliseconds.
    pub start_ms: i64,
    /// Epoch milliseconds.
    pub end_ms: i64,
    /// Expiry in epoch milliseconds.
    pub until_ms: i64,
    /// First reservation of this slot, in epoch milliseconds.
    pub created_ms: i64,
    /// True if it reserves one seat of a shared booking: other seats stay available.
    pub seated: bool,
    /// Ids of the hosts whose time is reserved.
    pub host_ids: Vec<i64>,
}

#[derive(sqlx::FromRow)]
struct Row {
    id: i64,
    uid: String,
    client_hash: String,
    event_type_id: i64,
    start_ms: i64,
    end_ms: i64,
    until_ms: i64,
    created_ms: i64,
    seated: i64,
}

const SELECT: &str =
    "SELECT id, uid, client_hash, event_type_id, start_ms, end_ms, until_ms, created_ms, seated
    FROM reservations WHERE ";

impl Row {
    async fn into_reservation(self, db: &mut Db) -> Result<ReservationRow> {
        let host_ids = sql::query_scalar(
            "SELECT user_id FROM reservation_hosts WHERE reservation_id = ? ORDER BY user_id",
        )
        .bind(self.id)
        .fetch_all(db)
        .await?;
        Ok(ReservationRow {
            uid: self.uid,
            client_hash: self.client_hash,
            event_type_id: self.event_type_id,
            start_ms: self.start_ms,
            end_ms: self.end_ms,
            until_ms: self.until_ms,
            created_ms: self.created_ms,
            seated: self.seated == 1,
            host_ids,
        })
    }
}

/// Returns the active reservation with that uid.
pub async fn find(db: &mut Db, uid: &str, now: Instant) -> Result<Option<ReservationRow>> {
    let row: Option<Row> = sql::query_as(format!("{SELECT} uid = ? AND until_ms > ?"))
        .bind(uid)
        .bind(now.0)
        .fetch_optional(&mut *db)
        .await?;
    match row {
        Some(row) => row.into_reservation(db).await.map(Some),
        None => Ok(None),
    }
}

/// Reservations whose retention has ended.
pub fn expired() -> OldRows {
    OldRows {
        table: "reservations",
        key: "id",
        condition: format!("until_ms <= ?1 AND created_ms <= ?1 - {RETENTION_MS}"),
        order: "until_ms",
    }
}

/// Stores a reservation.
pub async fn insert(db: &mut Db, reservation: &ReservationRow) -> Result<()> {
    let id: i64 = sql::query_scalar(
        "INSERT INTO reservations (uid, client_hash, event_type_id, start_ms, end_ms, until_ms, seated, created_ms)
         VALUES (?, ?, ?, ?, ?, ?, ?, ?) RETURNING id",
    )
    .bind(&reservation.uid)
    .bind(&reservation.client_hash)
    .bind(reservation.event_type_id)
    .bind(reservation.start_ms)
    .bind(reservation.end_ms)
    .bind(reservation.until_ms)
    .bind(i64::from(reservation.seated))
    .bind(reservation.created_ms)
    .fetch_one(&mut *db)
    .await?;
    for host_id in &reservation.host_ids {
        sql::query("INSERT INTO reservation_hosts (reservation_id, user_id) VALUES (?, ?)")
            .bind(id)
            .bind(host_id)
            .execute(&mut *db)
            .await?;
    }
    Ok(())
}

/// Deletes a reservation, without retention.
pub async fn remove(db: &mut Db, uid: &str) -> Result<()> {
    sql::query("DELETE FROM reservations WHERE uid = ?")
        .bind(uid)
        .execute(db)
        .await?;
    Ok(())
}

/// Cancels the active reservation with that uid, if there is one.
pub async fn cancel(db: &mut Db, uid: &str, now: Instant) -> Result<()> {
    sql::query(
        "DELETE FROM reservation_hosts WHERE reservation_id = (SELECT id FROM reservations WHERE uid = ?)",
    )
    .bind(uid)
    .execute(&mut *db)
    .await?;
    // The uid must not be used again.
    sql::query(
        "UPDATE reservations SET until_ms = ?, uid = uid || ' ' || id WHERE uid = ? AND until_ms > ?",
    )
    .bind(now.0)
    .bind(uid)
    .bind(now.0)
    .execute(db)
    .await?;
    Ok(())
}

/// Numbers of active reservations of a client.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, sqlx::FromRow)]
pub struct ReservationCounts {
    /// All active reservations.
    pub total: i64,
    /// Active reservations of one event type.
    pub of_event_type: i64,
}

/// Counts the active reservations of a client.
pub async fn active_counts(
    db: &mut Db,
    client_hash: &str,
    event_type_id: i64,
    now: Instant,
) -> Result<ReservationCounts> {
    Ok(sql::query_as(
        "SELECT count(*) AS total, count(*) FILTER (WHERE event_type_id = ?) AS of_event_type
         FROM reservations WHERE client_hash = ? AND until_ms > ?",
    )
    .bind(event_type_id)
    .bind(client_hash)
    .bind(now.0)
    .fetch_one(db)
    .await?)
}

/// Returns the largest number of active reservations of a client for one of these hosts.
pub async fn max_active_per_host(
    db: &mut Db,
    client_hash: &str,
    host_ids: &[i64],
    now: Instant,
) -> Result<i64> {
    Ok(sql::query_scalar(
        "SELECT coalesce(max(active), 0) FROM (
           SELECT count(*) AS active
           FROM reservations r JOIN reservation_hosts h ON h.reservation_id = r.id
           WHERE r.client_hash = ? AND r.until_ms > ?
           AND h.user_id IN (SELECT value FROM json_each(?)) GROUP BY h.user_id) AS counts",
    )
    .bind(client_hash)
    .bind(now.0)
    .bind(serde_json::json!(host_ids).to_string())
    .fetch_one(db)
    .await?)
}

/// Returns the milliseconds for which a client has reserved a slot during the last two hours.
pub async fn reserved_ms(
    db: &mut Db,
    client_hash: &str,
    event_type_id: i64,
    start_ms: i64,
    now: Instant,
) -> Result<i64> {
    Ok(sql::query_scalar(
        "SELECT CAST(coalesce(sum(CASE WHEN until_ms < ?1 THEN until_ms ELSE ?1 END - created_ms), 0) AS BIGINT)
         FROM reservations
         WHERE client_hash = ?2 AND event_type_id = ?3 AND start_ms = ?4 AND created_ms > ?5",
    )
    .bind(now.0)
    .bind(client_hash)
    .bind(event_type_id)
    .bind(start_ms)
    .bind(now.0 - RETENTION_MS)
    .fetch_one(db)
    .await?)
}

/// Counts the active reservations of all clients.
pub async fn count_active(db: &mut Db, now: Instant) -> Result<i64> {
    Ok(
        sql::query_scalar("SELECT count(*) FROM reservations WHERE until_ms > ?")
            .bind(now.0)
            .fetch_one(db)
            .await?,
    )
}

/// Reference of a booking request to the visitor's reservation.
#[derive(Clone, Copy, Debug)]
pub struct ReservationRef<'a> {
    /// `reservedSlotUid` of the request.
    pub uid: Option<&'a str>,
    /// Hash of the request's client; empty if it is unknown.
    pub client_hash: &'a str,
}

/// A reservation that was replaced by its booking.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ConsumedReservation {
    /// True if it had the start and length of the booking.
    pub is_same_slot: bool,
    /// Ids of its hosts, who are to host the booking. Empty if it was for another slot.
    pub host_ids: Vec<i64>,
}

/// Deletes the visitor's reservation, so that it does not block the visitor's booking: the one with
/// the uid of the request, else one of the same client.
///
/// A uid that is unknown, expired or of another slot changes nothing. To be called before
/// [`super::calendar`], in the transaction of the booking: if that fails, the
/// reservation stays.
pub async fn consume(
    db: &mut Db,
    reservation_ref: ReservationRef<'_>,
    event_type_id: i64,
    meeting: TimeRange,
    now: Instant,
) -> Result<ConsumedReservation> {
    let found = match reservation_ref.uid {
        Some(uid) => find(db, uid, now)
            .await?
            .filter(|row| row.event_type_id == event_type_id && row.start_ms == meeting.start),
        None if reservation_ref.client_hash.is_empty() => None,
        // Several visitors may share a network: one booking replaces one reservation.
        None => {
            let row: Option<Row> = sql::query_as(format!(
                "{SELECT} client_hash = ? AND event_type_id = ? AND until_ms > ? AND start_ms < ? AND end_ms > ?
                 ORDER BY start_ms <> ?, id LIMIT 1"
            ))
            .bind(reservation_ref.client_hash)
            .bind(event_type_id)
            .bind(now.0)
            .bind(meeting.end)
            .bind(meeting.start)
            .bind(meeting.start)
            .fetch_optional(&mut *db)
            .await?;
            match row {
                Some(row) => Some(row.into_reservation(db).await?),
                None => None,
            }
        }
    };
    let Some(reservation) = found else {
        return Ok(ConsumedReservation::default());
    };
    remove(db, &reservation.uid).await?;
    let is_same_slot = reservation.start_ms == meeting.start && reservation.end_ms == meeting.end;
    Ok(ConsumedReservation {
        is_same_slot,
        host_ids: if is_same_slot {
            reservation.host_ids
        } else {
            Vec::new()
        },
    })
}
