//! The bookings of a team (contract 3.1).

use axum::Json;
use axum::extract::State;
use booking_wire::{Booking, Envelope, Instant};
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

use crate::app::AppState;
use crate::auth::Caller;
use crate::bookings::team_list::page;
use crate::error::Result;
use crate::extract::path::PathParams;
use crate::validate::Query;

/// Operations of this family.
pub fn routes() -> OpenApiRouter<AppState> {
    OpenApiRouter::new()
        .routes(routes!(list))
        .routes(routes!(list_of_organization))
}

/// The bookings of a team.
#[utoipa::path(
    get,
    path = "/v2/teams/{teamId}/bookings",
    tag = "Bookings",
    params(
        ("teamId" = i64, Path),
        ("status" = Option<Vec<String>>, Query, explode = false, description = "Any of upcoming, recurring, past, cancelled, unconfirmed"),
        ("attendeeEmail" = Option<String>, Query, description = "Exact"),
        ("attendeeName" = Option<String>, Query, description = "Exact"),
        ("bookingUid" = Option<String>, Query, description = "Exact"),
        ("eventTypeIds" = Option<Vec<i64>>, Query, explode = false),
        ("eventTypeId" = Option<i64>, Query),
        ("afterStart" = Option<Instant>, Query, description = "Starts at or after"),
        ("beforeEnd" = Option<Instant>, Query, description = "Ends at or before"),
        ("sortStart" = Option<String>, Query, description = "asc or desc"),
        ("sortEnd" = Option<String>, Query, description = "asc or desc"),
        ("sortCreated" = Option<String>, Query, description = "asc or desc"),
        ("take" = Option<i64>, Query, description = "How many, 100 unless told", minimum = 1, maximum = 250),
        ("skip" = Option<i64>, Query, description = "How many to leave out", minimum = 0),
    ),
    responses((status = 200, body = Envelope<Vec<Booking>>)),
)]
pub async fn list(
    State(app): State<AppState>,
    caller: Caller,
    path: PathParams,
    query: Query,
) -> Result<Json<Envelope<Vec<Booking>>>> {
    let (data, pagination) = page(&app, &caller, path.id("teamId")?, None, &query).await?;
    Ok(Json(Envelope::page(data, pagination)))
}

/// The bookings of an organisation's team.
#[utoipa::path(
    get,
    path = "/v2/organizations/{orgId}/teams/{teamId}/bookings",
    tag = "Bookings",
    params(
        ("orgId" = i64, Path),
        ("teamId" = i64, Path),
        ("status" = Option<Vec<String>>, Query, explode = false, description = "Any of upcoming, recurring, past, cancelled, unconfirmed"),
        ("attendeeEmail" = Option<String>, Query, description = "Exact"),
        ("attendeeName" = Option<String>, Query, description = "Exact"),
        ("bookingUid" = Option<String>, Query, description = "Exact"),
        ("eventTypeIds" = Option<Vec<i64>>, Query, explode = false),
        ("eventTypeId" = Option<i64>, Query),
        ("afterStart" = Option<Instant>, Query, description = "Starts at or after"),
        ("beforeEnd" = Option<Instant>, Query, description = "Ends at or before"),
        ("sortStart" = Option<String>, Query, description = "asc or desc"),
        ("sortEnd" = Option<String>, Query, description = "asc or desc"),
        ("sortCreated" = Option<String>, Query, description = "asc or desc"),
        ("take" = Option<i64>, Query, description = "How many, 100 unless told", minimum = 1, maximum = 250),
        ("skip" = Option<i64>, Query, description = "How many to leave out", minimum = 0),
    ),
    responses((status = 200, body = Envelope<Vec<Booking>>)),
)]
pub async fn list_of_organization(
    State(app): State<AppState>,
    caller: Caller,
    path: PathParams,
    query: Query,
) -> Result<Json<Envelope<Vec<Booking>>>> {
    let (team_id, organization_id) = (path.id("teamId")?, path.id("orgId")?);
    let (data, pagination) = page(&app, &caller, team_id, Some(organization_id), &query).await?;
    Ok(Json(Envelope::page(data, pagination)))
}
