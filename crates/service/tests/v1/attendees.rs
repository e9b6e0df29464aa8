//! Who attends bookings, and who else reaches them.

use serde_json::{Value, json};

use crate::common::booking;
use crate::world::{FREE, OPERATOR, OTHER, OWNER, START, World, key};

#[tokio::test]
async fn who_runs_an_organization_reaches_its_members_bookings() {
    let world = World::new().await;
    // A booking of somebody in the demo's organisation, with an event type of their own.
    world
        .service
        .sql(
            "INSERT INTO event_types (id, owner_id, slug, settings, created_ms)
             VALUES (900, 1, 'own', '{\"title\": \"Own\", \"lengthInMinutes\": 30, \"minimumBookingNotice\": 0}', 0);
             INSERT INTO event_type_hosts (event_type_id, user_id) VALUES (900, 1);
             DELETE FROM booking_hosts",
        )
        .await;
    let made = world
        .service
        .post("/v2/bookings", booking(900, START))
        .await;
    let target = format!("/v1/bookings/{}", made.data()["id"]);
    let owner_of_organization = world.service.secret("apiKey");
    let shown = world
        .ask_with(Some(&owner_of_organization), "GET", &target, Value::Null)
        .await;
    assert_eq!(shown.wrapped("booking")["userId"], 1);
    world.get(OWNER, &target).await.failed(403);
}

#[tokio::test]
async fn who_runs_an_organization_acts_as_a_host_of_its_members_bookings() {
    let world = World::new().await;
    let admin = world.service.secret("apiKey");
    let waits = json!({
        "title": "Own", "lengthInMinutes": 30, "minimumBookingNotice": 0,
        "confirmationPolicy": {"type": "always"},
    });
    let shared = json!({
        "title": "Shared", "lengthInMinutes": 30, "minimumBookingNotice": 0,
        "seats": {"seatsPerTimeSlot": 3, "showAttendeeInfo": false},
    });
    for (id, settings) in [(900, &waits), (901, &shared)] {
        world
            .service
            .sql(&format!(
                "INSERT INTO event_types (id, owner_id, slug, settings, created_ms)
                 VALUES ({id}, 1, 'own{id}', '{settings}', 0);
                 INSERT INTO event_type_hosts (event_type_id, user_id) VALUES ({id}, 1)"
            ))
            .await;
    }
    world.service.sql("DELETE FROM booking_hosts").await;
    let book = async |id: i64, start: &str, email: &str| {
        let mut body = booking(id, start);
        body["attendee"]["email"] = json!(email);
        let made = world.service.post("/v2/bookings", body).await;
        format!("/v1/bookings/{}", made.data()["id"])
    };
    let waiting = book(900, START, "zoe@example.org").await;
    let accepted = json!({"status": "ACCEPTED"});
    let answered = world
        .ask_with(Some(&admin), "PATCH", &waiting, accepted)
        .await;
    assert_eq!(answered.wrapped("booking")["status"], "ACCEPTED");
    let cancel = format!("{waiting}/cancel");
    let refused = world
        .ask_with(Some(&admin), "DELETE", &cancel, Value::Null)
        .await;
    assert!(refused.failed(400).contains("cancellationReason"));

    let seats = book(901, OTHER, "zoe@example.org").await;
    book(901, OTHER, "sam@example.org").await;
    for caller in [admin.clone(), key(OPERATOR)] {
        let shown = world
            .ask_with(Some(&caller), "GET", &seats, Value::Null)
            .await;
        let attendees = &shown.wrapped("booking")["attendees"];
        assert_eq!(attendees.as_array().unwrap().len(), 2, "{}", shown.text);
    }
    let cancel = format!("{seats}/cancel?cancellationReason=ill");
    let done = world
        .ask_with(Some(&admin), "DELETE", &cancel, Value::Null)
        .await;
    assert_eq!(done.wrapped("onlyRemovedAttendee"), false);
}

