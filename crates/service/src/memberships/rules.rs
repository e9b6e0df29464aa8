//! Rules for giving and taking rights by memberships, of teams and organisations alike.
//!
//! Nobody gives more than they have, or takes it from those who have more: whoever changes a
//! membership must hold what it entitles to, before and after, with its custom role and without
//! it. Owners are made and unmade by owners, and a team or organisation that has one keeps one.

use booking_wire::{JsonMap, Membership, MembershipRole, MembershipUser, RoleType};
use serde_json::Value;

use crate::auth::Caller;
use crate::auth::access::Subject;
use crate::error::{Error, Result};
use crate::store::roles::{self, Level};
use crate::store::{Db, accounts, memberships, users};
use crate::validate::changes::Changes;

/// Words for a team or an organisation in messages.
fn noun(level: Level) -> &'static str {
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

/// Changes in a membership to which the caller has access what `body` names, and stores it.
pub async fn alter(
    db: &mut Db,
    caller: &Caller,
    level: Level,
    before: &Membership,
    body: &JsonMap,
) -> Result<Membership> {
    let mut membership = before.clone();
    let keys = ["accepted", "role", "roleId", "disableImpersonation"];
    let changes = Changes::of(body, &keys);
    change(db, level, &mut membership, changes).await?;

    let rights = |membership: &Membership| (membership.role, membership.role_id.clone());
    let permission = change_permission(level);
    let may_change = caller
        .holds(db, permission, &Subject::of_level(level))
        .await?;
    if !may_change && rights(&membership) != rights(before) {
        return Err(Error::Forbidden(format!(
            "this needs the permission {permission}"
        )));
    }
    let agrees = membership.accepted && !before.accepted;
    if agrees && !answers_for(db, caller, before.user_id).await? {
        return Err(Error::Forbidden(
            "only the person who is invited can accept the membership".into(),
        ));
    }
    if before.user_id != caller.user_id || rights(&membership) != rights(before) {
        refuse_more_than_own(db, caller, level, before).await?;
        refuse_more_than_own(db, caller, level, &membership).await?;
    }
    if is_effective_owner(level, before) && !is_effective_owner(level, &membership) {
        refuse_last_owner(db, level, before).await?;
    }
    memberships::update(db, level, &membership).await?;
    if agrees {
        memberships::host_with_everybody(db, &membership).await?;
    }
    Ok(membership)
}

/// Changes in `membership` what a body names.
pub async fn change(
    db: &mut Db,
    level: Level,
    membership: &mut Membership,
    mut changes: Changes<'_>,
) -> Result<()> {
    changes.flag("accepted", &mut membership.accepted);
    if let Level::Organization(_) = level
        && !membership.accepted
    {
        changes.checks.complain(
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
            let complaint = format!("must be a role that this {} has made", noun(level));
            changes
                .checks
                .complain("roleId", &Value::from(id.as_str()), "exists", &complaint);
        }
    }
    changes.finish()
}

/// Refuses a caller without the rights that `membership` gives. Those of a plain member anybody
/// may give who may add people at all.
pub async fn refuse_more_than_own(
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
    // What the membership entitles to without its custom role counts, too: that may be taken away.
    let base = match (level, membership.role) {
        (_, MembershipRole::Member) => None,
        (Level::Team(_), role) => Some(role.system_role()),
        // Whoever runs an organisation has all rights there, also those that no role can hold.
        (Level::Organization(id), _) => {
            if !runs_organization(db, caller, id, MembershipRole::Admin).await? {
                return Err(Error::Forbidden(
                    "only those who run the organization may make, change or remove who runs it"
                        .into(),
                ));
            }
            None
        }
    };
    for role_id in membership.role_id.as_deref().into_iter().chain(base) {
        for permission in roles::permissions(db, role_id).await? {
            if !caller
                .holds(db, &permission.0, &Subject::of_level(level))
                .await?
            {
                return Err(Error::Forbidden(format!(
                    "the membership entitles to {permission}, which you are not allowed yourself"
                )));
            }
        }
    }
    Ok(())
}

/// Returns true if the caller can agree to a membership in a person's place: they are that person, run
/// the service or the person's organisation, or have sent the secret of the person's platform.
pub async fn answers_for(db: &mut Db, caller: &Caller, user_id: i64) -> Result<bool> {
    if caller.user_id == user_id || accounts::runs_the_service(db, caller.user_id).await? {
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
        Some(id) => runs_organization(db, caller, id, MembershipRole::Admin).await,
        None => Ok(false),
    }
}

/// Takes from a membership what is not for this caller: until the person has agreed, everything
/// about them but their name; and always what only their platform knows of them.
pub async fn withhold(db: &mut Db, caller: &Caller, membership: &mut Membership) -> Result<()> {
    let user = &mut membership.user;
    if !membership.accepted && !answers_for(db, caller, membership.user_id).await? {
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

/// Returns true if the caller owns the team or runs its organisation, or owns the organisation. Whoever
/// runs the service counts as owner.
async fn is_owner(db: &mut Db, caller: &Caller, level: Level) -> Result<bool> {
    let team_id = match level {
        Level::Organization(id) => {
            return runs_organization(db, caller, id, MembershipRole::Owner).await;
        }
        Level::Team(id) => id,
    };
    let standing = accounts::standing(db, caller.user_id, team_id).await?;
    if standing.is_some_and(|standing| {
        standing.role == MembershipRole::Owner && standing.role_id.is_none()
    }) {
        return Ok(true);
    }
    let team = accounts::team(db, team_id).await?;
    match team.and_then(|team| team.organization_id) {
        Some(id) => runs_organization(db, caller, id, MembershipRole::Admin).await,
        None => accounts::runs_the_service(db, caller.user_id).await,
    }
}

/// Returns true if the caller's own role in the organisation is `least` or more. Whoever runs the service
/// may do everything.
async fn runs_organization(
    db: &mut Db,
    caller: &Caller,
    organization_id: i64,
    least: MembershipRole,
) -> Result<bool> {
    if accounts::runs_the_service(db, caller.user_id).await? {
        return Ok(true);
    }
    let standing = accounts::organization_standing(db, caller.user_id, organization_id).await?;
    Ok(standing.is_some_and(|standing| standing.role >= least))
}

/// Returns true if the membership makes its person an owner with an owner's rights. A custom role takes
/// nothing from the owner of an organisation.
pub fn is_effective_owner(level: Level, membership: &Membership) -> bool {
    let is_held_back = match level {
        Level::Team(_) => membership.role_id.is_some() || !membership.accepted,
        Level::Organization(_) => false,
    };
    membership.role == MembershipRole::Owner && !is_held_back
}

/// Refuses to take the last owner away from a team or organisation.
pub async fn refuse_last_owner(db: &mut Db, level: Level, membership: &Membership) -> Result<()> {
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
