//! Cancelling, confirming, declining, marking absent and reassigning bookings.

use serde_json::{Value, json};

use crate::common::{Answer, HOST, OTHER_HOST, Service, booking};
use crate::stored::Made;

const TUESDAY: &str = "2027-03-02T09:00:00Z";

async fn act(service: &Service, uid: &str, action: &str, body: Value) -> Answer {
    service
        .post(&format!("/v2/bookings/{uid}/{action}"), body)
        .await
}

async fn act_as(service: &Service, user: i64, uid: &str, action: &str, body: Value) -> Answer {
    let bearer = service.bearer_of(user).await;
    service
        .post_as(&format!("/v2/bookings/{uid}/{action}"), bearer, body)
        .await
}

async fn status_of(service: &Service, uid: &str) -> String {
    let answer = service.get(&format!("/v2/bookings/{uid}")).await;
    answer.data()["status"].as_str().unwrap().to_owned()
}

#[tokio::test]
async fn a_visitor_cancels_and_the_time_is_free_again() {
    let service = Service::start().await;
    let id = service.event_type("talk", json!({})).await;
    let made = service.post("/v2/bookings", booking(id, TUESDAY)).await;
    let uid = made.data()["uid"].as_str().unwrap().to_owned();
    let answer = act(
        &service,
        &uid,
        "cancel",
        json!({"cancellationReason": " Ill "}),
    )
    .await;
    assert_eq!(answer.status, 200);
    let data = answer.data();
    assert_eq!(data["status"], "cancelled");
    assert_eq!(data["cancellationReason"], "Ill");
    assert_eq!(data["cancelledByEmail"], "zoe@example.org");
    assert_eq!(data["uid"], json!(uid));
    let again = service.post("/v2/bookings", booking(id, TUESDAY)).await;
    assert_eq!(again.status, 201, "{}", again.text);
    let message = act(&service, &uid, "cancel", json!({})).await;
    assert!(
        message
            .refused(400, "BadRequestException")
            .contains("already cancelled")
    );
}

#[tokio::test]
async fn a_cancellation_needs_no_body_at_all() {
    let service = Service::start().await;
    let id = service.event_type("talk", json!({})).await;
    let uid = Made::new(id).store(&service).await;
    let answer = service
        .call(
            axum::http::Method::POST,
            &format!("/v2/bookings/{uid}/cancel"),
            &[],
            None,
        )
        .await;
    assert_eq!(answer.data()["status"], "cancelled");
    assert!(answer.data().get("cancellationReason").is_none());
}

#[tokio::test]
async fn a_host_gives_a_reason_for_cancelling() {
    let service = Service::start().await;
    let id = service.event_type("talk", json!({})).await;
    let uid = Made::new(id).store(&service).await;
    for body in [json!({}), json!({"cancellationReason": "  "})] {
        let answer = act_as(&service, HOST, &uid, "cancel", body).await;
        assert!(
            answer
                .refused(400, "BadRequestException")
                .starts_with("cancellationReason")
        );
    }
    let body = json!({"cancellationReason": "Strike"});
    let answer = act_as(&service, HOST, &uid, "cancel", body).await;
    assert_eq!(
        answer.data()["cancelledByEmail"],
        "host100@northwind.example"
    );
}

#[tokio::test]
async fn what_cannot_be_cancelled_is_refused_with_its_reason() {
    let service = Service::start().await;
    let id = service.event_type("talk", json!({})).await;
    let fixed = json!({"disableCancelling": {"disabled": true}});
    let fixed = service.event_type("fixed", fixed).await;
    for (made, text) in [
        (Made::new(id).status("rejected"), "declined"),
        (Made::new(id).status("cancelled"), "already cancelled"),
        (Made::new(id).at("2027-02-26T09:00:00Z"), "over"),
        (Made::new(fixed), "cannot be cancelled"),
    ] {
        let uid = made.store(&service).await;
        let answer = act(&service, &uid, "cancel", json!({})).await;
        let message = answer.refused(400, "BadRequestException");
        assert!(message.contains(text), "{text}: {message}");
    }
    act(&service, "unknown", "cancel", json!({}))
        .await
        .refused(404, "NotFoundException");
}

