//! Handlers for reservations of slots.

use axum::Json;
use axum::extract::State;
use booking_wire::{Envelope, NewReservation, Reservation};
use serde::Serialize;
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

use crate::app::AppState;
use crate::auth::access::{Requirement, access};
use crate::auth::scope::NO_SCOPE;
use crate::domain::reservations;
use crate::error::Result;
use crate::http::extract::json::JsonObject;
use crate::http::extract::path::PathParams;
use crate::http::extract::{ClientNetwork, OptionalCaller};
use crate::http::v2::response::{Created, Success, created, success};

/// Response to the deletion of a reservation.
#[derive(Debug, Serialize, utoipa::ToSchema)]
#[schema(as = Done)]
pub struct DeleteReservationResponse {
    status: &'static str,
}

/// Routes of reservations.
pub fn routes() -> OpenApiRouter<AppState> {
    OpenApiRouter::new()
        .routes(routes!(create))
        .routes(routes!(show, replace, remove))
}

/// Reserves a slot for some minutes.
///
/// During this time the slot, or one of its seats, is unavailable to others. A booking with the
/// reservation as `reservedSlotUid` replaces it.
#[utoipa::path(
    post,
    path = "/v2/slots/reservations",
    extensions(("x-access" = json!(access(NO_SCOPE, Requirement::Nothing)))),
    tag = "Slots",
    request_body = NewReservation,
    responses((status = 201, body = Envelope<Reservation>)),
)]
pub async fn create(
    State(app): State<AppState>,
    OptionalCaller(caller): OptionalCaller,
    ClientNetwork(network): ClientNetwork,
    JsonObject(body): JsonObject,
) -> Created<Reservation> {
    created(reservations::create(&app, caller.as_ref(), network, &body).await?)
}

/// Returns a reservation; `null` if it does not exist or has expired.
#[utoipa::path(
    get,
    path = "/v2/slots/reservations/{reservationUid}",
    extensions(("x-access" = json!(access(NO_SCOPE, Requirement::Nothing)))),
    tag = "Slots",
    responses((status = 200, body = Envelope<Option<Reservation>>)),
)]
pub async fn show(
    State(app): State<AppState>,
    OptionalCaller(_caller): OptionalCaller,
    path: PathParams,
) -> Success<Option<Reservation>> {
    success(reservations::show(&app, path.text("reservationUid")).await?)
}

/// Moves a reservation to another slot, or renews it for the same slot.
#[utoipa::path(
    patch,
    path = "/v2/slots/reservations/{reservationUid}",
    extensions(("x-access" = json!(access(NO_SCOPE, Requirement::Nothing)))),
    tag = "Slots",
    request_body = NewReservation,
    responses((status = 200, body = Envelope<Reservation>)),
)]
pub async fn replace(
    State(app): State<AppState>,
    OptionalCaller(caller): OptionalCaller,
    ClientNetwork(network): ClientNetwork,
    path: PathParams,
    JsonObject(body): JsonObject,
) -> Success<Reservation> {
    success(
        reservations::replace(
            &app,
            caller.as_ref(),
            network,
            path.text("reservationUid"),
            &body,
        )
        .await?,
    )
}

/// Deletes a reservation. Succeeds if it does not exist.
#[utoipa::path(
    delete,
    path = "/v2/slots/reservations/{reservationUid}",
    extensions(("x-access" = json!(access(NO_SCOPE, Requirement::Nothing)))),
    tag = "Slots",
    responses((status = 200, body = DeleteReservationResponse)),
)]
pub async fn remove(
    State(app): State<AppState>,
    OptionalCaller(_caller): OptionalCaller,
    path: PathParams,
) -> Result<Json<DeleteReservationResponse>> {
    reservations::remove(&app, path.text("reservationUid")).await?;
    Ok(Json(DeleteReservationResponse { status: "success" }))
}
