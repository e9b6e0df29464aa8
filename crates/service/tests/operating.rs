//! The binary as those see it who operate it: its configuration, its log, its patience with slow
//! clients, its end, and the commands that look after the database.

#![cfg(unix)]
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    unreachable_pub,
    missing_docs,
    dead_code
)]

use std::io::{Read, Write};
use std::net::TcpStream;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::process::Command;
use std::time::{Duration, Instant};

use booking_service::cli::instance_lock::InstanceLock;
use booking_service::store::{FILE_NAME, MIGRATIONS};
use serde_json::{Value, json};
use sqlx::sqlite::{SqliteConnectOptions, SqliteConnection};
use sqlx::{ConnectOptions, Connection};

#[path = "support/process.rs"]
mod process;
use process::{Process, run};

fn text(bytes: &[u8]) -> String {
    String::from_utf8(bytes.to_vec()).unwrap()
}

fn free_start(service: &Process) -> String {
    let target = "/v2/slots?eventTypeId=1&start=2027-03-02&end=2027-03-12";
    let (_, free) = service.call("GET", target, "", "");
    let day = free["data"].as_object().unwrap().values().next().unwrap();
    day[0]["start"].as_str().unwrap().to_owned()
}

/// Asks until it is so.
fn wait_until(what: &str, mut is_so: impl FnMut() -> bool) {
    let started = Instant::now();
    while !is_so() {
        assert!(
            started.elapsed() < Duration::from_secs(20),
            "not in time: {what}"
        );
        std::thread::sleep(Duration::from_millis(5));
    }
}

fn block_on<T>(work: impl Future<Output = T>) -> T {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .unwrap();
    runtime.block_on(work)
}

fn sql(data: &Path, statement: &str) {
    block_on(async {
        // Without foreign keys: damage that the service itself could not do.
        let options = SqliteConnectOptions::new()
            .filename(data.join(FILE_NAME))
            .foreign_keys(false);
        let mut db = options.connect().await.unwrap();
        sqlx::raw_sql(statement).execute(&mut db).await.unwrap();
        db.close().await.unwrap();
    });
}

#[test]
fn a_client_that_dawdles_is_let_go_and_others_are_served_meanwhile() {
    let directory = tempfile::tempdir().unwrap();
    let service = Process::start(directory.path(), &["--client-timeout", "1"]);
    let asked = [
        // Never ends its headers.
        "GET /healthz HTTP/1.1\r\nhost: x\r\n",
        // Says nothing at all.
        "",
        // Has been answered and says no more.
        "GET /healthz HTTP/1.1\r\nhost: x\r\n\r\n",
        // Promises a body and does not send it.
        "POST /v2/bookings HTTP/1.1\r\nhost: x\r\ncontent-type: application/json\r\ncontent-length: 100\r\n\r\n{",
    ];
    let started = Instant::now();
    let mut streams: Vec<_> = asked.iter().map(|_| service.connect()).collect();
    for (stream, asked) in streams.iter_mut().zip(asked) {
        stream.write_all(asked.as_bytes()).unwrap();
    }
    assert_eq!(service.call("GET", "/v2/event-types/1", "", "").0, 200);
    let answers: Vec<String> = streams
        .iter_mut()
        .map(|stream| {
            let mut answer = String::new();
            stream.read_to_string(&mut answer).unwrap();
            answer
        })
        .collect();
    let took = started.elapsed();
    assert!(took < Duration::from_secs(8), "{took:?}");
    assert_eq!(answers[1], "");
    assert!(answers[2].starts_with("HTTP/1.1 200 "), "{}", answers[2]);
    assert!(answers[3].starts_with("HTTP/1.1 408 "), "{}", answers[3]);
}

/// Status of a health check, and how long it took at best of five.
fn health_check(address: &str) -> Duration {
    let check = || {
        let started = Instant::now();
        let mut stream = TcpStream::connect(address).unwrap();
        stream
            .set_read_timeout(Some(Duration::from_secs(20)))
            .unwrap();
        stream
            .write_all(b"GET /healthz HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n")
            .unwrap();
        let mut answer = String::new();
        stream.read_to_string(&mut answer).unwrap();
        assert!(answer.starts_with("HTTP/1.1 200 "), "{answer}");
        started.elapsed()
    };
    (0..5).map(|_| check()).min().unwrap()
}

/// Opens connections and keeps them: with an unfinished request, or an unread response.
fn hold(service: &Process, count: usize, request: &str) -> Vec<TcpStream> {
    let hold = |_| {
        let mut stream = service.connect();
        stream.write_all(request.as_bytes()).unwrap();
        stream
    };
    (0..count).map(hold).collect()
}

