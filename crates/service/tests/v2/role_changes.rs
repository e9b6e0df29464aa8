//! What happens to roles after they are made, on both of their levels:
//! /v2/organizations/{orgId}/teams/{teamId}/roles/{roleId} and /v2/organizations/{orgId}/roles/{roleId}

use booking_wire::ORGANIZATION_PERMISSIONS;
use serde_json::{Value, json};

use crate::common::{Service, redact};

const TEAM: &str = "/v2/organizations/1/teams/1/roles";
const ORGANIZATION: &str = "/v2/organizations/1/roles";
const LEVELS: [&str; 2] = [TEAM, ORGANIZATION];

async fn made(service: &Service, base: &str, body: Value) -> String {
    let answer = service.post_as(base, service.owner(), body).await;
    assert_eq!(answer.status, 201, "{}", answer.text);
    format!("{base}/{}", answer.data()["id"].as_str().unwrap())
}

async fn ask(service: &Service, method: &str, target: &str, body: Value) -> crate::common::Answer {
    service.ask(method, target, &service.owner(), body).await
}

#[tokio::test]
async fn an_organisations_role_names_the_organisation_and_may_hold_its_permissions() {
    let service = Service::start().await;
    let body = json!({"name": "All", "permissions": ORGANIZATION_PERMISSIONS.as_slice()});
    let answer = service.post_as(ORGANIZATION, service.owner(), body).await;
    assert_eq!(answer.status, 201, "{}", answer.text);
    assert_eq!(
        redact(answer.data()),
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
    assert_eq!(roles.last(), Some(answer.data()));
    for (base, permission, place) in [
        (ORGANIZATION, "booking.readTeamBookings", "an organization"),
        (TEAM, "organization.read", "a team"),
    ] {
        let body = json!({"name": "B", "permissions": [permission]});
        let answer = service.post_as(base, service.owner(), body).await;
        assert_eq!(
            answer.refused(400, "BadRequestException"),
            format!("permissions holds \"{permission}\", which is no permission of {place} role")
        );
    }
}

#[tokio::test]
async fn a_change_touches_what_it_names_and_nothing_else() {
    let service = Service::start().await;
    for base in LEVELS {
        let role = made(
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
            let answer = ask(&service, "PATCH", &role, body.clone()).await;
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
                assert_eq!(answer.data(), &expected, "{body}");
            } else {
                assert_eq!(redact(answer.data()), redact(&expected), "{body}");
            }
            assert_eq!(
                service.get_as(&role, service.owner()).await.data(),
                answer.data()
            );
        }
    }
}

#[tokio::test]
async fn system_role_shows_the_permissions_of_its_level() {
    let service = Service::start().await;
    let only_of_teams = ["booking.readTeamBookings", "booking.readTeamAuditLogs"];
    for (base, shows) in [(TEAM, true), (ORGANIZATION, false)] {
        let list = service.get_as(base, service.owner()).await;
        let owner = list.data().as_array().unwrap().iter();
        let owner = owner
            .clone()
            .find(|role| role["id"] == "owner_role")
            .unwrap();
        let target = format!("{base}/owner_role");
        let shown = service.get_as(&target, service.owner()).await;
        assert_eq!(shown.data(), owner);
        let permissions = format!("{target}/permissions");
        let permissions = service.get_as(&permissions, service.owner()).await;
        assert_eq!(permissions.data(), &owner["permissions"]);
        let held = owner["permissions"].as_array().unwrap();
        assert!(held.contains(&json!("role.create")));
        for permission in only_of_teams {
            assert_eq!(
                held.contains(&json!(permission)),
                shows,
                "{base} {permission}"
            );
        }
        for permission in held {
            let known = !shows && ORGANIZATION_PERMISSIONS.contains(&permission.as_str().unwrap());
            assert!(shows || known, "{permission}");
        }
    }
}

