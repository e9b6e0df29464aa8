//! POST /v2/bookings and GET /v2/bookings/{bookingUid}

use booking_store_engine::sql;
use serde_json::json;

use crate::common::{HOST, OTHER_HOST, Service, booking, redact};
use booking_service::store::Subject;

#[tokio::test]
async fn created_booking_is_returned_by_uid() {
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
    let created = service.post("/v2/bookings", body).await;
    assert_eq!(created.status, 201, "{}", created.text);
    assert_eq!(
        redact(&created.body),
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
    let uid = created.data()["uid"].as_str().unwrap();
    let fetched = service.get(&format!("/v2/bookings/{uid}")).await;
    assert_eq!(fetched.data(), created.data());
    service
        .get("/v2/bookings/unknown")
        .await
        .assert_error(404, "NotFoundException");
}

#[tokio::test]
async fn taken_slot_returns_409_and_stores_nothing() {
    let service = Service::start().await;
    let id = service.event_type("talk", json!({})).await;
    let body = booking(id, "2027-03-02T09:00:00Z");
    assert_eq!(service.post("/v2/bookings", body.clone()).await.status, 201);
    let booking_count = service.count("bookings").await;
    let response = service.post("/v2/bookings", body).await;
    assert!(
        response
            .assert_error(409, "ConflictException")
            .contains("no longer available")
    );
    assert!(response.body["error"]["details"].get("errors").is_none());
    assert_eq!(service.count("bookings").await, booking_count);
}

#[tokio::test]
async fn slot_grid_of_attendee_zone_or_reservation_is_bookable() {
    let service = Service::start().await;
    let id = service
        .event_type("talk", json!({"lengthInMinutes": 60}))
        .await;
    let slots = service
        .get(&format!(
            "/v2/slots?eventTypeId={id}&start=2027-03-02&end=2027-03-02&timeZone=Asia/Kolkata"
        ))
        .await;
    let start = slots.data()["2027-03-02"][0]["start"].as_str().unwrap();
    assert_eq!(start, "2027-03-02T14:00:00.000+05:30");
    // The start is no slot in the time zone of the attendee or of the host.
    let mut body = booking(id, start);
    let rejected = service.post("/v2/bookings", body.clone()).await;
    rejected.assert_error(400, "BadRequestException");
    let reservation = json!({"eventTypeId": id, "slotStart": start});
    let reserved = service.post("/v2/slots/reservations", reservation).await;
    body["reservedSlotUid"] = reserved.data()["reservationUid"].clone();
    let created = service.post("/v2/bookings", body).await;
    assert_eq!(created.data()["start"], "2027-03-02T08:30:00.000Z");
    // A reschedule request has no time zone.
    let uid = created.data()["uid"].as_str().unwrap();
    let rescheduled = service
        .post(
            &format!("/v2/bookings/{uid}/reschedule"),
            json!({"start": "2027-03-02T10:30:00Z"}),
        )
        .await;
    assert_eq!(rescheduled.data()["start"], "2027-03-02T10:30:00.000Z");
    let mut body = booking(id, "2027-03-02T12:30:00Z");
    body["attendee"]["timeZone"] = json!("Asia/Kolkata");
    let created = service.post("/v2/bookings", body).await;
    assert_eq!(created.data()["start"], "2027-03-02T12:30:00.000Z");
}

#[tokio::test]
async fn database_rejects_overlapping_booking_of_host() {
    let service = Service::start().await;
    let id = service.event_type("talk", json!({})).await;
    service
        .post("/v2/bookings", booking(id, "2027-03-02T09:00:00Z"))
        .await
        .data();
    let mut transaction = service.app.store.begin(&[Subject::Rows]).await.unwrap();
    let result = sql::raw_sql(&format!(
        "INSERT INTO bookings (uid, title, status, start_ms, end_ms, created_ms, updated_ms)
         VALUES ('forced', '', 'accepted', 1803978900000, 1803980700000, 0, 0);
         INSERT INTO booking_hosts (booking_id, user_id, start_ms, end_ms, holds)
         SELECT id, {HOST}, start_ms, end_ms, 1 FROM bookings WHERE uid = 'forced'"
    ))
    .execute(&mut transaction)
    .await;
    assert!(booking_service::store::is_host_taken(&result.unwrap_err()));
}

#[tokio::test]
async fn database_rejects_update_to_overlapping_booking() {
    let service = Service::start().await;
    let id = service.event_type("talk", json!({})).await;
    for start in ["2027-03-02T09:00:00Z", "2027-03-02T10:00:00Z"] {
        service
            .post("/v2/bookings", booking(id, start))
            .await
            .data();
    }
    for (minutes, conflicts) in [(45, true), (30, false)] {
        let mut transaction = service.app.store.begin(&[Subject::Rows]).await.unwrap();
        let rescheduled = sql::raw_sql(&format!(
            "UPDATE booking_hosts
             SET start_ms = start_ms - {minutes} * 60000, end_ms = end_ms - {minutes} * 60000
             WHERE user_id = {HOST} AND start_ms = 1803981600000"
        ))
        .execute(&mut transaction)
        .await;
        match rescheduled {
            Ok(result) => assert!(!conflicts && result.rows_affected() == 1, "{minutes}"),
            Err(error) => assert!(conflicts && booking_service::store::is_host_taken(&error)),
        }
    }
}

#[tokio::test]
async fn start_without_slot_returns_400() {
    let service = Service::start().await;
    let id = service
        .event_type(
            "talk",
            json!({"minimumBookingNotice": 120, "bookingWindow": {"type": "calendarDays", "value": 10, "rolling": false}}),
        )
        .await;
    let booking_count = service.count("bookings").await;
    for (start, text) in [
        ("2027-02-26T10:00:00Z", "past"),
        ("2027-03-01T08:00:00Z", "past"),
        ("2027-03-01T09:30:00Z", "notice"),
        ("2027-03-12T10:00:00Z", "window"),
        ("2027-03-02T10:10:00Z", "no slot"),
        ("2027-03-02T17:00:00Z", "no slot"),
        ("2027-03-06T10:00:00Z", "no slot"),
    ] {
        let response = service.post("/v2/bookings", booking(id, start)).await;
        let message = response.assert_error(400, "BadRequestException");
        assert!(message.contains(text), "{start}: {message}");
    }
    assert_eq!(service.count("bookings").await, booking_count);
}

#[tokio::test]
async fn every_returned_slot_can_be_booked() {
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
        let created = service.post("/v2/bookings", body).await;
        assert_eq!(created.status, 201, "{}", created.text);
        booked += 1;
    }
    assert!(booked >= 6, "{booked}");
}

