//! /v2/teams/{teamId}/memberships

use serde_json::{Value, json};

use crate::common::{HOST, OTHER_HOST, Service};

const LIST: &str = "/v2/teams/1/memberships";

async fn membership_path(service: &Service, user_id: i64) -> String {
    let list = service.get_as(LIST, service.owner()).await;
    let memberships = list.data().as_array().unwrap();
    let found = memberships
        .iter()
        .find(|one| one["userId"] == user_id)
        .unwrap();
    format!("{LIST}/{}", found["id"])
}

/// Adds `HOST` to the organization, but to no team. Returns the user id.
async fn add_colleague(service: &Service) -> i64 {
    service
        .sql(&format!(
            "UPDATE users SET organization_id = 1 WHERE id = {HOST};
             INSERT INTO organization_members (organization_id, user_id, role) VALUES (1, {HOST}, 'MEMBER')"
        ))
        .await;
    HOST
}

#[tokio::test]
async fn invitation_gives_access_after_acceptance() {
    let service = Service::start().await;
    let user_id = add_colleague(&service).await;
    let created = service
        .post_as(LIST, service.manager(), json!({"userId": user_id}))
        .await;
    assert_eq!(created.status, 201, "{}", created.text);
    let id = created.data()["id"].as_i64().unwrap();
    let full = json!({
        "id": id, "userId": user_id, "teamId": 1, "accepted": false, "role": "MEMBER",
        "roleId": null, "disableImpersonation": false,
        "user": {
            "email": "host100@northwind.example", "name": "Host 100", "username": "host100",
            "metadata": {},
        },
    });
    // Before acceptance, only the name is visible, except to the invited user and to administrators
    // of the organization.
    let mut name_only = full.clone();
    name_only["user"]["email"] = json!("");
    name_only["user"]
        .as_object_mut()
        .unwrap()
        .remove("username");
    assert_eq!(created.data(), &name_only);
    let response = service
        .get_as(&format!("{LIST}/{id}"), service.manager())
        .await;
    assert_eq!(response.data(), &name_only);
    let list = service.get_as(LIST, service.manager()).await;
    assert_eq!(list.data().as_array().unwrap().last().unwrap(), &name_only);
    let list = service.get_as(LIST, service.owner()).await;
    assert_eq!(list.data().as_array().unwrap().last().unwrap(), &full);
    service
        .post_as(LIST, service.manager(), json!({"userId": user_id}))
        .await
        .assert_error(409, "ConflictException");
    let own = format!("{LIST}/{id}");
    let invited = service.bearer_of(user_id).await;
    // An invitation gives access to the invitation only.
    service
        .get_as("/v2/teams/1", invited.clone())
        .await
        .assert_error(403, "ForbiddenException");
    assert_eq!(service.get_as(&own, invited.clone()).await.data(), &full);
    let escalation = service
        .request(
            "PATCH",
            &own,
            &invited,
            json!({"accepted": true, "role": "ADMIN"}),
        )
        .await;
    escalation.assert_error(403, "ForbiddenException");
    let accepted = service
        .request("PATCH", &own, &invited, json!({"accepted": true}))
        .await;
    assert_eq!(accepted.data()["accepted"], true);
    assert_eq!(
        service.get_as("/v2/teams/1", invited.clone()).await.status,
        200
    );
    // The member leaves.
    let deleted = service.request("DELETE", &own, &invited, Value::Null).await;
    assert_eq!(deleted.data(), accepted.data());
    service
        .get_as("/v2/teams/1", invited)
        .await
        .assert_error(403, "ForbiddenException");
    service
        .get_as(&own, service.owner())
        .await
        .assert_error(404, "NotFoundException");
}

