//! Due webhook events `MEETING_STARTED` and `MEETING_ENDED`.

use booking_store_engine::connection::{Database, Db};
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

/// Moves the cursor of an event from `before`. Returns false if another replica has moved it.
pub async fn move_cursor(
    db: &mut Db,
    trigger: Trigger,
    before: Option<Cursor>,
    after: Cursor,
) -> Result<bool> {
    let Some(before) = before else {
        let inserted = sql::query(
            "INSERT INTO meeting_marks (trigger_name, until_ms, booking_id) VALUES (?, ?, ?)
             ON CONFLICT (trigger_name) DO NOTHING",
        );
        let inserted = inserted.bind(trigger.as_str()).bind(after.until_ms);
        let inserted = inserted.bind(after.booking_id).execute(db).await?;
        return Ok(inserted.rows_affected() == 1);
    };
    let moved = sql::query(
        "UPDATE meeting_marks SET until_ms = ?, booking_id = ?
         WHERE trigger_name = ? AND until_ms = ? AND booking_id = ?",
    )
    .bind(after.until_ms)
    .bind(after.booking_id)
    .bind(trigger.as_str())
    .bind(before.until_ms)
    .bind(before.booking_id)
    .execute(db)
    .await?;
    Ok(moved.rows_affected() == 1)
}

/// Condition on a webhook `w` for being in the index of subscribers to meetings.
fn of_meetings(database: Database) -> &'static str {
    match database {
        Database::Sqlite => "w.active = 1 AND instr(w.triggers, '\"MEETING_') > 0",
        Database::Postgres => "w.active = 1 AND strpos(w.triggers, '\"MEETING_') > 0",
    }
}

/// Returns true if an active webhook subscribes to the event.
pub async fn has_subscribers(db: &mut Db, trigger: Trigger) -> Result<bool> {
    let sql = format!(
        "SELECT w.id FROM webhooks w WHERE {} AND w.triggers LIKE ? LIMIT 1",
        of_meetings(db.database())
    );
    let found: Option<String> = sql::query_scalar(sql)
        .bind(super::webhooks::pattern(trigger))
        .fetch_optional(db)
        .await?;
    Ok(found.is_some())
}

/// Lists at most `limit` accepted bookings whose start or end is after the cursor and not after
/// `now`, in order, as cursors: those with subscribers ([`super::webhooks::subscribers_to_booking`]).
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
    let of_meetings = of_meetings(db.database());
    // Uses the index on the start, see `bookings::MAX_LENGTH_MS`; PostgreSQL also has one on the end. Subscribers are looked up for each booking: the cost does
    // not depend on their number.
    let sql = format!(
        "SELECT {column} AS until_ms, id AS booking_id FROM bookings b
         WHERE status = 'accepted' AND start_ms >= ?1 AND start_ms <= ?2
           AND {column} >= ?3 AND {column} <= ?2 AND ({column} > ?3 OR ({column} = ?3 AND id > ?4))
           AND (EXISTS (SELECT 1 FROM booking_hosts h JOIN webhooks w ON w.user_id = h.user_id
                        WHERE h.booking_id = b.id AND {of_meetings} AND w.triggers LIKE ?6)
             OR EXISTS (SELECT 1 FROM webhooks w
                        WHERE w.event_type_id = b.event_type_id AND {of_meetings} AND w.triggers LIKE ?6)
             OR EXISTS (SELECT 1 FROM event_types e JOIN webhooks w ON w.event_type_id = e.parent_id
                        WHERE e.id = b.event_type_id AND {of_meetings} AND w.triggers LIKE ?6)
             OR EXISTS (SELECT 1 FROM teams t JOIN webhooks w ON w.organization_id = t.organization_id
                        WHERE t.id = b.team_id AND {of_meetings} AND w.triggers LIKE ?6)
             OR EXISTS (SELECT 1 FROM booking_hosts h JOIN users u ON u.id = h.user_id
                        JOIN webhooks w ON w.organization_id = u.organization_id OR w.oauth_client_id = u.oauth_client_id
                        WHERE h.booking_id = b.id AND {of_meetings} AND w.triggers LIKE ?6))
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
        .bind(super::webhooks::pattern(trigger))
        .fetch_all(db)
        .await?)
}
