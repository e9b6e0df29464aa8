//! What subscribers hear when bookings are cancelled, answered or missed.

use serde_json::{Value, json};

use crate::common::{HOST, Service};
use crate::stored::Made;

/// A service with an event type whose webhook hears of everything that happens to bookings.
pub async fn subscribed(settings: Value) -> (Service, i64) {
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

/// Trigger and payload of everything told since the last time.
pub async fn told(service: &Service) -> Vec<(String, Value)> {
    let mut db = service.app.store.read().await.unwrap();
    let rows: Vec<(String, String)> = sqlx::query_as(
        "SELECT d.trigger_name, e.payload
         FROM webhook_deliveries d JOIN webhook_events e ON e.id = d.event_id ORDER BY d.id",
    )
    .fetch_all(&mut *db)
    .await
    .unwrap();
    service.sql("DELETE FROM webhook_deliveries").await;
    rows.into_iter()
        .map(|(trigger, payload)| (trigger, serde_json::from_str(&payload).unwrap()))
        .collect()
}

async fn act(service: &Service, target: &str, body: Value) {
    let bearer = service.bearer_of(HOST).await;
    let target = format!("/v2/bookings/{target}");
    service.post_as(&target, bearer, body).await.data();
}

#[tokio::test]
async fn each_action_is_told_once_with_its_reason() {
    let (service, id) = subscribed(json!({})).await;
    let cases = [
        (
            Made::new(id).status("pending"),
            "confirm",
            json!({}),
            "BOOKING_CREATED",
            json!({"status": "ACCEPTED"}),
        ),
        (
            Made::new(id).status("pending"),
            "decline",
            json!({"reason": "No time"}),
            "BOOKING_REJECTED",
            json!({"status": "REJECTED", "rejectionReason": "No time"}),
        ),
        (
            Made::new(id).at("2027-03-03T09:00:00Z"),
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
            Made::new(id).at("2027-03-01T07:00:00Z"),
            "mark-absent",
            json!({"attendees": [{"email": "zoe@example.org", "absent": true}]}),
            "BOOKING_NO_SHOW_UPDATED",
            json!({
                "message": "zoe@example.org is marked as absent",
                "attendees": [{"email": "zoe@example.org", "noShow": true}],
            }),
        ),
    ];
    for (made, action, body, trigger, expected) in cases {
        let uid = made.store(&service).await;
        act(&service, &format!("{uid}/{action}"), body).await;
        let told = told(&service).await;
        assert_eq!(told.len(), 1, "{action}: {told:?}");
        assert_eq!(told[0].0, trigger);
        for (key, value) in expected.as_object().unwrap() {
            assert_eq!(&told[0].1[key], value, "{action}: {key}");
        }
        let name = if action == "mark-absent" {
            "bookingUid"
        } else {
            "uid"
        };
        assert_eq!(told[0].1[name], json!(uid), "{action}");
    }
}

#[tokio::test]
async fn a_seat_that_is_given_back_is_told_as_the_cancellation_of_one_person() {
    let seats = json!({"seats": {"seatsPerTimeSlot": 3, "showAttendeeInfo": true}});
    let (service, id) = subscribed(seats).await;
    let uid = Made::new(id).seats(&["ana", "bo"]).store(&service).await;
    act(
        &service,
        &format!("{uid}/cancel"),
        json!({"seatUid": "ana", "cancellationReason": "Ill"}),
    )
    .await;
    let told = told(&service).await;
    assert_eq!(told.len(), 1);
    let (trigger, payload) = &told[0];
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
async fn what_is_refused_is_not_told() {
    let (service, id) = subscribed(json!({})).await;
    let waiting = Made::new(id).status("pending").store(&service).await;
    Made::new(id).store(&service).await;
    let bearer = service.bearer_of(HOST).await;
    let target = format!("/v2/bookings/{waiting}/confirm");
    let answer = service.post_as(&target, bearer, json!({})).await;
    answer.refused(409, "ConflictException");
    assert_eq!(told(&service).await, []);
}
