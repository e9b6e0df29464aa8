//! Nobody comes by a permission that neither they nor their accomplices had: over random sequences of what they can
//! ask for, with an owner in between who takes roles away.

use std::collections::BTreeSet;

use axum::http::Method;
use booking_service::auth::access::{self, Subject};
use booking_service::auth::secret;
use booking_wire::{ORGANIZATION_PERMISSIONS, TEAM_PERMISSIONS};
use proptest::prelude::*;
use proptest::test_runner::{Config, TestRunner};
use serde_json::{Value, json};

use crate::common::Service;

const TEAM: i64 = 50;
const ORGANIZATION: i64 = 60;
/// Those who help each other to what they may not do.
const ACCOMPLICES: [i64; 3] = [501, 502, 503];
/// Members who have nothing to do with it.
const ADMIN: i64 = 504;
const OWNER: i64 = 505;
const ORGANIZATION_ADMIN: i64 = 506;
const ORGANIZATION_OWNER: i64 = 507;
const PEOPLE: [i64; 5] = [501, 502, 503, ADMIN, OWNER];
/// Members of the organisation.
const COLLEAGUES: [i64; 7] = [
    501,
    502,
    503,
    ADMIN,
    OWNER,
    ORGANIZATION_ADMIN,
    ORGANIZATION_OWNER,
];
const ROLES: usize = 4;
const ORGANIZATION_ROLES: usize = 3;
const MEMBERSHIP_ROLES: [&str; 3] = ["MEMBER", "ADMIN", "OWNER"];

/// A request of one of the accomplices. Numbers choose among what there is.
#[derive(Clone, Debug)]
enum Step {
    /// Changes a membership: whose, the membership role, the custom role, by version 1 as well.
    Membership {
        whose: usize,
        role: Option<usize>,
        custom: Option<Option<usize>>,
        accepted: Option<bool>,
        v1: bool,
    },
    /// Ends a membership.
    Leave {
        whose: usize,
        v1: bool,
    },
    /// Adds somebody to the team.
    Invite {
        whom: usize,
        role: usize,
        custom: Option<usize>,
        v1: bool,
    },
    /// Changes a membership of the organisation.
    Colleague {
        whose: usize,
        role: Option<usize>,
        custom: Option<Option<usize>>,
    },
    /// Makes a role of the team or of its organisation.
    MakeRole {
        permissions: Vec<usize>,
        organization: bool,
    },
    /// Adds to, replaces or removes permissions of a role.
    Permissions {
        role: usize,
        method: usize,
        permissions: Vec<usize>,
        organization: bool,
    },
    /// Deletes a role.
    DeleteRole {
        role: usize,
        organization: bool,
    },
    /// Renames the team, or makes another one.
    Team {
        what: usize,
    },
    /// The owner takes a custom role from somebody, or deletes it: what remains must not be more.
    OwnerTakes {
        whose: usize,
        organization: bool,
    },
    OwnerDeletes {
        role: usize,
        organization: bool,
    },
}

