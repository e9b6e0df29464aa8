//! Creating, changing, rescheduling and cancelling bookings, and their permissions.

use booking_service::input_limits::{MAX_BOOKING_TITLE_CHARS, MAX_REASON_CHARS};
use serde_json::{Value, json};

use crate::app::{FREE_SLOT, MEMBER, OWNER, STRANGER, TestApp, booking_body};

async fn book(app: &TestApp, settings: Value, body: impl FnOnce(i64) -> Value) -> Value {
    let slug = format!("t{}", app.service.count("event_types").await);
    let event_type = app.service.event_type(&slug, settings).await;
    let created = app
        .request(OWNER, "POST", "/v1/bookings", body(event_type))
        .await;
    created.wrapped("booking").clone()
}

async fn status(app: &TestApp, id: &Value) -> String {
    let fetched = app.get(OWNER, &format!("/v1/bookings/{id}")).await;
    fetched.wrapped("booking")["status"]
        .as_str()
        .unwrap()
        .to_owned()
}

#[tokio::test]
async fn location_and_form_responses_are_returned_unchanged() {
    let app = TestApp::new().await;
    let settings = json!({
        "locations": [{"type": "attendeePhone"}, {"type": "integration", "integration": "zoom"}],
        "bookingFields": [{"type": "text", "slug": "topic", "label": "Topic", "required": true}],
    });
    let created = book(&app, settings, |id| {
        let mut body = booking_body(id, FREE_SLOT);
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
        created["responses"]["location"],
        json!({"optionValue": "+390612345678", "value": "phone"})
    );
    assert_eq!(created["responses"]["topic"], "Demo");
    assert_eq!(created["responses"]["guests"], json!(["guest@example.org"]));
    assert_eq!(
        (&created["title"], &created["description"]),
        (&json!("Our talk"), &json!("Notes"))
    );
    assert_eq!(created["attendees"][0]["locale"], "it");
}

#[tokio::test]
async fn multiline_or_overlong_title_returns_400() {
    let app = TestApp::new().await;
    let target = format!("/v1/bookings/{}", app.booking);
    let before = app.get(OWNER, &target).await.wrapped("booking")["title"].clone();
    let longest = "ü".repeat(MAX_BOOKING_TITLE_CHARS);
    for title in [
        "Two\nlines",
        "Two\u{2028}lines",
        "A\u{7}bell",
        "  ",
        &format!("{longest}ü"),
    ] {
        let response = app
            .request(OWNER, "PATCH", &target, json!({"title": title}))
            .await;
        response.assert_v1_error(400);
        assert_eq!(
            response.invalid_properties(),
            ["title"],
            "{}",
            response.text
        );
    }
    let unchanged = app.get(OWNER, &target).await;
    assert_eq!(unchanged.wrapped("booking")["title"], before);
    let changed = app
        .request(
            OWNER,
            "PATCH",
            &target,
            json!({"title": format!(" {longest} ")}),
        )
        .await;
    assert_eq!(changed.wrapped("booking")["title"], json!(longest));
}

#[tokio::test]
async fn validation_error_names_property_of_request() {
    let app = TestApp::new().await;
    let fields = json!({"bookingFields": [{"type": "text", "slug": "topic", "required": true}]});
    let event_type = app.service.event_type("asks", fields).await;
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
        let mut body = booking_body(event_type, FREE_SLOT);
        body["responses"]["topic"] = json!("Demo");
        let (parent, key) = pointer.rsplit_once('/').unwrap();
        body.pointer_mut(parent).unwrap()[key] = value;
        let response = app.request(OWNER, "POST", "/v1/bookings", body).await;
        response.assert_v1_error(400);
        assert!(
            response.invalid_properties().contains(&property),
            "{pointer}: {}",
            response.text
        );
    }
}

