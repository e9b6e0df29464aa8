//! Bookings that reminders are due for, and the people who get them.

use booking_store_engine::connection::Db;
use booking_store_engine::sql::{self, by_database};
use booking_wire::Instant;

use crate::error::Result;
use crate::store::people::users::display_email;

/// Lists the addresses of the hosts of a booking, or of its attendees and guests who want reminders. None if the booking
/// does not take place.
pub async fn reminded_addresses(db: &mut Db, uid: &str, are_hosts: bool) -> Result<Vec<String>> {
    let statement = match are_hosts {
        true => {
            "SELECT coalesce(u.proven_email, u.email) FROM bookings b JOIN booking_hosts h ON h.booking_id = b.id JOIN users u ON u.id = h.user_id
             WHERE b.uid = ? AND b.status = 'accepted' AND u.disabled_ms IS NULL"
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
    .bind(minutes * booking_wire::formats::instant::MINUTE_MS)
    .bind(limit)
    .fetch_all(db)
    .await?)
}

/// Returns the settings of the event types that have reminders of their own, by their id.
pub async fn event_types_with_reminders(db: &mut Db) -> Result<Vec<(i64, String)>> {
    // The condition of an index.
    Ok(sql::query_as(by_database(
        "SELECT id, settings FROM event_types WHERE instr(settings, '\"emailReminders\"') > 0",
        "SELECT id, settings FROM event_types WHERE strpos(settings, '\"emailReminders\"') > 0",
    ))
    .fetch_all(db)
    .await?)
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
