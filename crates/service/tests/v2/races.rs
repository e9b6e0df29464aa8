//! Many clients at once: who comes first gets it, all others are told so, and what is stored is
//! what was answered.

use std::collections::{BTreeMap, HashSet};
use std::sync::Arc;

use axum::http::Method;
use serde_json::{Value, json};
use tokio::sync::Barrier;

use crate::common::{Answer, HOST, OTHER_HOST, Service, booking};
use crate::stored::Made;

const CLIENTS: usize = 200;
const HOLDS: &str = "/v2/slots/reservations";

/// A request, and with which credentials.
type Attempt = (String, Option<(String, String)>, Value);

fn book(body: Value) -> Attempt {
    ("/v2/bookings".into(), None, body)
}

fn by(number: usize, event_type_id: i64, start: &str) -> Value {
    let mut body = booking(event_type_id, start);
    body["attendee"]["email"] = json!(format!("visitor{number}@example.org"));
    body
}

/// Sends everything at once and gives the answers in the same order.
async fn race(service: &Arc<Service>, attempts: Vec<Attempt>) -> Vec<Answer> {
    let line = Arc::new(Barrier::new(attempts.len()));
    let clients: Vec<_> = attempts
        .into_iter()
        .map(|(target, credentials, body)| {
            let (service, line) = (service.clone(), line.clone());
            tokio::spawn(async move {
                line.wait().await;
                let headers = Vec::from_iter(credentials);
                service
                    .call(Method::POST, &target, &headers, Some(body))
                    .await
            })
        })
        .collect();
    let mut answers = Vec::with_capacity(clients.len());
    for client in clients {
        answers.push(client.await.unwrap());
    }
    answers
}

/// How often each status was answered.
fn tally<'a>(answers: impl IntoIterator<Item = &'a Answer>) -> BTreeMap<u16, usize> {
    let mut tally = BTreeMap::new();
    for answer in answers {
        *tally.entry(answer.status).or_default() += 1;
    }
    tally
}

/// The only answer that is a success.
#[track_caller]
fn winner(answers: &[Answer]) -> (usize, &Answer) {
    let mut won = answers
        .iter()
        .enumerate()
        .filter(|(_, answer)| answer.status < 300);
    let first = won.next().expect("somebody wins");
    assert!(won.next().is_none(), "{:?}", tally(answers));
    first
}

/// What stands in the team's list for an event type.
async fn listed(service: &Service, event_type_id: i64) -> Vec<Value> {
    let target = format!("/v2/teams/1/bookings?eventTypeId={event_type_id}&take=250");
    let answer = service.get_as(&target, service.manager()).await;
    answer.data().as_array().unwrap().clone()
}

