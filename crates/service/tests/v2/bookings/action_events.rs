//! Webhook events when bookings are confirmed, declined, cancelled or missed.

use booking_store_engine::sql;
use serde_json::{Value, json};

use crate::bookings::fixture::BookingFixture;
use crate::common::{HOST, Service};

/// Starts a service with an event type whose webhook subscribes to all booking events.
pub async fn start_subscribed(settings: Value) -> (Service, i64) {
    let service = Service::start().await;
    let id = service.event_type("talk", settings).await;
    let triggers = [
        "BOOKING_CREATED",
        "BOOKING_REQUESTED",
        "BOOKING_PAYMENT_INITIATED",
        "BOOKING_RESCHEDULED",
        "BOOKING_CANCELLED",
        "BOOKING_REJECTED",
        "BOOKING_NO_SHOW_UPDATED",
    ];
    service
        .sql(&format!(
            "INSERT INTO webhooks (id, event_type_id, subscriber_url, triggers, active, version, created_ms)
             VALUES ('hook', {id}, 'https://example.org/hook', '{}', 1, '2021-10-20', 0)",
            json!(triggers)
        ))
        .await;
    (service, id)
}

/// Removes the queued deliveries and returns their triggers and payloads.
pub async fn take_events(service: &Service) -> Vec<(String, Value)> {
    let mut db = service.app.store.read().await.unwrap();
    let rows: Vec<(String, String)> = sql::query_as(
        "SELECT d.trigger_name, e.payload
         FROM webhook_deliveries d JOIN webhook_events e ON e.id = d.event_id ORDER BY d.id",
    )
    .fetch_all(&mut db)
    .await
    .unwrap();
    service.sql("DELETE FROM webhook_deliveries").await;
    rows.into_iter()
        .map(|(trigger, payload)| (trigger, serde_json::from_str(&payload).unwrap()))
        .collect()
}

async fn post_action(service: &Service, target: &str, body: Value) {
    let bearer = service.bearer_of(HOST).await;
    let target = format!("/v2/bookings/{target}");
    service.post_as(&target, bearer, body).await.data();
}

#[tokio::test]
async fn booking_action_sends_one_event_with_reason() {
    let (service, id) = start_subscribed(json!({})).await;
    let cases = [
        (
            BookingFixture::new(id).status("pending"),
            "confirm",
            json!({}),
            "BOOKING_CREATED",
            json!({"status": "ACCEPTED"}),
        ),
        (
            BookingFixture::new(id).status("pending"),
            "decline",
            json!({"reason": "No time"}),
            "BOOKING_REJECTED",
            json!({"status": "REJECTED", "rejectionReason": "No time"}),
        ),
        (
            BookingFixture::new(id).at("2027-03-03T09:00:00Z"),
            "cancel",
            json!({"cancellationReason": "Strike"}),
            "BOOKING_CANCELLED",
            json!({
                "status": "CANCELLED",
                "cancellationReason": "Strike",
                "cancelledBy": "host100@northwind.example",
            }),
        ),
        (
            BookingFixture::new(id).at("2027-03-01T07:00:00Z"),
            "mark-absent",
            json!({"attendees": [{"email": "zoe@example.org", "absent": true}]}),
            "BOOKING_NO_SHOW_UPDATED",
            json!({
                "message": "zoe@example.org is marked as absent",
                "attendees": [{"email": "zoe@example.org", "noShow": true}],
            }),
        ),
    ];
    for (created, action, body, trigger, expected) in cases {
        let uid = created.store(&service).await;
        post_action(&service, &format!("{uid}/{action}"), body).await;
        let events = take_events(&service).await;
        assert_eq!(events.len(), 1, "{action}: {events:?}");
        assert_eq!(events[0].0, trigger);
        for (key, value) in expected.as_object().unwrap() {
            assert_eq!(&events[0].1[key], value, "{action}: {key}");
        }
        let name = if action == "mark-absent" {
            "bookingUid"
        } else {
            "uid"
        };
        assert_eq!(events[0].1[name], json!(uid), "{action}");
    }
}

#[tokio::test]
async fn seat_cancellation_event_contains_only_that_attendee() {
    let seats = json!({"seats": {"seatsPerTimeSlot": 3, "showAttendeeInfo": true}});
    let (service, id) = start_subscribed(seats).await;
    let uid = BookingFixture::new(id)
        .seats(&["ana", "bo"])
        .store(&service)
        .await;
    post_action(
        &service,
        &format!("{uid}/cancel"),
        json!({"seatUid": "ana", "cancellationReason": "Ill"}),
    )
    .await;
    let events = take_events(&service).await;
    assert_eq!(events.len(), 1);
    let (trigger, payload) = &events[0];
    assert_eq!(trigger, "BOOKING_CANCELLED");
    assert_eq!(payload["status"], "CANCELLED");
    assert_eq!(
        payload["attendees"],
        json!([{
            "name": "ana", "firstName": "ana", "lastName": "", "email": "ana@example.org", "phoneNumber": null,
            "timeZone": "Europe/Rome", "utcOffset": 60, "language": {"locale": "en"},
        }])
    );
}

#[tokio::test]
async fn rejected_action_sends_no_event() {
    let (service, id) = start_subscribed(json!({})).await;
    let pending = BookingFixture::new(id)
        .status("pending")
        .store(&service)
        .await;
    BookingFixture::new(id).store(&service).await;
    let bearer = service.bearer_of(HOST).await;
    let target = format!("/v2/bookings/{pending}/confirm");
    let response = service.post_as(&target, bearer, json!({})).await;
    response.assert_error(409, "ConflictException");
    assert_eq!(take_events(&service).await, []);
}
