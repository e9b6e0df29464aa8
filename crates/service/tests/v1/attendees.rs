//! Attendees, and access to bookings by organization admins.

use serde_json::{Value, json};

use crate::app::{BOOKED_START, FREE_SLOT, OPERATOR, OTHER_FREE_SLOT, OWNER, TestApp, key};
use crate::common::booking;

#[tokio::test]
async fn organization_admin_reads_bookings_of_members() {
    let app = TestApp::new().await;
    // Booking of a personal event type of a member of the demo organization.
    app
        .service
        .sql(
            "INSERT INTO event_types (id, owner_id, slug, settings, created_ms)
             VALUES (900, 1, 'own', '{\"title\": \"Own\", \"lengthInMinutes\": 30, \"minimumBookingNotice\": 0}', 0);
             INSERT INTO event_type_hosts (event_type_id, user_id) VALUES (900, 1);
             DELETE FROM booking_hosts",
        )
        .await;
    let created = app
        .service
        .post("/v2/bookings", booking(900, BOOKED_START))
        .await;
    let target = format!("/v1/bookings/{}", created.data()["id"]);
    let owner_of_organization = app.service.secret("apiKey");
    let fetched = app
        .request_with_key(Some(&owner_of_organization), "GET", &target, Value::Null)
        .await;
    assert_eq!(fetched.wrapped("booking")["userId"], 1);
    app.get(OWNER, &target).await.assert_v1_error(403);
}

#[tokio::test]
async fn organization_admin_acts_as_host_of_members_bookings() {
    let app = TestApp::new().await;
    let admin = app.service.secret("apiKey");
    let needs_confirmation = json!({
        "title": "Own", "lengthInMinutes": 30, "minimumBookingNotice": 0,
        "confirmationPolicy": {"type": "always"},
    });
    let shared = json!({
        "title": "Shared", "lengthInMinutes": 30, "minimumBookingNotice": 0,
        "seats": {"seatsPerTimeSlot": 3, "showAttendeeInfo": false},
    });
    for (id, settings) in [(900, &needs_confirmation), (901, &shared)] {
        app.service
            .sql(&format!(
                "INSERT INTO event_types (id, owner_id, slug, settings, created_ms)
                 VALUES ({id}, 1, 'own{id}', '{settings}', 0);
                 INSERT INTO event_type_hosts (event_type_id, user_id) VALUES ({id}, 1)"
            ))
            .await;
    }
    app.service.sql("DELETE FROM booking_hosts").await;
    let book = async |id: i64, start: &str, email: &str| {
        let mut body = booking(id, start);
        body["attendee"]["email"] = json!(email);
        let created = app.service.post("/v2/bookings", body).await;
        format!("/v1/bookings/{}", created.data()["id"])
    };
    let pending_target = book(900, BOOKED_START, "zoe@example.org").await;
    let accepted = json!({"status": "ACCEPTED"});
    let confirmed = app
        .request_with_key(Some(&admin), "PATCH", &pending_target, accepted)
        .await;
    assert_eq!(confirmed.wrapped("booking")["status"], "ACCEPTED");
    let cancel = format!("{pending_target}/cancel");
    let rejected = app
        .request_with_key(Some(&admin), "DELETE", &cancel, Value::Null)
        .await;
    assert!(rejected.assert_v1_error(400).contains("cancellationReason"));

    let seats = book(901, OTHER_FREE_SLOT, "zoe@example.org").await;
    book(901, OTHER_FREE_SLOT, "sam@example.org").await;
    for caller in [admin.clone(), key(OPERATOR)] {
        let fetched = app
            .request_with_key(Some(&caller), "GET", &seats, Value::Null)
            .await;
        let attendees = &fetched.wrapped("booking")["attendees"];
        assert_eq!(attendees.as_array().unwrap().len(), 2, "{}", fetched.text);
    }
    let cancel = format!("{seats}/cancel?cancellationReason=ill");
    let cancelled = app
        .request_with_key(Some(&admin), "DELETE", &cancel, Value::Null)
        .await;
    assert_eq!(cancelled.wrapped("onlyRemovedAttendee"), false);
}