#[tokio::test]
async fn a_body_that_breaks_a_rule_changes_nothing() {
    let service = Service::start().await;
    let id = service.event_type("talk", json!({})).await;
    let uid = Made::new(id).status("pending").store(&service).await;
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
        let answer = act_as(&service, HOST, &uid, action, body.clone()).await;
        answer.refused(400, "BadRequestException");
        assert_eq!(answer.constraints()[0].0, property, "{action} {body}");
    }
    assert_eq!(status_of(&service, &uid).await, "pending");
}

#[tokio::test]
async fn only_hosts_answer_mark_and_reassign() {
    let service = Service::start().await;
    service
        .sql("UPDATE schedules SET time_zone = 'Europe/Berlin'")
        .await;
    let id = service
        .event_type_of("talk", Some("roundRobin"), &[HOST, OTHER_HOST], json!({}))
        .await;
    let absent = json!({"host": true});
    for (action, body, made) in [
        ("confirm", json!({}), Made::new(id).status("pending")),
        ("decline", json!({}), Made::new(id).status("pending")),
        (
            "mark-absent",
            absent,
            Made::new(id).at("2027-03-01T07:00:00Z"),
        ),
        ("reassign", json!({}), Made::new(id)),
        ("reassign/101", json!({}), Made::new(id)),
    ] {
        service
            .sql("DELETE FROM bookings WHERE uid LIKE 'made%'")
            .await;
        let uid = made.store(&service).await;
        act(&service, &uid, action, body.clone())
            .await
            .refused(401, "UnauthorizedException");
        // Ada is a member of the team, but neither hosts this booking nor runs the team.
        act_as(&service, 1, &uid, action, body.clone())
            .await
            .refused(403, "ForbiddenException");
        service
            .sql("UPDATE oauth_clients SET scopes = '[\"BOOKING_READ\"]'")
            .await;
        let unscoped = act_as(&service, HOST, &uid, action, body.clone()).await;
        assert!(
            unscoped
                .refused(403, "ForbiddenException")
                .contains("BOOKING_WRITE")
        );
        service
            .sql("UPDATE oauth_clients SET scopes = '[\"*\"]'")
            .await;
        let target = format!("/v2/bookings/{uid}/{action}");
        let done = service
            .post_as(&target, service.owner(), body.clone())
            .await;
        assert_eq!(done.status, 200, "{action}: {}", done.text);
        act_as(&service, HOST, "unknown", action, body.clone())
            .await
            .refused(404, "NotFoundException");
    }
}

#[tokio::test]
async fn a_host_confirms_or_declines_what_waits() {
    let service = Service::start().await;
    let id = service.event_type("talk", json!({})).await;
    let uid = Made::new(id).status("pending").store(&service).await;
    let answer = act_as(&service, HOST, &uid, "confirm", json!({})).await;
    assert_eq!(answer.data()["status"], "accepted");
    for action in ["confirm", "decline"] {
        let answer = act_as(&service, HOST, &uid, action, json!({})).await;
        let message = answer.refused(400, "BadRequestException");
        assert!(message.contains("already accepted"));
    }
    let other = Made::new(id).status("pending").store(&service).await;
    let body = json!({"reason": "No time"});
    let answer = act_as(&service, HOST, &other, "decline", body).await;
    assert_eq!(answer.data()["status"], "rejected");
    assert_eq!(answer.data()["cancellationReason"], "No time");
    assert!(answer.data().get("cancelledByEmail").is_none());
    for action in ["confirm", "decline"] {
        let answer = act_as(&service, HOST, &other, action, json!({})).await;
        let message = answer.refused(400, "BadRequestException");
        assert!(message.contains("declined"));
    }
}

