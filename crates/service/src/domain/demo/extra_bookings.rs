//! Copies of bookings in other years, for tests and benchmarks of long lists.

use booking_rules::availability::DAY;
use booking_store_engine::sql;

use super::ids::{DEMO, TEAM_ID};
use crate::app::AppState;
use crate::error::Result;

/// Shift between copies in milliseconds: without conflicts, on the same days of the week.
const SHIFT_MS: i64 = 364 * DAY;

/// Copies the team's bookings to earlier and later years until it has `count`.
pub async fn add_bookings(app: &AppState, count: i64) -> Result<()> {
    let mut transaction = app.store.begin(&[DEMO]).await?;
    let db = &mut *transaction;
    let (mut total, last): (i64, i64) =
        sql::query_as("SELECT count(*), coalesce(max(id), 0) FROM bookings WHERE team_id = ?")
            .bind(TEAM_ID)
            .fetch_one(&mut *db)
            .await?;
    let mut copy = 0;
    while total < count {
        copy += 1;
        let shift = SHIFT_MS * ((copy + 1) / 2) * if copy % 2 == 0 { 1 } else { -1 };
        let copied = sql::query(
            "INSERT INTO bookings (uid, series_uid, event_type_id, team_id, organization_id, title, description, status,
                 start_ms, end_ms, location, seated, seats, paid, absent_host, responses, guests, metadata,
                 cancellation_reason, cancelled_by_email, rescheduling_reason, rescheduled_by_email,
                 rescheduled_from_uid, rescheduled_to_uid, rating, ics_uid, created_ms, updated_ms)
             SELECT uid || '-' || ?1, series_uid || '-' || ?1, event_type_id, team_id, organization_id, title, description,
                 status, start_ms + ?2, end_ms + ?2, location, seated, seats, paid, absent_host, responses, guests, metadata,
                 cancellation_reason, cancelled_by_email, rescheduling_reason, rescheduled_by_email,
                 rescheduled_from_uid || '-' || ?1, rescheduled_to_uid || '-' || ?1, rating,
                 uid || '-' || ?1 || '@booking', created_ms + CASE WHEN ?2 < 0 THEN ?2 ELSE 0 END,
                 updated_ms + CASE WHEN ?2 < 0 THEN ?2 ELSE 0 END
             FROM bookings WHERE team_id = ?3 AND id <= ?4 ORDER BY id LIMIT ?5",
        )
        .bind(copy)
        .bind(shift)
        .bind(TEAM_ID)
        .bind(last)
        .bind(count - total)
        .execute(&mut *db)
        .await?
        .rows_affected();
        for sql in [
            // `holds`: see `transitions::blocks_time`.
            "INSERT INTO booking_hosts (booking_id, organization_id, user_id, start_ms, end_ms, holds)
             SELECT new.id, host.organization_id, host.user_id, host.start_ms + ?2, host.end_ms + ?2, host.holds
             FROM booking_hosts AS host JOIN bookings AS old ON old.id = host.booking_id
             JOIN bookings AS new ON new.uid = old.uid || '-' || ?1
             WHERE old.team_id = ?3 AND old.id <= ?4",
            "INSERT INTO attendees (booking_id, organization_id, name, email, phone_number, time_zone, language, absent, seat_uid,
                 responses, metadata, guest)
             SELECT new.id, who.organization_id, name, email, phone_number, time_zone, language, absent, seat_uid || '-' || ?1,
                 who.responses, who.metadata, guest
             FROM attendees AS who JOIN bookings AS old ON old.id = who.booking_id
             JOIN bookings AS new ON new.uid = old.uid || '-' || ?1
             WHERE old.team_id = ?3 AND old.id <= ?4 ORDER BY who.id",
        ] {
            sql::query(sql)
                .bind(copy)
                .bind(shift)
                .bind(TEAM_ID)
                .bind(last)
                .execute(&mut *db)
                .await?;
        }
        let copied = i64::try_from(copied).unwrap_or_default();
        if copied == 0 {
            // The team has no bookings to copy.
            break;
        }
        total += copied;
    }
    transaction.commit().await?;
    Ok(())
}
