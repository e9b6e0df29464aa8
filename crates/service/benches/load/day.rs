//! The peak hour of a day with a million bookings, compressed into minutes, on PostgreSQL.
//!
//! Requests arrive at random times at fixed rates, whether or not earlier ones have been answered, and response times
//! count from the planned arrival. This program makes the load on the same cores, and is also the mail server and the
//! receiver of webhooks.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::rc::Rc;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use axum::Router;
use axum::body::Bytes;
use axum::http::header::HOST;
use axum::http::{self, HeaderValue, StatusCode};
use booking_service::error::redaction::KEY_PREFIX;
use clap::Args;
use http_body_util::Full;
use serde_json::json;
use sqlx::{Connection as _, PgConnection};
use tokio::net::TcpListener;
use tokio::sync::Semaphore;
use tokio::task::{JoinSet, LocalSet};
use tokio::time::sleep;

use crate::cpu::CpuTimes;
use crate::large_installation::LargeInstallation;
use crate::load::{self, Connection, Request, Sample};
use crate::process::{self, Service};
use crate::{Outcome, data, mail};

/// Command line of the simulation.
#[derive(Args)]
pub(crate) struct Options {
    /// Duration
    #[arg(long, default_value_t = 10.0)]
    minutes: f64,
    /// Factor of all rates; at 1, the bookings of the peak hour arrive in ten minutes
    #[arg(long, default_value_t = 1.0)]
    load: f64,
    /// Part of the installation that is made, at least 0.01; at 1, it has a million bookings
    #[arg(long, default_value_t = 1.0)]
    size: f64,
}

/// Bookings per second: a tenth of a day's million in its peak hour, which takes ten minutes.
const BOOKINGS_PER_S: f64 = 100_000.0 / 600.0;

/// Most requests in flight; others wait for their turn.
const MAX_IN_FLIGHT: usize = 1_000;

/// Time at the start whose response times do not count: caches are filled, and upcoming bookings are reviewed.
const WARM_UP: Duration = Duration::from_secs(30);

/// Longest time after the last arrival until the queues of messages are empty.
const DRAIN_TIMEOUT: Duration = Duration::from_secs(120);

/// First id of everything in the installation.
const FIRST_ID: u64 = 1_000_000;

/// A kind of request.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Operation {
    Slots,
    Book,
    ReadBooking,
    ListOwn,
    ListTeam,
    Cancel,
    Reschedule,
    EditEventType,
    EditHours,
}

/// Operations with their number per booking.
const OPERATIONS: [(Operation, f64); 9] = [
    (Operation::Slots, 10.0),
    (Operation::Book, 1.0),
    (Operation::ReadBooking, 1.0),
    (Operation::ListOwn, 0.1),
    (Operation::ListTeam, 0.1),
    (Operation::Cancel, 0.1),
    (Operation::Reschedule, 0.1),
    (Operation::EditEventType, 0.01),
    (Operation::EditHours, 0.01),
];

impl Operation {
    fn name(self) -> &'static str {
        match self {
            Self::Slots => "GET /v2/slots, a week",
            Self::Book => "POST /v2/bookings",
            Self::ReadBooking => "GET /v2/bookings/{uid}",
            Self::ListOwn => "GET /v2/bookings, upcoming",
            Self::ListTeam => "GET team bookings, upcoming",
            Self::Cancel => "POST cancel",
            Self::Reschedule => "POST reschedule",
            Self::EditEventType => "PATCH event type",
            Self::EditHours => "PATCH schedule",
        }
    }
}

/// Makes the requests.
struct Traffic {
    installation: LargeInstallation,
    /// Midnight before the start of the service's clock, a Monday, in epoch milliseconds.
    monday_ms: i64,
}

const DAY_MS: i64 = 86_400_000;
const HALF_HOUR_MS: i64 = 1_800_000;