fn steps() -> impl Strategy<Value = Vec<(usize, Step)>> {
    let person = 0..PEOPLE.len();
    let colleague = 0..COLLEAGUES.len();
    let role = 0..ROLES + 2;
    let permissions = proptest::collection::vec(0..ORGANIZATION_PERMISSIONS.len(), 0..6);
    let step = prop_oneof![
        4 => (person.clone(), proptest::option::of(0..3_usize), proptest::option::of(proptest::option::of(role.clone())),
              proptest::option::of(any::<bool>()), any::<bool>())
            .prop_map(|(whose, role, custom, accepted, v1)| Step::Membership { whose, role, custom, accepted, v1 }),
        1 => (person.clone(), any::<bool>()).prop_map(|(whose, v1)| Step::Leave { whose, v1 }),
        2 => (person.clone(), 0..3_usize, proptest::option::of(role.clone()), any::<bool>())
            .prop_map(|(whom, role, custom, v1)| Step::Invite { whom, role, custom, v1 }),
        4 => (colleague.clone(), proptest::option::of(0..3_usize), proptest::option::of(proptest::option::of(role.clone())))
            .prop_map(|(whose, role, custom)| Step::Colleague { whose, role, custom }),
        2 => (permissions.clone(), any::<bool>())
            .prop_map(|(permissions, organization)| Step::MakeRole { permissions, organization }),
        6 => (role.clone(), 0..4_usize, permissions, any::<bool>())
            .prop_map(|(role, method, permissions, organization)| Step::Permissions { role, method, permissions, organization }),
        1 => (role.clone(), any::<bool>()).prop_map(|(role, organization)| Step::DeleteRole { role, organization }),
        1 => (0..3_usize).prop_map(|what| Step::Team { what }),
        2 => (person, any::<bool>()).prop_map(|(whose, organization)| Step::OwnerTakes { whose, organization }),
        1 => (role, any::<bool>()).prop_map(|(role, organization)| Step::OwnerDeletes { role, organization }),
    ];
    proptest::collection::vec((0..ACCOMPLICES.len(), step), 1..24)
}

/// Index of a membership role, and of a custom role.
type Member = (usize, Option<usize>);

/// Begin of a case.
#[derive(Clone, Debug)]
struct Start {
    /// Roles of the accomplices in the team, and in the organisation.
    members: Vec<Member>,
    colleagues: Vec<Member>,
    /// Permissions of the custom roles of the team, and of the organisation.
    roles: Vec<Vec<usize>>,
    organization_roles: Vec<Vec<usize>>,
}

fn start() -> impl Strategy<Value = Start> {
    let member = (
        prop_oneof![3 => Just(0_usize), 1 => Just(1_usize)],
        proptest::option::of(0..ROLES),
    );
    let colleague = (
        prop_oneof![15 => Just(0_usize), 1 => Just(1_usize)],
        proptest::option::of(0..ORGANIZATION_ROLES),
    );
    let role = |known: &'static [&'static str]| {
        (
            proptest::sample::subsequence(useful(known), 0..=useful(known).len()),
            proptest::collection::vec(0..known.len(), 0..4),
        )
            .prop_map(|(useful, more)| [useful, more].concat())
    };
    (
        proptest::collection::vec(member, ACCOMPLICES.len()),
        proptest::collection::vec(colleague, ACCOMPLICES.len()),
        proptest::collection::vec(role(&TEAM_PERMISSIONS), ROLES),
        proptest::collection::vec(role(&ORGANIZATION_PERMISSIONS), ORGANIZATION_ROLES),
    )
        .prop_map(|(members, colleagues, roles, organization_roles)| Start {
            members,
            colleagues,
            roles,
            organization_roles,
        })
}

/// Permissions that let the accomplices change roles and memberships at all: these are likely.
fn useful(known: &[&str]) -> Vec<usize> {
    let names = [
        "role.create",
        "role.update",
        "role.delete",
        "role.read",
        "team.changeMemberRole",
        "team.invite",
        "team.remove",
        "team.read",
        "team.listMembers",
        "organization.listMembers",
        "organization.changeMemberRole",
    ];
    let position = |name: &&str| known.iter().position(|known| known == name);
    names.iter().filter_map(position).collect()
}

/// Permissions by their positions among all that roles can hold.
fn names(known: &'static [&'static str], permissions: &[usize]) -> Vec<&'static str> {
    let names: BTreeSet<&str> = permissions
        .iter()
        .map(|index| known[index % known.len()])
        .collect();
    names.into_iter().collect()
}

/// All permissions of roles of the organisation, or of the team.
fn known(organization: bool) -> &'static [&'static str] {
    match organization {
        true => &ORGANIZATION_PERMISSIONS,
        false => &TEAM_PERMISSIONS,
    }
}

/// A permission in the team, or in the organisation.
type Right = (bool, String);

