//! The API key lets in whoever has it, and is told to nobody.

use booking_service::auth::secret;
use booking_service::client_ip::Peer;
use booking_service::settings::Limits;
use serde_json::{Value, json};

use crate::cases::cases;
use crate::world::{FREE, OPERATOR, OWNER, STRANGER, World, key, new_booking};

#[tokio::test]
async fn a_key_is_good_until_the_end_of_its_last_day() {
    let world = World::new().await;
    for (last_day, status) in [("2027-03-01", 200), ("2027-02-28", 401)] {
        world
            .service
            .sql(&format!(
                "UPDATE api_keys SET expires_on = '{last_day}' WHERE user_id = {OWNER}"
            ))
            .await;
        let answer = world.get(OWNER, "/v1/teams").await;
        assert_eq!(answer.status, status, "{last_day}: {}", answer.text);
        if status == 401 {
            assert_eq!(answer.body, json!({"error": "the API key has expired"}));
        }
    }
}

#[tokio::test]
async fn a_key_without_a_person_is_unknown() {
    let world = World::new().await;
    world
        .service
        .sql(&format!("DELETE FROM users WHERE id = {STRANGER}"))
        .await;
    let answer = world.get(STRANGER, "/v1/teams").await;
    assert_eq!(
        (answer.status, &answer.body),
        (401, &json!({"error": "unknown API key"}))
    );
}

#[tokio::test]
async fn a_key_in_a_header_opens_nothing_here() {
    let world = World::new().await;
    let bearer = [("authorization".to_owned(), format!("Bearer {}", key(OWNER)))];
    let answer = world
        .service
        .call(axum::http::Method::GET, "/v1/teams", &bearer, None)
        .await;
    assert_eq!(answer.failed(401), "No apiKey provided");
}

#[tokio::test]
async fn no_answer_repeats_a_key_wherever_it_was_put() {
    let world = World::new().await;
    let good = key(OWNER);
    let secret = good.strip_prefix("svc_").unwrap().to_owned();
    let silent = |text: &str, what: &str| assert!(!text.contains(&secret), "{what}: {text}");
    for case in cases() {
        let target = (case.target)(&world);
        for (target, body) in [
            (target.clone(), json!({"unheardOf": good})),
            (
                format!("{target}{}{good}=1", mark(&target)),
                (case.body)(&world),
            ),
            (target.clone(), json!({good.clone(): 1})),
        ] {
            let method = case.name.split(' ').next().unwrap();
            let answer = world.ask(OWNER, method, &target, body).await;
            silent(&answer.text, case.name);
            for (name, value) in &answer.headers {
                silent(value.to_str().unwrap_or_default(), name.as_str());
            }
        }
    }
    for target in [
        format!("/v1/teams/{good}"),
        format!("/v1/{good}"),
        format!("/v1/teams?apikey={good}"),
        format!("/v1/teams?api%4Bey={good}&apiKey=svc_wrong"),
        format!("/v1/users?email={good}"),
        format!("/v1/memberships/{good}_1"),
        format!("/v1/webhooks/{good}"),
        format!("/v1/bookings?apiKey={}", "x".repeat(9000)),
        format!("/v2/{good}"),
        "/v2/nothing".to_owned(),
        "/v2/teams".to_owned(),
        "/v2/bookings/nothing".to_owned(),
    ] {
        for with in [None, Some(good.as_str())] {
            let answer = world.ask_with(with, "GET", &target, Value::Null).await;
            silent(&answer.text, &target);
        }
    }
}

fn mark(target: &str) -> char {
    if target.contains('?') { '&' } else { '?' }
}

#[tokio::test]
async fn no_metric_tells_a_key() {
    let world = World::new().await;
    for target in [
        "/v1/teams",
        "/v1/bookings/1",
        "/v1/nothing",
        "/v1/teams/svc_abc",
    ] {
        world.get(OWNER, target).await;
    }
    let booked = new_booking(world.event_type, FREE);
    world
        .ask(OWNER, "POST", "/v1/bookings", booked)
        .await
        .wrapped("booking");
    let mut request = axum::http::Request::get("/metrics")
        .header("host", "localhost:8080")
        .body(axum::body::Body::empty())
        .unwrap();
    request
        .extensions_mut()
        .insert(Peer("127.0.0.1:9".parse().unwrap()));
    let metrics = world.service.send(request).await.text;
    assert!(metrics.contains("route=\"/v1/bookings/{id}\""), "{metrics}");
    // One by each version.
    let made = "booking_booking_requests_total{outcome=\"made\"} 2";
    assert!(metrics.contains(made), "{metrics}");
    assert!(!metrics.contains("svc_"), "{metrics}");
    assert!(!metrics.contains(&secret::hash("key of 100")), "{metrics}");
}

