//! Concurrent requests: one succeeds, all others get an error, and the stored data equals the
//! responses.

use std::collections::{BTreeMap, HashSet};
use std::sync::Arc;

use axum::http::Method;
use booking_store_engine::sql;
use serde_json::{Value, json};
use tokio::sync::Barrier;

use crate::bookings::fixture::BookingFixture;
use crate::common::{HOST, OTHER_HOST, Service, TestResponse, booking};
use booking_service::store::Subject;

const CLIENTS: usize = 200;
const RESERVATIONS: &str = "/v2/slots/reservations";

/// A POST request: target, credentials and body.
type Attempt = (String, Option<(String, String)>, Value);

fn book(body: Value) -> Attempt {
    ("/v2/bookings".into(), None, body)
}

fn visitor_booking(number: usize, event_type_id: i64, start: &str) -> Value {
    let mut body = booking(event_type_id, start);
    body["attendee"]["email"] = json!(format!("visitor{number}@example.org"));
    body
}

/// Sends all requests at once and returns the responses in the same order.
async fn send_concurrently(service: &Arc<Service>, attempts: Vec<Attempt>) -> Vec<TestResponse> {
    let barrier = Arc::new(Barrier::new(attempts.len()));
    let clients: Vec<_> = attempts
        .into_iter()
        .map(|(target, credentials, body)| {
            let (service, barrier) = (service.clone(), barrier.clone());
            tokio::spawn(async move {
                barrier.wait().await;
                let headers = Vec::from_iter(credentials);
                service
                    .call(Method::POST, &target, &headers, Some(body))
                    .await
            })
        })
        .collect();
    let mut responses = Vec::with_capacity(clients.len());
    for client in clients {
        responses.push(client.await.unwrap());
    }
    responses
}

/// Number of responses by status.
fn status_counts<'a>(
    responses: impl IntoIterator<Item = &'a TestResponse>,
) -> BTreeMap<u16, usize> {
    let mut status_counts = BTreeMap::new();
    for response in responses {
        *status_counts.entry(response.status).or_default() += 1;
    }
    status_counts
}

/// The only successful response, with its index.
#[track_caller]
fn only_success(responses: &[TestResponse]) -> (usize, &TestResponse) {
    let mut succeeded = responses
        .iter()
        .enumerate()
        .filter(|(_, response)| response.status < 300);
    let first = succeeded.next().expect("one request succeeds");
    assert!(succeeded.next().is_none(), "{:?}", status_counts(responses));
    first
}

/// Bookings of an event type in the team's list.
async fn list_bookings(service: &Service, event_type_id: i64) -> Vec<Value> {
    let target = format!("/v2/teams/1/bookings?eventTypeId={event_type_id}&take=250");
    let response = service.get_as(&target, service.manager()).await;
    response.data().as_array().unwrap().clone()
}

