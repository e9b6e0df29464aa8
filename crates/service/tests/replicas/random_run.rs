//! A random run over replicas that are killed and paused.

use std::thread;
use std::time::{Duration, Instant};

use crate::cluster::Cluster;
use crate::fixture;
use crate::postgres::TestDatabase;
use crate::visitors::Visitors;

/// Duration unless the environment sets a number of attempts.
const DURATION: Duration = Duration::from_secs(30);
/// Attempts for which there is time, which decide how many days they share.
const ATTEMPTS: usize = 3_000;
/// Fewer attempts say nothing.
const MIN_ATTEMPTS: usize = 300;
const THREADS: u64 = 32;

#[test]
#[ignore = "needs PostgreSQL"]
fn random_history_over_failing_replicas_breaks_no_rule() {
    let attempts: Option<usize> = std::env::var("BOOKING_TEST_ATTEMPTS")
        .ok()
        .map(|attempts| attempts.parse().unwrap());
    let runtime = tokio::runtime::Runtime::new().unwrap();
    let database = runtime.block_on(TestDatabase::create(None)).unwrap();
    let directory = tempfile::tempdir().unwrap();
    let cluster = Cluster::start(directory.path(), &database.url);
    fixture::add(&database.url);

    // About half of the bookings find a free slot.
    let days = (attempts.unwrap_or(ATTEMPTS) / 450 + 2) as i64;
    let address = vec![cluster.proxy.address.clone()];
    let visitors = Visitors::new(
        address,
        fixture::rules(),
        days,
        attempts.unwrap_or(usize::MAX),
    );
    let start = Instant::now();
    let (mut kills, mut pauses) = (0, 0);
    visitors.run(THREADS, |visitors| {
        let mut random = visitors.random(1_000);
        while !visitors.is_over() && (attempts.is_some() || start.elapsed() < DURATION) {
            thread::sleep(Duration::from_millis(random.u64(500..3_000)));
            let replica = random.usize(..cluster.len());
            if random.bool() {
                cluster.kill(replica);
                kills += 1;
            } else {
                let pause = Duration::from_millis(random.u64(200..1_500));
                cluster.pause(replica, || thread::sleep(pause));
                pauses += 1;
            }
        }
    });
    let elapsed = start.elapsed();
    let attempts = visitors.attempts().len();
    let statuses = visitors.statuses();
    println!(
        "{attempts} attempts in {elapsed:?}, {:.0} per second; {kills} kills, {pauses} pauses; statuses (0: unknown): {statuses:?}",
        attempts as f64 / elapsed.as_secs_f64()
    );
    let violations = visitors.violations(&cluster.owner());
    assert!(violations.is_empty(), "{violations:#?}\n{}", cluster.logs());
    assert!(kills > 0 && pauses > 0 && attempts >= MIN_ATTEMPTS);
    // The run is of no use if nearly all attempts have the same result.
    let share = |statuses_of: &[u16]| {
        let count = |status| statuses.get(status).copied().unwrap_or_default();
        statuses_of.iter().map(count).sum::<usize>() as f64 / attempts as f64
    };
    assert!(
        share(&[200, 201]) > 0.2 && share(&[400, 409, 422]) > 0.05,
        "{statuses:?}"
    );
}
