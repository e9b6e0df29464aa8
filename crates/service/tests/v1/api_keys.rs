//! API keys: authentication, rate limit, and no disclosure of keys.

use booking_service::auth::secret;
use booking_service::limits::client_ip::Peer;
use booking_service::settings::Limits;
use serde_json::{Value, json};

use crate::app::{FREE_SLOT, OPERATOR, OWNER, STRANGER, TestApp, booking_body, key};
use crate::cases::cases;

#[tokio::test]
async fn key_is_valid_until_end_of_its_last_day() {
    let app = TestApp::new().await;
    for (last_day, status) in [("2027-03-01", 200), ("2027-02-28", 401)] {
        app.service
            .sql(&format!(
                "UPDATE api_keys SET expires_on = '{last_day}' WHERE user_id = {OWNER}"
            ))
            .await;
        let response = app.get(OWNER, "/v1/teams").await;
        assert_eq!(response.status, status, "{last_day}: {}", response.text);
        if status == 401 {
            assert_eq!(response.body, json!({"error": "the API key has expired"}));
        }
    }
}

#[tokio::test]
async fn key_of_deleted_user_returns_401() {
    let app = TestApp::new().await;
    app.service
        .sql(&format!("DELETE FROM users WHERE id = {STRANGER}"))
        .await;
    let response = app.get(STRANGER, "/v1/teams").await;
    assert_eq!(
        (response.status, &response.body),
        (401, &json!({"error": "unknown API key"}))
    );
}

#[tokio::test]
async fn key_in_authorization_header_returns_401() {
    let app = TestApp::new().await;
    let bearer = [("authorization".to_owned(), format!("Bearer {}", key(OWNER)))];
    let response = app
        .service
        .call(axum::http::Method::GET, "/v1/teams", &bearer, None)
        .await;
    assert_eq!(response.assert_v1_error(401), "No apiKey provided");
}

#[tokio::test]
async fn response_never_contains_key() {
    let app = TestApp::new().await;
    let valid_key = key(OWNER);
    let secret = valid_key.strip_prefix("svc_").unwrap().to_owned();
    let assert_no_key = |text: &str, what: &str| assert!(!text.contains(&secret), "{what}: {text}");
    for case in cases() {
        let target = (case.target)(&app);
        for (target, body) in [
            (target.clone(), json!({"unheardOf": valid_key})),
            (
                format!("{target}{}{valid_key}=1", separator(&target)),
                (case.body)(&app),
            ),
            (target.clone(), json!({valid_key.clone(): 1})),
        ] {
            let method = case.name.split(' ').next().unwrap();
            let response = app.request(OWNER, method, &target, body).await;
            assert_no_key(&response.text, case.name);
            for (name, value) in &response.headers {
                assert_no_key(value.to_str().unwrap_or_default(), name.as_str());
            }
        }
    }
    for target in [
        format!("/v1/teams/{valid_key}"),
        format!("/v1/{valid_key}"),
        format!("/v1/teams?apikey={valid_key}"),
        format!("/v1/teams?api%4Bey={valid_key}&apiKey=svc_wrong"),
        format!("/v1/users?email={valid_key}"),
        format!("/v1/memberships/{valid_key}_1"),
        format!("/v1/webhooks/{valid_key}"),
        format!("/v1/bookings?apiKey={}", "x".repeat(9000)),
        format!("/v2/{valid_key}"),
        "/v2/nothing".to_owned(),
        "/v2/teams".to_owned(),
        "/v2/bookings/nothing".to_owned(),
    ] {
        for with in [None, Some(valid_key.as_str())] {
            let response = app
                .request_with_key(with, "GET", &target, Value::Null)
                .await;
            assert_no_key(&response.text, &target);
        }
    }
}

fn separator(target: &str) -> char {
    if target.contains('?') { '&' } else { '?' }
}

#[tokio::test]
async fn metrics_contain_no_key() {
    let app = TestApp::new().await;
    for target in [
        "/v1/teams",
        "/v1/bookings/1",
        "/v1/nothing",
        "/v1/teams/svc_abc",
    ] {
        app.get(OWNER, target).await;
    }
    let body = booking_body(app.event_type, FREE_SLOT);
    app.request(OWNER, "POST", "/v1/bookings", body)
        .await
        .wrapped("booking");
    let mut request = axum::http::Request::get("/metrics")
        .header("host", "localhost:8080")
        .body(axum::body::Body::empty())
        .unwrap();
    request
        .extensions_mut()
        .insert(Peer("127.0.0.1:9".parse().unwrap()));
    let metrics = app.service.send(request).await.text;
    assert!(metrics.contains("route=\"/v1/bookings/{id}\""), "{metrics}");
    // One booking per version.
    let created = "booking_booking_requests_total{outcome=\"made\"} 2";
    assert!(metrics.contains(created), "{metrics}");
    assert!(!metrics.contains("svc_"), "{metrics}");
    assert!(!metrics.contains(&secret::hash("key of 100")), "{metrics}");
}

