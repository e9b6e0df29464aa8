//! Cancelling, confirming, declining, marking absent and reassigning bookings.

use serde_json::{Value, json};

use crate::bookings::fixture::BookingFixture;
use crate::common::{HOST, OTHER_HOST, Service, TestResponse, booking};

const TUESDAY: &str = "2027-03-02T09:00:00Z";

async fn post_action(service: &Service, uid: &str, action: &str, body: Value) -> TestResponse {
    service
        .post(&format!("/v2/bookings/{uid}/{action}"), body)
        .await
}

async fn post_action_as(
    service: &Service,
    user: i64,
    uid: &str,
    action: &str,
    body: Value,
) -> TestResponse {
    let bearer = service.bearer_of(user).await;
    service
        .post_as(&format!("/v2/bookings/{uid}/{action}"), bearer, body)
        .await
}

async fn get_status(service: &Service, uid: &str) -> String {
    let response = service.get(&format!("/v2/bookings/{uid}")).await;
    response.data()["status"].as_str().unwrap().to_owned()
}

#[tokio::test]
async fn cancel_by_attendee_frees_slot() {
    let service = Service::start().await;
    let id = service.event_type("talk", json!({})).await;
    let created = service.post("/v2/bookings", booking(id, TUESDAY)).await;
    let uid = created.data()["uid"].as_str().unwrap().to_owned();
    let response = post_action(
        &service,
        &uid,
        "cancel",
        json!({"cancellationReason": " Ill "}),
    )
    .await;
    assert_eq!(response.status, 200);
    let data = response.data();
    assert_eq!(data["status"], "cancelled");
    assert_eq!(data["cancellationReason"], "Ill");
    assert_eq!(data["cancelledByEmail"], "zoe@example.org");
    assert_eq!(data["uid"], json!(uid));
    let repeated = service.post("/v2/bookings", booking(id, TUESDAY)).await;
    assert_eq!(repeated.status, 201, "{}", repeated.text);
    let message = post_action(&service, &uid, "cancel", json!({})).await;
    assert!(
        message
            .assert_error(400, "BadRequestException")
            .contains("already cancelled")
    );
}

#[tokio::test]
async fn cancel_without_body_succeeds() {
    let service = Service::start().await;
    let id = service.event_type("talk", json!({})).await;
    let uid = BookingFixture::new(id).store(&service).await;
    let response = service
        .call(
            axum::http::Method::POST,
            &format!("/v2/bookings/{uid}/cancel"),
            &[],
            None,
        )
        .await;
    assert_eq!(response.data()["status"], "cancelled");
    assert!(response.data().get("cancellationReason").is_none());
}

#[tokio::test]
async fn cancel_by_host_without_reason_returns_400() {
    let service = Service::start().await;
    let id = service.event_type("talk", json!({})).await;
    let uid = BookingFixture::new(id).store(&service).await;
    for body in [json!({}), json!({"cancellationReason": "  "})] {
        let response = post_action_as(&service, HOST, &uid, "cancel", body).await;
        assert!(
            response
                .assert_error(400, "BadRequestException")
                .starts_with("cancellationReason")
        );
    }
    let body = json!({"cancellationReason": "Strike"});
    let response = post_action_as(&service, HOST, &uid, "cancel", body).await;
    assert_eq!(
        response.data()["cancelledByEmail"],
        "host100@northwind.example"
    );
}

#[tokio::test]
async fn cancel_of_uncancellable_booking_returns_400() {
    let service = Service::start().await;
    let id = service.event_type("talk", json!({})).await;
    let fixed = json!({"disableCancelling": {"disabled": true}});
    let fixed = service.event_type("fixed", fixed).await;
    for (created, text) in [
        (BookingFixture::new(id).status("rejected"), "declined"),
        (
            BookingFixture::new(id).status("cancelled"),
            "already cancelled",
        ),
        (BookingFixture::new(id).at("2027-02-26T09:00:00Z"), "over"),
        (BookingFixture::new(fixed), "cannot be cancelled"),
    ] {
        let uid = created.store(&service).await;
        let response = post_action(&service, &uid, "cancel", json!({})).await;
        let message = response.assert_error(400, "BadRequestException");
        assert!(message.contains(text), "{text}: {message}");
    }
    post_action(&service, "unknown", "cancel", json!({}))
        .await
        .assert_error(404, "NotFoundException");
}

