//! What the person who books has booked already. People are known by their e-mail address in any
//! spelling, or by their number if they have given no address.

use booking_wire::{Attendee, Instant};

use crate::error::Result;
use crate::store::connection::Db;

/// How many bookings of an event type somebody has ahead. A series counts once.
pub async fn bookings_ahead(
    db: &mut Db,
    event_type_id: i64,
    person: &Attendee,
    now: Instant,
) -> Result<i64> {
    Ok(sqlx::query_scalar(
        "SELECT count(DISTINCT coalesce(b.series_uid, b.uid)) FROM bookings b JOIN attendees a ON a.booking_id = b.id
         WHERE b.event_type_id = ? AND b.start_ms > ? AND b.status NOT IN ('cancelled', 'rejected')
           AND ((? <> '' AND lower(a.email) = lower(?)) OR (? = '' AND a.email = '' AND a.phone_number = ?))",
    )
    .bind(event_type_id)
    .bind(now.0)
    .bind(&person.email)
    .bind(&person.email)
    .bind(&person.email)
    .bind(&person.phone_number)
    .fetch_one(db)
    .await?)
}

/// Whether somebody has a seat in a booking.
pub async fn has_seat(db: &mut Db, booking_id: i64, person: &Attendee) -> Result<bool> {
    let found: Option<i64> = sqlx::query_scalar(
        "SELECT id FROM attendees
         WHERE booking_id = ? AND seat_uid IS NOT NULL
           AND ((? <> '' AND lower(email) = lower(?)) OR (? = '' AND email = '' AND phone_number = ?)) LIMIT 1",
    )
    .bind(booking_id)
    .bind(&person.email)
    .bind(&person.email)
    .bind(&person.email)
    .bind(&person.phone_number)
    .fetch_optional(db)
    .await?;
    Ok(found.is_some())
}
