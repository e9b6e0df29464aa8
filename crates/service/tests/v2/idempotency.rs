//! The header `Idempotency-Key` of bookings and moves.

use std::net::SocketAddr;
use std::sync::Arc;

use axum::body::Body;
use axum::http::{Method, Request};
use booking_service::client_ip::Peer;
use booking_service::maintenance;
use serde_json::{Value, json};
use tokio::task::JoinSet;

use crate::common::{Answer, HOST, OTHER_HOST, Service, booking};

const START: &str = "2027-03-02T10:00:00Z";
const UUID: &str = "0197fc2e-6d5e-7d07-9f1e-5a5b6f0f7a11";

async fn send(service: &Service, target: &str, key: &str, from: &str, body: &Value) -> Answer {
    let address: SocketAddr = format!("{from}:4711").parse().unwrap();
    let mut request = Request::builder()
        .method(Method::POST)
        .uri(target)
        .header("content-type", "application/json")
        .header("idempotency-key", key)
        .body(Body::from(body.to_string()))
        .unwrap();
    request.extensions_mut().insert(Peer(address));
    service.send(request).await
}

async fn book(service: &Service, key: &str, body: &Value) -> Answer {
    send(service, "/v2/bookings", key, "192.0.2.1", body).await
}

fn is_replay(answer: &Answer) -> bool {
    answer.headers.contains_key("idempotency-replayed")
}

#[tokio::test]
async fn same_key_and_body_books_once_and_is_answered_alike() {
    let service = Service::start().await;
    for (slug, settings) in [
        ("talk", json!({})),
        ("class", json!({"seats": {"seatsPerTimeSlot": 5}})),
        (
            "weekly",
            json!({"recurrence": {"interval": 1, "occurrences": 3, "frequency": "weekly"}}),
        ),
    ] {
        let id = service.event_type(slug, settings).await;
        let bookings = service.count("bookings").await;
        let start = START.replace("T10", if slug == "talk" { "T10" } else { "T12" });
        let start = start.replace("T12", if slug == "class" { "T12" } else { "T14" });
        let body = booking(id, &start);
        let key = format!("{slug}-{UUID}");
        let first = book(&service, &key, &body).await;
        assert_eq!(first.status, 201, "{}", first.text);
        assert!(!is_replay(&first));
        let stored = service.count("bookings").await;
        assert!(stored > bookings);
        let attendees = service.count("attendees").await;
        // Spaces and the order of the keys make no other request.
        let mut reordered = serde_json::Map::new();
        for (key, value) in body.as_object().unwrap().iter().rev() {
            reordered.insert(key.clone(), value.clone());
        }
        for body in [body, reordered.into()] {
            let again = book(&service, &key, &body).await;
            assert_eq!(again.status, 201);
            assert_eq!(again.text, first.text);
            assert_eq!(again.headers["idempotency-replayed"], "true");
            assert_eq!(again.headers["content-type"], "application/json");
            assert_eq!(again.headers["cache-control"], "no-store");
        }
        assert_eq!(service.count("bookings").await, stored);
        assert_eq!(service.count("attendees").await, attendees);
    }
}

#[tokio::test]
async fn same_key_with_another_request_is_refused() {
    let service = Service::start().await;
    let id = service.event_type("talk", json!({})).await;
    let made = book(&service, UUID, &booking(id, START)).await;
    let uid = made.data()["uid"].as_str().unwrap().to_owned();
    let other = book(&service, UUID, &booking(id, "2027-03-02T11:00:00Z")).await;
    let message = other.refused(422, "IDEMPOTENCY_KEY_REUSED");
    assert!(message.contains("Idempotency-Key"), "{message}");
    let target = format!("/v2/bookings/{uid}/reschedule");
    let body = json!({"start": START});
    let moved = send(&service, &target, UUID, "192.0.2.1", &body).await;
    moved.refused(422, "IDEMPOTENCY_KEY_REUSED");
    assert_eq!(service.count("bookings WHERE status = 'accepted' AND event_type_id = (SELECT max(id) FROM event_types)").await, 1);
}

#[tokio::test]
async fn move_with_a_key_moves_once() {
    let service = Service::start().await;
    let id = service.event_type("talk", json!({})).await;
    let made = service.post("/v2/bookings", booking(id, START)).await;
    let target = format!(
        "/v2/bookings/{}/reschedule",
        made.data()["uid"].as_str().unwrap()
    );
    let body = json!({"start": "2027-03-02T12:00:00Z"});
    let first = send(&service, &target, UUID, "192.0.2.1", &body).await;
    assert_eq!(first.status, 201, "{}", first.text);
    let again = send(&service, &target, UUID, "192.0.2.1", &body).await;
    assert_eq!(again.text, first.text);
    assert!(is_replay(&again) && !is_replay(&first));
    // Without the key the booking has been moved already.
    let without = service.post(&target, body).await;
    assert_eq!(without.status, 400, "{}", without.text);
}

#[tokio::test]
async fn failed_request_keeps_nothing_and_may_succeed_later() {
    let service = Service::start().await;
    let id = service.event_type("talk", json!({})).await;
    let taken = service.post("/v2/bookings", booking(id, START)).await;
    let body = booking(id, START);
    for _ in 0..2 {
        let refused = book(&service, UUID, &body).await;
        refused.refused(409, "ConflictException");
    }
    assert_eq!(service.count("idempotency_keys").await, 0);
    let target = format!(
        "/v2/bookings/{}/cancel",
        taken.data()["uid"].as_str().unwrap()
    );
    service.post(&target, json!({})).await.data();
    let made = book(&service, UUID, &body).await;
    assert_eq!(made.status, 201, "{}", made.text);
    assert!(!is_replay(&made));
}

