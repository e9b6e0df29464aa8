//! Reservations: temporary holds on slots (contract 3.4.2).
//!
//! A reservation that has ended stays for a while: it tells how long its client has held the slot.

use booking_wire::Instant;

use crate::availability::{MINUTE, Span};
use crate::error::Result;
use crate::store::connection::Db;

/// Time for which a reservation is remembered after it was made.
const REMEMBERED_MS: i64 = 120 * MINUTE;

/// A reservation as it is stored.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Held {
    /// Public identifier: a capability to move and end the reservation.
    pub uid: String,
    /// Client that made it ([`crate::limits::Client::hash`]); empty if that cannot be told.
    pub client_hash: String,
    /// Event type.
    pub event_type_id: i64,
    /// Epoch milliseconds.
    pub start_ms: i64,
    /// Epoch milliseconds.
    pub end_ms: i64,
    /// When it ends by itself, in epoch milliseconds.
    pub until_ms: i64,
    /// When this slot was reserved first, in epoch milliseconds.
    pub created_ms: i64,
    /// Takes one seat of a shared booking, which visitors of the same event type may still join.
    pub seated: bool,
    /// Hosts whose time is reserved.
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
    async fn held(self, db: &mut Db) -> Result<Held> {
        let host_ids = sqlx::query_scalar(
            "SELECT user_id FROM reservation_hosts WHERE reservation_id = ? ORDER BY user_id",
        )
        .bind(self.id)
        .fetch_all(db)
        .await?;
        Ok(Held {
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

/// Reads a live reservation.
pub async fn find(db: &mut Db, uid: &str, now: Instant) -> Result<Option<Held>> {
    let row: Option<Row> = sqlx::query_as(&format!("{SELECT} uid = ? AND until_ms > ?"))
        .bind(uid)
        .bind(now.0)
        .fetch_optional(&mut *db)
        .await?;
    match row {
        Some(row) => row.held(db).await.map(Some),
        None => Ok(None),
    }
}

/// Stores a reservation and removes those that need not be remembered.
pub async fn insert(db: &mut Db, held: &Held, now: Instant) -> Result<()> {
    sqlx::query("DELETE FROM reservations WHERE until_ms <= ? AND created_ms <= ?")
        .bind(now.0)
        .bind(now.0 - REMEMBERED_MS)
        .execute(&mut *db)
        .await?;
    let id: i64 = sqlx::query_scalar(
        "INSERT INTO reservations (uid, client_hash, event_type_id, start_ms, end_ms, until_ms, seated, created_ms)
         VALUES (?, ?, ?, ?, ?, ?, ?, ?) RETURNING id",
    )
    .bind(&held.uid)
    .bind(&held.client_hash)
    .bind(held.event_type_id)
    .bind(held.start_ms)
    .bind(held.end_ms)
    .bind(held.until_ms)
    .bind(i64::from(held.seated))
    .bind(held.created_ms)
    .fetch_one(&mut *db)
    .await?;
    for host_id in &held.host_ids {
        sqlx::query("INSERT INTO reservation_hosts (reservation_id, user_id) VALUES (?, ?)")
            .bind(id)
            .bind(host_id)
            .execute(&mut *db)
            .await?;
    }
    Ok(())
}

/// Removes a reservation, as if it had never been made.
pub async fn remove(db: &mut Db, uid: &str) -> Result<()> {
    sqlx::query("DELETE FROM reservations WHERE uid = ?")
        .bind(uid)
        .execute(db)
        .await?;
    Ok(())
}

/// Ends a live reservation, if there is one.
pub async fn end(db: &mut Db, uid: &str, now: Instant) -> Result<()> {
    sqlx::query(
        "DELETE FROM reservation_hosts WHERE reservation_id = (SELECT id FROM reservations WHERE uid = ?)",
    )
    .bind(uid)
    .execute(&mut *db)
    .await?;
    // The uid is used up.
    sqlx::query(
        "UPDATE reservations SET until_ms = ?, uid = uid || ' ' || id WHERE uid = ? AND until_ms > ?",
    )
    .bind(now.0)
    .bind(uid)
    .bind(now.0)
    .execute(db)
    .await?;
    Ok(())
}

/// Live reservations of a client.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, sqlx::FromRow)]
pub struct Live {
    /// All of them.
    pub total: i64,
    /// Those of one event type.
    pub of_event_type: i64,
}

/// Counts the live reservations of a client.
pub async fn live(
    db: &mut Db,
    client_hash: &str,
    event_type_id: i64,
    now: Instant,
) -> Result<Live> {
    Ok(sqlx::query_as(
        "SELECT count(*) AS total, coalesce(sum(event_type_id = ?), 0) AS of_event_type
         FROM reservations WHERE client_hash = ? AND until_ms > ?",
    )
    .bind(event_type_id)
    .bind(client_hash)
    .bind(now.0)
    .fetch_one(db)
    .await?)
}

/// The most live reservations of a client that take the time of one of these hosts.
pub async fn live_of_hosts(
    db: &mut Db,
    client_hash: &str,
    host_ids: &[i64],
    now: Instant,
) -> Result<i64> {
    let mut most = 0;
    for host_id in host_ids {
        let count: i64 = sqlx::query_scalar(
            "SELECT count(*) FROM reservations r JOIN reservation_hosts h ON h.reservation_id = r.id
             WHERE r.client_hash = ? AND r.until_ms > ? AND h.user_id = ?",
        )
        .bind(client_hash)
        .bind(now.0)
        .bind(host_id)
        .fetch_one(&mut *db)
        .await?;
        most = most.max(count);
    }
    Ok(most)
}

/// Milliseconds for which a client has held a slot during the last two hours.
pub async fn held_ms(
    db: &mut Db,
    client_hash: &str,
    event_type_id: i64,
    start_ms: i64,
    now: Instant,
) -> Result<i64> {
    Ok(sqlx::query_scalar(
        "SELECT coalesce(sum(min(until_ms, ?1) - created_ms), 0) FROM reservations
         WHERE client_hash = ?2 AND event_type_id = ?3 AND start_ms = ?4 AND created_ms > ?5",
    )
    .bind(now.0)
    .bind(client_hash)
    .bind(event_type_id)
    .bind(start_ms)
    .bind(now.0 - REMEMBERED_MS)
    .fetch_one(db)
    .await?)
}

/// Number of live reservations of all clients.
pub async fn count_live(db: &mut Db, now: Instant) -> Result<i64> {
    Ok(
        sqlx::query_scalar("SELECT count(*) FROM reservations WHERE until_ms > ?")
            .bind(now.0)
            .fetch_one(db)
            .await?,
    )
}

/// A visitor's reservation as a booking refers to it.
#[derive(Clone, Copy, Debug)]
pub struct Own<'a> {
    /// `reservedSlotUid` of the request.
    pub uid: Option<&'a str>,
    /// The client of the request; empty if that cannot be told.
    pub client_hash: &'a str,
}

/// A reservation that has given way to its booking.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Consumed {
    /// True if it was for the very start and length that is booked.
    pub is_same_slot: bool,
    /// Hosts whose time it held: they are the ones to take. Empty if it was for another slot.
    pub host_ids: Vec<i64>,
}

/// Removes the visitor's own reservation because the slot is about to be booked, so that it no
/// longer blocks it: the one that the request names, or else one of the same client.
///
/// A uid that is unknown, expired or of something else changes nothing. To be called before
/// [`super::busy::calendar`], in the transaction of the booking: if that fails, the
/// reservation stays.
pub async fn consume(
    db: &mut Db,
    own: Own<'_>,
    event_type_id: i64,
    meeting: Span,
    now: Instant,
) -> Result<Consumed> {
    let found = match own.uid {
        Some(uid) => find(db, uid, now)
            .await?
            .filter(|held| held.event_type_id == event_type_id && held.start_ms == meeting.start),
        None if own.client_hash.is_empty() => None,
        // Several visitors may share a network: one booking takes the place of one reservation.
        None => {
            let row: Option<Row> = sqlx::query_as(&format!(
                "{SELECT} client_hash = ? AND event_type_id = ? AND until_ms > ? AND start_ms < ? AND end_ms > ?
                 ORDER BY start_ms <> ?, id LIMIT 1"
            ))
            .bind(own.client_hash)
            .bind(event_type_id)
            .bind(now.0)
            .bind(meeting.end)
            .bind(meeting.start)
            .bind(meeting.start)
            .fetch_optional(&mut *db)
            .await?;
            match row {
                Some(row) => Some(row.held(db).await?),
                None => None,
            }
        }
    };
    let Some(held) = found else {
        return Ok(Consumed::default());
    };
    remove(db, &held.uid).await?;
    let is_same_slot = held.start_ms == meeting.start && held.end_ms == meeting.end;
    Ok(Consumed {
        is_same_slot,
        host_ids: if is_same_slot {
            held.host_ids
        } else {
            Vec::new()
        },
    })
}
