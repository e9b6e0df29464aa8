//! Use cases of memberships of organisations: members and their roles.
//!
//! The operator of the service adds and removes members. There are no invitations to an
//! organisation, so memberships are always accepted.

use booking_wire::{JsonMap, Membership, OrganizationMembership};

use crate::app::AppState;
use crate::auth::Caller;
use crate::auth::access::Resource;
use crate::domain::memberships::change::{redact, update_membership};
use crate::domain::memberships::manage::list_page;
use crate::error::{Error, Result};
use crate::store::people::roles::Level;
use crate::store::people::{accounts, memberships};
use crate::store::{Db, Subject};
use crate::validate::Query;

/// Memberships of an organisation, oldest first.
pub async fn list(
    app: &AppState,
    caller: &Caller,
    organization_id: i64,
    query: &Query,
) -> Result<Vec<OrganizationMembership>> {
    let mut db = app.store.read().await?;
    accounts::check_organization(&mut db, organization_id).await?;
    let resource = Resource::of_organization(organization_id);
    caller.authorise(&mut db, &resource).await?;
    let level = Level::Organization(organization_id);
    let found = list_page(&mut db, caller, level, query).await?;
    let found = found.into_iter().map(OrganizationMembership::from);
    Ok(found.collect())
}

/// One membership of an organisation. Users can read their own.
pub async fn show(
    app: &AppState,
    caller: &Caller,
    org_id: i64,
    membership_id: i64,
) -> Result<OrganizationMembership> {
    let mut db = app.store.read().await?;
    let (_, mut membership) = authorised(&mut db, caller, org_id, membership_id).await?;
    redact(&mut db, caller, &mut membership).await?;
    Ok(membership.into())
}

/// Updates the role or the custom role of a member.
pub async fn update(
    app: &AppState,
    caller: &Caller,
    org_id: i64,
    membership_id: i64,
    body: &JsonMap,
) -> Result<OrganizationMembership> {
    let mut transaction = app.store.begin(&[Subject::Organization(org_id)]).await?;
    let (level, before) = authorised(&mut transaction, caller, org_id, membership_id).await?;
    let mut membership = update_membership(&mut transaction, caller, level, &before, body).await?;
    redact(&mut transaction, caller, &mut membership).await?;
    transaction.commit().await?;
    Ok(membership.into())
}

/// Returns the membership in the path, after checking the caller's permission for the operation.
async fn authorised(
    db: &mut Db,
    caller: &Caller,
    organization_id: i64,
    id: i64,
) -> Result<(Level, Membership)> {
    accounts::check_organization(db, organization_id).await?;
    let level = Level::Organization(organization_id);
    let membership = memberships::get(db, level, id).await?;
    let user_ids = membership.iter().map(|membership| membership.user_id);
    let resource = Resource {
        user_ids: user_ids.collect(),
        ..Resource::of_organization(organization_id)
    };
    // Authorise first, so that the response does not reveal memberships to other callers.
    caller.authorise(db, &resource).await?;
    let membership = membership.ok_or_else(|| Error::not_found("Membership", id))?;
    Ok((level, membership))
}
