//! What other systems hold about a booking (contract 3.5.2).

use axum::Json;
use axum::extract::State;
use booking_wire::{BookingReference, Envelope, Recording};

use crate::app::AppState;
use crate::auth::Caller;
use crate::bookings::records;
use crate::error::Result;
use crate::extract::path::PathParams;

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
    let data = records::references(&app, &caller, path.text("bookingUid")).await?;
    Ok(Json(Envelope::success(data)))
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
    let data = records::recordings(&app, &caller, path.text("bookingUid")).await?;
    Ok(Json(Envelope::success(data)))
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
    let data = records::transcripts(&app, &caller, path.text("bookingUid")).await?;
    Ok(Json(Envelope::success(data)))
}
