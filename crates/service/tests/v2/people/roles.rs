//! /v2/organizations/{orgId}/teams/{teamId}/roles

use booking_wire::TEAM_PERMISSIONS;
use serde_json::{Value, json};

use crate::common::{Service, redact};

const ROLES: &str = "/v2/organizations/1/teams/1/roles";

#[tokio::test]
async fn created_role_is_listed() {
    let service = Service::start().await;
    let body = json!({
        "name": "  Reporter ",
        "color": "#1d4ed8",
        "description": "Reads the numbers",
        "permissions": ["insights.read", "booking.read", "insights.read"],
    });
    let created = service.post_as(ROLES, service.manager(), body).await;
    assert_eq!(created.status, 201, "{}", created.text);
    assert_eq!(
        redact(&created.body),
        json!({"status": "success", "data": {
            "id": "[id]",
            "name": "Reporter",
            "type": "CUSTOM",
            "color": "#1d4ed8",
            "description": "Reads the numbers",
            "teamId": 1,
            "permissions": ["insights.read", "booking.read"],
            "createdAt": "[createdAt]",
            "updatedAt": "[updatedAt]",
        }})
    );
    let list = service.get_as(ROLES, service.manager()).await;
    assert_eq!(
        list.data().as_array().unwrap().last().unwrap(),
        created.data()
    );
}

#[tokio::test]
async fn list_begins_with_system_roles() {
    let service = Service::start().await;
    let list = service.get_as(ROLES, service.owner()).await;
    let roles = list.data().as_array().unwrap();
    assert!(list.body.get("pagination").is_none());
    let system: Vec<&Value> = roles
        .iter()
        .filter(|role| role["type"] == "SYSTEM")
        .collect();
    assert_eq!(system.len(), 3);
    assert!(system.iter().all(|role| role["teamId"].is_null()));
    let permissions = |id: &str| {
        let role = roles.iter().find(|role| role["id"] == id).unwrap();
        role["permissions"].as_array().unwrap().clone()
    };
    assert_eq!(permissions("owner_role"), TEAM_PERMISSIONS.map(Value::from));
    assert_eq!(permissions("admin_role").len(), 35);
    assert!(!permissions("admin_role").contains(&json!("team.delete")));
    assert_eq!(permissions("member_role").len(), 4);
    assert_eq!(roles.len(), 5);
    let page = service
        .get_as(&format!("{ROLES}?take=2&skip=3"), service.owner())
        .await;
    assert_eq!(page.data().as_array().unwrap()[..], roles[3..]);
}

#[tokio::test]
async fn role_with_name_only_is_created() {
    let service = Service::start().await;
    let created = service
        .post_as(ROLES, service.owner(), json!({"name": "Plain"}))
        .await;
    let data = created.data();
    assert_eq!(data["permissions"], json!([]));
    assert_eq!(
        (&data["color"], &data["description"]),
        (&Value::Null, &Value::Null)
    );
    let short = service
        .post_as(
            ROLES,
            service.owner(),
            json!({"name": "Short", "color": "#abc"}),
        )
        .await;
    assert_eq!(short.data()["color"], "#abc");
}

#[tokio::test]
async fn invalid_role_returns_400_and_is_not_stored() {
    let service = Service::start().await;
    let stored = service.count("roles").await;
    for (body, text) in [
        (json!({}), "name must be a string"),
        (json!({"name": ""}), "name should not be empty"),
        (json!({"name": "   "}), "name should not be empty"),
        (json!({"name": 7}), "name must be a string"),
        (
            json!({"name": "x".repeat(1001)}),
            "name must be at most 1000 characters long",
        ),
        (
            json!({"name": "A", "color": "red"}),
            "color must be a colour like #1A2 or #1A2B3C",
        ),
        (
            json!({"name": "A", "color": "#12"}),
            "color must be a colour like #1A2 or #1A2B3C",
        ),
        (
            json!({"name": "A", "color": "#12345g"}),
            "color must be a colour like #1A2 or #1A2B3C",
        ),
        (
            json!({"name": "A", "description": []}),
            "description must be a string",
        ),
        (
            json!({"name": "A", "permissions": "role.read"}),
            "permissions must be an array",
        ),
        (
            json!({"name": "A", "permissions": ["role.fly"]}),
            "permissions holds \"role.fly\", which is no permission of a team role",
        ),
        (
            json!({"name": "A", "permissions": [1]}),
            "permissions holds 1, which is no permission of a team role",
        ),
    ] {
        let response = service
            .post_as(ROLES, service.manager(), body.clone())
            .await;
        assert_eq!(
            response.assert_error(400, "BadRequestException"),
            text,
            "{body}"
        );
    }
    for name in ["Scheduler", "Owner"] {
        let response = service
            .post_as(ROLES, service.manager(), json!({"name": name}))
            .await;
        assert!(
            response
                .assert_error(400, "BadRequestException")
                .contains("exists")
        );
    }
    assert_eq!(service.count("roles").await, stored);
}