/// A service with a collective event type of `HOST`.
async fn service_with_team_event_type(settings: Value) -> (Arc<Service>, i64) {
    let service = Service::start().await;
    let id = service
        .event_type_of("race", Some("collective"), &[HOST], settings)
        .await;
    (Arc::new(service), id)
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn concurrent_bookings_of_one_slot_succeed_once() {
    let (service, id) = service_with_team_event_type(json!({})).await;
    // Another event type of the same host.
    let other = service.event_type("other", json!({})).await;
    for (round, start) in ["09:00", "09:30", "10:00"].into_iter().enumerate() {
        let start = format!("2027-03-02T{start}:00Z");
        let attempts = (0..CLIENTS).map(|number| {
            let own = if round > 0 && number % 2 == 1 {
                other
            } else {
                id
            };
            book(visitor_booking(number, own, &start))
        });
        let responses = send_concurrently(&service, attempts.collect()).await;
        assert_eq!(
            status_counts(&responses),
            BTreeMap::from([(201, 1), (409, CLIENTS - 1)])
        );
        for response in responses.iter().filter(|response| response.status == 409) {
            response.assert_error(409, "ConflictException");
        }
        let (number, succeeded) = only_success(&responses);
        assert_eq!(
            succeeded.data()["attendees"][0]["email"],
            format!("visitor{number}@example.org")
        );
        let all = list_bookings(&service, id).await;
        let stored: Vec<&Value> = all
            .iter()
            .filter(|booking| booking["start"] == succeeded.data()["start"])
            .collect();
        if succeeded.data()["eventTypeId"] == id {
            assert_eq!(stored, [succeeded.data()]);
        } else {
            assert_eq!(stored, [&Value::Null; 0]);
        }
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn concurrent_bookings_never_overlap() {
    let (service, id) =
        service_with_team_event_type(json!({"lengthInMinutes": 60, "slotInterval": 15})).await;
    let starts: Vec<String> = (0..12)
        .map(|quarter| {
            format!(
                "2027-03-02T{:02}:{:02}:00.000Z",
                9 + quarter / 4,
                quarter % 4 * 15
            )
        })
        .collect();
    let attempts =
        (0..CLIENTS).map(|number| book(visitor_booking(number, id, &starts[number % 12])));
    let responses = send_concurrently(&service, attempts.collect()).await;
    let statuses = status_counts(&responses);
    assert_eq!(statuses[&201] + statuses[&409], CLIENTS, "{statuses:?}");
    let mut succeeded: Vec<String> = responses
        .iter()
        .filter(|response| response.status == 201)
        .map(|response| response.data()["start"].as_str().unwrap().to_owned())
        .collect();
    succeeded.sort();
    for pair in succeeded.windows(2) {
        let at = |start: &String| starts.iter().position(|one| one == start).unwrap();
        assert!(at(&pair[1]) - at(&pair[0]) >= 4, "{succeeded:?}");
    }
    let mut stored: Vec<String> = list_bookings(&service, id)
        .await
        .iter()
        .map(|booking| booking["start"].as_str().unwrap().to_owned())
        .collect();
    stored.sort();
    assert_eq!(stored, succeeded);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn concurrent_reservations_succeed_once_and_only_holder_can_book() {
    let (service, id) = service_with_team_event_type(json!({})).await;
    for start in ["2027-03-02T09:00:00Z", "2027-03-02T11:00:00Z"] {
        let reservation = json!({"eventTypeId": id, "slotStart": start});
        let attempts = (0..CLIENTS).map(|_| (RESERVATIONS.to_owned(), None, reservation.clone()));
        let responses = send_concurrently(&service, attempts.collect()).await;
        assert_eq!(
            status_counts(&responses),
            BTreeMap::from([(201, 1), (422, CLIENTS - 1)])
        );
        let (holder, reserved) = only_success(&responses);
        let uid = reserved.data()["reservationUid"].clone();
        let attempts = (0..CLIENTS).map(|number| {
            let mut body = visitor_booking(number, id, start);
            if number == holder {
                body["reservedSlotUid"] = uid.clone();
            } else if number % 2 == 0 {
                body["reservedSlotUid"] = json!(format!("{number}-{}", uid.as_str().unwrap()));
            }
            book(body)
        });
        let responses = send_concurrently(&service, attempts.collect()).await;
        assert_eq!(
            status_counts(&responses),
            BTreeMap::from([(201, 1), (409, CLIENTS - 1)])
        );
        let (number, succeeded) = only_success(&responses);
        assert_eq!(number, holder);
        assert!(list_bookings(&service, id).await.contains(succeeded.data()));
        assert_eq!(service.count("reservations").await, 0);
    }
    assert_eq!(list_bookings(&service, id).await.len(), 2);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn reservation_is_used_for_one_booking() {
    let (service, id) = service_with_team_event_type(json!({})).await;
    let start = "2027-03-02T09:00:00Z";
    let reservation = json!({"eventTypeId": id, "slotStart": start});
    let uid = service.post(RESERVATIONS, reservation).await.data()["reservationUid"].clone();
    let attempts = (0..50).map(|number| {
        let mut body = visitor_booking(number, id, start);
        body["reservedSlotUid"] = uid.clone();
        book(body)
    });
    let responses = send_concurrently(&service, attempts.collect()).await;
    assert_eq!(
        status_counts(&responses),
        BTreeMap::from([(201, 1), (409, 49)])
    );
    assert_eq!(list_bookings(&service, id).await.len(), 1);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn concurrent_bookings_fill_exactly_all_seats() {
    const SEATS: usize = 7;
    let (service, id) =
        service_with_team_event_type(json!({"seats": {"seatsPerTimeSlot": SEATS}})).await;
    for start in ["2027-03-02T09:00:00.000Z", "2027-03-02T10:00:00.000Z"] {
        let attempts = (0..CLIENTS).map(|number| book(visitor_booking(number, id, start)));
        let responses = send_concurrently(&service, attempts.collect()).await;
        assert_eq!(
            status_counts(&responses),
            BTreeMap::from([(201, SEATS), (409, CLIENTS - SEATS)])
        );
        let succeeded: Vec<&Value> = responses
            .iter()
            .filter(|response| response.status == 201)
            .map(TestResponse::data)
            .collect();
        let uids: HashSet<&str> = succeeded
            .iter()
            .map(|it| it["uid"].as_str().unwrap())
            .collect();
        assert_eq!(uids.len(), 1);
        let all = list_bookings(&service, id).await;
        let stored: Vec<&Value> = all.iter().filter(|it| it["start"] == start).collect();
        assert_eq!(stored.len(), 1);
        // Each 201 response names a stored seat.
        let seat = |it: &Value| (it["email"].to_string(), it["seatUid"].to_string());
        let seats: HashSet<_> = stored[0]["attendees"]
            .as_array()
            .unwrap()
            .iter()
            .map(seat)
            .collect();
        let response_seats: HashSet<_> = succeeded
            .iter()
            .map(|it| {
                assert_eq!(it["attendees"].as_array().unwrap().len(), 1);
                assert_eq!(it["attendees"][0]["seatUid"], it["seatUid"]);
                seat(&it["attendees"][0])
            })
            .collect();
        assert_eq!(response_seats.len(), SEATS);
        assert_eq!(seats, response_seats);
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn concurrent_reschedules_and_bookings_of_one_slot_succeed_once() {
    let (service, id) = service_with_team_event_type(json!({})).await;
    let start = "2027-03-03T15:00:00.000Z";
    let mut moved = Vec::new();
    for quarter in 0..12 {
        let at = format!(
            "2027-03-02T{:02}:{:02}:00Z",
            9 + quarter / 2,
            quarter % 2 * 30
        );
        moved.push(BookingFixture::new(id).at(&at).store(&service).await);
    }
    let mut attempts: Vec<Attempt> = moved
        .iter()
        .map(|uid| {
            let target = format!("/v2/bookings/{uid}/reschedule");
            (target, None, json!({"start": start}))
        })
        .collect();
    attempts.extend((0..40).map(|number| book(visitor_booking(number, id, start))));
    // Mixed order.
    attempts.sort_by_key(|(target, _, body)| (body.to_string().len() * 7 + target.len()) % 5);
    let responses = send_concurrently(&service, attempts).await;
    assert_eq!(
        status_counts(&responses),
        BTreeMap::from([(201, 1), (409, 51)])
    );
    let succeeded = only_success(&responses).1.data();
    let all = list_bookings(&service, id).await;
    assert_eq!(all.len(), moved.len() + 1);
    // The other bookings are unchanged.
    for booking in &all {
        let is_old = booking["uid"] == succeeded["rescheduledFromUid"];
        let status = if is_old { "cancelled" } else { "accepted" };
        assert_eq!(booking["status"], status);
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn concurrent_seat_reschedules_stay_within_capacity() {
    let (service, id) =
        service_with_team_event_type(json!({"seats": {"seatsPerTimeSlot": 3}})).await;
    let start = "2027-03-03T15:00:00.000Z";
    let mut attempts: Vec<Attempt> = Vec::new();
    for hour in 9..15 {
        let seats = [format!("a{hour}"), format!("b{hour}")];
        let uid = BookingFixture::new(id)
            .at(&format!("2027-03-02T{hour:02}:00:00Z"))
            .seats(&[&seats[0], &seats[1]])
            .store(&service)
            .await;
        for seat in seats {
            let target = format!("/v2/bookings/{uid}/reschedule");
            attempts.push((target, None, json!({"start": start, "seatUid": seat})));
        }
    }
    let responses = send_concurrently(&service, attempts).await;
    assert_eq!(
        status_counts(&responses),
        BTreeMap::from([(201, 3), (409, 9)])
    );
    let all = list_bookings(&service, id).await;
    let mut seats: Vec<&str> = Vec::new();
    for booking in &all {
        let attendees = booking["attendees"].as_array().unwrap();
        if booking["start"] == start {
            assert_eq!(attendees.len(), 3);
        }
        seats.extend(attendees.iter().map(|it| it["seatUid"].as_str().unwrap()));
    }
    // No seat is lost or duplicated.
    assert_eq!(seats.len(), 12);
    assert_eq!(seats.iter().collect::<HashSet<_>>().len(), 12);
}

/// The booking and its successors by reschedule.
async fn reschedule_chain(service: &Service, uid: &str) -> Vec<Value> {
    let mut found = Vec::new();
    let mut next = Some(uid.to_owned());
    while let Some(uid) = next {
        let read = service.get(&format!("/v2/bookings/{uid}")).await;
        let one = read.data().clone();
        next = one["rescheduledToUid"].as_str().map(str::to_owned);
        found.push(one);
        assert!(found.len() < 100, "the chain has no end");
    }
    found
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn concurrent_actions_end_a_booking_once() {
    let service = Service::start().await;
    let settings = json!({"confirmationPolicy": {"type": "always"}});
    let id = service
        .event_type_of("race", Some("collective"), &[HOST], settings)
        .await;
    let service = Arc::new(service);
    let host = service.bearer_of(HOST).await;
    let mut outcomes = HashSet::new();
    for round in 0..8 {
        let status = if round % 2 == 0 {
            "pending"
        } else {
            "accepted"
        };
        let fixture = BookingFixture::new(id).status(status);
        let uid = fixture
            .at(&format!("2027-03-{:02}T09:00:00Z", 8 + round % 4))
            .store(&service)
            .await;
        let target = |action: &str| format!("/v2/bookings/{uid}/{action}");
        let mut attempts: Vec<Attempt> = Vec::new();
        for number in 0..12 {
            let start = format!(
                "2027-03-{:02}T{:02}:{:02}:00Z",
                15 + round % 4,
                9 + number / 2,
                number % 2 * 30
            );
            attempts.push((target("reschedule"), None, json!({"start": start})));
            attempts.push((target("cancel"), None, json!({})));
            attempts.push((target("decline"), Some(host.clone()), json!({})));
            attempts.push((target("confirm"), Some(host.clone()), json!({})));
        }
        attempts.rotate_left(round);
        let actions: Vec<String> = attempts
            .iter()
            .map(|(target, ..)| target.rsplit('/').next().unwrap().to_owned())
            .collect();
        let responses = send_concurrently(&service, attempts).await;
        let mut succeeded: Vec<&str> = Vec::new();
        for (action, response) in actions.iter().zip(&responses) {
            match response.status {
                200 | 201 => succeeded.push(action),
                _ => drop(response.assert_error(400, "BadRequestException").len()),
            }
        }
        let confirmed = succeeded
            .iter()
            .filter(|action| **action == "confirm")
            .count();
        assert!(
            confirmed <= usize::from(status == "pending"),
            "{succeeded:?}"
        );
        succeeded.retain(|action| *action != "confirm");
        let [outcome] = succeeded[..] else {
            panic!("{succeeded:?}");
        };
        outcomes.insert(outcome.to_owned());

        let reschedule_chain = reschedule_chain(&service, &uid).await;
        let statuses: Vec<&str> = reschedule_chain
            .iter()
            .map(|one| one["status"].as_str().unwrap())
            .collect();
        match outcome {
            "reschedule" => {
                assert_eq!(statuses, ["cancelled", "pending"]);
                assert_eq!(reschedule_chain[1]["rescheduledFromUid"], json!(uid));
                let late = responses
                    .iter()
                    .zip(&actions)
                    .filter(|(response, action)| *action == "reschedule" && response.status == 400);
                for (response, _) in late {
                    assert!(
                        response
                            .text
                            .contains(reschedule_chain[1]["uid"].as_str().unwrap())
                    );
                }
            }
            "cancel" => assert_eq!(statuses, ["cancelled"]),
            _ => assert_eq!(statuses, ["rejected"]),
        }
        // No other bookings were created.
        let all = list_bookings(&service, id).await;
        let uids: HashSet<&str> = reschedule_chain
            .iter()
            .map(|it| it["uid"].as_str().unwrap())
            .collect();
        let follows = |it: &&Value| it["rescheduledFromUid"] == json!(uid);
        assert_eq!(all.iter().filter(follows).count(), uids.len() - 1);
    }
    assert!(!outcomes.is_empty());
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn concurrent_round_robin_bookings_use_each_host_once() {
    let service = Service::start().await;
    let id = service
        .event_type_of("any", Some("roundRobin"), &[HOST, OTHER_HOST], json!({}))
        .await;
    let service = Arc::new(service);
    // Both work from 14:00 to 16:00 UTC.
    let attempts = (0..60).map(|number| book(visitor_booking(number, id, "2027-03-02T14:00:00Z")));
    let responses = send_concurrently(&service, attempts.collect()).await;
    assert_eq!(
        status_counts(&responses),
        BTreeMap::from([(201, 2), (409, 58)])
    );
    let hosts: HashSet<String> = list_bookings(&service, id)
        .await
        .iter()
        .map(|booking| booking["hosts"][0]["id"].to_string())
        .collect();
    assert_eq!(hosts.len(), 2);
}

/// Sends a request while a write transaction is open, then runs `change` in it and commits. The request has read what
/// it is checked against before the change, and writes after it.
async fn post_before_change(
    service: &Arc<Service>,
    (target, headers, body): (&'static str, &[(String, String)], Value),
    change: String,
) -> TestResponse {
    let hosts = [HOST, OTHER_HOST].map(Subject::Person);
    let mut transaction = service.app.store.begin(&hosts).await.unwrap();
    let (client, headers) = (service.clone(), headers.to_vec());
    let request = tokio::spawn(async move {
        client
            .call(Method::POST, target, &headers, Some(body))
            .await
    });
    tokio::time::sleep(std::time::Duration::from_millis(200)).await;
    sql::query(change.clone())
        .execute(&mut transaction)
        .await
        .unwrap();
    assert!(!request.is_finished(), "{change}");
    transaction.commit().await.unwrap();
    request.await.unwrap()
}

#[tokio::test(flavor = "multi_thread")]
async fn booking_is_checked_again_after_a_change_at_the_same_moment() {
    let service = Arc::new(Service::start().await);
    let id = service.event_type("talk", json!({})).await;
    let start = |hour: usize| format!("2027-03-02T{hour:02}:00:00Z");
    let book = |hour: usize| visitor_booking(hour, id, &start(hour));
    let reserve = |hour: usize| json!({"eventTypeId": id, "slotStart": start(hour)});
    let key = [(
        "idempotency-key".to_owned(),
        "a-key-of-this-test".to_owned(),
    )];
    let longer = |minutes: i64| {
        let settings = json!({"title": "Talk", "lengthInMinutes": minutes, "slotInterval": 60, "minimumBookingNotice": 0});
        format!("UPDATE event_types SET settings = '{settings}' WHERE id = {id}")
    };
    let booked = post_before_change(&service, ("/v2/bookings", &[], book(9)), longer(45)).await;
    assert_eq!(booked.data()["end"], "2027-03-02T09:45:00.000Z");
    let booked = post_before_change(&service, ("/v2/bookings", &key, book(10)), longer(40)).await;
    assert_eq!(booked.data()["end"], "2027-03-02T10:40:00.000Z");
    let reserved = post_before_change(&service, (RESERVATIONS, &[], reserve(11)), longer(20)).await;
    assert_eq!(reserved.data()["slotEnd"], "2027-03-02T11:20:00.000Z");

    let absent = format!(
        "UPDATE schedule_hours SET from_minute = 900 WHERE schedule_id IN (SELECT id FROM schedules WHERE owner_id = {HOST})"
    );
    let refused = post_before_change(&service, ("/v2/bookings", &[], book(13)), absent).await;
    assert_eq!(refused.status, 400, "{}", refused.text);
    let closed = |is_closed: bool| {
        let settings = json!({"title": "Talk", "lengthInMinutes": 20, "slotInterval": 60, "minimumBookingNotice": 0, "closed": is_closed});
        format!("UPDATE event_types SET settings = '{settings}' WHERE id = {id}")
    };
    let refused =
        post_before_change(&service, (RESERVATIONS, &[], reserve(15)), closed(true)).await;
    assert_eq!(refused.status, 404, "{}", refused.text);
    service.sql(&closed(false)).await;
    let deleted = format!("DELETE FROM event_types WHERE id = {id}");
    let refused = post_before_change(&service, ("/v2/bookings", &[], book(16)), deleted).await;
    assert_eq!(refused.status, 404, "{}", refused.text);
}
