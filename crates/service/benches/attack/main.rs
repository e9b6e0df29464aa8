//! Sends hostile requests to the release binary and fails if one of them costs too much.
//!
//! The service runs over demo data without rate limits, so that only the limits of single requests
//! protect it. Three phases:
//!
//! 1. every operation of both versions with deep, wide, long and repeated input, one request at a
//!    time: status, size of the response and processor time of each;
//! 2. valid requests that are as expensive as their limits allow;
//! 3. a flood of the most expensive of them, of small requests and of clients that do not read,
//!    with concurrent health checks; then the memory a minute later.
//!
//! `cargo xtask attack [--short]` runs it. The limits are those of the class "bounded work for any
//! input": `docs/operating.md`, section "Limits".

mod client;
mod expensive;
mod flood;
mod operations;
mod process;
mod shapes;
mod sweep;

use std::collections::BTreeMap;

use crate::process::Service;

/// Result; the error is a failure of the attack itself.
type Outcome<T = ()> = Result<T, Box<dyn std::error::Error + Send + Sync>>;

/// Start of the service's clock: a Monday.
const NOW: &str = "2027-03-01T08:00:00Z";
/// Maximum processor time of one request, in milliseconds.
const MAX_CPU_MS: f64 = 50.0;
/// Maximum body of one response, in bytes.
const MAX_RESPONSE_BYTES: usize = 256 * 1024;
/// Maximum processor time of a request that is as expensive as its limits allow: twice the time on
/// two cores of an AMD EPYC.
const MAX_EXPENSIVE_CPU_MS: f64 = 100.0;
/// Maximum processor time of a request for a list or for slots, in milliseconds.
const MAX_LIST_CPU_MS: f64 = 250.0;
/// Maximum processor time of a request for a series of 25 bookings, in milliseconds: one and a half
/// times the 197 ms that it took on two cores of an AMD EPYC, whose speed varies by a third.
const MAX_SERIES_CPU_MS: f64 = 300.0;
/// Maximum resident memory during the flood, in MiB. The shipped systemd unit limits it to 1 GiB.
const MAX_PEAK_MEMORY_MIB: u64 = 700;
/// Maximum resident memory one minute after the flood, in MiB.
const MAX_MEMORY_AFTER_MIB: u64 = 150;
/// Maximum 99th percentile of the duration of health checks during the flood, in milliseconds.
const MAX_HEALTH_P99_MS: f64 = 50.0;

/// Requests that broke a limit.
#[derive(Default)]
struct Findings(Vec<String>);

impl Findings {
    fn add(&mut self, finding: String) {
        println!("FOUND {finding}");
        self.0.push(finding);
    }
}

fn main() -> Outcome {
    let mut short = false;
    for argument in std::env::args().skip(1) {
        match argument.as_str() {
            "--short" => short = true,
            // Passed by Cargo.
            "--bench" => {}
            other => return Err(format!("there is no option {other}").into()),
        }
    }
    let mut findings = Findings::default();
    let service = Service::start(&["--now", NOW, "--demo-bookings", "5000"])?;
    let operations = operations::read(&service)?;

    println!("sweep: {} operations", operations.len());
    let result = sweep::run(&service, &operations, short, &mut findings)?;
    println!("{result}");

    println!("expensive valid requests");
    let expensive = expensive::run(&service, &mut findings)?;

    println!("flood");
    let flood = flood::run(&service, &result.slowest, &expensive, short, &mut findings)?;
    println!("{flood}");

    if service.has_ended() {
        findings.add("the service has ended".to_owned());
    }
    service.stop()?;
    if findings.0.is_empty() {
        println!("nothing found");
        return Ok(());
    }
    let mut kinds = BTreeMap::new();
    for finding in &findings.0 {
        let kind = finding.split(':').next().unwrap_or_default();
        *kinds.entry(kind).or_insert(0) += 1;
    }
    Err(format!("{} findings: {kinds:?}", findings.0.len()).into())
}