#[tokio::test]
async fn recurring_booking_without_valid_count_returns_400() {
    let app = TestApp::new().await;
    let weekly = json!({"recurrence": {"interval": 1, "occurrences": 4, "frequency": "weekly"}});
    let event_type = app.service.event_type("weekly", weekly).await;
    let mut body = booking_body(event_type, FREE_SLOT);
    let response = app
        .request(OWNER, "POST", "/v1/bookings", body.clone())
        .await;
    assert_eq!(
        response.invalid_properties(),
        ["recurringCount"],
        "{}",
        response.text
    );
    body["recurringCount"] = json!(5);
    let response = app
        .request(OWNER, "POST", "/v1/bookings", body.clone())
        .await;
    assert_eq!(
        response.invalid_properties(),
        ["recurringCount"],
        "{}",
        response.text
    );
    body["recurringCount"] = json!(3);
    let created = app.request(OWNER, "POST", "/v1/bookings", body).await;
    let created = created.wrapped("booking");
    assert_eq!(created["startTime"], FREE_SLOT);
    let series = created["recurringEventId"].as_str().unwrap();
    let all = app.service.get(&format!("/v2/bookings/{series}")).await;
    assert_eq!(all.data().as_array().unwrap().len(), 3);

    let target = format!(
        "/v1/bookings/{}/cancel?allRemainingBookings=true&cancellationReason=ill",
        created["id"]
    );
    app.request(OWNER, "DELETE", &target, Value::Null)
        .await
        .wrapped("success");
    let all = app.service.get(&format!("/v2/bookings/{series}")).await;
    assert!(
        all.data()
            .as_array()
            .unwrap()
            .iter()
            .all(|one| one["status"] == "cancelled")
    );
}

#[tokio::test]
async fn cancel_all_remaining_keeps_past_bookings_and_attendees() {
    let app = TestApp::new().await;
    let weekly = json!({"recurrence": {"interval": 1, "occurrences": 4, "frequency": "weekly"}});
    let created = book(&app, weekly, |id| {
        let mut body = booking_body(id, FREE_SLOT);
        body["recurringCount"] = json!(3);
        body
    })
    .await;
    app.service.app.clock.advance_minutes(4 * 24 * 60);
    let target = format!(
        "/v1/bookings/{}/cancel?allRemainingBookings=true&cancellationReason=ill",
        created["id"]
    );
    let cancelled = app.request(OWNER, "DELETE", &target, Value::Null).await;
    let expected = json!({
        "success": true, "message": "Booking successfully cancelled.", "onlyRemovedAttendee": false,
        "bookingId": created["id"], "bookingUid": created["uid"],
    });
    assert_eq!(cancelled.body, expected);
    assert_eq!(status(&app, &created["id"]).await, "ACCEPTED");
}

#[tokio::test]
async fn host_confirms_or_rejects_pending_booking() {
    let app = TestApp::new().await;
    let needs_confirmation = || json!({"confirmationPolicy": {"type": "always"}});
    for (requested, expected) in [
        ("ACCEPTED", "ACCEPTED"),
        ("REJECTED", "REJECTED"),
        ("PENDING", "PENDING"),
    ] {
        let created = book(&app, needs_confirmation(), |id| booking_body(id, FREE_SLOT)).await;
        assert_eq!(created["status"], "PENDING");
        let target = format!("/v1/bookings/{}", created["id"]);
        let changed = app
            .request(OWNER, "PATCH", &target, json!({"status": requested}))
            .await;
        assert_eq!(changed.wrapped("booking")["status"], expected);
        let repeated = app
            .request(OWNER, "PATCH", &target, json!({"status": requested}))
            .await;
        assert_eq!(
            repeated.wrapped("booking")["status"],
            expected,
            "the same again changes nothing"
        );
        if requested == "REJECTED" {
            app.request(OWNER, "PATCH", &target, json!({"status": "ACCEPTED"}))
                .await
                .assert_v1_error(400);
        }
        let reverted = app
            .request(OWNER, "PATCH", &target, json!({"status": "PENDING"}))
            .await;
        assert_eq!(
            reverted.status,
            if requested == "PENDING" { 200 } else { 400 }
        );
        app.service.sql("UPDATE booking_hosts SET holds = 0").await;
    }
    // An unpaid booking cannot be confirmed.
    let unpaid = format!("/v1/bookings/{}", app.booking);
    let rejected = app
        .request(OWNER, "PATCH", &unpaid, json!({"status": "ACCEPTED"}))
        .await;
    assert!(
        rejected.assert_v1_error(400).contains("paid"),
        "{}",
        rejected.text
    );
}

