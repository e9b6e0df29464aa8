//! Reschedules bookings (contract 3.5.2).

use axum::extract::State;
use booking_wire::{Booking, Envelope, RescheduleBooking};

use crate::app::AppState;
use crate::auth::access::{Requirement, access};
use crate::auth::scope::BOOKING_WRITE;
use crate::bookings::reschedule;
use crate::bookings::reschedule_request::RescheduleRequest;
use crate::error::Result;
use crate::extract::idempotency::IdempotencyKey;
use crate::extract::json::JsonObject;
use crate::extract::path::PathParams;
use crate::extract::{ClientNetwork, OptionalCaller};
use crate::idempotency::Outcome;
use crate::limits::Client;

/// Reschedules a booking.
///
/// The response is a new booking with a new uid; the old one is cancelled and has the uid of the
/// new one. A visitor with a seat reschedules their own seat only.
#[utoipa::path(
    post,
    path = "/v2/bookings/{bookingUid}/reschedule",
    extensions(("x-access" = json!(access(BOOKING_WRITE, Requirement::Nothing)))),
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
    OptionalCaller(caller): OptionalCaller,
    ClientNetwork(network): ClientNetwork,
    path: PathParams,
    key: IdempotencyKey,
    JsonObject(body): JsonObject,
) -> Result<Outcome<Booking>> {
    let client = Client::of(caller.as_ref(), network);
    let request = RescheduleRequest {
        client_hash: client.hash(&app.signing_key),
        ..RescheduleRequest::read(&body)?
    };
    let uid = path.text("bookingUid");
    let operation = format!("POST /v2/bookings/{uid}/reschedule");
    let keyed = key.into_keyed_request(&app, &client, &operation, &body);
    reschedule::reschedule(&app, caller, uid, request, keyed).await
}
