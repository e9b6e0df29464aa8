//! Handlers for bookings of teams (contract 3.1).

use axum::Json;
use axum::extract::State;
use booking_wire::{Booking, Envelope};
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

use crate::app::AppState;
use crate::auth::Caller;
use crate::auth::access::{Requirement, access};
use crate::auth::scope::BOOKING_READ;
use crate::bookings::team_list::page;
use crate::extract::params::BookingFilters;
use crate::extract::path::PathParams;
use crate::v2::response::Success;
use crate::validate::Query;

/// Routes of team bookings.
pub fn routes() -> OpenApiRouter<AppState> {
    OpenApiRouter::new()
        .routes(routes!(list))
        .routes(routes!(list_of_organization))
}

/// Lists the bookings of a team.
#[utoipa::path(
    get,
    path = "/v2/teams/{teamId}/bookings",
    extensions(("x-access" = json!(access(BOOKING_READ, Requirement::Team("booking.readTeamBookings"))))),
    tag = "Bookings",
    params(BookingFilters),
    responses((status = 200, body = Envelope<Vec<Booking>>)),
)]
pub async fn list(
    State(app): State<AppState>,
    caller: Caller,
    path: PathParams,
    query: Query,
) -> Success<Vec<Booking>> {
    let (data, pagination) = page(&app, &caller, path.id("teamId")?, None, &query).await?;
    Ok(Json(Envelope::page(data, pagination)))
}

/// Lists the bookings of a team in an organisation.
#[utoipa::path(
    get,
    path = "/v2/organizations/{orgId}/teams/{teamId}/bookings",
    extensions(("x-access" = json!(access(BOOKING_READ, Requirement::Team("booking.readTeamBookings"))))),
    tag = "Bookings",
    params(BookingFilters),
    responses((status = 200, body = Envelope<Vec<Booking>>)),
)]
pub async fn list_of_organization(
    State(app): State<AppState>,
    caller: Caller,
    path: PathParams,
    query: Query,
) -> Success<Vec<Booking>> {
    let (team_id, organization_id) = (path.id("teamId")?, path.id("orgId")?);
    let (data, pagination) = page(&app, &caller, team_id, Some(organization_id), &query).await?;
    Ok(Json(Envelope::page(data, pagination)))
}