#[tokio::test]
async fn role_operations_require_matching_permissions() {
    let service = Service::start().await;
    let body = json!({"name": "New"});
    service
        .get(ROLES)
        .await
        .assert_error(401, "UnauthorizedException");
    service
        .post(ROLES, body.clone())
        .await
        .assert_error(401, "UnauthorizedException");
    let member = service.bearer_of(1).await;
    service
        .post_as(ROLES, member.clone(), body.clone())
        .await
        .assert_error(403, "ForbiddenException");
    service
        .get_as(ROLES, member.clone())
        .await
        .assert_error(403, "ForbiddenException");
    let role = json!({"name": "Role keeper", "permissions": ["role.create"]});
    let created = service.post_as(ROLES, service.owner(), role).await;
    let id = created.data()["id"].as_str().unwrap();
    service
        .sql(&format!(
            "UPDATE memberships SET role_id = '{id}' WHERE user_id = 1"
        ))
        .await;
    assert_eq!(
        service.post_as(ROLES, member.clone(), body).await.status,
        201
    );
    service
        .get_as(ROLES, member)
        .await
        .assert_error(403, "ForbiddenException");
}

#[tokio::test]
async fn client_credentials_act_as_owner_with_either_prefix() {
    let service = Service::start().await;
    for (number, prefix) in ["x-svc", "x-cal"].into_iter().enumerate() {
        let headers = [
            (format!("{prefix}-client-id"), service.secret("clientId")),
            (
                format!("{prefix}-secret-key"),
                service.secret("clientSecret"),
            ),
            // Ignored, because the client credentials take precedence.
            ("authorization".into(), "Bearer nonsense".into()),
        ];
        let body = json!({"name": format!("Role {number}")});
        let created = service
            .call(axum::http::Method::POST, ROLES, &headers, Some(body))
            .await;
        assert_eq!(created.status, 201, "{}", created.text);
    }
    let wrong = [
        ("x-svc-client-id".to_owned(), service.secret("clientId")),
        ("x-svc-secret-key".to_owned(), "wrong".to_owned()),
    ];
    let response = service
        .call(axum::http::Method::GET, ROLES, &wrong, None)
        .await;
    response.assert_error(401, "UnauthorizedException");
}

#[tokio::test]
async fn unknown_organization_or_foreign_team_returns_404() {
    let service = Service::start().await;
    service
        .sql(
            "INSERT INTO organizations (id, name, slug) VALUES (2, 'Other', 'other');
             INSERT INTO teams (id, organization_id, name, slug) VALUES (2, 2, 'Other', 'other')",
        )
        .await;
    for target in [
        "/v2/organizations/9/teams/1/roles",
        "/v2/organizations/2/teams/1/roles",
        "/v2/organizations/1/teams/2/roles",
    ] {
        service
            .get_as(target, service.owner())
            .await
            .assert_error(404, "NotFoundException");
        service
            .post_as(target, service.owner(), json!({"name": "A"}))
            .await
            .assert_error(404, "NotFoundException");
    }
    // The owner of another organization has no access.
    service
        .get_as("/v2/organizations/2/teams/2/roles", service.owner())
        .await
        .assert_error(403, "ForbiddenException");
    service
        .get_as("/v2/organizations/x/teams/1/roles", service.owner())
        .await
        .assert_error(400, "BadRequestException");
}