#[test]
fn health_is_answered_at_once_while_others_hold_all_connections() {
    let directory = tempfile::tempdir().unwrap();
    let embed = directory.path().join("embed");
    std::fs::create_dir(&embed).unwrap();
    let large = std::fs::File::create(embed.join("large.bin")).unwrap();
    large.set_len(256 * 1024 * 1024).unwrap();
    let embed = embed.to_str().unwrap();
    let more = [
        "--max-connections",
        "20",
        "--rate-limit-off",
        "--embed-dir",
        embed,
    ];
    let service = Process::start(&directory.path().join("data"), &more);

    let half = "GET /healthz HTTP/1.1\r\nhost: x\r\n";
    let body = "POST /v2/bookings HTTP/1.1\r\nhost: x\r\ncontent-type: application/json\r\ncontent-length: 9\r\n\r\n{";
    let answered = "GET /healthz HTTP/1.1\r\nhost: x\r\n\r\n";
    for request in ["", half, answered, body] {
        let held = hold(&service, 20, request);
        let took = health_check(&service.address);
        assert!(took < Duration::from_millis(50), "{took:?} for {request:?}");
        drop(held);
    }
    // What has no complete request makes room for every other request, too.
    for request in ["", half, answered] {
        let _held = hold(&service, 20, request);
        assert_eq!(service.call("GET", "/v2/event-types/1", "", "").0, 200);
    }

    // A response that is being read slowly is not cut off.
    let mut slow = hold(
        &service,
        20,
        "GET /embed/large.bin HTTP/1.1\r\nhost: x\r\n\r\n",
    );
    for stream in &mut slow {
        let mut head = [0; 12];
        stream.read_exact(&mut head).unwrap();
        assert_eq!(&head, b"HTTP/1.1 200");
    }
    let took = health_check(&service.address);
    assert!(took < Duration::from_millis(50), "{took:?}");
    assert_eq!(service.call("GET", "/readyz", "", "").0, 200);
    let (status, refused) = service.call("GET", "/v2/event-types/1", "", "");
    assert_eq!(
        (status, &refused["error"]["code"]),
        (503, &json!("ServiceUnavailableException"))
    );
    let mut rest = Vec::new();
    let mut first = slow.remove(0);
    first
        .set_read_timeout(Some(Duration::from_secs(20)))
        .unwrap();
    let mut part = vec![0; 1024 * 1024];
    while rest.len() < 8 {
        rest.push(first.read(&mut part).unwrap());
    }
    assert!(rest.iter().all(|length| *length > 0));
    drop((slow, first));
    wait_until("a place is free again", || {
        service.call("GET", "/v2/event-types/1", "", "").0 == 200
    });
}

#[test]
fn health_port_answers_health_checks_and_nothing_else() {
    let directory = tempfile::tempdir().unwrap();
    let more = ["--health-port", "0", "--drain", "60"];
    let mut service = Process::start(directory.path(), &more);
    let main = service.address.clone();
    let health = service.health_address.clone().unwrap();
    let on = |service: &mut Process, address: &str, target: &str| {
        service.address = address.to_owned();
        let (status, body) = service.call_text(target);
        (status, body)
    };
    assert_eq!(
        on(&mut service, &health, "/healthz"),
        (200, "ok".to_owned())
    );
    assert_eq!(
        on(&mut service, &health, "/readyz"),
        (200, "ready".to_owned())
    );
    assert_eq!(on(&mut service, &health, "/metrics").0, 200);
    for target in ["/v2/event-types/1", "/", "/demo.json"] {
        assert_eq!(on(&mut service, &health, target).0, 404, "{target}");
    }
    service.send_signal("-TERM");
    wait_until("the service drains", || {
        on(&mut service, &health, "/readyz") == (503, "stopping".to_owned())
    });
    assert_eq!(
        on(&mut service, &main, "/readyz"),
        (503, "stopping".to_owned())
    );
    assert_eq!(service.signal("-TERM"), Some(0));
}

#[test]
fn drain_says_stopping_and_serves_until_it_is_over() {
    let directory = tempfile::tempdir().unwrap();
    let service = Process::start(directory.path(), &["--drain", "60"]);
    let mut kept = service.connect();
    let ask = |stream: &mut TcpStream| {
        stream
            .write_all(b"GET /healthz HTTP/1.1\r\nhost: x\r\n\r\n")
            .unwrap();
        let mut answer = Vec::new();
        while !answer.ends_with(b"ok") {
            let mut byte = [0];
            stream.read_exact(&mut byte).unwrap();
            answer.extend(byte);
        }
        text(&answer)
    };
    assert!(!ask(&mut kept).contains("connection: close"));
    service.send_signal("-TERM");
    wait_until("the service drains", || {
        service.call_text("/readyz").0 == 503
    });
    // New connections are accepted, and those that are open may ask once more.
    assert_eq!(service.call_text("/readyz").1, "stopping");
    assert_eq!(service.call("GET", "/v2/event-types/1", "", "").0, 200);
    assert!(ask(&mut kept).contains("connection: close"));
    assert_eq!(kept.read(&mut [0]).unwrap(), 0);

    // A second signal cuts it short.
    let started = Instant::now();
    assert_eq!(service.signal("-TERM"), Some(0));
    let took = started.elapsed();
    assert!(took < Duration::from_secs(20), "{took:?}");
}

