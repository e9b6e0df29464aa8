//! Who belongs to a team. Two ids name a membership: `userId_teamId`.

use std::collections::HashMap;
use std::collections::hash_map::Entry;

use booking_wire::v1::{Membership, MembershipInput};
use booking_wire::{Membership as Known, Team};
use serde_json::{Value, json};

use super::call::{Call, complaint, positive};
use super::operation::Kind::{Ids, Text};
use super::operation::{Operation, Parameter, delete, get, patch, post, run};
use super::teams;
use crate::auth::access::Needs::{self, Caller, Owner};
use crate::auth::access::Subject;
use crate::error::{Error, Result};
use crate::memberships::manage::{add, end, refuse_private_to};
use crate::memberships::rules::alter;
use crate::store::roles::Level;
use crate::store::{self, Db, memberships};

const INCLUDE: Parameter = Parameter::new("include", Text, "`team` for the team as well");

/// Operations of this resource.
pub(super) const OPERATIONS: &[Operation] = &[
    get("/v1/memberships", run!(list))
        .about("The caller's memberships.")
        .needs(Caller)
        .asks(&[
            super::users::WHOSE,
            Parameter::new(
                "teamId",
                Ids,
                "Of these teams; for those who run the service",
            ),
            INCLUDE,
        ])
        .lists::<Membership>("memberships")
        .replaced_by("/v2/teams"),
    post("/v1/memberships", run!(create))
        .about("Adds somebody to a team.")
        .needs(Needs::Team("team.invite"))
        .takes::<MembershipInput>(
            &["userId", "teamId"],
            &["accepted", "role", "disableImpersonation"],
        )
        .makes::<Membership>("membership", "Membership created successfully")
        .replaced_by("/v2/teams"),
    get("/v1/memberships/{id}", run!(show))
        .about("One membership, by `userId_teamId`.")
        .needs(Owner("team.listMembers"))
        .asks(&[INCLUDE])
        .gives::<Membership>("membership")
        .replaced_by("/v2/teams"),
    patch("/v1/memberships/{id}", run!(edit))
        .about("Changes a membership. People may accept their own invitation and leave it at that.")
        .needs(Owner("team.changeMemberRole"))
        .takes::<MembershipInput>(&[], &["accepted", "role", "disableImpersonation"])
        .gives::<Membership>("membership")
        .replaced_by("/v2/teams"),
    delete("/v1/memberships/{id}", run!(remove))
        .about("Ends a membership. People may end their own.")
        .needs(Owner("team.remove"))
        .replaced_by("/v2/teams"),
];

async fn list(call: Call) -> Result<Value> {
    let with_team = includes_team(&call)?;
    let mut db = call.read().await?;
    let whose = call.whose(&mut db).await?;
    let teams = call.ids("teamId")?;
    if teams.is_some() {
        call.refuse_others_for(&mut db, "teamId").await?;
    }
    let known = memberships::of_people(&mut db, &whose, &teams.unwrap_or_default()).await?;
    let mut shown: HashMap<i64, Team> = HashMap::new();
    for team_id in known.iter().map(|one| one.team_id).filter(|_| with_team) {
        if let Entry::Vacant(place) = shown.entry(team_id)
            && let Some(team) = store::teams::get(&mut db, team_id).await?
        {
            place.insert(team);
        }
    }
    Ok(known
        .into_iter()
        .map(|one| {
            let team = shown.get(&one.team_id).cloned();
            json!(written(one, team))
        })
        .collect())
}

async fn show(call: Call) -> Result<Value> {
    let with_team = includes_team(&call)?;
    let mut db = call.read().await?;
    let known = own(&call, &mut db).await?;
    let team = store::teams::get(&mut db, known.team_id).await?;
    if let Some(team) = &team {
        refuse_private_to(&mut db, &call.caller, team, &known).await?;
    }
    Ok(json!(written(known, team.filter(|_| with_team))))
}

async fn create(call: Call) -> Result<Value> {
    let team_id = call.number("teamId")?.unwrap_or_default();
    call.number("userId")?;
    let mut transaction = call.begin().await?;
    let db = &mut *transaction;
    teams::found(&call, db, team_id).await?;
    let body = call.only(&["userId", "accepted", "role", "disableImpersonation"]);
    let made = add(db, &call.caller, team_id, &body, call.now()).await?;
    transaction.commit().await?;
    Ok(json!(written(made, None)))
}

async fn edit(call: Call) -> Result<Value> {
    let mut transaction = call.begin().await?;
    let db = &mut *transaction;
    let before = own(&call, db).await?;
    let level = Level::Team(before.team_id);
    let after = alter(db, &call.caller, level, &before, &call.body).await?;
    transaction.commit().await?;
    Ok(json!(written(after, None)))
}

async fn remove(call: Call) -> Result<Value> {
    let mut transaction = call.begin().await?;
    let known = own(&call, &mut transaction).await?;
    end(&mut transaction, &call.caller, &known).await?;
    transaction.commit().await?;
    let (user_id, team_id) = (known.user_id, known.team_id);
    Ok(json!(format!(
        "Membership of user {user_id} in team {team_id} deleted"
    )))
}

/// The membership in the path, once the caller may do with it what they ask.
async fn own(call: &Call, db: &mut Db) -> Result<Known> {
    let id = call.path.text("id");
    let (user_id, team_id) = key(id)?;
    store::teams::get(db, team_id)
        .await?
        .ok_or_else(|| Error::not_found("Team", team_id))?;
    let subject = Subject {
        user_ids: vec![user_id],
        ..Subject::of_team(team_id)
    };
    // First, so that a stranger does not learn who belongs to a team.
    call.authorise(db, &subject).await?;
    memberships::of(db, user_id, team_id)
        .await?
        .ok_or_else(|| Error::not_found("Membership", id))
}

/// `userId_teamId`, and nothing else.
fn key(id: &str) -> Result<(i64, i64)> {
    let Some((user_id, team_id)) = id.split_once('_') else {
        return Err(complaint("id", "must be userId_teamId"));
    };
    Ok((positive("id", user_id)?, positive("id", team_id)?))
}

fn includes_team(call: &Call) -> Result<bool> {
    match call.query.get("include") {
        None => Ok(false),
        Some("team") => Ok(true),
        Some(_) => Err(complaint("include", "must be team")),
    }
}

fn written(known: Known, team: Option<Team>) -> Membership {
    Membership {
        user_id: known.user_id,
        team_id: known.team_id,
        accepted: known.accepted,
        role: known.role,
        disable_impersonation: known.disable_impersonation,
        team: team.map(teams::written),
    }
}

#[cfg(test)]
mod tests {
    use super::key;

    #[test]
    fn two_ids_and_nothing_else_name_a_membership() {
        for (id, parts) in [
            ("5_7", Some((5, 7))),
            ("5_", None),
            ("_7", None),
            ("5", None),
            ("5_7_9", None),
            ("5__7", None),
            ("0_7", None),
            ("5_-7", None),
            (" 5_7", None),
            ("5.0_7", None),
        ] {
            assert_eq!(key(id).ok(), parts, "{id}");
        }
    }
}
