//! The same bookings in other years, for tests and measurements of long lists.

use super::ids::TEAM_ID;
use crate::app::AppState;
use crate::availability::DAY;
use crate::error::Result;

/// Far enough apart that no two meet, and on the same days of the week.
const APART_MS: i64 = 364 * DAY;

/// Copies the team's bookings into years before and after until it has `count`.
pub async fn fill(app: &AppState, count: i64) -> Result<()> {
    let mut transaction = app.store.begin().await?;
    let db = &mut *transaction;
    let (mut present, last): (i64, i64) =
        sqlx::query_as("SELECT count(*), coalesce(max(id), 0) FROM bookings WHERE team_id = ?")
            .bind(TEAM_ID)
            .fetch_one(&mut *db)
            .await?;
    let mut copy = 0;
    while present < count {
        copy += 1;
        let shift = APART_MS * ((copy + 1) / 2) * if copy % 2 == 0 { 1 } else { -1 };
        let made = sqlx::query(
            "INSERT INTO bookings (uid, series_uid, event_type_id, team_id, title, description, status,
                 start_ms, end_ms, location, seated, seats, paid, absent_host, responses, guests, metadata,
                 cancellation_reason, cancelled_by_email, rescheduling_reason, rescheduled_by_email,
                 rescheduled_from_uid, rescheduled_to_uid, rating, ics_uid, created_ms, updated_ms)
             SELECT uid || '-' || ?1, series_uid || '-' || ?1, event_type_id, team_id, title, description, status,
                 start_ms + ?2, end_ms + ?2, location, seated, seats, paid, absent_host, responses, guests, metadata,
                 cancellation_reason, cancelled_by_email, rescheduling_reason, rescheduled_by_email,
                 rescheduled_from_uid || '-' || ?1, rescheduled_to_uid || '-' || ?1, rating,
                 uid || '-' || ?1 || '@booking', created_ms + min(?2, 0), updated_ms + min(?2, 0)
             FROM bookings WHERE team_id = ?3 AND id <= ?4 ORDER BY id LIMIT ?5",
        )
        .bind(copy)
        .bind(shift)
        .bind(TEAM_ID)
        .bind(last)
        .bind(count - present)
        .execute(&mut *db)
        .await?
        .rows_affected();
        for people in [
            "INSERT INTO booking_hosts (booking_id, user_id, start_ms, end_ms, holds)
             SELECT new.id, host.user_id, host.start_ms + ?2, host.end_ms + ?2, host.holds
             FROM booking_hosts AS host JOIN bookings AS old ON old.id = host.booking_id
             JOIN bookings AS new ON new.uid = old.uid || '-' || ?1
             WHERE old.team_id = ?3 AND old.id <= ?4",
            "INSERT INTO attendees (booking_id, name, email, phone_number, time_zone, language, absent, seat_uid,
                 responses, metadata, guest)
             SELECT new.id, name, email, phone_number, time_zone, language, absent, seat_uid || '-' || ?1,
                 who.responses, who.metadata, guest
             FROM attendees AS who JOIN bookings AS old ON old.id = who.booking_id
             JOIN bookings AS new ON new.uid = old.uid || '-' || ?1
             WHERE old.team_id = ?3 AND old.id <= ?4 ORDER BY who.id",
        ] {
            sqlx::query(people)
                .bind(copy)
                .bind(shift)
                .bind(TEAM_ID)
                .bind(last)
                .execute(&mut *db)
                .await?;
        }
        let made = i64::try_from(made).unwrap_or_default();
        if made == 0 {
            // Without any there is nothing to copy.
            break;
        }
        present += made;
    }
    transaction.commit().await?;
    Ok(())
}
