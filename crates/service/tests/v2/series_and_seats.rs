//! Series, shared bookings and moves: POST /v2/bookings and POST /v2/bookings/{bookingUid}/reschedule

use serde_json::{Value, json};

use crate::common::{HOST, Service, booking, is_uuid};

fn by(id: i64, start: &str, email: &str) -> Value {
    let mut body = booking(id, start);
    body["attendee"]["email"] = json!(email);
    body
}

#[tokio::test]
async fn a_series_keeps_its_wall_time_and_is_made_whole_or_not_at_all() {
    let service = Service::start().await;
    let weekly = json!({"recurrence": {"interval": 1, "occurrences": 5, "frequency": "weekly"}});
    let id = service.event_type("weekly", weekly).await;
    let plain = service.event_type("plain", json!({})).await;
    let mut body = booking(id, "2027-03-15T09:00:00Z");
    body["recurrenceCount"] = json!(6);
    let answer = service.post("/v2/bookings", body.clone()).await;
    assert!(
        answer
            .refused(400, "BadRequestException")
            .starts_with("recurrenceCount")
    );
    body["recurrenceCount"] = json!(3);
    let made = service.post("/v2/bookings", body).await;
    let starts: Vec<&str> = made
        .data()
        .as_array()
        .unwrap()
        .iter()
        .map(|one| one["start"].as_str().unwrap())
        .collect();
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
        .refused(409, "ConflictException");
    assert_eq!(service.count("bookings").await, stored);
}

#[tokio::test]
async fn visitors_share_a_booking_until_its_seats_are_taken_and_move_their_own() {
    let service = Service::start().await;
    let id = service
        .event_type(
            "class",
            json!({"seats": {"seatsPerTimeSlot": 2, "showAttendeeInfo": false}}),
        )
        .await;
    let start = "2027-03-02T09:00:00Z";
    let first = service
        .post("/v2/bookings", by(id, start, "a@example.org"))
        .await;
    service
        .post("/v2/bookings", by(id, start, "A@example.org"))
        .await
        .refused(409, "ConflictException");
    let second = service
        .post("/v2/bookings", by(id, start, "b@example.org"))
        .await;
    assert_eq!(first.data()["uid"], second.data()["uid"]);
    assert_ne!(first.data()["seatUid"], second.data()["seatUid"]);
    assert_eq!(second.data()["attendees"].as_array().unwrap().len(), 1);
    service
        .post("/v2/bookings", by(id, start, "c@example.org"))
        .await
        .refused(409, "ConflictException");
    let target = format!(
        "/v2/bookings/{}/reschedule",
        first.data()["uid"].as_str().unwrap()
    );
    let to = json!({"start": "2027-03-02T10:00:00Z"});
    service
        .post(&target, to.clone())
        .await
        .refused(400, "BadRequestException");
    let mut to = to;
    to["seatUid"] = first.data()["seatUid"].clone();
    let moved = service.post(&target, to).await;
    assert_eq!(moved.status, 201, "{}", moved.text);
    assert_ne!(moved.data()["uid"], first.data()["uid"]);
    assert_eq!(moved.data()["seatUid"], first.data()["seatUid"]);
    // Its seat is free again.
    service
        .post("/v2/bookings", by(id, start, "c@example.org"))
        .await
        .data();
}

#[tokio::test]
async fn a_moved_booking_names_what_it_replaces_and_is_named_by_it() {
    let service = Service::start().await;
    let id = service
        .event_type("asked", json!({"confirmationPolicy": {"type": "always"}}))
        .await;
    let made = service
        .post("/v2/bookings", booking(id, "2027-03-02T09:00:00Z"))
        .await;
    let old = made.data()["uid"].as_str().unwrap().to_owned();
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
        .refused(400, "BadRequestException");
    // Its own time counts as free; the host has agreed by moving it.
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
    let message = again.refused(400, "BadRequestException");
    assert!(
        message.contains(moved.data()["uid"].as_str().unwrap()),
        "{message}"
    );
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn of_many_who_race_for_seats_as_many_get_one_as_there_are() {
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
                    .post("/v2/bookings", by(id, "2027-03-02T09:00:00Z", &email))
                    .await
                    .status
            })
        })
        .collect();
    let mut got = (0, 0);
    for visitor in visitors {
        match visitor.await.unwrap() {
            201 => got.0 += 1,
            409 => got.1 += 1,
            other => panic!("{other}"),
        }
    }
    assert_eq!(got, (3, 57));
}