#[tokio::test]
async fn invalid_body_returns_400_and_changes_nothing() {
    let service = Service::start().await;
    let id = service.event_type("talk", json!({})).await;
    let uid = BookingFixture::new(id)
        .status("pending")
        .store(&service)
        .await;
    for (action, body, property) in [
        (
            "cancel",
            json!({"cancellationReason": 5}),
            "cancellationReason",
        ),
        (
            "cancel",
            json!({"cancellationReason": "x".repeat(5_001)}),
            "cancellationReason",
        ),
        (
            "cancel",
            json!({"cancelSubsequentBookings": "yes"}),
            "cancelSubsequentBookings",
        ),
        ("cancel", json!({"seatUid": 1}), "seatUid"),
        ("cancel", json!({"seatUid": "none"}), "seatUid"),
        ("cancel", json!({"force": true}), "force"),
        ("decline", json!({"reason": []}), "reason"),
        (
            "decline",
            json!({"cancellationReason": "x"}),
            "cancellationReason",
        ),
        ("mark-absent", json!({}), "attendees"),
        ("mark-absent", json!({"attendees": []}), "attendees"),
        ("mark-absent", json!({"host": "yes"}), "host"),
        ("mark-absent", json!({"attendees": {}}), "attendees"),
        ("mark-absent", json!({"attendees": ["x"]}), "attendees.0"),
        (
            "mark-absent",
            json!({"attendees": [{"email": "zoe@example.org"}]}),
            "attendees.0.absent",
        ),
        (
            "mark-absent",
            json!({"attendees": [{"absent": true}]}),
            "attendees.0.email",
        ),
        (
            "mark-absent",
            json!({"attendees": [{"email": "a", "absent": true, "x": 1}]}),
            "attendees.0.x",
        ),
        ("reassign/101", json!({"reason": 1}), "reason"),
        ("reassign/101", json!({"why": "x"}), "why"),
        ("reassign/me", json!({}), "userId"),
    ] {
        let response = post_action_as(&service, HOST, &uid, action, body.clone()).await;
        response.assert_error(400, "BadRequestException");
        assert_eq!(response.constraints()[0].0, property, "{action} {body}");
    }
    assert_eq!(get_status(&service, &uid).await, "pending");
}

#[tokio::test]
async fn actions_of_hosts_are_rejected_for_other_callers() {
    let service = Service::start().await;
    service
        .sql("UPDATE schedules SET time_zone = 'Europe/Berlin'")
        .await;
    let id = service
        .event_type_of("talk", Some("roundRobin"), &[HOST, OTHER_HOST], json!({}))
        .await;
    let absent = json!({"host": true});
    for (action, body, created) in [
        (
            "confirm",
            json!({}),
            BookingFixture::new(id).status("pending"),
        ),
        (
            "decline",
            json!({}),
            BookingFixture::new(id).status("pending"),
        ),
        (
            "mark-absent",
            absent,
            BookingFixture::new(id).at("2027-03-01T07:00:00Z"),
        ),
        ("reassign", json!({}), BookingFixture::new(id)),
        ("reassign/101", json!({}), BookingFixture::new(id)),
    ] {
        service
            .sql("DELETE FROM bookings WHERE uid LIKE 'made%'")
            .await;
        let uid = created.store(&service).await;
        post_action(&service, &uid, action, body.clone())
            .await
            .assert_error(401, "UnauthorizedException");
        // Ada is a member of the team, but neither host of this booking nor team admin.
        post_action_as(&service, 1, &uid, action, body.clone())
            .await
            .assert_error(403, "ForbiddenException");
        service
            .sql("UPDATE oauth_clients SET scopes = '[\"BOOKING_READ\"]'")
            .await;
        let unscoped = post_action_as(&service, HOST, &uid, action, body.clone()).await;
        assert!(
            unscoped
                .assert_error(403, "ForbiddenException")
                .contains("BOOKING_WRITE")
        );
        service
            .sql("UPDATE oauth_clients SET scopes = '[\"*\"]'")
            .await;
        let target = format!("/v2/bookings/{uid}/{action}");
        let response = service
            .post_as(&target, service.owner(), body.clone())
            .await;
        assert_eq!(response.status, 200, "{action}: {}", response.text);
        post_action_as(&service, HOST, "unknown", action, body.clone())
            .await
            .assert_error(404, "NotFoundException");
    }
}