#[tokio::test]
async fn rate_limit_is_30_requests_per_minute_and_user() {
    let mut app = TestApp::new().await;
    app.service.restart_with_limits(Limits {
        rate: Some(120),
        ..Limits::default()
    });
    for remaining in (0..30).rev() {
        let response = app.get(OWNER, "/v1/payments").await;
        assert_eq!(response.status, 200, "{}", response.text);
        let header = |name: &str| response.headers[name].to_str().unwrap().to_owned();
        assert_eq!(header("x-ratelimit-limit"), "30");
        assert_eq!(header("x-ratelimit-remaining"), remaining.to_string());
        let minute = app.service.app.clock.now().0 + 60_000;
        assert_eq!(header("x-ratelimit-reset"), minute.to_string());
        assert!(!response.headers.contains_key("x-ratelimit-limit-default"));
    }
    let rejected = app.get(OWNER, "/v1/payments").await;
    let message = rejected.assert_v1_error(429);
    assert_eq!(rejected.body, json!({"message": message}));
    assert_eq!(rejected.headers["retry-after"], "60");
    assert_eq!(app.get(OPERATOR, "/v1/payments").await.status, 200);
    app.service.app.clock.advance_minutes(1);
    assert_eq!(app.get(OWNER, "/v1/payments").await.status, 200);
}

#[tokio::test]
async fn expired_key_does_not_use_rate_limit_of_owner() {
    let mut app = TestApp::new().await;
    app.service.restart_with_limits(Limits {
        rate: Some(120),
        ..Limits::default()
    });
    let hash = secret::hash("old");
    app.service
        .sql(&format!(
            "INSERT INTO api_keys (hash, user_id, label, created_ms, expires_on)
             VALUES ('{hash}', {OWNER}, 'Old', 0, '2027-02-28')"
        ))
        .await;
    let old = app
        .request_with_key(Some("svc_old"), "GET", "/v1/teams", Value::Null)
        .await;
    assert_eq!(old.body, json!({"error": "the API key has expired"}));
    let own = app.get(OWNER, "/v1/teams").await;
    assert_eq!(own.headers["x-ratelimit-remaining"], "29");
}

#[tokio::test]
async fn operator_reads_all_resources_and_acts_for_other_users() {
    let app = TestApp::new().await;
    for (target, wrapper) in [
        ("/v1/attendees", "attendees"),
        ("/v1/event-types", "event_types"),
        ("/v1/schedules", "schedules"),
        ("/v1/teams", "teams"),
        ("/v1/memberships", "memberships"),
    ] {
        let all = app
            .get(OPERATOR, target)
            .await
            .wrapped(wrapper)
            .as_array()
            .unwrap()
            .len();
        let own = app
            .get(OWNER, target)
            .await
            .wrapped(wrapper)
            .as_array()
            .unwrap()
            .len();
        assert!(all > own, "{target}: {all}, {own}");
    }
    for (target, wrapper) in [("/v1/payments", "payments"), ("/v1/teams", "teams")] {
        let own = app.get(OWNER, target).await;
        assert_ne!(own.wrapped(wrapper), &json!([]));
        let for_both = format!("{target}?userId={OWNER},{STRANGER}");
        let fetched = app.get(OPERATOR, &for_both).await;
        assert_eq!(fetched.wrapped(wrapper), own.wrapped(wrapper));
        let for_stranger = format!("{target}?userId={STRANGER}");
        let fetched = app.get(OPERATOR, &for_stranger).await;
        assert_eq!(fetched.wrapped(wrapper), &json!([]));
        app.get(OWNER, &for_both).await.assert_v1_error(403);
    }
    for (target, wrapper) in [
        ("/v1/event-types", "event_types"),
        ("/v1/schedules", "schedules"),
    ] {
        let own = app.get(OWNER, target).await;
        for users in ["100", "100,101", "100&userId=101"] {
            let for_both = app.get(OPERATOR, &format!("{target}?userId={users}")).await;
            let found = for_both.wrapped(wrapper).as_array().unwrap();
            for one in own.wrapped(wrapper).as_array().unwrap() {
                assert!(found.contains(one), "{target} {users}");
            }
            assert!(
                found
                    .iter()
                    .all(|one| [OWNER, STRANGER].contains(&one["userId"].as_i64().unwrap()))
            );
        }
    }
    let created = app
        .request(
            OPERATOR,
            "POST",
            "/v1/schedules",
            json!({"name": "A", "timeZone": "UTC", "userId": STRANGER}),
        )
        .await;
    assert_eq!(created.wrapped("schedule")["userId"], STRANGER);
    let fetched = app
        .get(OPERATOR, &format!("/v1/bookings/{}", app.booking))
        .await;
    assert_eq!(fetched.wrapped("booking")["userId"], OWNER);
    let unknown_owner = json!({"name": "A", "timeZone": "UTC", "userId": 999_999});
    app.request(OPERATOR, "POST", "/v1/schedules", unknown_owner)
        .await
        .assert_v1_error(400);
}
