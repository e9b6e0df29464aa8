//! Moving bookings to another time (contract 3.5.2).

use axum::extract::State;
use booking_wire::{Booking, Envelope, RescheduleBooking};

use crate::app::AppState;
use crate::bookings::reschedule;
use crate::bookings::reschedule_request::RescheduleRequest;
use crate::error::Result;
use crate::extract::idempotency::IdempotencyKey;
use crate::extract::json::JsonObject;
use crate::extract::path::PathParams;
use crate::extract::{FromNetwork, Visitor};
use crate::idempotency::Outcome;
use crate::limits::Client;

/// Moves a booking to another time.
///
/// The answer is a new booking with a uid of its own; the old one is cancelled and names it. A
/// visitor of a shared booking moves their own seat only.
#[utoipa::path(
    post,
    path = "/v2/bookings/{bookingUid}/reschedule",
    tag = "Bookings",
    params(
        ("bookingUid" = String, Path, description = "Of a booking or an occurrence"),
        ("Idempotency-Key" = Option<String>, Header, description = "A text that is new for each move and the same for each attempt at it"),
    ),
    request_body = RescheduleBooking,
    responses((status = 201, body = Envelope<Booking>)),
)]
pub async fn reschedule(
    State(app): State<AppState>,
    Visitor(caller): Visitor,
    FromNetwork(network): FromNetwork,
    path: PathParams,
    key: IdempotencyKey,
    JsonObject(body): JsonObject,
) -> Result<Outcome<Booking>> {
    let client = Client::of(caller.as_ref(), network);
    let wanted = RescheduleRequest {
        client_hash: client.hash(&app.signing_key),
        ..RescheduleRequest::read(&body)?
    };
    let uid = path.text("bookingUid");
    let operation = format!("POST /v2/bookings/{uid}/reschedule");
    let keyed = key.of(&app, &client, &operation, &body);
    reschedule::reschedule(&app, caller, uid, wanted, keyed).await
}
