//! Sends hostile requests to the service as people run it, and fails if one of them costs too much.
//!
//! The release binary runs over demo data without rate limits, so that nothing but the limits of
//! single requests protects it. Three phases:
//!
//! 1. every operation of both versions with deep, wide, long and repeated input, one request at a
//!    time: status, size of the response and processor time of each;
//! 2. valid requests that are as expensive as their limits allow;
//! 3. a flood of the most expensive of them, of small requests and of readers who do not read,
//!    with health checks beside it; then the memory a minute later.
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

/// A failure of the attack itself, as a sentence.
type Outcome<T = ()> = Result<T, Box<dyn std::error::Error + Send + Sync>>;

/// Begin of the service's clock: a Monday.
const NOW: &str = "2027-03-01T08:00:00Z";
/// Processor time of one request, in milliseconds.
const MAX_CPU_MS: f64 = 50.0;
/// Body of one response, in bytes.
const MAX_RESPONSE_BYTES: usize = 256 * 1024;
/// The same of a request that is as expensive as its limits allow: twice what it takes on two cores of
/// an AMD EPYC.
const MAX_EXPENSIVE_CPU_MS: f64 = 100.0;
/// The same of a request for a list or for slots.
const MAX_LIST_CPU_MS: f64 = 250.0;
/// Resident memory during the flood, in MiB: the shipped unit ends the service at a gibibyte.
const MAX_PEAK_MEMORY_MIB: u64 = 700;
/// Resident memory a minute after the flood, in MiB.
const MAX_MEMORY_AFTER_MIB: u64 = 150;
/// 99th percentile of the time of a health check during the flood, in milliseconds.
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
            // Cargo's own.
            "--bench" => {}
            other => return Err(format!("there is no option {other}").into()),
        }
    }
    let mut findings = Findings::default();
    let service = Service::start(&["--now", NOW, "--demo-bookings", "5000"])?;
    let operations = operations::read(&service)?;

    println!("sweep: {} operations", operations.len());
    let swept = sweep::run(&service, &operations, short, &mut findings)?;
    println!("{swept}");

    println!("expensive valid requests");
    let expensive = expensive::run(&service, &mut findings)?;

    println!("flood");
    let flood = flood::run(&service, &swept.slowest, &expensive, short, &mut findings)?;
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
