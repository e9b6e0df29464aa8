//! What can be booked (contract 3.3).

pub mod change;

use axum::Json;
use axum::extract::State;
use booking_wire::{Envelope, EventType};
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

use crate::app::AppState;
use crate::error::Result;
use crate::event_types::list;
use crate::extract::Visitor;
use crate::extract::path::PathParams;
use crate::validate::Query;

/// Operations of this family.
pub fn routes() -> OpenApiRouter<AppState> {
    OpenApiRouter::new()
        .routes(routes!(list, change::create))
        .routes(routes!(show, change::change, change::remove))
        .routes(routes!(list_of_team, change::create_of_team))
        .routes(routes!(
            show_of_team,
            change::change_of_team,
            change::remove_of_team
        ))
}

/// A person's event types, or those of the caller.
#[utoipa::path(
    get,
    path = "/v2/event-types",
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
    Visitor(caller): Visitor,
    query: Query,
) -> Result<Json<Envelope<Vec<EventType>>>> {
    let data = list::list(&app, caller.as_ref(), &query).await?;
    Ok(Json(Envelope::success(data)))
}

/// A team's event types.
#[utoipa::path(
    get,
    path = "/v2/teams/{teamId}/event-types",
    tag = "Team event types",
    params(
        ("teamId" = i64, Path),
        ("eventSlug" = Option<String>, Query, description = "Only this one"),
        ("hostsLimit" = Option<i64>, Query, description = "Hosts listed at most", minimum = 1),
        ("sortCreatedAt" = Option<String>, Query, description = "asc or desc"),
    ),
    responses((status = 200, body = Envelope<Vec<EventType>>)),
)]
pub async fn list_of_team(
    State(app): State<AppState>,
    Visitor(caller): Visitor,
    path: PathParams,
    query: Query,
) -> Result<Json<Envelope<Vec<EventType>>>> {
    let data = list::list_of_team(&app, caller.as_ref(), path.id("teamId")?, &query).await?;
    Ok(Json(Envelope::success(data)))
}

/// One event type, also for anonymous callers unless it is hidden.
#[utoipa::path(
    get,
    path = "/v2/event-types/{eventTypeId}",
    tag = "Event types",
    params(("eventTypeId" = i64, Path)),
    responses((status = 200, body = Envelope<EventType>)),
)]
pub async fn show(
    State(app): State<AppState>,
    Visitor(caller): Visitor,
    path: PathParams,
) -> Result<Json<Envelope<EventType>>> {
    let data = list::show(&app, caller.as_ref(), path.id("eventTypeId")?).await?;
    Ok(Json(Envelope::success(data)))
}

/// One event type of a team. A place that is not public is told to those who host or run it only.
#[utoipa::path(
    get,
    path = "/v2/teams/{teamId}/event-types/{eventTypeId}",
    tag = "Team event types",
    params(("teamId" = i64, Path), ("eventTypeId" = i64, Path)),
    responses((status = 200, body = Envelope<EventType>)),
)]
pub async fn show_of_team(
    State(app): State<AppState>,
    Visitor(caller): Visitor,
    path: PathParams,
) -> Result<Json<Envelope<EventType>>> {
    let data = list::show_of_team(
        &app,
        caller.as_ref(),
        path.id("teamId")?,
        path.id("eventTypeId")?,
    )
    .await?;
    Ok(Json(Envelope::success(data)))
}
