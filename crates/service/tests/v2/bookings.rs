//! POST /v2/bookings and GET /v2/bookings/{bookingUid}

use serde_json::json;

use crate::common::{HOST, OTHER_HOST, Service, booking, redact};

#[tokio::test]
async fn a_visitor_books_a_slot_and_reads_it_back_by_its_uid() {
    let service = Service::start().await;
    let id = service
        .event_type(
            "talk",
            json!({"locations": [{"type": "integration", "integration": "svc-video"}]}),
        )
        .await;
    let mut body = booking(id, "2027-03-02T09:00:00+01:00");
    body["attendee"]["phoneNumber"] = json!("+390612345678");
    body["attendee"]["language"] = json!("it");
    body["guests"] = json!(["ana@example.org", "ANA@example.org"]);
    body["metadata"] = json!({"campaign": "spring", "visits": 3});
    body["bookingFieldsResponses"] = json!({"notes": "Bring the plan"});
    let made = service.post("/v2/bookings", body).await;
    assert_eq!(made.status, 201, "{}", made.text);
    assert_eq!(
        redact(&made.body),
        json!({"status": "success", "data": {
            "id": "[id]",
            "uid": "[uid]",
            "title": "Talk between Host 100 and Zoë Łukasik",
            "description": "Bring the plan",
            "hosts": [{
                "id": "[id]",
                "name": "Host 100",
                "email": "host100@northwind.example",
                "displayEmail": "host100@northwind.example",
                "username": "host100",
                "timeZone": "Europe/Berlin",
            }],
            "status": "accepted",
            "start": "2027-03-02T08:00:00.000Z",
            "end": "2027-03-02T08:30:00.000Z",
            "duration": 30,
            "eventTypeId": "[eventTypeId]",
            "eventType": {"id": "[id]", "slug": "talk"},
            "location": "integrations:svc-video",
            "absentHost": false,
            "createdAt": "[createdAt]",
            "updatedAt": "[updatedAt]",
            "attendees": [{
                "name": "Zoë Łukasik",
                "email": "zoe@example.org",
                "displayEmail": "zoe@example.org",
                "timeZone": "Europe/Rome",
                "absent": false,
                "language": "it",
                "phoneNumber": "+390612345678",
            }],
            "bookingFieldsResponses": {
                "name": "Zoë Łukasik",
                "email": "zoe@example.org",
                "attendeePhoneNumber": "+390612345678",
                "guests": ["ana@example.org"],
                "location": {"type": "integration", "integration": "svc-video"},
                "notes": "Bring the plan",
            },
            "guests": ["ana@example.org"],
            "metadata": {"campaign": "spring", "visits": 3},
            "icsUid": "[icsUid]",
        }})
    );
    let uid = made.data()["uid"].as_str().unwrap();
    let read = service.get(&format!("/v2/bookings/{uid}")).await;
    assert_eq!(read.data(), made.data());
    service
        .get("/v2/bookings/unknown")
        .await
        .refused(404, "NotFoundException");
}

#[tokio::test]
async fn a_time_that_is_taken_is_a_conflict_and_stores_nothing() {
    let service = Service::start().await;
    let id = service.event_type("talk", json!({})).await;
    let body = booking(id, "2027-03-02T09:00:00Z");
    assert_eq!(service.post("/v2/bookings", body.clone()).await.status, 201);
    let stored = service.count("bookings").await;
    let answer = service.post("/v2/bookings", body).await;
    assert!(
        answer
            .refused(409, "ConflictException")
            .contains("no longer available")
    );
    assert!(answer.body["error"]["details"].get("errors").is_none());
    assert_eq!(service.count("bookings").await, stored);
}

#[tokio::test]
async fn a_slot_is_booked_in_the_zone_it_is_offered_in() {
    let service = Service::start().await;
    let id = service
        .event_type("talk", json!({"lengthInMinutes": 60}))
        .await;
    let shown = service
        .get(&format!(
            "/v2/slots?eventTypeId={id}&start=2027-03-02&end=2027-03-02&timeZone=Asia/Kolkata"
        ))
        .await;
    let start = shown.data()["2027-03-02"][0]["start"].as_str().unwrap();
    assert_eq!(start, "2027-03-02T14:00:00.000+05:30");
    // It was never offered in the attendee's own zone, nor in the host's.
    let mut body = booking(id, start);
    let refused = service.post("/v2/bookings", body.clone()).await;
    refused.refused(400, "BadRequestException");
    let reservation = json!({"eventTypeId": id, "slotStart": start});
    let reserved = service.post("/v2/slots/reservations", reservation).await;
    body["reservedSlotUid"] = reserved.data()["reservationUid"].clone();
    let made = service.post("/v2/bookings", body).await;
    assert_eq!(made.data()["start"], "2027-03-02T08:30:00.000Z");
    // Who moves a booking names no zone.
    let uid = made.data()["uid"].as_str().unwrap();
    let moved = service
        .post(
            &format!("/v2/bookings/{uid}/reschedule"),
            json!({"start": "2027-03-02T10:30:00Z"}),
        )
        .await;
    assert_eq!(moved.data()["start"], "2027-03-02T10:30:00.000Z");
    let mut body = booking(id, "2027-03-02T12:30:00Z");
    body["attendee"]["timeZone"] = json!("Asia/Kolkata");
    let made = service.post("/v2/bookings", body).await;
    assert_eq!(made.data()["start"], "2027-03-02T12:30:00.000Z");
}