#[tokio::test]
async fn a_change_that_breaks_a_rule_leaves_the_role_as_it_was() {
    let service = Service::start().await;
    for base in LEVELS {
        made(&service, base, json!({"name": "Taken"})).await;
        let role = made(
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
            let answer = ask(&service, "PATCH", &role, body.clone()).await;
            let message = answer.refused(400, "BadRequestException");
            assert!(message.contains(text), "{body}: {message}");
        }
        assert_eq!(service.get_as(&role, service.owner()).await.data(), &before);
    }
}

#[tokio::test]
async fn permissions_can_be_added_replaced_and_taken_away_one_by_one() {
    let service = Service::start().await;
    for base in LEVELS {
        let role = made(
            &service,
            base,
            json!({"name": "A", "permissions": ["role.read"]}),
        )
        .await;
        let all = format!("{role}/permissions");
        for (method, target, body, held) in [
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
            let answer = ask(&service, method, &target, body).await;
            if method == "DELETE" {
                assert_eq!((answer.status, answer.text.as_str()), (204, ""), "{target}");
            } else {
                assert_eq!(answer.status, 200);
                assert_eq!(answer.data(), &held, "{method}");
            }
            assert_eq!(service.get_as(&all, service.owner()).await.data(), &held);
            let shown = service.get_as(&role, service.owner()).await;
            assert_eq!(shown.data()["permissions"], held);
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
            ask(&service, method, &target, body)
                .await
                .refused(400, "BadRequestException");
        }
    }
}

#[tokio::test]
async fn the_services_own_roles_cannot_be_changed() {
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
                ask(&service, method, &target, body)
                    .await
                    .refused(400, "BadRequestException");
            }
            assert_eq!(service.get_as(&role, service.owner()).await.data(), &before);
        }
    }
}

#[tokio::test]
async fn a_role_is_found_in_its_own_place_only() {
    let service = Service::start().await;
    service
        .sql(
            "INSERT INTO teams (id, organization_id, name, slug) VALUES (2, 1, 'Second', 'second')",
        )
        .await;
    let of_team = made(&service, TEAM, json!({"name": "T"})).await;
    let of_organization = made(&service, ORGANIZATION, json!({"name": "O"})).await;
    let id = |target: &str| target.rsplit('/').next().unwrap().to_owned();
    for target in [
        format!("/v2/organizations/1/teams/2/roles/{}", id(&of_team)),
        format!("{ORGANIZATION}/{}", id(&of_team)),
        format!("{TEAM}/{}", id(&of_organization)),
        format!("{TEAM}/unknown"),
        format!("/v2/organizations/9/roles/{}", id(&of_organization)),
    ] {
        for (method, body) in [
            ("GET", Value::Null),
            ("PATCH", json!({"name": "X"})),
            ("DELETE", Value::Null),
        ] {
            ask(&service, method, &target, body)
                .await
                .refused(404, "NotFoundException");
        }
        ask(
            &service,
            "GET",
            &format!("{target}/permissions"),
            Value::Null,
        )
        .await
        .refused(404, "NotFoundException");
    }
    // The same name may be used in both places.
    made(&service, ORGANIZATION, json!({"name": "T"})).await;
}

#[tokio::test]
async fn members_whose_role_is_deleted_have_the_rights_of_their_membership_again() {
    let service = Service::start().await;
    let member = service.bearer_of(1).await;
    for (base, table) in [
        (TEAM, "memberships"),
        (ORGANIZATION, "organization_members"),
    ] {
        let role = made(
            &service,
            base,
            json!({"name": "Reader", "permissions": ["role.read"]}),
        )
        .await;
        service
            .get_as(base, member.clone())
            .await
            .refused(403, "ForbiddenException");
        let id = role.rsplit('/').next().unwrap();
        service
            .sql(&format!(
                "UPDATE {table} SET role_id = '{id}' WHERE user_id = 1"
            ))
            .await;
        assert_eq!(service.get_as(base, member.clone()).await.status, 200);
        let gone = ask(&service, "DELETE", &role, Value::Null).await;
        assert_eq!(gone.status, 200);
        assert_eq!(gone.data()["name"], "Reader");
        service
            .get_as(base, member.clone())
            .await
            .refused(403, "ForbiddenException");
        ask(&service, "DELETE", &role, Value::Null)
            .await
            .refused(404, "NotFoundException");
        assert_eq!(
            service
                .count(&format!("{table} WHERE role_id IS NOT NULL"))
                .await,
            0
        );
    }
}

