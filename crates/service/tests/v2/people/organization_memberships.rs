//! /v2/organizations/{orgId}/memberships

use serde_json::{Value, json};

use crate::common::{HOST, OTHER_HOST, Service, TestResponse};

const LIST: &str = "/v2/organizations/1/memberships";
const ROLES: &str = "/v2/organizations/1/roles";
/// Owner of the demo organization.
const OWNER: i64 = 5;
const MEMBER: i64 = 1;

/// Path of a user's membership.
async fn membership_path(service: &Service, user_id: i64) -> String {
    let list = service.get_as(LIST, service.owner()).await;
    let mut memberships = list.data().as_array().unwrap().iter();
    let found = memberships.find(|one| one["userId"] == user_id).unwrap();
    format!("{LIST}/{}", found["id"])
}

/// Creates a role of the organization and returns its id.
async fn create_role(service: &Service, permissions: &[&str]) -> String {
    let body = json!({"name": permissions.join(" "), "permissions": permissions});
    let created = service.post_as(ROLES, service.owner(), body).await;
    created.data()["id"].as_str().unwrap().to_owned()
}

/// Updates a membership as the user `user_id`.
async fn patch(service: &Service, user_id: i64, target: &str, body: Value) -> TestResponse {
    let caller = service.bearer_of(user_id).await;
    service.request("PATCH", target, &caller, body).await
}

#[tokio::test]
async fn assigned_role_applies_in_organization_and_teams_until_removed() {
    let service = Service::start().await;
    let target = membership_path(&service, MEMBER).await;
    let role_id = create_role(
        &service,
        &["booking.readOrgBookings", "organization.listMembers"],
    )
    .await;
    let assigned = service
        .request(
            "PATCH",
            &target,
            &service.owner(),
            json!({"roleId": role_id}),
        )
        .await;
    let id: i64 = target.rsplit('/').next().unwrap().parse().unwrap();
    let full = json!({
        "id": id, "userId": MEMBER, "teamId": 1, "organizationId": 1, "accepted": true, "role": "MEMBER",
        "roleId": role_id, "disableImpersonation": false, "attributes": [],
        "user": {
            "email": "ada@northwind.example", "name": "Ada Brandt", "username": "ada", "metadata": {},
            "avatarUrl": "http://127.0.0.1:8080/demo/ada.svg",
        },
    });
    assert_eq!(assigned.data(), &full);
    let member = service.bearer_of(MEMBER).await;
    for read in ["/v2/teams/1/bookings", LIST] {
        assert_eq!(service.get_as(read, member.clone()).await.status, 200);
    }
    assert_eq!(service.get_as(&target, member.clone()).await.data(), &full);
    let removed = service
        .request("PATCH", &target, &service.owner(), json!({"roleId": null}))
        .await;
    assert_eq!(removed.data()["roleId"], Value::Null);
    for read in ["/v2/teams/1/bookings", LIST] {
        let response = service.get_as(read, member.clone()).await;
        response.assert_error(403, "ForbiddenException");
    }
    // Users can always read their own membership.
    assert_eq!(service.get_as(&target, member).await.status, 200);
}

#[tokio::test]
async fn list_is_paged_and_filtered_by_email() {
    let service = Service::start().await;
    let list = service.get_as(LIST, service.owner()).await;
    assert!(list.body.get("pagination").is_none());
    let all = list.data().as_array().unwrap().clone();
    assert_eq!(all.len(), 5);
    let page = service
        .get_as(&format!("{LIST}?take=2&skip=1"), service.owner())
        .await;
    assert_eq!(page.data().as_array().unwrap()[..], all[1..3]);
    let emails = "Ada@northwind.example,nobody@northwind.example";
    let filtered = service
        .get_as(&format!("{LIST}?emails={emails}"), service.owner())
        .await;
    assert_eq!(filtered.data(), &json!([all[0]]));
    for query in ["take=0", "take=251", "skip=-1", "emails=x"] {
        let response = service
            .get_as(&format!("{LIST}?{query}"), service.owner())
            .await;
        response.assert_error(400, "BadRequestException");
    }
}

