//! Updates and deletion of roles of teams and organizations:
//! /v2/organizations/{orgId}/teams/{teamId}/roles/{roleId} and
//! /v2/organizations/{orgId}/roles/{roleId}

use booking_wire::ORGANIZATION_PERMISSIONS;
use serde_json::{Value, json};

use crate::common::{Service, redact};

const TEAM: &str = "/v2/organizations/1/teams/1/roles";
const ORGANIZATION: &str = "/v2/organizations/1/roles";
const LEVELS: [&str; 2] = [TEAM, ORGANIZATION];

async fn create_role(service: &Service, base: &str, body: Value) -> String {
    let response = service.post_as(base, service.owner(), body).await;
    assert_eq!(response.status, 201, "{}", response.text);
    format!("{base}/{}", response.data()["id"].as_str().unwrap())
}

async fn send_as_owner(
    service: &Service,
    method: &str,
    target: &str,
    body: Value,
) -> crate::common::TestResponse {
    service
        .request(method, target, &service.owner(), body)
        .await
}

#[tokio::test]
async fn organization_role_has_organization_id_and_permissions() {
    let service = Service::start().await;
    let body = json!({"name": "All", "permissions": ORGANIZATION_PERMISSIONS.as_slice()});
    let response = service.post_as(ORGANIZATION, service.owner(), body).await;
    assert_eq!(response.status, 201, "{}", response.text);
    assert_eq!(
        redact(response.data()),
        json!({
            "id": "[id]",
            "name": "All",
            "type": "CUSTOM",
            "color": null,
            "description": null,
            "organizationId": 1,
            "permissions": ORGANIZATION_PERMISSIONS.as_slice(),
            "createdAt": "[createdAt]",
            "updatedAt": "[updatedAt]",
        })
    );
    let list = service.get_as(ORGANIZATION, service.owner()).await;
    let roles = list.data().as_array().unwrap();
    assert_eq!(roles.len(), 4);
    assert_eq!(roles.last(), Some(response.data()));
    for (base, permission, scope) in [
        (ORGANIZATION, "booking.readTeamBookings", "an organization"),
        (TEAM, "organization.read", "a team"),
    ] {
        let body = json!({"name": "B", "permissions": [permission]});
        let response = service.post_as(base, service.owner(), body).await;
        assert_eq!(
            response.assert_error(400, "BadRequestException"),
            format!("permissions holds \"{permission}\", which is no permission of {scope} role")
        );
    }
}

#[tokio::test]
async fn patch_changes_only_sent_fields() {
    let service = Service::start().await;
    for base in LEVELS {
        let role = create_role(
            &service,
            base,
            json!({"name": "A", "color": "#123456", "description": "d",
                "permissions": ["role.read", "team.read"]}),
        )
        .await;
        let before = service.get_as(&role, service.owner()).await.data().clone();
        service.app.clock.advance_minutes(1);
        for (body, changed) in [
            (json!({}), json!({})),
            (json!({"name": " B "}), json!({"name": "B"})),
            (json!({"name": "B"}), json!({"name": "B"})),
            (
                json!({"color": null, "description": null}),
                json!({"name": "B", "color": null, "description": null}),
            ),
            (
                json!({"description": "new", "color": "#abc"}),
                json!({"name": "B", "color": "#abc", "description": "new"}),
            ),
            (
                json!({"permissions": ["insights.read", "team.read", "insights.read"]}),
                json!({"name": "B", "color": "#abc", "description": "new",
                    "permissions": ["insights.read", "team.read"]}),
            ),
            (
                json!({"permissions": []}),
                json!({"name": "B", "color": "#abc", "description": "new", "permissions": []}),
            ),
        ] {
            let response = send_as_owner(&service, "PATCH", &role, body.clone()).await;
            let mut expected = before.clone();
            let expected_fields = expected.as_object_mut().unwrap();
            expected_fields.extend(changed.as_object().unwrap().clone());
            let updated = if changed == json!({}) {
                &before["updatedAt"]
            } else {
                &json!("2027-03-01T08:01:00.000Z")
            };
            if base == TEAM {
                expected_fields.insert("updatedAt".into(), updated.clone());
                assert_eq!(response.data(), &expected, "{body}");
            } else {
                assert_eq!(redact(response.data()), redact(&expected), "{body}");
            }
            assert_eq!(
                service.get_as(&role, service.owner()).await.data(),
                response.data()
            );
        }
    }
}

