//! Handlers for the caller's profile.

use axum::extract::State;
use booking_wire::{Envelope, Me, ProfileChange};
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

use crate::app::AppState;
use crate::auth::Caller;
use crate::auth::access::{Requirement, access};
use crate::auth::scope::{PROFILE_READ, PROFILE_WRITE};
use crate::domain::users::profile;
use crate::http::extract::json::JsonObject;
use crate::http::v2::response::{Success, success};

/// Routes of the caller's profile.
pub fn routes() -> OpenApiRouter<AppState> {
    OpenApiRouter::new().routes(routes!(show, update))
}

/// The caller's profile.
#[utoipa::path(
    get,
    path = "/v2/me",
    extensions(("x-access" = json!(access(PROFILE_READ, Requirement::Caller)))),
    tag = "Profile",
    responses((status = 200, body = Envelope<Me>)),
)]
pub async fn show(State(app): State<AppState>, caller: Caller) -> Success<Me> {
    success(profile::show(&app, &caller).await?)
}

/// Updates the caller's profile.
///
/// A new time zone also applies to the default schedule: its hours stay the same in local time.
///
/// A new e-mail address is part of responses immediately, but unverified: bookings that the user
/// attends are found by the former address until an admin of the service confirms the new one.
#[utoipa::path(
    patch,
    path = "/v2/me",
    extensions(("x-access" = json!(access(PROFILE_WRITE, Requirement::Caller)))),
    tag = "Profile",
    request_body = ProfileChange,
    responses((status = 200, body = Envelope<Me>)),
)]
pub async fn update(
    State(app): State<AppState>,
    caller: Caller,
    JsonObject(body): JsonObject,
) -> Success<Me> {
    success(profile::update(&app, &caller, &body).await?)
}