#[tokio::test]
async fn host_confirms_or_declines_pending_booking() {
    let service = Service::start().await;
    let id = service.event_type("talk", json!({})).await;
    let uid = BookingFixture::new(id)
        .status("pending")
        .store(&service)
        .await;
    let response = post_action_as(&service, HOST, &uid, "confirm", json!({})).await;
    assert_eq!(response.data()["status"], "accepted");
    for action in ["confirm", "decline"] {
        let response = post_action_as(&service, HOST, &uid, action, json!({})).await;
        let message = response.assert_error(400, "BadRequestException");
        assert!(message.contains("already accepted"));
    }
    let other = BookingFixture::new(id)
        .status("pending")
        .store(&service)
        .await;
    let body = json!({"reason": "No time"});
    let response = post_action_as(&service, HOST, &other, "decline", body).await;
    assert_eq!(response.data()["status"], "rejected");
    assert_eq!(response.data()["cancellationReason"], "No time");
    assert!(response.data().get("cancelledByEmail").is_none());
    for action in ["confirm", "decline"] {
        let response = post_action_as(&service, HOST, &other, action, json!({})).await;
        let message = response.assert_error(400, "BadRequestException");
        assert!(message.contains("declined"));
    }
}

#[tokio::test]
async fn confirm_of_taken_slot_returns_409() {
    let service = Service::start().await;
    let id = service.event_type("talk", json!({})).await;
    let pending = BookingFixture::new(id)
        .status("pending")
        .store(&service)
        .await;
    BookingFixture::new(id).store(&service).await;
    let response = post_action_as(&service, HOST, &pending, "confirm", json!({})).await;
    let message = response.assert_error(409, "ConflictException");
    assert!(message.contains("no longer available"));
    assert_eq!(get_status(&service, &pending).await, "pending");
}

#[tokio::test]
async fn any_host_of_event_type_can_confirm() {
    let service = Service::start().await;
    let id = service
        .event_type_of("talk", Some("roundRobin"), &[HOST, OTHER_HOST], json!({}))
        .await;
    let uid = BookingFixture::new(id)
        .status("pending")
        .store(&service)
        .await;
    let response = post_action_as(&service, OTHER_HOST, &uid, "confirm", json!({})).await;
    assert_eq!(response.data()["status"], "accepted");
}

#[tokio::test]
async fn confirming_host_becomes_host_of_instant_booking() {
    let service = Service::start().await;
    let id = service
        .event_type_of("now", Some("roundRobin"), &[HOST, OTHER_HOST], json!({}))
        .await;
    let uid = BookingFixture::new(id)
        .status("awaiting_host")
        .at("2027-03-01T08:00:00Z")
        .store(&service)
        .await;
    // The owner is a team admin, but not a host.
    let target = format!("/v2/bookings/{uid}/confirm");
    let response = service.post_as(&target, service.owner(), json!({})).await;
    assert!(
        response
            .assert_error(400, "BadRequestException")
            .contains("event type's hosts")
    );
    let response = post_action_as(&service, OTHER_HOST, &uid, "confirm", json!({})).await;
    assert_eq!(response.data()["status"], "accepted");
    assert_eq!(response.data()["hosts"].as_array().unwrap().len(), 1);
    assert_eq!(response.data()["hosts"][0]["id"], OTHER_HOST);
    let repeated = post_action_as(&service, HOST, &uid, "confirm", json!({})).await;
    repeated.assert_error(400, "BadRequestException");
}