#[tokio::test]
async fn memberships_are_hidden_from_unauthorized_callers() {
    let service = Service::start().await;
    let target = membership_path(&service, MEMBER).await;
    service
        .sql(&format!(
            "INSERT INTO organizations (id, name, slug) VALUES (2, 'Other', 'other');
             INSERT INTO organization_members (organization_id, user_id, role) VALUES (2, {HOST}, 'OWNER')"
        ))
        .await;
    for person in [HOST, OTHER_HOST, 2] {
        let caller = service.bearer_of(person).await;
        for path in [LIST, target.as_str(), &format!("{LIST}/987654")] {
            service
                .get_as(path, caller.clone())
                .await
                .assert_error(403, "ForbiddenException");
        }
        patch(&service, person, &target, json!({"role": "ADMIN"}))
            .await
            .assert_error(403, "ForbiddenException");
    }
    // A membership is found only in its own organization.
    let id = target.rsplit('/').next().unwrap();
    let owner = service.bearer_of(HOST).await;
    for path in [
        format!("/v2/organizations/2/memberships/{id}"),
        "/v2/organizations/9/memberships".to_owned(),
    ] {
        service
            .get_as(&path, owner.clone())
            .await
            .assert_error(404, "NotFoundException");
    }
}

#[tokio::test]
async fn role_change_beyond_own_permissions_returns_403() {
    let service = Service::start().await;
    let (role_manager, other) = (2, 3);
    let mut targets = Vec::new();
    for person in [role_manager, other, OWNER] {
        targets.push(membership_path(&service, person).await);
    }
    let [own, others, owners] = targets.as_slice() else {
        unreachable!()
    };
    let change = "organization.changeMemberRole";
    let own_role = create_role(&service, &[change, "role.read"]).await;
    let less = create_role(&service, &["role.read"]).await;
    let more = create_role(&service, &["role.read", "webhook.read"]).await;
    let all = create_role(&service, &["*.*"]).await;
    service
        .sql(&format!(
            "UPDATE organization_members SET role = 'MEMBER', role_id = NULL WHERE user_id <> {OWNER};
             UPDATE organization_members SET role_id = '{own_role}' WHERE user_id = {role_manager}"
        ))
        .await;
    for (target, body) in [
        (others, json!({"roleId": more})),
        (others, json!({"roleId": all})),
        (others, json!({"role": "ADMIN"})),
        (others, json!({"role": "OWNER"})),
        (own, json!({"roleId": more})),
        // Also while a custom role applies, because that can be removed.
        (own, json!({"role": "ADMIN"})),
        (own, json!({"role": "OWNER", "roleId": less})),
        (owners, json!({"role": "MEMBER"})),
        (owners, json!({"roleId": less})),
        (owners, json!({"disableImpersonation": true})),
    ] {
        let response = patch(&service, role_manager, target, body.clone()).await;
        assert_eq!(response.status, 403, "{target} {body} {}", response.text);
    }
    for body in [json!({"roleId": less}), json!({"roleId": own_role})] {
        let assigned = patch(&service, role_manager, others, body).await;
        assert_eq!(assigned.status, 200, "{}", assigned.text);
    }
    // A role with more permissions than the caller's cannot be removed.
    service
        .sql(&format!(
            "UPDATE organization_members SET role_id = '{more}' WHERE user_id = {other}"
        ))
        .await;
    for body in [json!({"roleId": null}), json!({"roleId": less})] {
        patch(&service, role_manager, others, body)
            .await
            .assert_error(403, "ForbiddenException");
    }
    // A custom role with all permissions does not make its holder an administrator.
    service
        .sql(&format!(
            "UPDATE organization_members SET role_id = '{all}' WHERE user_id = {role_manager}"
        ))
        .await;
    for role in ["ADMIN", "OWNER"] {
        patch(&service, role_manager, others, json!({"role": role}))
            .await
            .assert_error(403, "ForbiddenException");
    }
    let removed = patch(&service, role_manager, others, json!({"roleId": null})).await;
    assert_eq!(removed.status, 200, "{}", removed.text);
}

