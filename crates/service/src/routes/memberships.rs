//! Memberships of teams (contract 3.6) and, in [`organization`], of organisations.
//!
//! [`rules`] says who may give and take which rights, at both levels alike.
//!
//! A membership of a team counts once its person has agreed. Only those who answer for the person
//! agree in their place: whoever runs their organisation or the service, and their platform.

pub mod organization;
pub mod rules;

use axum::Json;
use axum::extract::State;
use axum::http::{StatusCode, Uri};
use booking_wire::{Envelope, Instant, JsonMap, Membership, MembershipChange, NewMembership, Team};
use serde_json::json;
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

use super::changes::Changes;
use super::{PathParams, paging, teams};
use crate::app::AppState;
use crate::auth::Caller;
use crate::auth::access::Subject;
use crate::error::{Error, Result};
use crate::input_limits::MAX_FILTER_EMAILS;
use crate::store::roles::Level;
use crate::store::{self, Db, memberships};
use crate::validate::{Checks, JsonObject, Query, is_email, whole};
use rules::{
    alter, answers_for, change, is_effective_owner, refuse_last_owner, refuse_more_than_own,
    withhold,
};

/// Operations of this family.
pub fn routes() -> OpenApiRouter<AppState> {
    OpenApiRouter::new()
        .routes(routes!(list, create))
        .routes(routes!(show, edit, delete))
        .merge(organization::routes())
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
    State(app): State<AppState>,
    caller: Caller,
    path: PathParams,
    uri: Uri,
) -> Result<Json<Envelope<Vec<Membership>>>> {
    let mut db = app.store.read().await?;
    let team = teams::authorised(&mut db, &caller, &path).await?;
    refuse_private(&mut db, &caller, &team).await?;
    let found = page(&mut db, &caller, Level::Team(team.id), &uri).await?;
    Ok(Json(Envelope::success(found)))
}

/// The memberships that a query asks for, as far as the caller sees them.
async fn page(db: &mut Db, caller: &Caller, level: Level, uri: &Uri) -> Result<Vec<Membership>> {
    let query = Query::of(uri);
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
    let (take, skip) = paging(&query, &mut checks);
    checks.finish()?;
    let mut found = memberships::list(db, level, &emails, take, skip).await?;
    for membership in &mut found {
        withhold(db, caller, membership).await?;
    }
    Ok(found)
}

/// Adds somebody to a team: a person of its organisation, or one without, if it has none.
///
/// The person has to agree, whatever `accepted` says, unless the caller answers for them: by
/// running their organisation or the service, or with the secret of their platform.
#[utoipa::path(
    post,
    path = "/v2/teams/{teamId}/memberships",
    tag = "Memberships",
    params(("teamId" = i64, Path)),
    request_body = NewMembership,
    responses((status = 201, body = Envelope<Membership>)),
)]
pub async fn create(
    State(app): State<AppState>,
    caller: Caller,
    path: PathParams,
    JsonObject(body): JsonObject,
) -> Result<(StatusCode, Json<Envelope<Membership>>)> {
    let mut transaction = app.store.begin().await?;
    let team = teams::authorised(&mut transaction, &caller, &path).await?;
    let mut made = add(&mut transaction, &caller, team.id, &body, app.clock.now()).await?;
    withhold(&mut transaction, &caller, &mut made).await?;
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

/// One membership. People see their own, too.
#[utoipa::path(
    get,
    path = "/v2/teams/{teamId}/memberships/{membershipId}",
    tag = "Memberships",
    params(("teamId" = i64, Path), ("membershipId" = i64, Path)),
    responses((status = 200, body = Envelope<Membership>)),
)]
pub async fn show(
    State(app): State<AppState>,
    caller: Caller,
    path: PathParams,
) -> Result<Json<Envelope<Membership>>> {
    let mut db = app.store.read().await?;
    let (team, mut membership) = authorised(&mut db, &caller, &path).await?;
    refuse_private_to(&mut db, &caller, &team, &membership).await?;
    withhold(&mut db, &caller, &mut membership).await?;
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
    State(app): State<AppState>,
    caller: Caller,
    path: PathParams,
    JsonObject(body): JsonObject,
) -> Result<Json<Envelope<Membership>>> {
    let mut transaction = app.store.begin().await?;
    let (_, before) = authorised(&mut transaction, &caller, &path).await?;
    let level = Level::Team(before.team_id);
    let mut membership = alter(&mut transaction, &caller, level, &before, &body).await?;
    withhold(&mut transaction, &caller, &mut membership).await?;
    transaction.commit().await?;
    Ok(Json(Envelope::success(membership)))
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
    State(app): State<AppState>,
    caller: Caller,
    path: PathParams,
) -> Result<Json<Envelope<Membership>>> {
    let mut transaction = app.store.begin().await?;
    let (_, mut membership) = authorised(&mut transaction, &caller, &path).await?;
    end(&mut transaction, &caller, &membership).await?;
    withhold(&mut transaction, &caller, &mut membership).await?;
    transaction.commit().await?;
    Ok(Json(Envelope::success(membership)))
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
async fn authorised(db: &mut Db, caller: &Caller, path: &PathParams) -> Result<(Team, Membership)> {
    let (team_id, id) = (path.id("teamId")?, path.id("membershipId")?);
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

pub(super) async fn refuse_private(db: &mut Db, caller: &Caller, team: &Team) -> Result<()> {
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
