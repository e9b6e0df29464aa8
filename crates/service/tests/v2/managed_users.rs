//! /v2/oauth-clients/{clientId}/users

use axum::http::Method;
use booking_service::auth::secret;
use serde_json::{Value, json};

use crate::common::{Answer, Service};

/// A second client with the secret `other`.
const OTHER: &str = "cl0123456789abcdef01234567";

fn base(service: &Service) -> String {
    format!("/v2/oauth-clients/{}/users", service.secret("clientId"))
}

async fn ask(service: &Service, method: &str, target: &str, body: Value) -> Answer {
    let key = (
        "x-svc-secret-key".to_owned(),
        service.secret("clientSecret"),
    );
    service.ask(method, target, &key, body).await
}

fn bearer(token: &Value) -> (String, String) {
    (
        "authorization".into(),
        format!("Bearer {}", token.as_str().unwrap()),
    )
}

async fn other_client(service: &Service) -> (String, String) {
    service
        .sql(&format!(
            "INSERT INTO oauth_clients (id, name, owner_id, secret_hash, redirect_uris, scopes, created_ms)
             VALUES ('{OTHER}', 'Other', 5, '{}', '[]', '[\"*\"]', 0)",
            secret::hash("other")
        ))
        .await;
    ("x-cal-secret-key".to_owned(), "other".to_owned())
}

#[tokio::test]
async fn a_platform_makes_a_user_who_can_work_at_once() {
    let service = Service::start().await;
    let client = service.secret("clientId");
    let body = json!({"email": "Li.Wei@example.org", "name": " Li Wei "});
    let made = ask(&service, "POST", &base(&service), body).await;
    assert_eq!(made.status, 201, "{}", made.text);
    let user = &made.data()["user"];
    let schedule = user["defaultScheduleId"].as_i64().unwrap();
    assert_eq!(
        user,
        &json!({
            "id": user["id"], "email": format!("li.wei+{client}@example.org"), "username": "li-wei",
            "name": "Li Wei", "bio": null, "timeZone": "Europe/London", "weekStart": "Sunday",
            "createdDate": "2027-03-01T08:00:00.000Z", "timeFormat": 12,
            "defaultScheduleId": schedule, "avatarUrl": null, "metadata": {},
        })
    );
    let hours = format!(
        "schedule_hours WHERE schedule_id = {schedule} AND from_minute = 540 AND to_minute = 1020"
    );
    assert_eq!(service.count(&hours).await, 5);
    let me = service
        .get_as("/v2/me", bearer(&made.data()["accessToken"]))
        .await;
    assert_eq!(me.data()["id"], user["id"]);
    assert_eq!(me.data()["organizationId"], 1);
    let refresh = format!("/v2/oauth/{client}/refresh");
    let renewed = ask(
        &service,
        "POST",
        &refresh,
        json!({"refreshToken": made.data()["refreshToken"]}),
    )
    .await;
    assert_eq!(renewed.status, 200);
    let target = format!("{}/{}", base(&service), user["id"]);
    assert_eq!(
        ask(&service, "GET", &target, Value::Null).await.data(),
        user
    );

    let full = json!({
        "email": "li.wei@example.com", "name": "Another", "timeFormat": 24, "weekStart": "Monday",
        "timeZone": "Asia/Shanghai", "locale": "zh-CN", "avatarUrl": "https://example.org/l.png",
        "bio": "Hi", "metadata": {"tier": "gold"},
    });
    let second = ask(&service, "POST", &base(&service), full.clone()).await;
    for (key, value) in full.as_object().unwrap() {
        if key != "email" {
            assert_eq!(&second.data()["user"][key], value);
        }
    }
    assert_eq!(second.data()["user"]["username"], "li-wei-2");
    ask(&service, "POST", &base(&service), full)
        .await
        .refused(409, "ConflictException");
}

