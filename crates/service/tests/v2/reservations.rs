//! /v2/slots/reservations

use axum::http::Method;
use serde_json::{Value, json};

use crate::common::{Answer, HOST, OTHER_HOST, Service, booking, is_uuid};

const PATH: &str = "/v2/slots/reservations";
const START: &str = "2027-03-02T10:00:00Z";

fn hold(event_type_id: i64, start: &str) -> Value {
    json!({"eventTypeId": event_type_id, "slotStart": start})
}

fn uid(answer: &Answer) -> String {
    answer.data()["reservationUid"].as_str().unwrap().to_owned()
}

async fn patch(service: &Service, uid: &str, body: Value) -> Answer {
    service
        .call(Method::PATCH, &format!("{PATH}/{uid}"), &[], Some(body))
        .await
}

async fn delete(service: &Service, uid: &str) -> Answer {
    service
        .call(Method::DELETE, &format!("{PATH}/{uid}"), &[], None)
        .await
}

/// The starts on 2 March 2027, as `HH:MM` in UTC.
async fn offered(service: &Service, event_type_id: i64) -> Vec<String> {
    let answer = service
        .get(&format!(
            "/v2/slots?eventTypeId={event_type_id}&start=2027-03-02&end=2027-03-02"
        ))
        .await;
    answer
        .data()
        .as_object()
        .unwrap()
        .values()
        .flat_map(|slots| slots.as_array().unwrap())
        .map(|slot| slot["start"].as_str().unwrap()[11..16].to_owned())
        .collect()
}

