//! Memberships of teams (contract 3.6) and, in [`organization`], of organisations.
//!
//! [`rules`] says who may give and take which rights, at both levels alike.
//!
//! A membership of a team counts once its person has agreed. Only those who answer for the person
//! agree in their place: whoever runs their organisation or the service, and their platform.

use booking_wire::{Instant, JsonMap, Membership, Team};
use serde_json::json;

use crate::app::AppState;
use crate::auth::Caller;
use crate::auth::access::Subject;
use crate::error::{Error, Result};
use crate::input_limits::MAX_FILTER_EMAILS;
use crate::memberships::rules::{
    alter, answers_for, change, is_effective_owner, refuse_last_owner, refuse_more_than_own,
    withhold,
};
use crate::store::roles::Level;
use crate::store::{self, Db, memberships};
use crate::teams;
use crate::validate::changes::Changes;
use crate::validate::{Checks, Query, is_email, paging, whole};

/// A team's members and those who are invited. A private team shows them only to those with
/// `team.listMembersPrivate`.
pub async fn list(
    app: &AppState,
    caller: &Caller,
    team_id: i64,
    query: &Query,
) -> Result<Vec<Membership>> {
    let mut db = app.store.read().await?;
    let team = teams::authorised(&mut db, caller, team_id).await?;
    refuse_private(&mut db, caller, &team).await?;
    let found = page(&mut db, caller, Level::Team(team.id), query).await?;
    Ok(found)
}

/// Adds somebody to a team: a person of its organisation, or one without, if it has none.
pub async fn create(
    app: &AppState,
    caller: &Caller,
    team_id: i64,
    body: &JsonMap,
) -> Result<Membership> {
    let mut transaction = app.store.begin().await?;
    let team = teams::authorised(&mut transaction, caller, team_id).await?;
    let mut made = add(&mut transaction, caller, team.id, body, app.clock.now()).await?;
    withhold(&mut transaction, caller, &mut made).await?;
    transaction.commit().await?;
    Ok(made)
}

/// One membership. People see their own, too.
pub async fn show(
    app: &AppState,
    caller: &Caller,
    team_id: i64,
    membership_id: i64,
) -> Result<Membership> {
    let mut db = app.store.read().await?;
    let (team, mut membership) = authorised(&mut db, caller, team_id, membership_id).await?;
    refuse_private_to(&mut db, caller, &team, &membership).await?;
    withhold(&mut db, caller, &mut membership).await?;
    Ok(membership)
}

/// Changes a membership. People may accept their own invitation and leave it at that.
pub async fn edit(
    app: &AppState,
    caller: &Caller,
    team_id: i64,
    membership_id: i64,
    body: &JsonMap,
) -> Result<Membership> {
    let mut transaction = app.store.begin().await?;
    let (_, before) = authorised(&mut transaction, caller, team_id, membership_id).await?;
    let level = Level::Team(before.team_id);
    let mut membership = alter(&mut transaction, caller, level, &before, body).await?;
    withhold(&mut transaction, caller, &mut membership).await?;
    transaction.commit().await?;
    Ok(membership)
}

/// Ends a membership. People may end their own.
pub async fn delete(
    app: &AppState,
    caller: &Caller,
    team_id: i64,
    membership_id: i64,
) -> Result<Membership> {
    let mut transaction = app.store.begin().await?;
    let (_, mut membership) = authorised(&mut transaction, caller, team_id, membership_id).await?;
    end(&mut transaction, caller, &membership).await?;
    withhold(&mut transaction, caller, &mut membership).await?;
    transaction.commit().await?;
    Ok(membership)
}

