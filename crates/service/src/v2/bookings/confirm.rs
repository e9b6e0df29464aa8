//! Confirms and declines pending bookings (contract 3.5.2, 6.3).

use axum::extract::State;
use booking_wire::{DeclineBooking, Envelope};

use crate::app::AppState;
use crate::auth::Caller;
use crate::auth::access::{Requirement, access};
use crate::auth::scope::BOOKING_WRITE;
use crate::bookings::confirm;
use crate::bookings::read::OneOrSeries;
use crate::extract::json::OptionalJsonObject;
use crate::extract::path::PathParams;
use crate::v2::response::{Success, success};

/// Confirms a pending booking, or all pending occurrences of a series. A host of an instant event
/// type also joins the booking.
#[utoipa::path(
    post,
    path = "/v2/bookings/{bookingUid}/confirm",
    extensions(("x-access" = json!(access(BOOKING_WRITE, Requirement::Host("booking.update"))))),
    tag = "Bookings",
    params(("bookingUid" = String, Path, description = "Of a booking, an occurrence or a series")),
    responses((status = 200, body = Envelope<OneOrSeries>)),
)]
pub async fn confirm(
    State(app): State<AppState>,
    caller: Caller,
    path: PathParams,
) -> Success<OneOrSeries> {
    success(confirm::confirm(&app, &caller, path.text("bookingUid")).await?)
}

/// Declines a pending booking; by the uid of a series, all its pending occurrences.
#[utoipa::path(
    post,
    path = "/v2/bookings/{bookingUid}/decline",
    extensions(("x-access" = json!(access(BOOKING_WRITE, Requirement::Host("booking.update"))))),
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
) -> Success<OneOrSeries> {
    success(confirm::decline(&app, &caller, path.text("bookingUid"), &body).await?)
}