#[test]
fn drain_ends_by_itself_and_ctrl_c_goes_without() {
    for (signal, drain, least) in [("-TERM", "1", 1), ("-INT", "60", 0), ("-TERM", "0", 0)] {
        let directory = tempfile::tempdir().unwrap();
        let service = Process::start(directory.path(), &["--drain", drain]);
        let started = Instant::now();
        assert_eq!(service.signal(signal), Some(0));
        let took = started.elapsed();
        assert!(took >= Duration::from_secs(least), "{signal} {took:?}");
        assert!(took < Duration::from_secs(20), "{signal} {took:?}");
    }
}

#[test]
fn headers_have_a_timeout_of_their_own() {
    let directory = tempfile::tempdir().unwrap();
    let more = ["--header-timeout", "1", "--client-timeout", "60"];
    let service = Process::start(directory.path(), &more);
    let mut half = service.connect();
    half.write_all(b"GET /healthz HTTP/1.1\r\nhost: x\r\n")
        .unwrap();
    let mut answer = String::new();
    half.read_to_string(&mut answer).unwrap();
    assert_eq!(answer, "");
}

#[test]
fn headers_without_end_are_refused() {
    let directory = tempfile::tempdir().unwrap();
    let service = Process::start(directory.path(), &[]);
    let many = "x-a: b\r\n".repeat(200);
    let long = format!("x-a: {}\r\n", "b".repeat(100_000));
    for headers in [many, long] {
        let mut stream = service.connect();
        let asked = format!("GET /healthz HTTP/1.1\r\nhost: x\r\n{headers}\r\n");
        // It may be refused before all of it is sent.
        let _ = stream.write_all(asked.as_bytes());
        let mut answer = Vec::new();
        let _ = stream.read_to_end(&mut answer);
        let answer = String::from_utf8_lossy(&answer).into_owned();
        assert!(
            answer.is_empty() || answer.starts_with("HTTP/1.1 431 "),
            "{answer}"
        );
    }
    assert_eq!(service.call("GET", "/v2/event-types/1", "", "").0, 200);
}

#[test]
fn a_stop_waits_for_who_is_being_answered_but_not_for_who_dawdles() {
    let directory = tempfile::tempdir().unwrap();
    let service = Process::start(directory.path(), &["--shutdown-timeout", "1"]);
    let mut idle = service.connect();
    idle.write_all(b"GET /healthz HTTP/1.1\r\nhost: x\r\n\r\n")
        .unwrap();
    let mut dawdling = service.connect();
    dawdling
        .write_all(b"POST /v2/bookings HTTP/1.1\r\nhost: x\r\ncontent-length: 9\r\n\r\n{")
        .unwrap();
    assert_eq!(service.call("GET", "/v2/event-types/1", "", "").0, 200);
    let started = Instant::now();
    assert_eq!(service.signal("-TERM"), Some(0));
    let took = started.elapsed();
    assert!(took < Duration::from_secs(6), "{took:?}");
}

#[test]
fn the_environment_configures_what_the_command_line_does_not() {
    let done = Command::new(env!("CARGO_BIN_EXE_service"))
        .args(["serve", "--print-config", "--port", "81"])
        .env("BOOKING_DATA", "/srv/booking")
        .env("BOOKING_PORT", "82")
        .env("BOOKING_RATE_LIMIT_OFF", "true")
        .env("BOOKING_METRICS_TOKEN", "nobody-should-read-this")
        .output()
        .unwrap();
    assert!(done.status.success());
    let printed = text(&done.stdout);
    let line = |start: &str| {
        let line = printed.lines().find(|line| line.starts_with(start));
        line.unwrap_or_else(|| panic!("{start} in {printed}"))
            .to_owned()
    };
    assert!(line("BOOKING_DATA=/srv/booking ").ends_with("# environment"));
    assert!(line("BOOKING_PORT=81 ").ends_with("# command line"));
    assert!(line("BOOKING_RATE_LIMIT_OFF=true ").ends_with("# environment"));
    assert!(line("BOOKING_HOST=127.0.0.1 ").ends_with("# default"));
    assert!(line("BOOKING_METRICS_TOKEN=******** ").ends_with("# environment"));
    assert!(!printed.contains("nobody-should-read-this"));
}

