//! A host's answer to a booking that waits for it (contract 3.5.2, 6.3).

use axum::Json;
use axum::extract::State;
use booking_wire::{DeclineBooking, Envelope};

use crate::app::AppState;
use crate::auth::Caller;
use crate::bookings::confirm;
use crate::bookings::read::OneOrSeries;
use crate::error::Result;
use crate::extract::json::OptionalJsonObject;
use crate::extract::path::PathParams;

/// Accepts a booking that waits for confirmation; of a series, all occurrences that do. A host of
/// an instant event type joins the booking with it.
#[utoipa::path(
    post,
    path = "/v2/bookings/{bookingUid}/confirm",
    tag = "Bookings",
    params(("bookingUid" = String, Path, description = "Of a booking, an occurrence or a series")),
    responses((status = 200, body = Envelope<OneOrSeries>)),
)]
pub async fn confirm(
    State(app): State<AppState>,
    caller: Caller,
    path: PathParams,
) -> Result<Json<Envelope<OneOrSeries>>> {
    let data = confirm::confirm(&app, &caller, path.text("bookingUid")).await?;
    Ok(Json(Envelope::success(data)))
}

/// Declines a booking that waits for confirmation; by the uid of a series, all occurrences that do.
#[utoipa::path(
    post,
    path = "/v2/bookings/{bookingUid}/decline",
    tag = "Bookings",
    params(("bookingUid" = String, Path, description = "Of a booking, an occurrence or a series")),
    request_body = Option<DeclineBooking>,
    responses((status = 200, body = Envelope<OneOrSeries>)),
)]
pub async fn decline(
    State(app): State<AppState>,
    caller: Caller,
    path: PathParams,
    OptionalJsonObject(body): OptionalJsonObject,
) -> Result<Json<Envelope<OneOrSeries>>> {
    let data = confirm::decline(&app, &caller, path.text("bookingUid"), &body).await?;
    Ok(Json(Envelope::success(data)))
}
