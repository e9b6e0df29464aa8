//! What subscribers hear when bookings are made and moved.

use serde_json::{Value, json};

use crate::booking_events::{subscribed, told};
use crate::common::{HOST, OTHER_HOST, Service, booking};
use crate::stored::Made;

const START: &str = "2027-03-02T09:00:00Z";
const LATER: &str = "2027-03-02T11:00:00Z";

/// The names of what was told since the last time.
async fn names(service: &Service) -> Vec<String> {
    let told = told(service).await;
    told.into_iter().map(|(trigger, _)| trigger).collect()
}

#[tokio::test]
async fn a_new_booking_is_told_by_what_it_waits_for() {
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
        let (service, id) = subscribed(settings).await;
        let made = service.post("/v2/bookings", booking(id, START)).await;
        let told = told(&service).await;
        assert_eq!(told.len(), 1);
        assert_eq!(told[0].0, trigger);
        let payload = &told[0].1;
        assert_eq!(payload["uid"], made.data()["uid"]);
        assert_eq!(payload["status"], status);
        assert_eq!(payload["startTime"], START);
        assert_eq!(payload["attendees"][0]["email"], "zoe@example.org");
        // Who comes too late is no news.
        let late = service.post("/v2/bookings", booking(id, START)).await;
        if late.status != 201 {
            late.refused(409, "ConflictException");
            assert_eq!(names(&service).await, [""; 0]);
        }
    }
}

#[tokio::test]
async fn every_occurrence_and_every_seat_is_told() {
    let (service, id) = subscribed(json!({
        "recurrence": {"interval": 1, "occurrences": 3, "frequency": "weekly"},
        "seats": {"seatsPerTimeSlot": 2},
    }))
    .await;
    for email in ["ana@example.org", "bo@example.org"] {
        let mut body = booking(id, START);
        body["attendee"]["email"] = json!(email);
        service.post("/v2/bookings", body).await.data();
        assert_eq!(names(&service).await, ["BOOKING_CREATED"; 3]);
    }
}

#[tokio::test]
async fn a_move_is_told_with_where_it_came_from() {
    let asked = json!({"confirmationPolicy": {"type": "always"}});
    for (settings, caller, expected) in [
        (json!({}), None, &["BOOKING_RESCHEDULED"][..]),
        (asked.clone(), Some(HOST), &["BOOKING_RESCHEDULED"]),
        (asked, None, &["BOOKING_RESCHEDULED", "BOOKING_REQUESTED"]),
        (
            json!({"price": 100}),
            Some(OTHER_HOST),
            &["BOOKING_RESCHEDULED"],
        ),
    ] {
        let (service, id) = subscribed(settings).await;
        let uid = Made::new(id).store(&service).await;
        let target = format!("/v2/bookings/{uid}/reschedule");
        let body = json!({"start": LATER, "reschedulingReason": "Late"});
        let moved = match caller {
            Some(caller) => {
                let bearer = service.bearer_of(caller).await;
                service.post_as(&target, bearer, body).await
            }
            None => service.post(&target, body).await,
        };
        let told = told(&service).await;
        let names: Vec<&str> = told.iter().map(|(name, _)| name.as_str()).collect();
        assert_eq!(names, expected);
        let payload = &told[0].1;
        assert_eq!(payload["uid"], moved.data()["uid"]);
        assert_eq!(payload["startTime"], LATER);
        assert_eq!(payload["rescheduleUid"], json!(uid));
        assert_eq!(payload["rescheduleStartTime"], START);
        assert_eq!(payload["rescheduleEndTime"], "2027-03-02T09:30:00Z");
        let mover = caller.map(|id| format!("host{id}@northwind.example"));
        assert_eq!(payload["rescheduledBy"], json!(mover));
    }
}

#[tokio::test]
async fn a_move_that_is_refused_is_not_told() {
    let (service, id) = subscribed(json!({})).await;
    let uid = Made::new(id).store(&service).await;
    Made::new(id).at(LATER).store(&service).await;
    let target = format!("/v2/bookings/{uid}/reschedule");
    for (start, status) in [(LATER, 409), (START, 400), ("2027-03-02T03:00:00Z", 400)] {
        let answer = service.post(&target, json!({"start": start})).await;
        assert_eq!(answer.status, status, "{}", answer.text);
    }
    assert_eq!(names(&service).await, [""; 0]);
}

#[tokio::test]
async fn a_seat_that_is_moved_is_told_as_that_seat() {
    let (service, id) = subscribed(json!({"seats": {"seatsPerTimeSlot": 3}})).await;
    let uid = Made::new(id).seats(&["ana", "bo"]).store(&service).await;
    let target = format!("/v2/bookings/{uid}/reschedule");
    let body = json!({"start": LATER, "seatUid": "ana"});
    let moved = service.post(&target, body).await;
    let told = told(&service).await;
    assert_eq!(told.len(), 1);
    let (trigger, payload) = &told[0];
    assert_eq!(trigger, "BOOKING_RESCHEDULED");
    assert_eq!(payload["uid"], moved.data()["uid"]);
    assert_eq!(payload["seatUid"], "ana");
    assert_eq!(payload["rescheduleUid"], json!(uid));
    assert_eq!(payload["attendees"].as_array().map(Vec::len), Some(1));
    assert_eq!(payload["rescheduledBy"], Value::Null);
}

#[tokio::test]
async fn an_instant_meeting_is_told_at_once() {
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
    assert_eq!(names(&service).await, ["INSTANT_MEETING"]);
}