async fn moved(service: &Service, uid: &Value, caller: Option<i64>, body: Value) -> Value {
    let target = format!("/v2/bookings/{}/reschedule", uid.as_str().unwrap());
    let answer = match caller {
        Some(id) => {
            let bearer = service.bearer_of(id).await;
            service.post_as(&target, bearer, body).await
        }
        None => service.post(&target, body).await,
    };
    assert_eq!(answer.status, 201, "{}", answer.text);
    answer.data().clone()
}

/// Those who are shown: local parts of their addresses, or the names of those without one.
fn people(booking: &Value) -> Vec<&str> {
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
async fn whoever_makes_or_moves_a_booking_sees_what_its_readers_see() {
    let service = Service::start().await;
    for (slug, settings, seen, moves_to) in [
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
            .post("/v2/bookings", by(id, &start, "ana@example.org"))
            .await;
        let bo = service
            .post("/v2/bookings", by(id, &start, "bo@example.org"))
            .await;
        assert_eq!(people(ana.data()), ["ana"]);
        assert_eq!(people(bo.data()), seen, "one's own seat comes first");
        assert_eq!(bo.data()["attendees"][0]["seatUid"], bo.data()["seatUid"]);
        let to = |seat: &Value| {
            let start = format!("2027-03-02T{moves_to}:00Z");
            json!({"start": start, "seatUid": seat})
        };
        let uid = &ana.data()["uid"];
        let first = moved(&service, uid, None, to(&ana.data()["seatUid"])).await;
        let second = moved(&service, uid, None, to(&bo.data()["seatUid"])).await;
        assert_eq!(people(&first), ["ana"]);
        assert_eq!(people(&second), seen);
        assert_eq!(second["uid"], first["uid"]);
        assert_eq!(second["seatUid"], bo.data()["seatUid"]);
        for answer in [ana.data(), bo.data(), &first, &second] {
            assert_eq!(answer["hosts"][0]["email"], "");
            assert_eq!(answer["hosts"][0]["displayEmail"], "");
        }
        // Those who host it see everybody.
        let body = json!({"start": format!("2027-03-03T{moves_to}:00Z")});
        let whole = moved(&service, &first["uid"], Some(HOST), body).await;
        assert_eq!(people(&whole), ["ana", "bo"]);
        assert_eq!(whole["hosts"][0]["email"], "host100@northwind.example");
        assert_eq!(whole["seatUid"], Value::Null);
        let by_seat = format!(
            "/v2/bookings/by-seat/{}",
            second["seatUid"].as_str().unwrap()
        );
        assert_eq!(service.get(&by_seat).await.data()["uid"], whole["uid"]);
    }
}

#[tokio::test]
async fn the_last_seat_that_is_moved_takes_the_booking_with_it() {
    let service = Service::start().await;
    let id = service
        .event_type("class", json!({"seats": {"seatsPerTimeSlot": 2}}))
        .await;
    let start = "2027-03-02T09:00:00Z";
    let ana = service
        .post("/v2/bookings", by(id, start, "ana@example.org"))
        .await;
    let bo = service
        .post("/v2/bookings", by(id, start, "bo@example.org"))
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
    let first = moved(&service, uid, None, to("2027-03-02T10:00:00Z", seat)).await;
    assert_eq!(first["rescheduledFromUid"], Value::Null);
    let left = read(uid).await;
    assert_eq!(left["status"], "accepted");
    assert_eq!(left["rescheduledToUid"], Value::Null);
    assert_eq!(people(&left), ["bo"]);
    // Bo joins Ana, so nothing is left of the first one.
    let seat = &bo.data()["seatUid"];
    let second = moved(&service, uid, None, to("2027-03-02T10:00:00Z", seat)).await;
    assert_eq!(second["uid"], first["uid"]);
    let left = read(uid).await;
    assert_eq!(left["status"], "cancelled");
    assert_eq!(left["rescheduledToUid"], second["uid"]);
    assert_eq!(people(&read(&second["uid"]).await), ["ana", "bo"]);
    // A seat moves but once, and no seat that is not there.
    for seat in [seat, &json!("nothing")] {
        let target = format!("/v2/bookings/{}/reschedule", uid.as_str().unwrap());
        service
            .post(&target, to("2027-03-02T12:00:00Z", seat))
            .await
            .refused(400, "BadRequestException");
    }
    // Alone in a booking, one takes it along.
    let third = moved(
        &service,
        &first["uid"],
        None,
        to(start, &ana.data()["seatUid"]),
    )
    .await;
    let fourth = moved(
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
async fn a_series_with_seats_is_shared_occurrence_by_occurrence() {
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
    let book =
        async |email: &str, start: &str| service.post("/v2/bookings", by(id, start, email)).await;
    let ana = book("ana@example.org", start).await.data().clone();
    let bo = book("bo@example.org", start).await.data().clone();
    let series = &ana[0]["recurringBookingUid"];
    assert!(series.as_str().is_some_and(is_uuid), "{series}");
    for place in 0..3 {
        assert_eq!(ana[place]["uid"], bo[place]["uid"]);
        assert_eq!(&bo[place]["recurringBookingUid"], series);
        assert_ne!(ana[place]["seatUid"], bo[place]["seatUid"]);
        assert_eq!(people(&bo[place]), ["bo"]);
    }
    // One full occurrence is enough to refuse the whole series.
    let stored = service.count("attendees").await;
    for start in [start, "2027-02-23T09:00:00Z", "2027-03-16T09:00:00Z"] {
        let answer = book("cy@example.org", start).await;
        assert_ne!(answer.status, 201, "{start}");
    }
    assert_eq!(service.count("attendees").await, stored);
    // One seat of one occurrence moves; everything else stays.
    let body = json!({"start": "2027-03-10T09:00:00Z", "seatUid": bo[1]["seatUid"]});
    let one = moved(&service, &bo[1]["uid"], None, body).await;
    assert_eq!(&one["recurringBookingUid"], series);
    assert_eq!(one["seatUid"], bo[1]["seatUid"]);
    assert_ne!(one["uid"], bo[1]["uid"]);
    let target = format!("/v2/bookings/{}", series.as_str().unwrap());
    let all = service.get_as(&target, service.bearer_of(HOST).await).await;
    let standing: Vec<(&str, Vec<&str>)> = all
        .data()
        .as_array()
        .unwrap()
        .iter()
        .map(|it| (&it["start"].as_str().unwrap()[5..10], people(it)))
        .collect();
    assert_eq!(
        standing,
        [
            ("03-02", vec!["ana", "bo"]),
            ("03-09", vec!["ana"]),
            ("03-10", vec!["bo"]),
            ("03-16", vec!["ana", "bo"]),
        ]
    );
}

#[tokio::test]
async fn a_shared_booking_is_not_moved_as_a_whole_onto_another_one() {
    let service = Service::start().await;
    let id = service
        .event_type("class", json!({"seats": {"seatsPerTimeSlot": 3}}))
        .await;
    let other = "2027-03-02T10:00:00Z";
    let ana = service
        .post(
            "/v2/bookings",
            by(id, "2027-03-02T09:00:00Z", "ana@example.org"),
        )
        .await;
    let bo = service
        .post("/v2/bookings", by(id, other, "bo@example.org"))
        .await;
    let uid = ana.data()["uid"].as_str().unwrap();
    let target = format!("/v2/bookings/{uid}/reschedule");
    let bearer = service.bearer_of(HOST).await;
    let body = json!({"start": other});
    let answer = service.post_as(&target, bearer.clone(), body).await;
    answer.refused(409, "ConflictException");
    for booking in [ana.data(), bo.data()] {
        let target = format!("/v2/bookings/{}", booking["uid"].as_str().unwrap());
        let found = service.get_as(&target, bearer.clone()).await;
        assert_eq!(found.data()["status"], "accepted");
        assert_eq!(people(found.data()), people(booking));
    }
}
