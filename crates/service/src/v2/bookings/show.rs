//! Reads a booking by its uid or by the uid of a seat (contract 3.5.2).

use axum::extract::State;
use booking_wire::{Booking, Envelope};

use crate::app::AppState;
use crate::auth::access::{Requirement, access};
use crate::auth::scope::BOOKING_READ;
use crate::bookings::read::OneOrSeries;
use crate::bookings::show;
use crate::extract::OptionalCaller;
use crate::extract::path::PathParams;
use crate::v2::response::{Success, success};

/// Returns a booking, or all occurrences of a series. The uid gives access to it.
#[utoipa::path(
    get,
    path = "/v2/bookings/{bookingUid}",
    extensions(("x-access" = json!(access(BOOKING_READ, Requirement::Nothing)))),
    tag = "Bookings",
    params(("bookingUid" = String, Path, description = "Of a booking, an occurrence or a series")),
    responses((status = 200, body = Envelope<OneOrSeries>)),
)]
pub async fn show(
    State(app): State<AppState>,
    OptionalCaller(caller): OptionalCaller,
    path: PathParams,
) -> Success<OneOrSeries> {
    success(show::show(&app, caller.as_ref(), path.text("bookingUid")).await?)
}

/// Returns the booking of a seat. The uid of the seat gives access to it.
#[utoipa::path(
    get,
    path = "/v2/bookings/by-seat/{seatUid}",
    extensions(("x-access" = json!(access(BOOKING_READ, Requirement::Nothing)))),
    tag = "Bookings",
    responses((status = 200, body = Envelope<Booking>)),
)]
pub async fn by_seat(
    State(app): State<AppState>,
    OptionalCaller(caller): OptionalCaller,
    path: PathParams,
) -> Success<Booking> {
    success(show::by_seat(&app, caller.as_ref(), path.text("seatUid")).await?)
}
