//! Calling bookings off, or giving back one seat (contract 3.5.2, 6.3).

use axum::Json;
use axum::extract::State;
use booking_wire::{CancelBooking, Envelope};

use crate::app::AppState;
use crate::bookings::cancel;
use crate::bookings::read::OneOrSeries;
use crate::error::Result;
use crate::extract::Visitor;
use crate::extract::json::OptionalJsonObject;
use crate::extract::path::PathParams;

/// Cancels a booking, an occurrence with or without the later ones, all that remains of a series,
/// or one seat.
#[utoipa::path(
    post,
    path = "/v2/bookings/{bookingUid}/cancel",
    tag = "Bookings",
    params(("bookingUid" = String, Path, description = "Of a booking, an occurrence or a series")),
    request_body = Option<CancelBooking>,
    responses((status = 200, description = "The booking, or an array of what is cancelled of a series", body = Envelope<OneOrSeries>)),
)]
pub async fn cancel(
    State(app): State<AppState>,
    Visitor(caller): Visitor,
    path: PathParams,
    OptionalJsonObject(body): OptionalJsonObject,
) -> Result<Json<Envelope<OneOrSeries>>> {
    let data = cancel::cancel(&app, caller.as_ref(), path.text("bookingUid"), &body).await?;
    Ok(Json(Envelope::success(data)))
}