async fn series(service: &Service, event_type_id: i64, status: &str) -> Vec<String> {
    let mut uids = Vec::new();
    for start in [
        "2027-02-22T09:00:00Z",
        "2027-03-08T09:00:00Z",
        "2027-03-15T09:00:00Z",
        "2027-03-22T09:00:00Z",
    ] {
        let created = BookingFixture::new(event_type_id).status(status).at(start);
        uids.push(created.in_series("weekly").store(service).await);
    }
    uids
}

async fn get_statuses(service: &Service, uids: &[String]) -> Vec<String> {
    let mut statuses = Vec::new();
    for uid in uids {
        statuses.push(get_status(service, uid).await);
    }
    statuses
}

fn response_uids(response: &TestResponse) -> Vec<&str> {
    let data = response.data().as_array().unwrap();
    data.iter()
        .map(|booking| booking["uid"].as_str().unwrap())
        .collect()
}

#[tokio::test]
async fn occurrence_is_cancelled_alone_or_with_subsequent_ones() {
    let service = Service::start().await;
    let id = service.event_type("weekly", json!({})).await;
    let uids = series(&service, id, "accepted").await;
    let response = post_action(&service, &uids[1], "cancel", json!({})).await;
    assert_eq!(response.data()["uid"], json!(uids[1]));
    assert_eq!(
        get_statuses(&service, &uids).await,
        ["accepted", "cancelled", "accepted", "accepted"]
    );
    let body = json!({"cancelSubsequentBookings": true});
    let response = post_action(&service, &uids[2], "cancel", body).await;
    assert_eq!(response_uids(&response), [&uids[2], &uids[3]]);
    assert_eq!(
        get_statuses(&service, &uids).await,
        ["accepted", "cancelled", "cancelled", "cancelled"]
    );
}

#[tokio::test]
async fn cancel_by_series_uid_cancels_remaining_occurrences() {
    let service = Service::start().await;
    let id = service.event_type("weekly", json!({})).await;
    let uids = series(&service, id, "accepted").await;
    post_action(&service, &uids[2], "cancel", json!({}))
        .await
        .data();
    let response = post_action(&service, "weekly", "cancel", json!({})).await;
    assert_eq!(response_uids(&response), [&uids[1], &uids[3]]);
    assert_eq!(
        get_statuses(&service, &uids).await,
        ["accepted", "cancelled", "cancelled", "cancelled"]
    );
    let repeated = post_action(&service, "weekly", "cancel", json!({})).await;
    assert!(
        repeated
            .assert_error(400, "BadRequestException")
            .contains("already cancelled")
    );
}

#[tokio::test]
async fn confirm_of_occurrence_confirms_series_or_nothing() {
    let service = Service::start().await;
    let id = service.event_type("weekly", json!({})).await;
    let uids = series(&service, id, "pending").await;
    let rival = BookingFixture::new(id)
        .at("2027-03-22T09:15:00Z")
        .store(&service)
        .await;
    let response = post_action_as(&service, HOST, &uids[1], "confirm", json!({})).await;
    response.assert_error(409, "ConflictException");
    assert_eq!(get_statuses(&service, &uids).await, ["pending"; 4]);
    post_action(&service, &rival, "cancel", json!({}))
        .await
        .data();
    let response = post_action_as(&service, HOST, &uids[1], "confirm", json!({})).await;
    assert_eq!(response.data()["uid"], json!(uids[1]));
    // The first occurrence is past and stays pending.
    assert_eq!(
        get_statuses(&service, &uids).await,
        ["pending", "accepted", "accepted", "accepted"]
    );
}