#[tokio::test]
async fn a_time_that_was_given_away_meanwhile_cannot_be_confirmed() {
    let service = Service::start().await;
    let id = service.event_type("talk", json!({})).await;
    let waiting = Made::new(id).status("pending").store(&service).await;
    Made::new(id).store(&service).await;
    let answer = act_as(&service, HOST, &waiting, "confirm", json!({})).await;
    let message = answer.refused(409, "ConflictException");
    assert!(message.contains("no longer available"));
    assert_eq!(status_of(&service, &waiting).await, "pending");
}

#[tokio::test]
async fn every_host_of_the_event_type_may_answer() {
    let service = Service::start().await;
    let id = service
        .event_type_of("talk", Some("roundRobin"), &[HOST, OTHER_HOST], json!({}))
        .await;
    let uid = Made::new(id).status("pending").store(&service).await;
    let answer = act_as(&service, OTHER_HOST, &uid, "confirm", json!({})).await;
    assert_eq!(answer.data()["status"], "accepted");
}

#[tokio::test]
async fn the_host_who_confirms_an_instant_booking_hosts_it() {
    let service = Service::start().await;
    let id = service
        .event_type_of("now", Some("roundRobin"), &[HOST, OTHER_HOST], json!({}))
        .await;
    let uid = Made::new(id)
        .status("awaiting_host")
        .at("2027-03-01T08:00:00Z")
        .store(&service)
        .await;
    // The owner runs the team, but is no host.
    let target = format!("/v2/bookings/{uid}/confirm");
    let answer = service.post_as(&target, service.owner(), json!({})).await;
    assert!(
        answer
            .refused(400, "BadRequestException")
            .contains("event type's hosts")
    );
    let answer = act_as(&service, OTHER_HOST, &uid, "confirm", json!({})).await;
    assert_eq!(answer.data()["status"], "accepted");
    assert_eq!(answer.data()["hosts"].as_array().unwrap().len(), 1);
    assert_eq!(answer.data()["hosts"][0]["id"], OTHER_HOST);
    let late = act_as(&service, HOST, &uid, "confirm", json!({})).await;
    late.refused(400, "BadRequestException");
}

async fn series(service: &Service, event_type_id: i64, status: &str) -> Vec<String> {
    let mut uids = Vec::new();
    for start in [
        "2027-02-22T09:00:00Z",
        "2027-03-08T09:00:00Z",
        "2027-03-15T09:00:00Z",
        "2027-03-22T09:00:00Z",
    ] {
        let made = Made::new(event_type_id).status(status).at(start);
        uids.push(made.of_series("weekly").store(service).await);
    }
    uids
}

async fn statuses(service: &Service, uids: &[String]) -> Vec<String> {
    let mut statuses = Vec::new();
    for uid in uids {
        statuses.push(status_of(service, uid).await);
    }
    statuses
}

fn uids_of(answer: &Answer) -> Vec<&str> {
    let data = answer.data().as_array().unwrap();
    data.iter()
        .map(|booking| booking["uid"].as_str().unwrap())
        .collect()
}

#[tokio::test]
async fn an_occurrence_is_cancelled_alone_or_with_the_later_ones() {
    let service = Service::start().await;
    let id = service.event_type("weekly", json!({})).await;
    let uids = series(&service, id, "accepted").await;
    let answer = act(&service, &uids[1], "cancel", json!({})).await;
    assert_eq!(answer.data()["uid"], json!(uids[1]));
    assert_eq!(
        statuses(&service, &uids).await,
        ["accepted", "cancelled", "accepted", "accepted"]
    );
    let body = json!({"cancelSubsequentBookings": true});
    let answer = act(&service, &uids[2], "cancel", body).await;
    assert_eq!(uids_of(&answer), [&uids[2], &uids[3]]);
    assert_eq!(
        statuses(&service, &uids).await,
        ["accepted", "cancelled", "cancelled", "cancelled"]
    );
}

