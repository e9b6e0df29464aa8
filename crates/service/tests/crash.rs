//! Repeatedly kills the service during writes: acknowledged writes are durable, and the database
//! stays consistent.

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

const ROUND_COUNT: u64 = 10;
const WRITER_COUNT: usize = 6;
const TIME_LIMIT: Duration = Duration::from_secs(25);
const ROLES: &str = "/v2/organizations/1/teams/1/roles";
const SLOTS: &str = "/v2/slots?eventTypeId=1&start=2027-03-02&end=2027-05-30";

/// Acknowledged writes.
#[derive(Default)]
struct AcknowledgedWrites {
    /// Bookings by uid, with the acknowledged status. The status is `None` if a cancellation was
    /// sent and its response was lost.
    bookings: HashMap<String, (Value, Option<&'static str>)>,
    roles: Vec<Value>,
}

#[test]
fn acknowledged_writes_survive_repeated_kills() {
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
    let mut acknowledged = AcknowledgedWrites::default();
    for round in 0..ROUND_COUNT {
        if started.elapsed() > TIME_LIMIT {
            break;
        }
        let service = Process::start(&data, &["--rate-limit-off"]);
        assert_stored(&service, &acknowledged, &key);
        // Each round is killed after a different time.
        write_until_killed(
            &service,
            &key,
            Duration::from_millis(60 + 47 * round),
            &mut acknowledged,
        );
        drop(service);
        let checked = run(&["check", "--data", data.to_str().unwrap()]);
        let fetched = String::from_utf8_lossy(&checked.stdout).into_owned();
        assert!(checked.status.success(), "round {round}: {fetched}");
    }
    let service = Process::start(&data, &["--rate-limit-off"]);
    assert_stored(&service, &acknowledged, &key);
    let bookings = acknowledged.bookings.len();
    assert!(bookings >= 10, "only {bookings} bookings were answered");
    assert!(acknowledged.roles.len() >= 10);
}

/// Asserts that all acknowledged writes are stored.
fn assert_stored(service: &Process, acknowledged: &AcknowledgedWrites, key: &str) {
    for (uid, (created, status)) in &acknowledged.bookings {
        let (status_code, fetched) = service.call("GET", &format!("/v2/bookings/{uid}"), "", "");
        assert_eq!(status_code, 200, "the booking {uid} is lost");
        let fetched = &fetched["data"];
        for key in ["start", "end", "attendees", "metadata", "id", "hosts"] {
            assert_eq!(fetched[key], created[key], "{key} of {uid}");
        }
        if let Some(status) = status {
            assert_eq!(fetched["status"], *status, "{uid}");
        }
    }
    let (_, listed) = service.call("GET", &format!("{ROLES}?take=250"), key, "");
    let listed = listed["data"].as_array().unwrap();
    for role in &acknowledged.roles {
        let fetched = listed.iter().find(|listed| listed["id"] == role["id"]);
        // Beyond one page, roles are read one by one.
        if listed.len() < 250 {
            assert_eq!(fetched, Some(role));
        } else {
            let target = format!("{ROLES}/{}", role["id"].as_str().unwrap());
            assert_eq!(&service.call("GET", &target, key, "").1["data"], role);
        }
    }
}

/// Event of one writer.
enum WriteEvent {
    Booked(Value),
    Cancelled(String),
    CancelRequested(String),
    RoleCreated(Value),
}

fn write_until_killed(
    service: &Process,
    key: &str,
    after: Duration,
    acknowledged: &mut AcknowledgedWrites,
) {
    let (_, free) = service.call("GET", SLOTS, "", "");
    let starts: Vec<String> = free["data"]
        .as_object()
        .unwrap()
        .values()
        .flat_map(|day| day.as_array().unwrap())
        .map(|slot| slot["start"].as_str().unwrap().to_owned())
        .collect();
    let next = AtomicUsize::new(0);
    let events: Vec<WriteEvent> = thread::scope(|scope| {
        let writers: Vec<_> = (0..WRITER_COUNT)
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
    for event in events {
        match event {
            WriteEvent::Booked(booking) => {
                let uid = booking["uid"].as_str().unwrap().to_owned();
                acknowledged
                    .bookings
                    .insert(uid, (booking, Some("accepted")));
            }
            WriteEvent::CancelRequested(uid) => {
                acknowledged.bookings.get_mut(&uid).unwrap().1 = None
            }
            WriteEvent::Cancelled(uid) => {
                acknowledged.bookings.get_mut(&uid).unwrap().1 = Some("cancelled");
            }
            WriteEvent::RoleCreated(role) => acknowledged.roles.push(role),
        }
    }
}

/// Creates bookings and roles, and cancels every third booking, until the service is gone.
fn write(
    service: &Process,
    key: &str,
    writer: usize,
    next: &AtomicUsize,
    starts: &[String],
) -> Vec<WriteEvent> {
    let mut events = Vec::new();
    loop {
        let index = next.fetch_add(1, Ordering::Relaxed);
        let Some(start) = starts.get(index) else {
            return events;
        };
        let body = json!({
            "start": start,
            "eventTypeId": 1,
            "attendee": {"name": "Zoë", "email": format!("z{index}@example.org"), "timeZone": "Europe/Rome"},
            "metadata": {"writer": writer.to_string()},
        });
        match service.try_call("POST", "/v2/bookings", "", &body.to_string()) {
            None => return events,
            Some((201, response)) => {
                let uid = response["data"]["uid"].as_str().unwrap().to_owned();
                events.push(WriteEvent::Booked(response["data"].clone()));
                if index.is_multiple_of(3) {
                    events.push(WriteEvent::CancelRequested(uid.clone()));
                    let target = format!("/v2/bookings/{uid}/cancel");
                    let reason = json!({"cancellationReason": "ill"}).to_string();
                    match service.try_call("POST", &target, "", &reason) {
                        Some((200 | 201, _)) => events.push(WriteEvent::Cancelled(uid)),
                        Some(other) => panic!("{other:?}"),
                        None => return events,
                    }
                }
            }
            // The start conflicts with another booking.
            Some((400 | 409, _)) => {}
            Some(other) => panic!("{other:?}"),
        }
        let body =
            json!({"name": format!("{writer}-{index}-{start}"), "permissions": ["booking.read"]});
        match service.try_call("POST", ROLES, key, &body.to_string()) {
            Some((201, response)) => events.push(WriteEvent::RoleCreated(response["data"].clone())),
            Some((400, _)) => {}
            Some(other) => panic!("{other:?}"),
            None => return events,
        }
    }
}
