//! Changes the location of a booking (contract 3.5.2).

use axum::extract::State;
use booking_wire::{Booking, Envelope, UpdateLocation};

use crate::app::AppState;
use crate::auth::Caller;
use crate::auth::access::{Requirement, access};
use crate::auth::scope::BOOKING_WRITE;
use crate::bookings::location;
use crate::extract::json::JsonObject;
use crate::extract::path::PathParams;
use crate::v2::response::{Success, success};

/// Sets the location of a booking, if the body has one.
#[utoipa::path(
    patch,
    path = "/v2/bookings/{bookingUid}/location",
    extensions(("x-access" = json!(access(BOOKING_WRITE, Requirement::Host("booking.update"))))),
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
) -> Success<Booking> {
    success(location::update_location(&app, &caller, path.text("bookingUid"), &body).await?)
}
