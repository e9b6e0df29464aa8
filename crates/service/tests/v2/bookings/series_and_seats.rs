//! Series, seats and reschedules: POST /v2/bookings and POST /v2/bookings/{bookingUid}/reschedule

use serde_json::{Value, json};

use crate::common::{HOST, Service, booking, is_uuid};

fn booking_by(id: i64, start: &str, email: &str) -> Value {
    let mut body = booking(id, start);
    body["attendee"]["email"] = json!(email);
    body
}

fn starts_of(bookings: &[Value]) -> Vec<&str> {
    bookings
        .iter()
        .map(|one| one["start"].as_str().unwrap())
        .collect()
}

#[tokio::test]
async fn series_keeps_local_time_and_is_created_atomically() {
    let service = Service::start().await;
    let weekly = json!({"recurrence": {"interval": 1, "occurrences": 5, "frequency": "weekly"}});
    let id = service.event_type("weekly", weekly).await;
    let plain = service.event_type("plain", json!({})).await;
    let mut body = booking(id, "2027-03-15T09:00:00Z");
    body["recurrenceCount"] = json!(6);
    let response = service.post("/v2/bookings", body.clone()).await;
    assert!(
        response
            .assert_error(400, "BadRequestException")
            .starts_with("recurrenceCount")
    );
    body["recurrenceCount"] = json!(3);
    let created = service.post("/v2/bookings", body).await;
    let created = created.data();
    let starts = starts_of(created.as_array().unwrap());
    // Rome's clocks go forward on 2027-03-28.
    assert_eq!(
        starts,
        [
            "2027-03-15T09:00:00.000Z",
            "2027-03-22T09:00:00.000Z",
            "2027-03-29T08:00:00.000Z"
        ]
    );
    service
        .post("/v2/bookings", booking(plain, "2027-04-12T08:00:00Z"))
        .await
        .data();
    let stored = service.count("bookings").await;
    service
        .post("/v2/bookings", booking(id, "2027-04-05T08:00:00Z"))
        .await
        .assert_error(409, "ConflictException");
    assert_eq!(service.count("bookings").await, stored);
}

#[tokio::test]
async fn series_leaves_out_and_moves_dates() {
    let service = Service::start().await;
    let weekly = json!({
        "recurrence": {"interval": 1, "occurrences": 4, "frequency": "weekly"},
        // The later meetings are outside.
        "bookingWindow": {"type": "calendarDays", "value": 30, "rolling": false},
    });
    let id = service.event_type("weekly", weekly).await;
    let plain = service.event_type("plain", json!({})).await;
    let first = "2027-03-15T09:00:00Z";
    for taken in ["2027-03-29T08:00:00Z", "2027-04-05T13:00:00Z"] {
        let taken = service.post("/v2/bookings", booking(plain, taken)).await;
        taken.data();
    }
    let query = |count: i64| {
        format!(
            "/v2/slots?eventTypeId={id}&start={first}&end={first}&timeZone=Europe/Rome&recurrenceCount={count}"
        )
    };
    let slots = service.get(&query(4)).await;
    let starts = |date: &str| -> Vec<String> {
        let slots = slots.data()[date].as_array().cloned().unwrap_or_default();
        let text = |slot: &Value| slot["start"].as_str().unwrap()[11..16].to_owned();
        slots.iter().map(text).collect()
    };
    assert_eq!(slots.data().as_object().unwrap().len(), 3, "{}", slots.text);
    for (date, time, is_free) in [
        ("2027-03-22", "10:00", true),
        ("2027-03-29", "10:00", false),
        ("2027-03-29", "11:00", true),
        ("2027-04-05", "10:00", true),
        ("2027-04-05", "15:00", false),
    ] {
        let found = starts(date);
        let found = found.iter().any(|start| start == time);
        assert_eq!(found, is_free, "{date} {time} {}", slots.text);
    }
    service
        .get(&query(5))
        .await
        .assert_error(400, "BadRequestException");
    let of_plain = query(4).replace(&format!("={id}&"), &format!("={plain}&"));
    let message = service.get(&of_plain).await;
    let message = message.assert_error(400, "BadRequestException");
    assert!(message.starts_with("recurrenceCount"), "{message}");

    let stored = service.count("bookings").await;
    let mut body = booking(id, first);
    for (starts, status) in [
        // Without a start; not of the series; not ascending; twice on a day; another first start.
        (json!([]), 400),
        (json!([first, "2027-03-23T09:00:00Z"]), 400),
        (
            json!([first, "2027-04-05T08:00:00Z", "2027-03-22T09:00:00Z"]),
            400,
        ),
        (
            json!([first, "2027-03-22T09:00:00Z", "2027-03-22T10:00:00Z"]),
            400,
        ),
        (json!(["2027-03-22T09:00:00Z"]), 400),
        (json!([first, "soon"]), 400),
        // Taken, not on the slot grid, and outside of the working hours.
        (json!([first, "2027-03-29T08:00:00Z"]), 409),
        (json!([first, "2027-03-22T09:07:00Z"]), 409),
        (json!([first, "2027-03-22T03:00:00Z"]), 409),
    ] {
        body["recurrenceStarts"] = starts.clone();
        let response = service.post("/v2/bookings", body.clone()).await;
        assert_eq!(response.status, status, "{starts} {}", response.text);
    }
    let mut both = body.clone();
    both["recurrenceStarts"] = json!([first]);
    both["recurrenceCount"] = json!(1);
    let message = service.post("/v2/bookings", both).await;
    message.assert_error(400, "BadRequestException");
    let mut of_plain = booking(plain, "2027-03-16T09:00:00Z");
    of_plain["recurrenceStarts"] = json!(["2027-03-16T09:00:00Z"]);
    let message = service.post("/v2/bookings", of_plain).await;
    message.assert_error(400, "BadRequestException");
    assert_eq!(service.count("bookings").await, stored);

    // 22 March is left out, 29 March is moved by an hour.
    let chosen = json!([first, "2027-03-29T09:00:00Z", "2027-04-05T08:00:00Z"]);
    body["recurrenceStarts"] = chosen;
    let created = service.post("/v2/bookings", body).await;
    let created = created.data().as_array().cloned().unwrap();
    let starts = starts_of(&created);
    assert_eq!(
        starts,
        [
            "2027-03-15T09:00:00.000Z",
            "2027-03-29T09:00:00.000Z",
            "2027-04-05T08:00:00.000Z"
        ]
    );
    let uid = &created[0]["recurringBookingUid"];
    assert!(is_uuid(uid.as_str().unwrap_or_default()));
    assert!(created.iter().all(|one| one["recurringBookingUid"] == *uid));
}