/// Everything that must never be in a log, said wherever a caller can say something.
#[test]
fn nothing_that_callers_say_is_logged() {
    for format in ["text", "json"] {
        let directory = tempfile::tempdir().unwrap();
        let data = directory.path().join("data");
        let log = directory.path().join("log");
        let more = ["--demo", "--log-format", format, "--rate-limit-off"];
        let service = Process::start_with(&data, &more, Some(log.clone()));
        let demo: Value =
            serde_json::from_slice(&std::fs::read(data.join("demo.json")).unwrap()).unwrap();
        let secret = |key: &str| demo[key].as_str().unwrap().to_owned();

        let canaries = [
            "canary@secret.example",
            "Cänary Nämesdóttir",
            "svc_canarykey0123456789",
        ];
        let [email, name, token] = canaries;
        let said = "canary%40secret.example";
        let body = json!({
            "start": free_start(&service),
            "eventTypeId": 1,
            "attendee": {"name": name, "email": email, "timeZone": "Europe/Rome", "phoneNumber": "+390612345678"},
            "metadata": {"note": email},
        });
        let (status, made) = service.call("POST", "/v2/bookings", "", &body.to_string());
        assert_eq!(status, 201, "{made}");
        let uid = made["data"]["uid"].as_str().unwrap().to_owned();

        let headers = format!(
            "authorization: Bearer {token}\r\nx-request-id: {token}\r\nuser-agent: {email}\r\n\
             referer: https://x.example/{email}\r\ncookie: a={token}\r\norigin: https://{said}\r\n"
        );
        let client = format!("x-svc-client-id: {token}\r\nx-svc-secret-key: {token}\r\n");
        let key = format!("authorization: Bearer {}\r\n", secret("apiKey"));
        let access = format!("authorization: Bearer {}\r\n", secret("accessToken"));
        let refresh = json!({"refreshToken": secret("refreshToken")}).to_string();
        let reason = json!({"cancellationReason": format!("{name} {email}")}).to_string();
        let wrong = json!({"start": email, "eventTypeId": name, email: token}).to_string();
        let unended = format!("{{\"name\": \"{email}");
        for (method, target, headers, body) in [
            ("GET", format!("/v2/bookings/{uid}"), "", ""),
            ("GET", format!("/v2/bookings/{uid}?email={said}"), "", ""),
            ("GET", format!("/v2/{said}?q={said}"), "", ""),
            ("GET", format!("/{said}/{token}"), "", ""),
            ("GET", format!("/embed/{said}"), "", ""),
            ("GET", format!("/v1/bookings?apiKey={token}"), "", ""),
            (
                "GET",
                format!("/v1/teams?apiKey={}", secret("apiKey")),
                "",
                "",
            ),
            (
                "GET",
                format!("/v1/teams/{token}?apiKey={}", secret("apiKey")),
                "",
                "",
            ),
            (
                "GET",
                format!("/v1/{said}?apiKey={}", secret("apiKey")),
                "",
                "",
            ),
            (
                "POST",
                format!("/v1/bookings?apiKey={}", secret("apiKey")),
                "",
                wrong.as_str(),
            ),
            // Goes wrong inside, too.
            (
                "GET",
                format!("/v1/event-types/2?apiKey={}", secret("apiKey")),
                "",
                "",
            ),
            ("GET", "/v2/me".to_owned(), headers.as_str(), ""),
            ("GET", "/v2/me".to_owned(), client.as_str(), ""),
            ("GET", "/v2/me".to_owned(), key.as_str(), ""),
            ("GET", "/v2/me".to_owned(), access.as_str(), ""),
            ("GET", format!("/v2/event-types?username={said}"), "", ""),
            (
                "POST",
                format!("/v2/oauth/{}/refresh", secret("clientId")),
                client.as_str(),
                refresh.as_str(),
            ),
            ("POST", "/v2/bookings".to_owned(), "", wrong.as_str()),
            ("POST", "/v2/bookings".to_owned(), "", unended.as_str()),
            ("POST", "/v2/bookings".to_owned(), "", &body.to_string()),
            ("PUT", format!("/v2/bookings/{uid}"), "", reason.as_str()),
            (email, format!("/v2/{said}"), "", ""),
            (
                "POST",
                format!("/v2/bookings/{uid}/cancel"),
                "",
                reason.as_str(),
            ),
        ] {
            service.try_call(method, &target, headers, body);
        }
        // What is stored goes wrong, too.
        let broken =
            format!("UPDATE event_types SET settings = '{{\"title\": \"{email}' WHERE id = 2");
        sql(&data, &broken);
        let (status, _) = service.call("GET", "/v2/event-types/2", &key, "");
        assert_eq!(status, 500);
        service.send_signal("-TERM");
        std::thread::sleep(Duration::from_millis(300));

        let logged = service.log();
        assert!(logged.contains("/v2/bookings/{bookingUid}"), "{logged}");
        assert!(logged.contains("request failed"), "{logged}");
        let more = [
            said.to_owned(),
            uid,
            "canary".to_owned(),
            "390612345678".to_owned(),
            secret("apiKey"),
            secret("accessToken"),
            secret("refreshToken"),
            secret("clientSecret"),
        ];
        for canary in canaries.map(str::to_owned).iter().chain(&more) {
            assert!(!logged.contains(canary.as_str()), "{canary} in {logged}");
        }
        if format == "json" {
            for line in logged.lines() {
                let line: Value = serde_json::from_str(line).unwrap();
                assert!(
                    line["timestamp"].is_string() && line["level"].is_string(),
                    "{line}"
                );
            }
        }
    }
}

