//! Loads bookings, and the access of callers to them.

pub mod calendar_links;
pub mod list;
pub mod list_query;
pub mod records;
pub mod show;
pub mod visibility;

use booking_wire::Booking;
use serde::Serialize;

use crate::auth::Caller;
use crate::auth::access::{self, Resource};
use crate::error::{Error, Result};
use crate::store::bookings::actions::{self, BookingSnapshot};
use crate::store::bookings::v1;
use crate::store::{Db, bookings};

/// One booking, or the occurrences of a series.
#[derive(Debug, Serialize, utoipa::ToSchema)]
#[serde(untagged)]
pub enum OneOrSeries {
    /// One booking.
    One(Box<Booking>),
    /// All occurrences, ordered by start.
    Series(Vec<Booking>),
}

impl OneOrSeries {
    /// Wraps the occurrences of a series, or the only booking.
    pub fn new(mut bookings: Vec<Booking>, is_series: bool) -> Result<Self> {
        if is_series {
            return Ok(Self::Series(bookings));
        }
        let booking = bookings
            .pop()
            .ok_or_else(|| Error::internal("a booking that was just found cannot be read"))?;
        Ok(Self::One(Box::new(booking)))
    }
}

/// Returns true if the caller hosts the booking, owns its event type, or manages its team.
pub async fn is_host(
    db: &mut Db,
    caller: Option<&Caller>,
    booking: &BookingSnapshot,
) -> Result<bool> {
    let Some(caller) = caller else {
        return Ok(false);
    };
    let resource = resource_for(db, caller, booking).await?;
    Ok(resource.user_ids.contains(&caller.user_id)
        || access::has_permission(db, caller.user_id, "booking.update", &resource).await?)
}

/// Returns the authorization resource of a booking for the API version of the caller.
pub async fn resource_for(
    db: &mut Db,
    caller: &Caller,
    booking: &BookingSnapshot,
) -> Result<Resource> {
    let mut resource = Resource::of_booking(booking);
    if caller.can_access_members() {
        resource.organization_id = v1::organization_of(db, &booking.host_ids).await?;
    }
    Ok(resource)
}

/// Finds a booking, if the caller is allowed the operation on it; rejects the uid of a series.
pub async fn find_authorised(db: &mut Db, caller: &Caller, uid: &str) -> Result<BookingSnapshot> {
    let booking = actions::find_one(db, uid).await?;
    let resource = Resource::of_booking(&booking);
    caller.authorise(db, &resource).await?;
    Ok(booking)
}

/// Loads one booking.
pub async fn read_one(db: &mut Db, booking_id: i64) -> Result<Booking> {
    bookings::load(db, &[booking_id])
        .await?
        .pop()
        .ok_or_else(|| Error::internal(format!("booking {booking_id} cannot be read back")))
}
