//! Users, teams and memberships.

use axum::http::Method;
use booking_service::auth::secret;
use serde_json::{Value, json};

use crate::app::{MEMBER, OPERATOR, OWNER, STRANGER, TestApp};

#[tokio::test]
async fn user_read_returns_caller_for_any_id() {
    let app = TestApp::new().await;
    for id in [OWNER, STRANGER, 999_999] {
        let fetched = app.get(STRANGER, &format!("/v1/users/{id}")).await;
        assert_eq!(fetched.wrapped("user")["id"], STRANGER, "{id}");
        let fetched = app.get(OPERATOR, &format!("/v1/users/{id}")).await;
        if id == 999_999 {
            fetched.assert_v1_error(404);
        } else {
            assert_eq!(fetched.wrapped("user")["id"], id);
        }
    }
}

#[tokio::test]
async fn user_list_is_paginated() {
    let app = TestApp::new().await;
    let all = app.service.count("users").await;
    let page = async |query: &str| {
        let response = app.get(OPERATOR, &format!("/v1/users{query}")).await;
        assert_eq!(response.wrapped("total"), &json!(all), "{query}");
        let users = response.wrapped("users").as_array().unwrap();
        users
            .iter()
            .map(|user| user["id"].as_i64().unwrap())
            .collect::<Vec<_>>()
    };
    let first = page("").await;
    assert!(first.len() <= 10);
    assert_eq!(page("?take=2").await, first[..2]);
    assert_eq!(page("?take=2&page=2").await, first[2..4]);
    assert_eq!(page("?take=2&page=900").await, [0i64; 0]);
    let query = "?email=user102@example.org,HOST100@northwind.example&email=nobody@example.org";
    let some = app.get(OPERATOR, &format!("/v1/users{query}")).await;
    assert_eq!(some.wrapped("total"), 2);
    // The filter does not find other users.
    let none = app
        .get(STRANGER, "/v1/users?email=user102@example.org")
        .await;
    assert_eq!(none.body, json!({"users": [], "total": 0}));
}

#[tokio::test]
async fn new_user_has_default_schedule() {
    let app = TestApp::new().await;
    let body = json!({
        "email": "New@Example.org", "username": "new", "timeZone": "Europe/Rome", "timeFormat": "TWENTY_FOUR",
        "theme": "DARK",
    });
    let id = app.create(OPERATOR, "users", "user", body.clone()).await;
    let fetched = app.get(OPERATOR, &format!("/v1/users/{id}")).await;
    let user = fetched.wrapped("user");
    assert_eq!(
        (&user["email"], &user["theme"]),
        (&json!("new@example.org"), &json!("DARK"))
    );
    assert_eq!(user["timeFormat"], "TWENTY_FOUR");
    let schedules = app
        .get(OPERATOR, &format!("/v1/schedules?userId={id}"))
        .await;
    let schedules = schedules.wrapped("schedules").as_array().unwrap().clone();
    assert_eq!(
        schedules[0]["availability"][0]["days"],
        json!([1, 2, 3, 4, 5])
    );
    assert_eq!(schedules[0]["id"], user["defaultScheduleId"]);
    app.request(OPERATOR, "POST", "/v1/users", body)
        .await
        .assert_v1_error(409);
    let same_name = json!({"email": "other@example.org", "username": "new"});
    app.request(OPERATOR, "POST", "/v1/users", same_name)
        .await
        .assert_v1_error(409);
}

#[tokio::test]
async fn username_of_another_page_is_refused_but_can_stay() {
    let app = TestApp::new().await;
    let target = format!("/v1/users/{OWNER}");
    for (username, status) in [("mail", 400), ("v2", 400), ("ada.js", 400), ("ada.l", 200)] {
        let body = json!({ "username": username });
        let changed = app.request(OWNER, "PATCH", &target, body).await;
        assert_eq!(changed.status, status, "{username}");
    }
    // Of a version that did not reserve the name.
    app.service
        .sql(&format!(
            "UPDATE users SET username = 'mail' WHERE id = {OWNER}"
        ))
        .await;
    let body = json!({"username": "mail", "timeFormat": "TWELVE"});
    let changed = app.request(OWNER, "PATCH", &target, body).await;
    assert_eq!(changed.wrapped("user")["username"], "mail");
}

#[tokio::test]
async fn avatar_is_stored_as_data_url() {
    let app = TestApp::new().await;
    let target = format!("/v1/users/{OWNER}");
    let picture = json!({"avatar": "iVBORw0KGgo="});
    let fetched = app.request(OWNER, "PATCH", &target, picture).await;
    assert_eq!(
        fetched.wrapped("user")["avatar"],
        "data:image/png;base64,iVBORw0KGgo="
    );
    let removed = app
        .request(OWNER, "PATCH", &target, json!({"avatar": null}))
        .await;
    assert_eq!(removed.wrapped("user")["avatar"], Value::Null);
}

#[tokio::test]
async fn unverified_email_grants_no_access_to_bookings() {
    let app = TestApp::new().await;
    let target = format!("/v1/users/{STRANGER}");
    let body = json!({"email": "zoe@example.org"});
    let changed = app.request(STRANGER, "PATCH", &target, body.clone()).await;
    assert_eq!(changed.wrapped("user")["email"], "zoe@example.org");
    let booking = format!("/v1/bookings/{}", app.booking);
    app.get(STRANGER, &booking).await.assert_v1_error(403);
    // An email set by an operator counts as verified.
    app.request(OPERATOR, "PATCH", &target, body)
        .await
        .wrapped("user");
    app.get(STRANGER, &booking).await.wrapped("booking");
}

