//! Use cases of memberships of teams; [`super::organization`] has those of organisations.
//!
//! [`super::change`] has the rules for granting and removing rights, which are the same at both
//! levels.
//!
//! A membership of a team is in effect once it is accepted: by the user, or for the user by an
//! admin of their organisation, an admin of the service, or their platform.

use booking_wire::{Instant, JsonMap, Membership, Team};

use crate::app::AppState;
use crate::auth::Caller;
use crate::auth::access::Resource;
use crate::domain::memberships::change::{
    apply_changes, can_accept_for, is_effective_owner, redact, reject_last_owner,
    reject_missing_rights, update_membership,
};
use crate::domain::teams;
use crate::error::{Error, Result};
use crate::store::people::memberships;
use crate::store::people::roles::Level;
use crate::store::{self, Db, Subject};
use crate::validate::changes::Changes;
use crate::validate::{Checks, Query, check_emails, integer, paging};

/// The members and invited users of a team. A private team requires the permission
/// `team.listMembersPrivate`.
pub async fn list(
    app: &AppState,
    caller: &Caller,
    team_id: i64,
    query: &Query,
) -> Result<Vec<Membership>> {
    let mut db = app.store.read().await?;
    let team = teams::authorised(&mut db, caller, team_id).await?;
    reject_private(&mut db, caller, &team).await?;
    list_page(&mut db, caller, Level::Team(team.id), query).await
}

/// Adds a user to a team: a member of its organisation, or, if it has none, a user without one.
pub async fn create(
    app: &AppState,
    caller: &Caller,
    team_id: i64,
    body: &JsonMap,
) -> Result<Membership> {
    let mut transaction = app.store.begin(&[Subject::Team(team_id)]).await?;
    let team = teams::authorised(&mut transaction, caller, team_id).await?;
    let mut membership =
        add_member(&mut transaction, caller, team.id, body, app.clock.now()).await?;
    redact(&mut transaction, caller, &mut membership).await?;
    transaction.commit().await?;
    Ok(membership)
}

/// One membership. Users can read their own.
pub async fn show(
    app: &AppState,
    caller: &Caller,
    team_id: i64,
    membership_id: i64,
) -> Result<Membership> {
    let mut db = app.store.read().await?;
    let (team, mut membership) = authorised(&mut db, caller, team_id, membership_id).await?;
    reject_private_to(&mut db, caller, &team, &membership).await?;
    redact(&mut db, caller, &mut membership).await?;
    Ok(membership)
}

/// Updates a membership. Users can accept their own invitation, without further permission.
pub async fn update(
    app: &AppState,
    caller: &Caller,
    team_id: i64,
    membership_id: i64,
    body: &JsonMap,
) -> Result<Membership> {
    let mut transaction = app
        .store
        .begin(&[Subject::Membership(membership_id)])
        .await?;
    let (_, before) = authorised(&mut transaction, caller, team_id, membership_id).await?;
    let level = Level::Team(before.team_id);
    let mut membership = update_membership(&mut transaction, caller, level, &before, body).await?;
    redact(&mut transaction, caller, &mut membership).await?;
    transaction.commit().await?;
    Ok(membership)
}

/// Deletes a membership. Users can delete their own.
pub async fn delete(
    app: &AppState,
    caller: &Caller,
    team_id: i64,
    membership_id: i64,
) -> Result<Membership> {
    let mut transaction = app
        .store
        .begin(&[Subject::Membership(membership_id)])
        .await?;
    let (_, mut membership) = authorised(&mut transaction, caller, team_id, membership_id).await?;
    delete_membership(&mut transaction, caller, &membership).await?;
    redact(&mut transaction, caller, &mut membership).await?;
    transaction.commit().await?;
    Ok(membership)
}

