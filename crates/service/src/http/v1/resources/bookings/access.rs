//! Access of callers of version 1 to bookings.

use crate::domain::bookings::read::resource_for;
use crate::error::{Error, Result};
use crate::http::v1::call::Call;
use crate::store::Db;
use crate::store::bookings::actions::{self, BookingSnapshot};

/// Loads a booking; rejects callers without access.
pub(crate) async fn load_authorised(call: &Call, db: &mut Db, id: i64) -> Result<BookingSnapshot> {
    let booking = by_id(db, id).await?;
    authorise(call, db, &booking).await?;
    Ok(booking)
}

pub(crate) async fn by_id(db: &mut Db, id: i64) -> Result<BookingSnapshot> {
    actions::by_id(db, id)
        .await?
        .ok_or_else(|| Error::not_found("Booking", id))
}

/// Rejects callers without access. In addition to the callers of version 2, administrators of a
/// host's organisation have access.
pub(crate) async fn authorise(call: &Call, db: &mut Db, booking: &BookingSnapshot) -> Result<()> {
    let resource = resource_for(db, &call.caller, booking).await?;
    call.authorise(db, &resource).await
}
