//! References, recordings and transcripts of a booking in other systems (contract 3.5.2).

use booking_wire::{BookingReference, Recording};

use crate::app::AppState;
use crate::auth::Caller;
use crate::auth::access::Resource;
use crate::error::Result;
use crate::store::{Db, booking_actions, booking_references};

/// Lists the references to a booking in other systems, such as calendars.
pub async fn references(
    app: &AppState,
    caller: &Caller,
    uid: &str,
) -> Result<Vec<BookingReference>> {
    let mut db = app.store.read().await?;
    let id = find_readable(&mut db, caller, uid).await?;
    let references = booking_references::list_of_booking(&mut db, id).await?;
    Ok(references)
}

/// Lists the recordings of a meeting. The service records nothing, so the list is empty.
pub async fn recordings(app: &AppState, caller: &Caller, uid: &str) -> Result<Vec<Recording>> {
    let mut db = app.store.read().await?;
    find_readable(&mut db, caller, uid).await?;
    Ok(Vec::new())
}

/// Lists links to transcripts of a meeting. The service records nothing, so the list is empty.
pub async fn transcripts(app: &AppState, caller: &Caller, uid: &str) -> Result<Vec<String>> {
    let mut db = app.store.read().await?;
    find_readable(&mut db, caller, uid).await?;
    Ok(Vec::new())
}

/// Returns the id of the booking, if the caller may read its records.
async fn find_readable(db: &mut Db, caller: &Caller, uid: &str) -> Result<i64> {
    let booking = booking_actions::find_one(db, uid).await?;
    caller
        .authorise(db, &Resource::of_booking(&booking))
        .await?;
    Ok(booking.id)
}
