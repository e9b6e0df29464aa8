//! Kills of the service between a booking and its messages: none is lost, and each keeps its Message-ID.

use std::collections::{BTreeMap, BTreeSet};
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use serde_json::{Value, json};

use crate::mail_server::MailServer;
use crate::mail_service::{entry, message_id, recipient};
use crate::process::{Process, run, serve_command};

const ROUNDS: u32 = 20;

/// Most bookings per round.
const BOOKINGS: usize = 6;

/// Longest delay of a kill, in milliseconds.
const MAX_DELAY_MS: u64 = 150;

/// Pseudorandom numbers (xorshift).
struct Random(u64);

impl Random {
    fn below(&mut self, limit: u64) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0 % limit
    }
}

fn start(data: &std::path::Path, server: &MailServer, round: u32) -> Process {
    let mut command = serve_command(data);
    // Time goes on from round to round, so that put off messages become due.
    let now = format!("2027-03-01T08:{round:02}:00Z");
    command.args(["--port", "0", "--test-mode", "--demo", "--rate-limit-off"]);
    command.args(["--now", &now, "--smtp-url", &server.url()]);
    command.args(["--mail-from", "Desk <desk@example.org>"]);
    Process::spawn(command, None)
}

#[test]
fn killed_service_loses_no_message_and_gives_none_a_second_id() {
    let seed = SystemTime::now()
        .duration_since(UNIX_EPOCH)
        .unwrap()
        .as_nanos() as u64
        | 1;
    println!("seed {seed}");
    let mut random = Random(seed);
    let directory = tempfile::tempdir().unwrap();
    let data = directory.path().join("data");
    let mut server = MailServer::start(&[]);
    // Messages are in flight when the service is killed.
    server.set_faults(&json!({"delay": 0.005}));
    let mut acknowledged = BTreeSet::new();
    let mut starts = Vec::new();
    let mut in_flight = 0;
    for round in 0..ROUNDS {
        let service = start(&data, &server, round);
        if starts.is_empty() {
            let target = "/v2/slots?eventTypeId=1&start=2027-03-02&end=2027-05-30";
            let (_, free) = service.call("GET", target, "", "");
            let days = free["data"].as_object().unwrap().values();
            let slots = days.flat_map(|day| day.as_array().unwrap());
            starts = slots
                .map(|slot| slot["start"].clone())
                .collect::<Vec<Value>>();
            starts.reverse();
        }
        let delay = Duration::from_millis(random.below(MAX_DELAY_MS));
        let bookings = 1 + random.below(BOOKINGS as u64) as usize;
        let taken: Vec<Value> = starts.split_off(starts.len() - bookings);
        let received = server.count();
        let booked = taken.iter().enumerate().filter_map(|(index, start)| {
            let email = format!("r{round}-{index}@example.org");
            let body = json!({
                "start": start, "eventTypeId": 1,
                "attendee": {"name": "Zoë", "email": email, "timeZone": "Europe/Rome"},
            });
            let response = service.try_call("POST", "/v2/bookings", "", &body.to_string());
            let (status, response) = response.expect("the service runs");
            (status == 201).then_some(email).or_else(|| {
                // Overlaps with another booking.
                assert!(status == 409 || status == 400, "{status}: {response}");
                None
            })
        });
        let booked: Vec<String> = booked.collect();
        std::thread::sleep(delay);
        service.send_signal("-KILL");
        drop(service);
        let sent = server.count() - received;
        in_flight += usize::from(sent < 2 * booked.len());
        acknowledged.extend(booked);
    }
    assert!(acknowledged.len() >= ROUNDS as usize, "{acknowledged:?}");
    // The kills came between bookings and their messages.
    assert!(in_flight > 0, "all messages were sent before the kills");

    server.set_faults(&json!({}));
    let _service = start(&data, &server, ROUNDS + 2);
    let began = Instant::now();
    let waiting = loop {
        let output = run(&["mail", "list", "--data", data.to_str().unwrap()]);
        let shown = String::from_utf8(output.stdout).unwrap();
        let waiting: Vec<String> = shown.lines().skip(1).map(str::to_owned).collect();
        // Nothing waits before the messages of the last bookings are made. Some of the others have come twice, so that
        // their number says nothing.
        let messages = server.messages();
        let told: BTreeSet<&str> = messages.iter().map(recipient).collect();
        let are_all_told = acknowledged
            .iter()
            .all(|email| told.contains(email.as_str()));
        if waiting.is_empty() && are_all_told || began.elapsed().as_secs() > 120 {
            break waiting;
        }
        std::thread::sleep(Duration::from_millis(100));
    };
    assert!(waiting.is_empty(), "{waiting:#?}");
    let mut ids: BTreeMap<(String, String), BTreeSet<String>> = BTreeMap::new();
    let messages = server.messages();
    for message in &messages {
        // Kind and booking: all are new bookings, with an entry of their own.
        let booking = entry(message)["uid"].as_str().unwrap().to_owned();
        let key = (booking, recipient(message).to_owned());
        ids.entry(key)
            .or_default()
            .insert(message_id(message).to_owned());
    }
    for (key, ids) in &ids {
        assert_eq!(ids.len(), 1, "{key:?} has {ids:?}");
    }
    let told: BTreeSet<&String> = ids.keys().map(|(_, email)| email).collect();
    for email in &acknowledged {
        assert!(told.contains(email), "the message to {email} is lost");
    }
    // One to the attendee and one to the host.
    let bookings: BTreeSet<&String> = ids.keys().map(|(booking, _)| booking).collect();
    assert_eq!(ids.len(), 2 * bookings.len());
    println!(
        "{} bookings, {} messages, {} of them twice; {in_flight} of {ROUNDS} kills before all were sent",
        bookings.len(),
        messages.len(),
        messages.len() - ids.len()
    );
}
