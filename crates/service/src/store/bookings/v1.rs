//! Booking columns that only version 1 can change, and reads for their checks.

use booking_store_engine::connection::Db;
use booking_store_engine::sql;

use crate::error::Result;

/// Updates the title and description of a booking; none keeps a value.
pub async fn set_title_and_description(
    db: &mut Db,
    booking_id: i64,
    title: Option<&str>,
    description: Option<&str>,
) -> Result<()> {
    sql::query(
        "UPDATE bookings SET title = coalesce(?, title), description = coalesce(?, description) WHERE id = ?",
    )
    .bind(title)
    .bind(description)
    .bind(booking_id)
    .execute(db)
    .await?;
    Ok(())
}

/// Stores the e-mail addresses of the users who cancelled or rescheduled a booking; none keeps a
/// value.
pub async fn set_actors(
    db: &mut Db,
    booking_id: i64,
    cancelled_by_email: Option<&str>,
    rescheduled_by_email: Option<&str>,
) -> Result<()> {
    sql::query(
        "UPDATE bookings SET cancelled_by_email = coalesce(?, cancelled_by_email),
             rescheduled_by_email = coalesce(?, rescheduled_by_email)
         WHERE id = ?",
    )
    .bind(cancelled_by_email)
    .bind(rescheduled_by_email)
    .bind(booking_id)
    .execute(db)
    .await?;
    Ok(())
}

/// Returns true if a booking has replaced another one, or has been replaced.
pub async fn is_rescheduled(db: &mut Db, booking_id: i64) -> Result<bool> {
    let found: Option<i64> = sql::query_scalar(
        "SELECT id FROM bookings
         WHERE id = ? AND (rescheduled_from_uid IS NOT NULL OR rescheduled_to_uid IS NOT NULL)",
    )
    .bind(booking_id)
    .fetch_optional(db)
    .await?;
    Ok(found.is_some())
}

/// Returns the organisation of the first of these users who has one.
pub async fn organization_of(db: &mut Db, user_ids: &[i64]) -> Result<Option<i64>> {
    Ok(sql::query_scalar(
        "SELECT organization_id FROM users
         WHERE id IN (SELECT value FROM json_each(?)) AND organization_id IS NOT NULL ORDER BY id LIMIT 1",
    )
    .bind(serde_json::json!(user_ids).to_string())
    .fetch_optional(db)
    .await?)
}
