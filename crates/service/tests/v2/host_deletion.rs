//! Bookings whose host is deleted.

use axum::http::Method;
use serde_json::{Value, json};

use crate::common::{Answer, HOST, OTHER_HOST, Service};
use crate::stored::Made;

/// A service whose test hosts are users of the demo's platform.
async fn platform() -> Service {
    let service = Service::start().await;
    service
        .sql(&format!(
            "UPDATE users SET oauth_client_id = '{}' WHERE id IN ({HOST}, {OTHER_HOST})",
            service.secret("clientId")
        ))
        .await;
    service
}

async fn as_client(service: &Service, method: Method, target: &str, body: Option<Value>) -> Answer {
    let key = (
        "x-svc-secret-key".to_owned(),
        service.secret("clientSecret"),
    );
    let target = format!("/v2/oauth-clients/{}{target}", service.secret("clientId"));
    service.call(method, &target, &[key], body).await
}

async fn delete(service: &Service, user_id: i64) -> Answer {
    as_client(service, Method::DELETE, &format!("/users/{user_id}"), None).await
}

async fn read(service: &Service, uid: &str) -> Value {
    let found = service.get(&format!("/v2/bookings/{uid}")).await;
    found.data().clone()
}

async fn host_ids(service: &Service, uid: &str) -> Vec<i64> {
    let mut db = service.app.store.read().await.unwrap();
    sqlx::query_scalar(
        "SELECT h.user_id FROM booking_hosts h JOIN bookings b ON b.id = h.booking_id
         WHERE b.uid = ? ORDER BY 1",
    )
    .bind(uid)
    .fetch_all(&mut *db)
    .await
    .unwrap()
}

#[tokio::test]
async fn deleted_host_of_personal_bookings_has_upcoming_ones_cancelled() {
    let service = platform().await;
    let hook = json!({"subscriberUrl": "https://hooks.example/", "triggers": ["BOOKING_CANCELLED"], "active": true});
    let hook = as_client(&service, Method::POST, "/webhooks", Some(hook)).await;
    assert_eq!(hook.status, 201, "{}", hook.text);
    let id = service.event_type("talk", json!({})).await;
    let next = Made::new(id).store(&service).await;
    let pending = Made::new(id)
        .at("2027-03-03T09:00:00Z")
        .status("pending")
        .store(&service)
        .await;
    let running = Made::new(id)
        .at("2027-03-01T07:45:00Z")
        .store(&service)
        .await;
    let past = Made::new(id)
        .at("2027-02-26T09:00:00Z")
        .store(&service)
        .await;
    let declined = Made::new(id)
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
    let done = delete(&service, HOST).await;
    assert_eq!(
        done.data()["bookings"],
        json!({"handedOver": 0, "cancelled": 3}),
        "{}",
        done.text
    );
    assert_eq!(done.data()["username"], "host100");
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
    // Their address is forgotten, too.
    assert_eq!(service.count(cancelled).await, before);
    let mut db = service.app.store.read().await.unwrap();
    let told: Vec<(String, String)> = sqlx::query_as(
        "SELECT e.trigger_name, e.payload FROM webhook_deliveries d JOIN webhook_events e ON e.id = d.event_id
         ORDER BY d.id",
    )
    .fetch_all(&mut *db)
    .await
    .unwrap();
    assert_eq!(told.len(), 3);
    for (trigger, payload) in &told {
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
async fn deleted_host_of_round_robin_bookings_is_replaced_by_one_who_is_free() {
    let service = platform().await;
    let hosts = [HOST, OTHER_HOST];
    let id = service
        .event_type_of("robin", Some("roundRobin"), &hosts, json!({}))
        .await;
    // 15:00 in Berlin and New York's morning; the second one when New York sleeps; at the third, the
    // other host has a booking.
    let [shared, early, busy] = [
        "2027-03-02T15:00:00Z",
        "2027-03-02T09:00:00Z",
        "2027-03-03T15:00:00Z",
    ];
    let mut uids = Vec::new();
    for start in [shared, early, busy] {
        uids.push(Made::new(id).at(start).store(&service).await);
    }
    Made::new(id)
        .at(busy)
        .hosts(&[OTHER_HOST])
        .store(&service)
        .await;
    let done = delete(&service, HOST).await;
    assert_eq!(
        done.data()["bookings"],
        json!({"handedOver": 1, "cancelled": 2}),
        "{}",
        done.text
    );
    let taken_over = read(&service, &uids[0]).await;
    assert_eq!(taken_over["status"], "accepted");
    assert_eq!(host_ids(&service, &uids[0]).await, [OTHER_HOST]);
    for uid in &uids[1..] {
        assert_eq!(read(&service, uid).await["status"], "cancelled");
    }
    // The new host's time is taken.
    let held = format!("booking_hosts WHERE user_id = {OTHER_HOST} AND holds = 1");
    assert_eq!(service.count(&held).await, 2);
}

#[tokio::test]
async fn deleted_host_of_collective_bookings_leaves_them_to_the_others() {
    let service = platform().await;
    let hosts = [HOST, OTHER_HOST];
    let id = service
        .event_type_of("together", Some("collective"), &hosts, json!({}))
        .await;
    let uid = Made::new(id)
        .at("2027-03-02T15:00:00Z")
        .hosts(&hosts)
        .store(&service)
        .await;
    let first = delete(&service, HOST).await;
    assert_eq!(
        first.data()["bookings"],
        json!({"handedOver": 1, "cancelled": 0})
    );
    let booking = read(&service, &uid).await;
    assert_eq!(booking["status"], "accepted");
    assert_eq!(host_ids(&service, &uid).await, [OTHER_HOST]);
    let second = delete(&service, OTHER_HOST).await;
    assert_eq!(
        second.data()["bookings"],
        json!({"handedOver": 0, "cancelled": 1})
    );
    assert_eq!(read(&service, &uid).await["status"], "cancelled");
}

#[tokio::test]
async fn user_who_owns_oauth_clients_is_not_deleted() {
    let service = platform().await;
    service
        .sql(&format!(
            "INSERT INTO oauth_clients (id, name, owner_id, secret_hash, redirect_uris, scopes, created_ms)
             VALUES ('cl-theirs', 'Theirs', {HOST}, '', '[]', '[]', 0)"
        ))
        .await;
    let uid = Made::new(service.event_type("talk", json!({})).await)
        .store(&service)
        .await;
    let refused = delete(&service, HOST).await;
    let message = refused.refused(400, "BadRequestException");
    assert!(message.contains("cl-theirs"), "{message}");
    assert_eq!(read(&service, &uid).await["status"], "accepted");
}
