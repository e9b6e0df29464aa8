//! Webhook events when bookings are created or rescheduled.

use serde_json::{Value, json};

use crate::bookings::action_events::{start_subscribed, take_events};
use crate::bookings::fixture::BookingFixture;
use crate::common::{HOST, OTHER_HOST, Service, booking};

const START: &str = "2027-03-02T09:00:00Z";
const LATER: &str = "2027-03-02T11:00:00Z";

/// Removes the queued deliveries and returns their triggers.
async fn take_triggers(service: &Service) -> Vec<String> {
    let events = take_events(service).await;
    events.into_iter().map(|(trigger, _)| trigger).collect()
}

#[tokio::test]
async fn new_booking_event_depends_on_confirmation_and_payment() {
    for (settings, trigger, status) in [
        (json!({}), "BOOKING_CREATED", "ACCEPTED"),
        (
            json!({"confirmationPolicy": {"type": "always"}}),
            "BOOKING_REQUESTED",
            "PENDING",
        ),
        (
            json!({"price": 2500, "currency": "eur"}),
            "BOOKING_PAYMENT_INITIATED",
            "PENDING",
        ),
    ] {
        let (service, id) = start_subscribed(settings).await;
        let created = service.post("/v2/bookings", booking(id, START)).await;
        let events = take_events(&service).await;
        assert_eq!(events.len(), 1);
        assert_eq!(events[0].0, trigger);
        let payload = &events[0].1;
        assert_eq!(payload["uid"], created.data()["uid"]);
        assert_eq!(payload["status"], status);
        assert_eq!(payload["startTime"], START);
        assert_eq!(payload["attendees"][0]["email"], "zoe@example.org");
        // A conflicting request sends no event.
        let conflicting = service.post("/v2/bookings", booking(id, START)).await;
        if conflicting.status != 201 {
            conflicting.assert_error(409, "ConflictException");
            assert_eq!(take_triggers(&service).await, [""; 0]);
        }
    }
}

#[tokio::test]
async fn each_occurrence_and_seat_sends_event() {
    let (service, id) = start_subscribed(json!({
        "recurrence": {"interval": 1, "occurrences": 3, "frequency": "weekly"},
        "seats": {"seatsPerTimeSlot": 2},
    }))
    .await;
    for email in ["ana@example.org", "bo@example.org"] {
        let mut body = booking(id, START);
        body["attendee"]["email"] = json!(email);
        service.post("/v2/bookings", body).await.data();
        assert_eq!(take_triggers(&service).await, ["BOOKING_CREATED"; 3]);
    }
}

#[tokio::test]
async fn reschedule_event_contains_previous_booking() {
    let needs_confirmation = json!({"confirmationPolicy": {"type": "always"}});
    for (settings, caller, expected) in [
        (json!({}), None, &["BOOKING_RESCHEDULED"][..]),
        (
            needs_confirmation.clone(),
            Some(HOST),
            &["BOOKING_RESCHEDULED"],
        ),
        (
            needs_confirmation,
            None,
            &["BOOKING_RESCHEDULED", "BOOKING_REQUESTED"],
        ),
        (
            json!({"price": 100}),
            Some(OTHER_HOST),
            &["BOOKING_RESCHEDULED"],
        ),
    ] {
        let (service, id) = start_subscribed(settings).await;
        let uid = BookingFixture::new(id).store(&service).await;
        let target = format!("/v2/bookings/{uid}/reschedule");
        let body = json!({"start": LATER, "reschedulingReason": "Late"});
        let rescheduled = match caller {
            Some(caller) => {
                let bearer = service.bearer_of(caller).await;
                service.post_as(&target, bearer, body).await
            }
            None => service.post(&target, body).await,
        };
        let events = take_events(&service).await;
        let triggers: Vec<&str> = events.iter().map(|(name, _)| name.as_str()).collect();
        assert_eq!(triggers, expected);
        let payload = &events[0].1;
        assert_eq!(payload["uid"], rescheduled.data()["uid"]);
        assert_eq!(payload["startTime"], LATER);
        assert_eq!(payload["rescheduleUid"], json!(uid));
        assert_eq!(payload["rescheduleStartTime"], START);
        assert_eq!(payload["rescheduleEndTime"], "2027-03-02T09:30:00Z");
        let rescheduled_by = caller.map(|id| format!("host{id}@northwind.example"));
        assert_eq!(payload["rescheduledBy"], json!(rescheduled_by));
    }
}

#[tokio::test]
async fn rejected_reschedule_sends_no_event() {
    let (service, id) = start_subscribed(json!({})).await;
    let uid = BookingFixture::new(id).store(&service).await;
    BookingFixture::new(id).at(LATER).store(&service).await;
    let target = format!("/v2/bookings/{uid}/reschedule");
    for (start, status) in [(LATER, 409), (START, 400), ("2027-03-02T03:00:00Z", 400)] {
        let response = service.post(&target, json!({"start": start})).await;
        assert_eq!(response.status, status, "{}", response.text);
    }
    assert_eq!(take_triggers(&service).await, [""; 0]);
}

#[tokio::test]
async fn seat_reschedule_event_contains_only_that_seat() {
    let (service, id) = start_subscribed(json!({"seats": {"seatsPerTimeSlot": 3}})).await;
    let uid = BookingFixture::new(id)
        .seats(&["ana", "bo"])
        .store(&service)
        .await;
    let target = format!("/v2/bookings/{uid}/reschedule");
    let body = json!({"start": LATER, "seatUid": "ana"});
    let rescheduled = service.post(&target, body).await;
    let events = take_events(&service).await;
    assert_eq!(events.len(), 1);
    let (trigger, payload) = &events[0];
    assert_eq!(trigger, "BOOKING_RESCHEDULED");
    assert_eq!(payload["uid"], rescheduled.data()["uid"]);
    assert_eq!(payload["seatUid"], "ana");
    assert_eq!(payload["rescheduleUid"], json!(uid));
    assert_eq!(payload["attendees"].as_array().map(Vec::len), Some(1));
    assert_eq!(payload["rescheduledBy"], Value::Null);
}

#[tokio::test]
async fn instant_booking_sends_instant_meeting_event() {
    let service = Service::start().await;
    let settings = json!({"isInstantEvent": true});
    let id = service
        .event_type_of("now", Some("roundRobin"), &[HOST], settings)
        .await;
    service
        .sql(&format!(
            "INSERT INTO webhooks (id, event_type_id, subscriber_url, triggers, active, version, created_ms)
             VALUES ('hook', {id}, 'https://example.org/hook', '[\"INSTANT_MEETING\"]', 1, '2021-10-20', 0)"
        ))
        .await;
    let mut body = booking(id, "2027-03-01T08:00:00Z");
    body["instant"] = json!(true);
    service.post("/v2/bookings", body).await.data();
    assert_eq!(take_triggers(&service).await, ["INSTANT_MEETING"]);
}
