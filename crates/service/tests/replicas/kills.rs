//! Replicas that are killed again and again under load, with a subscriber of webhooks.

use std::thread;
use std::time::{Duration, Instant};

use crate::cluster::Cluster;
use crate::fixture;
use crate::postgres::TestDatabase;
use crate::visitors::Visitors;
use crate::webhook_receiver::{Message, Receiver, first_positions};

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
    let owner = cluster.owner();
    receiver.subscribe(&cluster.proxy.address, &owner);

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
    let expected = visitors.expected_messages();
    assert!(expected.len() > 100, "only {} messages", expected.len());
    receiver.wait_for(&expected);
    let messages = receiver.received();
    check_order(&messages);
    println!("{} messages for {} actions", messages.len(), expected.len());
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
