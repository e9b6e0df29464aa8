//! Phase 3: concurrent load with health checks, and the memory a minute later.

use std::fmt;
use std::io::{Read, Write};
use std::net::TcpStream;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use crate::client::{Client, Request};
use crate::process::Service;
use crate::{Findings, MAX_HEALTH_P99_MS, MAX_MEMORY_AFTER_MIB, MAX_PEAK_MEMORY_MIB, Outcome};

/// Clients that send expensive requests and read the responses.
const CLIENTS: usize = 8;
/// Clients that send expensive requests and never read.
const SILENT_READERS: usize = 40;
/// Connections that send a request slowly.
const SLOW_WRITERS: usize = 40;
/// Interval between two health checks.
const CHECK_INTERVAL: Duration = Duration::from_millis(10);

/// Result of the flood.
pub(crate) struct FloodResult {
    requests: usize,
    rejected: usize,
    seconds: f64,
    checks: usize,
    health_ms: [f64; 3],
    own_listener_ms: [f64; 3],
    peak_mib: u64,
    after_mib: u64,
}

impl fmt::Display for FloodResult {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self {
            requests,
            rejected,
            seconds,
            checks,
            ..
        } = self;
        writeln!(
            f,
            "  {requests} requests in {seconds:.0} s, {rejected} of them refused by 503"
        )?;
        for (name, [p50, p99, maximum]) in [
            ("health checks on the common port", self.health_ms),
            ("health checks on their own port", self.own_listener_ms),
        ] {
            writeln!(
                f,
                "  {name}: p50 {p50:.1}, p99 {p99:.1}, longest {maximum:.1} ms of {checks}"
            )?;
        }
        write!(
            f,
            "  memory: peak {} MiB, a minute later {} MiB",
            self.peak_mib, self.after_mib
        )
    }
}

/// Sends the most expensive requests of the sweep and the expensive valid ones concurrently.
pub(crate) fn run(
    service: &Service,
    slowest: &[(f64, Request)],
    expensive: &[Request],
    short: bool,
    findings: &mut Findings,
) -> Outcome<FloodResult> {
    let duration = Duration::from_secs(if short { 15 } else { 60 });
    let small = Request {
        name: "small".to_owned(),
        method: "GET",
        target: "/v2/me".to_owned(),
        headers: String::new(),
        body: None,
    };
    let mut hostile: Vec<Vec<u8>> = slowest
        .iter()
        .map(|(_, request)| request)
        .chain(expensive)
        .map(|request| request.bytes(&service.address))
        .collect();
    hostile.extend((0..hostile.len()).map(|_| small.bytes(&service.address)));
    let hostile = &hostile;
    let started = Instant::now();
    let is_over = || started.elapsed() >= duration;
    let (requests, rejected) = (AtomicUsize::new(0), AtomicUsize::new(0));
    let stop = AtomicBool::new(false);
    let (health, own_port) = thread::scope(|scope| {
        for caller in 0..CLIENTS {
            let (requests, rejected) = (&requests, &rejected);
            scope.spawn(move || {
                let mut client = Client::new(&service.address);
                for request in hostile.iter().cycle().skip(caller * 7) {
                    if is_over() {
                        break;
                    }
                    // The responses were checked in the earlier phases.
                    if let Ok(Some(response)) = client.send(request) {
                        requests.fetch_add(1, Ordering::Relaxed);
                        let is_rejected = usize::from(response.status == 503);
                        rejected.fetch_add(is_rejected, Ordering::Relaxed);
                    } else {
                        client = Client::new(&service.address);
                    }
                }
            });
        }
        scope.spawn(move || send_without_reading(service, hostile, is_over));
        scope.spawn(move || write_slowly(service, is_over));
        let probe = |address: &str| {
            let address = address.to_owned();
            let stop = &stop;
            scope.spawn(move || {
                let mut times = Vec::new();
                while !stop.load(Ordering::Relaxed) {
                    times.push(check_health(&address));
                    thread::sleep(CHECK_INTERVAL);
                }
                times
            })
        };
        let (health, own_port) = (probe(&service.address), probe(&service.health_address));
        thread::sleep(duration);
        stop.store(true, Ordering::Relaxed);
        (health.join(), own_port.join())
    });
    let health = health.map_err(|_| "the health checks failed")?;
    let own_port = own_port.map_err(|_| "the health checks failed")?;
    let seconds = started.elapsed().as_secs_f64();
    let peak_mib = service.memory_mib("VmHWM")?;
    let cooldown_started = Instant::now();
    let after_mib = loop {
        let now_mib = service.memory_mib("VmRSS")?;
        if now_mib < MAX_MEMORY_AFTER_MIB || cooldown_started.elapsed() >= Duration::from_secs(60) {
            break now_mib;
        }
        thread::sleep(Duration::from_secs(1));
    };
    let result = FloodResult {
        requests: requests.into_inner(),
        rejected: rejected.into_inner(),
        seconds,
        checks: health.len() + own_port.len(),
        health_ms: summary(health, findings),
        own_listener_ms: summary(own_port, findings),
        peak_mib,
        after_mib,
    };
    if result.requests < 100 {
        findings.add(format!(
            "flood: only {} requests were answered",
            result.requests
        ));
    }
    if peak_mib > MAX_PEAK_MEMORY_MIB {
        findings.add(format!("memory: {peak_mib} MiB during the flood"));
    }
    if after_mib >= MAX_MEMORY_AFTER_MIB {
        findings.add(format!("memory: {after_mib} MiB a minute after the flood"));
    }
    for (name, [_, p99, _]) in [
        ("common", result.health_ms),
        ("own", result.own_listener_ms),
    ] {
        if p99 > MAX_HEALTH_P99_MS {
            findings.add(format!("health: p99 {p99:.1} ms on the {name} port"));
        }
    }
    Ok(result)
}