/// The memberships that a query asks for, as far as the caller sees them.
pub async fn page(
    db: &mut Db,
    caller: &Caller,
    level: Level,
    query: &Query,
) -> Result<Vec<Membership>> {
    let mut checks = Checks::default();
    query.ignore_unknown(&["emails", "take", "skip"]);
    let emails = query.list("emails").unwrap_or_default();
    if emails.len() > MAX_FILTER_EMAILS {
        let complaint = format!("must be at most {MAX_FILTER_EMAILS}");
        checks.complain("emails", &json!(emails.len()), "arrayMaxSize", &complaint);
    }
    if let Some(wrong) = emails.iter().find(|email| !is_email(email)) {
        checks.complain(
            "emails",
            &json!(wrong),
            "isEmail",
            "must be e-mail addresses",
        );
    }
    let (take, skip) = paging(query, &mut checks);
    checks.finish()?;
    let mut found = memberships::list(db, level, &emails, take, skip).await?;
    for membership in &mut found {
        withhold(db, caller, membership).await?;
    }
    Ok(found)
}

/// Adds whom `body`, as above, names to a team to which the caller may add people.
pub async fn add(
    db: &mut Db,
    caller: &Caller,
    team_id: i64,
    body: &JsonMap,
    now: Instant,
) -> Result<Membership> {
    let keys = [
        "userId",
        "accepted",
        "role",
        "roleId",
        "disableImpersonation",
    ];
    let mut changes = Changes::of(body, &keys);
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
        whole,
    );
    let level = Level::Team(team_id);
    change(db, level, &mut membership, changes).await?;
    if !memberships::may_join(db, team_id, membership.user_id, caller.user_id).await? {
        return Err(Error::not_found("User", membership.user_id));
    }
    refuse_more_than_own(db, caller, level, &membership).await?;
    membership.accepted =
        membership.accepted && answers_for(db, caller, membership.user_id).await?;
    let id = memberships::insert(db, &membership, now)
        .await
        .map_err(|error| {
            if store::is_duplicate(&error) {
                Error::Conflict(format!(
                    "user {} belongs to this team already",
                    membership.user_id
                ))
            } else {
                error.into()
            }
        })?;
    if membership.accepted {
        memberships::host_with_everybody(db, &membership).await?;
    }
    found(db, team_id, id).await
}

/// Ends a membership to which the caller has access.
pub async fn end(db: &mut Db, caller: &Caller, membership: &Membership) -> Result<()> {
    let level = Level::Team(membership.team_id);
    if membership.user_id != caller.user_id {
        refuse_more_than_own(db, caller, level, membership).await?;
    }
    if is_effective_owner(level, membership) {
        refuse_last_owner(db, level, membership).await?;
    }
    memberships::delete(db, membership).await
}

/// The membership that a path names, once the caller may do with it what they ask.
async fn authorised(
    db: &mut Db,
    caller: &Caller,
    team_id: i64,
    id: i64,
) -> Result<(Team, Membership)> {
    let team = store::teams::get(db, team_id)
        .await?
        .ok_or_else(|| Error::not_found("Team", team_id))?;
    let membership = memberships::get(db, Level::Team(team_id), id).await?;
    let subject = Subject {
        user_ids: membership
            .iter()
            .map(|membership| membership.user_id)
            .collect(),
        ..Subject::of_team(team_id)
    };
    // First, so that a stranger does not learn which memberships there are.
    caller.authorise(db, &subject).await?;
    let membership = membership.ok_or_else(|| Error::not_found("Membership", id))?;
    Ok((team, membership))
}

async fn found(db: &mut Db, team_id: i64, id: i64) -> Result<Membership> {
    memberships::get(db, Level::Team(team_id), id)
        .await?
        .ok_or_else(|| Error::not_found("Membership", id))
}

/// Refuses to show somebody else's membership of a private team to whoever may not see its members.
pub async fn refuse_private_to(
    db: &mut Db,
    caller: &Caller,
    team: &Team,
    membership: &Membership,
) -> Result<()> {
    if membership.user_id == caller.user_id {
        return Ok(());
    }
    refuse_private(db, caller, team).await
}

/// Refuses to list the members of a private team to a caller without the permission for it.
pub async fn refuse_private(db: &mut Db, caller: &Caller, team: &Team) -> Result<()> {
    let subject = Subject::of_team(team.id);
    if team.is_private
        && !caller
            .holds(db, "team.listMembersPrivate", &subject)
            .await?
    {
        return Err(Error::Forbidden(
            "the team is private: this needs the permission team.listMembersPrivate".into(),
        ));
    }
    Ok(())
}