#[tokio::test]
async fn the_uid_of_a_series_cancels_all_that_remains() {
    let service = Service::start().await;
    let id = service.event_type("weekly", json!({})).await;
    let uids = series(&service, id, "accepted").await;
    act(&service, &uids[2], "cancel", json!({})).await.data();
    let answer = act(&service, "weekly", "cancel", json!({})).await;
    assert_eq!(uids_of(&answer), [&uids[1], &uids[3]]);
    assert_eq!(
        statuses(&service, &uids).await,
        ["accepted", "cancelled", "cancelled", "cancelled"]
    );
    let again = act(&service, "weekly", "cancel", json!({})).await;
    assert!(
        again
            .refused(400, "BadRequestException")
            .contains("already cancelled")
    );
}

#[tokio::test]
async fn confirming_one_occurrence_confirms_the_series_and_nothing_if_one_is_taken() {
    let service = Service::start().await;
    let id = service.event_type("weekly", json!({})).await;
    let uids = series(&service, id, "pending").await;
    let rival = Made::new(id)
        .at("2027-03-22T09:15:00Z")
        .store(&service)
        .await;
    let answer = act_as(&service, HOST, &uids[1], "confirm", json!({})).await;
    answer.refused(409, "ConflictException");
    assert_eq!(statuses(&service, &uids).await, ["pending"; 4]);
    act(&service, &rival, "cancel", json!({})).await.data();
    let answer = act_as(&service, HOST, &uids[1], "confirm", json!({})).await;
    assert_eq!(answer.data()["uid"], json!(uids[1]));
    // The first is over: nobody can come to it any more.
    assert_eq!(
        statuses(&service, &uids).await,
        ["pending", "accepted", "accepted", "accepted"]
    );
}

#[tokio::test]
async fn the_uid_of_a_series_answers_for_all_that_waits() {
    let service = Service::start().await;
    let id = service.event_type("weekly", json!({})).await;
    let uids = series(&service, id, "pending").await;
    let one = act_as(&service, HOST, &uids[2], "decline", json!({})).await;
    assert_eq!(one.data()["status"], "rejected");
    let rest = act_as(&service, HOST, "weekly", "confirm", json!({})).await;
    assert_eq!(uids_of(&rest), [&uids[1], &uids[3]]);
    assert_eq!(
        statuses(&service, &uids).await,
        ["pending", "accepted", "rejected", "accepted"]
    );
    let late = act_as(&service, HOST, "weekly", "decline", json!({})).await;
    assert_eq!(uids_of(&late), [&uids[0]]);
    for action in ["mark-absent", "reassign"] {
        let answer = act_as(&service, HOST, "weekly", action, json!({"host": true})).await;
        let message = answer.refused(400, "BadRequestException");
        assert!(message.contains("one of its occurrences"), "{message}");
    }
}

async fn training(service: &Service, show: bool) -> i64 {
    let seats = json!({"seatsPerTimeSlot": 3, "showAttendeeInfo": show});
    service
        .event_type("training", json!({"seats": seats}))
        .await
}

#[tokio::test]
async fn a_visitor_gives_back_only_their_own_seat() {
    let service = Service::start().await;
    let id = training(&service, true).await;
    let uid = Made::new(id).seats(&["ana", "bo"]).store(&service).await;
    act(&service, &uid, "cancel", json!({}))
        .await
        .refused(401, "UnauthorizedException");
    act_as(&service, OTHER_HOST, &uid, "cancel", json!({}))
        .await
        .refused(401, "UnauthorizedException");
    let other = Made::new(id)
        .at("2027-03-04T09:00:00Z")
        .seats(&["eve"])
        .store(&service)
        .await;
    let foreign = act(&service, &uid, "cancel", json!({"seatUid": "eve"})).await;
    foreign.refused(400, "BadRequestException");
    assert_eq!(foreign.constraints()[0].0, "seatUid");
    assert_eq!(status_of(&service, &other).await, "accepted");

    let answer = act(&service, &uid, "cancel", json!({"seatUid": "ana"})).await;
    let data = answer.data();
    assert_eq!(data["status"], "accepted");
    // Whoever has no seat any more sees nobody.
    assert_eq!(data["attendees"], json!([]));
    let again = act(&service, &uid, "cancel", json!({"seatUid": "ana"})).await;
    again.refused(400, "BadRequestException");
    // With the last seat the booking is over, and its time free.
    let last = act(&service, &uid, "cancel", json!({"seatUid": "bo"})).await;
    assert_eq!(last.data()["status"], "cancelled");
    assert_eq!(last.data()["cancelledByEmail"], "bo@example.org");
    let held =
        "booking_hosts h JOIN bookings b ON b.id = h.booking_id WHERE h.holds = 1 AND b.uid = '";
    assert_eq!(service.count(&format!("{held}{uid}'")).await, 0);
}

