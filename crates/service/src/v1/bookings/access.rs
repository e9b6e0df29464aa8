//! Bookings that a caller of version 1 may act on.

use crate::bookings::read::subject_for;
use crate::error::{Error, Result};
use crate::store::Db;
use crate::store::booking_acts::{self, Known};
use crate::v1::call::Call;

/// The booking, once the caller may do with it what they ask.
pub(crate) async fn found(call: &Call, db: &mut Db, id: i64) -> Result<Known> {
    let known = by_id(db, id).await?;
    authorise(call, db, &known).await?;
    Ok(known)
}

pub(crate) async fn by_id(db: &mut Db, id: i64) -> Result<Known> {
    booking_acts::by_id(db, id)
        .await?
        .ok_or_else(|| Error::not_found("Booking", id))
}

/// Besides those whom version 2 admits, whoever runs the organisation of a host has access.
pub(crate) async fn authorise(call: &Call, db: &mut Db, known: &Known) -> Result<()> {
    let subject = subject_for(db, &call.caller, known).await?;
    call.authorise(db, &subject).await
}
