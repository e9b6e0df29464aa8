//! Memberships of organisations: who belongs to one, with which roles.
//!
//! People are added and removed by whoever runs the service: there are no invitations to an
//! organisation, and nobody belongs to one without having agreed.

use booking_wire::{JsonMap, Membership, OrganizationMembership};

use crate::app::AppState;
use crate::auth::Caller;
use crate::auth::access::Subject;
use crate::error::{Error, Result};
use crate::memberships::manage::page;
use crate::memberships::rules::{alter, withhold};
use crate::store::roles::Level;
use crate::store::{Db, accounts, memberships};
use crate::validate::Query;

/// Memberships of an organisation, oldest first.
pub async fn list(
    app: &AppState,
    caller: &Caller,
    organization_id: i64,
    query: &Query,
) -> Result<Vec<OrganizationMembership>> {
    let mut db = app.store.read().await?;
    refuse_unknown(&mut db, organization_id).await?;
    let subject = Subject::of_organization(organization_id);
    caller.authorise(&mut db, &subject).await?;
    let level = Level::Organization(organization_id);
    let found = page(&mut db, caller, level, query).await?;
    let found = found.into_iter().map(OrganizationMembership::from);
    Ok(found.collect())
}

/// One membership of an organisation. People see their own, too.
pub async fn show(
    app: &AppState,
    caller: &Caller,
    org_id: i64,
    membership_id: i64,
) -> Result<OrganizationMembership> {
    let mut db = app.store.read().await?;
    let (_, mut membership) = authorised(&mut db, caller, org_id, membership_id).await?;
    withhold(&mut db, caller, &mut membership).await?;
    Ok(membership.into())
}

/// Changes the role or the custom role of a member.
pub async fn edit(
    app: &AppState,
    caller: &Caller,
    org_id: i64,
    membership_id: i64,
    body: &JsonMap,
) -> Result<OrganizationMembership> {
    let mut transaction = app.store.begin().await?;
    let (level, before) = authorised(&mut transaction, caller, org_id, membership_id).await?;
    let mut membership = alter(&mut transaction, caller, level, &before, body).await?;
    withhold(&mut transaction, caller, &mut membership).await?;
    transaction.commit().await?;
    Ok(membership.into())
}

async fn refuse_unknown(db: &mut Db, id: i64) -> Result<()> {
    match accounts::organization_exists(db, id).await? {
        true => Ok(()),
        false => Err(Error::not_found("Organization", id)),
    }
}

/// The membership that a path names, once the caller may do with it what they ask.
async fn authorised(
    db: &mut Db,
    caller: &Caller,
    organization_id: i64,
    id: i64,
) -> Result<(Level, Membership)> {
    refuse_unknown(db, organization_id).await?;
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
