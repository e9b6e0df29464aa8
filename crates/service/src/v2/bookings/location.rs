//! Moving a booking to another place (contract 3.5.2).

use axum::Json;
use axum::extract::State;
use booking_wire::{Booking, Envelope, UpdateLocation};

use crate::app::AppState;
use crate::auth::Caller;
use crate::bookings::location;
use crate::error::Result;
use crate::extract::json::JsonObject;
use crate::extract::path::PathParams;

/// Gives a booking another place, if the body names one.
#[utoipa::path(
    patch,
    path = "/v2/bookings/{bookingUid}/location",
    tag = "Bookings",
    params(("bookingUid" = String, Path, description = "Of a booking or an occurrence")),
    request_body = UpdateLocation,
    responses((status = 200, body = Envelope<Booking>)),
)]
pub async fn update_location(
    State(app): State<AppState>,
    caller: Caller,
    path: PathParams,
    JsonObject(body): JsonObject,
) -> Result<Json<Envelope<Booking>>> {
    let data = location::update_location(&app, &caller, path.text("bookingUid"), &body).await?;
    Ok(Json(Envelope::success(data)))
}
