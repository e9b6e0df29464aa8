//! Handlers for memberships of teams and, in [`organization`], of organisations.

pub mod organization;

use axum::extract::State;
use booking_wire::{Envelope, Membership, MembershipChange, NewMembership};
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

use crate::app::AppState;
use crate::auth::Caller;
use crate::auth::access::{Requirement, access};
use crate::auth::scope::{PROFILE_READ, PROFILE_WRITE};
use crate::domain::memberships::manage;
use crate::http::extract::json::JsonObject;
use crate::http::extract::params::Paging;
use crate::http::extract::path::PathParams;
use crate::http::v2::response::{Created, Success, created, success};
use crate::validate::Query;

/// Routes of memberships.
pub fn routes() -> OpenApiRouter<AppState> {
    OpenApiRouter::new()
        .routes(routes!(list, create))
        .routes(routes!(show, update, delete))
        .merge(organization::routes())
}

/// The members and invited users of a team. A private team requires the permission
/// `team.listMembersPrivate`.
#[utoipa::path(
    get,
    path = "/v2/teams/{teamId}/memberships",
    extensions(("x-access" = json!(access(PROFILE_READ, Requirement::Team("team.listMembers"))))),
    tag = "Memberships",
    params(
        ("emails" = Option<Vec<String>>, Query, explode = false, max_items = 20, description = "Only these people"),
        Paging,
    ),
    responses((status = 200, body = Envelope<Vec<Membership>>)),
)]
pub async fn list(
    State(app): State<AppState>,
    caller: Caller,
    path: PathParams,
    query: Query,
) -> Success<Vec<Membership>> {
    success(manage::list(&app, &caller, path.id("teamId")?, &query).await?)
}

/// Adds a user to a team: a member of its organisation, or, if it has none, a user without one.
///
/// The user has to accept, even if `accepted` is true, unless the caller can accept for them: as an
/// admin of their organisation or of the service, or with the secret of their platform.
#[utoipa::path(
    post,
    path = "/v2/teams/{teamId}/memberships",
    extensions(("x-access" = json!(access(PROFILE_WRITE, Requirement::Team("team.invite"))))),
    tag = "Memberships",
    request_body = NewMembership,
    responses((status = 201, body = Envelope<Membership>)),
)]
pub async fn create(
    State(app): State<AppState>,
    caller: Caller,
    path: PathParams,
    JsonObject(body): JsonObject,
) -> Created<Membership> {
    created(manage::create(&app, &caller, path.id("teamId")?, &body).await?)
}

/// One membership. Users can read their own.
#[utoipa::path(
    get,
    path = "/v2/teams/{teamId}/memberships/{membershipId}",
    extensions(("x-access" = json!(access(PROFILE_READ, Requirement::Owner("team.listMembers"))))),
    tag = "Memberships",
    responses((status = 200, body = Envelope<Membership>)),
)]
pub async fn show(
    State(app): State<AppState>,
    caller: Caller,
    path: PathParams,
) -> Success<Membership> {
    success(manage::show(&app, &caller, path.id("teamId")?, path.id("membershipId")?).await?)
}

/// Updates a membership. Users can accept their own invitation, without further permission.
#[utoipa::path(
    patch,
    path = "/v2/teams/{teamId}/memberships/{membershipId}",
    extensions(("x-access" = json!(access(PROFILE_WRITE, Requirement::Owner("team.changeMemberRole"))))),
    tag = "Memberships",
    request_body = MembershipChange,
    responses((status = 200, body = Envelope<Membership>)),
)]
pub async fn update(
    State(app): State<AppState>,
    caller: Caller,
    path: PathParams,
    JsonObject(body): JsonObject,
) -> Success<Membership> {
    success(
        manage::update(
            &app,
            &caller,
            path.id("teamId")?,
            path.id("membershipId")?,
            &body,
        )
        .await?,
    )
}

/// Deletes a membership. Users can delete their own.
///
/// The user is removed from the hosts of the team's event types; their bookings are kept.
#[utoipa::path(
    delete,
    path = "/v2/teams/{teamId}/memberships/{membershipId}",
    extensions(("x-access" = json!(access(PROFILE_WRITE, Requirement::Owner("team.remove"))))),
    tag = "Memberships",
    responses((status = 200, description = "The membership as it was", body = Envelope<Membership>)),
)]
pub async fn delete(
    State(app): State<AppState>,
    caller: Caller,
    path: PathParams,
) -> Success<Membership> {
    success(manage::delete(&app, &caller, path.id("teamId")?, path.id("membershipId")?).await?)
}