#[tokio::test]
async fn system_role_has_permissions_of_its_level() {
    let service = Service::start().await;
    let team_only = ["booking.readTeamBookings", "booking.readTeamAuditLogs"];
    for (base, shows) in [(TEAM, true), (ORGANIZATION, false)] {
        let list = service.get_as(base, service.owner()).await;
        let owner = list.data().as_array().unwrap().iter();
        let owner = owner
            .clone()
            .find(|role| role["id"] == "owner_role")
            .unwrap();
        let target = format!("{base}/owner_role");
        let fetched = service.get_as(&target, service.owner()).await;
        assert_eq!(fetched.data(), owner);
        let permissions = format!("{target}/permissions");
        let permissions = service.get_as(&permissions, service.owner()).await;
        assert_eq!(permissions.data(), &owner["permissions"]);
        let granted = owner["permissions"].as_array().unwrap();
        assert!(granted.contains(&json!("role.create")));
        for permission in team_only {
            assert_eq!(
                granted.contains(&json!(permission)),
                shows,
                "{base} {permission}"
            );
        }
        for permission in granted {
            let known = !shows && ORGANIZATION_PERMISSIONS.contains(&permission.as_str().unwrap());
            assert!(shows || known, "{permission}");
        }
    }
}

#[tokio::test]
async fn invalid_change_returns_400_and_changes_nothing() {
    let service = Service::start().await;
    for base in LEVELS {
        create_role(&service, base, json!({"name": "Taken"})).await;
        let role = create_role(
            &service,
            base,
            json!({"name": "A", "permissions": ["role.read"]}),
        )
        .await;
        let before = service.get_as(&role, service.owner()).await.data().clone();
        for (body, text) in [
            (json!({"name": ""}), "name should not be empty"),
            (json!({"name": null}), "name must be a string"),
            (json!({"name": "Taken"}), "exists in this"),
            (json!({"name": "Owner"}), "exists in this"),
            (json!({"color": "red"}), "color must be a colour"),
            (json!({"permissions": null}), "permissions must be an array"),
            (
                json!({"permissions": ["role.fly"]}),
                "permissions holds \"role.fly\"",
            ),
        ] {
            let response = send_as_owner(&service, "PATCH", &role, body.clone()).await;
            let message = response.assert_error(400, "BadRequestException");
            assert!(message.contains(text), "{body}: {message}");
        }
        assert_eq!(service.get_as(&role, service.owner()).await.data(), &before);
    }
}

#[tokio::test]
async fn permissions_are_added_replaced_and_removed() {
    let service = Service::start().await;
    for base in LEVELS {
        let role = create_role(
            &service,
            base,
            json!({"name": "A", "permissions": ["role.read"]}),
        )
        .await;
        let all = format!("{role}/permissions");
        for (method, target, body, granted) in [
            ("GET", all.clone(), Value::Null, json!(["role.read"])),
            (
                "POST",
                all.clone(),
                json!({"permissions": ["team.read", "role.read", "team.read"]}),
                json!(["role.read", "team.read"]),
            ),
            (
                "PUT",
                all.clone(),
                json!({"permissions": ["webhook.read", "insights.read", "team.read"]}),
                json!(["webhook.read", "insights.read", "team.read"]),
            ),
            (
                "DELETE",
                format!("{all}?permissions=webhook.read,role.read"),
                Value::Null,
                json!(["insights.read", "team.read"]),
            ),
            (
                "DELETE",
                format!("{all}/insights.read"),
                Value::Null,
                json!(["team.read"]),
            ),
            ("DELETE", all.clone(), Value::Null, json!(["team.read"])),
            (
                "DELETE",
                format!("{all}/insights.read"),
                Value::Null,
                json!(["team.read"]),
            ),
            (
                "DELETE",
                format!("{all}?permissions=team.read&permissions=insights.read"),
                Value::Null,
                json!([]),
            ),
            ("PUT", all.clone(), json!({"permissions": []}), json!([])),
        ] {
            let response = send_as_owner(&service, method, &target, body).await;
            if method == "DELETE" {
                assert_eq!(
                    (response.status, response.text.as_str()),
                    (204, ""),
                    "{target}"
                );
            } else {
                assert_eq!(response.status, 200);
                assert_eq!(response.data(), &granted, "{method}");
            }
            assert_eq!(service.get_as(&all, service.owner()).await.data(), &granted);
            let fetched = service.get_as(&role, service.owner()).await;
            assert_eq!(fetched.data()["permissions"], granted);
        }
        for (method, target, body) in [
            ("POST", all.clone(), json!({})),
            ("PUT", all.clone(), json!({"permissions": "role.read"})),
            ("PUT", all.clone(), json!({"permissions": ["role"]})),
            ("DELETE", format!("{all}?permissions="), Value::Null),
            (
                "DELETE",
                format!("{all}?permissions=role.read,nonsense"),
                Value::Null,
            ),
            ("DELETE", format!("{all}/nonsense"), Value::Null),
        ] {
            send_as_owner(&service, method, &target, body)
                .await
                .assert_error(400, "BadRequestException");
        }
    }
}