/// Returns true if who has all of `held` may do what `right` says.
fn is_covered(held: &BTreeSet<Right>, (organization, name): &Right) -> bool {
    let has = |name: &str| held.contains(&(true, name.to_owned()));
    // To run an organisation is more than any role gives.
    if ["ADMIN", "OWNER"].contains(&name.as_str()) {
        return has(name) || has("OWNER");
    }
    let in_organization = match name.as_str() {
        "booking.readTeamBookings" => "booking.readOrgBookings",
        "booking.readTeamAuditLogs" => "booking.readOrgAuditLogs",
        other => other,
    };
    let in_team = !organization && held.contains(&(false, name.clone()));
    let everything = ["*.*", "ADMIN", "OWNER"].into_iter().any(has);
    in_team || has(name) || has(in_organization) || everything
}

fn key(user_id: i64) -> String {
    format!("svc_{}", secret::hash(&format!("key of {user_id}")))
}

struct World {
    service: Service,
    requests: usize,
    successes: usize,
}

impl World {
    async fn new() -> Self {
        let service = Service::start().await;
        for id in COLLEAGUES {
            let hash = secret::hash(key(id).strip_prefix("svc_").unwrap());
            service
                .sql(&format!(
                    "INSERT INTO users (id, username, email, name, time_zone)
                         VALUES ({id}, 'user{id}', 'user{id}@x.example', 'User {id}', 'UTC');
                     INSERT INTO api_keys (hash, user_id, label, created_ms) VALUES ('{hash}', {id}, 'Test', 0)"
                ))
                .await;
        }
        Self {
            service,
            requests: 0,
            successes: 0,
        }
    }

    /// Puts everybody back to where the case begins.
    async fn reset(&self, start: &Start) {
        let mut sql = format!(
            "DELETE FROM teams WHERE organization_id = {ORGANIZATION} OR organization_id IS NULL;
             DELETE FROM organizations WHERE id = {ORGANIZATION};
             INSERT INTO organizations (id, name, slug) VALUES ({ORGANIZATION}, 'House', 'house');
             INSERT INTO teams (id, organization_id, name, slug) VALUES ({TEAM}, {ORGANIZATION}, 'Team', 'team');
             UPDATE users SET organization_id = {ORGANIZATION} WHERE id BETWEEN {} AND {ORGANIZATION_OWNER};",
            PEOPLE[0]
        );
        let levels = [
            (false, "team_id", TEAM, &start.roles),
            (
                true,
                "organization_id",
                ORGANIZATION,
                &start.organization_roles,
            ),
        ];
        for (organization, column, level_id, roles) in levels {
            for (index, permissions) in roles.iter().enumerate() {
                let id = role_id(organization, index);
                sql += &format!(
                    "INSERT INTO roles (id, {column}, name, kind, created_ms, updated_ms)
                         VALUES ('{id}', {level_id}, 'Role {index}', 'CUSTOM', {index}, 0);"
                );
                let names = names(known(organization), permissions);
                for (position, name) in names.iter().enumerate() {
                    sql += &format!(
                        "INSERT INTO role_permissions (role_id, permission, position) VALUES ('{id}', '{name}', {position});"
                    );
                }
            }
        }
        let custom = |organization: bool, index: Option<usize>| match index {
            Some(index) => format!("'{}'", role_id(organization, index)),
            None => "NULL".to_owned(),
        };
        let others = [
            (ADMIN, 0, None),
            (OWNER, 0, None),
            (ORGANIZATION_ADMIN, 1, None),
            (ORGANIZATION_OWNER, 2, None),
        ];
        for (id, role, index) in of_accomplices(&start.colleagues).chain(others) {
            sql += &format!(
                "INSERT INTO organization_members (id, organization_id, user_id, role, role_id)
                     VALUES ({id}, {ORGANIZATION}, {id}, '{}', {});",
                MEMBERSHIP_ROLES[role],
                custom(true, index)
            );
        }
        let others = [(ADMIN, 1, None), (OWNER, 2, None)];
        for (id, role, index) in of_accomplices(&start.members).chain(others) {
            sql += &format!(
                "INSERT INTO memberships (id, team_id, user_id, role, role_id, accepted)
                     VALUES ({id}, {TEAM}, {id}, '{}', {}, 1);",
                MEMBERSHIP_ROLES[role],
                custom(false, index)
            );
        }
        self.service.sql(&sql).await;
    }

