//! What is asked for bookings.

use booking_wire::v1::Payment;
use serde_json::{Value, json};

use super::bookings;
use super::call::Call;
use super::operation::{Operation, get, run};
use crate::auth::access::Needs::{Caller, Host};
use crate::error::{Error, Result};
use crate::store::payments;

/// Operations of this resource.
pub(super) const OPERATIONS: &[Operation] = &[
    get("/v1/payments", run!(list))
        .about("Payments for bookings that the caller hosts or whose event type they own.")
        .needs(Caller)
        .asks(&[super::users::WHOSE])
        .lists::<Payment>("payments"),
    get("/v1/payments/{id}", run!(show))
        .about("One payment.")
        .needs(Host("booking.readTeamBookings"))
        .gives::<Payment>("payment"),
];

async fn list(call: Call) -> Result<Value> {
    let mut db = call.read().await?;
    let whose = call.whose(&mut db).await?;
    Ok(json!(payments::list(&mut db, &whose).await?))
}

async fn show(call: Call) -> Result<Value> {
    let id = call.id("id")?;
    let mut db = call.read().await?;
    let payment = payments::get(&mut db, id)
        .await?
        .ok_or_else(|| Error::not_found("Payment", id))?;
    bookings::access::found(&call, &mut db, payment.booking_id).await?;
    Ok(json!(payment))
}
