//! /v2/oauth-clients/{clientId}/users

use axum::http::Method;
use booking_service::auth::secret;
use serde_json::{Value, json};

use crate::common::{Service, TestResponse};

/// Id of a second OAuth client with the secret `other`.
const OTHER: &str = "cl0123456789abcdef01234567";

fn users_path(service: &Service) -> String {
    format!("/v2/oauth-clients/{}/users", service.secret("clientId"))
}

async fn send_as_client(
    service: &Service,
    method: &str,
    target: &str,
    body: Value,
) -> TestResponse {
    let key = (
        "x-svc-secret-key".to_owned(),
        service.secret("clientSecret"),
    );
    service.request(method, target, &key, body).await
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
async fn created_user_has_schedule_and_tokens() {
    let service = Service::start().await;
    let client = service.secret("clientId");
    let body = json!({"email": "Li.Wei@example.org", "name": " Li Wei "});
    let created = send_as_client(&service, "POST", &users_path(&service), body).await;
    assert_eq!(created.status, 201, "{}", created.text);
    let user = &created.data()["user"];
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
        .get_as("/v2/me", bearer(&created.data()["accessToken"]))
        .await;
    assert_eq!(me.data()["id"], user["id"]);
    assert_eq!(me.data()["organizationId"], 1);
    let refresh = format!("/v2/oauth/{client}/refresh");
    let renewed = send_as_client(
        &service,
        "POST",
        &refresh,
        json!({"refreshToken": created.data()["refreshToken"]}),
    )
    .await;
    assert_eq!(renewed.status, 200);
    let target = format!("{}/{}", users_path(&service), user["id"]);
    assert_eq!(
        send_as_client(&service, "GET", &target, Value::Null)
            .await
            .data(),
        user
    );

    let full = json!({
        "email": "li.wei@example.com", "name": "Another", "timeFormat": 24, "weekStart": "Monday",
        "timeZone": "Asia/Shanghai", "locale": "zh-CN", "avatarUrl": "https://example.org/l.png",
        "bio": "Hi", "metadata": {"tier": "gold"},
    });
    let second = send_as_client(&service, "POST", &users_path(&service), full.clone()).await;
    for (key, value) in full.as_object().unwrap() {
        if key != "email" {
            assert_eq!(&second.data()["user"][key], value);
        }
    }
    assert_eq!(second.data()["user"]["username"], "li-wei-2");
    let reserved = json!({"email": "mail@example.com", "name": "Mail"});
    let third = send_as_client(&service, "POST", &users_path(&service), reserved).await;
    let username = third.data()["user"]["username"].as_str().unwrap();
    assert!(username.starts_with("mail-"), "{username}");
    send_as_client(&service, "POST", &users_path(&service), full)
        .await
        .assert_error(409, "ConflictException");
}

#[tokio::test]
async fn managed_users_are_listed_updated_and_deleted() {
    let service = Service::start().await;
    let mut ids = Vec::new();
    for name in ["a", "b", "c"] {
        let body = json!({"email": format!("{name}@example.org"), "name": name});
        let created = send_as_client(&service, "POST", &users_path(&service), body).await;
        ids.push(created.data()["user"]["id"].as_i64().unwrap());
    }
    let listed = async |query: &str| {
        let list = send_as_client(
            &service,
            "GET",
            &format!("{}{query}", users_path(&service)),
            Value::Null,
        )
        .await;
        let users = list.data().as_array().unwrap().iter();
        users
            .map(|user| user["id"].as_i64().unwrap())
            .collect::<Vec<_>>()
    };
    // Sofia comes from the demo data.
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
        send_as_client(
            &service,
            "GET",
            &format!("{}{query}", users_path(&service)),
            Value::Null,
        )
        .await
        .assert_error(400, "BadRequestException");
    }

    let target = format!("{}/{}", users_path(&service), ids[0]);
    let changed = send_as_client(
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
        send_as_client(&service, "GET", &target, Value::Null)
            .await
            .data(),
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
    send_as_client(
        &service,
        "PATCH",
        &target,
        json!({"email": "b@example.org"}),
    )
    .await
    .assert_error(409, "ConflictException");
    // The former language code of Hebrew is stored unchanged.
    let hebrew = send_as_client(&service, "PATCH", &target, json!({"locale": "iw"})).await;
    assert_eq!(hebrew.data()["locale"], "iw");
    let changed = send_as_client(&service, "PATCH", &target, json!({"locale": null})).await;
    assert!(changed.data().get("locale").is_none(), "{}", changed.text);
    send_as_client(&service, "PATCH", &target, json!({"defaultScheduleId": 1}))
        .await
        .assert_error(400, "BadRequestException");

    let deleted = send_as_client(&service, "DELETE", &target, Value::Null).await;
    let mut expected = changed.data().clone();
    expected["bookings"] = json!({"handedOver": 0, "cancelled": 0});
    assert_eq!(deleted.data(), &expected);
    for method in ["GET", "DELETE"] {
        send_as_client(&service, method, &target, Value::Null)
            .await
            .assert_error(404, "NotFoundException");
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
async fn invalid_user_returns_400() {
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
        let response = send_as_client(&service, "POST", &users_path(&service), body.clone()).await;
        response.assert_error(400, "BadRequestException");
        assert_eq!(response.constraints()[0].0, property, "{body}");
    }
    assert_eq!(service.count("users").await, users);
}

#[tokio::test]
async fn client_accesses_only_its_own_users() {
    let service = Service::start().await;
    let other = other_client(&service).await;
    let own_path = format!("{}/4", users_path(&service));
    let other_path = format!("/v2/oauth-clients/{OTHER}/users/4");
    for (method, suffix, body) in [
        ("GET", "", Value::Null),
        ("PATCH", "", json!({"name": "X"})),
        ("DELETE", "", Value::Null),
        ("POST", "/force-refresh", json!({})),
    ] {
        // Sofia does not belong to the other client.
        service
            .request(
                method,
                &format!("{other_path}{suffix}"),
                &other,
                body.clone(),
            )
            .await
            .assert_error(404, "NotFoundException");
        // The other client's secret, a user's token and an API key are rejected.
        for credentials in [other.clone(), service.manager(), service.owner()] {
            service
                .request(
                    method,
                    &format!("{own_path}{suffix}"),
                    &credentials,
                    body.clone(),
                )
                .await
                .assert_error(401, "UnauthorizedException");
        }
    }
    // Ada belongs to no client.
    send_as_client(
        &service,
        "GET",
        &format!("{}/1", users_path(&service)),
        Value::Null,
    )
    .await
    .assert_error(404, "NotFoundException");
    // Two clients can each have a user with the same email address.
    let body = json!({"email": "same@example.org", "name": "Same"});
    assert_eq!(
        send_as_client(&service, "POST", &users_path(&service), body.clone())
            .await
            .status,
        201
    );
    let second = service
        .request(
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
async fn token_with_another_client_id_returns_401() {
    let service = Service::start().await;
    other_client(&service).await;
    for prefix in ["x-svc", "x-cal"] {
        for (id, status) in [(service.secret("clientId"), 200), (OTHER.to_owned(), 401)] {
            let headers = [service.manager(), (format!("{prefix}-client-id"), id)];
            let response = service.call(Method::GET, "/v2/me", &headers, None).await;
            assert_eq!(response.status, status, "{}", response.text);
        }
    }
}

#[tokio::test]
async fn force_refresh_revokes_earlier_tokens() {
    let service = Service::start().await;
    let target = format!("{}/4/force-refresh", users_path(&service));
    let tokens = send_as_client(&service, "POST", &target, Value::Null).await;
    assert_eq!(tokens.status, 200, "{}", tokens.text);
    service
        .get_as("/v2/me", service.manager())
        .await
        .assert_error(401, "UnauthorizedException");
    let refresh = format!("/v2/oauth/{}/refresh", service.secret("clientId"));
    send_as_client(
        &service,
        "POST",
        &refresh,
        json!({"refreshToken": service.secret("refreshToken")}),
    )
    .await
    .assert_error(400, "BadRequestException");
    assert_eq!(
        service
            .get_as("/v2/me", bearer(&tokens.data()["accessToken"]))
            .await
            .status,
        200
    );
    let renewed = send_as_client(
        &service,
        "POST",
        &refresh,
        json!({"refreshToken": tokens.data()["refreshToken"]}),
    )
    .await;
    assert_eq!(renewed.status, 200);
}

#[tokio::test]
async fn last_owner_of_shared_team_cannot_be_deleted() {
    let service = Service::start().await;
    service.sql("UPDATE memberships SET role = 'MEMBER' WHERE user_id = 5; UPDATE memberships SET role = 'OWNER' WHERE user_id = 4").await;
    service
        .sql(
            "INSERT INTO teams (id, name, slug) VALUES (8, 'Alone', 'alone');
             INSERT INTO memberships (team_id, user_id, role, accepted) VALUES (8, 4, 'OWNER', 1), (8, 1, 'ADMIN', 0)",
        )
        .await;
    let target = format!("{}/4", users_path(&service));
    let refused = send_as_client(&service, "DELETE", &target, Value::Null).await;
    assert!(
        refused
            .assert_error(400, "BadRequestException")
            .contains("Customer Success")
    );
    assert_eq!(service.count("teams WHERE id = 8").await, 1);
    service
        .sql("UPDATE memberships SET role = 'OWNER' WHERE user_id = 5")
        .await;
    assert_eq!(
        send_as_client(&service, "DELETE", &target, Value::Null)
            .await
            .status,
        200
    );
    assert_eq!(service.count("teams WHERE id = 8").await, 0);
    assert_eq!(service.count("teams WHERE id = 1").await, 1);
}

#[tokio::test]
async fn display_email_omits_client_id() {
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
    let created = service.post("/v2/bookings", body).await;
    for (person, name) in [
        (&created.data()["hosts"][0], "host"),
        (&created.data()["attendees"][0], "zoe"),
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