/// Returns one page of memberships, redacted for the caller.
pub async fn list_page(
    db: &mut Db,
    caller: &Caller,
    level: Level,
    query: &Query,
) -> Result<Vec<Membership>> {
    let mut checks = Checks::default();
    let emails = query.list("emails").unwrap_or_default();
    check_emails(&emails, &mut checks);
    let (take, skip) = paging(query, &mut checks);
    checks.finish()?;
    let mut found = memberships::list(db, level, &emails, take, skip).await?;
    for membership in &mut found {
        redact(db, caller, membership).await?;
    }
    Ok(found)
}

/// Adds the user in `body` to a team. The caller has the permission to add members.
pub async fn add_member(
    db: &mut Db,
    caller: &Caller,
    team_id: i64,
    body: &JsonMap,
    now: Instant,
) -> Result<Membership> {
    let mut changes = Changes::ignoring_unknown(body);
    let mut membership = Membership {
        team_id,
        ..Membership::default()
    };
    changes.require("userId", "isNumber", "must be a whole number");
    changes.set(
        "userId",
        &mut membership.user_id,
        "isNumber",
        "must be a whole number",
        integer,
    );
    let level = Level::Team(team_id);
    apply_changes(db, level, &mut membership, changes).await?;
    if !memberships::can_be_invited(db, team_id, membership.user_id, caller.user_id).await? {
        return Err(Error::not_found("User", membership.user_id));
    }
    reject_missing_rights(db, caller, level, &membership).await?;
    membership.accepted =
        membership.accepted && can_accept_for(db, caller, membership.user_id).await?;
    let id = memberships::insert(db, &membership, now)
        .await
        .map_err(|error| {
            let user_id = membership.user_id;
            let message = format!("user {user_id} belongs to this team already");
            store::duplicate_or(error, Error::Conflict(message))
        })?;
    let created = memberships::get(db, level, id).await?;
    created.ok_or_else(|| Error::internal("a new membership cannot be read"))
}

/// Deletes a membership that the caller may change.
pub async fn delete_membership(
    db: &mut Db,
    caller: &Caller,
    membership: &Membership,
) -> Result<()> {
    let level = Level::Team(membership.team_id);
    if membership.user_id != caller.user_id {
        reject_missing_rights(db, caller, level, membership).await?;
    }
    if is_effective_owner(level, membership) {
        reject_last_owner(db, level, membership).await?;
    }
    memberships::delete(db, membership).await
}

/// Returns the membership in the path, after checking the caller's permission for the operation.
async fn authorised(
    db: &mut Db,
    caller: &Caller,
    team_id: i64,
    id: i64,
) -> Result<(Team, Membership)> {
    let team = store::people::teams::get(db, team_id)
        .await?
        .ok_or_else(|| Error::not_found("Team", team_id))?;
    let membership = memberships::get(db, Level::Team(team_id), id).await?;
    let resource = Resource {
        user_ids: membership
            .iter()
            .map(|membership| membership.user_id)
            .collect(),
        ..Resource::of_team(team_id)
    };
    // Authorise first, so that the response does not reveal memberships to other callers.
    caller.authorise(db, &resource).await?;
    let membership = membership.ok_or_else(|| Error::not_found("Membership", id))?;
    Ok((team, membership))
}

/// Rejects reading another user's membership of a private team without the permission for it.
pub async fn reject_private_to(
    db: &mut Db,
    caller: &Caller,
    team: &Team,
    membership: &Membership,
) -> Result<()> {
    if membership.user_id == caller.user_id {
        return Ok(());
    }
    reject_private(db, caller, team).await
}

/// Rejects listing the members of a private team without the permission for it.
pub async fn reject_private(db: &mut Db, caller: &Caller, team: &Team) -> Result<()> {
    let resource = Resource::of_team(team.id);
    if team.is_private
        && !caller
            .has_permission(db, "team.listMembersPrivate", &resource)
            .await?
    {
        return Err(Error::Forbidden(
            "the team is private: this needs the permission team.listMembersPrivate".into(),
        ));
    }
    Ok(())
}
