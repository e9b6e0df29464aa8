//! Teams.

use booking_wire::Team as StoredTeam;
use booking_wire::v1::{CreatedTeam, Membership, Team, TeamInput};
use serde_json::{Value, json};

use super::call::{Call, validation_error};
use super::operation::{Operation, delete, get, handler, patch, post};
use crate::auth::access::Requirement::{self, Team as InTeam};
use crate::auth::access::Resource;
use crate::error::{Error, Result};
use crate::store::user_filter::UserFilter;
use crate::store::{Db, accounts, teams};
use crate::teams::{create_team, update_team};

const SETTINGS_KEYS: [&str; 6] = [
    "hideBookATeamMember",
    "brandColor",
    "darkBrandColor",
    "timeZone",
    "weekStart",
    "isPrivate",
];

const ALL_KEYS: [&str; 8] = [
    "name",
    "slug",
    "hideBookATeamMember",
    "brandColor",
    "darkBrandColor",
    "timeZone",
    "weekStart",
    "isPrivate",
];

/// Operations of this resource.
pub(super) const OPERATIONS: &[Operation] = &[
    get("/v1/teams", handler!(list))
        .summary("Teams of which the caller is a member.")
        .requires(Requirement::Caller)
        .query(&[super::users::USER_ID_FILTER])
        .returns_list::<Team>("teams")
        .replaced_by("/v2/teams"),
    post("/v1/teams", handler!(create))
        .summary("Creates a team owned by the caller.")
        .requires(Requirement::Caller)
        .input::<TeamInput>(
            &["name", "slug"],
            &[
                "hideBookATeamMember",
                "brandColor",
                "darkBrandColor",
                "timeZone",
                "weekStart",
                "isPrivate",
                "ownerId",
                "parentId",
            ],
        )
        .returns_bare::<CreatedTeam>()
        .replaced_by("/v2/teams"),
    get("/v1/teams/{teamId}", handler!(show))
        .summary("One team.")
        .requires(InTeam("team.read"))
        .returns::<Team>("team")
        .replaced_by("/v2/teams/{teamId}"),
    patch("/v1/teams/{teamId}", handler!(edit))
        .summary("Changes the profile of a team.")
        .requires(InTeam("team.update"))
        .input::<TeamInput>(&[], &ALL_KEYS)
        .returns::<Team>("team")
        .replaced_by("/v2/teams/{teamId}"),
    delete("/v1/teams/{teamId}", handler!(remove))
        .summary("Deletes a team with its memberships, roles and event types.")
        .requires(InTeam("team.delete"))
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
    let mut transaction = call.begin().await?;
    let db = &mut *transaction;
    let owner_id = owner_id(&call, db).await?;
    if let Some(parent_id) = call.positive_integer("parentId")? {
        let me = accounts::me(db, owner_id).await?;
        if me.and_then(|me| me.organization_id) != Some(parent_id) {
            return Err(validation_error(
                "parentId",
                "must be the organization of the team's owner",
            ));
        }
    }
    let mut body = call.body_subset(&SETTINGS_KEYS);
    body.extend(call.body_subset(&["name", "slug"]));
    let (team, ownership) = create_team(db, &call.caller, owner_id, &body, call.now()).await?;
    transaction.commit().await?;
    Ok(json!(CreatedTeam {
        owner: Membership {
            user_id: ownership.user_id,
            team_id: team.id,
            accepted: ownership.accepted,
            role: ownership.role,
            disable_impersonation: ownership.disable_impersonation,
            team: None,
        },
        team: response(team),
        message: "Team created successfully".into(),
    }))
}

async fn edit(call: Call) -> Result<Value> {
    let mut transaction = call.begin().await?;
    let db = &mut *transaction;
    let mut team = load_authorised(&call, db, call.id("teamId")?).await?;
    update_team(db, &mut team, &call.body).await?;
    transaction.commit().await?;
    Ok(json!(response(team)))
}

async fn remove(call: Call) -> Result<Value> {
    let mut transaction = call.begin().await?;
    let team = load_authorised(&call, &mut transaction, call.id("teamId")?).await?;
    teams::delete(&mut transaction, team.id).await?;
    transaction.commit().await?;
    Ok(json!(format!("Team {} deleted", team.id)))
}

/// Id of the owner of a new team: the caller, or `ownerId` from an operator.
async fn owner_id(call: &Call, db: &mut Db) -> Result<i64> {
    let Some(owner_id) = call.positive_integer("ownerId")? else {
        return Ok(call.caller.user_id);
    };
    call.require_operator_for(db, "ownerId").await?;
    match accounts::me(db, owner_id).await? {
        Some(owner) => Ok(owner.id),
        None => Err(validation_error("ownerId", "is no user")),
    }
}

/// Loads a team; rejects callers without access.
pub(super) async fn load_authorised(call: &Call, db: &mut Db, team_id: i64) -> Result<StoredTeam> {
    let team = teams::get(db, team_id)
        .await?
        .ok_or_else(|| Error::not_found("Team", team_id))?;
    call.authorise(db, &Resource::of_team(team_id)).await?;
    Ok(team)
}

/// Team in the format of version 1.
pub(super) fn response(team: StoredTeam) -> Team {
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
