//! What other systems hold about a booking (contract 3.5.2).

use booking_wire::{BookingReference, Recording};

use crate::app::AppState;
use crate::auth::Caller;
use crate::auth::access::Subject;
use crate::error::Result;
use crate::store::{Db, booking_acts, booking_people};

/// What a booking is called in other systems, such as calendars.
pub async fn references(
    app: &AppState,
    caller: &Caller,
    uid: &str,
) -> Result<Vec<BookingReference>> {
    let mut db = app.store.read().await?;
    let id = readable(&mut db, caller, uid).await?;
    let references = booking_people::references(&mut db, id).await?;
    Ok(references)
}

/// Recordings of a meeting. This service records nothing, so there are none.
pub async fn recordings(app: &AppState, caller: &Caller, uid: &str) -> Result<Vec<Recording>> {
    let mut db = app.store.read().await?;
    readable(&mut db, caller, uid).await?;
    Ok(Vec::new())
}

/// Links to transcripts of a meeting. This service records nothing, so there are none.
pub async fn transcripts(app: &AppState, caller: &Caller, uid: &str) -> Result<Vec<String>> {
    let mut db = app.store.read().await?;
    readable(&mut db, caller, uid).await?;
    Ok(Vec::new())
}

/// The id of the booking in the path, if the caller may read what belongs to it.
async fn readable(db: &mut Db, caller: &Caller, uid: &str) -> Result<i64> {
    let booking = booking_acts::one(db, uid).await?;
    caller.authorise(db, &Subject::of_booking(&booking)).await?;
    Ok(booking.id)
}
