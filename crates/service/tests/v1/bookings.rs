//! What can be done to bookings, by whom, and when.

use booking_service::input_limits::{MAX_BOOKING_TITLE_CHARS, MAX_REASON_CHARS};
use serde_json::{Value, json};

use crate::world::{FREE, MEMBER, OWNER, STRANGER, World, new_booking};

async fn book(world: &World, settings: Value, body: impl FnOnce(i64) -> Value) -> Value {
    let slug = format!("t{}", world.service.count("event_types").await);
    let event_type = world.service.event_type(&slug, settings).await;
    let made = world
        .ask(OWNER, "POST", "/v1/bookings", body(event_type))
        .await;
    made.wrapped("booking").clone()
}

async fn status(world: &World, id: &Value) -> String {
    let shown = world.get(OWNER, &format!("/v1/bookings/{id}")).await;
    shown.wrapped("booking")["status"]
        .as_str()
        .unwrap()
        .to_owned()
}

#[tokio::test]
async fn a_place_and_answers_come_back_as_they_were_given() {
    let world = World::new().await;
    let settings = json!({
        "locations": [{"type": "attendeePhone"}, {"type": "integration", "integration": "zoom"}],
        "bookingFields": [{"type": "text", "slug": "topic", "label": "Topic", "required": true}],
    });
    let made = book(&world, settings, |id| {
        let mut body = new_booking(id, FREE);
        body["responses"]["location"] = json!({"optionValue": "+390612345678", "value": "phone"});
        body["responses"]["topic"] = json!("Demo");
        body["responses"]["guests"] = json!(["guest@example.org"]);
        body["title"] = json!("Our talk");
        body["description"] = json!("Notes");
        body["end"] = json!("2027-03-03T10:30:00Z");
        body
    })
    .await;
    assert_eq!(
        made["responses"]["location"],
        json!({"optionValue": "+390612345678", "value": "phone"})
    );
    assert_eq!(made["responses"]["topic"], "Demo");
    assert_eq!(made["responses"]["guests"], json!(["guest@example.org"]));
    assert_eq!(
        (&made["title"], &made["description"]),
        (&json!("Our talk"), &json!("Notes"))
    );
    assert_eq!(made["attendees"][0]["locale"], "it");
}

#[tokio::test]
async fn changed_title_of_several_lines_or_too_many_characters_is_refused() {
    let world = World::new().await;
    let target = format!("/v1/bookings/{}", world.booking);
    let before = world.get(OWNER, &target).await.wrapped("booking")["title"].clone();
    let longest = "ü".repeat(MAX_BOOKING_TITLE_CHARS);
    for title in [
        "Two\nlines",
        "Two\u{2028}lines",
        "A\u{7}bell",
        "  ",
        &format!("{longest}ü"),
    ] {
        let answer = world
            .ask(OWNER, "PATCH", &target, json!({"title": title}))
            .await;
        answer.failed(400);
        assert_eq!(answer.complaints(), ["title"], "{}", answer.text);
    }
    let kept = world.get(OWNER, &target).await;
    assert_eq!(kept.wrapped("booking")["title"], before);
    let changed = world
        .ask(
            OWNER,
            "PATCH",
            &target,
            json!({"title": format!(" {longest} ")}),
        )
        .await;
    assert_eq!(changed.wrapped("booking")["title"], json!(longest));
}

#[tokio::test]
async fn complaints_name_what_the_caller_has_sent() {
    let world = World::new().await;
    let fields = json!({"bookingFields": [{"type": "text", "slug": "topic", "required": true}]});
    let event_type = world.service.event_type("asks", fields).await;
    for (pointer, value, property) in [
        ("/responses/email", json!("nobody"), "responses.email"),
        ("/responses/name", json!(" "), "responses.name"),
        ("/responses/topic", json!(5), "responses.topic"),
        (
            "/responses/smsReminderNumber",
            json!("1"),
            "responses.smsReminderNumber",
        ),
        (
            "/responses/location",
            json!({"optionValue": "", "value": "moon"}),
            "responses.location.type",
        ),
        (
            "/responses/location",
            json!({"value": "moon"}),
            "responses.location.optionValue",
        ),
        ("/timeZone", json!("Mars/Olympus"), "timeZone"),
        ("/language", json!("xx"), "language"),
        ("/end", json!("2027-03-03T10:40:00Z"), "end"),
    ] {
        let mut body = new_booking(event_type, FREE);
        body["responses"]["topic"] = json!("Demo");
        let (parent, key) = pointer.rsplit_once('/').unwrap();
        body.pointer_mut(parent).unwrap()[key] = value;
        let answer = world.ask(OWNER, "POST", "/v1/bookings", body).await;
        answer.failed(400);
        assert!(
            answer.complaints().contains(&property),
            "{pointer}: {}",
            answer.text
        );
    }
}

