//! Invalid ids, query parameters, paths and bodies.

use serde_json::Value;

use crate::app::{FREE_SLOT, OPERATOR, OWNER, TestApp, booking_body};

#[tokio::test]
async fn id_other_than_positive_integer_returns_400() {
    let app = TestApp::new().await;
    let before = app.database_dump().await;
    for resource in [
        "attendees",
        "availabilities",
        "booking-references",
        "bookings",
        "destination-calendars",
        "event-types",
        "payments",
        "schedules",
        "teams",
        "users",
    ] {
        for id in [
            "0",
            "-1",
            "+1",
            "1.0",
            "1e3",
            "x",
            "%31x",
            "99999999999999999999",
            "%00",
            "1%20",
            "null",
        ] {
            let response = app.get(OPERATOR, &format!("/v1/{resource}/{id}")).await;
            assert_eq!(response.status, 400, "{resource}/{id}: {}", response.text);
        }
        let broken = app.get(OPERATOR, &format!("/v1/{resource}/%FF")).await;
        assert_eq!(broken.status, 400, "{resource}: {}", broken.text);
    }
    assert_eq!(app.database_dump().await, before);
}

#[tokio::test]
async fn percent_encoded_id_is_decoded() {
    let app = TestApp::new().await;
    let encoded: String = app
        .team
        .to_string()
        .bytes()
        .map(|digit| format!("%{digit:02X}"))
        .collect();
    let team = app.get(OWNER, &format!("/v1/teams/{encoded}")).await;
    assert_eq!(team.wrapped("team")["id"], app.team);
    let membership = format!("/v1/memberships/%31{}%5F{encoded}", "00");
    let membership = app.get(OWNER, &membership).await;
    assert_eq!(membership.wrapped("membership")["userId"], OWNER);
    let selected = app
        .get(
            OWNER,
            "/v1/selected-calendars/100%5fgoogle%5fcalendar%5fa%5Fb%40example.org",
        )
        .await;
    assert_eq!(
        selected.wrapped("selected_calendar")["externalId"],
        "a_b@example.org"
    );
}

#[tokio::test]
async fn compound_id_with_missing_or_extra_part_returns_400() {
    let app = TestApp::new().await;
    let team = app.team;
    for id in [
        format!("{OWNER}"),
        format!("{OWNER}_"),
        format!("_{team}"),
        format!("{OWNER}_{team}_1"),
        format!("{OWNER}__{team}"),
        format!("{OWNER}_{team}_"),
        format!("{OWNER}%20_{team}"),
        format!("x_{team}"),
    ] {
        let response = app.get(OWNER, &format!("/v1/memberships/{id}")).await;
        assert_eq!(response.status, 400, "{id}: {}", response.text);
        assert_eq!(response.invalid_properties(), ["id"], "{id}");
    }
    for id in [
        "100",
        "100_",
        "100_google",
        "100_google_calendar",
        "100_google_calendar_",
        "100__calendar_x",
        "_google_calendar_x",
        "x_google_calendar_x",
        "100_google%20calendar_x",
    ] {
        let response = app
            .get(OWNER, &format!("/v1/selected-calendars/{id}"))
            .await;
        assert_eq!(response.status, 400, "{id}: {}", response.text);
    }
    // An external id may contain any character.
    for id in [
        "100_google_calendar__",
        "100_google_calendar_a_calendar_b",
        "100_google_calendar_%2F%25",
    ] {
        let response = app
            .get(OWNER, &format!("/v1/selected-calendars/{id}"))
            .await;
        assert_eq!(response.status, 404, "{id}: {}", response.text);
    }
    // Calendars of other users and of unknown users get the same response.
    for id in ["101_google_calendar_x", "999_google_calendar_x"] {
        let response = app
            .get(OWNER, &format!("/v1/selected-calendars/{id}"))
            .await;
        assert_eq!(response.status, 403, "{id}: {}", response.text);
    }
}