#[tokio::test]
async fn the_database_itself_refuses_to_give_a_host_two_bookings_at_once() {
    let service = Service::start().await;
    let id = service.event_type("talk", json!({})).await;
    service
        .post("/v2/bookings", booking(id, "2027-03-02T09:00:00Z"))
        .await
        .data();
    let mut transaction = service.app.store.begin().await.unwrap();
    let forced = sqlx::raw_sql(&format!(
        "INSERT INTO bookings (uid, title, status, start_ms, end_ms, created_ms, updated_ms)
         VALUES ('forced', '', 'accepted', 1803978900000, 1803980700000, 0, 0);
         INSERT INTO booking_hosts (booking_id, user_id, start_ms, end_ms, holds)
         SELECT id, {HOST}, start_ms, end_ms, 1 FROM bookings WHERE uid = 'forced'"
    ))
    .execute(&mut *transaction)
    .await;
    assert!(booking_service::store::is_host_taken(&forced.unwrap_err()));
}

#[tokio::test]
async fn the_database_itself_refuses_to_move_a_booking_onto_another() {
    let service = Service::start().await;
    let id = service.event_type("talk", json!({})).await;
    for start in ["2027-03-02T09:00:00Z", "2027-03-02T10:00:00Z"] {
        service
            .post("/v2/bookings", booking(id, start))
            .await
            .data();
    }
    let mut transaction = service.app.store.begin().await.unwrap();
    for (minutes, taken) in [(45, true), (30, false)] {
        let moved = sqlx::raw_sql(&format!(
            "UPDATE booking_hosts
             SET start_ms = start_ms - {minutes} * 60000, end_ms = end_ms - {minutes} * 60000
             WHERE user_id = {HOST} AND start_ms = 1803981600000"
        ))
        .execute(&mut *transaction)
        .await;
        match moved {
            Ok(done) => assert!(!taken && done.rows_affected() == 1, "{minutes}"),
            Err(error) => assert!(taken && booking_service::store::is_host_taken(&error)),
        }
    }
}

#[tokio::test]
async fn a_start_that_is_no_slot_is_a_bad_request() {
    let service = Service::start().await;
    let id = service
        .event_type(
            "talk",
            json!({"minimumBookingNotice": 120, "bookingWindow": {"type": "calendarDays", "value": 10, "rolling": false}}),
        )
        .await;
    let stored = service.count("bookings").await;
    for (start, text) in [
        ("2027-02-26T10:00:00Z", "past"),
        ("2027-03-01T08:00:00Z", "past"),
        ("2027-03-01T09:30:00Z", "notice"),
        ("2027-03-12T10:00:00Z", "window"),
        ("2027-03-02T10:10:00Z", "no slot"),
        ("2027-03-02T17:00:00Z", "no slot"),
        ("2027-03-06T10:00:00Z", "no slot"),
    ] {
        let answer = service.post("/v2/bookings", booking(id, start)).await;
        let message = answer.refused(400, "BadRequestException");
        assert!(message.contains(text), "{start}: {message}");
    }
    assert_eq!(service.count("bookings").await, stored);
}

#[tokio::test]
async fn every_offered_slot_can_be_booked() {
    let service = Service::start().await;
    let id = service
        .event_type("talk", json!({"lengthInMinutes": 45, "offsetStart": 5, "beforeEventBuffer": 10, "afterEventBuffer": 5}))
        .await;
    let mut booked = 0;
    loop {
        let query = format!(
            "/v2/slots?eventTypeId={id}&start=2027-03-02&end=2027-03-02&timeZone=Asia/Kathmandu"
        );
        let slots = service.get(&query).await;
        let Some(day) = slots.data().as_object().unwrap().values().next() else {
            break;
        };
        let mut body = booking(id, day[0]["start"].as_str().unwrap());
        body["attendee"]["timeZone"] = json!("Asia/Kathmandu");
        let made = service.post("/v2/bookings", body).await;
        assert_eq!(made.status, 201, "{}", made.text);
        booked += 1;
    }
    assert!(booked >= 6, "{booked}");
}

