//! Memberships of teams. The id of a membership is `userId_teamId`.

use std::collections::HashMap;
use std::collections::hash_map::Entry;

use booking_wire::v1::{Membership, MembershipInput};
use booking_wire::{Membership as StoredMembership, Team};
use serde_json::{Value, json};

use super::teams::{self, membership_response};
use crate::auth::access::Requirement::{self, Caller, Owner};
use crate::auth::access::Resource;
use crate::domain::memberships::change::update_membership;
use crate::domain::memberships::manage::{add_member, delete_membership, reject_private_to};
use crate::error::{Error, Result};
use crate::http::v1::call::{Call, positive, validation_error};
use crate::http::v1::operation::ParameterKind::{Ids, Text};
use crate::http::v1::operation::{Operation, Parameter, delete, get, handler, patch, post};
use crate::store::people::memberships;
use crate::store::people::roles::Level;
use crate::store::{self, Db, Subject};

const INCLUDE: Parameter = Parameter::new("include", Text, "`team` to include the team");

/// Operations of this resource.
pub(crate) const OPERATIONS: &[Operation] = &[
    get("/v1/memberships", handler!(list))
        .summary("The caller's memberships.")
        .requires(Caller)
        .query(&[
            super::users::USER_ID_FILTER,
            Parameter::new(
                "teamId",
                Ids,
                "Only memberships of these teams; for operators of the service",
            ),
            INCLUDE,
        ])
        .returns_list::<Membership>("memberships")
        .replaced_by("/v2/teams"),
    post("/v1/memberships", handler!(create))
        .summary("Adds a user to a team.")
        .requires(Requirement::Team("team.invite"))
        .input::<MembershipInput>(
            &["userId", "teamId"],
            &["accepted", "role", "disableImpersonation"],
        )
        .returns_created::<Membership>("membership", "Membership created successfully")
        .replaced_by("/v2/teams"),
    get("/v1/memberships/{id}", handler!(show))
        .summary("One membership, by `userId_teamId`.")
        .requires(Owner("team.listMembers"))
        .query(&[INCLUDE])
        .returns::<Membership>("membership")
        .replaced_by("/v2/teams"),
    patch("/v1/memberships/{id}", handler!(edit))
        .summary("Changes a membership. Users may only accept their own invitation.")
        .requires(Owner("team.changeMemberRole"))
        .input::<MembershipInput>(&[], &["accepted", "role", "disableImpersonation"])
        .returns::<Membership>("membership")
        .replaced_by("/v2/teams"),
    delete("/v1/memberships/{id}", handler!(remove))
        .summary("Deletes a membership. Users may delete their own.")
        .requires(Owner("team.remove"))
        .replaced_by("/v2/teams"),
];

async fn list(call: Call) -> Result<Value> {
    let with_team = includes_team(&call)?;
    let mut db = call.read().await?;
    let user_filter = call.user_filter(&mut db).await?;
    let teams = call.ids("teamId")?;
    if teams.is_some() {
        call.require_operator_for(&mut db, "teamId").await?;
    }
    let memberships =
        memberships::of_users(&mut db, &user_filter, &teams.unwrap_or_default()).await?;
    let mut teams_by_id: HashMap<i64, Team> = HashMap::new();
    let team_ids = memberships.iter().map(|membership| membership.team_id);
    for team_id in team_ids.filter(|_| with_team) {
        if let Entry::Vacant(entry) = teams_by_id.entry(team_id)
            && let Some(team) = store::people::teams::get(&mut db, team_id).await?
        {
            entry.insert(team);
        }
    }
    Ok(memberships
        .into_iter()
        .map(|membership| {
            let team = teams_by_id.get(&membership.team_id).cloned();
            json!(membership_response(membership, team))
        })
        .collect())
}

async fn show(call: Call) -> Result<Value> {
    let with_team = includes_team(&call)?;
    let mut db = call.read().await?;
    let membership = load_authorised(&call, &mut db).await?;
    let team = store::people::teams::get(&mut db, membership.team_id).await?;
    if let Some(team) = &team {
        reject_private_to(&mut db, &call.caller, team, &membership).await?;
    }
    Ok(json!(membership_response(
        membership,
        team.filter(|_| with_team)
    )))
}

async fn create(call: Call) -> Result<Value> {
    let team_id = call.positive_integer("teamId")?.unwrap_or_default();
    call.positive_integer("userId")?;
    let mut transaction = call.begin(&[Subject::Team(team_id)]).await?;
    let db = &mut *transaction;
    teams::load_authorised(&call, db, team_id).await?;
    let body = call.body_subset(&["userId", "accepted", "role", "disableImpersonation"]);
    let created = add_member(db, &call.caller, team_id, &body, call.now()).await?;
    transaction.commit().await?;
    Ok(json!(membership_response(created, None)))
}

async fn edit(call: Call) -> Result<Value> {
    let mut transaction = call.begin(&subjects(&call)?).await?;
    let db = &mut *transaction;
    let before = load_authorised(&call, db).await?;
    let level = Level::Team(before.team_id);
    let after = update_membership(db, &call.caller, level, &before, &call.body).await?;
    transaction.commit().await?;
    Ok(json!(membership_response(after, None)))
}

async fn remove(call: Call) -> Result<Value> {
    let mut transaction = call.begin(&subjects(&call)?).await?;
    let membership = load_authorised(&call, &mut transaction).await?;
    delete_membership(&mut transaction, &call.caller, &membership).await?;
    transaction.commit().await?;
    let (user_id, team_id) = (membership.user_id, membership.team_id);
    Ok(json!(format!(
        "Membership of user {user_id} in team {team_id} deleted"
    )))
}

/// Returns the subjects of a write of the membership in the path.
fn subjects(call: &Call) -> Result<[Subject<'static>; 2]> {
    let (user_id, team_id) = parse_key(call.path.text("id"))?;
    Ok([Subject::Team(team_id), Subject::Person(user_id)])
}

/// Loads the membership in the path; rejects callers without access.
async fn load_authorised(call: &Call, db: &mut Db) -> Result<StoredMembership> {
    let id = call.path.text("id");
    let (user_id, team_id) = parse_key(id)?;
    store::people::teams::get(db, team_id)
        .await?
        .ok_or_else(|| Error::not_found("Team", team_id))?;
    let resource = Resource {
        user_ids: vec![user_id],
        ..Resource::of_team(team_id)
    };
    // Before the lookup, so that strangers cannot find out who is a member.
    call.authorise(db, &resource).await?;
    memberships::of_user(db, user_id, team_id)
        .await?
        .ok_or_else(|| Error::not_found("Membership", id))
}

/// Parses `userId_teamId`.
fn parse_key(id: &str) -> Result<(i64, i64)> {
    let Some((user_id, team_id)) = id.split_once('_') else {
        return Err(validation_error("id", "must be userId_teamId"));
    };
    Ok((positive("id", user_id)?, positive("id", team_id)?))
}

fn includes_team(call: &Call) -> Result<bool> {
    match call.query.get("include") {
        None => Ok(false),
        Some("team") => Ok(true),
        Some(_) => Err(validation_error("include", "must be team")),
    }
}

#[cfg(test)]
mod tests {
    use super::parse_key;

    #[test]
    fn membership_id_is_a_user_id_and_a_team_id() {
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
            assert_eq!(parse_key(id).ok(), parts, "{id}");
        }
    }
}