#[tokio::test]
async fn a_platforms_users_are_listed_changed_and_deleted() {
    let service = Service::start().await;
    let mut ids = Vec::new();
    for name in ["a", "b", "c"] {
        let body = json!({"email": format!("{name}@example.org"), "name": name});
        let made = ask(&service, "POST", &base(&service), body).await;
        ids.push(made.data()["user"]["id"].as_i64().unwrap());
    }
    let listed = async |query: &str| {
        let list = ask(
            &service,
            "GET",
            &format!("{}{query}", base(&service)),
            Value::Null,
        )
        .await;
        let users = list.data().as_array().unwrap().iter();
        users
            .map(|user| user["id"].as_i64().unwrap())
            .collect::<Vec<_>>()
    };
    // Sofia is of the demo.
    assert_eq!(listed("").await, [&[4], ids.as_slice()].concat());
    assert_eq!(listed("?take=2&skip=1").await, ids[..2]);
    assert_eq!(listed("?limit=2&offset=1").await, ids[..2]);
    assert_eq!(listed("?offset=3").await, ids[2..]);
    let managed = format!("b+{}@example.org", service.secret("clientId"));
    assert_eq!(
        listed("?emails=a@example.org,x@example.org").await,
        ids[..1]
    );
    assert_eq!(listed(&format!("?emails={managed}")).await, ids[1..2]);
    for query in ["?take=251", "?emails=a", "?limit=0", "?offset=-1"] {
        ask(
            &service,
            "GET",
            &format!("{}{query}", base(&service)),
            Value::Null,
        )
        .await
        .refused(400, "BadRequestException");
    }

    let target = format!("{}/{}", base(&service), ids[0]);
    let changed = ask(
        &service,
        "PATCH",
        &target,
        json!({"email": "z@example.org", "timeZone": "Asia/Tokyo", "bio": "B"}),
    )
    .await;
    assert_eq!(
        changed.data()["email"],
        format!("z+{}@example.org", service.secret("clientId"))
    );
    assert_eq!(
        (&changed.data()["timeZone"], &changed.data()["bio"]),
        (&json!("Asia/Tokyo"), &json!("B"))
    );
    assert_eq!(
        ask(&service, "GET", &target, Value::Null).await.data(),
        changed.data()
    );
    let schedule = changed.data()["defaultScheduleId"].clone();
    assert_eq!(
        service
            .count(&format!(
                "schedules WHERE id = {schedule} AND time_zone = 'Asia/Tokyo'"
            ))
            .await,
        1
    );
    ask(
        &service,
        "PATCH",
        &target,
        json!({"email": "b@example.org"}),
    )
    .await
    .refused(409, "ConflictException");
    // The former code of Hebrew stays as it was given.
    let hebrew = ask(&service, "PATCH", &target, json!({"locale": "iw"})).await;
    assert_eq!(hebrew.data()["locale"], "iw");
    let changed = ask(&service, "PATCH", &target, json!({"locale": null})).await;
    assert!(changed.data().get("locale").is_none(), "{}", changed.text);
    ask(&service, "PATCH", &target, json!({"defaultScheduleId": 1}))
        .await
        .refused(400, "BadRequestException");

    let gone = ask(&service, "DELETE", &target, Value::Null).await;
    let mut expected = changed.data().clone();
    expected["bookings"] = json!({"handedOver": 0, "cancelled": 0});
    assert_eq!(gone.data(), &expected);
    for method in ["GET", "DELETE"] {
        ask(&service, method, &target, Value::Null)
            .await
            .refused(404, "NotFoundException");
    }
    assert_eq!(
        service
            .count(&format!("schedules WHERE id = {schedule}"))
            .await,
        0
    );
    assert_eq!(
        service
            .count(&format!("oauth_tokens WHERE user_id = {}", ids[0]))
            .await,
        0
    );
}

#[tokio::test]
async fn a_user_that_breaks_a_rule_is_not_made() {
    let service = Service::start().await;
    let users = service.count("users").await;
    let long = format!("{}@example.org", "x".repeat(300));
    for (body, property) in [
        (json!({"name": "A"}), "email"),
        (json!({"email": "a@example.org"}), "name"),
        (json!({"email": "a@example.org", "name": " "}), "name"),
        (json!({"email": "a@example.org", "name": null}), "name"),
        (json!({"email": "a", "name": "A"}), "email"),
        (json!({"email": long, "name": "A"}), "email"),
        (
            json!({"email": "a@example.org", "name": "A", "timeZone": "X"}),
            "timeZone",
        ),
        (
            json!({"email": "a@example.org", "name": "A", "locale": "xx"}),
            "locale",
        ),
    ] {
        let answer = ask(&service, "POST", &base(&service), body.clone()).await;
        answer.refused(400, "BadRequestException");
        assert_eq!(answer.constraints()[0].0, property, "{body}");
    }
    assert_eq!(service.count("users").await, users);
}

