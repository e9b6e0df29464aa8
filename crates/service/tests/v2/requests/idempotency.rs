//! The header `Idempotency-Key` of bookings and reschedules.

use std::net::SocketAddr;
use std::sync::Arc;

use axum::body::Body;
use axum::http::{Method, Request};
use booking_service::limits::client_ip::Peer;
use booking_service::process::maintenance;
use booking_store_engine::sql;
use serde_json::{Value, json};
use tokio::task::JoinSet;

use crate::common::{HOST, OTHER_HOST, Service, TestResponse, booking};

const START: &str = "2027-03-02T10:00:00Z";
const UUID: &str = "0197fc2e-6d5e-7d07-9f1e-5a5b6f0f7a11";

async fn send(
    service: &Service,
    target: &str,
    key: &str,
    from: &str,
    body: &Value,
) -> TestResponse {
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

async fn book(service: &Service, key: &str, body: &Value) -> TestResponse {
    send(service, "/v2/bookings", key, "192.0.2.1", body).await
}

fn is_replay(response: &TestResponse) -> bool {
    response.headers.contains_key("idempotency-replayed")
}

#[tokio::test]
async fn same_key_and_body_books_once_and_replays_response() {
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
        // Whitespace and key order do not make a different request.
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
async fn same_key_with_different_request_returns_422() {
    let service = Service::start().await;
    let id = service.event_type("talk", json!({})).await;
    let created = book(&service, UUID, &booking(id, START)).await;
    let uid = created.data()["uid"].as_str().unwrap().to_owned();
    let other = book(&service, UUID, &booking(id, "2027-03-02T11:00:00Z")).await;
    let message = other.assert_error(422, "IDEMPOTENCY_KEY_REUSED");
    assert!(message.contains("Idempotency-Key"), "{message}");
    let target = format!("/v2/bookings/{uid}/reschedule");
    let body = json!({"start": START});
    let moved = send(&service, &target, UUID, "192.0.2.1", &body).await;
    moved.assert_error(422, "IDEMPOTENCY_KEY_REUSED");
    assert_eq!(service.count("bookings WHERE status = 'accepted' AND event_type_id = (SELECT max(id) FROM event_types)").await, 1);
}

#[tokio::test]
async fn reschedule_with_key_runs_once() {
    let service = Service::start().await;
    let id = service.event_type("talk", json!({})).await;
    let created = service.post("/v2/bookings", booking(id, START)).await;
    let target = format!(
        "/v2/bookings/{}/reschedule",
        created.data()["uid"].as_str().unwrap()
    );
    let body = json!({"start": "2027-03-02T12:00:00Z"});
    let first = send(&service, &target, UUID, "192.0.2.1", &body).await;
    assert_eq!(first.status, 201, "{}", first.text);
    let again = send(&service, &target, UUID, "192.0.2.1", &body).await;
    assert_eq!(again.text, first.text);
    assert!(is_replay(&again) && !is_replay(&first));
    // Without the key, the booking counts as already rescheduled.
    let without = service.post(&target, body).await;
    assert_eq!(without.status, 400, "{}", without.text);
}

#[tokio::test]
async fn failed_request_stores_no_key_and_can_be_retried() {
    let service = Service::start().await;
    let id = service.event_type("talk", json!({})).await;
    let existing = service.post("/v2/bookings", booking(id, START)).await;
    let body = booking(id, START);
    for _ in 0..2 {
        let refused = book(&service, UUID, &body).await;
        refused.assert_error(409, "ConflictException");
    }
    assert_eq!(service.count("idempotency_keys").await, 0);
    let target = format!(
        "/v2/bookings/{}/cancel",
        existing.data()["uid"].as_str().unwrap()
    );
    service.post(&target, json!({})).await.data();
    let created = book(&service, UUID, &body).await;
    assert_eq!(created.status, 201, "{}", created.text);
    assert!(!is_replay(&created));
}

#[tokio::test(flavor = "multi_thread")]
async fn concurrent_requests_with_one_key_book_once() {
    let service = Service::start().await;
    // Without the key, several hosts would allow several bookings.
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
    let responses = attempts.join_all().await;
    let texts: std::collections::BTreeSet<&str> = responses
        .iter()
        .map(|response| response.text.as_str())
        .collect();
    assert_eq!(texts.len(), 1, "{texts:?}");
    assert!(responses.iter().all(|response| response.status == 201));
    assert_eq!(responses.iter().filter(|it| !is_replay(it)).count(), 1);
    assert_eq!(service.count("bookings").await, before + 1);
}

#[tokio::test]
async fn key_is_scoped_to_its_caller() {
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
    // A short key can be guessed: other callers do not get its stored response.
    let first = book(&service, "1", &with(1)).await;
    let other_client = send(&service, "/v2/bookings", "1", "198.51.100.7", &with(2)).await;
    assert_eq!(other_client.status, 201, "{}", other_client.text);
    assert!(!is_replay(&other_client));
    let bearer = service.bearer_of(OTHER_HOST).await;
    let headers = [bearer, ("idempotency-key".into(), "1".into())];
    let signed_in = service
        .call(Method::POST, "/v2/bookings", &headers, Some(with(3)))
        .await;
    assert_eq!(signed_in.status, 201, "{}", signed_in.text);
    assert!(!is_replay(&signed_in));
    assert_ne!(first.text, other_client.text);
    // A long key also counts after the client's IP address has changed.
    let first_address = send(&service, "/v2/bookings", UUID, "192.0.2.1", &with(4)).await;
    let second_address = send(&service, "/v2/bookings", UUID, "198.51.100.7", &with(4)).await;
    assert_eq!(first_address.text, second_address.text);
    assert!(is_replay(&second_address));
    let mut db = service.app.store.read().await.unwrap();
    let hashes: Vec<String> = sql::query_scalar("SELECT hash FROM idempotency_keys")
        .fetch_all(&mut db)
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
async fn key_expires_after_a_day() {
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
async fn malformed_key_returns_400() {
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
        let message = refused.assert_error(400, "BadRequestException");
        assert!(message.contains("Idempotency-Key"), "{message}");
    }
    let twice = Request::post("/v2/bookings")
        .header("content-type", "application/json")
        .header("idempotency-key", "a")
        .header("idempotency-key", "b")
        .body(Body::from(body.to_string()))
        .unwrap();
    let refused = service.send(twice).await;
    refused.assert_error(400, "BadRequestException");
    assert_eq!(book(&service, &long[1..], &body).await.status, 201);
    // CORS: a page of another origin may send the header.
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