#[tokio::test(flavor = "multi_thread")]
async fn attempts_at_the_same_time_book_once() {
    let service = Service::start().await;
    // Of several hosts each attempt without a key would find one.
    let hosts = [HOST, OTHER_HOST];
    let id = service
        .event_type_of("robin", Some("roundRobin"), &hosts, json!({}))
        .await;
    let body = booking(id, "2027-03-02T15:00:00Z");
    let before = service.count("bookings").await;
    let service = Arc::new(service);
    let mut attempts = JoinSet::new();
    for _ in 0..16 {
        let (service, body) = (service.clone(), body.clone());
        attempts.spawn(async move { book(&service, UUID, &body).await });
    }
    let answers = attempts.join_all().await;
    let texts: std::collections::BTreeSet<&str> =
        answers.iter().map(|answer| answer.text.as_str()).collect();
    assert_eq!(texts.len(), 1, "{texts:?}");
    assert!(answers.iter().all(|answer| answer.status == 201));
    assert_eq!(answers.iter().filter(|it| !is_replay(it)).count(), 1);
    assert_eq!(service.count("bookings").await, before + 1);
}

#[tokio::test]
async fn key_counts_for_its_caller_alone() {
    let service = Service::start().await;
    let id = service
        .event_type("class", json!({"seats": {"seatsPerTimeSlot": 9}}))
        .await;
    let body = booking(id, START);
    let with = |number: usize| {
        let mut body = body.clone();
        body["attendee"]["email"] = json!(format!("visitor{number}@example.org"));
        body
    };
    // A short key may be guessed: others do not see what it was answered.
    let first = book(&service, "1", &with(1)).await;
    let elsewhere = send(&service, "/v2/bookings", "1", "198.51.100.7", &with(2)).await;
    assert_eq!(elsewhere.status, 201, "{}", elsewhere.text);
    assert!(!is_replay(&elsewhere));
    let bearer = service.bearer_of(OTHER_HOST).await;
    let headers = [bearer, ("idempotency-key".into(), "1".into())];
    let signed_in = service
        .call(Method::POST, "/v2/bookings", &headers, Some(with(3)))
        .await;
    assert_eq!(signed_in.status, 201, "{}", signed_in.text);
    assert!(!is_replay(&signed_in));
    assert_ne!(first.text, elsewhere.text);
    // A visitor whose address has changed meanwhile has a long one.
    let home = send(&service, "/v2/bookings", UUID, "192.0.2.1", &with(4)).await;
    let train = send(&service, "/v2/bookings", UUID, "198.51.100.7", &with(4)).await;
    assert_eq!(home.text, train.text);
    assert!(is_replay(&train));
    let mut db = service.app.store.read().await.unwrap();
    let hashes: Vec<String> = sqlx::query_scalar("SELECT hash FROM idempotency_keys")
        .fetch_all(&mut *db)
        .await
        .unwrap();
    assert_eq!(hashes.len(), 4);
    assert!(
        hashes
            .iter()
            .all(|hash| hash.len() == 64 && !hash.contains(UUID))
    );
}

#[tokio::test]
async fn key_is_kept_for_a_day() {
    let service = Service::start().await;
    let id = service
        .event_type("class", json!({"seats": {"seatsPerTimeSlot": 9}}))
        .await;
    let body = booking(id, "2027-03-04T10:00:00Z");
    let first = book(&service, UUID, &body).await;
    assert_eq!(first.status, 201);
    service.app.clock.advance_minutes(24 * 60 - 1);
    maintenance::round(&service.app).await.unwrap();
    assert!(is_replay(&book(&service, UUID, &body).await));
    service.app.clock.advance_minutes(1);
    maintenance::round(&service.app).await.unwrap();
    assert_eq!(service.count("idempotency_keys").await, 0);
    let later = book(&service, UUID, &body).await;
    assert!(!is_replay(&later));
}

#[tokio::test]
async fn key_of_another_form_is_refused() {
    let service = Service::start().await;
    let id = service.event_type("talk", json!({})).await;
    let body = booking(id, START);
    let long = "k".repeat(256);
    for key in ["", " ", "a b", "ä", "\u{7f}", long.as_str()] {
        let request = Request::post("/v2/bookings")
            .header("content-type", "application/json")
            .header("idempotency-key", key.as_bytes());
        let Ok(request) = request.body(Body::from(body.to_string())) else {
            continue;
        };
        let refused = service.send(request).await;
        let message = refused.refused(400, "BadRequestException");
        assert!(message.contains("Idempotency-Key"), "{message}");
    }
    let twice = Request::post("/v2/bookings")
        .header("content-type", "application/json")
        .header("idempotency-key", "a")
        .header("idempotency-key", "b")
        .body(Body::from(body.to_string()))
        .unwrap();
    let refused = service.send(twice).await;
    refused.refused(400, "BadRequestException");
    assert_eq!(book(&service, &long[1..], &body).await.status, 201);
    // A page of another origin may send it.
    let preflight = [
        ("origin".to_owned(), "https://shop.example".to_owned()),
        (
            "access-control-request-method".to_owned(),
            "POST".to_owned(),
        ),
    ];
    let allowed = service
        .call(Method::OPTIONS, "/v2/bookings", &preflight, None)
        .await;
    let headers = allowed.headers["access-control-allow-headers"]
        .to_str()
        .unwrap();
    assert!(headers.contains("idempotency-key"), "{headers}");
}
