//! /v2/teams/{teamId}/memberships

use serde_json::{Value, json};

use crate::common::{HOST, OTHER_HOST, Service};

const LIST: &str = "/v2/teams/1/memberships";

async fn id_of(service: &Service, user_id: i64) -> String {
    let list = service.get_as(LIST, service.owner()).await;
    let memberships = list.data().as_array().unwrap();
    let found = memberships
        .iter()
        .find(|one| one["userId"] == user_id)
        .unwrap();
    format!("{LIST}/{}", found["id"])
}

/// A colleague who is in no team yet.
async fn newcomer(service: &Service) -> i64 {
    service
        .sql(&format!(
            "UPDATE users SET organization_id = 1 WHERE id = {HOST};
             INSERT INTO organization_members (organization_id, user_id, role) VALUES (1, {HOST}, 'MEMBER')"
        ))
        .await;
    HOST
}

#[tokio::test]
async fn somebody_is_invited_accepts_and_takes_part() {
    let service = Service::start().await;
    let user_id = newcomer(&service).await;
    let made = service
        .post_as(LIST, service.manager(), json!({"userId": user_id}))
        .await;
    assert_eq!(made.status, 201, "{}", made.text);
    let id = made.data()["id"].as_i64().unwrap();
    let whole = json!({
        "id": id, "userId": user_id, "teamId": 1, "accepted": false, "role": "MEMBER",
        "roleId": null, "disableImpersonation": false,
        "user": {
            "email": "host100@northwind.example", "name": "Host 100", "username": "host100",
            "metadata": {},
        },
    });
    // Until they agree, nothing is told of them but their name, unless it is to themselves and to
    // those who run their organisation.
    let mut named = whole.clone();
    named["user"]["email"] = json!("");
    named["user"].as_object_mut().unwrap().remove("username");
    assert_eq!(made.data(), &named);
    let seen = service
        .get_as(&format!("{LIST}/{id}"), service.manager())
        .await;
    assert_eq!(seen.data(), &named);
    let list = service.get_as(LIST, service.manager()).await;
    assert_eq!(list.data().as_array().unwrap().last().unwrap(), &named);
    let list = service.get_as(LIST, service.owner()).await;
    assert_eq!(list.data().as_array().unwrap().last().unwrap(), &whole);
    service
        .post_as(LIST, service.manager(), json!({"userId": user_id}))
        .await
        .refused(409, "ConflictException");
    let own = format!("{LIST}/{id}");
    let invited = service.bearer_of(user_id).await;
    // An invitation alone opens nothing but itself.
    service
        .get_as("/v2/teams/1", invited.clone())
        .await
        .refused(403, "ForbiddenException");
    assert_eq!(service.get_as(&own, invited.clone()).await.data(), &whole);
    let grab = service
        .ask(
            "PATCH",
            &own,
            &invited,
            json!({"accepted": true, "role": "ADMIN"}),
        )
        .await;
    grab.refused(403, "ForbiddenException");
    let accepted = service
        .ask("PATCH", &own, &invited, json!({"accepted": true}))
        .await;
    assert_eq!(accepted.data()["accepted"], true);
    assert_eq!(
        service.get_as("/v2/teams/1", invited.clone()).await.status,
        200
    );
    // And leaves.
    let left = service.ask("DELETE", &own, &invited, Value::Null).await;
    assert_eq!(left.data(), accepted.data());
    service
        .get_as("/v2/teams/1", invited)
        .await
        .refused(403, "ForbiddenException");
    service
        .get_as(&own, service.owner())
        .await
        .refused(404, "NotFoundException");
}

#[tokio::test]
async fn the_list_can_be_paged_and_asked_for_people() {
    let service = Service::start().await;
    let list = service.get_as(LIST, service.owner()).await;
    assert!(list.body.get("pagination").is_none());
    let all = list.data().as_array().unwrap();
    assert_eq!(all.len(), 5);
    let page = service
        .get_as(&format!("{LIST}?take=2&skip=1"), service.owner())
        .await;
    assert_eq!(page.data().as_array().unwrap()[..], all[1..3]);
    let some = service
        .get_as(
            &format!("{LIST}?emails=Ada@northwind.example,nobody@northwind.example"),
            service.owner(),
        )
        .await;
    assert_eq!(some.data(), &json!([all[0]]));
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
            .refused(400, "BadRequestException");
    }
}