#[test]
fn a_backup_made_under_way_is_private_complete_and_sound() {
    let directory = tempfile::tempdir().unwrap();
    let data = directory.path().join("data");
    let service = Process::start(&data, &[]);
    let data_text = data.to_str().unwrap();
    let body = json!({
        "start": free_start(&service),
        "eventTypeId": 1,
        "attendee": {"name": "Zoë", "email": "zoe@example.org", "timeZone": "Europe/Rome"},
    });
    let (status, made) = service.call("POST", "/v2/bookings", "", &body.to_string());
    assert_eq!(status, 201);
    let backup = directory.path().join("backup.sqlite3");
    let backup_text = backup.to_str().unwrap();
    let done = run(&["backup", "--data", data_text, "--to", backup_text]);
    assert!(done.status.success(), "{}", text(&done.stderr));
    let mode = std::fs::metadata(&backup).unwrap().permissions().mode();
    assert_eq!(mode & 0o777, 0o600);
    let left: Vec<_> = std::fs::read_dir(directory.path())
        .unwrap()
        .map(|file| file.unwrap().file_name())
        .collect();
    assert_eq!(left.len(), 2, "{left:?}");

    // Nothing is overwritten.
    let again = run(&["backup", "--data", data_text, "--to", backup_text]);
    assert_eq!(again.status.code(), Some(1));
    let nowhere = directory.path().join("none/backup");
    let nowhere = run(&[
        "backup",
        "--data",
        data_text,
        "--to",
        nowhere.to_str().unwrap(),
    ]);
    assert_eq!(nowhere.status.code(), Some(1));

    // A service over the copy knows what the first one has answered.
    assert!(run(&["check", "--data", backup_text]).status.success());
    let restored = directory.path().join("restored");
    std::fs::create_dir(&restored).unwrap();
    std::fs::copy(&backup, restored.join(FILE_NAME)).unwrap();
    let second = Process::start_with(&restored, &[], None);
    let target = format!("/v2/bookings/{}", made["data"]["uid"].as_str().unwrap());
    assert_eq!(
        second.call("GET", &target, "", ""),
        service.call("GET", &target, "", "")
    );
}