#[tokio::test]
async fn booking_is_rescheduled_by_patch_or_post() {
    let app = TestApp::new().await;
    let created = book(&app, json!({}), |id| booking_body(id, FREE_SLOT)).await;
    let target = format!("/v1/bookings/{}", created["id"]);
    let later = "2027-03-03T13:00:00.000Z";
    for body in [
        json!({"start": later, "end": "2027-03-03T14:00:00Z"}),
        json!({"start": later, "startTime": FREE_SLOT}),
        json!({"end": "2027-03-03T14:00:00Z"}),
        json!({"start": later, "status": "REJECTED"}),
    ] {
        app.request(OWNER, "PATCH", &target, body)
            .await
            .assert_v1_error(400);
    }
    let body = json!({"startTime": later, "endTime": "2027-03-03T13:30:00Z", "rescheduledBy": "host@example.org"});
    let moved = app.request(OWNER, "PATCH", &target, body).await;
    let moved = moved.wrapped("booking");
    assert_ne!(moved["id"], created["id"]);
    assert_eq!(
        (&moved["startTime"], &moved["fromReschedule"]),
        (&json!(later), &created["uid"])
    );
    assert_eq!(moved["rescheduledBy"], "host@example.org");
    assert_eq!(status(&app, &created["id"]).await, "CANCELLED");

    // Rescheduling by POST: the booking does not conflict with itself.
    let mut body = booking_body(
        moved["eventTypeId"].as_i64().unwrap(),
        "2027-03-03T13:00:00.000Z",
    );
    body["rescheduleUid"] = moved["uid"].clone();
    let same = app
        .request(STRANGER, "POST", "/v1/bookings", body.clone())
        .await;
    same.assert_v1_error(400);
    body["start"] = json!("2027-03-04T13:00:00.000Z");
    let repeated = app
        .request(STRANGER, "POST", "/v1/bookings", body.clone())
        .await;
    assert_eq!(repeated.wrapped("booking")["fromReschedule"], moved["uid"]);
    // A booking cannot be rescheduled twice, nor to another event type.
    app.request(STRANGER, "POST", "/v1/bookings", body.clone())
        .await
        .assert_v1_error(400);
    body["rescheduleUid"] = json!(app.booking_uid);
    let other = app.request(STRANGER, "POST", "/v1/bookings", body).await;
    assert_eq!(
        other.invalid_properties(),
        ["rescheduleUid"],
        "{}",
        other.text
    );
}

#[tokio::test]
async fn invalid_reschedule_request_returns_400() {
    let app = TestApp::new().await;
    let created = book(&app, json!({}), |id| booking_body(id, FREE_SLOT)).await;
    let later = "2027-03-03T13:00:00.000Z";
    let mut body = booking_body(created["eventTypeId"].as_i64().unwrap(), later);
    body["rescheduleUid"] = created["uid"].clone();
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
        let response = app.request(OWNER, "POST", "/v1/bookings", body).await;
        response.assert_v1_error(400);
        assert_eq!(
            response.invalid_properties(),
            [property],
            "{}",
            response.text
        );
    }
    body["end"] = json!("2027-03-03T13:30:00Z");
    body["responses"]["rescheduleReason"] = json!("  ill  ");
    let moved = app.request(OWNER, "POST", "/v1/bookings", body).await;
    let uid = moved.wrapped("booking")["uid"].as_str().unwrap();
    let fetched = app.service.get(&format!("/v2/bookings/{uid}")).await;
    assert_eq!(fetched.data()["reschedulingReason"], "ill");
}

#[tokio::test]
async fn payment_moves_to_rescheduled_booking() {
    let app = TestApp::new().await;
    let payment = app
        .get(OWNER, &format!("/v1/payments/{}", app.payment))
        .await;
    let expected = json!({
        "id": app.payment, "bookingId": app.booking, "amount": 500, "fee": 0, "currency": "eur",
        "success": false, "refunded": false, "paymentOption": "ON_BOOKING", "appId": null,
    });
    assert_eq!(payment.wrapped("payment"), &expected);
    let body = json!({"start": FREE_SLOT});
    let moved = app
        .request(
            OWNER,
            "PATCH",
            &format!("/v1/bookings/{}", app.booking),
            body,
        )
        .await;
    let id = moved.wrapped("booking")["id"].clone();
    let payments = app.get(OWNER, "/v1/payments").await;
    let payments = payments.wrapped("payments").as_array().unwrap();
    assert_eq!(payments.len(), 1);
    assert_eq!(
        (&payments[0]["id"], &payments[0]["bookingId"]),
        (&json!(app.payment), &id)
    );
    app.service
        .sql(&format!("UPDATE bookings SET paid = 1 WHERE id = {id}"))
        .await;
    let paid = app
        .get(OWNER, &format!("/v1/payments/{}", app.payment))
        .await;
    assert_eq!(paid.wrapped("payment")["success"], true);
}

