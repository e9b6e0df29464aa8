//! A database server that is stopped and started under load.

use std::thread;
use std::time::{Duration, Instant};

use crate::cluster::Cluster;
use crate::database_server::{DatabaseServer, Stop};
use crate::fixture;
use crate::http;
use crate::proxy::wait_until;
use crate::visitors::Visitors;

const OUTAGES: usize = 5;
const OUTAGE: Duration = Duration::from_millis(1_500);
const THREADS: u64 = 16;
const DAYS: i64 = 25;

#[test]
#[ignore = "needs PostgreSQL"]
fn stopped_database_returns_503_and_replicas_recover_without_restart() {
    let server = DatabaseServer::start();
    fixture::run(&server.url("postgres"), "CREATE DATABASE booking");
    let directory = tempfile::tempdir().unwrap();
    let cluster = Cluster::start(directory.path(), &server.url("booking"));
    fixture::add(&server.url("booking"));
    let processes: Vec<u32> = (0..cluster.len()).map(|index| cluster.id(index)).collect();

    // Without the proxy, which has no replica to lead to meanwhile.
    let addresses: Vec<String> = (0..cluster.len())
        .map(|index| cluster.address(index))
        .collect();
    let visitors = Visitors::new(addresses.clone(), fixture::rules(), DAYS, usize::MAX);
    let start = Instant::now();
    let mut reasons = Vec::new();
    visitors.run(THREADS, |visitors| {
        for number in 0..OUTAGES {
            visitors.wait_for_bookings();
            server.stop(if number % 2 == 0 {
                Stop::Fast
            } else {
                Stop::Immediate
            });
            let stopped = Instant::now();
            while stopped.elapsed() < OUTAGE {
                let address = &addresses[number % addresses.len()];
                let began = Instant::now();
                let health = http::get(address, "/readyz", "").unwrap();
                reasons.push((health.status, health.text, began.elapsed()));
                thread::sleep(Duration::from_millis(100));
            }
            server.resume();
        }
        visitors.wait_for_bookings();
    });
    let statuses = visitors.statuses();
    println!(
        "{} attempts with {OUTAGES} outages in {:?}; statuses (0: unknown): {statuses:?}",
        visitors.begun(),
        start.elapsed()
    );
    let ids: Vec<u32> = (0..cluster.len()).map(|index| cluster.id(index)).collect();
    assert_eq!(ids, processes);
    for address in &addresses {
        wait_until("the replica is ready", || {
            http::get(address, "/readyz", "").unwrap().status == 200
        });
    }
    let violations = visitors.violations(&cluster.owner());
    assert!(violations.is_empty(), "{violations:#?}\n{}", cluster.logs());
    // Nothing but success, rejections with a reason, and 503.
    for status in statuses.keys() {
        assert!(
            [0, 200, 201, 400, 409, 422, 503].contains(status),
            "{statuses:?}\n{}",
            cluster.logs()
        );
    }
    assert!(
        statuses.get(&503).is_some_and(|count| *count > 20),
        "{statuses:?}"
    );
    // A cached result may be from before the stop.
    let down = reasons.iter().filter(|(status, ..)| *status == 503);
    assert!(down.clone().count() > OUTAGES, "{reasons:?}");
    for (_, reason, _) in down {
        assert_eq!(reason, "database", "{reasons:?}");
    }
}
