//! Bookings of a deleted host.

use axum::http::Method;
use booking_store_engine::sql;
use serde_json::{Value, json};

use crate::bookings::fixture::BookingFixture;
use crate::common::{HOST, OTHER_HOST, Service, TestResponse};

/// A service in which the test hosts are managed users of the demo's OAuth client.
async fn service_with_managed_hosts() -> Service {
    let service = Service::start().await;
    service
        .sql(&format!(
            "UPDATE users SET oauth_client_id = '{}' WHERE id IN ({HOST}, {OTHER_HOST})",
            service.secret("clientId")
        ))
        .await;
    service
}

async fn send_as_client(
    service: &Service,
    method: Method,
    target: &str,
    body: Option<Value>,
) -> TestResponse {
    let key = (
        "x-svc-secret-key".to_owned(),
        service.secret("clientSecret"),
    );
    let target = format!("/v2/oauth-clients/{}{target}", service.secret("clientId"));
    service.call(method, &target, &[key], body).await
}

async fn delete_user(service: &Service, user_id: i64) -> TestResponse {
    send_as_client(service, Method::DELETE, &format!("/users/{user_id}"), None).await
}

async fn read(service: &Service, uid: &str) -> Value {
    let found = service.get(&format!("/v2/bookings/{uid}")).await;
    found.data().clone()
}

async fn host_ids(service: &Service, uid: &str) -> Vec<i64> {
    let mut db = service.app.store.read().await.unwrap();
    sql::query_scalar(
        "SELECT h.user_id FROM booking_hosts h JOIN bookings b ON b.id = h.booking_id
         WHERE b.uid = ? ORDER BY 1",
    )
    .bind(uid)
    .fetch_all(&mut db)
    .await
    .unwrap()
}

#[tokio::test]
async fn deletion_of_personal_host_cancels_upcoming_bookings() {
    let service = service_with_managed_hosts().await;
    let hook = json!({"subscriberUrl": "https://hooks.example/", "triggers": ["BOOKING_CANCELLED"], "active": true});
    let hook = send_as_client(&service, Method::POST, "/webhooks", Some(hook)).await;
    assert_eq!(hook.status, 201, "{}", hook.text);
    let id = service.event_type("talk", json!({})).await;
    let next = BookingFixture::new(id).store(&service).await;
    let pending = BookingFixture::new(id)
        .at("2027-03-03T09:00:00Z")
        .status("pending")
        .store(&service)
        .await;
    let running = BookingFixture::new(id)
        .at("2027-03-01T07:45:00Z")
        .store(&service)
        .await;
    let past = BookingFixture::new(id)
        .at("2027-02-26T09:00:00Z")
        .store(&service)
        .await;
    let declined = BookingFixture::new(id)
        .at("2027-03-04T09:00:00Z")
        .status("rejected")
        .store(&service)
        .await;
    let cancelled = "bookings WHERE cancelled_by_email IS NOT NULL";
    let before = service.count(cancelled).await;
    service
        .sql(&format!(
            "UPDATE bookings SET cancelled_by_email = 'Host100@northwind.example' WHERE uid = '{declined}'"
        ))
        .await;
    let deleted = delete_user(&service, HOST).await;
    assert_eq!(
        deleted.data()["bookings"],
        json!({"handedOver": 0, "cancelled": 3}),
        "{}",
        deleted.text
    );
    assert_eq!(deleted.data()["username"], "host100");
    for uid in [&next, &pending, &running] {
        let booking = read(&service, uid).await;
        assert_eq!(booking["status"], "cancelled");
        assert_eq!(
            booking["cancellationReason"],
            "The host's account was deleted"
        );
    }
    assert_eq!(read(&service, &past).await["status"], "accepted");
    assert_eq!(read(&service, &declined).await["status"], "rejected");
    // The deleted host's email address is removed as well.
    assert_eq!(service.count(cancelled).await, before);
    let mut db = service.app.store.read().await.unwrap();
    let deliveries: Vec<(String, String)> = sql::query_as(
        "SELECT e.trigger_name, e.payload FROM webhook_deliveries d JOIN webhook_events e ON e.id = d.event_id
         ORDER BY d.id",
    )
    .fetch_all(&mut db)
    .await
    .unwrap();
    assert_eq!(deliveries.len(), 3);
    for (trigger, payload) in &deliveries {
        let payload: Value = serde_json::from_str(payload).unwrap();
        assert_eq!(trigger, "BOOKING_CANCELLED");
        assert_eq!(payload["status"], "CANCELLED");
        assert_eq!(
            payload["cancellationReason"],
            "The host's account was deleted"
        );
        assert_eq!(payload["organizer"]["name"], "Host 100");
        assert_eq!(payload["attendees"][0]["email"], "zoe@example.org");
    }
}

