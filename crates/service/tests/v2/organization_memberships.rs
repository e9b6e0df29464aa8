//! /v2/organizations/{orgId}/memberships

use serde_json::{Value, json};

use crate::common::{Answer, HOST, OTHER_HOST, Service};

const LIST: &str = "/v2/organizations/1/memberships";
const ROLES: &str = "/v2/organizations/1/roles";
/// The demo organisation's owner.
const OWNER: i64 = 5;
const MEMBER: i64 = 1;

/// The address of a person's membership.
async fn address_of(service: &Service, user_id: i64) -> String {
    let list = service.get_as(LIST, service.owner()).await;
    let mut memberships = list.data().as_array().unwrap().iter();
    let found = memberships.find(|one| one["userId"] == user_id).unwrap();
    format!("{LIST}/{}", found["id"])
}

/// A new role of the organisation with these permissions.
async fn role(service: &Service, permissions: &[&str]) -> String {
    let body = json!({"name": permissions.join(" "), "permissions": permissions});
    let made = service.post_as(ROLES, service.owner(), body).await;
    made.data()["id"].as_str().unwrap().to_owned()
}

/// Changes a membership as somebody.
async fn patch(service: &Service, by: i64, target: &str, body: Value) -> Answer {
    let caller = service.bearer_of(by).await;
    service.ask("PATCH", target, &caller, body).await
}

#[tokio::test]
async fn role_given_to_member_works_in_organization_and_teams_until_taken() {
    let service = Service::start().await;
    let target = address_of(&service, MEMBER).await;
    let desk = role(
        &service,
        &["booking.readOrgBookings", "organization.listMembers"],
    )
    .await;
    let given = service
        .ask("PATCH", &target, &service.owner(), json!({"roleId": desk}))
        .await;
    let id: i64 = target.rsplit('/').next().unwrap().parse().unwrap();
    let whole = json!({
        "id": id, "userId": MEMBER, "teamId": 1, "organizationId": 1, "accepted": true, "role": "MEMBER",
        "roleId": desk, "disableImpersonation": false, "attributes": [],
        "user": {
            "email": "ada@northwind.example", "name": "Ada Brandt", "username": "ada", "metadata": {},
        },
    });
    assert_eq!(given.data(), &whole);
    let member = service.bearer_of(MEMBER).await;
    for read in ["/v2/teams/1/bookings", LIST] {
        assert_eq!(service.get_as(read, member.clone()).await.status, 200);
    }
    assert_eq!(service.get_as(&target, member.clone()).await.data(), &whole);
    let taken = service
        .ask("PATCH", &target, &service.owner(), json!({"roleId": null}))
        .await;
    assert_eq!(taken.data()["roleId"], Value::Null);
    for read in ["/v2/teams/1/bookings", LIST] {
        let answer = service.get_as(read, member.clone()).await;
        answer.refused(403, "ForbiddenException");
    }
    // Their own membership people see without any role.
    assert_eq!(service.get_as(&target, member).await.status, 200);
}

#[tokio::test]
async fn list_is_paged_and_narrowed_by_email() {
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
    let some = service
        .get_as(&format!("{LIST}?emails={emails}"), service.owner())
        .await;
    assert_eq!(some.data(), &json!([all[0]]));
    for query in ["take=0", "take=251", "skip=-1", "emails=x"] {
        let answer = service
            .get_as(&format!("{LIST}?{query}"), service.owner())
            .await;
        answer.refused(400, "BadRequestException");
    }
}

#[tokio::test]
async fn strangers_learn_nothing_of_memberships() {
    let service = Service::start().await;
    let target = address_of(&service, MEMBER).await;
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
                .refused(403, "ForbiddenException");
        }
        patch(&service, person, &target, json!({"role": "ADMIN"}))
            .await
            .refused(403, "ForbiddenException");
    }
    // A membership is found in its own organisation only.
    let id = target.rsplit('/').next().unwrap();
    let owner = service.bearer_of(HOST).await;
    for path in [
        format!("/v2/organizations/2/memberships/{id}"),
        "/v2/organizations/9/memberships".to_owned(),
    ] {
        service
            .get_as(&path, owner.clone())
            .await
            .refused(404, "NotFoundException");
    }
}