#[tokio::test]
async fn a_platform_reaches_its_own_users_only() {
    let service = Service::start().await;
    let other = other_client(&service).await;
    let mine = format!("{}/4", base(&service));
    let theirs = format!("/v2/oauth-clients/{OTHER}/users/4");
    for (method, suffix, body) in [
        ("GET", "", Value::Null),
        ("PATCH", "", json!({"name": "X"})),
        ("DELETE", "", Value::Null),
        ("POST", "/force-refresh", json!({})),
    ] {
        // Sofia is not the other client's.
        service
            .ask(method, &format!("{theirs}{suffix}"), &other, body.clone())
            .await
            .refused(404, "NotFoundException");
        // The other client's secret opens nothing here, nor does a user's token or a key.
        for who in [other.clone(), service.manager(), service.owner()] {
            service
                .ask(method, &format!("{mine}{suffix}"), &who, body.clone())
                .await
                .refused(401, "UnauthorizedException");
        }
    }
    // Ada is nobody's.
    ask(
        &service,
        "GET",
        &format!("{}/1", base(&service)),
        Value::Null,
    )
    .await
    .refused(404, "NotFoundException");
    // Both may have a user with the same address.
    let body = json!({"email": "same@example.org", "name": "Same"});
    assert_eq!(
        ask(&service, "POST", &base(&service), body.clone())
            .await
            .status,
        201
    );
    let second = service
        .ask(
            "POST",
            &format!("/v2/oauth-clients/{OTHER}/users"),
            &other,
            body,
        )
        .await;
    assert_eq!(second.status, 201, "{}", second.text);
    assert_eq!(
        second.data()["user"]["email"],
        format!("same+{OTHER}@example.org")
    );
}

#[tokio::test]
async fn a_token_is_of_use_with_its_own_client_only() {
    let service = Service::start().await;
    other_client(&service).await;
    for prefix in ["x-svc", "x-cal"] {
        for (id, status) in [(service.secret("clientId"), 200), (OTHER.to_owned(), 401)] {
            let headers = [service.manager(), (format!("{prefix}-client-id"), id)];
            let answer = service.call(Method::GET, "/v2/me", &headers, None).await;
            assert_eq!(answer.status, status, "{}", answer.text);
        }
    }
}

#[tokio::test]
async fn a_forced_refresh_makes_all_earlier_tokens_useless() {
    let service = Service::start().await;
    let target = format!("{}/4/force-refresh", base(&service));
    let tokens = ask(&service, "POST", &target, Value::Null).await;
    assert_eq!(tokens.status, 200, "{}", tokens.text);
    service
        .get_as("/v2/me", service.manager())
        .await
        .refused(401, "UnauthorizedException");
    let refresh = format!("/v2/oauth/{}/refresh", service.secret("clientId"));
    ask(
        &service,
        "POST",
        &refresh,
        json!({"refreshToken": service.secret("refreshToken")}),
    )
    .await
    .refused(400, "BadRequestException");
    assert_eq!(
        service
            .get_as("/v2/me", bearer(&tokens.data()["accessToken"]))
            .await
            .status,
        200
    );
    let renewed = ask(
        &service,
        "POST",
        &refresh,
        json!({"refreshToken": tokens.data()["refreshToken"]}),
    )
    .await;
    assert_eq!(renewed.status, 200);
}

#[tokio::test]
async fn a_user_who_goes_leaves_no_team_of_others_without_an_owner() {
    let service = Service::start().await;
    service.sql("UPDATE memberships SET role = 'MEMBER' WHERE user_id = 5; UPDATE memberships SET role = 'OWNER' WHERE user_id = 4").await;
    service
        .sql(
            "INSERT INTO teams (id, name, slug) VALUES (8, 'Alone', 'alone');
             INSERT INTO memberships (team_id, user_id, role, accepted) VALUES (8, 4, 'OWNER', 1), (8, 1, 'ADMIN', 0)",
        )
        .await;
    let target = format!("{}/4", base(&service));
    let refused = ask(&service, "DELETE", &target, Value::Null).await;
    assert!(
        refused
            .refused(400, "BadRequestException")
            .contains("Customer Success")
    );
    assert_eq!(service.count("teams WHERE id = 8").await, 1);
    service
        .sql("UPDATE memberships SET role = 'OWNER' WHERE user_id = 5")
        .await;
    assert_eq!(
        ask(&service, "DELETE", &target, Value::Null).await.status,
        200
    );
    assert_eq!(service.count("teams WHERE id = 8").await, 0);
    assert_eq!(service.count("teams WHERE id = 1").await, 1);
}

#[tokio::test]
async fn bookings_show_a_managed_hosts_address_without_the_platforms_part() {
    let service = Service::start().await;
    let id = service.secret("clientId");
    service
        .sql(&format!(
            "UPDATE users SET email = 'host+{id}@example.org' WHERE id = {}",
            crate::common::HOST
        ))
        .await;
    let event_type = service.event_type("talk", json!({})).await;
    let mut body = crate::common::booking(event_type, "2027-03-03T10:00:00Z");
    body["attendee"]["email"] = json!(format!("zoe+{OTHER}@example.org"));
    let made = service.post("/v2/bookings", body).await;
    for (person, name) in [
        (&made.data()["hosts"][0], "host"),
        (&made.data()["attendees"][0], "zoe"),
    ] {
        assert_eq!(person["displayEmail"], format!("{name}@example.org"));
        assert!(
            person["email"]
                .as_str()
                .unwrap()
                .starts_with(&format!("{name}+cl"))
        );
    }
}
