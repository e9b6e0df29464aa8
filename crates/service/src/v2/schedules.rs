//! Working hours (contract 3.6).

use axum::Json;
use axum::extract::State;
use axum::http::StatusCode;
use booking_wire::Envelope;
use booking_wire::schedule::{NewSchedule, Schedule, ScheduleChanges};
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

use crate::app::AppState;
use crate::auth::Caller;
use crate::error::Result;
use crate::extract::json::JsonObject;
use crate::extract::path::PathParams;
use crate::schedules;
use crate::validate::Query;

/// Operations of this family.
pub fn routes() -> OpenApiRouter<AppState> {
    OpenApiRouter::new()
        .routes(routes!(list, create))
        .routes(routes!(show_default))
        .routes(routes!(show, change, remove))
        .routes(routes!(list_of_team))
}

/// The caller's schedules, oldest first.
#[utoipa::path(
    get,
    path = "/v2/schedules",
    tag = "Schedules",
    params(
        ("take" = Option<i64>, Query, description = "How many, 250 unless told", minimum = 1, maximum = 250),
        ("skip" = Option<i64>, Query, description = "How many to leave out", minimum = 0),
    ),
    responses((status = 200, body = Envelope<Vec<Schedule>>)),
)]
pub async fn list(
    State(app): State<AppState>,
    caller: Caller,
    query: Query,
) -> Result<Json<Envelope<Vec<Schedule>>>> {
    let data = schedules::list(&app, &caller, &query).await?;
    Ok(Json(Envelope::success(data)))
}

/// The schedules of a team's members.
#[utoipa::path(
    get,
    path = "/v2/teams/{teamId}/schedules",
    tag = "Schedules",
    params(
        ("teamId" = i64, Path),
        ("take" = Option<i64>, Query, description = "How many, 250 unless told", minimum = 1, maximum = 250),
        ("skip" = Option<i64>, Query, description = "How many to leave out", minimum = 0),
    ),
    responses((status = 200, body = Envelope<Vec<Schedule>>)),
)]
pub async fn list_of_team(
    State(app): State<AppState>,
    caller: Caller,
    path: PathParams,
    query: Query,
) -> Result<Json<Envelope<Vec<Schedule>>>> {
    let data = schedules::list_of_team(&app, &caller, path.id("teamId")?, &query).await?;
    Ok(Json(Envelope::success(data)))
}

/// The caller's schedule for event types that name none; `null` if there is none.
#[utoipa::path(
    get,
    path = "/v2/schedules/default",
    tag = "Schedules",
    responses((status = 200, body = Envelope<Option<Schedule>>)),
)]
pub async fn show_default(
    State(app): State<AppState>,
    caller: Caller,
) -> Result<Json<Envelope<Option<Schedule>>>> {
    let data = schedules::show_default(&app, &caller).await?;
    Ok(Json(Envelope::success(data)))
}

/// One of the caller's schedules.
#[utoipa::path(
    get,
    path = "/v2/schedules/{scheduleId}",
    tag = "Schedules",
    params(("scheduleId" = i64, Path)),
    responses((status = 200, body = Envelope<Schedule>)),
)]
pub async fn show(
    State(app): State<AppState>,
    caller: Caller,
    path: PathParams,
) -> Result<Json<Envelope<Schedule>>> {
    let data = schedules::show(&app, &caller, path.id("scheduleId")?).await?;
    Ok(Json(Envelope::success(data)))
}

/// Makes a schedule of the caller's own.
#[utoipa::path(
    post,
    path = "/v2/schedules",
    tag = "Schedules",
    request_body = NewSchedule,
    responses((status = 201, body = Envelope<Schedule>)),
)]
pub async fn create(
    State(app): State<AppState>,
    caller: Caller,
    JsonObject(body): JsonObject,
) -> Result<(StatusCode, Json<Envelope<Schedule>>)> {
    let data = schedules::create(&app, &caller, &body).await?;
    Ok((StatusCode::CREATED, Json(Envelope::success(data))))
}

/// Changes a schedule; what is absent stays as it is, arrays that are given are replaced.
#[utoipa::path(
    patch,
    path = "/v2/schedules/{scheduleId}",
    tag = "Schedules",
    params(("scheduleId" = i64, Path)),
    request_body = ScheduleChanges,
    responses((status = 200, body = Envelope<Schedule>)),
)]
pub async fn change(
    State(app): State<AppState>,
    caller: Caller,
    path: PathParams,
    JsonObject(body): JsonObject,
) -> Result<Json<Envelope<Schedule>>> {
    let data = schedules::change(&app, &caller, path.id("scheduleId")?, &body).await?;
    Ok(Json(Envelope::success(data)))
}

/// Deletes a schedule. Event types that name it use their hosts' default ones from then on.
#[utoipa::path(
    delete,
    path = "/v2/schedules/{scheduleId}",
    tag = "Schedules",
    params(("scheduleId" = i64, Path)),
    responses((status = 200, body = Envelope<Schedule>)),
)]
pub async fn remove(
    State(app): State<AppState>,
    caller: Caller,
    path: PathParams,
) -> Result<Json<Envelope<Schedule>>> {
    let data = schedules::remove(&app, &caller, path.id("scheduleId")?).await?;
    Ok(Json(Envelope::success(data)))
}