#[tokio::test]
async fn admin_assigns_admins_and_owner_assigns_owners() {
    let service = Service::start().await;
    let admin = 2;
    service
        .sql(&format!(
            "UPDATE organization_members SET role = 'ADMIN' WHERE user_id = {admin}"
        ))
        .await;
    let other = membership_path(&service, 3).await;
    let owner = membership_path(&service, OWNER).await;
    for role in ["ADMIN", "MEMBER", "ADMIN"] {
        let changed = patch(&service, admin, &other, json!({"role": role})).await;
        assert_eq!(changed.data()["role"], role);
    }
    for (target, role) in [(&other, "OWNER"), (&owner, "ADMIN")] {
        patch(&service, admin, target, json!({"role": role}))
            .await
            .assert_error(403, "ForbiddenException");
    }
    let created = patch(&service, OWNER, &other, json!({"role": "OWNER"})).await;
    assert_eq!(created.data()["role"], "OWNER");
    patch(&service, admin, &other, json!({"role": "ADMIN"}))
        .await
        .assert_error(403, "ForbiddenException");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn last_owner_cannot_step_down() {
    let service = Service::start().await;
    let owner = membership_path(&service, OWNER).await;
    for body in [json!({"role": "MEMBER"}), json!({"role": "ADMIN"})] {
        patch(&service, OWNER, &owner, body)
            .await
            .assert_error(400, "BadRequestException");
    }
    let second = membership_path(&service, MEMBER).await;
    patch(&service, OWNER, &second, json!({"role": "OWNER"}))
        .await
        .data();
    let step_down = json!({"role": "MEMBER"});
    let (first, other) = tokio::join!(
        patch(&service, OWNER, &owner, step_down.clone()),
        patch(&service, MEMBER, &second, step_down.clone()),
    );
    let mut statuses = [first.status, other.status];
    statuses.sort_unstable();
    assert_eq!(statuses, [200, 400]);
    let owners = "organization_members WHERE organization_id = 1 AND role = 'OWNER'";
    assert_eq!(service.count(owners).await, 1);
}

#[tokio::test]
async fn invalid_change_returns_400() {
    let service = Service::start().await;
    let target = membership_path(&service, MEMBER).await;
    let team_role = service
        .post_as(
            "/v2/organizations/1/teams/1/roles",
            service.owner(),
            json!({"name": "Team's"}),
        )
        .await;
    for (body, property) in [
        (json!({"role": "BOSS"}), "role"),
        (json!({"role": null}), "role"),
        (json!({"accepted": false}), "accepted"),
        (json!({"accepted": 1}), "accepted"),
        (
            json!({"disableImpersonation": "no"}),
            "disableImpersonation",
        ),
        (json!({"roleId": "unknown"}), "roleId"),
        (json!({"roleId": team_role.data()["id"]}), "roleId"),
        (json!({"roleId": "owner_role"}), "roleId"),
        (json!({"roleId": 5}), "roleId"),
    ] {
        let response = patch(&service, OWNER, &target, body.clone()).await;
        response.assert_error(400, "BadRequestException");
        assert_eq!(response.constraints()[0].0, property, "{body}");
    }
    let updated = patch(
        &service,
        OWNER,
        &target,
        json!({"accepted": true, "disableImpersonation": true, "unknown": 1}),
    )
    .await;
    assert_eq!(updated.data()["disableImpersonation"], true);
    assert_eq!(
        service.get_as(&target, service.owner()).await.data(),
        updated.data()
    );
    for (path, status, code) in [
        (format!("{LIST}/9999"), 404, "NotFoundException"),
        (format!("{LIST}/x"), 400, "BadRequestException"),
    ] {
        for (method, body) in [("GET", Value::Null), ("PATCH", json!({}))] {
            service
                .request(method, &path, &service.owner(), body)
                .await
                .assert_error(status, code);
        }
    }
}

#[tokio::test]
async fn role_is_deleted_only_with_its_permissions() {
    let service = Service::start().await;
    for base in [ROLES, "/v2/organizations/1/teams/1/roles"] {
        let create_role_with = async |name: &str, permissions: Value| {
            let body = json!({"name": name, "permissions": permissions});
            let created = service.post_as(base, service.owner(), body).await;
            created.data()["id"].as_str().unwrap().to_owned()
        };
        let deleter = create_role_with("Deleter", json!(["role.read", "role.delete"])).await;
        let strong = create_role_with("Strong", json!(["role.read", "webhook.update"])).await;
        let free = create_role_with("Free", json!(["webhook.update"])).await;
        let table = match base {
            ROLES => "organization_members",
            _ => "memberships",
        };
        service
            .sql(&format!(
                "UPDATE organization_members SET role_id = NULL;
                 UPDATE {table} SET role = 'MEMBER', role_id = '{deleter}' WHERE user_id = 2;
                 UPDATE {table} SET role = 'MEMBER', role_id = '{strong}' WHERE user_id = 3"
            ))
            .await;
        let person = service.bearer_of(2).await;
        let delete = async |id: &str| {
            let target = format!("{base}/{id}");
            service
                .request("DELETE", &target, &person, Value::Null)
                .await
        };
        for role in [&strong, &free] {
            delete(role).await.assert_error(403, "ForbiddenException");
        }
        // A role is as strong as its strongest holder.
        let set_owner =
            format!("UPDATE {table} SET role = 'OWNER', role_id = '{deleter}' WHERE user_id = 3");
        service.sql(&set_owner).await;
        delete(&deleter)
            .await
            .assert_error(403, "ForbiddenException");
        let set_member = format!("UPDATE {table} SET role = 'MEMBER' WHERE user_id = 3");
        service.sql(&set_member).await;
        assert_eq!(delete(&deleter).await.status, 200);
    }
}