#[tokio::test]
async fn deleted_round_robin_host_is_replaced_by_free_host() {
    let service = service_with_managed_hosts().await;
    let hosts = [HOST, OTHER_HOST];
    let id = service
        .event_type_of("robin", Some("roundRobin"), &hosts, json!({}))
        .await;
    // Start 1: both hosts work. Start 2: outside of New York's hours. Start 3: the other host is
    // booked.
    let [shared, early, busy] = [
        "2027-03-02T15:00:00Z",
        "2027-03-02T09:00:00Z",
        "2027-03-03T15:00:00Z",
    ];
    let mut uids = Vec::new();
    for start in [shared, early, busy] {
        uids.push(BookingFixture::new(id).at(start).store(&service).await);
    }
    BookingFixture::new(id)
        .at(busy)
        .hosts(&[OTHER_HOST])
        .store(&service)
        .await;
    let deleted = delete_user(&service, HOST).await;
    assert_eq!(
        deleted.data()["bookings"],
        json!({"handedOver": 1, "cancelled": 2}),
        "{}",
        deleted.text
    );
    let taken_over = read(&service, &uids[0]).await;
    assert_eq!(taken_over["status"], "accepted");
    assert_eq!(host_ids(&service, &uids[0]).await, [OTHER_HOST]);
    for uid in &uids[1..] {
        assert_eq!(read(&service, uid).await["status"], "cancelled");
    }
    // The new host is busy at that time.
    let host_rows = format!("booking_hosts WHERE user_id = {OTHER_HOST} AND holds = 1");
    assert_eq!(service.count(&host_rows).await, 2);
}

#[tokio::test]
async fn deleted_collective_host_leaves_bookings_to_other_hosts() {
    let service = service_with_managed_hosts().await;
    let hosts = [HOST, OTHER_HOST];
    let id = service
        .event_type_of("together", Some("collective"), &hosts, json!({}))
        .await;
    let uid = BookingFixture::new(id)
        .at("2027-03-02T15:00:00Z")
        .hosts(&hosts)
        .store(&service)
        .await;
    let first = delete_user(&service, HOST).await;
    assert_eq!(
        first.data()["bookings"],
        json!({"handedOver": 1, "cancelled": 0})
    );
    let booking = read(&service, &uid).await;
    assert_eq!(booking["status"], "accepted");
    assert_eq!(host_ids(&service, &uid).await, [OTHER_HOST]);
    let second = delete_user(&service, OTHER_HOST).await;
    assert_eq!(
        second.data()["bookings"],
        json!({"handedOver": 0, "cancelled": 1})
    );
    assert_eq!(read(&service, &uid).await["status"], "cancelled");
}

#[tokio::test]
async fn oauth_client_owner_is_not_deleted() {
    let service = service_with_managed_hosts().await;
    service
        .sql(&format!(
            "INSERT INTO oauth_clients (id, name, owner_id, secret_hash, redirect_uris, scopes, created_ms)
             VALUES ('cl-theirs', 'Theirs', {HOST}, '', '[]', '[]', 0)"
        ))
        .await;
    let uid = BookingFixture::new(service.event_type("talk", json!({})).await)
        .store(&service)
        .await;
    let refused = delete_user(&service, HOST).await;
    let message = refused.assert_error(400, "BadRequestException");
    assert!(message.contains("cl-theirs"), "{message}");
    assert_eq!(read(&service, &uid).await["status"], "accepted");
}