#[tokio::test]
async fn a_seat_is_given_back_by_the_rules_of_cancelling() {
    let world = World::new().await;
    let seats = json!({"seats": {"seatsPerTimeSlot": 3}});
    let event_type = world.service.event_type("shared", seats).await;
    let mut body = booking(event_type, FREE);
    let made = world.service.post("/v2/bookings", body.clone()).await;
    body["attendee"]["email"] = json!("sam@example.org");
    world.service.post("/v2/bookings", body).await.data();
    let shown = format!("/v1/bookings/{}", made.data()["id"]);
    let shown = world.get(OWNER, &shown).await;
    let attendees = &shown.wrapped("booking")["attendees"];
    let target = format!("/v1/attendees/{}", attendees[0]["id"]);
    let last = format!("/v1/attendees/{}", attendees[1]["id"]);
    let refused = world.ask(OWNER, "DELETE", &target, Value::Null).await;
    assert!(refused.failed(400).contains("cancellationReason"));
    let settings = async |disabled: bool| {
        let sql = format!(
            "UPDATE event_types SET settings = json_set(settings, '$.disableCancelling', json('{{\"disabled\": {disabled}}}')) WHERE id = {event_type}"
        );
        world.service.sql(&sql).await;
    };
    settings(true).await;
    let reasoned = format!("{target}?cancellationReason=ill");
    world
        .ask(OWNER, "DELETE", &reasoned, Value::Null)
        .await
        .failed(400);
    settings(false).await;
    world
        .ask(
            OWNER,
            "POST",
            "/v1/webhooks",
            json!({"subscriberUrl": "https://example.org/two", "eventTriggers": ["BOOKING_CANCELLED"], "active": true}),
        )
        .await
        .wrapped("webhook");
    let before = world.service.count("webhook_deliveries").await;
    world
        .ask(OWNER, "DELETE", &reasoned, Value::Null)
        .await
        .wrapped("message");
    assert_eq!(world.service.count("webhook_deliveries").await, before + 1);
    let last = format!("{last}?cancellationReason=ill");
    world
        .ask(OWNER, "DELETE", &last, Value::Null)
        .await
        .failed(400);
}

#[tokio::test]
async fn nothing_is_left_of_who_booked_and_was_removed() {
    let world = World::new().await;
    let first = format!("/v1/attendees/{}", world.attendee);
    world
        .ask(OWNER, "DELETE", &first, Value::Null)
        .await
        .wrapped("message");
    let shown = world
        .get(OWNER, &format!("/v1/bookings/{}", world.booking))
        .await;
    let responses = &shown.wrapped("booking")["responses"];
    assert_eq!(
        (&responses["name"], &responses["email"]),
        (&json!("Sam"), &json!("sam@example.org"))
    );
}

#[tokio::test]
async fn somebody_without_an_address_can_be_renamed() {
    let world = World::new().await;
    world
        .service
        .sql(&format!(
            "UPDATE attendees SET email = '' WHERE id = {}",
            world.second_attendee
        ))
        .await;
    let target = format!("/v1/attendees/{}", world.second_attendee);
    let named = world
        .ask(OWNER, "PATCH", &target, json!({"name": "Samuel"}))
        .await;
    let named = named.wrapped("attendee");
    assert_eq!(
        (&named["name"], &named["email"], &named["timeZone"]),
        (&json!("Samuel"), &json!(""), &json!("UTC"))
    );
    for key in ["name", "email", "timeZone"] {
        for nothing in [Value::Null, json!(" ")] {
            let answer = world
                .ask(OWNER, "PATCH", &target, json!({ key: nothing }))
                .await;
            answer.failed(400);
            assert_eq!(answer.complaints(), [key]);
        }
    }
}

#[tokio::test]
async fn the_last_attendee_stays_and_an_address_comes_once() {
    let world = World::new().await;
    let all = format!("/v1/attendees/{}", world.second_attendee);
    world
        .ask(OWNER, "DELETE", &all, Value::Null)
        .await
        .wrapped("message");
    let last = format!("/v1/attendees/{}", world.attendee);
    world
        .ask(OWNER, "DELETE", &last, Value::Null)
        .await
        .failed(400);
    let body = json!({"bookingId": world.booking, "name": "Z", "email": "ZOE@example.org", "timeZone": "UTC"});
    world
        .ask(OWNER, "POST", "/v1/attendees", body)
        .await
        .failed(409);
    let body = json!({"name": "Zoe", "email": "zoe@new.example", "timeZone": "Asia/Tokyo"});
    let changed = world.ask(OWNER, "PATCH", &last, body).await;
    assert_eq!(changed.wrapped("attendee")["timeZone"], "Asia/Tokyo");
    let shown = world
        .get(OWNER, &format!("/v1/bookings/{}", world.booking))
        .await;
    let shown = shown.wrapped("booking");
    assert_eq!(shown["responses"]["email"], "zoe@new.example");
    assert_eq!(shown["timeZone"], "Asia/Tokyo");
}