#[tokio::test]
async fn seats_are_booked_until_full_and_rescheduled_separately() {
    let service = Service::start().await;
    let id = service
        .event_type(
            "class",
            json!({"seats": {"seatsPerTimeSlot": 2, "showAttendeeInfo": false}}),
        )
        .await;
    let start = "2027-03-02T09:00:00Z";
    let first = service
        .post("/v2/bookings", booking_by(id, start, "a@example.org"))
        .await;
    service
        .post("/v2/bookings", booking_by(id, start, "A@example.org"))
        .await
        .assert_error(409, "ConflictException");
    let second = service
        .post("/v2/bookings", booking_by(id, start, "b@example.org"))
        .await;
    assert_eq!(first.data()["uid"], second.data()["uid"]);
    assert_ne!(first.data()["seatUid"], second.data()["seatUid"]);
    assert_eq!(second.data()["attendees"].as_array().unwrap().len(), 1);
    service
        .post("/v2/bookings", booking_by(id, start, "c@example.org"))
        .await
        .assert_error(409, "ConflictException");
    let target = format!(
        "/v2/bookings/{}/reschedule",
        first.data()["uid"].as_str().unwrap()
    );
    let to = json!({"start": "2027-03-02T10:00:00Z"});
    service
        .post(&target, to.clone())
        .await
        .assert_error(400, "BadRequestException");
    let mut to = to;
    to["seatUid"] = first.data()["seatUid"].clone();
    let moved = service.post(&target, to).await;
    assert_eq!(moved.status, 201, "{}", moved.text);
    assert_ne!(moved.data()["uid"], first.data()["uid"]);
    assert_eq!(moved.data()["seatUid"], first.data()["seatUid"]);
    // Its seat is free again.
    service
        .post("/v2/bookings", booking_by(id, start, "c@example.org"))
        .await
        .data();
}

