//! Who belongs to a team, and with what rights (contract 3.6).
//!
//! Nobody gives more than they have, or takes it from those who have more: whoever changes a
//! membership must hold what it entitles to, before and after. Owners are made and unmade by
//! owners, and a team always has one.

use axum::Json;
use axum::extract::State;
use axum::http::{StatusCode, Uri};
use booking_wire::{
    Envelope, Instant, JsonMap, Membership, MembershipChange, MembershipRole, NewMembership,
    RoleType, Team,
};
use serde_json::{Value, json};
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

use super::changes::Changes;
use super::{PathParams, paging, teams};
use crate::auth::Caller;
use crate::auth::access::Subject;
use crate::error::{Error, Result};
use crate::router::App;
use crate::store::roles::{self, Level};
use crate::store::{self, Db, accounts, memberships};
use crate::validate::{Checks, JsonObject, Query, is_email, whole};

/// Addresses that one request may ask for (contract 8).
const MOST_EMAILS: usize = 20;

/// Operations of this family.
pub fn routes() -> OpenApiRouter<App> {
    OpenApiRouter::new()
        .routes(routes!(list, create))
        .routes(routes!(show, edit, delete))
}

/// A team's members and those who are invited. A private team shows them only to those with
/// `team.listMembersPrivate`.
#[utoipa::path(
    get,
    path = "/v2/teams/{teamId}/memberships",
    tag = "Memberships",
    params(
        ("teamId" = i64, Path),
        ("emails" = Option<Vec<String>>, Query, explode = false, max_items = 20, description = "Only these people"),
        ("take" = Option<i64>, Query, description = "How many, 250 unless told", minimum = 1, maximum = 250),
        ("skip" = Option<i64>, Query, description = "How many to leave out", minimum = 0),
    ),
    responses((status = 200, body = Envelope<Vec<Membership>>)),
)]
pub async fn list(
    State(app): State<App>,
    caller: Caller,
    path: PathParams,
    uri: Uri,
) -> Result<Json<Envelope<Vec<Membership>>>> {
    let mut db = app.store.read().await?;
    let team = teams::authorised(&mut db, &caller, &path).await?;
    refuse_private(&mut db, &caller, &team).await?;
    let query = Query::of(&uri);
    let mut checks = Checks::default();
    query.allow(&["emails", "take", "skip"], &mut checks);
    let emails = query.list("emails").unwrap_or_default();
    if emails.len() > MOST_EMAILS {
        let complaint = format!("must be at most {MOST_EMAILS}");
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
    let (take, skip) = paging(&query, &mut checks);
    checks.finish()?;
    let found = memberships::list(&mut db, team.id, &emails, take, skip).await?;
    Ok(Json(Envelope::success(found)))
}

/// Adds somebody to a team: a person of its organisation, or one without, if it has none.
#[utoipa::path(
    post,
    path = "/v2/teams/{teamId}/memberships",
    tag = "Memberships",
    params(("teamId" = i64, Path)),
    request_body = NewMembership,
    responses((status = 201, body = Envelope<Membership>)),
)]
pub async fn create(
    State(app): State<App>,
    caller: Caller,
    path: PathParams,
    JsonObject(body): JsonObject,
) -> Result<(StatusCode, Json<Envelope<Membership>>)> {
    let mut transaction = app.store.begin().await?;
    let team = teams::authorised(&mut transaction, &caller, &path).await?;
    let made = add(&mut transaction, &caller, team.id, &body, app.clock.now()).await?;
    transaction.commit().await?;
    Ok((StatusCode::CREATED, Json(Envelope::success(made))))
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
    change(db, &mut membership, changes).await?;
    if !memberships::may_join(db, team_id, membership.user_id, caller.user_id).await? {
        return Err(Error::not_found("User", membership.user_id));
    }
    refuse_more_than_own(db, caller, &membership).await?;
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

/// One membership. People see their own, too.
#[utoipa::path(
    get,
    path = "/v2/teams/{teamId}/memberships/{membershipId}",
    tag = "Memberships",
    params(("teamId" = i64, Path), ("membershipId" = i64, Path)),
    responses((status = 200, body = Envelope<Membership>)),
)]
pub async fn show(
    State(app): State<App>,
    caller: Caller,
    path: PathParams,
) -> Result<Json<Envelope<Membership>>> {
    let mut db = app.store.read().await?;
    let (team, membership) = authorised(&mut db, &caller, &path).await?;
    refuse_private_to(&mut db, &caller, &team, &membership).await?;
    Ok(Json(Envelope::success(membership)))
}

/// Changes a membership. People may accept their own invitation and leave it at that.
#[utoipa::path(
    patch,
    path = "/v2/teams/{teamId}/memberships/{membershipId}",
    tag = "Memberships",
    params(("teamId" = i64, Path), ("membershipId" = i64, Path)),
    request_body = MembershipChange,
    responses((status = 200, body = Envelope<Membership>)),
)]
pub async fn edit(
    State(app): State<App>,
    caller: Caller,
    path: PathParams,
    JsonObject(body): JsonObject,
) -> Result<Json<Envelope<Membership>>> {
    let mut transaction = app.store.begin().await?;
    let (_, before) = authorised(&mut transaction, &caller, &path).await?;
    let membership = alter(&mut transaction, &caller, &before, &body).await?;
    transaction.commit().await?;
    Ok(Json(Envelope::success(membership)))
}

