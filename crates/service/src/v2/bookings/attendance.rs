//! Who did not come (contract 3.5.2).

use axum::Json;
use axum::extract::State;
use booking_wire::{Booking, Envelope, MarkAbsent};

use crate::app::AppState;
use crate::auth::Caller;
use crate::bookings::attendance;
use crate::error::Result;
use crate::extract::json::JsonObject;
use crate::extract::path::PathParams;

/// Notes who did not come to a booking that has started.
#[utoipa::path(
    post,
    path = "/v2/bookings/{bookingUid}/mark-absent",
    tag = "Bookings",
    params(("bookingUid" = String, Path, description = "Of a booking or an occurrence")),
    request_body = MarkAbsent,
    responses((status = 200, body = Envelope<Booking>)),
)]
pub async fn mark_absent(
    State(app): State<AppState>,
    caller: Caller,
    path: PathParams,
    JsonObject(body): JsonObject,
) -> Result<Json<Envelope<Booking>>> {
    let data = attendance::mark_absent(&app, &caller, path.text("bookingUid"), &body).await?;
    Ok(Json(Envelope::success(data)))
}
