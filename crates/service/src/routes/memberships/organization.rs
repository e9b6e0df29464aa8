//! Memberships of organisations: who belongs to one, with which roles.
//!
//! People are added and removed by whoever runs the service: there are no invitations to an
//! organisation, and nobody belongs to one without having agreed.

use axum::Json;
use axum::extract::State;
use axum::http::Uri;
use booking_wire::{Envelope, Membership, MembershipChange, OrganizationMembership};
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

use super::page;
use super::rules::{alter, withhold};
use crate::app::AppState;
use crate::auth::Caller;
use crate::auth::access::Subject;
use crate::error::{Error, Result};
use crate::routes::PathParams;
use crate::store::roles::Level;
use crate::store::{Db, accounts, memberships};
use crate::validate::JsonObject;

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
    uri: Uri,
) -> Result<Json<Envelope<Vec<OrganizationMembership>>>> {
    let mut db = app.store.read().await?;
    let organization_id = organization(&mut db, &path).await?;
    let subject = Subject::of_organization(organization_id);
    caller.authorise(&mut db, &subject).await?;
    let level = Level::Organization(organization_id);
    let found = page(&mut db, &caller, level, &uri).await?;
    let found = found.into_iter().map(OrganizationMembership::from);
    Ok(Json(Envelope::success(found.collect())))
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
    let mut db = app.store.read().await?;
    let (_, mut membership) = authorised(&mut db, &caller, &path).await?;
    withhold(&mut db, &caller, &mut membership).await?;
    Ok(Json(Envelope::success(membership.into())))
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
    let mut transaction = app.store.begin().await?;
    let (level, before) = authorised(&mut transaction, &caller, &path).await?;
    let mut membership = alter(&mut transaction, &caller, level, &before, &body).await?;
    withhold(&mut transaction, &caller, &mut membership).await?;
    transaction.commit().await?;
    Ok(Json(Envelope::success(membership.into())))
}

async fn organization(db: &mut Db, path: &PathParams) -> Result<i64> {
    let id = path.id("orgId")?;
    match accounts::organization_exists(db, id).await? {
        true => Ok(id),
        false => Err(Error::not_found("Organization", id)),
    }
}

/// The membership that a path names, once the caller may do with it what they ask.
async fn authorised(
    db: &mut Db,
    caller: &Caller,
    path: &PathParams,
) -> Result<(Level, Membership)> {
    let organization_id = organization(db, path).await?;
    let id = path.id("membershipId")?;
    let level = Level::Organization(organization_id);
    let membership = memberships::get(db, level, id).await?;
    let own = membership.iter().map(|membership| membership.user_id);
    let subject = Subject {
        user_ids: own.collect(),
        ..Subject::of_organization(organization_id)
    };
    // First, so that a stranger does not learn which memberships there are.
    caller.authorise(db, &subject).await?;
    let membership = membership.ok_or_else(|| Error::not_found("Membership", id))?;
    Ok((level, membership))
}