#[tokio::test]
async fn seat_removal_follows_cancellation_rules() {
    let app = TestApp::new().await;
    let seats = json!({"seats": {"seatsPerTimeSlot": 3}});
    let event_type = app.service.event_type("shared", seats).await;
    let mut body = booking(event_type, FREE_SLOT);
    let created = app.service.post("/v2/bookings", body.clone()).await;
    body["attendee"]["email"] = json!("sam@example.org");
    app.service.post("/v2/bookings", body).await.data();
    let fetched = format!("/v1/bookings/{}", created.data()["id"]);
    let fetched = app.get(OWNER, &fetched).await;
    let attendees = &fetched.wrapped("booking")["attendees"];
    let target = format!("/v1/attendees/{}", attendees[0]["id"]);
    let last = format!("/v1/attendees/{}", attendees[1]["id"]);
    let rejected = app.request(OWNER, "DELETE", &target, Value::Null).await;
    assert!(rejected.assert_v1_error(400).contains("cancellationReason"));
    let settings = async |disabled: bool| {
        let sql = format!(
            "UPDATE event_types SET settings = json_set(settings, '$.disableCancelling', json('{{\"disabled\": {disabled}}}')) WHERE id = {event_type}"
        );
        app.service.sql(&sql).await;
    };
    settings(true).await;
    let target_with_reason = format!("{target}?cancellationReason=ill");
    app.request(OWNER, "DELETE", &target_with_reason, Value::Null)
        .await
        .assert_v1_error(400);
    settings(false).await;
    app
        .request(
            OWNER,
            "POST",
            "/v1/webhooks",
            json!({"subscriberUrl": "https://example.org/two", "eventTriggers": ["BOOKING_CANCELLED"], "active": true}),
        )
        .await
        .wrapped("webhook");
    let before = app.service.count("webhook_deliveries").await;
    app.request(OWNER, "DELETE", &target_with_reason, Value::Null)
        .await
        .wrapped("message");
    assert_eq!(app.service.count("webhook_deliveries").await, before + 1);
    let last = format!("{last}?cancellationReason=ill");
    app.request(OWNER, "DELETE", &last, Value::Null)
        .await
        .assert_v1_error(400);
}

#[tokio::test]
async fn removed_booker_is_replaced_in_responses() {
    let app = TestApp::new().await;
    let first = format!("/v1/attendees/{}", app.attendee);
    app.request(OWNER, "DELETE", &first, Value::Null)
        .await
        .wrapped("message");
    let fetched = app
        .get(OWNER, &format!("/v1/bookings/{}", app.booking))
        .await;
    let responses = &fetched.wrapped("booking")["responses"];
    assert_eq!(
        (&responses["name"], &responses["email"]),
        (&json!("Sam"), &json!("sam@example.org"))
    );
}

#[tokio::test]
async fn attendee_without_email_can_be_renamed() {
    let app = TestApp::new().await;
    app.service
        .sql(&format!(
            "UPDATE attendees SET email = '' WHERE id = {}",
            app.second_attendee
        ))
        .await;
    let target = format!("/v1/attendees/{}", app.second_attendee);
    let named = app
        .request(OWNER, "PATCH", &target, json!({"name": "Samuel"}))
        .await;
    let named = named.wrapped("attendee");
    assert_eq!(
        (&named["name"], &named["email"], &named["timeZone"]),
        (&json!("Samuel"), &json!(""), &json!("UTC"))
    );
    for key in ["name", "email", "timeZone"] {
        for nothing in [Value::Null, json!(" ")] {
            let response = app
                .request(OWNER, "PATCH", &target, json!({ key: nothing }))
                .await;
            response.assert_v1_error(400);
            assert_eq!(response.invalid_properties(), [key]);
        }
    }
}

#[tokio::test]
async fn last_attendee_is_not_removed_and_duplicate_email_returns_409() {
    let app = TestApp::new().await;
    let all = format!("/v1/attendees/{}", app.second_attendee);
    app.request(OWNER, "DELETE", &all, Value::Null)
        .await
        .wrapped("message");
    let last = format!("/v1/attendees/{}", app.attendee);
    app.request(OWNER, "DELETE", &last, Value::Null)
        .await
        .assert_v1_error(400);
    let body = json!({"bookingId": app.booking, "name": "Z", "email": "ZOE@example.org", "timeZone": "UTC"});
    app.request(OWNER, "POST", "/v1/attendees", body)
        .await
        .assert_v1_error(409);
    let body = json!({"name": "Zoe", "email": "zoe@new.example", "timeZone": "Asia/Tokyo"});
    let changed = app.request(OWNER, "PATCH", &last, body).await;
    assert_eq!(changed.wrapped("attendee")["timeZone"], "Asia/Tokyo");
    let fetched = app
        .get(OWNER, &format!("/v1/bookings/{}", app.booking))
        .await;
    let fetched = fetched.wrapped("booking");
    assert_eq!(fetched["responses"]["email"], "zoe@new.example");
    assert_eq!(fetched["timeZone"], "Asia/Tokyo");
}
