//! Changes and acceptance of memberships of teams and organisations, and the rights that they need.
//!
//! Prevents escalation: a caller who changes a membership needs all rights of the membership,
//! before and after the change, with its custom role and without it. Only owners add and remove
//! owners, and the last owner cannot be removed.

use booking_wire::{JsonMap, Membership, MembershipRole, MembershipUser, RoleType};
use serde_json::Value;

use crate::auth::Caller;
use crate::auth::access::Resource;
use crate::error::{Error, Result};
use crate::store::Db;
use crate::store::people::roles::{self, Level};
use crate::store::people::{accounts, memberships, users};
use crate::validate::changes::Changes;

/// Name of a level in messages.
fn level_name(level: Level) -> &'static str {
    match level {
        Level::Team(_) => "team",
        Level::Organization(_) => "organization",
    }
}

fn change_permission(level: Level) -> &'static str {
    match level {
        Level::Team(_) => "team.changeMemberRole",
        Level::Organization(_) => "organization.changeMemberRole",
    }
}

/// Applies `body` to a membership that the caller may access, and stores it.
pub async fn update_membership(
    db: &mut Db,
    caller: &Caller,
    level: Level,
    before: &Membership,
    body: &JsonMap,
) -> Result<Membership> {
    let mut membership = before.clone();
    let changes = Changes::ignoring_unknown(body);
    apply_changes(db, level, &mut membership, changes).await?;

    let rights = |membership: &Membership| (membership.role, membership.role_id.clone());
    let permission = change_permission(level);
    let resource = Resource::of_level(level);
    let may_change = caller.has_permission(db, permission, &resource).await?;
    if !may_change && rights(&membership) != rights(before) {
        return Err(Error::Forbidden(format!(
            "this needs the permission {permission}"
        )));
    }
    let is_accepting = membership.accepted && !before.accepted;
    if is_accepting && !can_accept_for(db, caller, before.user_id).await? {
        return Err(Error::Forbidden(
            "only the person who is invited can accept the membership".into(),
        ));
    }
    if before.user_id != caller.user_id || rights(&membership) != rights(before) {
        reject_missing_rights(db, caller, level, before).await?;
        reject_missing_rights(db, caller, level, &membership).await?;
    }
    if is_effective_owner(level, before) && !is_effective_owner(level, &membership) {
        reject_last_owner(db, level, before).await?;
    }
    memberships::update(db, level, &membership).await?;
    Ok(membership)
}

/// Applies changes to `membership`.
pub async fn apply_changes(
    db: &mut Db,
    level: Level,
    membership: &mut Membership,
    mut changes: Changes<'_>,
) -> Result<()> {
    changes.flag("accepted", &mut membership.accepted);
    if let Level::Organization(_) = level
        && !membership.accepted
    {
        changes.checks.report(
            "accepted",
            &Value::Bool(false),
            "equals",
            "must be true: there are no invitations to organizations",
        );
    }
    changes.flag(
        "disableImpersonation",
        &mut membership.disable_impersonation,
    );
    changes.set(
        "role",
        &mut membership.role,
        "isEnum",
        "must be one of: MEMBER, ADMIN, OWNER",
        |value| value.as_str().and_then(MembershipRole::parse),
    );
    let before = membership.role_id.clone();
    changes.set_or_clear(
        "roleId",
        &mut membership.role_id,
        "isString",
        "must be a string",
        |value| value.as_str().map(str::to_owned),
    );
    if let Some(id) = &membership.role_id
        && membership.role_id != before
    {
        let role = roles::get(db, level, id).await?;
        if role.is_none_or(|role| role.kind == RoleType::System) {
            let message = format!("must be a role that this {} has made", level_name(level));
            changes
                .checks
                .report("roleId", &Value::from(id.as_str()), "exists", &message);
        }
    }
    changes.finish()
}

/// Rejects a caller without the rights of `membership`. The rights of a plain member need no
/// check.
pub async fn reject_missing_rights(
    db: &mut Db,
    caller: &Caller,
    level: Level,
    membership: &Membership,
) -> Result<()> {
    if membership.role == MembershipRole::Owner && !is_owner(db, caller, level).await? {
        return Err(Error::Forbidden(
            "only an owner may make, change or remove owners".into(),
        ));
    }
    // The rights without the custom role count, too: the custom role may be removed later.
    let base = match (level, membership.role) {
        (_, MembershipRole::Member) => None,
        (Level::Team(_), role) => Some(role.system_role()),
        // Admins and owners of an organisation have all rights there, also those of no role.
        (Level::Organization(id), _) => {
            if !has_organization_role(db, caller, id, MembershipRole::Admin).await? {
                return Err(Error::Forbidden(
                    "only those who run the organization may make, change or remove who runs it"
                        .into(),
                ));
            }
            None
        }
    };
    let resource = Resource::of_level(level);
    for role_id in membership.role_id.as_deref().into_iter().chain(base) {
        for permission in roles::permissions(db, role_id).await? {
            if !caller.has_permission(db, &permission.0, &resource).await? {
                return Err(Error::Forbidden(format!(
                    "the membership entitles to {permission}, which you are not allowed yourself"
                )));
            }
        }
    }
    Ok(())
}

