//! Moving bookings to another time (contract 3.5.2).

use axum::Json;
use axum::extract::State;
use axum::http::StatusCode;
use axum::response::{IntoResponse, Response};
use booking_wire::{Booking, Envelope, RescheduleBooking};

use super::create::{answer, shown};
use super::making::Made;
use super::moving;
use super::reschedule_request::RescheduleRequest;
use crate::app::AppState;
use crate::error::{Error, Result};
use crate::extract::FromNetwork;
use crate::extract::Visitor;
use crate::limits::Client;
use crate::routes::PathParams;
use crate::routes::idempotency::{IdempotencyKey, Reply};
use crate::validate::JsonObject;

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
) -> Result<Response> {
    let client = Client::of(caller.as_ref(), network);
    let wanted = RescheduleRequest {
        client_hash: client.hash(&app.signing_key),
        ..RescheduleRequest::read(&body)?
    };
    let uid = path.text("bookingUid").to_owned();
    let operation = format!("POST /v2/bookings/{uid}/reschedule");
    let request = key.of(&app, &client, &operation, &body);
    if let Some(request) = &request {
        let mut db = app.store.read().await?;
        if let Some(reply) = request.replay(&mut db, app.clock.now()).await? {
            return Ok(reply.into_response());
        }
    }
    let (mover, clock) = (caller.clone(), app.clock.clone());
    let done = app
        .store
        .write(move |db| {
            Box::pin(async move {
                let now = clock.now();
                let mover = mover.as_ref();
                let Some(request) = request else {
                    let made = moving::carry_out(db, mover, &uid, &wanted, now).await?;
                    return Ok(Done::Made(made));
                };
                // Another attempt may have been faster.
                if let Some(reply) = request.replay(db, now).await? {
                    return Ok(Done::Kept(reply));
                }
                let made = moving::carry_out(db, mover, &uid, &wanted, now).await?;
                let booking = shown(db, mover, &[made]).await?.pop();
                let body = Envelope::success(booking.ok_or(Error::Internal)?);
                let reply = request.keep(db, StatusCode::CREATED, &body, now).await?;
                Ok(Done::Kept(reply))
            })
        })
        .await?;
    let made = match done {
        Done::Made(made) => made,
        Done::Kept(reply) => return Ok(reply.into_response()),
    };
    let booking = answer(&app, caller.as_ref(), &[made]).await?.pop();
    let booking = booking.ok_or(Error::Internal)?;
    Ok((StatusCode::CREATED, Json(Envelope::success(booking))).into_response())
}

/// Result of the transaction of a move.
enum Done {
    /// The booking, which is to be read.
    Made(Made),
    /// The response, which is kept for the same request again.
    Kept(Reply),
}
