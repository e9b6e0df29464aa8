//! Short holds on slots while a visitor fills in the form (contract 3.4.2).

use axum::Json;
use axum::extract::State;
use axum::http::StatusCode;
use booking_wire::{Envelope, NewReservation, Reservation};
use serde::Serialize;
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

use crate::app::AppState;
use crate::error::Result;
use crate::extract::json::JsonObject;
use crate::extract::path::PathParams;
use crate::extract::{FromNetwork, Visitor};
use crate::reservations;

/// The answer to the end of a hold.
#[derive(Debug, Serialize, utoipa::ToSchema)]
pub struct Done {
    status: &'static str,
}

/// Operations of this family.
pub fn routes() -> OpenApiRouter<AppState> {
    OpenApiRouter::new()
        .routes(routes!(create))
        .routes(routes!(show, replace, remove))
}

/// Holds a slot for some minutes.
///
/// Nobody else is offered it meanwhile, or one seat less. A booking that names the hold as its
/// `reservedSlotUid` takes its place.
#[utoipa::path(
    post,
    path = "/v2/slots/reservations",
    tag = "Slots",
    request_body = NewReservation,
    responses((status = 201, body = Envelope<Reservation>)),
)]
pub async fn create(
    State(app): State<AppState>,
    Visitor(caller): Visitor,
    FromNetwork(network): FromNetwork,
    JsonObject(body): JsonObject,
) -> Result<(StatusCode, Json<Envelope<Reservation>>)> {
    let data = reservations::create(&app, caller.as_ref(), network, &body).await?;
    Ok((StatusCode::CREATED, Json(Envelope::success(data))))
}

/// A hold; `null` if there is none, or no more.
#[utoipa::path(
    get,
    path = "/v2/slots/reservations/{reservationUid}",
    tag = "Slots",
    params(("reservationUid" = String, Path)),
    responses((status = 200, body = Envelope<Option<Reservation>>)),
)]
pub async fn show(
    State(app): State<AppState>,
    Visitor(_caller): Visitor,
    path: PathParams,
) -> Result<Json<Envelope<Option<Reservation>>>> {
    let data = reservations::show(&app, path.text("reservationUid")).await?;
    Ok(Json(Envelope::success(data)))
}

/// Moves a hold to another slot, or the same one, and renews it.
#[utoipa::path(
    patch,
    path = "/v2/slots/reservations/{reservationUid}",
    tag = "Slots",
    params(("reservationUid" = String, Path)),
    request_body = NewReservation,
    responses((status = 200, body = Envelope<Reservation>)),
)]
pub async fn replace(
    State(app): State<AppState>,
    Visitor(caller): Visitor,
    FromNetwork(network): FromNetwork,
    path: PathParams,
    JsonObject(body): JsonObject,
) -> Result<Json<Envelope<Reservation>>> {
    let data = reservations::replace(
        &app,
        caller.as_ref(),
        network,
        path.text("reservationUid"),
        &body,
    )
    .await?;
    Ok(Json(Envelope::success(data)))
}

/// Ends a hold. It is no mistake if there is none.
#[utoipa::path(
    delete,
    path = "/v2/slots/reservations/{reservationUid}",
    tag = "Slots",
    params(("reservationUid" = String, Path)),
    responses((status = 200, body = Done)),
)]
pub async fn remove(
    State(app): State<AppState>,
    Visitor(_caller): Visitor,
    path: PathParams,
) -> Result<Json<Done>> {
    reservations::remove(&app, path.text("reservationUid")).await?;
    Ok(Json(Done { status: "success" }))
}
