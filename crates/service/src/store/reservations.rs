//! Short holds on slots (contract 3.4.2).

use booking_wire::Instant;

use super::Db;
use crate::error::Result;

/// A hold as it is stored.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Held {
    /// Public identifier: whoever knows it may move and end the hold.
    pub uid: String,
    /// What is held.
    pub event_type_id: i64,
    /// Epoch milliseconds.
    pub start_ms: i64,
    /// Epoch milliseconds.
    pub end_ms: i64,
    /// When it ends by itself, in epoch milliseconds.
    pub until_ms: i64,
    /// Whether it takes one seat of a shared meeting, which visitors of the same event type may
    /// still join.
    pub seated: bool,
    /// Whose time is held.
    pub host_ids: Vec<i64>,
}

/// Reads a hold that has not passed its end.
pub async fn find(db: &mut Db, uid: &str, now: Instant) -> Result<Option<Held>> {
    let row: Option<(i64, i64, i64, i64, i64, i64)> = sqlx::query_as(
        "SELECT id, event_type_id, start_ms, end_ms, until_ms, seated FROM reservations
         WHERE uid = ? AND until_ms > ?",
    )
    .bind(uid)
    .bind(now.0)
    .fetch_optional(&mut *db)
    .await?;
    let Some((id, event_type_id, start_ms, end_ms, until_ms, seated)) = row else {
        return Ok(None);
    };
    let host_ids = sqlx::query_scalar(
        "SELECT user_id FROM reservation_hosts WHERE reservation_id = ? ORDER BY user_id",
    )
    .bind(id)
    .fetch_all(db)
    .await?;
    Ok(Some(Held {
        uid: uid.to_owned(),
        event_type_id,
        start_ms,
        end_ms,
        until_ms,
        seated: seated == 1,
        host_ids,
    }))
}

/// Stores a hold and sweeps those that have passed their end.
pub async fn insert(db: &mut Db, held: &Held, now: Instant) -> Result<()> {
    sqlx::query("DELETE FROM reservations WHERE until_ms <= ?")
        .bind(now.0)
        .execute(&mut *db)
        .await?;
    let id: i64 = sqlx::query_scalar(
        "INSERT INTO reservations (uid, event_type_id, start_ms, end_ms, until_ms, seated, created_ms)
         VALUES (?, ?, ?, ?, ?, ?, ?) RETURNING id",
    )
    .bind(&held.uid)
    .bind(held.event_type_id)
    .bind(held.start_ms)
    .bind(held.end_ms)
    .bind(held.until_ms)
    .bind(i64::from(held.seated))
    .bind(now.0)
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

/// Ends a hold, if there is one.
pub async fn remove(db: &mut Db, uid: &str) -> Result<()> {
    sqlx::query("DELETE FROM reservations WHERE uid = ?")
        .bind(uid)
        .execute(db)
        .await?;
    Ok(())
}

/// Ends a visitor's own hold on a start because the start is about to be booked, so that it no
/// longer stands in the way. Gives the hosts whose time it held: they are the ones to take.
///
/// A uid that is unknown, expired or holds something else changes nothing. To be called before
/// [`super::busy::calendar`], in the transaction of the booking: if that fails, the hold stays.
pub async fn consume(
    db: &mut Db,
    uid: &str,
    event_type_id: i64,
    start_ms: i64,
    now: Instant,
) -> Result<Vec<i64>> {
    match find(db, uid, now).await? {
        Some(held) if held.event_type_id == event_type_id && held.start_ms == start_ms => {
            remove(db, uid).await?;
            Ok(held.host_ids)
        }
        _ => Ok(Vec::new()),
    }
}
