//! Teams (contract 3.6).

use axum::Json;
use axum::extract::State;
use axum::http::StatusCode;
use booking_wire::{Envelope, NewTeam, Team, TeamChange};
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

use crate::app::AppState;
use crate::auth::Caller;
use crate::error::Result;
use crate::extract::json::JsonObject;
use crate::extract::path::PathParams;
use crate::teams;
use crate::validate::Query;

/// Operations of this family.
pub fn routes() -> OpenApiRouter<AppState> {
    OpenApiRouter::new()
        .routes(routes!(list, create))
        .routes(routes!(show, edit, delete))
}

/// The teams in which the caller takes part.
#[utoipa::path(
    get,
    path = "/v2/teams",
    tag = "Teams",
    params(
        ("take" = Option<i64>, Query, description = "How many, 250 unless told", minimum = 1, maximum = 250),
        ("skip" = Option<i64>, Query, description = "How many to leave out", minimum = 0),
    ),
    responses((status = 200, body = Envelope<Vec<Team>>)),
)]
pub async fn list(
    State(app): State<AppState>,
    caller: Caller,
    query: Query,
) -> Result<Json<Envelope<Vec<Team>>>> {
    let data = teams::list(&app, &caller, &query).await?;
    Ok(Json(Envelope::success(data)))
}

/// Makes a team that the caller owns.
///
/// It belongs to the caller's organisation, if they have one; that takes the organisation's
/// permission `team.create`.
#[utoipa::path(
    post,
    path = "/v2/teams",
    tag = "Teams",
    request_body = NewTeam,
    responses((status = 201, body = Envelope<Team>)),
)]
pub async fn create(
    State(app): State<AppState>,
    caller: Caller,
    JsonObject(body): JsonObject,
) -> Result<(StatusCode, Json<Envelope<Team>>)> {
    let data = teams::create(&app, &caller, &body).await?;
    Ok((StatusCode::CREATED, Json(Envelope::success(data))))
}

/// One team.
#[utoipa::path(
    get,
    path = "/v2/teams/{teamId}",
    tag = "Teams",
    params(("teamId" = i64, Path)),
    responses((status = 200, body = Envelope<Team>)),
)]
pub async fn show(
    State(app): State<AppState>,
    caller: Caller,
    path: PathParams,
) -> Result<Json<Envelope<Team>>> {
    let data = teams::show(&app, &caller, path.id("teamId")?).await?;
    Ok(Json(Envelope::success(data)))
}

/// Changes what a team says about itself.
#[utoipa::path(
    patch,
    path = "/v2/teams/{teamId}",
    tag = "Teams",
    params(("teamId" = i64, Path)),
    request_body = TeamChange,
    responses((status = 200, body = Envelope<Team>)),
)]
pub async fn edit(
    State(app): State<AppState>,
    caller: Caller,
    path: PathParams,
    JsonObject(body): JsonObject,
) -> Result<Json<Envelope<Team>>> {
    let data = teams::edit(&app, &caller, path.id("teamId")?, &body).await?;
    Ok(Json(Envelope::success(data)))
}

/// Deletes a team with its memberships, roles and event types.
///
/// What is booked with it already stays with its hosts.
#[utoipa::path(
    delete,
    path = "/v2/teams/{teamId}",
    tag = "Teams",
    params(("teamId" = i64, Path)),
    responses((status = 200, description = "The team as it was", body = Envelope<Team>)),
)]
pub async fn delete(
    State(app): State<AppState>,
    caller: Caller,
    path: PathParams,
) -> Result<Json<Envelope<Team>>> {
    let data = teams::delete(&app, &caller, path.id("teamId")?).await?;
    Ok(Json(Envelope::success(data)))
}