#[tokio::test]
async fn thirty_calls_a_minute_are_for_each_person() {
    let mut world = World::new().await;
    world.service.limit(Limits {
        rate: Some(120),
        ..Limits::default()
    });
    for left in (0..30).rev() {
        let answer = world.get(OWNER, "/v1/payments").await;
        assert_eq!(answer.status, 200, "{}", answer.text);
        let header = |name: &str| answer.headers[name].to_str().unwrap().to_owned();
        assert_eq!(header("x-ratelimit-limit"), "30");
        assert_eq!(header("x-ratelimit-remaining"), left.to_string());
        let minute = world.service.app.clock.now().0 + 60_000;
        assert_eq!(header("x-ratelimit-reset"), minute.to_string());
        assert!(!answer.headers.contains_key("x-ratelimit-limit-default"));
    }
    let refused = world.get(OWNER, "/v1/payments").await;
    let message = refused.failed(429);
    assert_eq!(refused.body, json!({"message": message}));
    assert_eq!(refused.headers["retry-after"], "60");
    assert_eq!(world.get(OPERATOR, "/v1/payments").await.status, 200);
    world.service.app.clock.advance_minutes(1);
    assert_eq!(world.get(OWNER, "/v1/payments").await.status, 200);
}

#[tokio::test]
async fn an_expired_key_spends_none_of_its_owners_calls() {
    let mut world = World::new().await;
    world.service.limit(Limits {
        rate: Some(120),
        ..Limits::default()
    });
    let hash = secret::hash("old");
    world
        .service
        .sql(&format!(
            "INSERT INTO api_keys (hash, user_id, label, created_ms, expires_on)
             VALUES ('{hash}', {OWNER}, 'Old', 0, '2027-02-28')"
        ))
        .await;
    let old = world
        .ask_with(Some("svc_old"), "GET", "/v1/teams", Value::Null)
        .await;
    assert_eq!(old.body, json!({"error": "the API key has expired"}));
    let own = world.get(OWNER, "/v1/teams").await;
    assert_eq!(own.headers["x-ratelimit-remaining"], "29");
}

#[tokio::test]
async fn who_runs_the_service_sees_everything_and_acts_for_others() {
    let world = World::new().await;
    for (target, wrapper) in [
        ("/v1/attendees", "attendees"),
        ("/v1/event-types", "event_types"),
        ("/v1/schedules", "schedules"),
        ("/v1/teams", "teams"),
        ("/v1/memberships", "memberships"),
    ] {
        let all = world
            .get(OPERATOR, target)
            .await
            .wrapped(wrapper)
            .as_array()
            .unwrap()
            .len();
        let own = world
            .get(OWNER, target)
            .await
            .wrapped(wrapper)
            .as_array()
            .unwrap()
            .len();
        assert!(all > own, "{target}: {all}, {own}");
    }
    for (target, wrapper) in [("/v1/payments", "payments"), ("/v1/teams", "teams")] {
        let own = world.get(OWNER, target).await;
        assert_ne!(own.wrapped(wrapper), &json!([]));
        let of_them = format!("{target}?userId={OWNER},{STRANGER}");
        let shown = world.get(OPERATOR, &of_them).await;
        assert_eq!(shown.wrapped(wrapper), own.wrapped(wrapper));
        let of_nobody = format!("{target}?userId={STRANGER}");
        let shown = world.get(OPERATOR, &of_nobody).await;
        assert_eq!(shown.wrapped(wrapper), &json!([]));
        world.get(OWNER, &of_them).await.failed(403);
    }
    for (target, wrapper) in [
        ("/v1/event-types", "event_types"),
        ("/v1/schedules", "schedules"),
    ] {
        let own = world.get(OWNER, target).await;
        for users in ["100", "100,101", "100&userId=101"] {
            let of_them = world
                .get(OPERATOR, &format!("{target}?userId={users}"))
                .await;
            let found = of_them.wrapped(wrapper).as_array().unwrap();
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
    let made = world
        .ask(
            OPERATOR,
            "POST",
            "/v1/schedules",
            json!({"name": "A", "timeZone": "UTC", "userId": STRANGER}),
        )
        .await;
    assert_eq!(made.wrapped("schedule")["userId"], STRANGER);
    let shown = world
        .get(OPERATOR, &format!("/v1/bookings/{}", world.booking))
        .await;
    assert_eq!(shown.wrapped("booking")["userId"], OWNER);
    let nobody = json!({"name": "A", "timeZone": "UTC", "userId": 999_999});
    world
        .ask(OPERATOR, "POST", "/v1/schedules", nobody)
        .await
        .failed(400);
}
