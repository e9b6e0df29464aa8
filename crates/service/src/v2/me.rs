//! The caller's own profile (contract 3.6).

use axum::Json;
use axum::extract::State;
use booking_wire::{Envelope, Me, ProfileChange};
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

use crate::app::AppState;
use crate::auth::Caller;
use crate::error::Result;
use crate::extract::json::JsonObject;
use crate::users::profile;

/// Operations of this family.
pub fn routes() -> OpenApiRouter<AppState> {
    OpenApiRouter::new().routes(routes!(show, edit))
}

/// The caller's own profile.
#[utoipa::path(
    get,
    path = "/v2/me",
    tag = "Profile",
    responses((status = 200, body = Envelope<Me>)),
)]
pub async fn show(State(app): State<AppState>, caller: Caller) -> Result<Json<Envelope<Me>>> {
    let data = profile::show(&app, &caller).await?;
    Ok(Json(Envelope::success(data)))
}

/// Changes the caller's own profile.
///
/// With the time zone the default schedule moves: its hours are the same by the clock there.
///
/// A new e-mail address is shown at once, but it proves nothing: the bookings that one attends are
/// still found by the former address, until whoever runs the service confirms the new one.
#[utoipa::path(
    patch,
    path = "/v2/me",
    tag = "Profile",
    request_body = ProfileChange,
    responses((status = 200, body = Envelope<Me>)),
)]
pub async fn edit(
    State(app): State<AppState>,
    caller: Caller,
    JsonObject(body): JsonObject,
) -> Result<Json<Envelope<Me>>> {
    let data = profile::edit(&app, &caller, &body).await?;
    Ok(Json(Envelope::success(data)))
}
