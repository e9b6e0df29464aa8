//! Cancels bookings, or releases one seat (contract 3.5.2, 6.3).

use axum::extract::State;
use booking_wire::{CancelBooking, Envelope};

use crate::app::AppState;
use crate::auth::access::{Requirement, access};
use crate::auth::scope::BOOKING_WRITE;
use crate::bookings::cancel;
use crate::bookings::read::OneOrSeries;
use crate::extract::OptionalCaller;
use crate::extract::json::OptionalJsonObject;
use crate::extract::path::PathParams;
use crate::v2::response::{Success, success};

/// Cancels a booking, an occurrence with or without the later ones, the remaining occurrences of a
/// series, or one seat.
#[utoipa::path(
    post,
    path = "/v2/bookings/{bookingUid}/cancel",
    extensions(("x-access" = json!(access(BOOKING_WRITE, Requirement::Nothing)))),
    tag = "Bookings",
    params(("bookingUid" = String, Path, description = "Of a booking, an occurrence or a series")),
    request_body = Option<CancelBooking>,
    responses((status = 200, description = "The booking, or an array of what is cancelled of a series", body = Envelope<OneOrSeries>)),
)]
pub async fn cancel(
    State(app): State<AppState>,
    OptionalCaller(caller): OptionalCaller,
    path: PathParams,
    OptionalJsonObject(body): OptionalJsonObject,
) -> Success<OneOrSeries> {
    success(cancel::cancel(&app, caller.as_ref(), path.text("bookingUid"), &body).await?)
}
