//! Reading a booking by its uid or by a seat in it (contract 3.5.2).

use axum::Json;
use axum::extract::State;
use booking_wire::{Booking, Envelope};

use crate::app::AppState;
use crate::bookings::read::OneOrSeries;
use crate::bookings::show;
use crate::error::Result;
use crate::extract::Visitor;
use crate::extract::path::PathParams;

/// A booking, or all occurrences of a series: the uid gives access to it.
#[utoipa::path(
    get,
    path = "/v2/bookings/{bookingUid}",
    tag = "Bookings",
    params(("bookingUid" = String, Path, description = "Of a booking, an occurrence or a series")),
    responses((status = 200, body = Envelope<OneOrSeries>)),
)]
pub async fn show(
    State(app): State<AppState>,
    Visitor(caller): Visitor,
    path: PathParams,
) -> Result<Json<Envelope<OneOrSeries>>> {
    let data = show::show(&app, caller.as_ref(), path.text("bookingUid")).await?;
    Ok(Json(Envelope::success(data)))
}

/// The booking that a seat belongs to: the seat's uid gives access to it.
#[utoipa::path(
    get,
    path = "/v2/bookings/by-seat/{seatUid}",
    tag = "Bookings",
    params(("seatUid" = String, Path)),
    responses((status = 200, body = Envelope<Booking>)),
)]
pub async fn by_seat(
    State(app): State<AppState>,
    Visitor(caller): Visitor,
    path: PathParams,
) -> Result<Json<Envelope<Booking>>> {
    let data = show::by_seat(&app, caller.as_ref(), path.text("seatUid")).await?;
    Ok(Json(Envelope::success(data)))
}
