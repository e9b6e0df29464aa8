//! Handlers for schedules.

use axum::extract::State;
use booking_wire::Envelope;
use booking_wire::schedule::{NewSchedule, Schedule, ScheduleChanges};
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

use crate::app::AppState;
use crate::auth::Caller;
use crate::auth::access::{Requirement, access};
use crate::auth::scope::{SCHEDULE_READ, SCHEDULE_WRITE};
use crate::domain::schedules;
use crate::http::extract::json::JsonObject;
use crate::http::extract::params::Paging;
use crate::http::extract::path::PathParams;
use crate::http::v2::response::{Created, Success, created, success};
use crate::validate::Query;

/// Routes of schedules.
pub fn routes() -> OpenApiRouter<AppState> {
    OpenApiRouter::new()
        .routes(routes!(list, create))
        .routes(routes!(show_default))
        .routes(routes!(show, update, delete))
        .routes(routes!(list_of_team))
}

/// The caller's schedules, oldest first.
#[utoipa::path(
    get,
    path = "/v2/schedules",
    extensions(("x-access" = json!(access(SCHEDULE_READ, Requirement::Caller)))),
    tag = "Schedules",
    params(Paging),
    responses((status = 200, body = Envelope<Vec<Schedule>>)),
)]
pub async fn list(
    State(app): State<AppState>,
    caller: Caller,
    query: Query,
) -> Success<Vec<Schedule>> {
    success(schedules::list(&app, &caller, &query).await?)
}

/// The schedules of a team's members.
#[utoipa::path(
    get,
    path = "/v2/teams/{teamId}/schedules",
    extensions(("x-access" = json!(access(SCHEDULE_READ, Requirement::Team("team.listMembers"))))),
    tag = "Schedules",
    params(Paging),
    responses((status = 200, body = Envelope<Vec<Schedule>>)),
)]
pub async fn list_of_team(
    State(app): State<AppState>,
    caller: Caller,
    path: PathParams,
    query: Query,
) -> Success<Vec<Schedule>> {
    success(schedules::list_of_team(&app, &caller, path.id("teamId")?, &query).await?)
}

/// The caller's default schedule, for event types without a schedule; `null` if there is none.
#[utoipa::path(
    get,
    path = "/v2/schedules/default",
    extensions(("x-access" = json!(access(SCHEDULE_READ, Requirement::Caller)))),
    tag = "Schedules",
    responses((status = 200, body = Envelope<Option<Schedule>>)),
)]
pub async fn show_default(
    State(app): State<AppState>,
    caller: Caller,
) -> Success<Option<Schedule>> {
    success(schedules::show_default(&app, &caller).await?)
}

/// One of the caller's schedules.
#[utoipa::path(
    get,
    path = "/v2/schedules/{scheduleId}",
    extensions(("x-access" = json!(access(SCHEDULE_READ, Requirement::Caller)))),
    tag = "Schedules",
    responses((status = 200, body = Envelope<Schedule>)),
)]
pub async fn show(
    State(app): State<AppState>,
    caller: Caller,
    path: PathParams,
) -> Success<Schedule> {
    success(schedules::show(&app, &caller, path.id("scheduleId")?).await?)
}

/// Creates a schedule of the caller.
#[utoipa::path(
    post,
    path = "/v2/schedules",
    extensions(("x-access" = json!(access(SCHEDULE_WRITE, Requirement::Caller)))),
    tag = "Schedules",
    request_body = NewSchedule,
    responses((status = 201, body = Envelope<Schedule>)),
)]
pub async fn create(
    State(app): State<AppState>,
    caller: Caller,
    JsonObject(body): JsonObject,
) -> Created<Schedule> {
    created(schedules::create(&app, &caller, &body).await?)
}

/// Updates a schedule; absent properties are unchanged, arrays are replaced.
#[utoipa::path(
    patch,
    path = "/v2/schedules/{scheduleId}",
    extensions(("x-access" = json!(access(SCHEDULE_WRITE, Requirement::Caller)))),
    tag = "Schedules",
    request_body = ScheduleChanges,
    responses((status = 200, body = Envelope<Schedule>)),
)]
pub async fn update(
    State(app): State<AppState>,
    caller: Caller,
    path: PathParams,
    JsonObject(body): JsonObject,
) -> Success<Schedule> {
    success(schedules::update(&app, &caller, path.id("scheduleId")?, &body).await?)
}

/// Deletes a schedule. Its event types use the hosts' default schedules from then on.
#[utoipa::path(
    delete,
    path = "/v2/schedules/{scheduleId}",
    extensions(("x-access" = json!(access(SCHEDULE_WRITE, Requirement::Caller)))),
    tag = "Schedules",
    responses((status = 200, body = Envelope<Schedule>)),
)]
pub async fn delete(
    State(app): State<AppState>,
    caller: Caller,
    path: PathParams,
) -> Success<Schedule> {
    success(schedules::delete(&app, &caller, path.id("scheduleId")?).await?)
}