impl Traffic {
    /// Returns the request with that number of an operation.
    fn request(&self, operation: Operation, number: u64) -> Outcome<Request> {
        let hosts = u64::from(self.installation.hosts);
        // All hosts in turn, in an order without pattern.
        let host = number * 7_919 % hosts;
        let key = format!("{KEY_PREFIX}large-{host}");
        let event_type = FIRST_ID + host;
        match operation {
            Operation::Slots => {
                // Visitors look at five weeks.
                let (visitor, week) = (number / 5, number % 5);
                let event_type =
                    FIRST_ID + visitor * 7_919 % u64::from(self.installation.event_types);
                let monday = self.monday_ms + i64::try_from(week)? * 7 * DAY_MS;
                let [start, end] = [monday, monday + 6 * DAY_MS].map(date);
                let target = format!(
                    "/v2/slots?eventTypeId={event_type}&start={start}&end={end}&timeZone=Europe/Rome"
                );
                load::get(&target, None)
            }
            Operation::Book => {
                let turn = i64::try_from(number / hosts)?;
                // Each fourth one at a team's event type, whose hosts have no others in those half hours.
                let of_team = number % 4 == 3;
                let half_hour = match of_team {
                    true => 32 + host / u64::from(self.installation.organizations) % 2,
                    false => 26 + number % 6,
                };
                let event_type = event_type + if of_team { 3 * hosts } else { 0 };
                let start = self.working_day(turn + 1) + i64::try_from(half_hour)? * HALF_HOUR_MS;
                let body = json!({
                    "start": booking_wire::Instant(start).to_string(),
                    "eventTypeId": event_type,
                    "attendee": {
                        "name": "Zoë Łukasik", "email": format!("zoe{number}@zoe.example"), "timeZone": "Europe/Rome"
                    },
                });
                load::post("/v2/bookings", &body)
            }
            Operation::ReadBooking => {
                let number = number * 7_919 % u64::from(self.installation.bookings);
                load::get(&format!("/v2/bookings/large-{number}"), None)
            }
            Operation::ListOwn => load::get("/v2/bookings?status=upcoming&take=50", Some(&key)),
            Operation::ListTeam => {
                // The first hosts own an organization with a team each.
                let owner = host % u64::from(self.installation.organizations);
                let key = format!("{KEY_PREFIX}large-{owner}");
                let team = FIRST_ID + owner;
                let target = format!("/v2/teams/{team}/bookings?status=upcoming&take=50");
                load::get(&target, Some(&key))
            }
            Operation::Cancel => {
                let (uid, _) = self.upcoming(2 * number)?;
                load::post(&format!("/v2/bookings/{uid}/cancel"), &json!({}))
            }
            Operation::Reschedule => {
                let (uid, day_ms) = self.upcoming(2 * number + 1)?;
                // The hosts' other bookings are earlier or later.
                let start = booking_wire::Instant(day_ms + DAY_MS / 2).to_string();
                let body = json!({"start": start});
                load::post(&format!("/v2/bookings/{uid}/reschedule"), &body)
            }
            Operation::EditEventType => {
                let body = json!({"title": format!("Consultation {number}")});
                load::patch(&format!("/v2/event-types/{event_type}"), &key, &body)
            }
            Operation::EditHours => {
                let body = json!({"name": format!("Hours {number}")});
                load::patch(&format!("/v2/schedules/{event_type}"), &key, &body)
            }
        }
    }

    /// Returns midnight of a working day, counted from the Monday at which the clock starts.
    fn working_day(&self, number: i64) -> i64 {
        self.monday_ms + number / 5 * 7 * DAY_MS + number % 5 * DAY_MS
    }

    /// Returns uid and day of one of the installation's accepted bookings from tomorrow until Friday.
    fn upcoming(&self, number: u64) -> Outcome<(String, i64)> {
        let hosts = u64::from(self.installation.hosts);
        let today = u64::from(self.installation.bookings) / 2;
        // The first three of twenty are not accepted.
        let number = (number / 17 * 20 + number % 17 + 3) % (4 * hosts);
        let day = i64::try_from(number / hosts + 1)?;
        let uid = format!("large-{}", today + hosts + number);
        Ok((uid, self.working_day(day)))
    }
}

/// Returns an ISO 8601 date.
fn date(ms: i64) -> String {
    booking_wire::Instant(ms)
        .to_string()
        .chars()
        .take(10)
        .collect()
}

/// Response times and failures of an operation.
#[derive(Default)]
struct Measured {
    answered: Sample,
    /// Number by status, or kind of error.
    failed: BTreeMap<String, u32>,
    /// Body of the first failure.
    example: Option<String>,
}

/// Clients and their results.
struct Clients {
    address: String,
    idle: RefCell<Vec<Connection>>,
    turns: Semaphore,
    measured: RefCell<BTreeMap<Operation, Measured>>,
}

impl Clients {
    /// Sends a request that was planned for `planned`, when a client is free.
    async fn send(&self, operation: Operation, request: Request, planned: Instant) {
        let sent = self.exchange(&request).await;
        let mut measured = self.measured.borrow_mut();
        let measured = measured.entry(operation).or_default();
        let (kind, text) = match sent {
            Ok((status, _)) if status.is_success() => {
                measured.answered.record(planned);
                return;
            }
            Ok((status, body)) => (
                status.as_str().to_owned(),
                String::from_utf8_lossy(&body).into_owned(),
            ),
            Err(error) => ("no response".to_owned(), error.to_string()),
        };
        *measured.failed.entry(kind).or_default() += 1;
        measured.example.get_or_insert(text);
    }