#[tokio::test]
async fn a_series_needs_its_count() {
    let world = World::new().await;
    let weekly = json!({"recurrence": {"interval": 1, "occurrences": 4, "frequency": "weekly"}});
    let event_type = world.service.event_type("weekly", weekly).await;
    let mut body = new_booking(event_type, FREE);
    let answer = world.ask(OWNER, "POST", "/v1/bookings", body.clone()).await;
    assert_eq!(answer.complaints(), ["recurringCount"], "{}", answer.text);
    body["recurringCount"] = json!(5);
    let answer = world.ask(OWNER, "POST", "/v1/bookings", body.clone()).await;
    assert_eq!(answer.complaints(), ["recurringCount"], "{}", answer.text);
    body["recurringCount"] = json!(3);
    let made = world.ask(OWNER, "POST", "/v1/bookings", body).await;
    let made = made.wrapped("booking");
    assert_eq!(made["startTime"], FREE);
    let series = made["recurringEventId"].as_str().unwrap();
    let all = world.service.get(&format!("/v2/bookings/{series}")).await;
    assert_eq!(all.data().as_array().unwrap().len(), 3);

    let target = format!(
        "/v1/bookings/{}/cancel?allRemainingBookings=true&cancellationReason=ill",
        made["id"]
    );
    world
        .ask(OWNER, "DELETE", &target, Value::Null)
        .await
        .wrapped("success");
    let all = world.service.get(&format!("/v2/bookings/{series}")).await;
    assert!(
        all.data()
            .as_array()
            .unwrap()
            .iter()
            .all(|one| one["status"] == "cancelled")
    );
}

#[tokio::test]
async fn what_remains_of_a_series_is_cancelled_and_no_attendee_removed() {
    let world = World::new().await;
    let weekly = json!({"recurrence": {"interval": 1, "occurrences": 4, "frequency": "weekly"}});
    let made = book(&world, weekly, |id| {
        let mut body = new_booking(id, FREE);
        body["recurringCount"] = json!(3);
        body
    })
    .await;
    world.service.app.clock.advance_minutes(4 * 24 * 60);
    let target = format!(
        "/v1/bookings/{}/cancel?allRemainingBookings=true&cancellationReason=ill",
        made["id"]
    );
    let done = world.ask(OWNER, "DELETE", &target, Value::Null).await;
    let expected = json!({
        "success": true, "message": "Booking successfully cancelled.", "onlyRemovedAttendee": false,
        "bookingId": made["id"], "bookingUid": made["uid"],
    });
    assert_eq!(done.body, expected);
    assert_eq!(status(&world, &made["id"]).await, "ACCEPTED");
}

#[tokio::test]
async fn a_host_answers_what_waits() {
    let world = World::new().await;
    let waits = || json!({"confirmationPolicy": {"type": "always"}});
    for (asked, expected) in [
        ("ACCEPTED", "ACCEPTED"),
        ("REJECTED", "REJECTED"),
        ("PENDING", "PENDING"),
    ] {
        let made = book(&world, waits(), |id| new_booking(id, FREE)).await;
        assert_eq!(made["status"], "PENDING");
        let target = format!("/v1/bookings/{}", made["id"]);
        let answered = world
            .ask(OWNER, "PATCH", &target, json!({"status": asked}))
            .await;
        assert_eq!(answered.wrapped("booking")["status"], expected);
        let again = world
            .ask(OWNER, "PATCH", &target, json!({"status": asked}))
            .await;
        assert_eq!(
            again.wrapped("booking")["status"],
            expected,
            "the same again changes nothing"
        );
        if asked == "REJECTED" {
            world
                .ask(OWNER, "PATCH", &target, json!({"status": "ACCEPTED"}))
                .await
                .failed(400);
        }
        let back = world
            .ask(OWNER, "PATCH", &target, json!({"status": "PENDING"}))
            .await;
        assert_eq!(back.status, if asked == "PENDING" { 200 } else { 400 });
        world
            .service
            .sql("UPDATE booking_hosts SET holds = 0")
            .await;
    }
    // Nobody confirms what has not been paid for.
    let unpaid = format!("/v1/bookings/{}", world.booking);
    let refused = world
        .ask(OWNER, "PATCH", &unpaid, json!({"status": "ACCEPTED"}))
        .await;
    assert!(refused.failed(400).contains("paid"), "{}", refused.text);
}