/// One host, who works in the team.
async fn team(settings: Value) -> (Arc<Service>, i64) {
    let service = Service::start().await;
    let id = service
        .event_type_of("race", Some("collective"), &[HOST], settings)
        .await;
    (Arc::new(service), id)
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn of_all_who_want_a_slot_exactly_one_gets_it() {
    let (service, id) = team(json!({})).await;
    // The same host's time by another name.
    let other = service.event_type("other", json!({})).await;
    for (round, start) in ["09:00", "09:30", "10:00"].into_iter().enumerate() {
        let start = format!("2027-03-02T{start}:00Z");
        let attempts = (0..CLIENTS).map(|number| {
            let own = if round > 0 && number % 2 == 1 {
                other
            } else {
                id
            };
            book(by(number, own, &start))
        });
        let answers = race(&service, attempts.collect()).await;
        assert_eq!(
            tally(&answers),
            BTreeMap::from([(201, 1), (409, CLIENTS - 1)])
        );
        for answer in answers.iter().filter(|answer| answer.status == 409) {
            answer.refused(409, "ConflictException");
        }
        let (number, won) = winner(&answers);
        assert_eq!(
            won.data()["attendees"][0]["email"],
            format!("visitor{number}@example.org")
        );
        let all = listed(&service, id).await;
        let stored: Vec<&Value> = all
            .iter()
            .filter(|booking| booking["start"] == won.data()["start"])
            .collect();
        if won.data()["eventTypeId"] == id {
            assert_eq!(stored, [won.data()]);
        } else {
            assert_eq!(stored, [&Value::Null; 0]);
        }
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn slots_that_overlap_are_never_given_to_two() {
    let (service, id) = team(json!({"lengthInMinutes": 60, "slotInterval": 15})).await;
    let starts: Vec<String> = (0..12)
        .map(|quarter| {
            format!(
                "2027-03-02T{:02}:{:02}:00.000Z",
                9 + quarter / 4,
                quarter % 4 * 15
            )
        })
        .collect();
    let attempts = (0..CLIENTS).map(|number| book(by(number, id, &starts[number % 12])));
    let answers = race(&service, attempts.collect()).await;
    let statuses = tally(&answers);
    assert_eq!(statuses[&201] + statuses[&409], CLIENTS, "{statuses:?}");
    let mut won: Vec<String> = answers
        .iter()
        .filter(|answer| answer.status == 201)
        .map(|answer| answer.data()["start"].as_str().unwrap().to_owned())
        .collect();
    won.sort();
    for pair in won.windows(2) {
        let at = |start: &String| starts.iter().position(|one| one == start).unwrap();
        assert!(at(&pair[1]) - at(&pair[0]) >= 4, "{won:?}");
    }
    let mut stored: Vec<String> = listed(&service, id)
        .await
        .iter()
        .map(|booking| booking["start"].as_str().unwrap().to_owned())
        .collect();
    stored.sort();
    assert_eq!(stored, won);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn of_all_who_reserve_a_slot_the_holder_alone_can_book_it() {
    let (service, id) = team(json!({})).await;
    for start in ["2027-03-02T09:00:00Z", "2027-03-02T11:00:00Z"] {
        let hold = json!({"eventTypeId": id, "slotStart": start});
        let attempts = (0..CLIENTS).map(|_| (HOLDS.to_owned(), None, hold.clone()));
        let answers = race(&service, attempts.collect()).await;
        assert_eq!(
            tally(&answers),
            BTreeMap::from([(201, 1), (422, CLIENTS - 1)])
        );
        let (holder, held) = winner(&answers);
        let uid = held.data()["reservationUid"].clone();
        let attempts = (0..CLIENTS).map(|number| {
            let mut body = by(number, id, start);
            if number == holder {
                body["reservedSlotUid"] = uid.clone();
            } else if number % 2 == 0 {
                body["reservedSlotUid"] = json!(format!("{number}-{}", uid.as_str().unwrap()));
            }
            book(body)
        });
        let answers = race(&service, attempts.collect()).await;
        assert_eq!(
            tally(&answers),
            BTreeMap::from([(201, 1), (409, CLIENTS - 1)])
        );
        let (number, won) = winner(&answers);
        assert_eq!(number, holder);
        assert!(listed(&service, id).await.contains(won.data()));
        assert_eq!(service.count("reservations").await, 0);
    }
    assert_eq!(listed(&service, id).await.len(), 2);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn one_reservation_is_good_for_one_booking() {
    let (service, id) = team(json!({})).await;
    let start = "2027-03-02T09:00:00Z";
    let hold = json!({"eventTypeId": id, "slotStart": start});
    let uid = service.post(HOLDS, hold).await.data()["reservationUid"].clone();
    let attempts = (0..50).map(|number| {
        let mut body = by(number, id, start);
        body["reservedSlotUid"] = uid.clone();
        book(body)
    });
    let answers = race(&service, attempts.collect()).await;
    assert_eq!(tally(&answers), BTreeMap::from([(201, 1), (409, 49)]));
    assert_eq!(listed(&service, id).await.len(), 1);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn as_many_get_a_seat_as_there_are() {
    const SEATS: usize = 7;
    let (service, id) = team(json!({"seats": {"seatsPerTimeSlot": SEATS}})).await;
    for start in ["2027-03-02T09:00:00.000Z", "2027-03-02T10:00:00.000Z"] {
        let attempts = (0..CLIENTS).map(|number| book(by(number, id, start)));
        let answers = race(&service, attempts.collect()).await;
        assert_eq!(
            tally(&answers),
            BTreeMap::from([(201, SEATS), (409, CLIENTS - SEATS)])
        );
        let won: Vec<&Value> = answers
            .iter()
            .filter(|answer| answer.status == 201)
            .map(Answer::data)
            .collect();
        let uids: HashSet<&str> = won.iter().map(|it| it["uid"].as_str().unwrap()).collect();
        assert_eq!(uids.len(), 1);
        let all = listed(&service, id).await;
        let stored: Vec<&Value> = all.iter().filter(|it| it["start"] == start).collect();
        assert_eq!(stored.len(), 1);
        // Whoever was answered 201 has the seat that the answer names.
        let seat = |it: &Value| (it["email"].to_string(), it["seatUid"].to_string());
        let seats: HashSet<_> = stored[0]["attendees"]
            .as_array()
            .unwrap()
            .iter()
            .map(seat)
            .collect();
        let answered: HashSet<_> = won
            .iter()
            .map(|it| {
                assert_eq!(it["attendees"].as_array().unwrap().len(), 1);
                assert_eq!(it["attendees"][0]["seatUid"], it["seatUid"]);
                seat(&it["attendees"][0])
            })
            .collect();
        assert_eq!(answered.len(), SEATS);
        assert_eq!(seats, answered);
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn moves_and_new_bookings_compete_for_the_same_slot() {
    let (service, id) = team(json!({})).await;
    let start = "2027-03-03T15:00:00.000Z";
    let mut moved = Vec::new();
    for quarter in 0..12 {
        let at = format!(
            "2027-03-02T{:02}:{:02}:00Z",
            9 + quarter / 2,
            quarter % 2 * 30
        );
        moved.push(Made::new(id).at(&at).store(&service).await);
    }
    let mut attempts: Vec<Attempt> = moved
        .iter()
        .map(|uid| {
            let target = format!("/v2/bookings/{uid}/reschedule");
            (target, None, json!({"start": start}))
        })
        .collect();
    attempts.extend((0..40).map(|number| book(by(number, id, start))));
    // Not always the same ones first.
    attempts.sort_by_key(|(target, _, body)| (body.to_string().len() * 7 + target.len()) % 5);
    let answers = race(&service, attempts).await;
    assert_eq!(tally(&answers), BTreeMap::from([(201, 1), (409, 51)]));
    let won = winner(&answers).1.data();
    let all = listed(&service, id).await;
    assert_eq!(all.len(), moved.len() + 1);
    // Whoever lost has the booking they had.
    for booking in &all {
        let is_old = booking["uid"] == won["rescheduledFromUid"];
        let status = if is_old { "cancelled" } else { "accepted" };
        assert_eq!(booking["status"], status);
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn seats_that_are_moved_at_once_stay_within_the_room() {
    let (service, id) = team(json!({"seats": {"seatsPerTimeSlot": 3}})).await;
    let start = "2027-03-03T15:00:00.000Z";
    let mut attempts: Vec<Attempt> = Vec::new();
    for hour in 9..15 {
        let seats = [format!("a{hour}"), format!("b{hour}")];
        let uid = Made::new(id)
            .at(&format!("2027-03-02T{hour:02}:00:00Z"))
            .seats(&[&seats[0], &seats[1]])
            .store(&service)
            .await;
        for seat in seats {
            let target = format!("/v2/bookings/{uid}/reschedule");
            attempts.push((target, None, json!({"start": start, "seatUid": seat})));
        }
    }
    let answers = race(&service, attempts).await;
    assert_eq!(tally(&answers), BTreeMap::from([(201, 3), (409, 9)]));
    let all = listed(&service, id).await;
    let mut seats: Vec<&str> = Vec::new();
    for booking in &all {
        let attendees = booking["attendees"].as_array().unwrap();
        if booking["start"] == start {
            assert_eq!(attendees.len(), 3);
        }
        seats.extend(attendees.iter().map(|it| it["seatUid"].as_str().unwrap()));
    }
    // Nobody has lost a seat, and nobody has two.
    assert_eq!(seats.len(), 12);
    assert_eq!(seats.iter().collect::<HashSet<_>>().len(), 12);
}

/// What follows a booking, up to one that nothing follows.
async fn chain(service: &Service, uid: &str) -> Vec<Value> {
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
async fn a_booking_ends_once_however_many_try_to_end_it() {
    let service = Service::start().await;
    let asked = json!({"confirmationPolicy": {"type": "always"}});
    let id = service
        .event_type_of("race", Some("collective"), &[HOST], asked)
        .await;
    let service = Arc::new(service);
    let host = service.bearer_of(HOST).await;
    let mut ends = HashSet::new();
    for round in 0..8 {
        let status = if round % 2 == 0 {
            "pending"
        } else {
            "accepted"
        };
        let made = Made::new(id).status(status);
        let uid = made
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
        let answers = race(&service, attempts).await;
        let mut won: Vec<&str> = Vec::new();
        for (action, answer) in actions.iter().zip(&answers) {
            match answer.status {
                200 | 201 => won.push(action),
                _ => drop(answer.refused(400, "BadRequestException").len()),
            }
        }
        let confirmed = won.iter().filter(|action| **action == "confirm").count();
        assert!(confirmed <= usize::from(status == "pending"), "{won:?}");
        won.retain(|action| *action != "confirm");
        let [end] = won[..] else {
            panic!("{won:?}");
        };
        ends.insert(end.to_owned());

        let chain = chain(&service, &uid).await;
        let statuses: Vec<&str> = chain
            .iter()
            .map(|one| one["status"].as_str().unwrap())
            .collect();
        match end {
            "reschedule" => {
                assert_eq!(statuses, ["cancelled", "pending"]);
                assert_eq!(chain[1]["rescheduledFromUid"], json!(uid));
                let late = answers
                    .iter()
                    .zip(&actions)
                    .filter(|(answer, action)| *action == "reschedule" && answer.status == 400);
                for (answer, _) in late {
                    assert!(answer.text.contains(chain[1]["uid"].as_str().unwrap()));
                }
            }
            "cancel" => assert_eq!(statuses, ["cancelled"]),
            _ => assert_eq!(statuses, ["rejected"]),
        }
        // Nothing else has come of it.
        let all = listed(&service, id).await;
        let uids: HashSet<&str> = chain.iter().map(|it| it["uid"].as_str().unwrap()).collect();
        let follows = |it: &&Value| it["rescheduledFromUid"] == json!(uid);
        assert_eq!(all.iter().filter(follows).count(), uids.len() - 1);
    }
    assert!(!ends.is_empty());
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn rotating_hosts_are_given_away_once_each() {
    let service = Service::start().await;
    let id = service
        .event_type_of("any", Some("roundRobin"), &[HOST, OTHER_HOST], json!({}))
        .await;
    let service = Arc::new(service);
    // Both work from 14:00 to 16:00 UTC.
    let attempts = (0..60).map(|number| book(by(number, id, "2027-03-02T14:00:00Z")));
    let answers = race(&service, attempts.collect()).await;
    assert_eq!(tally(&answers), BTreeMap::from([(201, 2), (409, 58)]));
    let hosts: HashSet<String> = listed(&service, id)
        .await
        .iter()
        .map(|booking| booking["hosts"][0]["id"].to_string())
        .collect();
    assert_eq!(hosts.len(), 2);
}