/// Returns median, 99th percentile and maximum in milliseconds. Failed checks are findings.
fn summary(times: Vec<Option<Duration>>, findings: &mut Findings) -> [f64; 3] {
    let failed = times.iter().filter(|time| time.is_none()).count();
    if failed > 0 {
        findings.add(format!("health: {failed} of {} checks failed", times.len()));
    }
    let mut times: Vec<f64> = times
        .into_iter()
        .flatten()
        .map(|time| time.as_secs_f64() * 1e3)
        .collect();
    times.sort_by(f64::total_cmp);
    let percentile = |share: usize| {
        let index = (times.len() * share / 100).min(times.len().saturating_sub(1));
        times.get(index).copied().unwrap_or(f64::INFINITY)
    };
    [percentile(50), percentile(99), percentile(100)]
}

/// Duration of a health check on a new connection. `None` if its status is not 200.
fn check_health(address: &str) -> Option<Duration> {
    let started = Instant::now();
    let mut stream = TcpStream::connect(address).ok()?;
    stream
        .set_read_timeout(Some(Duration::from_secs(10)))
        .ok()?;
    let request = format!("GET /healthz HTTP/1.1\r\nhost: {address}\r\nconnection: close\r\n\r\n");
    stream.write_all(request.as_bytes()).ok()?;
    let mut response = Vec::new();
    stream.read_to_end(&mut response).ok()?;
    let is_healthy = response.starts_with(b"HTTP/1.1 200 ");
    is_healthy.then(|| started.elapsed())
}

/// Sends requests on connections whose responses are never read.
fn send_without_reading(service: &Service, requests: &[Vec<u8>], is_over: impl Fn() -> bool) {
    let mut open: Vec<TcpStream> = Vec::new();
    for request in requests.iter().cycle() {
        if is_over() {
            return;
        }
        if open.len() >= SILENT_READERS {
            open.remove(0);
        }
        if let Ok(mut stream) = TcpStream::connect(&service.address) {
            let _ = stream.set_write_timeout(Some(Duration::from_millis(200)));
            // Pipelined requests on one connection.
            for _ in 0..4 {
                let _ = stream.write_all(request);
            }
            open.push(stream);
        }
        thread::sleep(Duration::from_millis(20));
    }
}

/// Keeps connections open that send headers and bodies byte by byte.
fn write_slowly(service: &Service, is_over: impl Fn() -> bool) {
    let heads: [&[u8]; 2] = [
        b"GET /v2/slots HTTP/1.1\r\nx-a: ",
        b"POST /v2/bookings HTTP/1.1\r\nhost: a\r\ncontent-type: application/json\r\n\
          content-length: 120000\r\n\r\n{",
    ];
    let mut open: Vec<TcpStream> = Vec::new();
    while !is_over() {
        if open.len() < SLOW_WRITERS
            && let Ok(mut stream) = TcpStream::connect(&service.address)
        {
            let head = heads.get(open.len() % 2).copied().unwrap_or_default();
            if stream.write_all(head).is_ok() {
                open.push(stream);
            }
        }
        open.retain_mut(|stream| stream.write_all(b" ").is_ok());
        thread::sleep(Duration::from_millis(50));
    }
}
