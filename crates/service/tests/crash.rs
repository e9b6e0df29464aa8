//! A service that is killed again and again while it is written to: what it has answered is
//! there, and nothing is half done.

#![cfg(unix)]
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    unreachable_pub,
    missing_docs,
    dead_code
)]

use std::collections::HashMap;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use serde_json::{Value, json};

#[path = "support/process.rs"]
mod process;
use process::{Process, run};

const ROUNDS: u64 = 10;
const WRITERS: usize = 6;
const TIME: Duration = Duration::from_secs(25);
const ROLES: &str = "/v2/organizations/1/teams/1/roles";
const SLOTS: &str = "/v2/slots?eventTypeId=1&start=2027-03-02&end=2027-05-30";

/// What the service has answered, by what it can be asked for again.
#[derive(Default)]
struct Answered {
    /// Bookings as they were answered, and the last state that was answered; none if a change
    /// was asked for and the answer never came.
    bookings: HashMap<String, (Value, Option<&'static str>)>,
    roles: Vec<Value>,
}

#[test]
fn whatever_was_answered_outlives_any_number_of_kills() {
    let directory = tempfile::tempdir().unwrap();
    let data = directory.path().join("data");
    drop(Process::start(&data, &[]));
    let demo = std::fs::read(data.join("demo.json")).unwrap();
    let demo: Value = serde_json::from_slice(&demo).unwrap();
    let key = format!(
        "authorization: Bearer {}\r\n",
        demo["apiKey"].as_str().unwrap()
    );

    let started = Instant::now();
    let mut answered = Answered::default();
    for round in 0..ROUNDS {
        if started.elapsed() > TIME {
            break;
        }
        let service = Process::start(&data, &["--rate-limit-off"]);
        confirm(&service, &answered, &key);
        // Each round is killed at another point of its work.
        write_until_killed(
            &service,
            &key,
            Duration::from_millis(60 + 47 * round),
            &mut answered,
        );
        drop(service);
        let checked = run(&["check", "--data", data.to_str().unwrap()]);
        let found = String::from_utf8_lossy(&checked.stdout).into_owned();
        assert!(checked.status.success(), "round {round}: {found}");
    }
    let service = Process::start(&data, &["--rate-limit-off"]);
    confirm(&service, &answered, &key);
    let bookings = answered.bookings.len();
    assert!(bookings >= 10, "only {bookings} bookings were answered");
    assert!(answered.roles.len() >= 10);
}

/// Asks for everything that was answered before.
fn confirm(service: &Process, answered: &Answered, key: &str) {
    for (uid, (made, state)) in &answered.bookings {
        let (status, found) = service.call("GET", &format!("/v2/bookings/{uid}"), "", "");
        assert_eq!(status, 200, "the booking {uid} is lost");
        let found = &found["data"];
        for part in ["start", "end", "attendees", "metadata", "id", "hosts"] {
            assert_eq!(found[part], made[part], "{part} of {uid}");
        }
        if let Some(state) = state {
            assert_eq!(found["status"], *state, "{uid}");
        }
    }
    let (_, listed) = service.call("GET", &format!("{ROLES}?take=250"), key, "");
    let listed = listed["data"].as_array().unwrap();
    for role in &answered.roles {
        let found = listed.iter().find(|listed| listed["id"] == role["id"]);
        // A page holds so many of them.
        if listed.len() < 250 {
            assert_eq!(found, Some(role));
        } else {
            let target = format!("{ROLES}/{}", role["id"].as_str().unwrap());
            assert_eq!(&service.call("GET", &target, key, "").1["data"], role);
        }
    }
}

/// What one writer has seen of an answer.
enum Seen {
    Booked(Value),
    Cancelled(String),
    CancelAsked(String),
    Role(Value),
}

fn write_until_killed(service: &Process, key: &str, after: Duration, answered: &mut Answered) {
    let (_, free) = service.call("GET", SLOTS, "", "");
    let starts: Vec<String> = free["data"]
        .as_object()
        .unwrap()
        .values()
        .flat_map(|day| day.as_array().unwrap())
        .map(|slot| slot["start"].as_str().unwrap().to_owned())
        .collect();
    let next = AtomicUsize::new(0);
    let seen: Vec<Seen> = thread::scope(|scope| {
        let writers: Vec<_> = (0..WRITERS)
            .map(|writer| {
                let (next, starts) = (&next, &starts);
                scope.spawn(move || write(service, key, writer, next, starts))
            })
            .collect();
        thread::sleep(after);
        service.send_signal("-KILL");
        writers
            .into_iter()
            .flat_map(|writer| writer.join().unwrap())
            .collect()
    });
    for seen in seen {
        match seen {
            Seen::Booked(booking) => {
                let uid = booking["uid"].as_str().unwrap().to_owned();
                answered.bookings.insert(uid, (booking, Some("accepted")));
            }
            Seen::CancelAsked(uid) => answered.bookings.get_mut(&uid).unwrap().1 = None,
            Seen::Cancelled(uid) => {
                answered.bookings.get_mut(&uid).unwrap().1 = Some("cancelled");
            }
            Seen::Role(role) => answered.roles.push(role),
        }
    }
}

/// Books, cancels every third booking and makes roles until nobody answers.
fn write(
    service: &Process,
    key: &str,
    writer: usize,
    next: &AtomicUsize,
    starts: &[String],
) -> Vec<Seen> {
    let mut seen = Vec::new();
    loop {
        let number = next.fetch_add(1, Ordering::Relaxed);
        let Some(start) = starts.get(number) else {
            return seen;
        };
        let body = json!({
            "start": start,
            "eventTypeId": 1,
            "attendee": {"name": "Zoë", "email": format!("z{number}@example.org"), "timeZone": "Europe/Rome"},
            "metadata": {"writer": writer.to_string()},
        });
        match service.try_call("POST", "/v2/bookings", "", &body.to_string()) {
            None => return seen,
            Some((201, answer)) => {
                let uid = answer["data"]["uid"].as_str().unwrap().to_owned();
                seen.push(Seen::Booked(answer["data"].clone()));
                if number.is_multiple_of(3) {
                    seen.push(Seen::CancelAsked(uid.clone()));
                    let target = format!("/v2/bookings/{uid}/cancel");
                    let reason = json!({"cancellationReason": "ill"}).to_string();
                    match service.try_call("POST", &target, "", &reason) {
                        Some((200 | 201, _)) => seen.push(Seen::Cancelled(uid)),
                        Some(other) => panic!("{other:?}"),
                        None => return seen,
                    }
                }
            }
            // A start that lies too near another booking.
            Some((400 | 409, _)) => {}
            Some(other) => panic!("{other:?}"),
        }
        let body =
            json!({"name": format!("{writer}-{number}-{start}"), "permissions": ["booking.read"]});
        match service.try_call("POST", ROLES, key, &body.to_string()) {
            Some((201, answer)) => seen.push(Seen::Role(answer["data"].clone())),
            Some((400, _)) => {}
            Some(other) => panic!("{other:?}"),
            None => return seen,
        }
    }
}
