//! Replicas that are killed again and again under load, with a subscriber of webhooks.

use std::collections::HashMap;
use std::thread;
use std::time::{Duration, Instant};

use serde_json::json;

use crate::cluster::Cluster;
use crate::fixture;
use crate::history::Operation;
use crate::http;
use crate::postgres::TestDatabase;
use crate::proxy::wait_until;
use crate::visitors::Visitors;
use crate::webhook_receiver::{Message, Receiver};

const KILLS: usize = 20;
const THREADS: u64 = 24;
const DAYS: i64 = 25;

#[test]
#[ignore = "needs PostgreSQL"]
fn acknowledged_bookings_and_their_messages_survive_kills_of_replicas() {
    let runtime = tokio::runtime::Runtime::new().unwrap();
    let database = runtime.block_on(TestDatabase::create(None)).unwrap();
    let directory = tempfile::tempdir().unwrap();
    let cluster = Cluster::start(directory.path(), &database.url);
    fixture::add(&database.url);
    let receiver = Receiver::start();
    let webhook = json!({
        "subscriberUrl": receiver.url(),
        "triggers": ["BOOKING_CREATED", "BOOKING_RESCHEDULED", "BOOKING_CANCELLED"],
        "active": true,
    });
    let owner = cluster.owner();
    let target = "/v2/organizations/1/webhooks";
    let made = http::post(&cluster.proxy.address, target, &owner, &webhook).unwrap();
    assert_eq!(made.status, 201, "{}", made.text);

    let address = vec![cluster.proxy.address.clone()];
    let visitors = Visitors::new(address, fixture::rules(), DAYS, usize::MAX);
    let start = Instant::now();
    visitors.run(THREADS, |visitors| {
        let mut random = visitors.random(1_000);
        for _ in 0..KILLS {
            thread::sleep(Duration::from_millis(random.u64(50..500)));
            cluster.kill(random.usize(..cluster.len()));
        }
    });
    println!(
        "{} attempts with {KILLS} kills in {:?}; statuses (0: unknown): {:?}",
        visitors.begun(),
        start.elapsed(),
        visitors.statuses()
    );
    let violations = visitors.violations(&owner);
    assert!(violations.is_empty(), "{violations:#?}\n{}", cluster.logs());

    // Each acknowledged booking is announced.
    let attempts = visitors.attempts();
    let expected: Vec<(&str, String)> = attempts
        .iter()
        .filter_map(|attempt| {
            let uid = attempt.acknowledged()?["uid"].as_str();
            match (&attempt.operation, uid) {
                (Operation::Book { .. }, Some(uid)) => Some(("BOOKING_CREATED", uid.to_owned())),
                (Operation::Reschedule { .. }, Some(uid)) => {
                    Some(("BOOKING_RESCHEDULED", uid.to_owned()))
                }
                (Operation::Cancel { uid, .. }, _) => Some(("BOOKING_CANCELLED", uid.clone())),
                _ => None,
            }
        })
        .collect();
    assert!(expected.len() > 100, "only {} messages", expected.len());
    wait_until("all messages have arrived", || {
        let received = first_positions(&receiver.received());
        expected
            .iter()
            .all(|(trigger, uid)| received.contains_key(&((*trigger).to_owned(), uid.clone())))
    });
    let messages = receiver.received();
    check_order(&messages);
    println!("{} messages for {} actions", messages.len(), expected.len());
}

/// Position of the first message by trigger and uid.
fn first_positions(messages: &[Message]) -> HashMap<(String, String), usize> {
    let mut positions = HashMap::new();
    for (position, message) in messages.iter().enumerate() {
        let key = (message.trigger.clone(), message.uid.clone());
        positions.entry(key).or_insert(position);
    }
    positions
}

/// Checks that no booking is rescheduled or cancelled before its creation was announced. Messages may be repeated.
fn check_order(messages: &[Message]) {
    let first = first_positions(messages);
    let announced = |uid: &str| {
        let of = |trigger: &str| first.get(&(trigger.to_owned(), uid.to_owned()));
        of("BOOKING_CREATED").or_else(|| of("BOOKING_RESCHEDULED"))
    };
    for (position, message) in messages.iter().enumerate() {
        let uid = match (message.trigger.as_str(), &message.rescheduled_uid) {
            ("BOOKING_CANCELLED", _) => &message.uid,
            ("BOOKING_RESCHEDULED", Some(uid)) => uid,
            _ => continue,
        };
        let before = announced(uid).is_some_and(|announced| *announced < position);
        assert!(
            before,
            "{message:?} at {position}, before its booking was announced"
        );
    }
}