#[tokio::test]
async fn invalid_pagination_returns_400() {
    let app = TestApp::new().await;
    for query in [
        "take=0", "take=-1", "take=x", "take=251", "page=-1", "page=0", "page=1.5", "take=",
        "page=",
    ] {
        let response = app.get(OPERATOR, &format!("/v1/users?{query}")).await;
        assert_eq!(response.status, 400, "{query}: {}", response.text);
    }
    // Other lists are not paginated.
    for list in [
        "teams",
        "schedules",
        "attendees",
        "event-types",
        "memberships",
        "payments",
        "webhooks",
    ] {
        for query in ["take=0", "page=-1", "take=1"] {
            let response = app.get(OWNER, &format!("/v1/{list}?{query}")).await;
            assert_eq!(response.status, 400, "{list} {query}: {}", response.text);
        }
    }
}

#[tokio::test]
async fn invalid_id_in_query_returns_400() {
    let app = TestApp::new().await;
    for target in [
        "/v1/event-types?userId=x",
        "/v1/event-types?userId=",
        "/v1/event-types?userId=1,,2",
        "/v1/memberships?teamId=0",
        "/v1/memberships?include=everything",
        "/v1/credential-sync?userId=x",
        "/v1/credential-sync?userId=0",
        "/v1/credential-sync",
    ] {
        let response = app.get(OPERATOR, target).await;
        assert_eq!(response.status, 400, "{target}: {}", response.text);
    }
    let response = app
        .request(
            OPERATOR,
            "DELETE",
            &format!("/v1/credential-sync?userId={OWNER}"),
            Value::Null,
        )
        .await;
    assert_eq!(response.invalid_properties(), ["credentialId"]);
}

#[tokio::test]
async fn unknown_path_returns_404_in_version_1_format() {
    let app = TestApp::new().await;
    for target in [
        "/v1",
        "/v1/",
        "/v1/nothing",
        "/v1/bookings/1/2/3",
        "/v1/teams/",
    ] {
        for method in ["GET", "POST", "DELETE"] {
            let response = app.request(OWNER, method, target, Value::Null).await;
            response.assert_v1_error(404);
            assert_eq!(response.body["method"], method);
            assert!(response.headers.contains_key("deprecation"));
            assert_eq!(
                response.headers["link"],
                "</v2/openapi.json>; rel=\"successor-version\""
            );
        }
    }
    // Version 1 has no list of bookings.
    app.get(OWNER, "/v1/bookings").await.assert_v1_error(405);
}

#[tokio::test]
async fn oversized_or_non_json_body_is_rejected() {
    let app = TestApp::new().await;
    let target = format!("/v1/schedules?apiKey={}", crate::app::key(OWNER));
    for (kind, body, status) in [
        ("text/plain", "{}".to_owned(), 415),
        (
            "application/x-www-form-urlencoded",
            "name=x".to_owned(),
            415,
        ),
        (
            "application/json",
            format!("{{\"name\": \"{}\"}}", "x".repeat(1024 * 1024)),
            413,
        ),
        ("application/json", "{\"name\": ".to_owned(), 400),
    ] {
        let request = axum::http::Request::post(&target)
            .header("content-type", kind)
            .header("content-length", body.len())
            .body(axum::body::Body::from(body))
            .unwrap();
        app.service.send(request).await.assert_v1_error(status);
    }
}

#[tokio::test]
async fn rejected_booking_changes_nothing() {
    let app = TestApp::new().await;
    let free = app.service.event_type("plain", serde_json::json!({})).await;
    let first = app
        .request(OWNER, "POST", "/v1/bookings", booking_body(free, FREE_SLOT))
        .await;
    first.wrapped("booking");
    let before = app.database_dump().await;
    let second = app
        .request(OWNER, "POST", "/v1/bookings", booking_body(free, FREE_SLOT))
        .await;
    assert!(
        second.assert_v1_error(400).contains("no longer available"),
        "{}",
        second.text
    );
    let closed = app
        .request(
            OWNER,
            "POST",
            "/v1/bookings",
            booking_body(free, "2027-03-07T10:00:00Z"),
        )
        .await;
    closed.assert_v1_error(400);
    assert_eq!(app.database_dump().await, before);
}
