//! Three replicas over one PostgreSQL database, of which one is killed again and again:
//! `cargo xtask test --only postgres`.

#![cfg(unix)]
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    unreachable_pub,
    missing_docs,
    dead_code
)]

use std::collections::HashSet;
use std::sync::RwLock;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::thread;
use std::time::Duration;

use serde_json::{Value, json};

#[path = "support/postgres.rs"]
mod postgres;
#[path = "support/process.rs"]
mod process;
use postgres::TestDatabase;
use process::Process;

const REPLICAS: usize = 3;
const KILLS: usize = 12;
const WRITERS: usize = 6;
/// Attempts at a request without a complete answer.
const ATTEMPTS: usize = 40;
const SLOTS: &str = "/v2/slots?eventTypeId=1&start=2027-03-02&end=2027-05-30";

#[test]
#[ignore = "needs PostgreSQL"]
fn acknowledged_bookings_survive_kills_of_replicas_and_never_overlap() {
    let runtime = tokio::runtime::Runtime::new().unwrap();
    let database = runtime.block_on(TestDatabase::create(None)).unwrap();
    let directory = tempfile::tempdir().unwrap();
    let data = directory.path().join("data");
    let start = || {
        Process::start(
            &data,
            &["--database-url", &database.url, "--rate-limit-off"],
        )
    };
    // In turn: the first one makes the tables and the demo data.
    let replicas: Vec<RwLock<Process>> = (0..REPLICAS).map(|_| RwLock::new(start())).collect();
    let starts = free_starts(&replicas[0].read().unwrap());

    let (next, is_over) = (AtomicUsize::new(0), AtomicBool::new(false));
    let made: Vec<Value> = thread::scope(|scope| {
        let writers: Vec<_> = (0..WRITERS)
            .map(|_| scope.spawn(|| write(&replicas, &starts, &next, &is_over)))
            .collect();
        for kill in 0..KILLS {
            thread::sleep(Duration::from_millis(150 + 37 * kill as u64));
            let replica = &replicas[kill % REPLICAS];
            replica.read().unwrap().send_signal("-KILL");
            *replica.write().unwrap() = start();
        }
        is_over.store(true, Ordering::Relaxed);
        writers
            .into_iter()
            .flat_map(|writer| writer.join().unwrap())
            .collect()
    });
    assert!(made.len() > 50, "only {} bookings", made.len());

    let mut times = HashSet::new();
    for (number, booking) in made.iter().enumerate() {
        let uid = booking["uid"].as_str().unwrap();
        let replica = replicas[number % REPLICAS].read().unwrap();
        let (status, found) = replica.call("GET", &format!("/v2/bookings/{uid}"), "", "");
        assert_eq!(status, 200, "the booking {uid} is lost");
        for name in ["start", "end", "status", "hosts"] {
            assert_eq!(found["data"][name], booking[name], "{name} of {uid}");
        }
        // All have the same host and length, and start on a grid of that length.
        assert!(times.insert(booking["start"].clone()), "{booking} twice");
    }
}

fn free_starts(service: &Process) -> Vec<String> {
    let (_, free) = service.call("GET", SLOTS, "", "");
    let days = free["data"].as_object().unwrap().values();
    days.flat_map(|day| day.as_array().unwrap())
        .map(|slot| slot["start"].as_str().unwrap().to_owned())
        .collect()
}

/// Books starts, each for two visitors, until the end. Returns the bookings that were acknowledged.
fn write(
    replicas: &[RwLock<Process>],
    starts: &[String],
    next: &AtomicUsize,
    is_over: &AtomicBool,
) -> Vec<Value> {
    let mut made = Vec::new();
    while !is_over.load(Ordering::Relaxed) {
        let number = next.fetch_add(1, Ordering::Relaxed);
        let Some(start) = starts.get(number / 2) else {
            break;
        };
        let body = json!({
            "start": start,
            "eventTypeId": 1,
            "attendee": {"name": "Zoë", "email": format!("z{number}@example.org"), "timeZone": "Europe/Rome"},
        })
        .to_string();
        // An attempt may have been carried out without an answer: the next one gets its result.
        let key = format!("idempotency-key: visitor-{number}\r\n");
        let answer = (0..ATTEMPTS).find_map(|attempt| {
            let replica = replicas[(number + attempt) % REPLICAS].read().unwrap();
            let answer = replica.try_call("POST", "/v2/bookings", &key, &body);
            drop(replica);
            match answer {
                None | Some((503, _)) => {
                    thread::sleep(Duration::from_millis(50));
                    None
                }
                Some(answer) => Some(answer),
            }
        });
        match answer.expect("an answer") {
            (201, response) => made.push(response["data"].clone()),
            (400 | 409, _) => {}
            other => panic!("{other:?}"),
        }
    }
    made
}