#[tokio::test]
async fn a_hold_tells_what_it_holds_and_until_when() {
    let service = Service::start().await;
    let id = service
        .event_type("talk", json!({"lengthInMinutesOptions": [30, 60]}))
        .await;
    let mut body = hold(id, "2027-03-02T11:00:00+01:00");
    body["slotDuration"] = json!(60);
    let made = service.post(PATH, body).await;
    assert_eq!(made.status, 201);
    let uid = uid(&made);
    assert!(is_uuid(&uid), "{uid}");
    assert_eq!(
        made.body,
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
    let mut expected = made.body.clone();
    expected["data"]
        .as_object_mut()
        .unwrap()
        .remove("reservationDuration");
    assert_eq!(read.status, 200);
    assert_eq!(read.body, expected);
}

#[tokio::test]
async fn a_held_slot_is_nobody_elses_until_the_hold_ends() {
    let service = Service::start().await;
    let id = service.event_type("talk", json!({})).await;
    let padded = service
        .event_type("padded", json!({"afterEventBuffer": 30}))
        .await;
    let uid = uid(&service.post(PATH, hold(id, START)).await);
    assert!(!offered(&service, id).await.contains(&"10:00".to_owned()));
    // The other event type of the same host keeps its distance, too.
    assert!(
        !offered(&service, padded)
            .await
            .contains(&"09:30".to_owned())
    );
    for body in [
        hold(id, START),
        hold(padded, START),
        hold(padded, "2027-03-02T09:30:00Z"),
    ] {
        service
            .post(PATH, body)
            .await
            .refused(422, "UnprocessableEntityException");
    }
    service
        .post("/v2/bookings", booking(id, START))
        .await
        .refused(409, "ConflictException");

    assert_eq!(
        delete(&service, &uid).await.body,
        json!({"status": "success"})
    );
    assert!(offered(&service, id).await.contains(&"10:00".to_owned()));
    assert_eq!(delete(&service, &uid).await.status, 200);
    assert_eq!(delete(&service, "nothing").await.status, 200);
}

#[tokio::test]
async fn a_hold_ends_by_itself() {
    let service = Service::start().await;
    let id = service.event_type("talk", json!({})).await;
    let first = uid(&service.post(PATH, hold(id, START)).await);
    service.app.clock.advance_minutes(4);
    assert!(!offered(&service, id).await.contains(&"10:00".to_owned()));
    service.app.clock.advance_minutes(1);
    assert!(offered(&service, id).await.contains(&"10:00".to_owned()));
    let read = service.get(&format!("{PATH}/{first}")).await;
    assert_eq!(read.body, json!({"status": "success", "data": null}));
    patch(&service, &first, hold(id, START))
        .await
        .refused(404, "NotFoundException");
    // The next one sweeps away what has ended, once it no longer counts for its client.
    assert_eq!(service.post(PATH, hold(id, START)).await.status, 201);
    assert_eq!(service.count("reservations").await, 2);
    service.app.clock.advance_minutes(121);
    assert_eq!(service.post(PATH, hold(id, START)).await.status, 201);
    assert_eq!(service.count("reservations").await, 1);
    assert_eq!(service.count("reservation_hosts").await, 1);
}

#[tokio::test]
async fn a_hold_can_be_moved_and_renewed() {
    let service = Service::start().await;
    let id = service.event_type("talk", json!({})).await;
    let made = service.post(PATH, hold(id, START)).await;
    let uid = uid(&made);
    service.app.clock.advance_minutes(3);
    let same = patch(&service, &uid, hold(id, START)).await;
    assert_eq!(same.status, 200);
    assert_eq!(same.data()["reservationUid"], uid.as_str());
    assert_eq!(same.data()["reservationUntil"], "2027-03-01T08:08:00.000Z");
    let moved = patch(&service, &uid, hold(id, "2027-03-02T11:00:00Z")).await;
    assert_eq!(moved.data()["slotStart"], "2027-03-02T11:00:00.000Z");
    let free = offered(&service, id).await;
    assert!(free.contains(&"10:00".to_owned()) && !free.contains(&"11:00".to_owned()));

    // A move that is refused leaves the hold where it was.
    service
        .post("/v2/bookings", booking(id, "2027-03-02T12:00:00Z"))
        .await
        .data();
    patch(&service, &uid, hold(id, "2027-03-02T12:00:00Z"))
        .await
        .refused(422, "UnprocessableEntityException");
    let read = service.get(&format!("{PATH}/{uid}")).await;
    assert_eq!(read.data()["slotStart"], "2027-03-02T11:00:00.000Z");
    patch(&service, "nothing", hold(id, START))
        .await
        .refused(404, "NotFoundException");
}

#[tokio::test]
async fn how_long_a_hold_lasts_is_for_insiders_to_say() {
    let service = Service::start().await;
    let id = service.event_type("talk", json!({})).await;
    let mut body = hold(id, START);
    body["reservationDuration"] = json!(60);
    service
        .post(PATH, body.clone())
        .await
        .refused(401, "UnauthorizedException");
    let stranger = service.bearer_of(OTHER_HOST).await;
    service
        .post_as(PATH, stranger, body.clone())
        .await
        .refused(403, "ForbiddenException");
    let owner = service.bearer_of(HOST).await;
    let made = service.post_as(PATH, owner, body.clone()).await;
    assert_eq!(made.status, 201);
    assert_eq!(made.data()["reservationDuration"], 60);
    assert_eq!(made.data()["reservationUntil"], "2027-03-01T09:00:00.000Z");
    let uid = uid(&made);
    patch(&service, &uid, body)
        .await
        .refused(401, "UnauthorizedException");
    // Somebody who runs the team may say for the team's event types.
    let team = service
        .event_type_of("team", Some("roundRobin"), &[OTHER_HOST], json!({}))
        .await;
    let mut body = hold(team, "2027-03-02T15:00:00Z");
    body["reservationDuration"] = json!(1);
    let made = service.post_as(PATH, service.manager(), body).await;
    assert_eq!(made.data()["reservationDuration"], 1);
}

#[tokio::test]
async fn a_body_that_breaks_a_rule_is_refused_by_name() {
    let service = Service::start().await;
    let id = service.event_type("talk", json!({})).await;
    let with = |key: &str, value: Value| {
        let mut body = hold(id, START);
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
        let answer = service.post(PATH, body.clone()).await;
        let message = answer.refused(400, "BadRequestException");
        assert!(message.starts_with(beginning), "{body}: {message}");
    }
    service
        .post(PATH, hold(99_999, START))
        .await
        .refused(404, "NotFoundException");
    let managed = service
        .event_type_of("parent", Some("managed"), &[HOST], json!({}))
        .await;
    service
        .post(PATH, hold(managed, START))
        .await
        .refused(400, "BadRequestException");
    let empty = service
        .event_type_of("empty", Some("roundRobin"), &[], json!({}))
        .await;
    service
        .post(PATH, hold(empty, START))
        .await
        .refused(422, "UnprocessableEntityException");
}

#[tokio::test]
async fn a_hold_on_rotating_hosts_takes_one_of_them() {
    let service = Service::start().await;
    // Both work from 14:00 to 16:00 UTC.
    let start = "2027-03-02T14:00:00Z";
    let id = service
        .event_type_of("team", Some("roundRobin"), &[HOST, OTHER_HOST], json!({}))
        .await;
    let mine = service.event_type("mine", json!({})).await;
    for left in [true, false] {
        assert_eq!(service.post(PATH, hold(id, start)).await.status, 201);
        assert_eq!(
            offered(&service, id).await.contains(&"14:00".to_owned()),
            left
        );
    }
    assert!(!offered(&service, mine).await.contains(&"14:00".to_owned()));
    service
        .post(PATH, hold(id, start))
        .await
        .refused(422, "UnprocessableEntityException");
}

#[tokio::test]
async fn holds_on_a_seated_type_take_seats() {
    let service = Service::start().await;
    let id = service
        .event_type("class", json!({"seats": {"seatsPerTimeSlot": 2}}))
        .await;
    let other = service.event_type("talk", json!({})).await;
    let query = format!("/v2/slots?eventTypeId={id}&start=2027-03-02&end=2027-03-02");
    let at_ten = async || {
        let answer = service.get(&query).await;
        let slots = answer.data()["2027-03-02"].as_array().unwrap().clone();
        slots
            .into_iter()
            .find(|slot| slot["start"] == "2027-03-02T10:00:00.000Z")
    };
    let seats = |booked: i64| json!({"start": "2027-03-02T10:00:00.000Z", "seatsBooked": booked, "seatsRemaining": 2 - booked, "seatsTotal": 2});
    assert_eq!(at_ten().await, Some(seats(0)));
    let first = uid(&service.post(PATH, hold(id, START)).await);
    assert_eq!(at_ten().await, Some(seats(1)));
    // The host's time is held against other event types.
    assert!(!offered(&service, other).await.contains(&"10:00".to_owned()));
    assert_eq!(service.post(PATH, hold(id, START)).await.status, 201);
    assert_eq!(at_ten().await, None);
    service
        .post(PATH, hold(id, START))
        .await
        .refused(422, "UnprocessableEntityException");
    delete(&service, &first).await;
    assert_eq!(at_ten().await, Some(seats(1)));
}

#[tokio::test]
async fn of_two_holds_at_once_one_wins() {
    let service = Service::start().await;
    let id = service.event_type("talk", json!({})).await;
    for round in 0..10 {
        let start = format!("2027-03-{:02}T10:00:00Z", 8 + (round % 5) + 7 * (round / 5));
        let visitors = (0..8).map(|_| {
            let router = service.router.clone();
            let body = hold(id, &start).to_string();
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
async fn a_held_slot_counts_towards_the_limits() {
    let service = Service::start().await;
    let id = service
        .event_type("talk", json!({"bookingLimitsCount": {"day": 1}}))
        .await;
    service.post(PATH, hold(id, START)).await.data();
    assert_eq!(offered(&service, id).await, Vec::<String>::new());
    service
        .post(PATH, hold(id, "2027-03-02T12:00:00Z"))
        .await
        .refused(400, "BadRequestException");
}
