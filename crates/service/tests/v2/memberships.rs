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
    assert_eq!(
        made.data(),
        &json!({
            "id": id, "userId": user_id, "teamId": 1, "accepted": false, "role": "MEMBER",
            "roleId": null, "disableImpersonation": false,
            "user": {
                "email": "host100@northwind.example", "name": "Host 100", "username": "host100",
                "avatarUrl": null, "bio": null, "metadata": {},
            },
        })
    );
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
    assert_eq!(
        service.get_as(&own, invited.clone()).await.data(),
        made.data()
    );
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
        "role=OWNER".into(),
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
        (&json!("ADMIN"), &json!(true), &json!(true))
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
        (json!({"teamId": 2}), "teamId"),
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