/// Returns true if the caller can accept a membership for a user: as that user, as an admin of the
/// service or of the user's organisation, or with the secret of the user's platform.
pub async fn can_accept_for(db: &mut Db, caller: &Caller, user_id: i64) -> Result<bool> {
    if caller.user_id == user_id || accounts::is_service_admin(db, caller.user_id).await? {
        return Ok(true);
    }
    let Some(profile) = users::profile(db, user_id).await? else {
        return Ok(false);
    };
    if profile.oauth_client_id.is_some() && profile.oauth_client_id == caller.client_id {
        return Ok(true);
    }
    let organization_id = accounts::me(db, user_id)
        .await?
        .and_then(|me| me.organization_id);
    match organization_id {
        Some(id) => has_organization_role(db, caller, id, MembershipRole::Admin).await,
        None => Ok(false),
    }
}

/// Removes user data that the caller may not read: everything but the name, until the membership is
/// accepted; and the metadata, except for the user's platform.
pub async fn redact(db: &mut Db, caller: &Caller, membership: &mut Membership) -> Result<()> {
    let user = &mut membership.user;
    if !membership.accepted && !can_accept_for(db, caller, membership.user_id).await? {
        *user = MembershipUser {
            name: user.name.take(),
            ..MembershipUser::default()
        };
    }
    if !user.metadata.is_empty() {
        let profile = users::profile(db, membership.user_id).await?;
        let client_id = profile.and_then(|profile| profile.oauth_client_id);
        if client_id.is_none() || client_id != caller.client_id {
            user.metadata.clear();
        }
    }
    Ok(())
}

/// Returns true if the caller is an owner of the level, or an admin of the team's organisation.
/// Admins of the service count as owners.
async fn is_owner(db: &mut Db, caller: &Caller, level: Level) -> Result<bool> {
    let team_id = match level {
        Level::Organization(id) => {
            return has_organization_role(db, caller, id, MembershipRole::Owner).await;
        }
        Level::Team(id) => id,
    };
    let rights = accounts::membership_rights(db, caller.user_id, level).await?;
    if rights.is_some_and(|rights| rights.role == MembershipRole::Owner && rights.role_id.is_none())
    {
        return Ok(true);
    }
    let team = accounts::team(db, team_id).await?;
    match team.and_then(|team| team.organization_id) {
        Some(id) => has_organization_role(db, caller, id, MembershipRole::Admin).await,
        None => accounts::is_service_admin(db, caller.user_id).await,
    }
}

/// Returns true if the caller's role in the organisation is at least `minimum`. Admins of the
/// service have all roles.
async fn has_organization_role(
    db: &mut Db,
    caller: &Caller,
    organization_id: i64,
    minimum: MembershipRole,
) -> Result<bool> {
    if accounts::is_service_admin(db, caller.user_id).await? {
        return Ok(true);
    }
    let level = Level::Organization(organization_id);
    let rights = accounts::membership_rights(db, caller.user_id, level).await?;
    Ok(rights.is_some_and(|rights| rights.role >= minimum))
}

/// Returns true if the membership gives the rights of an owner. A custom role does not restrict the
/// owner of an organisation.
pub fn is_effective_owner(level: Level, membership: &Membership) -> bool {
    let is_restricted = match level {
        Level::Team(_) => membership.role_id.is_some() || !membership.accepted,
        Level::Organization(_) => false,
    };
    membership.role == MembershipRole::Owner && !is_restricted
}

/// Rejects removing the last owner of a team or organisation.
pub async fn reject_last_owner(db: &mut Db, level: Level, membership: &Membership) -> Result<()> {
    if memberships::has_other_owner(db, level, membership.user_id).await? {
        return Ok(());
    }
    Err(Error::BadRequest(match level {
        Level::Team(_) => {
            "this is the team's last owner: make somebody else an owner first, or delete the team"
        }
        Level::Organization(_) => {
            "this is the organization's last owner: make somebody else an owner first"
        }
    }
    .into()))
}
