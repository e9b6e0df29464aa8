//! Memberships of organisations: who belongs to one, with which roles.
//!
//! People are added and removed by whoever runs the service: there are no invitations to an
//! organisation, and nobody belongs to one without having agreed.

use axum::Json;
use axum::extract::State;
use booking_wire::{Envelope, MembershipChange, OrganizationMembership};
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

use crate::app::AppState;
use crate::auth::Caller;
use crate::error::Result;
use crate::extract::json::JsonObject;
use crate::extract::path::PathParams;
use crate::memberships::organization;
use crate::validate::Query;

/// Operations on the memberships of an organisation.
pub fn routes() -> OpenApiRouter<AppState> {
    OpenApiRouter::new()
        .routes(routes!(list))
        .routes(routes!(show, edit))
}

/// Memberships of an organisation, oldest first.
#[utoipa::path(
    get,
    path = "/v2/organizations/{orgId}/memberships",
    tag = "Organization memberships",
    params(
        ("orgId" = i64, Path),
        ("emails" = Option<Vec<String>>, Query, explode = false, max_items = 20, description = "Only these people"),
        ("take" = Option<i64>, Query, description = "How many, 250 unless told", minimum = 1, maximum = 250),
        ("skip" = Option<i64>, Query, description = "How many to leave out", minimum = 0),
    ),
    responses((status = 200, body = Envelope<Vec<OrganizationMembership>>)),
)]
pub async fn list(
    State(app): State<AppState>,
    caller: Caller,
    path: PathParams,
    query: Query,
) -> Result<Json<Envelope<Vec<OrganizationMembership>>>> {
    let data = organization::list(&app, &caller, path.id("orgId")?, &query).await?;
    Ok(Json(Envelope::success(data)))
}

/// One membership of an organisation. People see their own, too.
#[utoipa::path(
    get,
    path = "/v2/organizations/{orgId}/memberships/{membershipId}",
    tag = "Organization memberships",
    params(("orgId" = i64, Path), ("membershipId" = i64, Path)),
    responses((status = 200, body = Envelope<OrganizationMembership>)),
)]
pub async fn show(
    State(app): State<AppState>,
    caller: Caller,
    path: PathParams,
) -> Result<Json<Envelope<OrganizationMembership>>> {
    let data =
        organization::show(&app, &caller, path.id("orgId")?, path.id("membershipId")?).await?;
    Ok(Json(Envelope::success(data)))
}

/// Changes the role or the custom role of a member.
///
/// Nobody gives or takes rights that they lack themselves; only owners make and unmake owners, and
/// the last owner stays one. A custom role gives a member its permissions in the organisation and
/// its teams; whoever runs the organisation has all of them anyway.
#[utoipa::path(
    patch,
    path = "/v2/organizations/{orgId}/memberships/{membershipId}",
    tag = "Organization memberships",
    params(("orgId" = i64, Path), ("membershipId" = i64, Path)),
    request_body = MembershipChange,
    responses((status = 200, body = Envelope<OrganizationMembership>)),
)]
pub async fn edit(
    State(app): State<AppState>,
    caller: Caller,
    path: PathParams,
    JsonObject(body): JsonObject,
) -> Result<Json<Envelope<OrganizationMembership>>> {
    let data = organization::edit(
        &app,
        &caller,
        path.id("orgId")?,
        path.id("membershipId")?,
        &body,
    )
    .await?;
    Ok(Json(Envelope::success(data)))
}