#[tokio::test]
async fn a_private_team_shows_its_members_to_those_who_may_know() {
    let service = Service::start().await;
    let member = service.bearer_of(1).await;
    let other = id_of(&service, 2).await;
    let own = id_of(&service, 1).await;
    assert_eq!(service.get_as(LIST, member.clone()).await.status, 200);
    service.sql("UPDATE teams SET is_private = 1").await;
    for target in [LIST, &other] {
        let answer = service.get_as(target, member.clone()).await;
        assert!(
            answer
                .refused(403, "ForbiddenException")
                .contains("listMembersPrivate")
        );
        assert_eq!(service.get_as(target, service.manager()).await.status, 200);
    }
    assert_eq!(service.get_as(&own, member).await.status, 200);
}

#[tokio::test]
async fn only_people_of_the_same_house_can_be_added() {
    let service = Service::start().await;
    // No organisation; unknown.
    for user_id in [HOST, 9999] {
        service
            .post_as(LIST, service.owner(), json!({"userId": user_id}))
            .await
            .refused(404, "NotFoundException");
    }
    // A team of people without an organisation.
    let host = service.bearer_of(HOST).await;
    let made = service
        .post_as("/v2/teams", host.clone(), json!({"name": "Two"}))
        .await;
    let list = format!("/v2/teams/{}/memberships", made.data()["id"]);
    service
        .post_as(&list, host.clone(), json!({"userId": 1}))
        .await
        .refused(404, "NotFoundException");
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
    // A platform's users are not for others.
    service
        .sql(
            "INSERT INTO users (id, username, email, time_zone, oauth_client_id)
             SELECT 300, 'managed', 'managed@x.example', 'UTC', id FROM oauth_clients",
        )
        .await;
    service
        .post_as(&list, host, json!({"userId": 300}))
        .await
        .refused(404, "NotFoundException");
}

#[tokio::test]
async fn nobody_gives_or_takes_more_than_they_have() {
    let service = Service::start().await;
    newcomer(&service).await;
    // Two owners of the team, neither of them of the organisation.
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
        let made = service.post_as(roles, service.owner(), body).await;
        custom.push(made.data()["id"].as_str().unwrap().to_owned());
    }
    let [gate, reader, mighty] = [&custom[0], &custom[1], &custom[2]];
    service
        .sql(&format!(
            "UPDATE memberships SET role_id = '{gate}' WHERE user_id = 1"
        ))
        .await;
    let keeper = service.bearer_of(1).await;
    let admin = service.manager();
    let owner = service.bearer_of(3).await;
    let (two, four, five) = (
        id_of(&service, 2).await,
        id_of(&service, 4).await,
        id_of(&service, 5).await,
    );
    for (who, method, target, body, expected) in [
        // The rights that a custom role does not have.
        (&keeper, "PATCH", &two, json!({"role": "ADMIN"}), 403),
        (&keeper, "PATCH", &two, json!({"roleId": mighty}), 403),
        (&keeper, "PATCH", &four, json!({"role": "MEMBER"}), 403),
        (&keeper, "DELETE", &four, Value::Null, 403),
        (&keeper, "DELETE", &five, Value::Null, 403),
        (&keeper, "PATCH", &two, json!({"roleId": reader}), 200),
        (&keeper, "PATCH", &two, json!({"roleId": null}), 200),
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
        let answer = service.ask(method, target, who, body.clone()).await;
        assert_eq!(
            answer.status, expected,
            "{method} {target} {body}: {}",
            answer.text
        );
    }
    for (who, role, expected) in [
        (&keeper, json!({"role": "ADMIN"}), 403),
        (&admin, json!({"role": "OWNER"}), 403),
        (&admin, json!({"roleId": mighty}), 403),
        (&keeper, json!({"roleId": reader}), 201),
    ] {
        let mut body = role;
        body["userId"] = json!(HOST);
        assert_eq!(
            service
                .post_as(LIST, who.clone(), body.clone())
                .await
                .status,
            expected,
            "{body}"
        );
    }
    let shown = service.get_as(&id_of(&service, HOST).await, owner).await;
    assert_eq!(shown.data()["roleId"], json!(reader));
}