#[tokio::test]
async fn a_host_cancels_a_booking_with_seats_for_everybody() {
    let service = Service::start().await;
    let id = training(&service, false).await;
    let uid = Made::new(id).seats(&["ana", "bo"]).store(&service).await;
    let body = json!({"cancellationReason": "Trainer is ill"});
    let answer = act_as(&service, HOST, &uid, "cancel", body).await;
    assert_eq!(answer.data()["status"], "cancelled");
    assert_eq!(answer.data()["attendees"].as_array().unwrap().len(), 2);
}

#[tokio::test]
async fn a_seat_in_a_series_is_given_back_in_all_that_remains() {
    let service = Service::start().await;
    let id = training(&service, true).await;
    for (day, seats) in [("08", ["ana1", "bo1"]), ("15", ["ana2", "bo2"])] {
        let made = Made::new(id).at(&format!("2027-03-{day}T09:00:00Z"));
        made.of_series("course")
            .seats(&seats)
            .with_addresses(&["ana", "bo"])
            .store(&service)
            .await;
    }
    let before = service.count("attendees").await;
    let answer = act(&service, "course", "cancel", json!({"seatUid": "ana1"})).await;
    assert_eq!(uids_of(&answer).len(), 2);
    for booking in answer.data().as_array().unwrap() {
        assert_eq!(booking["attendees"], json!([]));
    }
    let left = "attendees a JOIN bookings b ON b.id = a.booking_id
                WHERE b.series_uid = 'course' AND a.email = 'bo@example.org'";
    assert_eq!(service.count(left).await, 2);
    assert_eq!(service.count("attendees").await, before - 2);
}

#[tokio::test]
async fn a_seat_in_a_booking_without_seats_is_refused() {
    let service = Service::start().await;
    let id = service.event_type("talk", json!({})).await;
    let uid = Made::new(id).store(&service).await;
    let answer = act(&service, &uid, "cancel", json!({"seatUid": "ana"})).await;
    answer.refused(400, "BadRequestException");
    assert_eq!(status_of(&service, &uid).await, "accepted");
}

#[tokio::test]
async fn who_did_not_come_is_noted_once_the_booking_has_started() {
    let service = Service::start().await;
    let id = service.event_type("talk", json!({})).await;
    let uid = Made::new(id)
        .at("2027-03-01T08:15:00Z")
        .store(&service)
        .await;
    let body = json!({"host": true, "attendees": [{"email": "ZOE@example.org", "absent": true}]});
    let early = act_as(&service, HOST, &uid, "mark-absent", body.clone()).await;
    assert!(
        early
            .refused(400, "BadRequestException")
            .contains("not started")
    );
    service.app.clock.advance_minutes(15);
    let answer = act_as(&service, HOST, &uid, "mark-absent", body).await;
    assert_eq!(answer.data()["absentHost"], true);
    assert_eq!(answer.data()["attendees"][0]["absent"], true);

    let body = json!({"attendees": [
        {"email": "zoe@example.org", "absent": false},
        {"email": "nobody@example.org", "absent": true},
    ]});
    let answer = act_as(&service, HOST, &uid, "mark-absent", body).await;
    answer.refused(400, "BadRequestException");
    assert_eq!(answer.constraints()[0].0, "attendees.1.email");
    let read = service.get(&format!("/v2/bookings/{uid}")).await;
    assert_eq!(read.data()["attendees"][0]["absent"], true);

    let back = json!({"host": false});
    let answer = act_as(&service, HOST, &uid, "mark-absent", back).await;
    assert_eq!(answer.data()["absentHost"], false);
    assert_eq!(answer.data()["attendees"][0]["absent"], true);
    let waiting = Made::new(id)
        .status("pending")
        .at("2027-03-01T07:00:00Z")
        .store(&service)
        .await;
    act_as(
        &service,
        HOST,
        &waiting,
        "mark-absent",
        json!({"host": true}),
    )
    .await
    .refused(400, "BadRequestException");
}