#[tokio::test]
async fn list_is_paged_and_filtered_by_email() {
    let service = Service::start().await;
    let list = service.get_as(LIST, service.owner()).await;
    assert!(list.body.get("pagination").is_none());
    let all = list.data().as_array().unwrap();
    assert_eq!(all.len(), 5);
    let page = service
        .get_as(&format!("{LIST}?take=2&skip=1"), service.owner())
        .await;
    assert_eq!(page.data().as_array().unwrap()[..], all[1..3]);
    let filtered = service
        .get_as(
            &format!("{LIST}?emails=Ada@northwind.example,nobody@northwind.example"),
            service.owner(),
        )
        .await;
    assert_eq!(filtered.data(), &json!([all[0]]));
    let many = vec!["a@b.example"; 21].join(",");
    for query in [
        format!("emails={many}"),
        "emails=".into(),
        "emails=ada".into(),
        "take=0".into(),
        "take=251".into(),
        "skip=-1".into(),
    ] {
        service
            .get_as(&format!("{LIST}?{query}"), service.owner())
            .await
            .assert_error(400, "BadRequestException");
    }
}

#[tokio::test]
async fn private_team_members_are_hidden_from_plain_members() {
    let service = Service::start().await;
    let member = service.bearer_of(1).await;
    let other = membership_path(&service, 2).await;
    let own = membership_path(&service, 1).await;
    assert_eq!(service.get_as(LIST, member.clone()).await.status, 200);
    service.sql("UPDATE teams SET is_private = 1").await;
    for target in [LIST, &other] {
        let response = service.get_as(target, member.clone()).await;
        assert!(
            response
                .assert_error(403, "ForbiddenException")
                .contains("listMembersPrivate")
        );
        assert_eq!(service.get_as(target, service.manager()).await.status, 200);
    }
    assert_eq!(service.get_as(&own, member).await.status, 200);
}

#[tokio::test]
async fn user_of_another_organization_cannot_be_added() {
    let service = Service::start().await;
    // A user without organization, and an unknown id.
    for user_id in [HOST, 9999] {
        service
            .post_as(LIST, service.owner(), json!({"userId": user_id}))
            .await
            .assert_error(404, "NotFoundException");
    }
    // A team without organization.
    let host = service.bearer_of(HOST).await;
    let created = service
        .post_as("/v2/teams", host.clone(), json!({"name": "Two"}))
        .await;
    let list = format!("/v2/teams/{}/memberships", created.data()["id"]);
    service
        .post_as(&list, host.clone(), json!({"userId": 1}))
        .await
        .assert_error(404, "NotFoundException");
    let body = json!({"userId": OTHER_HOST, "accepted": true, "role": "ADMIN", "disableImpersonation": true});
    let added = service.post_as(&list, host.clone(), body).await;
    assert_eq!(
        (
            &added.data()["role"],
            &added.data()["accepted"],
            &added.data()["disableImpersonation"]
        ),
        (&json!("ADMIN"), &json!(false), &json!(true))
    );
    // Managed users cannot be added by others.
    service
        .sql(
            "INSERT INTO users (id, username, email, time_zone, oauth_client_id)
             SELECT 300, 'managed', 'managed@x.example', 'UTC', id FROM oauth_clients",
        )
        .await;
    service
        .post_as(&list, host, json!({"userId": 300}))
        .await
        .assert_error(404, "NotFoundException");
}