#[tokio::test]
async fn a_team_keeps_an_owner() {
    let service = Service::start().await;
    let role = json!({"name": "Reader", "permissions": ["team.read"]});
    let role = service
        .post_as("/v2/organizations/1/teams/1/roles", service.owner(), role)
        .await;
    let role_id = role.data()["id"].clone();
    let (two, five) = (id_of(&service, 2).await, id_of(&service, 5).await);
    let last = async |body: Value| {
        let method = if body.is_null() { "DELETE" } else { "PATCH" };
        service.ask(method, &five, &service.owner(), body).await
    };
    let ways = [
        Value::Null,
        json!({"role": "ADMIN"}),
        json!({"accepted": false}),
        json!({"roleId": role_id}),
    ];
    for body in ways.clone() {
        last(body).await.refused(400, "BadRequestException");
    }
    // One who has not accepted is none yet.
    let invited = json!({"role": "OWNER", "accepted": false});
    assert_eq!(
        service
            .ask("PATCH", &two, &service.owner(), invited)
            .await
            .status,
        200
    );
    for body in ways {
        last(body).await.refused(400, "BadRequestException");
    }
    let accepts = service.bearer_of(2).await;
    assert_eq!(
        service
            .ask("PATCH", &two, &accepts, json!({"accepted": true}))
            .await
            .status,
        200
    );
    assert_eq!(last(json!({"role": "ADMIN"})).await.status, 200);
    service
        .ask("DELETE", &two, &service.owner(), Value::Null)
        .await
        .refused(400, "BadRequestException");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn two_owners_who_leave_at_once_leave_one() {
    let service = Service::start().await;
    service
        .sql("UPDATE memberships SET role = 'OWNER' WHERE user_id = 3")
        .await;
    let (three, five) = (id_of(&service, 3).await, id_of(&service, 5).await);
    let other = service.bearer_of(3).await;
    let owner = service.owner();
    let (first, second) = tokio::join!(
        service.ask("DELETE", &three, &other, Value::Null),
        service.ask("DELETE", &five, &owner, Value::Null),
    );
    let mut statuses = [first.status, second.status];
    statuses.sort_unstable();
    assert_eq!(statuses, [200, 400]);
    assert_eq!(service.count("memberships WHERE role = 'OWNER'").await, 1);
}

#[tokio::test]
async fn a_membership_that_breaks_a_rule_is_refused() {
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
    let two = id_of(&service, 2).await;
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
            let answer = service
                .ask(method, target, &service.owner(), body.clone())
                .await;
            answer.refused(400, "BadRequestException");
            assert_eq!(answer.constraints()[0].0, property, "{method} {body}");
        }
    }
    for body in [
        json!({}),
        json!({"userId": "2"}),
        json!({"userId": null}),
        json!({"userId": 1.5}),
    ] {
        let answer = service.post_as(LIST, service.owner(), body).await;
        answer.refused(400, "BadRequestException");
        assert_eq!(answer.constraints()[0].0, "userId");
    }
    // Of another team, unknown, or no number.
    let number = two.rsplit('/').next().unwrap();
    for (target, status, code) in [
        (
            format!("/v2/teams/2/memberships/{number}"),
            404,
            "NotFoundException",
        ),
        (
            format!("/v2/teams/9/memberships/{number}"),
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
                .ask(method, &target, &service.owner(), body)
                .await
                .refused(status, code);
        }
    }
}

#[tokio::test]
async fn members_host_what_everybody_hosts_until_they_leave() {
    let service = Service::start().await;
    let user_id = newcomer(&service).await;
    let everybody = service
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
    let made = service
        .post_as(LIST, service.owner(), json!({"userId": user_id}))
        .await;
    assert_eq!(hosts(everybody).await, 0);
    let target = format!("{LIST}/{}", made.data()["id"]);
    service
        .ask(
            "PATCH",
            &target,
            &service.owner(),
            json!({"accepted": true}),
        )
        .await
        .data();
    assert_eq!(hosts(everybody).await, 1);
    service
        .ask("DELETE", &target, &service.owner(), Value::Null)
        .await
        .data();
    assert_eq!((hosts(everybody).await, hosts(few).await), (0, 0));
}

/// Makes a person without an organisation and gives their credentials.
async fn loner(service: &Service, id: i64, client: &str) -> (String, String) {
    service
        .sql(&format!(
            "INSERT INTO users (id, username, email, name, time_zone, oauth_client_id, metadata)
             VALUES ({id}, 'user{id}', 'user{id}@example.org', 'User {id}', 'UTC', {client}, '{{\"crmId\":\"secret\"}}')"
        ))
        .await;
    service.bearer_of(id).await
}

