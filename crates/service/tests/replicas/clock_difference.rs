//! A replica whose clock goes wrong while it runs.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{SystemTime, UNIX_EPOCH};

use chrono::DateTime;
use serde_json::{Value, json};

use crate::fixture;
use crate::http::{self, Response};
use crate::ports::Port;
use crate::postgres::TestDatabase;
use crate::process::{Process, serve_command};
use crate::proxy::{Proxy, wait_until};

const EVENT_TYPE: i64 = 9201;
const NOTICE_MINUTES: i64 = 60;
const SLOT_MINUTES: i64 = 5;

/// Minutes by which the booked start is too soon: a clock that is 10 minutes behind would accept it.
const TOO_SOON_MINUTES: i64 = 2;

#[test]
#[ignore = "needs PostgreSQL"]
fn replica_with_wrong_clock_says_so_and_sells_nothing_until_it_is_right() {
    let runtime = tokio::runtime::Runtime::new().unwrap();
    let database = runtime.block_on(TestDatabase::create(None)).unwrap();
    let directory = tempfile::tempdir().unwrap();
    let ports = [Port::reserve(), Port::reserve()];
    let shift = directory.path().join("shift");
    std::fs::write(&shift, "0").unwrap();
    let command = |port: &Port| {
        let mut command = serve_command(&directory.path().join("data"));
        command.args(["--demo", "--rate-limit-off", "--trust-proxy=1"]);
        command.args(["--database-url", &database.url, "--port", &port.to_string()]);
        command
    };
    let _right = Process::spawn(command(&ports[0]), None);
    let mut shifted = command(&ports[1]);
    shifted
        .env("LD_PRELOAD", clock_library(directory.path()))
        .env("CLOCK_SHIFT_FILE", &shift);
    let _wrong = Process::spawn(shifted, None);
    let wrong = ports[1].address();
    let proxy = Proxy::start(directory.path(), &ports);
    fixture::add(&database.url);
    fixture::run(&database.url, &format!(
        "INSERT INTO event_types (id, team_id, slug, scheduling_type, settings, created_ms)
         VALUES ({EVENT_TYPE}, 1, 'soon', 'roundRobin',
                 '{{\"title\": \"Soon\", \"lengthInMinutes\": {SLOT_MINUTES}, \"minimumBookingNotice\": {NOTICE_MINUTES}}}', 0);
         INSERT INTO event_type_hosts (event_type_id, user_id) VALUES ({EVENT_TYPE}, 9001);"
    ));

    let too_soon = slot(NOTICE_MINUTES - TOO_SOON_MINUTES);
    let rejected = book(&wrong, &too_soon);
    assert_eq!(rejected.status, 400, "{}", rejected.text);
    assert!(rejected.message().contains("too soon"), "{}", rejected.text);

    std::fs::write(&shift, "-600").unwrap();
    // Before any health check. Not the booking first: it could share the transaction of the rejected one.
    let reservation = json!({"eventTypeId": EVENT_TYPE, "slotStart": too_soon});
    let refused = http::post(&wrong, "/v2/slots/reservations", "", &reservation).unwrap();
    assert_eq!(refused.status, 503, "{}", refused.text);
    let refused = book(&wrong, &too_soon);
    assert_eq!(refused.status, 503, "{}", refused.text);
    assert!(refused.header("retry-after").is_some());

    wait_until("the replica is not ready", || !is_ready(&wrong));
    let health = http::get(&wrong, "/readyz", "").unwrap();
    assert_eq!(health.status, 503);
    let seconds = health
        .text
        .strip_prefix("clock: this machine is ")
        .and_then(|text| text.strip_suffix(" s behind the database server"))
        .unwrap_or_else(|| panic!("{}", health.text));
    let seconds: u64 = seconds.parse().unwrap();
    assert!((598..=602).contains(&seconds), "{seconds}");

    // The proxy takes it out: all responses are those of the other replica.
    wait_until("the proxy leads to the other replica alone", || {
        (0..10).all(|_| {
            let response = book(&proxy.address, &too_soon);
            assert_ne!(response.status, 201, "{}", response.text);
            response.status == 400
        })
    });

    std::fs::write(&shift, "0").unwrap();
    wait_until("the replica is ready again", || is_ready(&wrong));
    assert_eq!(book(&wrong, &too_soon).status, 400);
    let made = book(&wrong, &slot(2 * NOTICE_MINUTES));
    assert_eq!(made.status, 201, "{}", made.text);
}

/// Start of the last slot that begins within some minutes.
fn slot(minutes: i64) -> String {
    let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap();
    let minute = now.as_secs() as i64 / 60 + minutes;
    let start = DateTime::from_timestamp((minute - minute % SLOT_MINUTES) * 60, 0).unwrap();
    start.format("%Y-%m-%dT%H:%M:%SZ").to_string()
}

fn book(address: &str, start: &str) -> Response {
    let body: Value = json!({
        "start": start,
        "eventTypeId": EVENT_TYPE,
        "attendee": {"name": "Zoë", "email": "zoe@example.org", "timeZone": "UTC"},
    });
    http::post(
        address,
        "/v2/bookings",
        "x-forwarded-for: 10.1.1.1\r\n",
        &body,
    )
    .unwrap()
}

fn is_ready(address: &str) -> bool {
    http::get(address, "/readyz", "").unwrap().status == 200
}

/// Compiles the library that shifts the clock of a process. libfaketime makes a process with jemalloc hang.
fn clock_library(directory: &Path) -> PathBuf {
    let library = directory.join("clock_shift.so");
    let source = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/replicas/clock_shift.c");
    let status = Command::new("cc")
        .args(["-shared", "-fPIC", "-O1", "-o"])
        .arg(&library)
        .arg(source)
        .status()
        .expect("a C compiler, which Rust needs, too");
    assert!(status.success());
    library
}