    async fn exchange(&self, request: &Request) -> Outcome<(StatusCode, Bytes)> {
        let _turn = self.turns.acquire().await?;
        let idle = self.idle.borrow_mut().pop();
        // The service closes connections that are not used for some time.
        let mut connection = match idle.filter(Connection::is_open) {
            Some(connection) => connection,
            None => Connection::open(&self.address).await?,
        };
        let answered = connection.exchange(request).await?;
        self.idle.borrow_mut().push(connection);
        Ok(answered)
    }
}

/// Random numbers: SplitMix64, so that each run has the same arrivals.
struct Random(u64);

impl Random {
    /// Returns the time until the next arrival of a Poisson process.
    fn interval(&mut self, rate_per_s: f64) -> Duration {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut bits = self.0;
        bits = (bits ^ (bits >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        bits = (bits ^ (bits >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        bits ^= bits >> 31;
        // Above 0 and at most 1.
        let share = ((bits >> 11) + 1) as f64 / (1_u64 << 53) as f64;
        Duration::from_secs_f64(-share.ln() / rate_per_s)
    }
}

/// Fills the database of `url` and prints response times, failures, CPU times and the state of the queues.
pub(crate) async fn run(options: &Options, url: &str) -> Outcome {
    let directory = tempfile::tempdir()?;
    let webhooks = TcpListener::bind(("127.0.0.1", 0)).await?;
    let receiver = format!("http://{}/", webhooks.local_addr()?);
    let delivered = Arc::new(AtomicUsize::new(0));
    tokio::spawn(receive_webhooks(webhooks, delivered.clone()));
    let (server, mailed) = mail::start_server(Duration::ZERO).await?;

    let installation = LargeInstallation::sized(options.size.clamp(0.01, 1.0));
    eprintln!("filling a fresh database: {installation:?}");
    process::create_demo(process::PROGRAM, directory.path()).await?;
    process::move_to_postgres(directory.path(), url).await?;
    let now_ms = chrono::DateTime::parse_from_rfc3339(data::NOW)?.timestamp_millis();
    installation.fill(url, now_ms, &receiver).await?;
    let mut db = PgConnection::connect(url).await?;
    let size_before = database_megabytes(&mut db).await?;
    let service_options = [
        "--database-url",
        url,
        "--smtp-url",
        &server,
        "--mail-from",
        "desk@example.org",
        // Requests name their clients, whose shares of the service are limited.
        "--trust-proxy=1",
    ];
    let service = Service::start(process::PROGRAM, directory.path(), &service_options).await?;

    let duration = Duration::from_secs_f64(options.minutes * 60.0);
    eprintln!("sending requests for {:.0?}", WARM_UP + duration);
    let traffic = Traffic {
        installation,
        monday_ms: now_ms - now_ms.rem_euclid(DAY_MS),
    };
    let clients = Rc::new(Clients {
        address: service.address.clone(),
        idle: RefCell::default(),
        turns: Semaphore::new(MAX_IN_FLIGHT),
        measured: RefCell::default(),
    });
    let (cpu_before, elapsed) = LocalSet::new()
        .run_until(async {
            let arrivals = arrivals(WARM_UP + duration, options.load);
            let split = arrivals.partition_point(|(at, ..)| *at < WARM_UP);
            let (warm_up, measured) = arrivals.split_at(split);
            let started = Instant::now();
            send_all(&clients, &traffic, warm_up, started).await?;
            clients.measured.take();
            let cpu = CpuTimes::read(service.id()?, &mut db).await?;
            send_all(&clients, &traffic, measured, started).await?;
            Outcome::Ok((cpu, started.elapsed().saturating_sub(WARM_UP)))
        })
        .await?;
    let cpu = CpuTimes::read(service.id()?, &mut db)
        .await?
        .since(cpu_before);
    let (mail_sent, webhooks_sent) = (
        mailed.load(Ordering::Relaxed),
        delivered.load(Ordering::Relaxed),
    );
    let metrics = metrics(&service.address).await?;

    print_operations(&clients.measured.borrow(), elapsed, options.load);
    println!();
    println!("time until the last response: {elapsed:.1?}, of {duration:.1?} with arrivals");
    for (name, time) in [
        ("service", cpu.service),
        ("PostgreSQL", cpu.postgres),
        ("this program", cpu.load),
    ] {
        let cores = time.as_secs_f64() / elapsed.as_secs_f64();
        println!("CPU time of {name}: {time:.1?}, {cores:.2} cores");
    }
    println!("messages sent meanwhile: {mail_sent} e-mail, {webhooks_sent} webhooks");
    for line in metrics.lines() {
        let is_shown = [
            "booking_messages_waiting",
            "booking_oldest_message_age_seconds",
            "booking_slow_statements_total",
        ];
        if is_shown.iter().any(|name| line.starts_with(name)) {
            println!("{line}");
        }
    }
    let drained = drain(&service.address).await?;
    match drained {
        Some(time) => println!("queues are empty {time:.1?} later"),
        None => println!("queues are not empty {DRAIN_TIMEOUT:.0?} later"),
    }
    println!(
        "messages sent in all: {} e-mail, {} webhooks",
        mailed.load(Ordering::Relaxed),
        delivered.load(Ordering::Relaxed)
    );
    let size_after = database_megabytes(&mut db).await?;
    println!("database: {size_before} MB before, {size_after} MB after");
    Ok(())
}

/// Returns the arrivals of all operations, with their numbers, in order.
fn arrivals(duration: Duration, load: f64) -> Vec<(Duration, Operation, u64)> {
    let mut arrivals = Vec::new();
    let mut random = Random(1);
    for (operation, per_booking) in OPERATIONS {
        let rate_per_s = BOOKINGS_PER_S * per_booking * load;
        let mut at = random.interval(rate_per_s);
        for number in 0.. {
            if at >= duration {
                break;
            }
            arrivals.push((at, operation, number));
            at += random.interval(rate_per_s);
        }
    }
    arrivals.sort_unstable();
    arrivals
}

/// Sends requests at their times after `started`, and waits for the responses.
async fn send_all(
    clients: &Rc<Clients>,
    traffic: &Traffic,
    arrivals: &[(Duration, Operation, u64)],
    started: Instant,
) -> Outcome {
    let mut requests = JoinSet::new();
    for (at, operation, number) in arrivals.iter().copied() {
        let planned = started + at;
        let wait = planned.saturating_duration_since(Instant::now());
        if !wait.is_zero() {
            sleep(wait).await;
        }
        let mut request = traffic.request(operation, number)?;
        let [_, a, b, c] = u32::try_from(number)?.to_be_bytes();
        let client = HeaderValue::from_str(&format!("10.{a}.{b}.{c}"))?;
        request.headers_mut().insert("x-forwarded-for", client);
        let clients = clients.clone();
        requests.spawn_local(async move { clients.send(operation, request, planned).await });
        while requests.try_join_next().is_some() {}
    }
    while requests.join_next().await.is_some() {}
    Ok(())
}

fn print_operations(measured: &BTreeMap<Operation, Measured>, elapsed: Duration, load: f64) {
    println!(
        "{:<30}{:>9}{:>9}{:>10}{:>10}{:>10}  failed",
        "", "wanted/s", "done/s", "p50 ms", "p99 ms", "max ms"
    );
    for (operation, per_booking) in OPERATIONS {
        let Some(measured) = measured.get(&operation) else {
            continue;
        };
        let wanted = BOOKINGS_PER_S * per_booking * load;
        let done = measured.answered.count() as f64 / elapsed.as_secs_f64();
        let [p50, p99, max] = [50, 99, 100].map(|percent| measured.answered.percentile(percent));
        println!(
            "{:<30}{wanted:>9.1}{done:>9.1}{p50:>10.1}{p99:>10.1}{max:>10.1}  {:?}",
            operation.name(),
            measured.failed
        );
        if let Some(example) = &measured.example {
            eprintln!("{}: {example}", operation.name());
        }
    }
}

async fn receive_webhooks(listener: TcpListener, received: Arc<AtomicUsize>) {
    let count = async move || {
        received.fetch_add(1, Ordering::Relaxed);
    };
    let _ = axum::serve(listener, Router::new().fallback(count)).await;
}

async fn metrics(address: &str) -> Outcome<String> {
    let mut connection = Connection::open(address).await?;
    // For callers on this machine, who name it.
    let request = http::Request::get("/metrics").header(HOST, "localhost");
    let body = connection.send(&request.body(Full::default())?).await?;
    Ok(String::from_utf8(body.to_vec())?)
}

/// Waits until no message is due; returns the time that it took. None if some are due for too long.
async fn drain(address: &str) -> Outcome<Option<Duration>> {
    let started = Instant::now();
    while started.elapsed() < DRAIN_TIMEOUT {
        let metrics = metrics(address).await?;
        let mut ages = metrics
            .lines()
            .filter(|line| line.starts_with("booking_oldest_message_age_seconds"));
        if ages.all(|line| line.ends_with(" 0")) {
            return Ok(Some(started.elapsed()));
        }
        sleep(Duration::from_millis(500)).await;
    }
    Ok(None)
}

async fn database_megabytes(db: &mut PgConnection) -> Outcome<i64> {
    let size = sqlx::query_scalar("SELECT pg_database_size(current_database()) / 1000000");
    Ok(size.fetch_one(db).await?)
}
