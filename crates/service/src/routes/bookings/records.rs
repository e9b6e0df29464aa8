//! What other systems hold about a booking (contract 3.5.2).

use axum::Json;
use axum::extract::State;
use booking_wire::{BookingReference, Envelope, Recording};

use crate::app::AppState;
use crate::auth::Caller;
use crate::auth::access::Subject;
use crate::error::Result;
use crate::routes::PathParams;
use crate::store::{Db, booking_acts, booking_people};

/// What a booking is called in other systems, such as calendars.
#[utoipa::path(
    get,
    path = "/v2/bookings/{bookingUid}/references",
    tag = "Bookings",
    params(("bookingUid" = String, Path, description = "Of a booking or an occurrence")),
    responses((status = 200, body = Envelope<Vec<BookingReference>>)),
)]
pub async fn references(
    State(app): State<AppState>,
    caller: Caller,
    path: PathParams,
) -> Result<Json<Envelope<Vec<BookingReference>>>> {
    let mut db = app.store.read().await?;
    let id = readable(&mut db, &caller, &path).await?;
    let references = booking_people::references(&mut db, id).await?;
    Ok(Json(Envelope::success(references)))
}

/// Recordings of a meeting. This service records nothing, so there are none.
#[utoipa::path(
    get,
    path = "/v2/bookings/{bookingUid}/recordings",
    tag = "Bookings",
    params(("bookingUid" = String, Path, description = "Of a booking or an occurrence")),
    responses((status = 200, body = Envelope<Vec<Recording>>)),
)]
pub async fn recordings(
    State(app): State<AppState>,
    caller: Caller,
    path: PathParams,
) -> Result<Json<Envelope<Vec<Recording>>>> {
    let mut db = app.store.read().await?;
    readable(&mut db, &caller, &path).await?;
    Ok(Json(Envelope::success(Vec::new())))
}

/// Links to transcripts of a meeting. This service records nothing, so there are none.
#[utoipa::path(
    get,
    path = "/v2/bookings/{bookingUid}/transcripts",
    tag = "Bookings",
    params(("bookingUid" = String, Path, description = "Of a booking or an occurrence")),
    responses((status = 200, body = Envelope<Vec<String>>)),
)]
pub async fn transcripts(
    State(app): State<AppState>,
    caller: Caller,
    path: PathParams,
) -> Result<Json<Envelope<Vec<String>>>> {
    let mut db = app.store.read().await?;
    readable(&mut db, &caller, &path).await?;
    Ok(Json(Envelope::success(Vec::new())))
}

/// The id of the booking in the path, if the caller may read what belongs to it.
async fn readable(db: &mut Db, caller: &Caller, path: &PathParams) -> Result<i64> {
    let booking = booking_acts::one(db, path.text("bookingUid")).await?;
    caller.authorise(db, &Subject::of_booking(&booking)).await?;
    Ok(booking.id)
}