#[tokio::test]
async fn system_role_cannot_be_changed() {
    let service = Service::start().await;
    for base in LEVELS {
        for id in ["owner_role", "admin_role", "member_role"] {
            let role = format!("{base}/{id}");
            let before = service.get_as(&role, service.owner()).await.data().clone();
            assert_eq!(before["type"], "SYSTEM");
            for (method, target, body) in [
                ("PATCH", role.clone(), json!({"name": "Mine"})),
                ("PATCH", role.clone(), json!({})),
                ("DELETE", role.clone(), Value::Null),
                (
                    "POST",
                    format!("{role}/permissions"),
                    json!({"permissions": ["team.delete"]}),
                ),
                (
                    "PUT",
                    format!("{role}/permissions"),
                    json!({"permissions": []}),
                ),
                (
                    "DELETE",
                    format!("{role}/permissions?permissions=team.read"),
                    Value::Null,
                ),
                (
                    "DELETE",
                    format!("{role}/permissions/team.read"),
                    Value::Null,
                ),
            ] {
                send_as_owner(&service, method, &target, body)
                    .await
                    .assert_error(400, "BadRequestException");
            }
            assert_eq!(service.get_as(&role, service.owner()).await.data(), &before);
        }
    }
}

#[tokio::test]
async fn role_of_another_team_or_organization_returns_404() {
    let service = Service::start().await;
    service
        .sql(
            "INSERT INTO teams (id, organization_id, name, slug) VALUES (2, 1, 'Second', 'second')",
        )
        .await;
    let team_role = create_role(&service, TEAM, json!({"name": "T"})).await;
    let organization_role = create_role(&service, ORGANIZATION, json!({"name": "O"})).await;
    let id = |target: &str| target.rsplit('/').next().unwrap().to_owned();
    for target in [
        format!("/v2/organizations/1/teams/2/roles/{}", id(&team_role)),
        format!("{ORGANIZATION}/{}", id(&team_role)),
        format!("{TEAM}/{}", id(&organization_role)),
        format!("{TEAM}/unknown"),
        format!("/v2/organizations/9/roles/{}", id(&organization_role)),
    ] {
        for (method, body) in [
            ("GET", Value::Null),
            ("PATCH", json!({"name": "X"})),
            ("DELETE", Value::Null),
        ] {
            send_as_owner(&service, method, &target, body)
                .await
                .assert_error(404, "NotFoundException");
        }
        send_as_owner(
            &service,
            "GET",
            &format!("{target}/permissions"),
            Value::Null,
        )
        .await
        .assert_error(404, "NotFoundException");
    }
    // Team and organization may each have a role of the same name.
    create_role(&service, ORGANIZATION, json!({"name": "T"})).await;
}

#[tokio::test]
async fn deleted_role_restores_membership_permissions() {
    let service = Service::start().await;
    let member = service.bearer_of(1).await;
    for (base, table) in [
        (TEAM, "memberships"),
        (ORGANIZATION, "organization_members"),
    ] {
        let role = create_role(
            &service,
            base,
            json!({"name": "Reader", "permissions": ["role.read"]}),
        )
        .await;
        service
            .get_as(base, member.clone())
            .await
            .assert_error(403, "ForbiddenException");
        let id = role.rsplit('/').next().unwrap();
        service
            .sql(&format!(
                "UPDATE {table} SET role_id = '{id}' WHERE user_id = 1"
            ))
            .await;
        assert_eq!(service.get_as(base, member.clone()).await.status, 200);
        let deleted = send_as_owner(&service, "DELETE", &role, Value::Null).await;
        assert_eq!(deleted.status, 200);
        assert_eq!(deleted.data()["name"], "Reader");
        service
            .get_as(base, member.clone())
            .await
            .assert_error(403, "ForbiddenException");
        send_as_owner(&service, "DELETE", &role, Value::Null)
            .await
            .assert_error(404, "NotFoundException");
        assert_eq!(
            service
                .count(&format!("{table} WHERE role_id IS NOT NULL"))
                .await,
            0
        );
    }
}

#[tokio::test]
async fn role_extension_beyond_own_permissions_returns_403() {
    let service = Service::start().await;
    let role = create_role(
        &service,
        TEAM,
        json!({"name": "Keeper", "permissions": ["role.read", "role.update"]}),
    )
    .await;
    let id = role.rsplit('/').next().unwrap();
    service
        .sql(&format!(
            "UPDATE memberships SET role_id = '{id}' WHERE user_id = 1"
        ))
        .await;
    let member = service.bearer_of(1).await;
    for (method, target, body) in [
        (
            "PATCH",
            role.clone(),
            json!({"permissions": ["role.read", "role.update", "team.delete"]}),
        ),
        (
            "POST",
            format!("{role}/permissions"),
            json!({"permissions": ["team.delete"]}),
        ),
        (
            "PUT",
            format!("{role}/permissions"),
            json!({"permissions": ["team.delete"]}),
        ),
    ] {
        let response = service.request(method, &target, &member, body).await;
        assert!(
            response
                .assert_error(403, "ForbiddenException")
                .contains("team.delete")
        );
    }
    let fewer = json!({"permissions": ["role.update"]});
    assert_eq!(
        service.request("PATCH", &role, &member, fewer).await.status,
        200
    );
    let more = json!({"permissions": ["team.delete"]});
    assert_eq!(
        send_as_owner(&service, "POST", &format!("{role}/permissions"), more)
            .await
            .status,
        200
    );
}

