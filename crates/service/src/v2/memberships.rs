//! Memberships of teams (contract 3.6) and, in [`organization`], of organisations.
//!
//! [`rules`] says who may give and take which rights, at both levels alike.
//!
//! A membership of a team counts once its person has agreed. Only those who answer for the person
//! agree in their place: whoever runs their organisation or the service, and their platform.

pub mod organization;

use axum::Json;
use axum::extract::State;
use axum::http::StatusCode;
use booking_wire::{Envelope, Membership, MembershipChange, NewMembership};
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

use crate::app::AppState;
use crate::auth::Caller;
use crate::error::Result;
use crate::extract::json::JsonObject;
use crate::extract::path::PathParams;
use crate::memberships::manage;
use crate::validate::Query;

/// Operations of this family.
pub fn routes() -> OpenApiRouter<AppState> {
    OpenApiRouter::new()
        .routes(routes!(list, create))
        .routes(routes!(show, edit, delete))
        .merge(organization::routes())
}

/// A team's members and those who are invited. A private team shows them only to those with
/// `team.listMembersPrivate`.
#[utoipa::path(
    get,
    path = "/v2/teams/{teamId}/memberships",
    tag = "Memberships",
    params(
        ("teamId" = i64, Path),
        ("emails" = Option<Vec<String>>, Query, explode = false, max_items = 20, description = "Only these people"),
        ("take" = Option<i64>, Query, description = "How many, 250 unless told", minimum = 1, maximum = 250),
        ("skip" = Option<i64>, Query, description = "How many to leave out", minimum = 0),
    ),
    responses((status = 200, body = Envelope<Vec<Membership>>)),
)]
pub async fn list(
    State(app): State<AppState>,
    caller: Caller,
    path: PathParams,
    query: Query,
) -> Result<Json<Envelope<Vec<Membership>>>> {
    let data = manage::list(&app, &caller, path.id("teamId")?, &query).await?;
    Ok(Json(Envelope::success(data)))
}

/// Adds somebody to a team: a person of its organisation, or one without, if it has none.
///
/// The person has to agree, whatever `accepted` says, unless the caller answers for them: by
/// running their organisation or the service, or with the secret of their platform.
#[utoipa::path(
    post,
    path = "/v2/teams/{teamId}/memberships",
    tag = "Memberships",
    params(("teamId" = i64, Path)),
    request_body = NewMembership,
    responses((status = 201, body = Envelope<Membership>)),
)]
pub async fn create(
    State(app): State<AppState>,
    caller: Caller,
    path: PathParams,
    JsonObject(body): JsonObject,
) -> Result<(StatusCode, Json<Envelope<Membership>>)> {
    let data = manage::create(&app, &caller, path.id("teamId")?, &body).await?;
    Ok((StatusCode::CREATED, Json(Envelope::success(data))))
}

/// One membership. People see their own, too.
#[utoipa::path(
    get,
    path = "/v2/teams/{teamId}/memberships/{membershipId}",
    tag = "Memberships",
    params(("teamId" = i64, Path), ("membershipId" = i64, Path)),
    responses((status = 200, body = Envelope<Membership>)),
)]
pub async fn show(
    State(app): State<AppState>,
    caller: Caller,
    path: PathParams,
) -> Result<Json<Envelope<Membership>>> {
    let data = manage::show(&app, &caller, path.id("teamId")?, path.id("membershipId")?).await?;
    Ok(Json(Envelope::success(data)))
}

/// Changes a membership. People may accept their own invitation and leave it at that.
#[utoipa::path(
    patch,
    path = "/v2/teams/{teamId}/memberships/{membershipId}",
    tag = "Memberships",
    params(("teamId" = i64, Path), ("membershipId" = i64, Path)),
    request_body = MembershipChange,
    responses((status = 200, body = Envelope<Membership>)),
)]
pub async fn edit(
    State(app): State<AppState>,
    caller: Caller,
    path: PathParams,
    JsonObject(body): JsonObject,
) -> Result<Json<Envelope<Membership>>> {
    let data = manage::edit(
        &app,
        &caller,
        path.id("teamId")?,
        path.id("membershipId")?,
        &body,
    )
    .await?;
    Ok(Json(Envelope::success(data)))
}

/// Ends a membership. People may end their own.
///
/// The person hosts none of the team's event types any longer; what is booked with them stands.
#[utoipa::path(
    delete,
    path = "/v2/teams/{teamId}/memberships/{membershipId}",
    tag = "Memberships",
    params(("teamId" = i64, Path), ("membershipId" = i64, Path)),
    responses((status = 200, description = "The membership as it was", body = Envelope<Membership>)),
)]
pub async fn delete(
    State(app): State<AppState>,
    caller: Caller,
    path: PathParams,
) -> Result<Json<Envelope<Membership>>> {
    let data = manage::delete(&app, &caller, path.id("teamId")?, path.id("membershipId")?).await?;
    Ok(Json(Envelope::success(data)))
}
