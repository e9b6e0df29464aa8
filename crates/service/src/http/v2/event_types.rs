//! Handlers for event types.

use axum::extract::State;
use booking_wire::event_type::request::{
    DeletedEventType, EventTypeChanges, NewEventType, NewTeamEventType, TeamEventTypeChanges,
};
use booking_wire::{Envelope, EventType};
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

use crate::app::AppState;
use crate::auth::Caller;
use crate::auth::access::{Requirement, access};
use crate::auth::scope::{EVENT_TYPE_READ, EVENT_TYPE_WRITE};
use crate::domain::event_types::{change, list};
use crate::http::extract::OptionalCaller;
use crate::http::extract::json::JsonObject;
use crate::http::extract::path::PathParams;
use crate::http::v2::response::{Created, Success, created, success};
use crate::validate::Query;

/// Routes of event types.
pub fn routes() -> OpenApiRouter<AppState> {
    OpenApiRouter::new()
        .routes(routes!(list, create))
        .routes(routes!(show, update, delete))
        .routes(routes!(list_of_team, create_of_team))
        .routes(routes!(show_of_team, update_of_team, delete_of_team))
}

/// A user's event types, or those of the caller.
#[utoipa::path(
    get,
    path = "/v2/event-types",
    extensions(("x-access" = json!(access(EVENT_TYPE_READ, Requirement::Nothing)))),
    tag = "Event types",
    params(
        ("username" = Option<String>, Query, description = "Whose; the caller's own if absent"),
        ("eventSlug" = Option<String>, Query, description = "Only this one; needs username"),
        ("usernames" = Option<Vec<String>>, Query, explode = false, description = "A group of people who meet together"),
        ("orgSlug" = Option<String>, Query),
        ("orgId" = Option<i64>, Query),
        ("sortCreatedAt" = Option<String>, Query, description = "asc or desc"),
    ),
    responses((status = 200, body = Envelope<Vec<EventType>>)),
)]
pub async fn list(
    State(app): State<AppState>,
    OptionalCaller(caller): OptionalCaller,
    query: Query,
) -> Success<Vec<EventType>> {
    success(list::list(&app, caller.as_ref(), &query).await?)
}

/// A team's event types.
#[utoipa::path(
    get,
    path = "/v2/teams/{teamId}/event-types",
    extensions(("x-access" = json!(access(EVENT_TYPE_READ, Requirement::Nothing)))),
    tag = "Team event types",
    params(
        ("teamId" = i64, Path, description = "The team's id. This service also takes its slug"),
        ("eventSlug" = Option<String>, Query, description = "Only this one"),
        ("hostsLimit" = Option<i64>, Query, description = "Hosts listed at most", minimum = 1),
        ("sortCreatedAt" = Option<String>, Query, description = "asc or desc"),
    ),
    responses((status = 200, body = Envelope<Vec<EventType>>)),
)]
pub async fn list_of_team(
    State(app): State<AppState>,
    OptionalCaller(caller): OptionalCaller,
    path: PathParams,
    query: Query,
) -> Success<Vec<EventType>> {
    success(list::list_of_team(&app, caller.as_ref(), path.text("teamId"), &query).await?)
}

/// One event type, also for anonymous callers unless it is closed.
#[utoipa::path(
    get,
    path = "/v2/event-types/{eventTypeId}",
    extensions(("x-access" = json!(access(EVENT_TYPE_READ, Requirement::Nothing)))),
    tag = "Event types",
    responses((status = 200, body = Envelope<EventType>)),
)]
pub async fn show(
    State(app): State<AppState>,
    OptionalCaller(caller): OptionalCaller,
    path: PathParams,
) -> Success<EventType> {
    success(list::show(&app, caller.as_ref(), path.id("eventTypeId")?).await?)
}

/// One event type of a team. The value of a location that is not public is returned only to its
/// hosts and callers who may update it.
#[utoipa::path(
    get,
    path = "/v2/teams/{teamId}/event-types/{eventTypeId}",
    extensions(("x-access" = json!(access(EVENT_TYPE_READ, Requirement::Nothing)))),
    tag = "Team event types",
    responses((status = 200, body = Envelope<EventType>)),
)]
pub async fn show_of_team(
    State(app): State<AppState>,
    OptionalCaller(caller): OptionalCaller,
    path: PathParams,
) -> Success<EventType> {
    success(
        list::show_of_team(
            &app,
            caller.as_ref(),
            path.id("teamId")?,
            path.id("eventTypeId")?,
        )
        .await?,
    )
}

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
