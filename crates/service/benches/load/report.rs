//! Report of the measurements as a table and as JSON.

use std::fmt::Write;

use serde_json::{Value, json};

use crate::load::percentile;
use crate::{CALLERS, LIST_CALLERS, MANY_CALLERS, Measurements, Options};

/// Description of the machine.
pub(crate) struct Machine {
    cores: usize,
    processor: String,
}

impl Machine {
    /// Detects the cores and the processor.
    pub(crate) fn describe() -> Self {
        let processor = std::fs::read_to_string("/proc/cpuinfo")
            .unwrap_or_default()
            .lines()
            .find_map(|line| line.strip_prefix("model name"))
            .and_then(|rest| rest.split_once(':'))
            .map_or_else(
                || std::env::consts::ARCH.to_owned(),
                |(_, name)| name.trim().to_owned(),
            );
        Self {
            cores: std::thread::available_parallelism().map_or(1, usize::from),
            processor,
        }
    }
}

/// Results of all loads.
pub(crate) struct Report {
    machine: Machine,
    is_postgres: bool,
    replicas: usize,
    pub(crate) slots: Measurements,
    pub(crate) unique_slots: Measurements,
    pub(crate) bookings: Measurements,
    pub(crate) one_host: Measurements,
    pub(crate) many_hosts: Measurements,
    pub(crate) list: Measurements,
    pub(crate) hello: Measurements,
    pub(crate) inserts: Measurements,
    /// Of the largest replica.
    pub(crate) peak_memory_kib: Option<u64>,
}

impl Report {
    /// Creates an empty report.
    pub(crate) fn new(machine: Machine, options: &Options) -> Self {
        Self {
            machine,
            is_postgres: options.postgres.is_some(),
            replicas: options.replicas,
            slots: Measurements::default(),
            unique_slots: Measurements::default(),
            bookings: Measurements::default(),
            one_host: Measurements::default(),
            many_hosts: Measurements::default(),
            list: Measurements::default(),
            hello: Measurements::default(),
            inserts: Measurements::default(),
            peak_memory_kib: None,
        }
    }

    fn rows(&self) -> [(&'static str, usize, &Measurements); 8] {
        [
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
        ]
    }

    /// Performance goals: name, true if met, and the measured value.
    fn goals(&self) -> Vec<(&'static str, bool, String)> {
        let millis = |micros: u64| format!("{:.2} ms", micros as f64 / 1000.0);
        let slots = self.slots.percentile(50);
        let list = self.list.percentile(50);
        let (unique_goal, many_goal) = if self.is_postgres {
            (1_200.0, 600.0)
        } else {
            (2_000.0, 1_000.0)
        };
        let mut goals = vec![
            (
                "slots, half of the answers within 5 ms",
                slots < 5_000,
                millis(slots),
            ),
            (
                "slots, 2,000 answers a second",
                self.slots.per_second() >= 2_000.0,
                format!("{:.0}/s", self.slots.per_second()),
            ),
            (
                "slots, none asked before, 1 booking a second: answers a second",
                self.unique_slots.per_second() >= unique_goal,
                format!("{:.0}/s of {unique_goal}", self.unique_slots.per_second()),
            ),
            (
                "bookings of many hosts, a second",
                self.many_hosts.per_second() >= many_goal,
                format!("{:.0}/s of {many_goal}", self.many_hosts.per_second()),
            ),
            (
                "bookings of one host, a second",
                self.one_host.per_second() >= 250.0,
                format!("{:.0}/s of 250", self.one_host.per_second()),
            ),
            (
                "bookings, 300 a second",
                self.bookings.per_second() >= 300.0,
                format!("{:.0}/s", self.bookings.per_second()),
            ),
            (
                "list, half of the answers within 20 ms",
                list < 20_000,
                millis(list),
            ),
        ];
        if let Some(kib) = self.peak_memory_kib {
            goals.push((
                "memory, less than 100 MB at its peak",
                kib < 100_000,
                format!("{:.0} MB", kib as f64 * 1.024 / 1000.0),
            ));
        }
        goals
    }

    /// Throughput relative to the baselines.
    fn ratios(&self) -> [(&'static str, f64); 2] {
        let relative_throughput =
            |one: &Measurements, other: &Measurements| one.per_second() / other.per_second();
        [
            (
                "slots answered per hello",
                relative_throughput(&self.slots, &self.hello),
            ),
            (
                "bookings made per plain insert",
                relative_throughput(&self.bookings, &self.inserts),
            ),
        ]
    }

    fn store(&self) -> &'static str {
        if self.is_postgres {
            "PostgreSQL"
        } else {
            "SQLite"
        }
    }

    /// Formats the report as a table.
    pub(crate) fn to_table(&self) -> String {
        let mut text = String::new();
        // Writing to a `String` cannot fail.
        let _ = writeln!(
            text,
            "{} cores, {}; {}, {} replica(s)\n\n{:<38}{:>8}{:>10}{:>10}{:>10}{:>10}{:>9}",
            self.machine.cores,
            self.machine.processor,
            self.store(),
            self.replicas,
            "",
            "callers",
            "p50 ms",
            "p95 ms",
            "p99 ms",
            "per s",
            "answers"
        );
        for (name, callers, measured) in self.rows() {
            let millis = |percent| measured.percentile(percent) as f64 / 1000.0;
            let _ = writeln!(
                text,
                "{name:<38}{callers:>8}{:>10.2}{:>10.2}{:>10.2}{:>10.0}{:>9}",
                millis(50),
                millis(95),
                millis(99),
                measured.per_second(),
                measured.0.micros.len()
            );
        }
        text.push('\n');
        for (name, ratio) in self.ratios() {
            let _ = writeln!(text, "{name}: {ratio:.2}");
        }
        text.push('\n');
        for (name, is_met, value) in self.goals() {
            let mark = if is_met { "yes" } else { "NO" };
            let _ = writeln!(text, "{mark:<4}{name}: {value}");
        }
        text
    }

    /// Formats the report as JSON.
    pub(crate) fn to_json(&self) -> Value {
        let rows: Vec<Value> = self
            .rows()
            .into_iter()
            .map(|(name, callers, measured)| {
                json!({
                    "name": name,
                    "callers": callers,
                    "p50Ms": measured.percentile(50) as f64 / 1000.0,
                    "p95Ms": measured.percentile(95) as f64 / 1000.0,
                    "p99Ms": measured.percentile(99) as f64 / 1000.0,
                    "perSecond": measured.per_second(),
                    "answers": measured.0.micros.len(),
                })
            })
            .collect();
        let goals: Vec<Value> = self
            .goals()
            .into_iter()
            .map(|(name, is_met, value)| json!({"goal": name, "met": is_met, "measured": value}))
            .collect();
        let ratios: serde_json::Map<String, Value> = self
            .ratios()
            .into_iter()
            .map(|(name, ratio)| (name.to_owned(), json!(ratio)))
            .collect();
        json!({
            "machine": {"cores": self.machine.cores, "processor": self.machine.processor},
            "store": self.store(),
            "replicas": self.replicas,
            "measured": rows,
            "ratios": ratios,
            "goals": goals,
            "peakMemoryKib": self.peak_memory_kib,
        })
    }
}

impl Measurements {
    /// Percentile of the response times, in microseconds.
    fn percentile(&self, percent: usize) -> u64 {
        percentile(&self.0.micros, percent)
    }

    fn per_second(&self) -> f64 {
        let seconds = self.0.duration.as_secs_f64();
        if seconds > 0.0 {
            self.0.micros.len() as f64 / seconds
        } else {
            0.0
        }
    }
}