#[tokio::test]
async fn rescheduled_booking_is_linked_to_its_predecessor() {
    let service = Service::start().await;
    let id = service
        .event_type("asked", json!({"confirmationPolicy": {"type": "always"}}))
        .await;
    let created = service
        .post("/v2/bookings", booking(id, "2027-03-02T09:00:00Z"))
        .await;
    let old = created.data()["uid"].as_str().unwrap().to_owned();
    let host = service.bearer_of(HOST).await;
    service
        .post_as(
            &format!("/v2/bookings/{old}/confirm"),
            host.clone(),
            json!({}),
        )
        .await
        .data();
    let target = format!("/v2/bookings/{old}/reschedule");
    service
        .post(&target, json!({"start": "2027-03-02T09:00:00Z"}))
        .await
        .assert_error(400, "BadRequestException");
    // Its own time counts as free; a reschedule by the host needs no confirmation.
    let moved = service
        .post_as(
            &target,
            host,
            json!({"start": "2027-03-02T09:15:00Z", "reschedulingReason": "Late"}),
        )
        .await;
    assert_eq!(moved.data()["status"], "accepted", "{}", moved.text);
    assert_eq!(moved.data()["rescheduledFromUid"], old);
    assert_eq!(moved.data()["reschedulingReason"], "Late");
    let before = service.get(&format!("/v2/bookings/{old}")).await;
    assert_eq!(before.data()["status"], "cancelled");
    assert_eq!(before.data()["rescheduledToUid"], moved.data()["uid"]);
    let again = service
        .post(&target, json!({"start": "2027-03-02T11:00:00Z"}))
        .await;
    let message = again.assert_error(400, "BadRequestException");
    assert!(
        message.contains(moved.data()["uid"].as_str().unwrap()),
        "{message}"
    );
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn concurrent_bookings_fill_exactly_all_seats() {
    let service = std::sync::Arc::new(Service::start().await);
    let id = service
        .event_type("class", json!({"seats": {"seatsPerTimeSlot": 3}}))
        .await;
    let visitors: Vec<_> = (0..60)
        .map(|number| {
            let service = service.clone();
            tokio::spawn(async move {
                let email = format!("v{number}@example.org");
                service
                    .post(
                        "/v2/bookings",
                        booking_by(id, "2027-03-02T09:00:00Z", &email),
                    )
                    .await
                    .status
            })
        })
        .collect();
    let mut counts = (0, 0);
    for visitor in visitors {
        match visitor.await.unwrap() {
            201 => counts.0 += 1,
            409 => counts.1 += 1,
            other => panic!("{other}"),
        }
    }
    assert_eq!(counts, (3, 57));
}

async fn reschedule(service: &Service, uid: &Value, caller: Option<i64>, body: Value) -> Value {
    let target = format!("/v2/bookings/{}/reschedule", uid.as_str().unwrap());
    let response = match caller {
        Some(id) => {
            let bearer = service.bearer_of(id).await;
            service.post_as(&target, bearer, body).await
        }
        None => service.post(&target, body).await,
    };
    assert_eq!(response.status, 201, "{}", response.text);
    response.data().clone()
}

/// Visible attendees: local parts of their email addresses, or names if there is none.
fn attendee_names(booking: &Value) -> Vec<&str> {
    let attendees = booking["attendees"].as_array().unwrap();
    attendees
        .iter()
        .map(|it| match it["email"].as_str() {
            Some(email) if !email.is_empty() => email.strip_suffix("@example.org").unwrap(),
            _ => it["name"].as_str().unwrap(),
        })
        .collect()
}

#[tokio::test]
async fn response_to_create_or_reschedule_has_same_visibility_as_read() {
    let service = Service::start().await;
    for (slug, settings, visible, moves_to) in [
        (
            "closed",
            json!({"seatsPerTimeSlot": 3}),
            &["bo"][..],
            "10:00",
        ),
        (
            "open",
            json!({"seatsPerTimeSlot": 3, "showAttendeeInfo": true}),
            &["bo", "Zoë Łukasik"],
            "13:00",
        ),
    ] {
        let settings = json!({"seats": settings, "hideOrganizerEmail": true});
        let id = service.event_type(slug, settings).await;
        let start = if slug == "closed" { "09:00" } else { "12:00" };
        let start = format!("2027-03-02T{start}:00Z");
        let ana = service
            .post("/v2/bookings", booking_by(id, &start, "ana@example.org"))
            .await;
        let bo = service
            .post("/v2/bookings", booking_by(id, &start, "bo@example.org"))
            .await;
        assert_eq!(attendee_names(ana.data()), ["ana"]);
        assert_eq!(
            attendee_names(bo.data()),
            visible,
            "one's own seat comes first"
        );
        assert_eq!(bo.data()["attendees"][0]["seatUid"], bo.data()["seatUid"]);
        let to = |seat: &Value| {
            let start = format!("2027-03-02T{moves_to}:00Z");
            json!({"start": start, "seatUid": seat})
        };
        let uid = &ana.data()["uid"];
        let first = reschedule(&service, uid, None, to(&ana.data()["seatUid"])).await;
        let second = reschedule(&service, uid, None, to(&bo.data()["seatUid"])).await;
        assert_eq!(attendee_names(&first), ["ana"]);
        assert_eq!(attendee_names(&second), visible);
        assert_eq!(second["uid"], first["uid"]);
        assert_eq!(second["seatUid"], bo.data()["seatUid"]);
        for response in [ana.data(), bo.data(), &first, &second] {
            assert_eq!(response["hosts"][0]["email"], "");
            assert_eq!(response["hosts"][0]["displayEmail"], "");
        }
        // Hosts see all attendees.
        let body = json!({"start": format!("2027-03-03T{moves_to}:00Z")});
        let full = reschedule(&service, &first["uid"], Some(HOST), body).await;
        assert_eq!(attendee_names(&full), ["ana", "bo"]);
        assert_eq!(full["hosts"][0]["email"], "host100@northwind.example");
        assert_eq!(full["seatUid"], Value::Null);
        let by_seat = format!(
            "/v2/bookings/by-seat/{}",
            second["seatUid"].as_str().unwrap()
        );
        assert_eq!(service.get(&by_seat).await.data()["uid"], full["uid"]);
    }
}

#[tokio::test]
async fn reschedule_of_last_seat_cancels_the_booking() {
    let service = Service::start().await;
    let id = service
        .event_type("class", json!({"seats": {"seatsPerTimeSlot": 2}}))
        .await;
    let start = "2027-03-02T09:00:00Z";
    let ana = service
        .post("/v2/bookings", booking_by(id, start, "ana@example.org"))
        .await;
    let bo = service
        .post("/v2/bookings", booking_by(id, start, "bo@example.org"))
        .await;
    let uid = &ana.data()["uid"];
    let to = |start: &str, seat: &Value| json!({"start": start, "seatUid": seat});
    let read = async |uid: &Value| {
        let target = format!("/v2/bookings/{}", uid.as_str().unwrap());
        service
            .get_as(&target, service.bearer_of(HOST).await)
            .await
            .data()
            .clone()
    };
    let seat = &ana.data()["seatUid"];
    let first = reschedule(&service, uid, None, to("2027-03-02T10:00:00Z", seat)).await;
    assert_eq!(first["rescheduledFromUid"], Value::Null);
    let remaining = read(uid).await;
    assert_eq!(remaining["status"], "accepted");
    assert_eq!(remaining["rescheduledToUid"], Value::Null);
    assert_eq!(attendee_names(&remaining), ["bo"]);
    // Bo joins Ana, so the first booking is empty.
    let seat = &bo.data()["seatUid"];
    let second = reschedule(&service, uid, None, to("2027-03-02T10:00:00Z", seat)).await;
    assert_eq!(second["uid"], first["uid"]);
    let remaining = read(uid).await;
    assert_eq!(remaining["status"], "cancelled");
    assert_eq!(remaining["rescheduledToUid"], second["uid"]);
    assert_eq!(attendee_names(&read(&second["uid"]).await), ["ana", "bo"]);
    // Moved and unknown seats cannot be rescheduled.
    for seat in [seat, &json!("nothing")] {
        let target = format!("/v2/bookings/{}/reschedule", uid.as_str().unwrap());
        service
            .post(&target, to("2027-03-02T12:00:00Z", seat))
            .await
            .assert_error(400, "BadRequestException");
    }
    // The only seat of a booking moves the booking.
    let third = reschedule(
        &service,
        &first["uid"],
        None,
        to(start, &ana.data()["seatUid"]),
    )
    .await;
    let fourth = reschedule(
        &service,
        &third["uid"],
        None,
        to("2027-03-02T14:00:00Z", &ana.data()["seatUid"]),
    )
    .await;
    assert_eq!(fourth["rescheduledFromUid"], third["uid"]);
    assert_eq!(read(&third["uid"]).await["rescheduledToUid"], fourth["uid"]);
}

#[tokio::test]
async fn series_with_seats_is_shared_per_occurrence() {
    let service = Service::start().await;
    let id = service
        .event_type(
            "course",
            json!({
                "recurrence": {"interval": 1, "occurrences": 3, "frequency": "weekly"},
                "seats": {"seatsPerTimeSlot": 2},
            }),
        )
        .await;
    let start = "2027-03-02T09:00:00Z";
    let book = async |email: &str, start: &str| {
        service
            .post("/v2/bookings", booking_by(id, start, email))
            .await
    };
    let ana = book("ana@example.org", start).await.data().clone();
    let bo = book("bo@example.org", start).await.data().clone();
    let series = &ana[0]["recurringBookingUid"];
    assert!(series.as_str().is_some_and(is_uuid), "{series}");
    for index in 0..3 {
        assert_eq!(ana[index]["uid"], bo[index]["uid"]);
        assert_eq!(&bo[index]["recurringBookingUid"], series);
        assert_ne!(ana[index]["seatUid"], bo[index]["seatUid"]);
        assert_eq!(attendee_names(&bo[index]), ["bo"]);
    }
    // One full occurrence rejects the whole series.
    let stored = service.count("attendees").await;
    for start in [start, "2027-02-23T09:00:00Z", "2027-03-16T09:00:00Z"] {
        let response = book("cy@example.org", start).await;
        assert_ne!(response.status, 201, "{start}");
    }
    assert_eq!(service.count("attendees").await, stored);
    // One seat of one occurrence moves; everything else stays.
    let body = json!({"start": "2027-03-10T09:00:00Z", "seatUid": bo[1]["seatUid"]});
    let one = reschedule(&service, &bo[1]["uid"], None, body).await;
    assert_eq!(&one["recurringBookingUid"], series);
    assert_eq!(one["seatUid"], bo[1]["seatUid"]);
    assert_ne!(one["uid"], bo[1]["uid"]);
    let target = format!("/v2/bookings/{}", series.as_str().unwrap());
    let all = service.get_as(&target, service.bearer_of(HOST).await).await;
    let occurrences: Vec<(&str, Vec<&str>)> = all
        .data()
        .as_array()
        .unwrap()
        .iter()
        .map(|it| (&it["start"].as_str().unwrap()[5..10], attendee_names(it)))
        .collect();
    assert_eq!(
        occurrences,
        [
            ("03-02", vec!["ana", "bo"]),
            ("03-09", vec!["ana"]),
            ("03-10", vec!["bo"]),
            ("03-16", vec!["ana", "bo"]),
        ]
    );
}

#[tokio::test]
async fn running_meeting_has_no_more_seats_than_its_event_type_now() {
    let service = Service::start().await;
    let seats = json!({"seats": {"seatsPerTimeSlot": 3, "showAvailabilityCount": true, "showAttendeeInfo": false}});
    let id = service.event_type("class", seats).await;
    let take = async |number: u8, status: u16| {
        let mut body = booking(id, "2027-03-02T10:00:00Z");
        body["attendee"]["email"] = json!(format!("visitor{number}@example.org"));
        let response = service.post("/v2/bookings", body).await;
        assert_eq!(response.status, status, "{number}: {}", response.text);
    };
    let set_seats = async |seats: u8| {
        service
            .sql(&format!(
                "UPDATE event_types SET settings = json_set(settings, '$.seats.seatsPerTimeSlot', json('{seats}')) WHERE id = {id}"
            ))
            .await;
    };
    take(1, 201).await;
    take(2, 201).await;
    set_seats(1).await;
    take(3, 409).await;
    // Both keep their seats, and the third is back with the number.
    set_seats(3).await;
    take(3, 201).await;
    set_seats(9).await;
    take(4, 409).await;
}

#[tokio::test]
async fn booking_with_seats_cannot_move_onto_another_booking() {
    let service = Service::start().await;
    let id = service
        .event_type("class", json!({"seats": {"seatsPerTimeSlot": 3}}))
        .await;
    let other = "2027-03-02T10:00:00Z";
    let ana = service
        .post(
            "/v2/bookings",
            booking_by(id, "2027-03-02T09:00:00Z", "ana@example.org"),
        )
        .await;
    let bo = service
        .post("/v2/bookings", booking_by(id, other, "bo@example.org"))
        .await;
    let uid = ana.data()["uid"].as_str().unwrap();
    let target = format!("/v2/bookings/{uid}/reschedule");
    let bearer = service.bearer_of(HOST).await;
    let body = json!({"start": other});
    let response = service.post_as(&target, bearer.clone(), body).await;
    response.assert_error(409, "ConflictException");
    for booking in [ana.data(), bo.data()] {
        let target = format!("/v2/bookings/{}", booking["uid"].as_str().unwrap());
        let found = service.get_as(&target, bearer.clone()).await;
        assert_eq!(found.data()["status"], "accepted");
        assert_eq!(attendee_names(found.data()), attendee_names(booking));
    }
}
