//! Starts and ends of meetings that have come and are to be told.

use booking_wire::{Instant, Trigger};

use crate::error::Result;
use crate::store::connection::Db;

/// No booking takes longer (see the hosts' table).
const LONGEST_MS: i64 = 86_400_000;

/// Up to where meetings have been told: all before the moment, and at the moment all bookings up
/// to the number. Many meetings begin at the same moment, so the moment alone would not do.
#[derive(Clone, Copy, Debug, PartialEq, Eq, sqlx::FromRow)]
pub struct Mark {
    /// Epoch milliseconds.
    pub until_ms: i64,
    /// Number of a booking.
    pub booking_id: i64,
}

impl Mark {
    /// Everything up to and at that moment.
    pub fn all_until(moment: Instant) -> Self {
        Self {
            until_ms: moment.0,
            booking_id: i64::MAX,
        }
    }
}

/// The mark of an event; none before the service has first told any.
pub async fn mark(db: &mut Db, trigger: Trigger) -> Result<Option<Mark>> {
    Ok(
        sqlx::query_as("SELECT until_ms, booking_id FROM meeting_marks WHERE trigger_name = ?")
            .bind(trigger.as_str())
            .fetch_optional(db)
            .await?,
    )
}

/// Moves the mark.
pub async fn set_mark(db: &mut Db, trigger: Trigger, mark: Mark) -> Result<()> {
    sqlx::query(
        "INSERT INTO meeting_marks (trigger_name, until_ms, booking_id) VALUES (?, ?, ?)
         ON CONFLICT (trigger_name) DO UPDATE SET until_ms = excluded.until_ms, booking_id = excluded.booking_id",
    )
    .bind(trigger.as_str())
    .bind(mark.until_ms)
    .bind(mark.booking_id)
    .execute(db)
    .await?;
    Ok(())
}

/// Whether anybody wants to hear of the event.
pub async fn is_wanted(db: &mut Db, trigger: Trigger) -> Result<bool> {
    let found: Option<String> =
        sqlx::query_scalar("SELECT id FROM webhooks WHERE active = 1 AND triggers LIKE ? LIMIT 1")
            .bind(super::webhooks::pattern(trigger))
            .fetch_optional(db)
            .await?;
    Ok(found.is_some())
}

/// At most `limit` accepted bookings whose start, or end, has come since the mark, in their order,
/// each with the moment.
pub async fn since(
    db: &mut Db,
    trigger: Trigger,
    mark: Mark,
    now: Instant,
    limit: i64,
) -> Result<Vec<Mark>> {
    let column = if trigger == Trigger::MeetingEnded {
        "end_ms"
    } else {
        "start_ms"
    };
    // What ends now began within a day: there is an index of starts, and none of ends.
    let sql = format!(
        "SELECT {column} AS until_ms, id AS booking_id FROM bookings
         WHERE status = 'accepted' AND start_ms >= ?1 AND start_ms <= ?2
           AND {column} <= ?2 AND ({column} > ?3 OR ({column} = ?3 AND id > ?4))
         ORDER BY {column}, id LIMIT ?5"
    );
    let earliest = match trigger {
        Trigger::MeetingEnded => mark.until_ms - LONGEST_MS,
        _ => mark.until_ms,
    };
    Ok(sqlx::query_as(&sql)
        .bind(earliest)
        .bind(now.0)
        .bind(mark.until_ms)
        .bind(mark.booking_id)
        .bind(limit)
        .fetch_all(db)
        .await?)
}
