//! Handlers for teams.

use axum::extract::State;
use booking_wire::{Envelope, NewTeam, Team, TeamChange};
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

use crate::app::AppState;
use crate::auth::Caller;
use crate::auth::access::{Requirement, access};
use crate::auth::scope::{PROFILE_READ, PROFILE_WRITE};
use crate::domain::teams;
use crate::http::extract::json::JsonObject;
use crate::http::extract::params::Paging;
use crate::http::extract::path::PathParams;
use crate::http::v2::response::{Created, Success, created, success};
use crate::validate::Query;

/// Routes of teams.
pub fn routes() -> OpenApiRouter<AppState> {
    OpenApiRouter::new()
        .routes(routes!(list, create))
        .routes(routes!(show, update, delete))
}

/// The teams of the caller.
#[utoipa::path(
    get,
    path = "/v2/teams",
    extensions(("x-access" = json!(access(PROFILE_READ, Requirement::Caller)))),
    tag = "Teams",
    params(Paging),
    responses((status = 200, body = Envelope<Vec<Team>>)),
)]
pub async fn list(State(app): State<AppState>, caller: Caller, query: Query) -> Success<Vec<Team>> {
    success(teams::list(&app, &caller, &query).await?)
}

/// Creates a team that the caller owns.
///
/// The team belongs to the caller's organisation, if any; this requires the organisation's
/// permission `team.create`.
#[utoipa::path(
    post,
    path = "/v2/teams",
    extensions(("x-access" = json!(access(PROFILE_WRITE, Requirement::Caller)))),
    tag = "Teams",
    request_body = NewTeam,
    responses((status = 201, body = Envelope<Team>)),
)]
pub async fn create(
    State(app): State<AppState>,
    caller: Caller,
    JsonObject(body): JsonObject,
) -> Created<Team> {
    created(teams::create(&app, &caller, &body).await?)
}

/// One team.
#[utoipa::path(
    get,
    path = "/v2/teams/{teamId}",
    extensions(("x-access" = json!(access(PROFILE_READ, Requirement::Team("team.read"))))),
    tag = "Teams",
    responses((status = 200, body = Envelope<Team>)),
)]
pub async fn show(State(app): State<AppState>, caller: Caller, path: PathParams) -> Success<Team> {
    success(teams::show(&app, &caller, path.id("teamId")?).await?)
}

/// Updates a team.
#[utoipa::path(
    patch,
    path = "/v2/teams/{teamId}",
    extensions(("x-access" = json!(access(PROFILE_WRITE, Requirement::Team("team.update"))))),
    tag = "Teams",
    request_body = TeamChange,
    responses((status = 200, body = Envelope<Team>)),
)]
pub async fn update(
    State(app): State<AppState>,
    caller: Caller,
    path: PathParams,
    JsonObject(body): JsonObject,
) -> Success<Team> {
    success(teams::update(&app, &caller, path.id("teamId")?, &body).await?)
}

/// Deletes a team with its memberships, roles and event types.
///
/// Existing bookings are kept by their hosts.
#[utoipa::path(
    delete,
    path = "/v2/teams/{teamId}",
    extensions(("x-access" = json!(access(PROFILE_WRITE, Requirement::Team("team.delete"))))),
    tag = "Teams",
    responses((status = 200, description = "The team as it was", body = Envelope<Team>)),
)]
pub async fn delete(
    State(app): State<AppState>,
    caller: Caller,
    path: PathParams,
) -> Success<Team> {
    success(teams::delete(&app, &caller, path.id("teamId")?).await?)
}
