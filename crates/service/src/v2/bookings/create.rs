//! Creates bookings (contract 3.5.1).

use axum::extract::State;
use booking_wire::{Envelope, NewBooking};

use crate::app::AppState;
use crate::auth::access::{Requirement, access};
use crate::auth::scope::BOOKING_WRITE;
use crate::bookings::create;
use crate::bookings::read::OneOrSeries;
use crate::error::Result;
use crate::extract::idempotency::IdempotencyKey;
use crate::extract::json::JsonObject;
use crate::extract::{ClientNetwork, OptionalCaller};
use crate::idempotency::Outcome;
use crate::limits::Client;

/// Books a slot.
///
/// Depending on the event type, the response is one booking, the array of a series, or a booking in
/// which the visitor has a seat.
#[utoipa::path(
    post,
    path = "/v2/bookings",
    extensions(("x-access" = json!(access(BOOKING_WRITE, Requirement::Nothing)))),
    tag = "Bookings",
    params(("Idempotency-Key" = Option<String>, Header, description = "A text that is new for each booking and the same for each attempt at it")),
    request_body = NewBooking,
    responses((status = 201, body = Envelope<OneOrSeries>)),
)]
pub async fn create(
    State(app): State<AppState>,
    OptionalCaller(caller): OptionalCaller,
    ClientNetwork(network): ClientNetwork,
    key: IdempotencyKey,
    JsonObject(body): JsonObject,
) -> Result<Outcome<OneOrSeries>> {
    let client = Client::of(caller.as_ref(), network);
    let keyed = key.into_keyed_request(&app, &client, "POST /v2/bookings", &body);
    create::create(&app, caller, network, keyed, &body).await
}
