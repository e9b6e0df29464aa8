//! Payments for bookings.

use booking_wire::v1::Payment;
use serde_json::{Value, json};

use super::bookings;
use crate::auth::access::Requirement::{Caller, Host};
use crate::error::{Error, Result};
use crate::http::v1::call::Call;
use crate::http::v1::operation::{Operation, get, handler};
use crate::store::bookings::payments;

/// Operations of this resource.
pub(crate) const OPERATIONS: &[Operation] = &[
    get("/v1/payments", handler!(list))
        .summary("Payments for bookings that the caller hosts or whose event type they own.")
        .requires(Caller)
        .query(&[super::users::USER_ID_FILTER])
        .returns_list::<Payment>("payments"),
    get("/v1/payments/{id}", handler!(show))
        .summary("One payment.")
        .requires(Host("booking.readTeamBookings"))
        .returns::<Payment>("payment"),
];

async fn list(call: Call) -> Result<Value> {
    let mut db = call.read().await?;
    let user_filter = call.user_filter(&mut db).await?;
    Ok(json!(payments::list(&mut db, &user_filter).await?))
}

async fn show(call: Call) -> Result<Value> {
    let id = call.id("id")?;
    let mut db = call.read().await?;
    let payment = payments::get(&mut db, id)
        .await?
        .ok_or_else(|| Error::not_found("Payment", id))?;
    bookings::access::load_authorised(&call, &mut db, payment.booking_id).await?;
    Ok(json!(payment))
}