#[test]
fn a_check_names_what_is_wrong_and_changes_nothing() {
    let directory = tempfile::tempdir().unwrap();
    let data = directory.path().join("data");
    let data_text = data.to_str().unwrap();
    assert!(
        run(&["demo", "--data", data_text, "--now", "2027-03-01T08:00:00Z"])
            .status
            .success()
    );
    let sound = run(&["check", "--data", data_text]);
    assert!(sound.status.success(), "{}", text(&sound.stdout));

    let table = [
        ("UPDATE bookings SET metadata = '{' WHERE id = 1", "valid JSON: booking 1"),
        ("UPDATE bookings SET guests = '{}' WHERE id = 2", "valid JSON: booking 2"),
        ("UPDATE event_types SET settings = 'x' WHERE id = 1", "settings cannot be read: event type 1"),
        ("DELETE FROM booking_hosts WHERE booking_id = 6; UPDATE bookings SET status = 'accepted',
          start_ms = 4102444800000, end_ms = 4102446600000 WHERE id = 6", "an upcoming booking has no host: booking 6"),
        ("UPDATE bookings SET rescheduled_to_uid = 'gone' WHERE id = 3", "moved to one that does not exist: booking 3"),
        ("UPDATE bookings SET rescheduled_from_uid = 'gone' WHERE id = 4", "moved from one that does not exist: booking 4"),
        ("UPDATE bookings SET rescheduled_to_uid = uid, rescheduled_from_uid = uid WHERE id = 5", "in a circle: booking 5"),
        ("UPDATE memberships SET role_id = 'gone' WHERE id = 1", "row 1 of memberships refers to a row of roles that does not exist"),
        ("INSERT INTO teams (id, name, slug) VALUES (9, 'Other', 'other');
          INSERT INTO roles (id, team_id, name, kind, created_ms, updated_ms) VALUES ('r', 9, 'R', 'CUSTOM', 0, 0);
          UPDATE memberships SET role_id = 'r' WHERE id = 1", "role that does not exist or is another team's: membership 1"),
        ("INSERT INTO oauth_clients (id, name, owner_id, secret_hash, redirect_uris, scopes, created_ms)
          VALUES ('c', 'C', 999, '', '[]', '[]', 0)", "oauth_clients refers to a row of users that does not exist"),
        ("UPDATE users SET time_zone = 'Mars/Base' WHERE id = 1", "time zone is unknown: user 1"),
        ("INSERT INTO role_permissions VALUES ('member_role', 'made.up', 99)", "unknown permission: role member_role"),
        ("UPDATE schedule_hours SET to_minute = 2000 WHERE id = 1", "no part of a day: hours 1"),
        ("DROP TRIGGER booking_hosts_stay_apart_on_update;
          UPDATE booking_hosts SET holds = 1, start_ms = 0, end_ms = 1000 WHERE user_id = (SELECT min(user_id) FROM booking_hosts)",
         "in two bookings at one time: host"),
        ("UPDATE api_keys SET scopes = '{}'", "scopes of an API key are not valid JSON: key "),
        ("PRAGMA writable_schema = 1; UPDATE bookings SET status = 'cancelled' WHERE id IN (
             SELECT booking_id FROM booking_hosts WHERE holds = 1 LIMIT 1)", "keeps its host busy: booking"),
        ("DELETE FROM _sqlx_migrations WHERE version = (SELECT max(version) FROM _sqlx_migrations)", "run `service migrate`"),
    ];
    for (statement, expected) in table {
        let copy = tempfile::tempdir().unwrap();
        let file = copy.path().join(FILE_NAME);
        std::fs::copy(data.join(FILE_NAME), &file).unwrap();
        // A process that ends quickly leaves its log behind.
        let log = format!("{FILE_NAME}-wal");
        if data.join(&log).exists() {
            std::fs::copy(data.join(&log), copy.path().join(&log)).unwrap();
        }
        sql(copy.path(), statement);
        // The last connection to end takes the log along.
        while copy.path().join(format!("{FILE_NAME}-wal")).exists() {
            std::thread::sleep(Duration::from_millis(5));
        }
        let before = std::fs::read(&file).unwrap();
        let done = run(&["check", "--data", copy.path().to_str().unwrap()]);
        let found = text(&done.stdout);
        assert_eq!(done.status.code(), Some(1), "{statement}: {found}");
        assert!(found.contains(expected), "{statement}: {found}");
        assert!(std::fs::read(&file).unwrap() == before, "{statement}");
        let files = std::fs::read_dir(copy.path()).unwrap().count();
        assert_eq!(files, 1, "{statement}");
    }
    let damaged = tempfile::tempdir().unwrap();
    let file = damaged.path().join(FILE_NAME);
    let mut bytes = std::fs::read(data.join(FILE_NAME)).unwrap();
    let middle = bytes.len() / 2;
    bytes[middle..middle + 20_000].fill(0x5a);
    std::fs::write(&file, bytes).unwrap();
    assert_eq!(
        run(&["check", "--data", file.to_str().unwrap()])
            .status
            .code(),
        Some(1)
    );
    assert_eq!(
        run(&["check", "--data", "/nonexistent"]).status.code(),
        Some(1)
    );
}

#[test]
fn migrate_makes_a_database_and_leaves_a_current_one_alone() {
    let directory = tempfile::tempdir().unwrap();
    let data = directory.path().join("new");
    let data = data.to_str().unwrap();
    let first = run(&["migrate", "--data", data]);
    assert!(first.status.success());
    assert!(text(&first.stdout).starts_with("version "));
    assert_eq!(run(&["migrate", "--data", data]).stdout, first.stdout);
    assert!(run(&["check", "--data", data]).status.success());
}

/// Runs `serve` over `data` to its end.
fn serve_refused(data: &Path, more: &[&str]) -> String {
    let data = data.to_str().unwrap();
    let mut arguments = vec!["serve", "--port", "0", "--data", data];
    arguments.extend(more);
    let done = run(&arguments);
    assert_eq!(done.status.code(), Some(1), "{}", text(&done.stdout));
    text(&done.stderr)
}

#[test]
fn second_service_on_a_directory_is_refused_by_name_and_process() {
    let directory = tempfile::tempdir().unwrap();
    let data = directory.path().join("data");
    let service = Process::start(&data, &[]);
    let data_text = data.to_str().unwrap();
    let said = serve_refused(&data, &[]);
    assert!(said.contains(data_text), "{said}");
    assert!(
        said.contains(&format!("process {}", service.id())),
        "{said}"
    );
    // One second is over before the first service ends.
    let said = serve_refused(&data, &["--takeover=1"]);
    assert!(said.contains("in use"), "{said}");

    // Commands work beside it.
    assert!(run(&["key", "list", "--data", data_text]).status.success());
    assert!(run(&["check", "--data", data_text]).status.success());
    assert_eq!(service.call("GET", "/readyz", "", "").0, 200);
}

#[test]
fn takeover_starts_when_the_former_service_has_ended() {
    let directory = tempfile::tempdir().unwrap();
    let data = directory.path().join("data");
    let first = Process::start(&data, &[]);
    let log = directory.path().join("log");
    let second = std::thread::spawn({
        let (data, log) = (data.clone(), log.clone());
        move || Process::start_with(&data, &["--demo", "--takeover"], Some(log))
    });
    wait_until("the second service waits", || {
        std::fs::read_to_string(&log).is_ok_and(|text| text.contains("waiting"))
    });
    assert_eq!(first.call("GET", "/healthz", "", "").0, 200);
    assert_eq!(first.signal("-KILL"), None);
    let second = second.join().unwrap();
    assert_eq!(second.call("GET", "/readyz", "", "").0, 200);
}

/// Makes a database in which only the first `applied` migrations have run.
fn older_database(data: &Path, applied: usize) {
    std::fs::create_dir_all(data).unwrap();
    let options = SqliteConnectOptions::new()
        .filename(data.join(FILE_NAME))
        .create_if_missing(true)
        // Tables that others refer to are made again.
        .foreign_keys(false);
    let earlier = sqlx::migrate::Migrator {
        migrations: MIGRATIONS.migrations[..applied].to_vec().into(),
        ..sqlx::migrate::Migrator::DEFAULT
    };
    block_on(async {
        let mut db = SqliteConnection::connect_with(&options).await.unwrap();
        earlier.run(&mut db).await.unwrap();
        db.close().await.unwrap();
    });
}

/// Commands that need a database of this program's version, without their `--data`.
const COMMANDS: [&[&str]; 14] = [
    &["user", "list"],
    &["user", "disable", "ada"],
    &["client", "list"],
    &["client", "delete", "cl0"],
    &["token", "revoke", "--user", "ada"],
    &["vacuum"],
    &["key", "list"],
    &["key", "create", "--user", "ada"],
    &["key", "revoke", "0123456789ab"],
    &["client", "create", "--owner", "ada", "--name", "Shop"],
    &["client", "rotate", "cl0"],
    &["user", "confirm-email", "ada"],
    &["webhooks"],
    &[
        "user",
        "create",
        "--username",
        "bob",
        "--email",
        "bob@example.org",
        "--name",
        "Bob",
        "--time-zone",
        "UTC",
    ],
];

fn refused(data: &Path, command: &[&str]) -> String {
    let done = run(&[command, &["--data", data.to_str().unwrap()]].concat());
    assert_eq!(done.status.code(), Some(1), "{command:?}");
    text(&done.stdout) + &text(&done.stderr)
}

#[test]
fn older_database_is_migrated_by_serve_and_migrate_alone() {
    let directory = tempfile::tempdir().unwrap();
    let data = directory.path().join("data");
    older_database(&data, 7);
    let file = data.join(FILE_NAME);
    let before = std::fs::read(&file).unwrap();
    for command in COMMANDS.into_iter().chain([&["check"][..], &["demo"]]) {
        let said = refused(&data, command);
        assert!(said.contains("at version 7"), "{command:?}: {said}");
        assert!(said.contains("service migrate"), "{command:?}: {said}");
    }
    // A copy is made of it as it is, before it is migrated.
    let backup = directory.path().join("backup");
    let to = [
        "backup",
        "--data",
        data.to_str().unwrap(),
        "--to",
        backup.to_str().unwrap(),
    ];
    assert!(run(&to).status.success());
    assert!(std::fs::read(&file).unwrap() == before);
    assert!(!data.join("demo.json").exists());

    let migrated = run(&["migrate", "--data", data.to_str().unwrap()]);
    let newest = MIGRATIONS.iter().last().unwrap().version;
    assert_eq!(text(&migrated.stdout), format!("version {newest}\n"));
    std::fs::copy(&backup, &file).unwrap();
    let service = Process::start_with(&data, &[], None);
    assert_eq!(service.call("GET", "/readyz", "", "").0, 200);
}

#[test]
fn newer_database_is_refused_by_every_command_in_words() {
    let directory = tempfile::tempdir().unwrap();
    let data = directory.path().join("data");
    let data_text = data.to_str().unwrap();
    assert!(run(&["migrate", "--data", data_text]).status.success());
    let newer = "INSERT INTO _sqlx_migrations SELECT 9999, '', installed_on, 1, x'', 0 FROM _sqlx_migrations LIMIT 1";
    sql(&data, newer);
    let backup = directory.path().join("backup");
    let others: [&[&str]; 5] = [
        &["serve", "--port", "0"],
        &["migrate"],
        &["demo"],
        &["check"],
        &["backup", "--to", backup.to_str().unwrap()],
    ];
    for command in COMMANDS.into_iter().chain(others) {
        let said = refused(&data, command);
        assert!(said.contains("at version 9999"), "{command:?}: {said}");
        assert!(said.contains("newer program"), "{command:?}: {said}");
    }
    assert!(!backup.exists());
}

#[test]
fn migration_beside_a_running_service_is_refused() {
    let directory = tempfile::tempdir().unwrap();
    let data = directory.path().join("data");
    let service = Process::start(&data, &[]);
    let data_text = data.to_str().unwrap();
    // There is nothing to migrate.
    assert!(run(&["migrate", "--data", data_text]).status.success());
    sql(
        &data,
        "DELETE FROM _sqlx_migrations WHERE version = (SELECT max(version) FROM _sqlx_migrations)",
    );
    let said = refused(&data, &["migrate"]);
    assert!(
        said.contains(&format!("process {}", service.id())),
        "{said}"
    );
}

#[test]
fn vacuum_needs_the_directory_for_itself() {
    let directory = tempfile::tempdir().unwrap();
    let data = directory.path().join("data");
    let data_text = data.to_str().unwrap();
    let service = Process::start(&data, &[]);
    let said = refused(&data, &["vacuum"]);
    assert!(
        said.contains(&format!("process {}", service.id())),
        "{said}"
    );
    service.signal("-TERM");
    let done = run(&["vacuum", "--data", data_text]);
    assert!(done.status.success(), "{}", text(&done.stderr));
    assert!(text(&done.stdout).contains("bytes after"));
    assert!(run(&["check", "--data", data_text]).status.success());
    let mode = std::fs::metadata(data.join(FILE_NAME))
        .unwrap()
        .permissions()
        .mode();
    assert_eq!(mode & 0o777, 0o600);

    // A copy gives its free space back as the original does.
    let backup = directory.path().join("backup");
    let to = [
        "backup",
        "--data",
        data_text,
        "--to",
        backup.to_str().unwrap(),
    ];
    assert!(run(&to).status.success());
    let incremental: i64 = block_on(async {
        let options = SqliteConnectOptions::new().filename(&backup);
        let mut db = SqliteConnection::connect_with(&options).await.unwrap();
        sqlx::query_scalar("PRAGMA auto_vacuum")
            .fetch_one(&mut db)
            .await
            .unwrap()
    });
    assert_eq!(incremental, 2);
}

#[test]
fn check_names_clients_whose_owner_is_gone() {
    let directory = tempfile::tempdir().unwrap();
    let data = directory.path().to_str().unwrap();
    assert!(run(&["demo", "--data", data]).status.success());
    block_on(async {
        // As a program that keeps no references whole would leave it.
        let options = SqliteConnectOptions::new()
            .filename(directory.path().join(FILE_NAME))
            .foreign_keys(false);
        let mut db = SqliteConnection::connect_with(&options).await.unwrap();
        sqlx::query("UPDATE oauth_clients SET owner_id = 999")
            .execute(&mut db)
            .await
            .unwrap();
        db.close().await.unwrap();
    });
    let done = run(&["check", "--data", data]);
    assert_eq!(done.status.code(), Some(1));
    let found = text(&done.stdout);
    assert!(
        found.contains("client") && found.contains("does not exist"),
        "{found}"
    );
    let listed = run(&["client", "list", "--data", data]);
    assert!(text(&listed.stdout).contains("nobody"));
}

#[test]
fn service_starts_beside_a_command_that_makes_the_database() {
    let directory = tempfile::tempdir().unwrap();
    let data = directory.path().join("data");
    std::fs::create_dir(&data).unwrap();
    let command = InstanceLock::try_acquire(&data).unwrap();
    let log = directory.path().join("log");
    let service = std::thread::spawn({
        let (data, log) = (data.clone(), log.clone());
        move || Process::start_with(&data, &[], Some(log))
    });
    wait_until("the service waits", || {
        std::fs::read_to_string(&log).is_ok_and(|text| text.contains("waiting"))
    });
    drop(command);
    assert_eq!(service.join().unwrap().call_text("/readyz").0, 200);
}
