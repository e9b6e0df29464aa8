//! Report of the measurements as a table.

use crate::load::Sample;
use crate::{CALLERS, LIST_CALLERS, MANY_CALLERS, Options};

/// Results of all loads.
#[derive(Default)]
pub(crate) struct Report {
    pub(crate) slots: Sample,
    pub(crate) unique_slots: Sample,
    pub(crate) bookings: Sample,
    pub(crate) one_host: Sample,
    pub(crate) many_hosts: Sample,
    pub(crate) list: Sample,
    pub(crate) hello: Sample,
    pub(crate) inserts: Sample,
    /// Of the largest replica.
    pub(crate) peak_memory_kib: Option<u64>,
}

impl Report {
    /// Prints response times, throughput relative to the baselines, and whether the goals are met.
    pub(crate) fn print(&self, options: &Options) {
        let (store, unique_goal, many_goal) = match options.postgres {
            Some(_) => ("PostgreSQL", 1_200.0, 600.0),
            None => ("SQLite", 2_000.0, 1_000.0),
        };
        println!("{}; {store}, {} replica(s)\n", machine(), options.replicas);
        println!(
            "{:<38}{:>8}{:>10}{:>10}{:>10}{:>10}{:>9}",
            "", "callers", "p50 ms", "p95 ms", "p99 ms", "per s", "answers"
        );
        for (name, callers, sample) in [
            ("GET /v2/slots, one month of 3 hosts", CALLERS, &self.slots),
            (
                "the same, all new, 1 booking a second",
                CALLERS,
                &self.unique_slots,
            ),
            ("POST /v2/bookings, durable", CALLERS, &self.bookings),
            ("the same, of one host", MANY_CALLERS, &self.one_host),
            ("the same, of 39 hosts", MANY_CALLERS, &self.many_hosts),
            (
                "GET team bookings, 250 of 100,000",
                LIST_CALLERS,
                &self.list,
            ),
            ("plain axum hello", CALLERS, &self.hello),
            ("plain insert, durable", 1, &self.inserts),
        ] {
            let [p50, p95, p99] = [50, 95, 99].map(|percent| sample.percentile(percent));
            println!(
                "{name:<38}{callers:>8}{p50:>10.2}{p95:>10.2}{p99:>10.2}{:>10.0}{:>9}",
                sample.per_second(),
                sample.count()
            );
        }
        println!();
        for (name, one, other) in [
            ("slots answered per hello", &self.slots, &self.hello),
            (
                "bookings made per plain insert",
                &self.bookings,
                &self.inserts,
            ),
        ] {
            println!("{name}: {:.2}", one.per_second() / other.per_second());
        }
        println!();
        for (name, sample, goal) in [
            ("slots", &self.slots, 2_000.0),
            ("slots, none asked before", &self.unique_slots, unique_goal),
            ("bookings", &self.bookings, 300.0),
            ("bookings of one host", &self.one_host, 250.0),
            ("bookings of many hosts", &self.many_hosts, many_goal),
        ] {
            let rate = sample.per_second();
            let is_met = mark(rate >= goal);
            println!("{is_met} {name}: {rate:.0}/s, goal {goal:.0}/s");
        }
        for (name, sample, goal) in [("slots", &self.slots, 5.0), ("list", &self.list, 20.0)] {
            let median = sample.percentile(50);
            let is_met = mark(median < goal);
            println!("{is_met} {name}: half of the answers in {median:.2} ms, goal {goal} ms");
        }
        if let Some(kib) = self.peak_memory_kib {
            let megabytes = kib as f64 * 1.024 / 1000.0;
            let is_met = mark(megabytes < 100.0);
            println!("{is_met} memory: {megabytes:.0} MB at its peak, goal 100 MB");
        }
    }
}

/// Word before a goal.
pub(crate) fn mark(is_met: bool) -> &'static str {
    if is_met { "yes" } else { "NO " }
}

/// Cores and processor.
fn machine() -> String {
    let cpu = std::fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
    let processor = cpu
        .lines()
        .find_map(|line| line.strip_prefix("model name")?.split_once(": "))
        .map_or(std::env::consts::ARCH, |(_, name)| name);
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    format!("{cores} cores, {processor}")
}