#[tokio::test]
async fn delete_of_own_restricting_role_returns_403() {
    let service = Service::start().await;
    let role = create_role(
        &service,
        TEAM,
        json!({"name": "Held", "permissions": ["role.delete"]}),
    )
    .await;
    let id = role.rsplit('/').next().unwrap();
    let member = service.bearer_of(1).await;
    for membership in ["ADMIN", "OWNER"] {
        service
            .sql(&format!(
                "UPDATE memberships SET role = '{membership}', role_id = '{id}' WHERE user_id = 1"
            ))
            .await;
        let response = service.request("DELETE", &role, &member, Value::Null).await;
        response.assert_error(403, "ForbiddenException");
        assert!(response.text.contains("role.create"), "{}", response.text);
    }
    // The permissions of a plain member are no escalation.
    service
        .sql("UPDATE memberships SET role = 'MEMBER' WHERE user_id = 1")
        .await;
    let response = service.request("DELETE", &role, &member, Value::Null).await;
    assert_eq!(response.status, 200, "{}", response.text);
}

#[tokio::test]
async fn organization_role_applies_in_its_teams() {
    let service = Service::start().await;
    let all_permissions = create_role(
        &service,
        ORGANIZATION,
        json!({"name": "All", "permissions": ["*.*"]}),
    )
    .await;
    let bookings = json!({"name": "Desk", "permissions": ["booking.readOrgBookings"]});
    let bookings = create_role(&service, ORGANIZATION, bookings).await;
    let member = service.bearer_of(1).await;
    let list = "/v2/teams/1/bookings";
    service
        .get_as(list, member.clone())
        .await
        .assert_error(403, "ForbiddenException");
    for (role, may_list_roles) in [(all_permissions, 200), (bookings, 403)] {
        let id = role.rsplit('/').next().unwrap();
        service
            .sql(&format!(
                "UPDATE organization_members SET role_id = '{id}' WHERE user_id = 1"
            ))
            .await;
        assert_eq!(service.get_as(list, member.clone()).await.status, 200);
        for base in LEVELS {
            assert_eq!(
                service.get_as(base, member.clone()).await.status,
                may_list_roles
            );
        }
    }
}

/// A user who may update roles cannot change one that has a permission that they lack.
#[tokio::test]
async fn change_of_a_stronger_role_returns_403() {
    let service = Service::start().await;
    let roles = "/v2/organizations/1/teams/1/roles";
    let make = async |name: &str, permissions: serde_json::Value| {
        let body = json!({"name": name, "permissions": permissions});
        let created = service.post_as(roles, service.owner(), body).await;
        created.data()["id"].as_str().unwrap().to_owned()
    };
    let editor = make("Editor", json!(["role.read", "role.update"])).await;
    let strong = make(
        "Strong",
        json!(["team.read", "role.read", "booking.update"]),
    )
    .await;
    let free = make("Free", json!(["booking.update"])).await;
    service
        .sql(&format!(
            "UPDATE memberships SET role = 'MEMBER', role_id = '{editor}' WHERE user_id = 2;
             UPDATE memberships SET role_id = '{strong}' WHERE user_id = 3"
        ))
        .await;
    let person = service.bearer_of(2).await;
    let permissions = format!("{roles}/{strong}/permissions");
    for (method, target, body) in [
        ("PUT", permissions.clone(), json!({"permissions": []})),
        (
            "PATCH",
            format!("{roles}/{strong}"),
            json!({"permissions": ["role.read"]}),
        ),
        (
            "PATCH",
            format!("{roles}/{strong}"),
            json!({"name": "Weak"}),
        ),
        (
            "PUT",
            format!("{roles}/{free}/permissions"),
            json!({"permissions": []}),
        ),
        ("DELETE", format!("{permissions}/role.read"), json!(null)),
        ("DELETE", format!("{permissions}/team.read"), json!(null)),
        (
            "DELETE",
            format!("{permissions}?permissions=booking.update"),
            json!(null),
        ),
    ] {
        service
            .request(method, &target, &person, body)
            .await
            .assert_error(403, "ForbiddenException");
    }
    let own = format!("{roles}/{editor}/permissions/role.read");
    let removed = service.request("DELETE", &own, &person, json!(null)).await;
    assert_eq!(removed.status, 204);
}
