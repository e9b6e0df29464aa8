//! Ids, parameters and paths that mean nothing.

use serde_json::Value;

use crate::world::{FREE, OPERATOR, OWNER, World, new_booking};

#[tokio::test]
async fn an_id_is_a_positive_whole_number_and_nothing_else() {
    let world = World::new().await;
    let before = world.stored().await;
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
            let answer = world.get(OPERATOR, &format!("/v1/{resource}/{id}")).await;
            assert_eq!(answer.status, 400, "{resource}/{id}: {}", answer.text);
        }
        let broken = world.get(OPERATOR, &format!("/v1/{resource}/%FF")).await;
        assert_eq!(broken.status, 400, "{resource}: {}", broken.text);
    }
    assert_eq!(world.stored().await, before);
}

#[tokio::test]
async fn a_percent_encoded_id_is_the_same_id() {
    let world = World::new().await;
    let encoded: String = world
        .team
        .to_string()
        .bytes()
        .map(|digit| format!("%{digit:02X}"))
        .collect();
    let team = world.get(OWNER, &format!("/v1/teams/{encoded}")).await;
    assert_eq!(team.wrapped("team")["id"], world.team);
    let membership = format!("/v1/memberships/%31{}%5F{encoded}", "00");
    let membership = world.get(OWNER, &membership).await;
    assert_eq!(membership.wrapped("membership")["userId"], OWNER);
    let selected = world
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
async fn a_compound_id_with_a_missing_or_an_extra_part_is_refused() {
    let world = World::new().await;
    let team = world.team;
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
        let answer = world.get(OWNER, &format!("/v1/memberships/{id}")).await;
        assert_eq!(answer.status, 400, "{id}: {}", answer.text);
        assert_eq!(answer.complaints(), ["id"], "{id}");
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
        let answer = world
            .get(OWNER, &format!("/v1/selected-calendars/{id}"))
            .await;
        assert_eq!(answer.status, 400, "{id}: {}", answer.text);
    }
    // What follows the marks may hold anything.
    for id in [
        "100_google_calendar__",
        "100_google_calendar_a_calendar_b",
        "100_google_calendar_%2F%25",
    ] {
        let answer = world
            .get(OWNER, &format!("/v1/selected-calendars/{id}"))
            .await;
        assert_eq!(answer.status, 404, "{id}: {}", answer.text);
    }
    // Somebody else's are not told apart from those that are not there.
    for id in ["101_google_calendar_x", "999_google_calendar_x"] {
        let answer = world
            .get(OWNER, &format!("/v1/selected-calendars/{id}"))
            .await;
        assert_eq!(answer.status, 403, "{id}: {}", answer.text);
    }
}

#[tokio::test]
async fn a_page_of_nothing_is_refused() {
    let world = World::new().await;
    for query in [
        "take=0", "take=-1", "take=x", "take=251", "page=-1", "page=0", "page=1.5", "take=",
        "page=",
    ] {
        let answer = world.get(OPERATOR, &format!("/v1/users?{query}")).await;
        assert_eq!(answer.status, 400, "{query}: {}", answer.text);
    }
    // Other lists have no pages.
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
            let answer = world.get(OWNER, &format!("/v1/{list}?{query}")).await;
            assert_eq!(answer.status, 400, "{list} {query}: {}", answer.text);
        }
    }
}

#[tokio::test]
async fn ids_in_a_query_are_read_as_strictly() {
    let world = World::new().await;
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
        let answer = world.get(OPERATOR, target).await;
        assert_eq!(answer.status, 400, "{target}: {}", answer.text);
    }
    let answer = world
        .ask(
            OPERATOR,
            "DELETE",
            &format!("/v1/credential-sync?userId={OWNER}"),
            Value::Null,
        )
        .await;
    assert_eq!(answer.complaints(), ["credentialId"]);
}

#[tokio::test]
async fn what_is_no_path_of_version_1_says_so_in_its_words() {
    let world = World::new().await;
    for target in [
        "/v1",
        "/v1/",
        "/v1/nothing",
        "/v1/bookings/1/2/3",
        "/v1/teams/",
    ] {
        for method in ["GET", "POST", "DELETE"] {
            let answer = world.ask(OWNER, method, target, Value::Null).await;
            answer.failed(404);
            assert_eq!(answer.body["method"], method);
            assert!(answer.headers.contains_key("deprecation"));
            assert_eq!(
                answer.headers["link"],
                "</v2/openapi.json>; rel=\"successor-version\""
            );
        }
    }
    // There is no list of bookings.
    world.get(OWNER, "/v1/bookings").await.failed(405);
}

#[tokio::test]
async fn a_body_must_be_json_of_a_bearable_size() {
    let world = World::new().await;
    let target = format!("/v1/schedules?apiKey={}", crate::world::key(OWNER));
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
        world.service.send(request).await.failed(status);
    }
}

#[tokio::test]
async fn a_refused_booking_leaves_nothing_behind() {
    let world = World::new().await;
    let free = world
        .service
        .event_type("plain", serde_json::json!({}))
        .await;
    let first = world
        .ask(OWNER, "POST", "/v1/bookings", new_booking(free, FREE))
        .await;
    first.wrapped("booking");
    let before = world.stored().await;
    let second = world
        .ask(OWNER, "POST", "/v1/bookings", new_booking(free, FREE))
        .await;
    assert!(
        second.failed(400).contains("no longer available"),
        "{}",
        second.text
    );
    let closed = world
        .ask(
            OWNER,
            "POST",
            "/v1/bookings",
            new_booking(free, "2027-03-07T10:00:00Z"),
        )
        .await;
    closed.failed(400);
    assert_eq!(world.stored().await, before);
}
