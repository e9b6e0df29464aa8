//! Bookings: how they are made, read and changed (contract 3.5).

use booking_wire::Booking;
use serde::Serialize;

use crate::auth::Caller;
use crate::auth::access::{self, Subject};
use crate::error::{Error, Result};
use crate::store::booking_acts::Known;
use crate::store::{Db, booking_notes, bookings};

/// One booking, or the occurrences of a series.
#[derive(Debug, Serialize, utoipa::ToSchema)]
#[serde(untagged)]
pub enum OneOrSeries {
    /// One booking.
    One(Box<Booking>),
    /// All occurrences, by start.
    Series(Vec<Booking>),
}

/// Whether a caller hosts the booking, owns what was booked, or runs its team.
pub async fn is_host(db: &mut Db, caller: Option<&Caller>, booking: &Known) -> Result<bool> {
    let Some(caller) = caller else {
        return Ok(false);
    };
    let subject = subject_for(db, caller, booking).await?;
    Ok(subject.user_ids.contains(&caller.user_id)
        || access::holds(db, caller.user_id, "booking.update", &subject).await?)
}

/// Who may act on a booking, as far as the caller's version of the interface is concerned.
pub async fn subject_for(db: &mut Db, caller: &Caller, booking: &Known) -> Result<Subject> {
    let mut subject = Subject::of_booking(booking);
    if caller.reaches_members() {
        subject.organization_id = booking_notes::organization_of(db, &booking.host_ids).await?;
    }
    Ok(subject)
}

/// Reads one booking as it stands.
pub async fn read_one(db: &mut Db, booking_id: i64) -> Result<Booking> {
    bookings::load(db, &[booking_id])
        .await?
        .pop()
        .ok_or_else(|| Error::internal(format!("booking {booking_id} cannot be read back")))
}
