//! References, recordings and transcripts of a booking in other systems.

use booking_wire::{BookingReference, Recording};

use crate::app::AppState;
use crate::auth::Caller;
use crate::domain::bookings::read::find_authorised;
use crate::error::Result;
use crate::store::bookings::references;

/// Lists the references to a booking in other systems, such as calendars.
pub async fn references(
    app: &AppState,
    caller: &Caller,
    uid: &str,
) -> Result<Vec<BookingReference>> {
    let mut db = app.store.read().await?;
    let booking = find_authorised(&mut db, caller, uid).await?;
    references::list_of_booking(&mut db, booking.id).await
}

/// Lists the recordings of a meeting. The service records nothing, so the list is empty.
pub async fn recordings(app: &AppState, caller: &Caller, uid: &str) -> Result<Vec<Recording>> {
    let mut db = app.store.read().await?;
    find_authorised(&mut db, caller, uid).await?;
    Ok(Vec::new())
}

/// Lists links to transcripts of a meeting. The service records nothing, so the list is empty.
pub async fn transcripts(app: &AppState, caller: &Caller, uid: &str) -> Result<Vec<String>> {
    let mut db = app.store.read().await?;
    find_authorised(&mut db, caller, uid).await?;
    Ok(Vec::new())
}
