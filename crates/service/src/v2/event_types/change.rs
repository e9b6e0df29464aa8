//! Making, changing and deleting event types of people and teams.

use axum::Json;
use axum::extract::State;
use axum::http::StatusCode;
use booking_wire::event_type::request::{
    DeletedEventType, EventTypeChanges, NewEventType, NewTeamEventType, TeamEventTypeChanges,
};
use booking_wire::{Envelope, EventType};

use crate::app::AppState;
use crate::auth::Caller;
use crate::error::Result;
use crate::event_types::change;
use crate::extract::json::JsonObject;
use crate::extract::path::PathParams;

/// Makes an event type of the caller's own.
#[utoipa::path(
    post,
    path = "/v2/event-types",
    tag = "Event types",
    request_body = NewEventType,
    responses((status = 201, body = Envelope<EventType>)),
)]
pub async fn create(
    State(app): State<AppState>,
    caller: Caller,
    JsonObject(body): JsonObject,
) -> Result<(StatusCode, Json<Envelope<EventType>>)> {
    let data = change::create(&app, &caller, &body).await?;
    Ok((StatusCode::CREATED, Json(Envelope::success(data))))
}

/// Makes an event type of a team.
#[utoipa::path(
    post,
    path = "/v2/teams/{teamId}/event-types",
    tag = "Team event types",
    params(("teamId" = i64, Path)),
    request_body = NewTeamEventType,
    responses((status = 201, body = Envelope<EventType>)),
)]
pub async fn create_of_team(
    State(app): State<AppState>,
    caller: Caller,
    path: PathParams,
    JsonObject(body): JsonObject,
) -> Result<(StatusCode, Json<Envelope<EventType>>)> {
    let data = change::create_of_team(&app, &caller, path.id("teamId")?, &body).await?;
    Ok((StatusCode::CREATED, Json(Envelope::success(data))))
}

/// Changes an event type; what is absent stays as it is.
#[utoipa::path(
    patch,
    path = "/v2/event-types/{eventTypeId}",
    tag = "Event types",
    params(("eventTypeId" = i64, Path)),
    request_body = EventTypeChanges,
    responses((status = 200, body = Envelope<EventType>)),
)]
pub async fn change(
    State(app): State<AppState>,
    caller: Caller,
    path: PathParams,
    JsonObject(body): JsonObject,
) -> Result<Json<Envelope<EventType>>> {
    let data = change::change(&app, &caller, path.id("eventTypeId")?, &body).await?;
    Ok(Json(Envelope::success(data)))
}

/// Changes an event type of a team; what is absent stays as it is.
#[utoipa::path(
    patch,
    path = "/v2/teams/{teamId}/event-types/{eventTypeId}",
    tag = "Team event types",
    params(("teamId" = i64, Path), ("eventTypeId" = i64, Path)),
    request_body = TeamEventTypeChanges,
    responses((status = 200, body = Envelope<EventType>)),
)]
pub async fn change_of_team(
    State(app): State<AppState>,
    caller: Caller,
    path: PathParams,
    JsonObject(body): JsonObject,
) -> Result<Json<Envelope<EventType>>> {
    let data = change::change_of_team(
        &app,
        &caller,
        path.id("teamId")?,
        path.id("eventTypeId")?,
        &body,
    )
    .await?;
    Ok(Json(Envelope::success(data)))
}

/// Deletes an event type. Its bookings stay.
#[utoipa::path(
    delete,
    path = "/v2/event-types/{eventTypeId}",
    tag = "Event types",
    params(("eventTypeId" = i64, Path)),
    responses((status = 200, body = Envelope<DeletedEventType>)),
)]
pub async fn remove(
    State(app): State<AppState>,
    caller: Caller,
    path: PathParams,
) -> Result<Json<Envelope<DeletedEventType>>> {
    let data = change::remove(&app, &caller, path.id("eventTypeId")?).await?;
    Ok(Json(Envelope::success(data)))
}

/// Deletes an event type of a team, a managed one with those that follow it. Bookings stay.
#[utoipa::path(
    delete,
    path = "/v2/teams/{teamId}/event-types/{eventTypeId}",
    tag = "Team event types",
    params(("teamId" = i64, Path), ("eventTypeId" = i64, Path)),
    responses((status = 200, body = Envelope<DeletedEventType>)),
)]
pub async fn remove_of_team(
    State(app): State<AppState>,
    caller: Caller,
    path: PathParams,
) -> Result<Json<Envelope<DeletedEventType>>> {
    let data =
        change::remove_of_team(&app, &caller, path.id("teamId")?, path.id("eventTypeId")?).await?;
    Ok(Json(Envelope::success(data)))
}
