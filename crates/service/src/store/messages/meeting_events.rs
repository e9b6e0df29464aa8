//! Due webhook events `MEETING_STARTED` and `MEETING_ENDED`.

use booking_store_engine::connection::Db;
use booking_store_engine::sql;
use booking_wire::{Instant, Trigger};

use crate::error::Result;

/// Position up to which events were sent: all bookings before the instant, and at the instant all
/// up to the id. Many bookings start at the same instant, so the instant alone is not sufficient.
#[derive(Clone, Copy, Debug, PartialEq, Eq, sqlx::FromRow)]
pub struct Cursor {
    /// Epoch milliseconds.
    pub until_ms: i64,
    /// Id of a booking.
    pub booking_id: i64,
}

impl Cursor {
    /// Returns the position after all bookings at the instant.
    pub fn at_end_of(instant: Instant) -> Self {
        Self {
            until_ms: instant.0,
            booking_id: i64::MAX,
        }
    }
}

/// Returns the cursor of an event; none before the first run.
pub async fn cursor(db: &mut Db, trigger: Trigger) -> Result<Option<Cursor>> {
    Ok(
        sql::query_as("SELECT until_ms, booking_id FROM meeting_marks WHERE trigger_name = ?")
            .bind(trigger.as_str())
            .fetch_optional(db)
            .await?,
    )
}

/// Stores the cursor of an event.
pub async fn set_cursor(db: &mut Db, trigger: Trigger, cursor: Cursor) -> Result<()> {
    sql::query(
        "INSERT INTO meeting_marks (trigger_name, until_ms, booking_id) VALUES (?, ?, ?)
         ON CONFLICT (trigger_name) DO UPDATE SET until_ms = excluded.until_ms, booking_id = excluded.booking_id",
    )
    .bind(trigger.as_str())
    .bind(cursor.until_ms)
    .bind(cursor.booking_id)
    .execute(db)
    .await?;
    Ok(())
}

/// Returns true if an active webhook subscribes to the event.
pub async fn has_subscribers(db: &mut Db, trigger: Trigger) -> Result<bool> {
    let found: Option<String> =
        sql::query_scalar("SELECT id FROM webhooks WHERE active = 1 AND triggers LIKE ? LIMIT 1")
            .bind(super::webhooks::pattern(trigger))
            .fetch_optional(db)
            .await?;
    Ok(found.is_some())
}

/// Lists at most `limit` accepted bookings whose start or end is after the cursor and not after
/// `now`, in order, as cursors.
pub async fn due_since(
    db: &mut Db,
    trigger: Trigger,
    cursor: Cursor,
    now: Instant,
    limit: i64,
) -> Result<Vec<Cursor>> {
    let column = if trigger == Trigger::MeetingEnded {
        "end_ms"
    } else {
        "start_ms"
    };
    // Uses the index on the start, see `bookings::MAX_LENGTH_MS`.
    let sql = format!(
        "SELECT {column} AS until_ms, id AS booking_id FROM bookings
         WHERE status = 'accepted' AND start_ms >= ?1 AND start_ms <= ?2
           AND {column} <= ?2 AND ({column} > ?3 OR ({column} = ?3 AND id > ?4))
         ORDER BY {column}, id LIMIT ?5"
    );
    let earliest = match trigger {
        Trigger::MeetingEnded => cursor.until_ms - crate::store::bookings::MAX_LENGTH_MS,
        _ => cursor.until_ms,
    };
    Ok(sql::query_as(sql)
        .bind(earliest)
        .bind(now.0)
        .bind(cursor.until_ms)
        .bind(cursor.booking_id)
        .bind(limit)
        .fetch_all(db)
        .await?)
}