#[tokio::test]
async fn a_booking_is_moved_as_in_version_2() {
    let world = World::new().await;
    let made = book(&world, json!({}), |id| new_booking(id, FREE)).await;
    let target = format!("/v1/bookings/{}", made["id"]);
    let later = "2027-03-03T13:00:00.000Z";
    for body in [
        json!({"start": later, "end": "2027-03-03T14:00:00Z"}),
        json!({"start": later, "startTime": FREE}),
        json!({"end": "2027-03-03T14:00:00Z"}),
        json!({"start": later, "status": "REJECTED"}),
    ] {
        world.ask(OWNER, "PATCH", &target, body).await.failed(400);
    }
    let body = json!({"startTime": later, "endTime": "2027-03-03T13:30:00Z", "rescheduledBy": "host@example.org"});
    let moved = world.ask(OWNER, "PATCH", &target, body).await;
    let moved = moved.wrapped("booking");
    assert_ne!(moved["id"], made["id"]);
    assert_eq!(
        (&moved["startTime"], &moved["fromReschedule"]),
        (&json!(later), &made["uid"])
    );
    assert_eq!(moved["rescheduledBy"], "host@example.org");
    assert_eq!(status(&world, &made["id"]).await, "CANCELLED");

    // The other way to move one; its own time counts as free.
    let mut body = new_booking(
        moved["eventTypeId"].as_i64().unwrap(),
        "2027-03-03T13:00:00.000Z",
    );
    body["rescheduleUid"] = moved["uid"].clone();
    let same = world
        .ask(STRANGER, "POST", "/v1/bookings", body.clone())
        .await;
    same.failed(400);
    body["start"] = json!("2027-03-04T13:00:00.000Z");
    let again = world
        .ask(STRANGER, "POST", "/v1/bookings", body.clone())
        .await;
    assert_eq!(again.wrapped("booking")["fromReschedule"], moved["uid"]);
    // It cannot be moved twice, and not as something else.
    world
        .ask(STRANGER, "POST", "/v1/bookings", body.clone())
        .await
        .failed(400);
    body["rescheduleUid"] = json!(world.booking_uid);
    let other = world.ask(STRANGER, "POST", "/v1/bookings", body).await;
    assert_eq!(other.complaints(), ["rescheduleUid"], "{}", other.text);
}

#[tokio::test]
async fn what_moves_a_booking_is_read_as_strictly_as_what_makes_one() {
    let world = World::new().await;
    let made = book(&world, json!({}), |id| new_booking(id, FREE)).await;
    let later = "2027-03-03T13:00:00.000Z";
    let mut body = new_booking(made["eventTypeId"].as_i64().unwrap(), later);
    body["rescheduleUid"] = made["uid"].clone();
    for (pointer, value, property) in [
        ("/end", json!("2027-03-03T14:00:00Z"), "end"),
        ("/timeZone", json!("Mars/Olympus"), "timeZone"),
        ("/language", json!("xx"), "language"),
        ("/metadata", json!(5), "metadata"),
        ("/responses/email", json!("nobody"), "responses.email"),
        (
            "/responses/rescheduleReason",
            json!(5),
            "responses.rescheduleReason",
        ),
        (
            "/responses/rescheduleReason",
            json!("x".repeat(MAX_REASON_CHARS + 1)),
            "responses.rescheduleReason",
        ),
    ] {
        let mut body = body.clone();
        let (parent, key) = pointer.rsplit_once('/').unwrap();
        let parent = match parent {
            "" => &mut body,
            parent => body.pointer_mut(parent).unwrap(),
        };
        parent[key] = value;
        let answer = world.ask(OWNER, "POST", "/v1/bookings", body).await;
        answer.failed(400);
        assert_eq!(answer.complaints(), [property], "{}", answer.text);
    }
    body["end"] = json!("2027-03-03T13:30:00Z");
    body["responses"]["rescheduleReason"] = json!("  ill  ");
    let moved = world.ask(OWNER, "POST", "/v1/bookings", body).await;
    let uid = moved.wrapped("booking")["uid"].as_str().unwrap();
    let shown = world.service.get(&format!("/v2/bookings/{uid}")).await;
    assert_eq!(shown.data()["reschedulingReason"], "ill");
}

#[tokio::test]
async fn a_payment_goes_along_with_its_booking() {
    let world = World::new().await;
    let payment = world
        .get(OWNER, &format!("/v1/payments/{}", world.payment))
        .await;
    let expected = json!({
        "id": world.payment, "bookingId": world.booking, "amount": 500, "fee": 0, "currency": "eur",
        "success": false, "refunded": false, "paymentOption": "ON_BOOKING", "appId": null,
    });
    assert_eq!(payment.wrapped("payment"), &expected);
    let body = json!({"start": FREE});
    let moved = world
        .ask(
            OWNER,
            "PATCH",
            &format!("/v1/bookings/{}", world.booking),
            body,
        )
        .await;
    let id = moved.wrapped("booking")["id"].clone();
    let payments = world.get(OWNER, "/v1/payments").await;
    let payments = payments.wrapped("payments").as_array().unwrap();
    assert_eq!(payments.len(), 1);
    assert_eq!(
        (&payments[0]["id"], &payments[0]["bookingId"]),
        (&json!(world.payment), &id)
    );
    world
        .service
        .sql(&format!("UPDATE bookings SET paid = 1 WHERE id = {id}"))
        .await;
    let paid = world
        .get(OWNER, &format!("/v1/payments/{}", world.payment))
        .await;
    assert_eq!(paid.wrapped("payment")["success"], true);
}

