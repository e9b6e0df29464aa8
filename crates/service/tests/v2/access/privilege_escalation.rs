//! Privilege escalation: random sequences of requests by three accomplices never give them a
//! permission that none of them had. Between the requests, an owner revokes roles.

use std::collections::BTreeSet;

use axum::http::Method;
use booking_service::auth::access::{self, Resource};
use booking_service::auth::secret;
use booking_store_engine::sql;
use booking_wire::{ORGANIZATION_PERMISSIONS, TEAM_PERMISSIONS};
use proptest::prelude::*;
use proptest::test_runner::{Config, TestRunner};
use serde_json::{Value, json};

use crate::common::Service;

const TEAM: i64 = 50;
const ORGANIZATION: i64 = 60;
/// Users who try to gain permissions together.
const ACCOMPLICES: [i64; 3] = [501, 502, 503];
/// Uninvolved members.
const ADMIN: i64 = 504;
const OWNER: i64 = 505;
const ORGANIZATION_ADMIN: i64 = 506;
const ORGANIZATION_OWNER: i64 = 507;
const TEAM_MEMBERS: [i64; 5] = [501, 502, 503, ADMIN, OWNER];
/// Members of the organization.
const ORGANIZATION_MEMBERS: [i64; 7] = [
    501,
    502,
    503,
    ADMIN,
    OWNER,
    ORGANIZATION_ADMIN,
    ORGANIZATION_OWNER,
];
const TEAM_ROLE_COUNT: usize = 4;
const ORGANIZATION_ROLE_COUNT: usize = 3;
const MEMBERSHIP_ROLES: [&str; 3] = ["MEMBER", "ADMIN", "OWNER"];

