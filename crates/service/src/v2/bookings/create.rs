//! Making bookings (contract 3.5.1).

use axum::extract::State;
use booking_wire::{Envelope, NewBooking};

use crate::app::AppState;
use crate::bookings::create;
use crate::bookings::read::OneOrSeries;
use crate::error::Result;
use crate::extract::idempotency::IdempotencyKey;
use crate::extract::json::JsonObject;
use crate::extract::{FromNetwork, Visitor};
use crate::idempotency::Outcome;
use crate::limits::Client;

/// Books a slot.
///
/// The event type decides what is made: one booking, the array of a series, or a seat in a
/// booking that others share.
#[utoipa::path(
    post,
    path = "/v2/bookings",
    tag = "Bookings",
    params(("Idempotency-Key" = Option<String>, Header, description = "A text that is new for each booking and the same for each attempt at it")),
    request_body = NewBooking,
    responses((status = 201, body = Envelope<OneOrSeries>)),
)]
pub async fn create(
    State(app): State<AppState>,
    Visitor(caller): Visitor,
    FromNetwork(network): FromNetwork,
    key: IdempotencyKey,
    JsonObject(body): JsonObject,
) -> Result<Outcome<OneOrSeries>> {
    let client = Client::of(caller.as_ref(), network);
    let keyed = key.of(&app, &client, "POST /v2/bookings", &body);
    create::create(&app, caller, network, keyed, &body).await
}
