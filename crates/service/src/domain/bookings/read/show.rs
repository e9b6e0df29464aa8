//! Reads a booking by its uid or by the uid of a seat.

use booking_wire::Booking;

use crate::app::AppState;
use crate::auth::Caller;
use crate::domain::bookings::read::visibility::{Viewer, authorise_viewer, hide_private_fields};
use crate::domain::bookings::read::{OneOrSeries, read_one};
use crate::error::{Error, Result};
use crate::store::bookings::{self, attendees};

/// Returns a booking, or all occurrences of a series. The uid gives access to it.
pub async fn show(app: &AppState, caller: Option<&Caller>, uid: &str) -> Result<OneOrSeries> {
    let mut db = app.store.read().await?;
    let (ids, is_series) = bookings::ids_by_uid(&mut db, uid).await?;
    let mut found = bookings::load(&mut db, &ids).await?;
    authorise_viewer(&mut db, caller, &found).await?;
    hide_private_fields(&mut db, Viewer::new(caller, None), &mut found).await?;
    if found.is_empty() {
        return Err(Error::not_found("Booking", uid));
    }
    OneOrSeries::new(found, is_series)
}

/// Returns the booking of a seat. The uid of the seat gives access to it.
pub async fn by_seat(app: &AppState, caller: Option<&Caller>, seat_uid: &str) -> Result<Booking> {
    let mut db = app.store.read().await?;
    let seat = attendees::seat(&mut db, seat_uid)
        .await?
        .ok_or_else(|| Error::not_found("Seat", seat_uid))?;
    let mut booking = read_one(&mut db, seat.booking_id).await?;
    authorise_viewer(&mut db, caller, std::slice::from_ref(&booking)).await?;
    let viewer = Viewer::new(caller, Some(seat_uid));
    hide_private_fields(&mut db, viewer, std::slice::from_mut(&mut booking)).await?;
    Ok(booking)
}
