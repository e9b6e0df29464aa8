//! The bookings of a team (contract 3.1).

use axum::Json;
use axum::extract::State;
use axum::http::Uri;
use booking_wire::{Booking, Envelope, Instant};
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

use super::{PathParams, booking_query};
use crate::app::AppState;
use crate::auth::Caller;
use crate::auth::access::Subject;
use crate::error::{Error, Result};
use crate::store::accounts;
use crate::store::booking_list::{self, Whose};
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
    uri: Uri,
) -> Result<Json<Envelope<Vec<Booking>>>> {
    page(&app, &caller, path.id("teamId")?, None, &Query::of(&uri)).await
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
    uri: Uri,
) -> Result<Json<Envelope<Vec<Booking>>>> {
    page(
        &app,
        &caller,
        path.id("teamId")?,
        Some(path.id("orgId")?),
        &Query::of(&uri),
    )
    .await
}

async fn page(
    app: &AppState,
    caller: &Caller,
    team_id: i64,
    organization_id: Option<i64>,
    query: &Query,
) -> Result<Json<Envelope<Vec<Booking>>>> {
    let mut db = app.store.read().await?;
    let team = accounts::team(&mut db, team_id)
        .await?
        .filter(|team| organization_id.is_none_or(|id| team.organization_id == Some(id)))
        .ok_or_else(|| Error::not_found("Team", team_id))?;
    caller
        .authorise(&mut db, &Subject::of_team(team.id))
        .await?;

    let whose = Whose::Team(team.id);
    let query = booking_query::of_team(query)?;
    let filter = booking_query::filter(&mut db, caller, &whose, query).await?;
    let (bookings, pagination) =
        booking_list::page(&mut db, &whose, &filter, app.clock.now()).await?;
    Ok(Json(Envelope::page(bookings, pagination)))
}