    /// Permissions of the accomplices, and those that they would have if their custom roles were taken away
    /// or they accepted what they are invited to.
    async fn permissions(&self) -> BTreeSet<Right> {
        let mut db = self.service.app.store.read().await.unwrap();
        let held: Vec<Right> = sqlx::query_as(
            "SELECT DISTINCT held.organization, p.permission FROM role_permissions p JOIN (
                 SELECT CASE role WHEN 'OWNER' THEN 'owner_role' WHEN 'ADMIN' THEN 'admin_role' ELSE 'member_role' END AS id,
                     0 AS organization
                 FROM memberships WHERE team_id = ?1 AND user_id IN (?2, ?3, ?4)
                 UNION SELECT role_id, 0 FROM memberships WHERE team_id = ?1 AND user_id IN (?2, ?3, ?4)
                 UNION SELECT role_id, 1 FROM organization_members WHERE user_id IN (?2, ?3, ?4)
             ) AS held ON held.id = p.role_id
             UNION SELECT 1, role FROM organization_members WHERE user_id IN (?2, ?3, ?4) AND role <> 'MEMBER'",
        )
        .bind(TEAM)
        .bind(ACCOMPLICES[0])
        .bind(ACCOMPLICES[1])
        .bind(ACCOMPLICES[2])
        .fetch_all(&mut *db)
        .await
        .unwrap();
        held.into_iter().collect()
    }

    /// Permissions that they have, as every operation asks for them.
    async fn effective(&self) -> BTreeSet<Right> {
        let mut db = self.service.app.store.read().await.unwrap();
        let mut held = BTreeSet::new();
        for id in ACCOMPLICES {
            for organization in [false, true] {
                let subject = match organization {
                    true => Subject::of_organization(ORGANIZATION),
                    false => Subject::of_team(TEAM),
                };
                for name in known(organization) {
                    if access::holds(&mut db, id, name, &subject).await.unwrap() {
                        held.insert((organization, (*name).to_owned()));
                    }
                }
            }
        }
        held
    }

    async fn ask(&mut self, who: i64, method: &str, target: &str, body: Value) {
        let method = Method::from_bytes(method.as_bytes()).unwrap();
        let (target, headers) = if target.starts_with("/v1") {
            (format!("{target}?apiKey={}", key(who)), Vec::new())
        } else {
            let bearer = ("authorization".to_owned(), format!("Bearer {}", key(who)));
            (target.to_owned(), vec![bearer])
        };
        let body = (!body.is_null()).then_some(body);
        let answer = self.service.call(method, &target, &headers, body).await;
        assert!(answer.status < 500, "{target}: {}", answer.text);
        self.requests += 1;
        self.successes += usize::from(answer.status < 300);
    }

    /// The id of a role there is: the first ones first, then those that were made since.
    async fn role(&self, organization: bool, index: usize) -> String {
        let mut db = self.service.app.store.read().await.unwrap();
        let (column, id) = match organization {
            true => ("organization_id", ORGANIZATION),
            false => ("team_id", TEAM),
        };
        let ids: Vec<String> = sqlx::query_scalar(&format!(
            "SELECT id FROM roles WHERE {column} = ? ORDER BY created_ms, id"
        ))
        .bind(id)
        .fetch_all(&mut *db)
        .await
        .unwrap();
        ids.get(index % ids.len().max(1))
            .cloned()
            .unwrap_or_else(|| "none".to_owned())
    }

    /// Asserts that the organisation has an owner.
    async fn assert_owned(&self) {
        let owners = format!(
            "organization_members WHERE organization_id = {ORGANIZATION} AND role = 'OWNER'"
        );
        assert!(self.service.count(&owners).await > 0);
    }

    /// The id of a person's membership; they may have left and come again.
    async fn membership(&self, user_id: i64) -> i64 {
        let mut db = self.service.app.store.read().await.unwrap();
        let found: Option<i64> =
            sqlx::query_scalar("SELECT id FROM memberships WHERE team_id = ? AND user_id = ?")
                .bind(TEAM)
                .bind(user_id)
                .fetch_optional(&mut *db)
                .await
                .unwrap();
        found.unwrap_or(user_id)
    }

    async fn take(&mut self, who: i64, step: &Step) {
        let memberships = format!("/v2/teams/{TEAM}/memberships");
        let colleagues = format!("/v2/organizations/{ORGANIZATION}/memberships");
        let roles_of = |organization: bool| match organization {
            true => format!("/v2/organizations/{ORGANIZATION}/roles"),
            false => format!("/v2/organizations/{ORGANIZATION}/teams/{TEAM}/roles"),
        };
        match step {
            Step::Membership {
                whose,
                role,
                custom,
                accepted,
                v1,
            } => {
                let person = PEOPLE[*whose];
                let mut body = json!({});
                if let Some(role) = role {
                    body["role"] = json!(MEMBERSHIP_ROLES[*role]);
                }
                if let Some(accepted) = accepted {
                    body["accepted"] = json!(accepted);
                }
                if *v1 {
                    self.ask(
                        who,
                        "PATCH",
                        &format!("/v1/memberships/{person}_{TEAM}"),
                        body,
                    )
                    .await;
                    return;
                }
                if let Some(custom) = custom {
                    body["roleId"] = match custom {
                        Some(index) => json!(self.role(false, *index).await),
                        None => Value::Null,
                    };
                }
                let target = format!("{memberships}/{}", self.membership(person).await);
                self.ask(who, "PATCH", &target, body).await;
            }
            Step::Leave { whose, v1 } => {
                let person = PEOPLE[*whose];
                let target = match v1 {
                    true => format!("/v1/memberships/{person}_{TEAM}"),
                    false => format!("{memberships}/{}", self.membership(person).await),
                };
                self.ask(who, "DELETE", &target, Value::Null).await;
            }
            Step::Invite {
                whom,
                role,
                custom,
                v1,
            } => {
                let mut body = json!({"userId": PEOPLE[*whom], "role": MEMBERSHIP_ROLES[*role], "accepted": true});
                if *v1 {
                    body["teamId"] = json!(TEAM);
                    self.ask(who, "POST", "/v1/memberships", body).await;
                    return;
                }
                if let Some(index) = custom {
                    body["roleId"] = json!(self.role(false, *index).await);
                }
                self.ask(who, "POST", &memberships, body).await;
            }
            Step::Colleague {
                whose,
                role,
                custom,
            } => {
                let mut body = json!({});
                if let Some(role) = role {
                    body["role"] = json!(MEMBERSHIP_ROLES[*role]);
                }
                if let Some(custom) = custom {
                    body["roleId"] = match custom {
                        Some(index) => json!(self.role(true, *index).await),
                        None => Value::Null,
                    };
                }
                let target = format!("{colleagues}/{}", COLLEAGUES[*whose]);
                self.ask(who, "PATCH", &target, body).await;
            }
            Step::MakeRole {
                permissions,
                organization,
            } => {
                let name = format!("Made {}", self.requests);
                let permissions = names(known(*organization), permissions);
                let body = json!({"name": name, "permissions": permissions});
                self.ask(who, "POST", &roles_of(*organization), body).await;
            }
            Step::Permissions {
                role,
                method,
                permissions,
                organization,
            } => {
                let roles = roles_of(*organization);
                let role = format!("{roles}/{}", self.role(*organization, *role).await);
                let names = names(known(*organization), permissions);
                let body = json!({"permissions": names});
                match method {
                    0 => {
                        self.ask(who, "POST", &format!("{role}/permissions"), body)
                            .await
                    }
                    1 => {
                        self.ask(who, "PUT", &format!("{role}/permissions"), body)
                            .await
                    }
                    2 => self.ask(who, "PATCH", &role, body).await,
                    _ => {
                        let target = format!("{role}/permissions?permissions={}", names.join(","));
                        self.ask(who, "DELETE", &target, Value::Null).await;
                    }
                }
            }
            Step::DeleteRole { role, organization } => {
                let roles = roles_of(*organization);
                let target = format!("{roles}/{}", self.role(*organization, *role).await);
                self.ask(who, "DELETE", &target, Value::Null).await;
            }
            Step::Team { what } => {
                let team = format!("/v2/teams/{TEAM}");
                match what {
                    0 => self.ask(who, "PATCH", &team, json!({"name": "Ours"})).await,
                    1 => {
                        self.ask(who, "POST", "/v2/teams", json!({"name": "Other"}))
                            .await
                    }
                    _ => {
                        self.ask(
                            who,
                            "POST",
                            "/v1/teams",
                            json!({"name": "Other", "slug": "other"}),
                        )
                        .await
                    }
                }
            }
            Step::OwnerTakes {
                whose,
                organization,
            } => {
                let person = PEOPLE[*whose];
                let (owner, target) = match organization {
                    true => (ORGANIZATION_OWNER, format!("{colleagues}/{person}")),
                    false => {
                        let id = self.membership(person).await;
                        (OWNER, format!("{memberships}/{id}"))
                    }
                };
                self.ask(owner, "PATCH", &target, json!({"roleId": null}))
                    .await;
            }
            Step::OwnerDeletes { role, organization } => {
                let roles = roles_of(*organization);
                let target = format!("{roles}/{}", self.role(*organization, *role).await);
                self.ask(ORGANIZATION_OWNER, "DELETE", &target, Value::Null)
                    .await;
            }
        }
    }
}