#[tokio::test]
async fn confirm_by_series_uid_confirms_pending_occurrences() {
    let service = Service::start().await;
    let id = service.event_type("weekly", json!({})).await;
    let uids = series(&service, id, "pending").await;
    let one = post_action_as(&service, HOST, &uids[2], "decline", json!({})).await;
    assert_eq!(one.data()["status"], "rejected");
    let remaining = post_action_as(&service, HOST, "weekly", "confirm", json!({})).await;
    assert_eq!(response_uids(&remaining), [&uids[1], &uids[3]]);
    assert_eq!(
        get_statuses(&service, &uids).await,
        ["pending", "accepted", "rejected", "accepted"]
    );
    let repeated = post_action_as(&service, HOST, "weekly", "decline", json!({})).await;
    assert_eq!(response_uids(&repeated), [&uids[0]]);
    for action in ["mark-absent", "reassign"] {
        let response =
            post_action_as(&service, HOST, "weekly", action, json!({"host": true})).await;
        let message = response.assert_error(400, "BadRequestException");
        assert!(message.contains("one of its occurrences"), "{message}");
    }
}

async fn training(service: &Service, show_attendees: bool) -> i64 {
    let seats = json!({"seatsPerTimeSlot": 3, "showAttendeeInfo": show_attendees});
    service
        .event_type("training", json!({"seats": seats}))
        .await
}

#[tokio::test]
async fn attendee_cancels_own_seat_only() {
    let service = Service::start().await;
    let id = training(&service, true).await;
    let uid = BookingFixture::new(id)
        .seats(&["ana", "bo"])
        .store(&service)
        .await;
    post_action(&service, &uid, "cancel", json!({}))
        .await
        .assert_error(401, "UnauthorizedException");
    post_action_as(&service, OTHER_HOST, &uid, "cancel", json!({}))
        .await
        .assert_error(401, "UnauthorizedException");
    let other = BookingFixture::new(id)
        .at("2027-03-04T09:00:00Z")
        .seats(&["eve"])
        .store(&service)
        .await;
    let foreign_seat = post_action(&service, &uid, "cancel", json!({"seatUid": "eve"})).await;
    foreign_seat.assert_error(400, "BadRequestException");
    assert_eq!(foreign_seat.constraints()[0].0, "seatUid");
    assert_eq!(get_status(&service, &other).await, "accepted");

    let response = post_action(&service, &uid, "cancel", json!({"seatUid": "ana"})).await;
    let data = response.data();
    assert_eq!(data["status"], "accepted");
    // Without a seat, the caller sees no attendees.
    assert_eq!(data["attendees"], json!([]));
    let repeated = post_action(&service, &uid, "cancel", json!({"seatUid": "ana"})).await;
    repeated.assert_error(400, "BadRequestException");
    // Cancelling the last seat cancels the booking and frees the slot.
    let last = post_action(&service, &uid, "cancel", json!({"seatUid": "bo"})).await;
    assert_eq!(last.data()["status"], "cancelled");
    assert_eq!(last.data()["cancelledByEmail"], "bo@example.org");
    let busy_hosts =
        "booking_hosts h JOIN bookings b ON b.id = h.booking_id WHERE h.holds = 1 AND b.uid = '";
    assert_eq!(service.count(&format!("{busy_hosts}{uid}'")).await, 0);
}

#[tokio::test]
async fn cancel_by_host_cancels_all_seats() {
    let service = Service::start().await;
    let id = training(&service, false).await;
    let uid = BookingFixture::new(id)
        .seats(&["ana", "bo"])
        .store(&service)
        .await;
    let body = json!({"cancellationReason": "Trainer is ill"});
    let response = post_action_as(&service, HOST, &uid, "cancel", body).await;
    assert_eq!(response.data()["status"], "cancelled");
    assert_eq!(response.data()["attendees"].as_array().unwrap().len(), 2);
}