/// Request of an accomplice. Numbers are indices into the existing users, roles and permissions.
#[derive(Clone, Debug)]
enum Step {
    /// Changes the membership role, custom role or acceptance of a member, through either version.
    Membership {
        member_index: usize,
        role: Option<usize>,
        custom_role: Option<Option<usize>>,
        accepted: Option<bool>,
        v1: bool,
    },
    /// Deletes a membership.
    Leave { member_index: usize, v1: bool },
    /// Adds a member to the team.
    Invite {
        member_index: usize,
        role: usize,
        custom_role: Option<usize>,
        v1: bool,
    },
    /// Changes a membership of the organization.
    OrganizationMembership {
        member_index: usize,
        role: Option<usize>,
        custom_role: Option<Option<usize>>,
    },
    /// Creates a role of the team or of its organization.
    CreateRole {
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
    DeleteRole { role: usize, organization: bool },
    /// Renames the team, or creates another one.
    Team { variant: usize },
    /// The owner revokes a custom role of a member, which must not add permissions.
    OwnerRevokesRole {
        member_index: usize,
        organization: bool,
    },
    /// The owner deletes a custom role, which must not add permissions.
    OwnerDeletesRole { role: usize, organization: bool },
}

fn steps_strategy() -> impl Strategy<Value = Vec<(usize, Step)>> {
    let member = 0..TEAM_MEMBERS.len();
    let colleague = 0..ORGANIZATION_MEMBERS.len();
    let role = 0..TEAM_ROLE_COUNT + 2;
    let permissions = proptest::collection::vec(0..ORGANIZATION_PERMISSIONS.len(), 0..6);
    let step = prop_oneof![
        4 => (member.clone(), proptest::option::of(0..3_usize), proptest::option::of(proptest::option::of(role.clone())),
              proptest::option::of(any::<bool>()), any::<bool>())
            .prop_map(|(member_index, role, custom_role, accepted, v1)| Step::Membership { member_index, role, custom_role, accepted, v1 }),
        1 => (member.clone(), any::<bool>()).prop_map(|(member_index, v1)| Step::Leave { member_index, v1 }),
        2 => (member.clone(), 0..3_usize, proptest::option::of(role.clone()), any::<bool>())
            .prop_map(|(member_index, role, custom_role, v1)| Step::Invite { member_index, role, custom_role, v1 }),
        4 => (colleague.clone(), proptest::option::of(0..3_usize), proptest::option::of(proptest::option::of(role.clone())))
            .prop_map(|(member_index, role, custom_role)| Step::OrganizationMembership { member_index, role, custom_role }),
        2 => (permissions.clone(), any::<bool>())
            .prop_map(|(permissions, organization)| Step::CreateRole { permissions, organization }),
        6 => (role.clone(), 0..4_usize, permissions, any::<bool>())
            .prop_map(|(role, method, permissions, organization)| Step::Permissions { role, method, permissions, organization }),
        1 => (role.clone(), any::<bool>()).prop_map(|(role, organization)| Step::DeleteRole { role, organization }),
        1 => (0..3_usize).prop_map(|variant| Step::Team { variant }),
        2 => (member, any::<bool>()).prop_map(|(member_index, organization)| Step::OwnerRevokesRole { member_index, organization }),
        1 => (role, any::<bool>()).prop_map(|(role, organization)| Step::OwnerDeletesRole { role, organization }),
    ];
    proptest::collection::vec((0..ACCOMPLICES.len(), step), 1..24)
}

/// Indices of the membership role and the custom role.
type Member = (usize, Option<usize>);

/// Initial state of a case.
#[derive(Clone, Debug)]
struct InitialState {
    /// Roles of the accomplices in the team and in the organization.
    members: Vec<Member>,
    colleagues: Vec<Member>,
    /// Permissions of the custom roles of the team and of the organization.
    roles: Vec<Vec<usize>>,
    organization_roles: Vec<Vec<usize>>,
}

fn initial_state_strategy() -> impl Strategy<Value = InitialState> {
    let member = (
        prop_oneof![3 => Just(0_usize), 1 => Just(1_usize)],
        proptest::option::of(0..TEAM_ROLE_COUNT),
    );
    let colleague = (
        prop_oneof![15 => Just(0_usize), 1 => Just(1_usize)],
        proptest::option::of(0..ORGANIZATION_ROLE_COUNT),
    );
    let role = |all_permissions: &'static [&'static str]| {
        (
            proptest::sample::subsequence(
                escalation_permissions(all_permissions),
                0..=escalation_permissions(all_permissions).len(),
            ),
            proptest::collection::vec(0..all_permissions.len(), 0..4),
        )
            .prop_map(|(likely, more)| [likely, more].concat())
    };
    (
        proptest::collection::vec(member, ACCOMPLICES.len()),
        proptest::collection::vec(colleague, ACCOMPLICES.len()),
        proptest::collection::vec(role(&TEAM_PERMISSIONS), TEAM_ROLE_COUNT),
        proptest::collection::vec(role(&ORGANIZATION_PERMISSIONS), ORGANIZATION_ROLE_COUNT),
    )
        .prop_map(
            |(members, colleagues, roles, organization_roles)| InitialState {
                members,
                colleagues,
                roles,
                organization_roles,
            },
        )
}

/// Permissions to change roles and memberships. They are generated with a higher probability.
fn escalation_permissions(all_permissions: &[&str]) -> Vec<usize> {
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
    let position = |name: &&str| {
        all_permissions
            .iter()
            .position(|candidate| candidate == name)
    };
    names.iter().filter_map(position).collect()
}

/// Returns the permissions at the given indices of `all_permissions`.
fn permission_names(
    all_permissions: &'static [&'static str],
    permissions: &[usize],
) -> Vec<&'static str> {
    let names: BTreeSet<&str> = permissions
        .iter()
        .map(|index| all_permissions[index % all_permissions.len()])
        .collect();
    names.into_iter().collect()
}

/// Returns all permissions of organization roles or of team roles.
fn all_permissions(organization: bool) -> &'static [&'static str] {
    match organization {
        true => &ORGANIZATION_PERMISSIONS,
        false => &TEAM_PERMISSIONS,
    }
}

/// Permission and its level: true for the organization, false for the team.
type LeveledPermission = (bool, String);

