//! Handlers for memberships of organisations.

use axum::extract::State;
use booking_wire::{Envelope, MembershipChange, OrganizationMembership};
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

use crate::app::AppState;
use crate::auth::Caller;
use crate::auth::access::{Requirement, access};
use crate::auth::scope::{PROFILE_READ, PROFILE_WRITE};
use crate::domain::memberships::organization;
use crate::http::extract::json::JsonObject;
use crate::http::extract::params::Paging;
use crate::http::extract::path::PathParams;
use crate::http::v2::response::{Success, success};
use crate::validate::Query;

/// Routes of memberships of organisations.
pub fn routes() -> OpenApiRouter<AppState> {
    OpenApiRouter::new()
        .routes(routes!(list))
        .routes(routes!(show, update))
}

/// Memberships of an organisation, oldest first.
#[utoipa::path(
    get,
    path = "/v2/organizations/{orgId}/memberships",
    extensions(("x-access" = json!(access(PROFILE_READ, Requirement::Organization("organization.listMembers"))))),
    tag = "Organization memberships",
    params(
        ("emails" = Option<Vec<String>>, Query, explode = false, max_items = 20, description = "Only these people"),
        Paging,
    ),
    responses((status = 200, body = Envelope<Vec<OrganizationMembership>>)),
)]
pub async fn list(
    State(app): State<AppState>,
    caller: Caller,
    path: PathParams,
    query: Query,
) -> Success<Vec<OrganizationMembership>> {
    success(organization::list(&app, &caller, path.id("orgId")?, &query).await?)
}

/// One membership of an organisation. Users can read their own.
#[utoipa::path(
    get,
    path = "/v2/organizations/{orgId}/memberships/{membershipId}",
    extensions(("x-access" = json!(access(PROFILE_READ, Requirement::Owner("organization.listMembers"))))),
    tag = "Organization memberships",
    responses((status = 200, body = Envelope<OrganizationMembership>)),
)]
pub async fn show(
    State(app): State<AppState>,
    caller: Caller,
    path: PathParams,
) -> Success<OrganizationMembership> {
    let data =
        organization::show(&app, &caller, path.id("orgId")?, path.id("membershipId")?).await?;
    success(data)
}

/// Updates the role or the custom role of a member.
///
/// Callers can grant and remove only rights that they have; only owners can add and remove owners,
/// and the last owner cannot be removed. A custom role gives a member its permissions in the
/// organisation and its teams; admins and owners of the organisation have all permissions.
#[utoipa::path(
    patch,
    path = "/v2/organizations/{orgId}/memberships/{membershipId}",
    extensions(("x-access" = json!(access(PROFILE_WRITE, Requirement::Owner("organization.changeMemberRole"))))),
    tag = "Organization memberships",
    request_body = MembershipChange,
    responses((status = 200, body = Envelope<OrganizationMembership>)),
)]
pub async fn update(
    State(app): State<AppState>,
    caller: Caller,
    path: PathParams,
    JsonObject(body): JsonObject,
) -> Success<OrganizationMembership> {
    success(
        organization::update(
            &app,
            &caller,
            path.id("orgId")?,
            path.id("membershipId")?,
            &body,
        )
        .await?,
    )
}