#[tokio::test]
async fn series_uid_returns_all_occurrences() {
    let service = Service::start().await;
    let mut db = service.app.store.read().await.unwrap();
    let uid: String =
        sql::query_scalar("SELECT series_uid FROM bookings WHERE series_uid IS NOT NULL LIMIT 1")
            .fetch_one(&mut db)
            .await
            .unwrap();
    drop(db);
    let response = service.get(&format!("/v2/bookings/{uid}")).await;
    let occurrences = response.data().as_array().unwrap();
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
async fn seats_of_others_are_hidden_except_from_hosts_and_admins() {
    let service = Service::start().await;
    let mut db = service.app.store.read().await.unwrap();
    let uid: String = sql::query_scalar("SELECT uid FROM bookings WHERE seated = 1 LIMIT 1")
        .fetch_one(&mut db)
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
    let as_manager = service.get_as(&target, service.manager()).await;
    let seats = as_manager.data()["attendees"].as_array().unwrap();
    assert!(seats.len() >= 2);
    assert!(seats.iter().all(
        |seat| seat["seatUid"].is_string() && seat["bookingFieldsResponses"]["email"].is_null()
    ));
    assert!(as_manager.data().get("bookingFieldsResponses").is_none());
}

#[tokio::test]
async fn round_robin_prefers_hosts_with_highest_priority() {
    let service = Service::start().await;
    let hosts = [HOST, OTHER_HOST];
    let id = service
        .event_type_of("fair", Some("roundRobin"), &hosts, json!({}))
        .await;
    // Both hosts work at these times.
    let starts = [
        "2027-03-02T14:00:00Z",
        "2027-03-02T14:30:00Z",
        "2027-03-02T15:00:00Z",
    ];
    for (preferred, start) in [
        (OTHER_HOST, starts[0]),
        (OTHER_HOST, starts[1]),
        (HOST, starts[2]),
    ] {
        service
            .sql(&format!(
                "UPDATE event_type_hosts SET priority = CASE user_id WHEN {preferred} THEN 'high' ELSE 'low' END
                 WHERE event_type_id = {id}"
            ))
            .await;
        let created = service.post("/v2/bookings", booking(id, start)).await;
        let host = &created.data()["hosts"][0]["id"];
        assert_eq!(host, preferred, "{start}");
        // The other host gets the second booking of the slot.
        let second = service.post("/v2/bookings", booking(id, start)).await;
        assert_ne!(&second.data()["hosts"][0]["id"], host);
    }
}

#[tokio::test]
async fn control_characters_in_name_return_400() {
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
        let response = service.post("/v2/bookings", body).await;
        response.assert_error(400, "BadRequestException");
        assert_eq!(response.constraints()[0].0, "attendee.name", "{name:?}");
    }
    let mut body = booking(id, "2027-03-02T09:00:00Z");
    body["bookingFieldsResponses"] = json!({"notes": "a\u{0}b"});
    let response = service.post("/v2/bookings", body.clone()).await;
    response.assert_error(400, "BadRequestException");
    body["bookingFieldsResponses"] = json!({"notes": "One line.\r\n\tAnother."});
    service.post("/v2/bookings", body).await.data();
}
