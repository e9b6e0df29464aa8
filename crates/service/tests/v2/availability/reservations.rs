//! /v2/slots/reservations

use axum::http::Method;
use booking_service::process::maintenance;
use serde_json::{Value, json};

use crate::common::{HOST, OTHER_HOST, Service, TestResponse, booking, is_uuid};

const PATH: &str = "/v2/slots/reservations";
const START: &str = "2027-03-02T10:00:00Z";

fn reservation_body(event_type_id: i64, start: &str) -> Value {
    json!({"eventTypeId": event_type_id, "slotStart": start})
}

fn uid(response: &TestResponse) -> String {
    response.data()["reservationUid"]
        .as_str()
        .unwrap()
        .to_owned()
}

async fn patch(service: &Service, uid: &str, body: Value) -> TestResponse {
    service
        .call(Method::PATCH, &format!("{PATH}/{uid}"), &[], Some(body))
        .await
}

async fn delete(service: &Service, uid: &str) -> TestResponse {
    service
        .call(Method::DELETE, &format!("{PATH}/{uid}"), &[], None)
        .await
}

/// Available starts on 2 March 2027, as `HH:MM` in UTC.
async fn available_starts(service: &Service, event_type_id: i64) -> Vec<String> {
    let response = service
        .get(&format!(
            "/v2/slots?eventTypeId={event_type_id}&start=2027-03-02&end=2027-03-02"
        ))
        .await;
    response
        .data()
        .as_object()
        .unwrap()
        .values()
        .flat_map(|slots| slots.as_array().unwrap())
        .map(|slot| slot["start"].as_str().unwrap()[11..16].to_owned())
        .collect()
}

#[tokio::test]
async fn reservation_returns_slot_and_expiry() {
    let service = Service::start().await;
    let id = service
        .event_type("talk", json!({"lengthInMinutesOptions": [30, 60]}))
        .await;
    let mut body = reservation_body(id, "2027-03-02T11:00:00+01:00");
    body["slotDuration"] = json!(60);
    let created = service.post(PATH, body).await;
    assert_eq!(created.status, 201);
    let uid = uid(&created);
    assert!(is_uuid(&uid), "{uid}");
    assert_eq!(
        created.body,
        json!({"status": "success", "data": {
            "eventTypeId": id,
            "slotStart": "2027-03-02T10:00:00.000Z",
            "slotEnd": "2027-03-02T11:00:00.000Z",
            "slotDuration": 60,
            "reservationUid": uid,
            "reservationDuration": 5,
            "reservationUntil": "2027-03-01T08:05:00.000Z",
        }})
    );
    let read = service.get(&format!("{PATH}/{uid}")).await;
    let mut expected = created.body.clone();
    expected["data"]
        .as_object_mut()
        .unwrap()
        .remove("reservationDuration");
    assert_eq!(read.status, 200);
    assert_eq!(read.body, expected);
}

#[tokio::test]
async fn reserved_slot_is_unavailable_until_deleted() {
    let service = Service::start().await;
    let id = service.event_type("talk", json!({})).await;
    let padded = service
        .event_type("padded", json!({"afterEventBuffer": 30}))
        .await;
    let uid = uid(&service.post(PATH, reservation_body(id, START)).await);
    assert!(
        !available_starts(&service, id)
            .await
            .contains(&"10:00".to_owned())
    );
    // The other event type of the same host keeps its buffer.
    assert!(
        !available_starts(&service, padded)
            .await
            .contains(&"09:30".to_owned())
    );
    for body in [
        reservation_body(id, START),
        reservation_body(padded, START),
        reservation_body(padded, "2027-03-02T09:30:00Z"),
    ] {
        service
            .post(PATH, body)
            .await
            .assert_error(422, "UnprocessableEntityException");
    }
    service
        .post("/v2/bookings", booking(id, START))
        .await
        .assert_error(409, "ConflictException");

    assert_eq!(
        delete(&service, &uid).await.body,
        json!({"status": "success"})
    );
    assert!(
        available_starts(&service, id)
            .await
            .contains(&"10:00".to_owned())
    );
    assert_eq!(delete(&service, &uid).await.status, 200);
    assert_eq!(delete(&service, "nothing").await.status, 200);
}

#[tokio::test]
async fn reservation_expires() {
    let service = Service::start().await;
    let id = service.event_type("talk", json!({})).await;
    let first = uid(&service.post(PATH, reservation_body(id, START)).await);
    service.app.clock.advance_minutes(4);
    assert!(
        !available_starts(&service, id)
            .await
            .contains(&"10:00".to_owned())
    );
    service.app.clock.advance_minutes(1);
    assert!(
        available_starts(&service, id)
            .await
            .contains(&"10:00".to_owned())
    );
    let read = service.get(&format!("{PATH}/{first}")).await;
    assert_eq!(read.body, json!({"status": "success", "data": null}));
    patch(&service, &first, reservation_body(id, START))
        .await
        .assert_error(404, "NotFoundException");
    assert_eq!(
        service.post(PATH, reservation_body(id, START)).await.status,
        201
    );
    assert_eq!(service.count("reservations").await, 2);
    // Expired ones are deleted when they no longer count for their client.
    service.app.clock.advance_minutes(100);
    maintenance::round(&service.app).await.unwrap();
    assert_eq!(service.count("reservations").await, 2);
    service.app.clock.advance_minutes(21);
    maintenance::round(&service.app).await.unwrap();
    assert_eq!(service.count("reservations").await, 0);
    assert_eq!(service.count("reservation_hosts").await, 0);
}