/// Changes in a membership to which the caller has access what `body`, as above, names.
pub async fn alter(
    db: &mut Db,
    caller: &Caller,
    before: &Membership,
    body: &JsonMap,
) -> Result<Membership> {
    let mut membership = before.clone();
    let keys = ["accepted", "role", "roleId", "disableImpersonation"];
    let changes = Changes::of(body, &keys);
    change(db, &mut membership, changes).await?;

    let rights = |membership: &Membership| (membership.role, membership.role_id.clone());
    let subject = Subject::of_team(before.team_id);
    let may_change = caller.holds(db, "team.changeMemberRole", &subject).await?;
    if !may_change && rights(&membership) != rights(before) {
        return Err(Error::Forbidden(
            "this needs the permission team.changeMemberRole".into(),
        ));
    }
    if before.user_id != caller.user_id || rights(&membership) != rights(before) {
        refuse_more_than_own(db, caller, before).await?;
        refuse_more_than_own(db, caller, &membership).await?;
    }
    if owns(before) && !owns(&membership) {
        refuse_last_owner(db, before).await?;
    }
    memberships::update(db, &membership).await?;
    if membership.accepted && !before.accepted {
        memberships::host_with_everybody(db, &membership).await?;
    }
    Ok(membership)
}

/// Ends a membership. People may end their own.
///
/// The person hosts none of the team's event types any longer; what is booked with them stands.
#[utoipa::path(
    delete,
    path = "/v2/teams/{teamId}/memberships/{membershipId}",
    tag = "Memberships",
    params(("teamId" = i64, Path), ("membershipId" = i64, Path)),
    responses((status = 200, description = "The membership as it was", body = Envelope<Membership>)),
)]
pub async fn delete(
    State(app): State<App>,
    caller: Caller,
    path: PathParams,
) -> Result<Json<Envelope<Membership>>> {
    let mut transaction = app.store.begin().await?;
    let (_, membership) = authorised(&mut transaction, &caller, &path).await?;
    end(&mut transaction, &caller, &membership).await?;
    transaction.commit().await?;
    Ok(Json(Envelope::success(membership)))
}

/// Ends a membership to which the caller has access.
pub async fn end(db: &mut Db, caller: &Caller, membership: &Membership) -> Result<()> {
    if membership.user_id != caller.user_id {
        refuse_more_than_own(db, caller, membership).await?;
    }
    if owns(membership) {
        refuse_last_owner(db, membership).await?;
    }
    memberships::delete(db, membership).await
}

/// The membership that a path names, once the caller may do with it what they ask.
async fn authorised(db: &mut Db, caller: &Caller, path: &PathParams) -> Result<(Team, Membership)> {
    let (team_id, id) = (path.id("teamId")?, path.id("membershipId")?);
    let team = store::teams::get(db, team_id)
        .await?
        .ok_or_else(|| Error::not_found("Team", team_id))?;
    let membership = memberships::get(db, team_id, id).await?;
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
    memberships::get(db, team_id, id)
        .await?
        .ok_or_else(|| Error::not_found("Membership", id))
}

/// Changes in `membership` what a body names.
async fn change(db: &mut Db, membership: &mut Membership, mut changes: Changes<'_>) -> Result<()> {
    changes.flag("accepted", &mut membership.accepted);
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
        let role = roles::get(db, Level::Team(membership.team_id), id).await?;
        if role.is_none_or(|role| role.kind == RoleType::System) {
            changes.checks.complain(
                "roleId",
                &Value::from(id.as_str()),
                "exists",
                "must be a role that this team has made",
            );
        }
    }
    changes.finish()
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

async fn refuse_private(db: &mut Db, caller: &Caller, team: &Team) -> Result<()> {
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

/// Refuses a caller without the rights that `membership` gives. Those of a plain member anybody
/// may give who may add people at all.
async fn refuse_more_than_own(db: &mut Db, caller: &Caller, membership: &Membership) -> Result<()> {
    if membership.role == MembershipRole::Owner && !is_owner(db, caller, membership.team_id).await?
    {
        return Err(Error::Forbidden(
            "only an owner may make, change or remove owners".into(),
        ));
    }
    let role_id = match membership.role_id.as_deref() {
        Some(role_id) => role_id,
        None if membership.role == MembershipRole::Member => return Ok(()),
        None => membership.role.system_role(),
    };
    let subject = Subject::of_team(membership.team_id);
    for permission in roles::permissions(db, role_id).await? {
        if !caller.holds(db, &permission.0, &subject).await? {
            return Err(Error::Forbidden(format!(
                "the membership entitles to {permission}, which you are not allowed yourself"
            )));
        }
    }
    Ok(())
}

/// Whether the caller owns the team, or runs the organisation or the service.
async fn is_owner(db: &mut Db, caller: &Caller, team_id: i64) -> Result<bool> {
    if accounts::runs_the_service(db, caller.user_id).await? {
        return Ok(true);
    }
    let standing = accounts::standing(db, caller.user_id, team_id).await?;
    if standing.is_some_and(|standing| {
        standing.role == MembershipRole::Owner && standing.role_id.is_none()
    }) {
        return Ok(true);
    }
    let team = accounts::team(db, team_id).await?;
    let Some(organization_id) = team.and_then(|team| team.organization_id) else {
        return Ok(false);
    };
    let standing = accounts::organization_standing(db, caller.user_id, organization_id).await?;
    Ok(standing.is_some_and(|standing| standing.role >= MembershipRole::Admin))
}

/// Whether the membership makes its person an owner with an owner's rights.
fn owns(membership: &Membership) -> bool {
    membership.role == MembershipRole::Owner && membership.role_id.is_none() && membership.accepted
}

async fn refuse_last_owner(db: &mut Db, membership: &Membership) -> Result<()> {
    if memberships::has_other_owner(db, membership.team_id, membership.user_id).await? {
        return Ok(());
    }
    Err(Error::BadRequest(
        "this is the team's last owner: make somebody else an owner first, or delete the team"
            .into(),
    ))
}
