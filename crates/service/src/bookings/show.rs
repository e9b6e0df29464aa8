//! Reading a booking by its uid or by a seat in it (contract 3.5.2).

use booking_wire::Booking;

use crate::app::AppState;
use crate::auth::Caller;
use crate::bookings::read::{OneOrSeries, read_one};
use crate::bookings::visibility::{Reader, admit, disclose};
use crate::error::{Error, Result};
use crate::store::{booking_people, bookings};

/// A booking, or all occurrences of a series: the uid gives access to it.
pub async fn show(app: &AppState, caller: Option<&Caller>, uid: &str) -> Result<OneOrSeries> {
    let mut db = app.store.read().await?;
    let (ids, is_series) = bookings::ids_of(&mut db, uid).await?;
    let mut found = bookings::load(&mut db, &ids).await?;
    admit(&mut db, caller, &found).await?;
    let reader = Reader {
        caller,
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
    Ok(data)
}

/// The booking that a seat belongs to: the seat's uid gives access to it.
pub async fn by_seat(app: &AppState, caller: Option<&Caller>, seat_uid: &str) -> Result<Booking> {
    let mut db = app.store.read().await?;
    let seat = booking_people::seat(&mut db, seat_uid)
        .await?
        .ok_or_else(|| Error::not_found("Seat", seat_uid))?;
    let mut booking = read_one(&mut db, seat.booking_id).await?;
    admit(&mut db, caller, std::slice::from_ref(&booking)).await?;
    let reader = Reader {
        caller,
        seat_uid: Some(seat_uid),
    };
    disclose(&mut db, reader, std::slice::from_mut(&mut booking)).await?;
    Ok(booking)
}