#[tokio::test]
async fn a_round_robin_booking_goes_to_the_free_host_with_the_fewest_bookings() {
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
    let load = Made::new(id).hosts(&[101]).at("2027-03-03T09:00:00Z");
    load.store(&service).await;
    let uid = Made::new(id)
        .titled("Talk between Host 100 and Zoë")
        .store(&service)
        .await;
    let answer = act_as(&service, HOST, &uid, "reassign", json!({})).await;
    assert_eq!(answer.data()["hosts"][0]["id"], 102);
    assert_eq!(answer.data()["hosts"].as_array().unwrap().len(), 1);
    assert_eq!(answer.data()["title"], "Talk between Host 102 and Zoë");
    assert_eq!(answer.data()["reassignedTo"]["id"], 102);
    // The old host's time is free, the new one's taken.
    let again = Made::new(id).store(&service).await;
    let answer = act_as(&service, HOST, &again, "reassign", json!({})).await;
    assert_eq!(answer.data()["hosts"][0]["id"], 101);
    let third = Made::new(id).store(&service).await;
    let answer = act_as(&service, HOST, &third, "reassign", json!({})).await;
    let message = answer.refused(400, "BadRequestException");
    assert!(message.contains("no other host"));
}

#[tokio::test]
async fn nobody_gets_a_booking_outside_their_hours_unless_they_are_chosen() {
    let service = Service::start().await;
    let id = service
        .event_type_of("talk", Some("roundRobin"), &[HOST, OTHER_HOST], json!({}))
        .await;
    // 09:00 in London is 4 in the morning in New York.
    let uid = Made::new(id).store(&service).await;
    act_as(&service, HOST, &uid, "reassign", json!({}))
        .await
        .refused(400, "BadRequestException");
    let body = json!({"reason": "Ill"});
    let answer = act_as(&service, HOST, &uid, "reassign/101", body).await;
    assert_eq!(answer.data()["hosts"][0]["id"], OTHER_HOST);
    assert_eq!(answer.data()["bookingUid"], uid);
    assert_eq!(
        answer.data()["reassignedTo"],
        json!({
            "id": OTHER_HOST, "name": "Host 101", "email": "host101@northwind.example",
            "displayEmail": "host101@northwind.example",
        })
    );
}

#[tokio::test]
async fn only_a_free_rotating_host_can_be_chosen() {
    let service = Service::start().await;
    let id = service
        .event_type_of("talk", Some("roundRobin"), &[HOST, OTHER_HOST], json!({}))
        .await;
    let uid = Made::new(id).store(&service).await;
    Made::new(id).hosts(&[OTHER_HOST]).store(&service).await;
    let personal = service.event_type("own", json!({})).await;
    let own = Made::new(personal)
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
        let answer = act_as(&service, HOST, uid, &action, json!({})).await;
        let message = answer.refused(400, "BadRequestException");
        assert!(message.contains(text), "{user}: {message}");
    }
    service.sql("UPDATE event_type_hosts SET fixed = 1").await;
    let answer = act_as(&service, HOST, &uid, "reassign", json!({})).await;
    let message = answer.refused(400, "BadRequestException");
    assert!(message.contains("fixed"), "{message}");
}