#[tokio::test]
async fn the_uid_of_a_series_gives_all_its_occurrences() {
    let service = Service::start().await;
    let mut db = service.app.store.read().await.unwrap();
    let uid: String =
        sqlx::query_scalar("SELECT series_uid FROM bookings WHERE series_uid IS NOT NULL LIMIT 1")
            .fetch_one(&mut *db)
            .await
            .unwrap();
    drop(db);
    let answer = service.get(&format!("/v2/bookings/{uid}")).await;
    let occurrences = answer.data().as_array().unwrap();
    assert!(occurrences.len() >= 5);
    assert!(
        occurrences
            .iter()
            .all(|occurrence| occurrence["recurringBookingUid"] == json!(uid))
    );
    assert!(
        occurrences
            .windows(2)
            .all(|pair| pair[0]["start"].as_str() < pair[1]["start"].as_str())
    );
    let first = occurrences[0]["uid"].as_str().unwrap();
    assert_eq!(
        service.get(&format!("/v2/bookings/{first}")).await.data(),
        &occurrences[0]
    );
}

#[tokio::test]
async fn other_peoples_seats_are_concealed_from_all_but_those_who_host_or_run_them() {
    let service = Service::start().await;
    let mut db = service.app.store.read().await.unwrap();
    let uid: String = sqlx::query_scalar("SELECT uid FROM bookings WHERE seated = 1 LIMIT 1")
        .fetch_one(&mut *db)
        .await
        .unwrap();
    drop(db);
    let target = format!("/v2/bookings/{uid}");
    let anonymous = service.get(&target).await;
    assert_eq!(anonymous.data()["attendees"], json!([]));
    let stranger = service
        .get_as(&target, service.bearer_of(OTHER_HOST).await)
        .await;
    assert_eq!(stranger.data()["attendees"], json!([]));
    let known = service.get_as(&target, service.manager()).await;
    let seats = known.data()["attendees"].as_array().unwrap();
    assert!(seats.len() >= 2);
    assert!(seats.iter().all(
        |seat| seat["seatUid"].is_string() && seat["bookingFieldsResponses"]["email"].is_null()
    ));
    assert!(known.data().get("bookingFieldsResponses").is_none());
}

#[tokio::test]
async fn round_robin_asks_the_hosts_with_the_highest_priority_first() {
    let service = Service::start().await;
    let hosts = [HOST, OTHER_HOST];
    let id = service
        .event_type_of("fair", Some("roundRobin"), &hosts, json!({}))
        .await;
    // Both of them work at these times, and the favourite takes all that they can.
    let starts = [
        "2027-03-02T14:00:00Z",
        "2027-03-02T14:30:00Z",
        "2027-03-02T15:00:00Z",
    ];
    for (favourite, start) in [
        (OTHER_HOST, starts[0]),
        (OTHER_HOST, starts[1]),
        (HOST, starts[2]),
    ] {
        service
            .sql(&format!(
                "UPDATE event_type_hosts SET priority = CASE user_id WHEN {favourite} THEN 'high' ELSE 'low' END
                 WHERE event_type_id = {id}"
            ))
            .await;
        let made = service.post("/v2/bookings", booking(id, start)).await;
        let host = &made.data()["hosts"][0]["id"];
        assert_eq!(host, favourite, "{start}");
        // Whoever is left takes the time that the favourite has no more.
        let second = service.post("/v2/bookings", booking(id, start)).await;
        assert_ne!(&second.data()["hosts"][0]["id"], host);
    }
}

#[tokio::test]
async fn names_have_no_control_characters() {
    let service = Service::start().await;
    let id = service.event_type("talk", json!({})).await;
    for name in [
        "Zoë\u{0}",
        "Zoë\r\nBcc: all@example.org",
        "\u{7f}Zoë",
        "Zo\u{2028}ë",
    ] {
        let mut body = booking(id, "2027-03-02T09:00:00Z");
        body["attendee"]["name"] = json!(name);
        let answer = service.post("/v2/bookings", body).await;
        answer.refused(400, "BadRequestException");
        assert_eq!(answer.constraints()[0].0, "attendee.name", "{name:?}");
    }
    let mut body = booking(id, "2027-03-02T09:00:00Z");
    body["bookingFieldsResponses"] = json!({"notes": "a\u{0}b"});
    let answer = service.post("/v2/bookings", body.clone()).await;
    answer.refused(400, "BadRequestException");
    body["bookingFieldsResponses"] = json!({"notes": "One line.\r\n\tAnother."});
    service.post("/v2/bookings", body).await.data();
}
