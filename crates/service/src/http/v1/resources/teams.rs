//! Teams.

use booking_wire::v1::{CreatedTeam, Membership, Team, TeamInput};
use booking_wire::{Membership as StoredMembership, Team as StoredTeam};
use serde_json::{Value, json};

use crate::auth::access::Requirement;
use crate::auth::access::Resource;
use crate::domain::teams::{create_team, update_team};
use crate::error::{Error, Result};
use crate::http::v1::call::{Call, validation_error};
use crate::http::v1::operation::{Operation, delete, get, handler, patch, post};
use crate::store::people::{accounts, teams};
use crate::store::user_filter::UserFilter;
use crate::store::{Db, Subject};

/// Keys of a new team: the first two are required.
const KEYS: &[&str] = &[
    "name",
    "slug",
    "hideBookATeamMember",
    "brandColor",
    "darkBrandColor",
    "timeZone",
    "weekStart",
    "isPrivate",
    "ownerId",
    "parentId",
];

/// Keys of an update.
const UPDATE_KEYS: &[&str] = KEYS.split_at(KEYS.len() - 2).0;

/// Operations of this resource.
pub(crate) const OPERATIONS: &[Operation] = &[
    get("/v1/teams", handler!(list))
        .summary("Teams of which the caller is a member.")
        .requires(Requirement::Caller)
        .query(&[super::users::USER_ID_FILTER])
        .returns_list::<Team>("teams")
        .replaced_by("/v2/teams"),
    post("/v1/teams", handler!(create))
        .summary("Creates a team owned by the caller.")
        .requires(Requirement::Caller)
        .input::<TeamInput>(KEYS.split_at(2).0, KEYS.split_at(2).1)
        .returns_bare::<CreatedTeam>()
        .replaced_by("/v2/teams"),
    get("/v1/teams/{teamId}", handler!(show))
        .summary("One team.")
        .requires(Requirement::Team("team.read"))
        .returns::<Team>("team")
        .replaced_by("/v2/teams/{teamId}"),
    patch("/v1/teams/{teamId}", handler!(edit))
        .summary("Changes the profile of a team.")
        .requires(Requirement::Team("team.update"))
        .input::<TeamInput>(&[], UPDATE_KEYS)
        .returns::<Team>("team")
        .replaced_by("/v2/teams/{teamId}"),
    delete("/v1/teams/{teamId}", handler!(remove))
        .summary("Deletes a team with its memberships, roles and event types.")
        .requires(Requirement::Team("team.delete"))
        .replaced_by("/v2/teams/{teamId}"),
];

async fn list(call: Call) -> Result<Value> {
    let mut db = call.read().await?;
    let teams = match call.user_filter(&mut db).await? {
        UserFilter::All => teams::all(&mut db).await?,
        user_filter @ UserFilter::Ids(_) => teams::of_users(&mut db, &user_filter).await?,
    };
    Ok(teams
        .into_iter()
        .map(|team| json!(response(team)))
        .collect())
}

async fn show(call: Call) -> Result<Value> {
    let mut db = call.read().await?;
    let team = load_authorised(&call, &mut db, call.id("teamId")?).await?;
    Ok(json!(response(team)))
}

async fn create(call: Call) -> Result<Value> {
    let mut transaction = call
        .begin(&[Subject::Person(call.target_user("ownerId"))])
        .await?;
    let db = &mut *transaction;
    let owner_id = call.user_id_in(db, "ownerId").await?;
    if let Some(parent_id) = call.positive_integer("parentId")? {
        let me = accounts::me(db, owner_id).await?;
        if me.and_then(|me| me.organization_id) != Some(parent_id) {
            return Err(validation_error(
                "parentId",
                "must be the organization of the team's owner",
            ));
        }
    }
    let body = call.body_subset(UPDATE_KEYS);
    let (team, ownership) = create_team(db, &call.caller, owner_id, &body, call.now()).await?;
    transaction.commit().await?;
    Ok(json!(CreatedTeam {
        owner: membership_response(ownership, None),
        team: response(team),
        message: "Team created successfully".into(),
    }))
}

async fn edit(call: Call) -> Result<Value> {
    let mut transaction = call.begin(&[Subject::Team(call.id("teamId")?)]).await?;
    let db = &mut *transaction;
    let mut team = load_authorised(&call, db, call.id("teamId")?).await?;
    update_team(db, &mut team, &call.body).await?;
    transaction.commit().await?;
    Ok(json!(response(team)))
}

async fn remove(call: Call) -> Result<Value> {
    let mut transaction = call.begin(&[Subject::Team(call.id("teamId")?)]).await?;
    let team = load_authorised(&call, &mut transaction, call.id("teamId")?).await?;
    teams::delete(&mut transaction, team.id).await?;
    transaction.commit().await?;
    Ok(json!(format!("Team {} deleted", team.id)))
}

/// Loads a team; rejects callers without access.
pub(crate) async fn load_authorised(call: &Call, db: &mut Db, team_id: i64) -> Result<StoredTeam> {
    let team = teams::get(db, team_id)
        .await?
        .ok_or_else(|| Error::not_found("Team", team_id))?;
    call.authorise(db, &Resource::of_team(team_id)).await?;
    Ok(team)
}

/// Membership in the format of version 1.
pub(crate) fn membership_response(
    membership: StoredMembership,
    team: Option<StoredTeam>,
) -> Membership {
    Membership {
        user_id: membership.user_id,
        team_id: membership.team_id,
        accepted: membership.accepted,
        role: membership.role,
        disable_impersonation: membership.disable_impersonation,
        team: team.map(response),
    }
}

/// Team in the format of version 1.
pub(crate) fn response(team: StoredTeam) -> Team {
    Team {
        id: team.id,
        parent_id: team.parent_id,
        name: team.name,
        slug: team.slug,
        logo_url: team.logo_url,
        bio: team.bio,
        hide_branding: team.hide_branding,
        hide_book_a_team_member: team.hide_book_a_team_member,
        is_private: team.is_private,
        time_zone: team.time_zone,
        week_start: team.week_start,
        theme: team.theme,
        brand_color: team.brand_color,
        dark_brand_color: team.dark_brand_color,
        metadata: team.metadata,
    }
}