#[tokio::test]
async fn a_host_needs_a_reason_and_an_attendee_does_not() {
    let world = World::new().await;
    let email = format!("user{MEMBER}@example.org");
    let made = book(&world, json!({}), |id| {
        let mut body = new_booking(id, FREE);
        body["responses"]["email"] = json!(email);
        body
    })
    .await;
    let cancel = format!("/v1/bookings/{}/cancel", made["id"]);
    let refused = world.ask(OWNER, "DELETE", &cancel, Value::Null).await;
    assert!(
        refused.failed(400).contains("cancellationReason"),
        "{}",
        refused.text
    );
    world
        .ask(STRANGER, "DELETE", &cancel, Value::Null)
        .await
        .failed(403);
    for query in [
        "cancelledBy=nobody",
        "allRemainingBookings=yes",
        "reason=ill",
    ] {
        let wrong = format!("{cancel}?{query}");
        world
            .ask(MEMBER, "DELETE", &wrong, Value::Null)
            .await
            .failed(400);
    }
    // Who attends sees the booking, and changes nothing but whether it takes place.
    let target = format!("/v1/bookings/{}", made["id"]);
    assert_eq!(
        world.get(MEMBER, &target).await.wrapped("booking")["id"],
        made["id"]
    );
    world
        .ask(MEMBER, "PATCH", &target, json!({"title": "Mine"}))
        .await
        .failed(403);
    let done = world.ask(MEMBER, "DELETE", &cancel, Value::Null).await;
    let expected = json!({
        "success": true, "message": "Booking successfully cancelled.", "onlyRemovedAttendee": false,
        "bookingId": made["id"], "bookingUid": made["uid"],
    });
    assert_eq!(done.body, expected);
    let shown = world.get(OWNER, &target).await;
    assert_eq!(shown.wrapped("booking")["cancelledBy"], json!(email));
    world
        .ask(MEMBER, "DELETE", &cancel, Value::Null)
        .await
        .failed(400);
    let noted = world
        .ask(
            OWNER,
            "PATCH",
            &target,
            json!({"cancelledBy": "boss@example.org"}),
        )
        .await;
    assert_eq!(noted.wrapped("booking")["cancelledBy"], "boss@example.org");
}

#[tokio::test]
async fn who_shares_a_booking_gives_back_their_own_seat() {
    let world = World::new().await;
    let seats = json!({"seats": {"seatsPerTimeSlot": 3, "showAttendeeInfo": false}});
    let email = format!("user{MEMBER}@example.org");
    let made = book(&world, seats, |id| {
        let mut body = new_booking(id, FREE);
        body["responses"]["email"] = json!(email);
        body
    })
    .await;
    let event_type = made["eventTypeId"].as_i64().unwrap();
    world
        .ask(OWNER, "POST", "/v1/bookings", new_booking(event_type, FREE))
        .await
        .wrapped("booking");
    let target = format!("/v1/bookings/{}", made["id"]);
    let seen = |shown: &Value| shown["attendees"].as_array().unwrap().len();
    assert_eq!(seen(world.get(OWNER, &target).await.wrapped("booking")), 2);
    // Others are nobody's business.
    assert_eq!(seen(world.get(MEMBER, &target).await.wrapped("booking")), 1);
    let slots = format!(
        "/v1/slots?eventTypeId={event_type}&startTime=2027-03-03T00:00:00Z&endTime=2027-03-04T00:00:00Z"
    );
    let slots = world.get(STRANGER, &slots).await;
    let day = slots.wrapped("slots")["2027-03-03"]
        .as_array()
        .unwrap()
        .clone();
    let slot = day.iter().find(|slot| slot["time"] == FREE).unwrap();
    assert_eq!(slot, &json!({"time": FREE, "attendees": 2}));
    let done = world
        .ask(MEMBER, "DELETE", &format!("{target}/cancel"), Value::Null)
        .await;
    assert_eq!(done.wrapped("onlyRemovedAttendee"), true);
    assert_eq!(status(&world, &made["id"]).await, "ACCEPTED");
    assert_eq!(seen(world.get(OWNER, &target).await.wrapped("booking")), 1);
}