/// The creator of a team cannot put others into it: not into meetings, and not into sight.
#[tokio::test]
async fn nobody_is_drafted_into_a_team() {
    let service = Service::start().await;
    for client in ["NULL", "(SELECT id FROM oauth_clients LIMIT 1)"] {
        let (one, two) = if client == "NULL" {
            (310, 311)
        } else {
            (320, 321)
        };
        let maker = loner(&service, one, client).await;
        let invited = loner(&service, two, client).await;
        let made = service
            .post_as(
                "/v2/teams",
                maker.clone(),
                json!({"name": format!("Team {one}")}),
            )
            .await;
        let team = made.data()["id"].as_i64().unwrap();
        let list = format!("/v2/teams/{team}/memberships");
        let body = json!({"userId": two, "accepted": true});
        let made = service.post_as(&list, maker.clone(), body).await;
        assert_eq!(made.data()["accepted"], false);
        let own = format!("{list}/{}", made.data()["id"]);
        for text in [&made.text, &service.get_as(&list, maker.clone()).await.text] {
            assert!(text.contains(&format!("User {two}")), "{text}");
            assert!(
                !text.contains(&format!("user{two}")) && !text.contains("secret"),
                "{text}"
            );
        }
        service
            .ask("PATCH", &own, &maker, json!({"accepted": true}))
            .await
            .refused(403, "ForbiddenException");
        let schedules = format!("/v2/teams/{team}/schedules");
        let schedules = service.get_as(&schedules, maker.clone()).await;
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
            .post_as(&event_types, maker.clone(), hosted)
            .await
            .refused(400, "BadRequestException");
        // They agree, and are told of from then on; what their platform knows is not.
        let accepted = service
            .ask("PATCH", &own, &invited, json!({"accepted": true}))
            .await;
        assert_eq!(accepted.data()["accepted"], true);
        let seen = service.get_as(&own, maker).await;
        assert_eq!(
            seen.data()["user"]["email"],
            format!("user{two}@example.org")
        );
        assert_eq!(seen.data()["user"]["metadata"], json!({}));
    }
}

#[tokio::test]
async fn platform_accepts_for_its_own_users() {
    let service = Service::start().await;
    let client = service.secret("clientId").to_owned();
    service.sql("UPDATE users SET organization_id = NULL").await;
    for (id, client) in [(330, format!("'{client}'")), (331, "NULL".to_owned())] {
        loner(&service, id, &client).await;
    }
    let platform = [
        ("x-svc-client-id".to_owned(), client),
        (
            "x-svc-secret-key".to_owned(),
            service.secret("clientSecret").to_owned(),
        ),
    ];
    let post = async |target: &str, body: serde_json::Value| {
        let answer = service
            .call(axum::http::Method::POST, target, &platform, Some(body))
            .await;
        answer.data().clone()
    };
    let team = post("/v2/teams", json!({"name": "Platform's"})).await;
    let list = format!("/v2/teams/{}/memberships", team["id"]);
    let own = post(&list, json!({"userId": 330, "accepted": true})).await;
    assert_eq!(own["accepted"], true);
    assert_eq!(own["user"]["metadata"], json!({"crmId": "secret"}));
}

/// A custom role hides the rights of the membership role, which come back when it is taken away.
#[tokio::test]
async fn membership_role_under_a_custom_role_cannot_be_raised() {
    let service = Service::start().await;
    let roles = "/v2/organizations/1/teams/1/roles";
    let body = json!({"name": "RoleKeeper", "permissions": [
        "role.create", "role.read", "role.update", "role.delete", "team.changeMemberRole",
        "team.read", "team.listMembers", "team.invite", "team.remove",
    ]});
    let keeper = service.post_as(roles, service.owner(), body).await;
    let keeper = keeper.data()["id"].as_str().unwrap().to_owned();
    let own = id_of(&service, 2).await;
    service
        .ask(
            "PATCH",
            &own,
            &service.owner(),
            json!({"roleId": keeper, "role": "MEMBER"}),
        )
        .await
        .data();
    let person = service.bearer_of(2).await;
    for body in [
        json!({"role": "ADMIN"}),
        json!({"role": "ADMIN", "roleId": null}),
        json!({"role": "ADMIN", "roleId": keeper}),
        json!({"role": "OWNER"}),
    ] {
        service
            .ask("PATCH", &own, &person, body)
            .await
            .refused(403, "ForbiddenException");
    }
    service
        .ask(
            "DELETE",
            &format!("{roles}/{keeper}"),
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
        .refused(403, "ForbiddenException");
}

#[tokio::test]
async fn schedules_of_a_private_team_are_for_those_who_see_its_members() {
    let service = Service::start().await;
    service.sql("UPDATE teams SET is_private = 1").await;
    let member = service.bearer_of(2).await;
    for target in [LIST, "/v2/teams/1/schedules"] {
        service
            .get_as(target, member.clone())
            .await
            .refused(403, "ForbiddenException");
        assert_eq!(service.get_as(target, service.owner()).await.status, 200);
    }
}
