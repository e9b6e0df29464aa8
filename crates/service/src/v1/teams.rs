//! Teams.

use booking_wire::Team as Known;
use booking_wire::v1::{MadeTeam, Membership, Team, TeamInput};
use serde_json::{Value, json};

use super::call::{Call, complaint};
use super::operation::{Operation, delete, get, patch, post, run};
use crate::auth::access::Needs::{self, Team as InTeam};
use crate::auth::access::Subject;
use crate::error::{Error, Result};
use crate::store::people::People;
use crate::store::{Db, accounts, teams};
use crate::teams::{alter, make};

const SETTINGS: [&str; 6] = [
    "hideBookATeamMember",
    "brandColor",
    "darkBrandColor",
    "timeZone",
    "weekStart",
    "isPrivate",
];

const WORDS: [&str; 8] = [
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
    get("/v1/teams", run!(list))
        .about("The teams in which the caller takes part.")
        .needs(Needs::Caller)
        .asks(&[super::users::WHOSE])
        .lists::<Team>("teams")
        .replaced_by("/v2/teams"),
    post("/v1/teams", run!(create))
        .about("Makes a team that the caller owns.")
        .needs(Needs::Caller)
        .takes::<TeamInput>(
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
        .gives_bare::<MadeTeam>()
        .replaced_by("/v2/teams"),
    get("/v1/teams/{teamId}", run!(show))
        .about("One team.")
        .needs(InTeam("team.read"))
        .gives::<Team>("team")
        .replaced_by("/v2/teams/{teamId}"),
    patch("/v1/teams/{teamId}", run!(edit))
        .about("Changes what a team says about itself.")
        .needs(InTeam("team.update"))
        .takes::<TeamInput>(&[], &WORDS)
        .gives::<Team>("team")
        .replaced_by("/v2/teams/{teamId}"),
    delete("/v1/teams/{teamId}", run!(remove))
        .about("Deletes a team with its memberships, roles and event types.")
        .needs(InTeam("team.delete"))
        .replaced_by("/v2/teams/{teamId}"),
];

async fn list(call: Call) -> Result<Value> {
    let mut db = call.read().await?;
    let found = match call.whose(&mut db).await? {
        People::Everybody => teams::all(&mut db).await?,
        whose @ People::These(_) => teams::of_people(&mut db, &whose).await?,
    };
    Ok(found.into_iter().map(|team| json!(written(team))).collect())
}

async fn show(call: Call) -> Result<Value> {
    let mut db = call.read().await?;
    let team = found(&call, &mut db, call.id("teamId")?).await?;
    Ok(json!(written(team)))
}

async fn create(call: Call) -> Result<Value> {
    let mut transaction = call.begin().await?;
    let db = &mut *transaction;
    let owner_id = owner(&call, db).await?;
    if let Some(parent_id) = call.number("parentId")? {
        let me = accounts::me(db, owner_id).await?;
        if me.and_then(|me| me.organization_id) != Some(parent_id) {
            return Err(complaint(
                "parentId",
                "must be the organization of the team's owner",
            ));
        }
    }
    let mut body = call.only(&SETTINGS);
    body.extend(call.only(&["name", "slug"]));
    let (team, ownership) = make(db, &call.caller, owner_id, &body, call.now()).await?;
    transaction.commit().await?;
    Ok(json!(MadeTeam {
        owner: Membership {
            user_id: ownership.user_id,
            team_id: team.id,
            accepted: ownership.accepted,
            role: ownership.role,
            disable_impersonation: ownership.disable_impersonation,
            team: None,
        },
        team: written(team),
        message: "Team created successfully".into(),
    }))
}

async fn edit(call: Call) -> Result<Value> {
    let mut transaction = call.begin().await?;
    let db = &mut *transaction;
    let mut team = found(&call, db, call.id("teamId")?).await?;
    alter(db, &mut team, &call.body).await?;
    transaction.commit().await?;
    Ok(json!(written(team)))
}

async fn remove(call: Call) -> Result<Value> {
    let mut transaction = call.begin().await?;
    let team = found(&call, &mut transaction, call.id("teamId")?).await?;
    teams::delete(&mut transaction, team.id).await?;
    transaction.commit().await?;
    Ok(json!(format!("Team {} deleted", team.id)))
}

/// Who is to own a new team: the caller, or whom those who run the service name.
async fn owner(call: &Call, db: &mut Db) -> Result<i64> {
    let Some(owner_id) = call.number("ownerId")? else {
        return Ok(call.caller.user_id);
    };
    call.refuse_others_for(db, "ownerId").await?;
    match accounts::me(db, owner_id).await? {
        Some(owner) => Ok(owner.id),
        None => Err(complaint("ownerId", "is no user")),
    }
}

/// The team, once the caller may do there what they ask.
pub(super) async fn found(call: &Call, db: &mut Db, team_id: i64) -> Result<Known> {
    let team = teams::get(db, team_id)
        .await?
        .ok_or_else(|| Error::not_found("Team", team_id))?;
    call.authorise(db, &Subject::of_team(team_id)).await?;
    Ok(team)
}

/// As version 1 writes it.
pub(super) fn written(team: Known) -> Team {
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
