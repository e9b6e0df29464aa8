//! Handlers that create, update and delete event types of users and teams.

use axum::extract::State;
use booking_wire::event_type::request::{
    DeletedEventType, EventTypeChanges, NewEventType, NewTeamEventType, TeamEventTypeChanges,
};
use booking_wire::{Envelope, EventType};

use crate::app::AppState;
use crate::auth::Caller;
use crate::auth::access::{Requirement, access};
use crate::auth::scope::EVENT_TYPE_WRITE;
use crate::event_types::change;
use crate::extract::json::JsonObject;
use crate::extract::path::PathParams;
use crate::v2::response::{Created, Success, created, success};

/// Creates an event type of the caller.
#[utoipa::path(
    post,
    path = "/v2/event-types",
    extensions(("x-access" = json!(access(EVENT_TYPE_WRITE, Requirement::Caller)))),
    tag = "Event types",
    request_body = NewEventType,
    responses((status = 201, body = Envelope<EventType>)),
)]
pub async fn create(
    State(app): State<AppState>,
    caller: Caller,
    JsonObject(body): JsonObject,
) -> Created<EventType> {
    created(change::create(&app, &caller, &body).await?)
}

/// Creates an event type of a team.
#[utoipa::path(
    post,
    path = "/v2/teams/{teamId}/event-types",
    extensions(("x-access" = json!(access(EVENT_TYPE_WRITE, Requirement::Team("eventType.create"))))),
    tag = "Team event types",
    request_body = NewTeamEventType,
    responses((status = 201, body = Envelope<EventType>)),
)]
pub async fn create_of_team(
    State(app): State<AppState>,
    caller: Caller,
    path: PathParams,
    JsonObject(body): JsonObject,
) -> Created<EventType> {
    created(change::create_of_team(&app, &caller, path.id("teamId")?, &body).await?)
}

/// Updates an event type; absent properties are unchanged.
#[utoipa::path(
    patch,
    path = "/v2/event-types/{eventTypeId}",
    extensions(("x-access" = json!(access(EVENT_TYPE_WRITE, Requirement::Owner("eventType.update"))))),
    tag = "Event types",
    request_body = EventTypeChanges,
    responses((status = 200, body = Envelope<EventType>)),
)]
pub async fn update(
    State(app): State<AppState>,
    caller: Caller,
    path: PathParams,
    JsonObject(body): JsonObject,
) -> Success<EventType> {
    success(change::update(&app, &caller, path.id("eventTypeId")?, &body).await?)
}

/// Updates an event type of a team; absent properties are unchanged.
#[utoipa::path(
    patch,
    path = "/v2/teams/{teamId}/event-types/{eventTypeId}",
    extensions(("x-access" = json!(access(EVENT_TYPE_WRITE, Requirement::Team("eventType.update"))))),
    tag = "Team event types",
    request_body = TeamEventTypeChanges,
    responses((status = 200, body = Envelope<EventType>)),
)]
pub async fn update_of_team(
    State(app): State<AppState>,
    caller: Caller,
    path: PathParams,
    JsonObject(body): JsonObject,
) -> Success<EventType> {
    success(
        change::update_of_team(
            &app,
            &caller,
            path.id("teamId")?,
            path.id("eventTypeId")?,
            &body,
        )
        .await?,
    )
}

/// Deletes an event type. Its bookings are kept.
#[utoipa::path(
    delete,
    path = "/v2/event-types/{eventTypeId}",
    extensions(("x-access" = json!(access(EVENT_TYPE_WRITE, Requirement::Owner("eventType.delete"))))),
    tag = "Event types",
    responses((status = 200, body = Envelope<DeletedEventType>)),
)]
pub async fn delete(
    State(app): State<AppState>,
    caller: Caller,
    path: PathParams,
) -> Success<DeletedEventType> {
    success(change::delete(&app, &caller, path.id("eventTypeId")?).await?)
}

/// Deletes an event type of a team, a managed one with the members' copies. Bookings are kept.
#[utoipa::path(
    delete,
    path = "/v2/teams/{teamId}/event-types/{eventTypeId}",
    extensions(("x-access" = json!(access(EVENT_TYPE_WRITE, Requirement::Team("eventType.delete"))))),
    tag = "Team event types",
    responses((status = 200, body = Envelope<DeletedEventType>)),
)]
pub async fn delete_of_team(
    State(app): State<AppState>,
    caller: Caller,
    path: PathParams,
) -> Success<DeletedEventType> {
    let data =
        change::delete_of_team(&app, &caller, path.id("teamId")?, path.id("eventTypeId")?).await?;
    success(data)
}