#[tokio::test]
async fn last_owner_and_operator_are_not_deleted() {
    let app = TestApp::new().await;
    let owner = app
        .request(
            OPERATOR,
            "DELETE",
            &format!("/v1/users/{OWNER}"),
            Value::Null,
        )
        .await;
    assert!(
        owner.assert_v1_error(400).contains("last owner"),
        "{}",
        owner.text
    );
    app.request(
        OPERATOR,
        "DELETE",
        &format!("/v1/users/{OPERATOR}"),
        Value::Null,
    )
    .await
    .assert_v1_error(400);
    app.request(
        MEMBER,
        "DELETE",
        &format!("/v1/users/{MEMBER}"),
        Value::Null,
    )
    .await
    .assert_v1_error(403);
    app.request(
        OPERATOR,
        "DELETE",
        &format!("/v1/users/{MEMBER}"),
        Value::Null,
    )
    .await
    .wrapped("message");
    app.get(OPERATOR, &format!("/v1/users/{MEMBER}"))
        .await
        .assert_v1_error(404);
}

#[tokio::test]
async fn owner_of_oauth_clients_is_not_deleted_and_next_user_does_not_inherit_them() {
    let app = TestApp::new().await;
    let create = async |username: &str| {
        let body = json!({"email": format!("{username}@example.org"), "username": username});
        app.create(OPERATOR, "users", "user", body).await
    };
    // The newest user, as SQLite could reuse its id.
    let leaver = create("leaver").await;
    let hash = secret::hash("secret");
    app
        .service
        .sql(&format!(
            "INSERT INTO oauth_clients (id, name, owner_id, secret_hash, redirect_uris, scopes, created_ms)
             VALUES ('shop', 'Shop', {leaver}, '{hash}', '[]', '[]', 0)"
        ))
        .await;
    let acts_as = async || {
        let headers = [("x-svc-client-id", "shop"), ("x-svc-secret-key", "secret")]
            .map(|(name, value)| (name.to_owned(), value.to_owned()));
        let me = app
            .service
            .call(Method::GET, "/v2/me", &headers, None)
            .await;
        me.data()["id"].as_i64().unwrap()
    };
    let target = format!("/v1/users/{leaver}");
    let delete = async || app.request(OPERATOR, "DELETE", &target, Value::Null).await;
    let rejected = delete().await;
    let message = rejected.assert_v1_error(400);
    assert!(message.contains("OAuth clients") && message.contains("shop"));
    app.get(OPERATOR, &target).await.wrapped("user");
    assert_eq!(acts_as().await, leaver);

    // Deletion succeeds after the client has another owner.
    app.service
        .sql(&format!(
            "UPDATE oauth_clients SET owner_id = {OPERATOR} WHERE id = 'shop'"
        ))
        .await;
    delete().await.wrapped("message");
    let next = create("next").await;
    assert!(next > leaver, "{next} {leaver}");
    assert_eq!(acts_as().await, OPERATOR);
}

#[tokio::test]
async fn operator_creates_teams_for_other_users() {
    let app = TestApp::new().await;
    let body =
        json!({"name": "Theirs", "slug": "theirs", "ownerId": STRANGER, "brandColor": "#123"});
    let created = app
        .request(OPERATOR, "POST", "/v1/teams", body.clone())
        .await;
    let expected = json!({
        "userId": STRANGER, "teamId": created.wrapped("team")["id"], "accepted": true, "role": "OWNER",
        "disableImpersonation": false,
    });
    assert_eq!(created.wrapped("owner"), &expected);
    assert_eq!(created.wrapped("team")["timeZone"], "Europe/London");
    let teams = app.get(STRANGER, "/v1/teams").await;
    assert_eq!(teams.wrapped("teams")[0]["slug"], "theirs");
    app.request(OPERATOR, "POST", "/v1/teams", body)
        .await
        .assert_v1_error(409);
    // Also for users who may not create teams themselves.
    let body = json!({"name": "Ada's", "slug": "adas", "ownerId": 1, "parentId": 1});
    let created = app.request(OPERATOR, "POST", "/v1/teams", body).await;
    assert_eq!(created.wrapped("team")["parentId"], 1);
}

#[tokio::test]
async fn membership_list_shows_own_memberships_only() {
    let app = TestApp::new().await;
    let own = app.get(MEMBER, "/v1/memberships?include=team").await;
    let own = own.wrapped("memberships").as_array().unwrap().clone();
    assert_eq!(own.len(), 1);
    assert_eq!(own[0]["team"]["id"], app.team);
    let team = format!("/v1/memberships?teamId={}", app.team);
    app.get(MEMBER, &team).await.assert_v1_error(403);
    let all = app.get(OPERATOR, &team).await;
    assert_eq!(all.wrapped("memberships").as_array().unwrap().len(), 2);
    // Members of a private team see only their own membership.
    let one = format!("/v1/memberships/{OWNER}_{}", app.team);
    app.get(MEMBER, &one).await.wrapped("membership");
    let target = format!("/v1/teams/{}", app.team);
    app.request(OWNER, "PATCH", &target, json!({"isPrivate": true}))
        .await
        .wrapped("team");
    app.get(MEMBER, &one).await.assert_v1_error(403);
    // Members can leave, but cannot add themselves.
    let leave = format!("/v1/memberships/{MEMBER}_{}", app.team);
    app.request(MEMBER, "DELETE", &leave, Value::Null)
        .await
        .wrapped("message");
    let join = json!({"userId": MEMBER, "teamId": app.team});
    app.request(MEMBER, "POST", "/v1/memberships", join)
        .await
        .assert_v1_error(403);
}