#[tokio::test]
async fn cancel_requires_reason_from_host_but_not_from_attendee() {
    let app = TestApp::new().await;
    let email = format!("user{MEMBER}@example.org");
    let created = book(&app, json!({}), |id| {
        let mut body = booking_body(id, FREE_SLOT);
        body["responses"]["email"] = json!(email);
        body
    })
    .await;
    let cancel = format!("/v1/bookings/{}/cancel", created["id"]);
    let rejected = app.request(OWNER, "DELETE", &cancel, Value::Null).await;
    assert!(
        rejected.assert_v1_error(400).contains("cancellationReason"),
        "{}",
        rejected.text
    );
    app.request(STRANGER, "DELETE", &cancel, Value::Null)
        .await
        .assert_v1_error(403);
    for query in [
        "cancelledBy=nobody",
        "allRemainingBookings=yes",
        "reason=ill",
    ] {
        let wrong = format!("{cancel}?{query}");
        app.request(MEMBER, "DELETE", &wrong, Value::Null)
            .await
            .assert_v1_error(400);
    }
    // An attendee can read and cancel the booking, but not change it.
    let target = format!("/v1/bookings/{}", created["id"]);
    assert_eq!(
        app.get(MEMBER, &target).await.wrapped("booking")["id"],
        created["id"]
    );
    app.request(MEMBER, "PATCH", &target, json!({"title": "Mine"}))
        .await
        .assert_v1_error(403);
    let cancelled = app.request(MEMBER, "DELETE", &cancel, Value::Null).await;
    let expected = json!({
        "success": true, "message": "Booking successfully cancelled.", "onlyRemovedAttendee": false,
        "bookingId": created["id"], "bookingUid": created["uid"],
    });
    assert_eq!(cancelled.body, expected);
    let fetched = app.get(OWNER, &target).await;
    assert_eq!(fetched.wrapped("booking")["cancelledBy"], json!(email));
    app.request(MEMBER, "DELETE", &cancel, Value::Null)
        .await
        .assert_v1_error(400);
    let noted = app
        .request(
            OWNER,
            "PATCH",
            &target,
            json!({"cancelledBy": "boss@example.org"}),
        )
        .await;
    assert_eq!(noted.wrapped("booking")["cancelledBy"], "boss@example.org");
}

#[tokio::test]
async fn attendee_of_seated_booking_cancels_own_seat_only() {
    let app = TestApp::new().await;
    let seats = json!({"seats": {"seatsPerTimeSlot": 3, "showAttendeeInfo": false}});
    let email = format!("user{MEMBER}@example.org");
    let created = book(&app, seats, |id| {
        let mut body = booking_body(id, FREE_SLOT);
        body["responses"]["email"] = json!(email);
        body
    })
    .await;
    let event_type = created["eventTypeId"].as_i64().unwrap();
    app.request(
        OWNER,
        "POST",
        "/v1/bookings",
        booking_body(event_type, FREE_SLOT),
    )
    .await
    .wrapped("booking");
    let target = format!("/v1/bookings/{}", created["id"]);
    let attendee_count = |fetched: &Value| fetched["attendees"].as_array().unwrap().len();
    assert_eq!(
        attendee_count(app.get(OWNER, &target).await.wrapped("booking")),
        2
    );
    // Attendees do not see each other.
    assert_eq!(
        attendee_count(app.get(MEMBER, &target).await.wrapped("booking")),
        1
    );
    let slots = format!(
        "/v1/slots?eventTypeId={event_type}&startTime=2027-03-03T00:00:00Z&endTime=2027-03-04T00:00:00Z"
    );
    let slots = app.get(STRANGER, &slots).await;
    let day = slots.wrapped("slots")["2027-03-03"]
        .as_array()
        .unwrap()
        .clone();
    let slot = day.iter().find(|slot| slot["time"] == FREE_SLOT).unwrap();
    assert_eq!(slot, &json!({"time": FREE_SLOT, "attendees": 2}));
    let cancelled = app
        .request(MEMBER, "DELETE", &format!("{target}/cancel"), Value::Null)
        .await;
    assert_eq!(cancelled.wrapped("onlyRemovedAttendee"), true);
    assert_eq!(status(&app, &created["id"]).await, "ACCEPTED");
    assert_eq!(
        attendee_count(app.get(OWNER, &target).await.wrapped("booking")),
        1
    );
}