/// Roles of the accomplices at the start, with their ids.
fn of_accomplices(members: &[Member]) -> impl Iterator<Item = (i64, usize, Option<usize>)> {
    let people = ACCOMPLICES.iter().zip(members);
    people.map(|(id, (role, custom))| (*id, *role, *custom))
}

fn role_id(organization: bool, index: usize) -> String {
    match organization {
        true => format!("organization-role-{index}"),
        false => format!("role-{index}"),
    }
}

#[test]
fn no_sequence_of_requests_gives_a_permission_that_nobody_of_them_had() {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .unwrap();
    let world = std::cell::RefCell::new(runtime.block_on(World::new()));
    let cases = std::env::var("ESCALATION_CASES")
        .ok()
        .and_then(|cases| cases.parse().ok())
        .unwrap_or(150);
    let config = Config {
        cases,
        failure_persistence: None,
        ..Config::default()
    };
    let sequences = std::cell::Cell::new(0);
    TestRunner::new(config)
        .run(&(start(), steps()), |(start, steps)| {
            let mut world = world.borrow_mut();
            runtime.block_on(async {
                world.reset(&start).await;
                let before = world.permissions().await;
                for (who, step) in &steps {
                    world.take(ACCOMPLICES[*who], step).await;
                    let after = world.permissions().await;
                    let gained: Vec<_> = after
                        .iter()
                        .filter(|right| !is_covered(&before, right))
                        .collect();
                    prop_assert!(gained.is_empty(), "{gained:?} after {step:?} by {who}");
                }
                let effective = world.effective().await;
                let gained: Vec<_> = effective
                    .iter()
                    .filter(|right| !is_covered(&before, right))
                    .collect();
                prop_assert!(gained.is_empty(), "{gained:?} in effect");
                world.assert_owned().await;
                sequences.set(sequences.get() + 1);
                Ok(())
            })
        })
        .unwrap();
    let world = world.into_inner();
    println!(
        "{} sequences, {} requests, {} of them successful",
        sequences.get(),
        world.requests,
        world.successes
    );
    // Most of what is asked is refused, but not nearly everything.
    assert!(
        world.successes * 10 > world.requests,
        "{} of {}",
        world.successes,
        world.requests
    );
}
