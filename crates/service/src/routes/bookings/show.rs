//! Reading a booking by its uid or by a seat in it (contract 3.5.2).

use axum::Json;
use axum::extract::State;
use booking_wire::{Booking, Envelope};

use super::disclosure::{Reader, admit, disclose};
use super::{OneOrSeries, read_one};
use crate::app::AppState;
use crate::error::{Error, Result};
use crate::extract::Visitor;
use crate::routes::PathParams;
use crate::store::{booking_people, bookings};

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
    let mut db = app.store.read().await?;
    let uid = path.text("bookingUid");
    let (ids, is_series) = bookings::ids_of(&mut db, uid).await?;
    let mut found = bookings::load(&mut db, &ids).await?;
    admit(&mut db, caller.as_ref(), &found).await?;
    let reader = Reader {
        caller: caller.as_ref(),
        seat_uid: None,
    };
    disclose(&mut db, reader, &mut found).await?;
    let data = if is_series && !found.is_empty() {
        OneOrSeries::Series(found)
    } else {
        OneOrSeries::One(Box::new(
            found
                .pop()
                .ok_or_else(|| Error::not_found("Booking", uid))?,
        ))
    };
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
    let mut db = app.store.read().await?;
    let seat_uid = path.text("seatUid");
    let seat = booking_people::seat(&mut db, seat_uid)
        .await?
        .ok_or_else(|| Error::not_found("Seat", seat_uid))?;
    let mut booking = read_one(&mut db, seat.booking_id).await?;
    admit(&mut db, caller.as_ref(), std::slice::from_ref(&booking)).await?;
    let reader = Reader {
        caller: caller.as_ref(),
        seat_uid: Some(seat_uid),
    };
    disclose(&mut db, reader, std::slice::from_mut(&mut booking)).await?;
    Ok(Json(Envelope::success(booking)))
}