#[tokio::test]
async fn member_gives_and_takes_no_right_that_they_lack() {
    let service = Service::start().await;
    let (keeper, other) = (2, 3);
    let mut targets = Vec::new();
    for person in [keeper, other, OWNER] {
        targets.push(address_of(&service, person).await);
    }
    let [own, others, owners] = targets.as_slice() else {
        unreachable!()
    };
    let change = "organization.changeMemberRole";
    let held = role(&service, &[change, "role.read"]).await;
    let less = role(&service, &["role.read"]).await;
    let more = role(&service, &["role.read", "webhook.read"]).await;
    let all = role(&service, &["*.*"]).await;
    service
        .sql(&format!(
            "UPDATE organization_members SET role = 'MEMBER', role_id = NULL WHERE user_id <> {OWNER};
             UPDATE organization_members SET role_id = '{held}' WHERE user_id = {keeper}"
        ))
        .await;
    for (target, body) in [
        (others, json!({"roleId": more})),
        (others, json!({"roleId": all})),
        (others, json!({"role": "ADMIN"})),
        (others, json!({"role": "OWNER"})),
        (own, json!({"roleId": more})),
        // Under the custom role as well: it may be taken away.
        (own, json!({"role": "ADMIN"})),
        (own, json!({"role": "OWNER", "roleId": less})),
        (owners, json!({"role": "MEMBER"})),
        (owners, json!({"roleId": less})),
        (owners, json!({"disableImpersonation": true})),
    ] {
        let answer = patch(&service, keeper, target, body.clone()).await;
        assert_eq!(answer.status, 403, "{target} {body} {}", answer.text);
    }
    for body in [json!({"roleId": less}), json!({"roleId": held})] {
        let given = patch(&service, keeper, others, body).await;
        assert_eq!(given.status, 200, "{}", given.text);
    }
    // What somebody else holds beyond one's own rights stays with them.
    service
        .sql(&format!(
            "UPDATE organization_members SET role_id = '{more}' WHERE user_id = {other}"
        ))
        .await;
    for body in [json!({"roleId": null}), json!({"roleId": less})] {
        patch(&service, keeper, others, body)
            .await
            .refused(403, "ForbiddenException");
    }
    // All permissions make nobody one of those who run the organisation.
    service
        .sql(&format!(
            "UPDATE organization_members SET role_id = '{all}' WHERE user_id = {keeper}"
        ))
        .await;
    for role in ["ADMIN", "OWNER"] {
        patch(&service, keeper, others, json!({"role": role}))
            .await
            .refused(403, "ForbiddenException");
    }
    let taken = patch(&service, keeper, others, json!({"roleId": null})).await;
    assert_eq!(taken.status, 200, "{}", taken.text);
}

#[tokio::test]
async fn admins_make_admins_and_owners_make_owners() {
    let service = Service::start().await;
    let admin = 2;
    service
        .sql(&format!(
            "UPDATE organization_members SET role = 'ADMIN' WHERE user_id = {admin}"
        ))
        .await;
    let other = address_of(&service, 3).await;
    let owner = address_of(&service, OWNER).await;
    for role in ["ADMIN", "MEMBER", "ADMIN"] {
        let changed = patch(&service, admin, &other, json!({"role": role})).await;
        assert_eq!(changed.data()["role"], role);
    }
    for (target, role) in [(&other, "OWNER"), (&owner, "ADMIN")] {
        patch(&service, admin, target, json!({"role": role}))
            .await
            .refused(403, "ForbiddenException");
    }
    let made = patch(&service, OWNER, &other, json!({"role": "OWNER"})).await;
    assert_eq!(made.data()["role"], "OWNER");
    patch(&service, admin, &other, json!({"role": "ADMIN"}))
        .await
        .refused(403, "ForbiddenException");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn last_owner_stays_one() {
    let service = Service::start().await;
    let owner = address_of(&service, OWNER).await;
    for body in [json!({"role": "MEMBER"}), json!({"role": "ADMIN"})] {
        patch(&service, OWNER, &owner, body)
            .await
            .refused(400, "BadRequestException");
    }
    let second = address_of(&service, MEMBER).await;
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
async fn change_that_breaks_a_rule_is_refused() {
    let service = Service::start().await;
    let target = address_of(&service, MEMBER).await;
    let of_team = service
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
        (json!({"roleId": of_team.data()["id"]}), "roleId"),
        (json!({"roleId": "owner_role"}), "roleId"),
        (json!({"roleId": 5}), "roleId"),
    ] {
        let answer = patch(&service, OWNER, &target, body.clone()).await;
        answer.refused(400, "BadRequestException");
        assert_eq!(answer.constraints()[0].0, property, "{body}");
    }
    let kept = patch(
        &service,
        OWNER,
        &target,
        json!({"accepted": true, "disableImpersonation": true, "unknown": 1}),
    )
    .await;
    assert_eq!(kept.data()["disableImpersonation"], true);
    assert_eq!(
        service.get_as(&target, service.owner()).await.data(),
        kept.data()
    );
    for (path, status, code) in [
        (format!("{LIST}/9999"), 404, "NotFoundException"),
        (format!("{LIST}/x"), 400, "BadRequestException"),
    ] {
        for (method, body) in [("GET", Value::Null), ("PATCH", json!({}))] {
            service
                .ask(method, &path, &service.owner(), body)
                .await
                .refused(status, code);
        }
    }
}

#[tokio::test]
async fn held_role_is_deleted_only_by_those_who_have_its_permissions() {
    let service = Service::start().await;
    for base in [ROLES, "/v2/organizations/1/teams/1/roles"] {
        let make = async |name: &str, permissions: Value| {
            let body = json!({"name": name, "permissions": permissions});
            let made = service.post_as(base, service.owner(), body).await;
            made.data()["id"].as_str().unwrap().to_owned()
        };
        let deleter = make("Deleter", json!(["role.read", "role.delete"])).await;
        let strong = make("Strong", json!(["role.read", "webhook.update"])).await;
        let free = make("Free", json!(["webhook.update"])).await;
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
            service.ask("DELETE", &target, &person, Value::Null).await
        };
        delete(&strong).await.refused(403, "ForbiddenException");
        assert_eq!(delete(&free).await.status, 200);
        assert_eq!(delete(&deleter).await.status, 200);
    }
}