/// Returns true if the permissions include `name`.
fn is_covered(
    permissions: &BTreeSet<LeveledPermission>,
    (organization, name): &LeveledPermission,
) -> bool {
    let has = |name: &str| permissions.contains(&(true, name.to_owned()));
    // No custom role includes the membership roles ADMIN and OWNER of an organization.
    if ["ADMIN", "OWNER"].contains(&name.as_str()) {
        return has(name) || has("OWNER");
    }
    let in_organization = match name.as_str() {
        "booking.readTeamBookings" => "booking.readOrgBookings",
        "booking.readTeamAuditLogs" => "booking.readOrgAuditLogs",
        other => other,
    };
    let in_team = !organization && permissions.contains(&(false, name.clone()));
    let everything = ["*.*", "ADMIN", "OWNER"].into_iter().any(has);
    in_team || has(name) || has(in_organization) || everything
}

fn key(user_id: i64) -> String {
    format!("svc_{}", secret::hash(&format!("key of {user_id}")))
}

struct EscalationTest {
    service: Service,
    requests: usize,
    successes: usize,
}

impl EscalationTest {
    async fn new() -> Self {
        let service = Service::start().await;
        for id in ORGANIZATION_MEMBERS {
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

    /// Resets the database to the initial state of the case.
    async fn reset(&self, initial: &InitialState) {
        let mut sql = format!(
            "DELETE FROM teams WHERE organization_id = {ORGANIZATION} OR organization_id IS NULL;
             DELETE FROM organizations WHERE id = {ORGANIZATION};
             INSERT INTO organizations (id, name, slug) VALUES ({ORGANIZATION}, 'House', 'house');
             INSERT INTO teams (id, organization_id, name, slug) VALUES ({TEAM}, {ORGANIZATION}, 'Team', 'team');
             UPDATE users SET organization_id = {ORGANIZATION} WHERE id BETWEEN {} AND {ORGANIZATION_OWNER};",
            TEAM_MEMBERS[0]
        );
        let levels = [
            (false, "team_id", TEAM, &initial.roles),
            (
                true,
                "organization_id",
                ORGANIZATION,
                &initial.organization_roles,
            ),
        ];
        for (organization, column, level_id, roles) in levels {
            for (index, permissions) in roles.iter().enumerate() {
                let id = custom_role_id(organization, index);
                sql += &format!(
                    "INSERT INTO roles (id, {column}, name, kind, created_ms, updated_ms)
                         VALUES ('{id}', {level_id}, 'Role {index}', 'CUSTOM', {index}, 0);"
                );
                let names = permission_names(all_permissions(organization), permissions);
                for (position, name) in names.iter().enumerate() {
                    sql += &format!(
                        "INSERT INTO role_permissions (role_id, permission, position) VALUES ('{id}', '{name}', {position});"
                    );
                }
            }
        }
        let custom_role = |organization: bool, index: Option<usize>| match index {
            Some(index) => format!("'{}'", custom_role_id(organization, index)),
            None => "NULL".to_owned(),
        };
        let uninvolved = [
            (ADMIN, 0, None),
            (OWNER, 0, None),
            (ORGANIZATION_ADMIN, 1, None),
            (ORGANIZATION_OWNER, 2, None),
        ];
        for (id, role, index) in accomplice_roles(&initial.colleagues).chain(uninvolved) {
            sql += &format!(
                "INSERT INTO organization_members (id, organization_id, user_id, role, role_id)
                     VALUES ({id}, {ORGANIZATION}, {id}, '{}', {});",
                MEMBERSHIP_ROLES[role],
                custom_role(true, index)
            );
        }
        let uninvolved = [(ADMIN, 1, None), (OWNER, 2, None)];
        for (id, role, index) in accomplice_roles(&initial.members).chain(uninvolved) {
            sql += &format!(
                "INSERT INTO memberships (id, team_id, user_id, role, role_id, accepted)
                     VALUES ({id}, {TEAM}, {id}, '{}', {}, 1);",
                MEMBERSHIP_ROLES[role],
                custom_role(false, index)
            );
        }
        self.service.sql(&sql).await;
    }

    /// Returns the permissions of the accomplices, including those that they would have without
    /// their custom roles or after accepting their invitations.
    async fn permissions(&self) -> BTreeSet<LeveledPermission> {
        let mut db = self.service.app.store.read().await.unwrap();
        let permissions: Vec<LeveledPermission> = sql::query_as(
            "SELECT DISTINCT held.organization, p.permission FROM role_permissions p JOIN (
                 SELECT CASE role WHEN 'OWNER' THEN 'owner_role' WHEN 'ADMIN' THEN 'admin_role' ELSE 'member_role' END AS id,
                     FALSE AS organization
                 FROM memberships WHERE team_id = ?1 AND user_id IN (?2, ?3, ?4)
                 UNION SELECT role_id, FALSE FROM memberships WHERE team_id = ?1 AND user_id IN (?2, ?3, ?4)
                 UNION SELECT role_id, TRUE FROM organization_members WHERE user_id IN (?2, ?3, ?4)
             ) AS held ON held.id = p.role_id
             UNION SELECT TRUE, role FROM organization_members WHERE user_id IN (?2, ?3, ?4) AND role <> 'MEMBER'",
        )
        .bind(TEAM)
        .bind(ACCOMPLICES[0])
        .bind(ACCOMPLICES[1])
        .bind(ACCOMPLICES[2])
        .fetch_all(&mut db)
        .await
        .unwrap();
        permissions.into_iter().collect()
    }

    /// Returns the effective permissions, as authorization computes them.
    async fn effective_permissions(&self) -> BTreeSet<LeveledPermission> {
        let mut db = self.service.app.store.read().await.unwrap();
        let mut permissions = BTreeSet::new();
        for id in ACCOMPLICES {
            for organization in [false, true] {
                let resource = match organization {
                    true => Resource::of_organization(ORGANIZATION),
                    false => Resource::of_team(TEAM),
                };
                for name in all_permissions(organization) {
                    if access::has_permission(&mut db, id, name, &resource)
                        .await
                        .unwrap()
                    {
                        permissions.insert((organization, (*name).to_owned()));
                    }
                }
            }
        }
        permissions
    }

    async fn request(&mut self, caller_id: i64, method: &str, target: &str, body: Value) {
        let method = Method::from_bytes(method.as_bytes()).unwrap();
        let (target, headers) = if target.starts_with("/v1") {
            (format!("{target}?apiKey={}", key(caller_id)), Vec::new())
        } else {
            let bearer = (
                "authorization".to_owned(),
                format!("Bearer {}", key(caller_id)),
            );
            (target.to_owned(), vec![bearer])
        };
        let body = (!body.is_null()).then_some(body);
        let response = self.service.call(method, &target, &headers, body).await;
        assert!(response.status < 500, "{target}: {}", response.text);
        self.requests += 1;
        self.successes += usize::from(response.status < 300);
    }

    /// Returns the id of an existing role. Initial roles come first, then created ones.
    async fn role(&self, organization: bool, index: usize) -> String {
        let mut db = self.service.app.store.read().await.unwrap();
        let (column, id) = match organization {
            true => ("organization_id", ORGANIZATION),
            false => ("team_id", TEAM),
        };
        let ids: Vec<String> = sql::query_scalar(format!(
            "SELECT id FROM roles WHERE {column} = ? ORDER BY created_ms, id"
        ))
        .bind(id)
        .fetch_all(&mut db)
        .await
        .unwrap();
        ids.get(index % ids.len().max(1))
            .cloned()
            .unwrap_or_else(|| "none".to_owned())
    }

    /// Asserts that the organization has an owner.
    async fn assert_has_owner(&self) {
        let owners = format!(
            "organization_members WHERE organization_id = {ORGANIZATION} AND role = 'OWNER'"
        );
        assert!(self.service.count(&owners).await > 0);
    }

    /// Returns the id of a user's membership. It changes when they leave and join again.
    async fn membership(&self, user_id: i64) -> i64 {
        let mut db = self.service.app.store.read().await.unwrap();
        let found: Option<i64> =
            sql::query_scalar("SELECT id FROM memberships WHERE team_id = ? AND user_id = ?")
                .bind(TEAM)
                .bind(user_id)
                .fetch_optional(&mut db)
                .await
                .unwrap();
        found.unwrap_or(user_id)
    }

    async fn run_step(&mut self, caller_id: i64, step: &Step) {
        let memberships = format!("/v2/teams/{TEAM}/memberships");
        let colleagues = format!("/v2/organizations/{ORGANIZATION}/memberships");
        let roles_path = |organization: bool| match organization {
            true => format!("/v2/organizations/{ORGANIZATION}/roles"),
            false => format!("/v2/organizations/{ORGANIZATION}/teams/{TEAM}/roles"),
        };
        match step {
            Step::Membership {
                member_index,
                role,
                custom_role,
                accepted,
                v1,
            } => {
                let member = TEAM_MEMBERS[*member_index];
                let mut body = json!({});
                if let Some(role) = role {
                    body["role"] = json!(MEMBERSHIP_ROLES[*role]);
                }
                if let Some(accepted) = accepted {
                    body["accepted"] = json!(accepted);
                }
                if *v1 {
                    self.request(
                        caller_id,
                        "PATCH",
                        &format!("/v1/memberships/{member}_{TEAM}"),
                        body,
                    )
                    .await;
                    return;
                }
                if let Some(custom_role) = custom_role {
                    body["roleId"] = match custom_role {
                        Some(index) => json!(self.role(false, *index).await),
                        None => Value::Null,
                    };
                }
                let target = format!("{memberships}/{}", self.membership(member).await);
                self.request(caller_id, "PATCH", &target, body).await;
            }
            Step::Leave { member_index, v1 } => {
                let member = TEAM_MEMBERS[*member_index];
                let target = match v1 {
                    true => format!("/v1/memberships/{member}_{TEAM}"),
                    false => format!("{memberships}/{}", self.membership(member).await),
                };
                self.request(caller_id, "DELETE", &target, Value::Null)
                    .await;
            }
            Step::Invite {
                member_index,
                role,
                custom_role,
                v1,
            } => {
                let mut body = json!({"userId": TEAM_MEMBERS[*member_index], "role": MEMBERSHIP_ROLES[*role], "accepted": true});
                if *v1 {
                    body["teamId"] = json!(TEAM);
                    self.request(caller_id, "POST", "/v1/memberships", body)
                        .await;
                    return;
                }
                if let Some(index) = custom_role {
                    body["roleId"] = json!(self.role(false, *index).await);
                }
                self.request(caller_id, "POST", &memberships, body).await;
            }
            Step::OrganizationMembership {
                member_index,
                role,
                custom_role,
            } => {
                let mut body = json!({});
                if let Some(role) = role {
                    body["role"] = json!(MEMBERSHIP_ROLES[*role]);
                }
                if let Some(custom_role) = custom_role {
                    body["roleId"] = match custom_role {
                        Some(index) => json!(self.role(true, *index).await),
                        None => Value::Null,
                    };
                }
                let target = format!("{colleagues}/{}", ORGANIZATION_MEMBERS[*member_index]);
                self.request(caller_id, "PATCH", &target, body).await;
            }
            Step::CreateRole {
                permissions,
                organization,
            } => {
                let name = format!("Made {}", self.requests);
                let permissions = permission_names(all_permissions(*organization), permissions);
                let body = json!({"name": name, "permissions": permissions});
                self.request(caller_id, "POST", &roles_path(*organization), body)
                    .await;
            }
            Step::Permissions {
                role,
                method,
                permissions,
                organization,
            } => {
                let roles = roles_path(*organization);
                let role = format!("{roles}/{}", self.role(*organization, *role).await);
                let names = permission_names(all_permissions(*organization), permissions);
                let body = json!({"permissions": names});
                match method {
                    0 => {
                        self.request(caller_id, "POST", &format!("{role}/permissions"), body)
                            .await
                    }
                    1 => {
                        self.request(caller_id, "PUT", &format!("{role}/permissions"), body)
                            .await
                    }
                    2 => self.request(caller_id, "PATCH", &role, body).await,
                    _ => {
                        let target = format!("{role}/permissions?permissions={}", names.join(","));
                        self.request(caller_id, "DELETE", &target, Value::Null)
                            .await;
                    }
                }
            }
            Step::DeleteRole { role, organization } => {
                let roles = roles_path(*organization);
                let target = format!("{roles}/{}", self.role(*organization, *role).await);
                self.request(caller_id, "DELETE", &target, Value::Null)
                    .await;
            }
            Step::Team { variant } => {
                let team = format!("/v2/teams/{TEAM}");
                match variant {
                    0 => {
                        self.request(caller_id, "PATCH", &team, json!({"name": "Ours"}))
                            .await
                    }
                    1 => {
                        self.request(caller_id, "POST", "/v2/teams", json!({"name": "Other"}))
                            .await
                    }
                    _ => {
                        self.request(
                            caller_id,
                            "POST",
                            "/v1/teams",
                            json!({"name": "Other", "slug": "other"}),
                        )
                        .await
                    }
                }
            }
            Step::OwnerRevokesRole {
                member_index,
                organization,
            } => {
                let member = TEAM_MEMBERS[*member_index];
                let (owner, target) = match organization {
                    true => (ORGANIZATION_OWNER, format!("{colleagues}/{member}")),
                    false => {
                        let id = self.membership(member).await;
                        (OWNER, format!("{memberships}/{id}"))
                    }
                };
                self.request(owner, "PATCH", &target, json!({"roleId": null}))
                    .await;
            }
            Step::OwnerDeletesRole { role, organization } => {
                let roles = roles_path(*organization);
                let target = format!("{roles}/{}", self.role(*organization, *role).await);
                self.request(ORGANIZATION_OWNER, "DELETE", &target, Value::Null)
                    .await;
            }
        }
    }
}

/// Pairs the accomplices with their initial roles.
fn accomplice_roles(members: &[Member]) -> impl Iterator<Item = (i64, usize, Option<usize>)> {
    let people = ACCOMPLICES.iter().zip(members);
    people.map(|(id, (role, custom_role))| (*id, *role, *custom_role))
}

fn custom_role_id(organization: bool, index: usize) -> String {
    match organization {
        true => format!("organization-role-{index}"),
        false => format!("role-{index}"),
    }
}

#[test]
fn request_sequences_never_add_permissions() {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .unwrap();
    let test = std::cell::RefCell::new(runtime.block_on(EscalationTest::new()));
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
        .run(
            &(initial_state_strategy(), steps_strategy()),
            |(initial, steps)| {
                let mut test = test.borrow_mut();
                runtime.block_on(async {
                    test.reset(&initial).await;
                    let before = test.permissions().await;
                    for (accomplice, step) in &steps {
                        test.run_step(ACCOMPLICES[*accomplice], step).await;
                        let after = test.permissions().await;
                        let gained: Vec<_> = after
                            .iter()
                            .filter(|permission| !is_covered(&before, permission))
                            .collect();
                        prop_assert!(
                            gained.is_empty(),
                            "{gained:?} after {step:?} by {accomplice}"
                        );
                    }
                    let effective_permissions = test.effective_permissions().await;
                    let gained: Vec<_> = effective_permissions
                        .iter()
                        .filter(|permission| !is_covered(&before, permission))
                        .collect();
                    prop_assert!(gained.is_empty(), "{gained:?} in effect");
                    test.assert_has_owner().await;
                    sequences.set(sequences.get() + 1);
                    Ok(())
                })
            },
        )
        .unwrap();
    let test = test.into_inner();
    println!(
        "{} sequences, {} requests, {} of them successful",
        sequences.get(),
        test.requests,
        test.successes
    );
    // A relevant share of the requests must succeed.
    assert!(
        test.successes * 10 > test.requests,
        "{} of {}",
        test.successes,
        test.requests
    );
}