#[tokio::test]
async fn role_change_beyond_own_permissions_returns_403() {
    let service = Service::start().await;
    add_colleague(&service).await;
    // A second owner of the team, who is no owner of the organization.
    service
        .sql("UPDATE memberships SET role = 'OWNER' WHERE user_id = 3")
        .await;
    let roles = "/v2/organizations/1/teams/1/roles";
    let mut custom = Vec::new();
    for (name, permissions) in [
        (
            "Gate",
            json!([
                "team.invite",
                "team.changeMemberRole",
                "team.remove",
                "team.read"
            ]),
        ),
        ("Reader", json!(["team.read"])),
        ("Mighty", json!(["team.read", "team.delete"])),
    ] {
        let body = json!({"name": name, "permissions": permissions});
        let created = service.post_as(roles, service.owner(), body).await;
        custom.push(created.data()["id"].as_str().unwrap().to_owned());
    }
    let [gate, reader, mighty] = [&custom[0], &custom[1], &custom[2]];
    service
        .sql(&format!(
            "UPDATE memberships SET role_id = '{gate}' WHERE user_id = 1"
        ))
        .await;
    let role_manager = service.bearer_of(1).await;
    let admin = service.manager();
    let owner = service.bearer_of(3).await;
    let (two, four, five) = (
        membership_path(&service, 2).await,
        membership_path(&service, 4).await,
        membership_path(&service, 5).await,
    );
    for (caller, method, target, body, expected) in [
        // Permissions that the custom role lacks.
        (&role_manager, "PATCH", &two, json!({"role": "ADMIN"}), 403),
        (&role_manager, "PATCH", &two, json!({"roleId": mighty}), 403),
        (
            &role_manager,
            "PATCH",
            &four,
            json!({"role": "MEMBER"}),
            403,
        ),
        (&role_manager, "DELETE", &four, Value::Null, 403),
        (&role_manager, "DELETE", &five, Value::Null, 403),
        (&role_manager, "PATCH", &two, json!({"roleId": reader}), 200),
        (&role_manager, "PATCH", &two, json!({"roleId": null}), 200),
        // An admin.
        (&admin, "PATCH", &two, json!({"role": "OWNER"}), 403),
        (&admin, "PATCH", &two, json!({"roleId": mighty}), 403),
        (&admin, "PATCH", &five, json!({"role": "MEMBER"}), 403),
        (&admin, "PATCH", &five, json!({"accepted": false}), 403),
        (&admin, "DELETE", &five, Value::Null, 403),
        (&admin, "PATCH", &two, json!({"role": "ADMIN"}), 200),
        (&admin, "PATCH", &two, json!({"role": "MEMBER"}), 200),
        (&admin, "PATCH", &four, json!({"role": "OWNER"}), 403),
        // An owner.
        (&owner, "PATCH", &two, json!({"roleId": mighty}), 200),
        (
            &owner,
            "PATCH",
            &two,
            json!({"role": "OWNER", "roleId": null}),
            200,
        ),
        (&owner, "PATCH", &two, json!({"role": "MEMBER"}), 200),
    ] {
        let response = service.request(method, target, caller, body.clone()).await;
        assert_eq!(
            response.status, expected,
            "{method} {target} {body}: {}",
            response.text
        );
    }
    for (caller, role, expected) in [
        (&role_manager, json!({"role": "ADMIN"}), 403),
        (&admin, json!({"role": "OWNER"}), 403),
        (&admin, json!({"roleId": mighty}), 403),
        (&role_manager, json!({"roleId": reader}), 201),
    ] {
        let mut body = role;
        body["userId"] = json!(HOST);
        assert_eq!(
            service
                .post_as(LIST, caller.clone(), body.clone())
                .await
                .status,
            expected,
            "{body}"
        );
    }
    let membership = service
        .get_as(&membership_path(&service, HOST).await, owner)
        .await;
    assert_eq!(membership.data()["roleId"], json!(reader));
}