#[tokio::test]
async fn seat_in_series_is_cancelled_in_remaining_occurrences() {
    let service = Service::start().await;
    let id = training(&service, true).await;
    for (day, seats) in [("08", ["ana1", "bo1"]), ("15", ["ana2", "bo2"])] {
        let created = BookingFixture::new(id).at(&format!("2027-03-{day}T09:00:00Z"));
        created
            .in_series("course")
            .seats(&seats)
            .with_addresses(&["ana", "bo"])
            .store(&service)
            .await;
    }
    let before = service.count("attendees").await;
    let response = post_action(&service, "course", "cancel", json!({"seatUid": "ana1"})).await;
    assert_eq!(response_uids(&response).len(), 2);
    for booking in response.data().as_array().unwrap() {
        assert_eq!(booking["attendees"], json!([]));
    }
    let remaining = "attendees a JOIN bookings b ON b.id = a.booking_id
                WHERE b.series_uid = 'course' AND a.email = 'bo@example.org'";
    assert_eq!(service.count(remaining).await, 2);
    assert_eq!(service.count("attendees").await, before - 2);
}

#[tokio::test]
async fn seat_of_booking_without_seats_returns_400() {
    let service = Service::start().await;
    let id = service.event_type("talk", json!({})).await;
    let uid = BookingFixture::new(id).store(&service).await;
    let response = post_action(&service, &uid, "cancel", json!({"seatUid": "ana"})).await;
    response.assert_error(400, "BadRequestException");
    assert_eq!(get_status(&service, &uid).await, "accepted");
}

#[tokio::test]
async fn mark_absent_before_start_returns_400() {
    let service = Service::start().await;
    let id = service.event_type("talk", json!({})).await;
    let uid = BookingFixture::new(id)
        .at("2027-03-01T08:15:00Z")
        .store(&service)
        .await;
    let body = json!({"host": true, "attendees": [{"email": "ZOE@example.org", "absent": true}]});
    let early = post_action_as(&service, HOST, &uid, "mark-absent", body.clone()).await;
    assert!(
        early
            .assert_error(400, "BadRequestException")
            .contains("not started")
    );
    service.app.clock.advance_minutes(15);
    let response = post_action_as(&service, HOST, &uid, "mark-absent", body).await;
    assert_eq!(response.data()["absentHost"], true);
    assert_eq!(response.data()["attendees"][0]["absent"], true);

    let body = json!({"attendees": [
        {"email": "zoe@example.org", "absent": false},
        {"email": "nobody@example.org", "absent": true},
    ]});
    let response = post_action_as(&service, HOST, &uid, "mark-absent", body).await;
    response.assert_error(400, "BadRequestException");
    assert_eq!(response.constraints()[0].0, "attendees.1.email");
    let read = service.get(&format!("/v2/bookings/{uid}")).await;
    assert_eq!(read.data()["attendees"][0]["absent"], true);

    let present = json!({"host": false});
    let response = post_action_as(&service, HOST, &uid, "mark-absent", present).await;
    assert_eq!(response.data()["absentHost"], false);
    assert_eq!(response.data()["attendees"][0]["absent"], true);
    let pending = BookingFixture::new(id)
        .status("pending")
        .at("2027-03-01T07:00:00Z")
        .store(&service)
        .await;
    post_action_as(
        &service,
        HOST,
        &pending,
        "mark-absent",
        json!({"host": true}),
    )
    .await
    .assert_error(400, "BadRequestException");
}