#[tokio::test]
async fn reservation_can_be_renewed_and_moved() {
    let service = Service::start().await;
    let id = service.event_type("talk", json!({})).await;
    let created = service.post(PATH, reservation_body(id, START)).await;
    let uid = uid(&created);
    service.app.clock.advance_minutes(3);
    let same = patch(&service, &uid, reservation_body(id, START)).await;
    assert_eq!(same.status, 200);
    assert_eq!(same.data()["reservationUid"], uid.as_str());
    assert_eq!(same.data()["reservationUntil"], "2027-03-01T08:08:00.000Z");
    let moved = patch(&service, &uid, reservation_body(id, "2027-03-02T11:00:00Z")).await;
    assert_eq!(moved.data()["slotStart"], "2027-03-02T11:00:00.000Z");
    let free = available_starts(&service, id).await;
    assert!(free.contains(&"10:00".to_owned()) && !free.contains(&"11:00".to_owned()));

    // A rejected change leaves the reservation as it was.
    service
        .post("/v2/bookings", booking(id, "2027-03-02T12:00:00Z"))
        .await
        .data();
    patch(&service, &uid, reservation_body(id, "2027-03-02T12:00:00Z"))
        .await
        .assert_error(422, "UnprocessableEntityException");
    let read = service.get(&format!("{PATH}/{uid}")).await;
    assert_eq!(read.data()["slotStart"], "2027-03-02T11:00:00.000Z");
    patch(&service, "nothing", reservation_body(id, START))
        .await
        .assert_error(404, "NotFoundException");
}

#[tokio::test]
async fn reservation_duration_requires_permission() {
    let service = Service::start().await;
    let id = service.event_type("talk", json!({})).await;
    let mut body = reservation_body(id, START);
    body["reservationDuration"] = json!(60);
    service
        .post(PATH, body.clone())
        .await
        .assert_error(401, "UnauthorizedException");
    let stranger = service.bearer_of(OTHER_HOST).await;
    service
        .post_as(PATH, stranger, body.clone())
        .await
        .assert_error(403, "ForbiddenException");
    let owner = service.bearer_of(HOST).await;
    let created = service.post_as(PATH, owner, body.clone()).await;
    assert_eq!(created.status, 201);
    assert_eq!(created.data()["reservationDuration"], 60);
    assert_eq!(
        created.data()["reservationUntil"],
        "2027-03-01T09:00:00.000Z"
    );
    let uid = uid(&created);
    patch(&service, &uid, body)
        .await
        .assert_error(401, "UnauthorizedException");
    // Team administrators may set the duration for the team's event types.
    let team = service
        .event_type_of("team", Some("roundRobin"), &[OTHER_HOST], json!({}))
        .await;
    let mut body = reservation_body(team, "2027-03-02T15:00:00Z");
    body["reservationDuration"] = json!(1);
    let created = service.post_as(PATH, service.manager(), body).await;
    assert_eq!(created.data()["reservationDuration"], 1);
}

#[tokio::test]
async fn invalid_reservation_names_its_property() {
    let service = Service::start().await;
    let id = service.event_type("talk", json!({})).await;
    let with = |key: &str, value: Value| {
        let mut body = reservation_body(id, START);
        body[key] = value;
        body
    };
    let cases = [
        (json!({"slotStart": START}), "eventTypeId"),
        (with("eventTypeId", json!("x")), "eventTypeId"),
        (with("eventTypeId", json!(0)), "eventTypeId"),
        (json!({"eventTypeId": id}), "slotStart"),
        (with("slotStart", json!("2027-03-02")), "slotStart"),
        (with("slotStart", json!("soon")), "slotStart"),
        (with("slotStart", json!(5)), "slotStart"),
        (with("slotDuration", json!(45)), "slotDuration"),
        (with("slotDuration", json!(0)), "slotDuration"),
        (with("reservationDuration", json!(0)), "reservationDuration"),
        (
            with("reservationDuration", json!(61)),
            "reservationDuration",
        ),
        (
            with("reservationDuration", json!("5")),
            "reservationDuration",
        ),
        (with("reservedFor", json!("me")), "reservedFor"),
        (
            with("slotStart", json!("2027-03-01T07:00:00Z")),
            "start lies in the past",
        ),
        (
            with("slotStart", json!("2027-03-02T03:00:00Z")),
            "start is not available",
        ),
        (
            with("slotStart", json!("2027-03-02T10:07:00Z")),
            "start is not available",
        ),
    ];
    for (body, beginning) in cases {
        let response = service.post(PATH, body.clone()).await;
        let message = response.assert_error(400, "BadRequestException");
        assert!(message.starts_with(beginning), "{body}: {message}");
    }
    service
        .post(PATH, reservation_body(99_999, START))
        .await
        .assert_error(404, "NotFoundException");
    let managed = service
        .event_type_of("parent", Some("managed"), &[HOST], json!({}))
        .await;
    service
        .post(PATH, reservation_body(managed, START))
        .await
        .assert_error(400, "BadRequestException");
    let empty = service
        .event_type_of("empty", Some("roundRobin"), &[], json!({}))
        .await;
    service
        .post(PATH, reservation_body(empty, START))
        .await
        .assert_error(422, "UnprocessableEntityException");
}