#[tokio::test]
async fn last_owner_cannot_leave_or_step_down() {
    let service = Service::start().await;
    let role = json!({"name": "Reader", "permissions": ["team.read"]});
    let role = service
        .post_as("/v2/organizations/1/teams/1/roles", service.owner(), role)
        .await;
    let role_id = role.data()["id"].clone();
    let (two, five) = (
        membership_path(&service, 2).await,
        membership_path(&service, 5).await,
    );
    let last = async |body: Value| {
        let method = if body.is_null() { "DELETE" } else { "PATCH" };
        service.request(method, &five, &service.owner(), body).await
    };
    let changes = [
        Value::Null,
        json!({"role": "ADMIN"}),
        json!({"accepted": false}),
        json!({"roleId": role_id}),
    ];
    for body in changes.clone() {
        last(body).await.assert_error(400, "BadRequestException");
    }
    // An owner who has not accepted does not count.
    let invited = json!({"role": "OWNER", "accepted": false});
    assert_eq!(
        service
            .request("PATCH", &two, &service.owner(), invited)
            .await
            .status,
        200
    );
    for body in changes {
        last(body).await.assert_error(400, "BadRequestException");
    }
    let accepts = service.bearer_of(2).await;
    assert_eq!(
        service
            .request("PATCH", &two, &accepts, json!({"accepted": true}))
            .await
            .status,
        200
    );
    assert_eq!(last(json!({"role": "ADMIN"})).await.status, 200);
    service
        .request("DELETE", &two, &service.owner(), Value::Null)
        .await
        .assert_error(400, "BadRequestException");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn concurrent_deletes_keep_one_owner() {
    let service = Service::start().await;
    service
        .sql("UPDATE memberships SET role = 'OWNER' WHERE user_id = 3")
        .await;
    let (three, five) = (
        membership_path(&service, 3).await,
        membership_path(&service, 5).await,
    );
    let other = service.bearer_of(3).await;
    let owner = service.owner();
    let (first, second) = tokio::join!(
        service.request("DELETE", &three, &other, Value::Null),
        service.request("DELETE", &five, &owner, Value::Null),
    );
    let mut statuses = [first.status, second.status];
    statuses.sort_unstable();
    assert_eq!(statuses, [200, 400]);
    assert_eq!(service.count("memberships WHERE role = 'OWNER'").await, 1);
}

#[tokio::test]
async fn invalid_membership_returns_400() {
    let service = Service::start().await;
    service
        .sql(
            "INSERT INTO teams (id, organization_id, name, slug) VALUES (2, 1, 'Second', 'second')",
        )
        .await;
    let body = json!({"name": "Elsewhere"});
    let foreign = service
        .post_as("/v2/organizations/1/teams/2/roles", service.owner(), body)
        .await;
    let foreign = foreign.data()["id"].clone();
    let two = membership_path(&service, 2).await;
    for (body, property) in [
        (json!({"role": "BOSS"}), "role"),
        (json!({"role": null}), "role"),
        (json!({"accepted": 1}), "accepted"),
        (
            json!({"disableImpersonation": "no"}),
            "disableImpersonation",
        ),
        (json!({"roleId": "unknown"}), "roleId"),
        (json!({"roleId": foreign}), "roleId"),
        (json!({"roleId": "owner_role"}), "roleId"),
        (json!({"roleId": 5}), "roleId"),
    ] {
        let mut with_user = body.clone();
        with_user["userId"] = json!(2);
        for (method, target, body) in [("PATCH", two.as_str(), body), ("POST", LIST, with_user)] {
            let response = service
                .request(method, target, &service.owner(), body.clone())
                .await;
            response.assert_error(400, "BadRequestException");
            assert_eq!(response.constraints()[0].0, property, "{method} {body}");
        }
    }
    for body in [
        json!({}),
        json!({"userId": "2"}),
        json!({"userId": null}),
        json!({"userId": 1.5}),
    ] {
        let response = service.post_as(LIST, service.owner(), body).await;
        response.assert_error(400, "BadRequestException");
        assert_eq!(response.constraints()[0].0, "userId");
    }
    // An id of another team, an unknown id, and no id.
    let id = two.rsplit('/').next().unwrap();
    for (target, status, code) in [
        (
            format!("/v2/teams/2/memberships/{id}"),
            404,
            "NotFoundException",
        ),
        (
            format!("/v2/teams/9/memberships/{id}"),
            404,
            "NotFoundException",
        ),
        (format!("{LIST}/9999"), 404, "NotFoundException"),
        (format!("{LIST}/x"), 400, "BadRequestException"),
    ] {
        for (method, body) in [
            ("GET", Value::Null),
            ("PATCH", json!({})),
            ("DELETE", Value::Null),
        ] {
            service
                .request(method, &target, &service.owner(), body)
                .await
                .assert_error(status, code);
        }
    }
}

#[tokio::test]
async fn accepted_member_hosts_event_types_of_all_members_until_deleted() {
    let service = Service::start().await;
    let user_id = add_colleague(&service).await;
    let for_all_members = service
        .event_type_of(
            "all-hands",
            Some("collective"),
            &[1],
            json!({"assignAllTeamMembers": true}),
        )
        .await;
    let few = service
        .event_type_of("few", Some("collective"), &[1, user_id], json!({}))
        .await;
    let hosts = async |event_type: i64| {
        service
            .count(&format!(
                "event_type_hosts WHERE event_type_id = {event_type} AND user_id = {user_id}"
            ))
            .await
    };
    let created = service
        .post_as(LIST, service.owner(), json!({"userId": user_id}))
        .await;
    assert_eq!(hosts(for_all_members).await, 0);
    let target = format!("{LIST}/{}", created.data()["id"]);
    service
        .request(
            "PATCH",
            &target,
            &service.owner(),
            json!({"accepted": true}),
        )
        .await
        .data();
    assert_eq!(hosts(for_all_members).await, 1);
    service
        .request("DELETE", &target, &service.owner(), Value::Null)
        .await
        .data();
    assert_eq!((hosts(for_all_members).await, hosts(few).await), (0, 0));
}

/// Adds a user without organization and returns their credentials.
async fn add_user(service: &Service, id: i64, client: &str) -> (String, String) {
    service
        .sql(&format!(
            "INSERT INTO users (id, username, email, name, time_zone, oauth_client_id, metadata)
             VALUES ({id}, 'user{id}', 'user{id}@example.org', 'User {id}', 'UTC', {client}, '{{\"crmId\":\"secret\"}}')"
        ))
        .await;
    service.bearer_of(id).await
}

/// A team's creator can neither book invited users nor see their details before they accept.
#[tokio::test]
async fn invited_user_is_not_bookable_or_visible_before_acceptance() {
    let service = Service::start().await;
    for client in ["NULL", "(SELECT id FROM oauth_clients LIMIT 1)"] {
        let (one, two) = if client == "NULL" {
            (310, 311)
        } else {
            (320, 321)
        };
        let creator = add_user(&service, one, client).await;
        let invited = add_user(&service, two, client).await;
        let created = service
            .post_as(
                "/v2/teams",
                creator.clone(),
                json!({"name": format!("Team {one}")}),
            )
            .await;
        let team = created.data()["id"].as_i64().unwrap();
        let list = format!("/v2/teams/{team}/memberships");
        let body = json!({"userId": two, "accepted": true});
        let created = service.post_as(&list, creator.clone(), body).await;
        assert_eq!(created.data()["accepted"], false);
        let own = format!("{list}/{}", created.data()["id"]);
        for text in [
            &created.text,
            &service.get_as(&list, creator.clone()).await.text,
        ] {
            assert!(text.contains(&format!("User {two}")), "{text}");
            assert!(
                !text.contains(&format!("user{two}")) && !text.contains("secret"),
                "{text}"
            );
        }
        service
            .request("PATCH", &own, &creator, json!({"accepted": true}))
            .await
            .assert_error(403, "ForbiddenException");
        let schedules = format!("/v2/teams/{team}/schedules");
        let schedules = service.get_as(&schedules, creator.clone()).await;
        assert!(
            !schedules.text.contains(&format!("\"ownerId\":{two}")),
            "{}",
            schedules.text
        );
        let hosted = json!({
            "title": "Draft", "slug": "draft", "lengthInMinutes": 480,
            "schedulingType": "collective", "hosts": [{"userId": two}],
        });
        let event_types = format!("/v2/teams/{team}/event-types");
        service
            .post_as(&event_types, creator.clone(), hosted)
            .await
            .assert_error(400, "BadRequestException");
        // After acceptance their details are visible, but not their platform's metadata.
        let accepted = service
            .request("PATCH", &own, &invited, json!({"accepted": true}))
            .await;
        assert_eq!(accepted.data()["accepted"], true);
        let response = service.get_as(&own, creator).await;
        assert_eq!(
            response.data()["user"]["email"],
            format!("user{two}@example.org")
        );
        assert_eq!(response.data()["user"]["metadata"], json!({}));
    }
}

#[tokio::test]
async fn client_can_accept_for_its_managed_users() {
    let service = Service::start().await;
    let client = service.secret("clientId").to_owned();
    service.sql("UPDATE users SET organization_id = NULL").await;
    for (id, client) in [(330, format!("'{client}'")), (331, "NULL".to_owned())] {
        add_user(&service, id, &client).await;
    }
    let platform = [
        ("x-svc-client-id".to_owned(), client),
        (
            "x-svc-secret-key".to_owned(),
            service.secret("clientSecret").to_owned(),
        ),
    ];
    let post = async |target: &str, body: serde_json::Value| {
        let response = service
            .call(axum::http::Method::POST, target, &platform, Some(body))
            .await;
        response.data().clone()
    };
    let team = post("/v2/teams", json!({"name": "Platform's"})).await;
    let list = format!("/v2/teams/{}/memberships", team["id"]);
    let own = post(&list, json!({"userId": 330, "accepted": true})).await;
    assert_eq!(own["accepted"], true);
    assert_eq!(own["user"]["metadata"], json!({"crmId": "secret"}));
}

/// A custom role replaces the permissions of the membership role until it is removed.
#[tokio::test]
async fn membership_role_below_custom_role_cannot_be_raised() {
    let service = Service::start().await;
    let roles = "/v2/organizations/1/teams/1/roles";
    let body = json!({"name": "RoleKeeper", "permissions": [
        "role.create", "role.read", "role.update", "role.delete", "team.changeMemberRole",
        "team.read", "team.listMembers", "team.invite", "team.remove",
    ]});
    let role_manager = service.post_as(roles, service.owner(), body).await;
    let role_manager = role_manager.data()["id"].as_str().unwrap().to_owned();
    let own = membership_path(&service, 2).await;
    service
        .request(
            "PATCH",
            &own,
            &service.owner(),
            json!({"roleId": role_manager, "role": "MEMBER"}),
        )
        .await
        .data();
    let person = service.bearer_of(2).await;
    for body in [
        json!({"role": "ADMIN"}),
        json!({"role": "ADMIN", "roleId": null}),
        json!({"role": "ADMIN", "roleId": role_manager}),
        json!({"role": "OWNER"}),
    ] {
        service
            .request("PATCH", &own, &person, body)
            .await
            .assert_error(403, "ForbiddenException");
    }
    service
        .request(
            "DELETE",
            &format!("{roles}/{role_manager}"),
            &service.owner(),
            json!(null),
        )
        .await
        .data();
    let membership = service.get_as(&own, person.clone()).await;
    assert_eq!(membership.data()["role"], "MEMBER");
    service
        .get_as("/v2/teams/1/bookings", person)
        .await
        .assert_error(403, "ForbiddenException");
}

#[tokio::test]
async fn schedules_of_private_team_require_member_visibility() {
    let service = Service::start().await;
    service.sql("UPDATE teams SET is_private = 1").await;
    let member = service.bearer_of(2).await;
    for target in [LIST, "/v2/teams/1/schedules"] {
        service
            .get_as(target, member.clone())
            .await
            .assert_error(403, "ForbiddenException");
        assert_eq!(service.get_as(target, service.owner()).await.status, 200);
    }
}