#[tokio::test]
async fn reassign_selects_available_host_with_fewest_bookings() {
    let service = Service::start().await;
    service
        .sql("UPDATE schedules SET time_zone = 'Europe/Berlin'")
        .await;
    service
        .sql(
            "INSERT INTO users (id, username, email, name, time_zone, default_schedule_id)
             VALUES (102, 'host102', 'host102@northwind.example', 'Host 102', 'Europe/Berlin', 100)",
        )
        .await;
    let id = service
        .event_type_of("talk", Some("roundRobin"), &[HOST, 101, 102], json!({}))
        .await;
    let earlier_booking = BookingFixture::new(id)
        .hosts(&[101])
        .at("2027-03-03T09:00:00Z");
    earlier_booking.store(&service).await;
    let uid = BookingFixture::new(id)
        .titled("Talk between Host 100 and Zoë")
        .store(&service)
        .await;
    let response = post_action_as(&service, HOST, &uid, "reassign", json!({})).await;
    assert_eq!(response.data()["hosts"][0]["id"], 102);
    assert_eq!(response.data()["hosts"].as_array().unwrap().len(), 1);
    assert_eq!(response.data()["title"], "Talk between Host 102 and Zoë");
    assert_eq!(response.data()["reassignedTo"]["id"], 102);
    // The previous host is available again, and the new host is busy.
    let repeated = BookingFixture::new(id).store(&service).await;
    let response = post_action_as(&service, HOST, &repeated, "reassign", json!({})).await;
    assert_eq!(response.data()["hosts"][0]["id"], 101);
    let third = BookingFixture::new(id).store(&service).await;
    let response = post_action_as(&service, HOST, &third, "reassign", json!({})).await;
    let message = response.assert_error(400, "BadRequestException");
    assert!(message.contains("no other host"));
}

#[tokio::test]
async fn reassign_outside_working_hours_requires_explicit_host() {
    let service = Service::start().await;
    let id = service
        .event_type_of("talk", Some("roundRobin"), &[HOST, OTHER_HOST], json!({}))
        .await;
    // 09:00 in London is 4 in the morning in New York.
    let uid = BookingFixture::new(id).store(&service).await;
    post_action_as(&service, HOST, &uid, "reassign", json!({}))
        .await
        .assert_error(400, "BadRequestException");
    let body = json!({"reason": "Ill"});
    let response = post_action_as(&service, HOST, &uid, "reassign/101", body).await;
    assert_eq!(response.data()["hosts"][0]["id"], OTHER_HOST);
    assert_eq!(response.data()["bookingUid"], uid);
    assert_eq!(
        response.data()["reassignedTo"],
        json!({
            "id": OTHER_HOST, "name": "Host 101", "email": "host101@northwind.example",
            "displayEmail": "host101@northwind.example",
        })
    );
}

#[tokio::test]
async fn reassign_to_busy_or_non_rotating_host_returns_400() {
    let service = Service::start().await;
    let id = service
        .event_type_of("talk", Some("roundRobin"), &[HOST, OTHER_HOST], json!({}))
        .await;
    let uid = BookingFixture::new(id).store(&service).await;
    BookingFixture::new(id)
        .hosts(&[OTHER_HOST])
        .store(&service)
        .await;
    let personal = service.event_type("own", json!({})).await;
    let own = BookingFixture::new(personal)
        .at("2027-03-05T09:00:00Z")
        .store(&service)
        .await;
    for (uid, user, text) in [
        (&uid, 101, "not available"),
        (&uid, 100, "already"),
        (&uid, 1, "no rotating host"),
        (&uid, 4711, "no rotating host"),
        (&own, 101, "round-robin"),
    ] {
        let action = format!("reassign/{user}");
        let response = post_action_as(&service, HOST, uid, &action, json!({})).await;
        let message = response.assert_error(400, "BadRequestException");
        assert!(message.contains(text), "{user}: {message}");
    }
    service.sql("UPDATE event_type_hosts SET fixed = 1").await;
    let response = post_action_as(&service, HOST, &uid, "reassign", json!({})).await;
    let message = response.assert_error(400, "BadRequestException");
    assert!(message.contains("fixed"), "{message}");
}