#[tokio::test]
async fn round_robin_reservation_takes_one_host() {
    let service = Service::start().await;
    // Both work from 14:00 to 16:00 UTC.
    let start = "2027-03-02T14:00:00Z";
    let id = service
        .event_type_of("team", Some("roundRobin"), &[HOST, OTHER_HOST], json!({}))
        .await;
    let personal = service.event_type("mine", json!({})).await;
    for is_available in [true, false] {
        assert_eq!(
            service.post(PATH, reservation_body(id, start)).await.status,
            201
        );
        assert_eq!(
            available_starts(&service, id)
                .await
                .contains(&"14:00".to_owned()),
            is_available
        );
    }
    assert!(
        !available_starts(&service, personal)
            .await
            .contains(&"14:00".to_owned())
    );
    service
        .post(PATH, reservation_body(id, start))
        .await
        .assert_error(422, "UnprocessableEntityException");
}

#[tokio::test]
async fn reservation_with_seats_takes_a_seat() {
    let service = Service::start().await;
    let id = service
        .event_type("class", json!({"seats": {"seatsPerTimeSlot": 2}}))
        .await;
    let other = service.event_type("talk", json!({})).await;
    let query = format!("/v2/slots?eventTypeId={id}&start=2027-03-02&end=2027-03-02");
    let at_ten = async || {
        let response = service.get(&query).await;
        let slots = response.data()["2027-03-02"].as_array().unwrap().clone();
        slots
            .into_iter()
            .find(|slot| slot["start"] == "2027-03-02T10:00:00.000Z")
    };
    let seats = |booked: i64| json!({"start": "2027-03-02T10:00:00.000Z", "seatsBooked": booked, "seatsRemaining": 2 - booked, "seatsTotal": 2});
    assert_eq!(at_ten().await, Some(seats(0)));
    let first = uid(&service.post(PATH, reservation_body(id, START)).await);
    assert_eq!(at_ten().await, Some(seats(1)));
    // The host is busy for other event types.
    assert!(
        !available_starts(&service, other)
            .await
            .contains(&"10:00".to_owned())
    );
    assert_eq!(
        service.post(PATH, reservation_body(id, START)).await.status,
        201
    );
    assert_eq!(at_ten().await, None);
    service
        .post(PATH, reservation_body(id, START))
        .await
        .assert_error(422, "UnprocessableEntityException");
    delete(&service, &first).await;
    assert_eq!(at_ten().await, Some(seats(1)));
}

#[tokio::test]
async fn concurrent_reservations_of_one_slot_succeed_once() {
    let service = Service::start().await;
    let id = service.event_type("talk", json!({})).await;
    for round in 0..10 {
        let start = format!("2027-03-{:02}T10:00:00Z", 8 + (round % 5) + 7 * (round / 5));
        let visitors = (0..8).map(|_| {
            let router = service.router.clone();
            let body = reservation_body(id, &start).to_string();
            tokio::spawn(async move {
                let request = axum::http::Request::post(PATH)
                    .header("content-type", "application/json")
                    .body(axum::body::Body::from(body))
                    .unwrap();
                tower::ServiceExt::oneshot(router, request)
                    .await
                    .unwrap()
                    .status()
                    .as_u16()
            })
        });
        let mut statuses = Vec::new();
        for visitor in visitors.collect::<Vec<_>>() {
            statuses.push(visitor.await.unwrap());
        }
        statuses.sort_unstable();
        assert_eq!(
            statuses,
            [201, 422, 422, 422, 422, 422, 422, 422],
            "{start}"
        );
    }
}

#[tokio::test]
async fn reservation_counts_towards_booking_limits() {
    let service = Service::start().await;
    let id = service
        .event_type("talk", json!({"bookingLimitsCount": {"day": 1}}))
        .await;
    service.post(PATH, reservation_body(id, START)).await.data();
    assert_eq!(available_starts(&service, id).await, Vec::<String>::new());
    service
        .post(PATH, reservation_body(id, "2027-03-02T12:00:00Z"))
        .await
        .assert_error(400, "BadRequestException");
}