#[tokio::test]
async fn nobody_extends_a_role_that_members_hold_beyond_their_own_rights() {
    let service = Service::start().await;
    let role = made(
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
    let keeper = service.bearer_of(1).await;
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
        let answer = service.ask(method, &target, &keeper, body).await;
        assert!(
            answer
                .refused(403, "ForbiddenException")
                .contains("team.delete")
        );
    }
    let fewer = json!({"permissions": ["role.update"]});
    assert_eq!(
        service.ask("PATCH", &role, &keeper, fewer).await.status,
        200
    );
    let more = json!({"permissions": ["team.delete"]});
    assert_eq!(
        ask(&service, "POST", &format!("{role}/permissions"), more)
            .await
            .status,
        200
    );
}

#[tokio::test]
async fn nobody_rids_themselves_of_a_role_that_holds_them_back() {
    let service = Service::start().await;
    let role = made(
        &service,
        TEAM,
        json!({"name": "Held", "permissions": ["role.delete"]}),
    )
    .await;
    let id = role.rsplit('/').next().unwrap();
    let held = service.bearer_of(1).await;
    for membership in ["ADMIN", "OWNER"] {
        service
            .sql(&format!(
                "UPDATE memberships SET role = '{membership}', role_id = '{id}' WHERE user_id = 1"
            ))
            .await;
        let answer = service.ask("DELETE", &role, &held, Value::Null).await;
        answer.refused(403, "ForbiddenException");
        assert!(answer.text.contains("role.create"), "{}", answer.text);
    }
    // A member falls back to rights that anybody may give.
    service
        .sql("UPDATE memberships SET role = 'MEMBER' WHERE user_id = 1")
        .await;
    let answer = service.ask("DELETE", &role, &held, Value::Null).await;
    assert_eq!(answer.status, 200, "{}", answer.text);
}

#[tokio::test]
async fn an_organisations_role_reaches_into_its_teams() {
    let service = Service::start().await;
    let everything = made(
        &service,
        ORGANIZATION,
        json!({"name": "All", "permissions": ["*.*"]}),
    )
    .await;
    let bookings = json!({"name": "Desk", "permissions": ["booking.readOrgBookings"]});
    let bookings = made(&service, ORGANIZATION, bookings).await;
    let member = service.bearer_of(1).await;
    let list = "/v2/teams/1/bookings";
    service
        .get_as(list, member.clone())
        .await
        .refused(403, "ForbiddenException");
    for (role, may_list_roles) in [(everything, 200), (bookings, 403)] {
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

/// A person who may change roles takes nothing from those who have more.
#[tokio::test]
async fn permission_one_lacks_cannot_be_taken_from_a_role_that_is_held() {
    let service = Service::start().await;
    let roles = "/v2/organizations/1/teams/1/roles";
    let make = async |name: &str, permissions: serde_json::Value| {
        let body = json!({"name": name, "permissions": permissions});
        let made = service.post_as(roles, service.owner(), body).await;
        made.data()["id"].as_str().unwrap().to_owned()
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
        ("DELETE", format!("{permissions}/team.read"), json!(null)),
        (
            "DELETE",
            format!("{permissions}?permissions=booking.update"),
            json!(null),
        ),
    ] {
        service
            .ask(method, &target, &person, body)
            .await
            .refused(403, "ForbiddenException");
    }
    // What one has oneself may go, and so may everything of a role that nobody holds.
    let taken = service
        .ask(
            "DELETE",
            &format!("{permissions}/role.read"),
            &person,
            json!(null),
        )
        .await;
    assert_eq!(taken.status, 204);
    let emptied = service
        .ask(
            "PUT",
            &format!("{roles}/{free}/permissions"),
            &person,
            json!({"permissions": []}),
        )
        .await;
    assert_eq!(emptied.data(), &json!([]));
}
