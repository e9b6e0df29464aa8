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
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::process::Command;
use std::time::{Duration, Instant};

use booking_service::store::{FILE_NAME, Store};
use serde_json::{Value, json};

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

fn sql(data: &Path, statement: &str) {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .unwrap();
    runtime.block_on(async {
        let store = Store::open(data).await.unwrap();
        let mut transaction = store.begin().await.unwrap();
        sqlx::raw_sql(statement)
            .execute(&mut *transaction)
            .await
            .unwrap();
        transaction.commit().await.unwrap();
        store.close().await;
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

#[test]
fn only_so_many_connections_are_served_at_a_time() {
    let directory = tempfile::tempdir().unwrap();
    let more = ["--max-connections", "2", "--client-timeout", "1"];
    let service = Process::start(directory.path(), &more);
    let _held = [service.connect(), service.connect()];
    // It waits for a place, and gets one when the silent ones are let go.
    assert_eq!(service.call("GET", "/v2/event-types/1", "", "").0, 200);
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
        ("UPDATE bookings SET rescheduled_to_uid = 'gone' WHERE id = 3", "moved to one that does not exist: booking 3"),
        ("UPDATE bookings SET rescheduled_from_uid = 'gone' WHERE id = 4", "moved from one that does not exist: booking 4"),
        ("UPDATE bookings SET rescheduled_to_uid = uid, rescheduled_from_uid = uid WHERE id = 5", "in a circle: booking 5"),
        ("UPDATE memberships SET role_id = 'gone' WHERE id = 1", "role that does not exist or is another team's: membership 1"),
        ("UPDATE users SET time_zone = 'Mars/Base' WHERE id = 1", "time zone is unknown: user 1"),
        ("INSERT INTO role_permissions VALUES ('member_role', 'made.up', 99)", "unknown permission: role member_role"),
        ("UPDATE schedule_hours SET to_minute = 2000 WHERE id = 1", "no part of a day: hours 1"),
        ("DROP TRIGGER booking_hosts_stay_apart_on_update;
          UPDATE booking_hosts SET holds = 1, start_ms = 0, end_ms = 1000 WHERE user_id = (SELECT min(user_id) FROM booking_hosts)",
         "in two bookings at one time: host"),
        ("PRAGMA writable_schema = 1; UPDATE bookings SET status = 'cancelled' WHERE id IN (
             SELECT booking_id FROM booking_hosts WHERE holds = 1 LIMIT 1)", "keeps its host busy: booking"),
        ("DELETE FROM _sqlx_migrations WHERE version = (SELECT max(version) FROM _sqlx_migrations)", "not this program's"),
    ];
    for (statement, expected) in table {
        let copy = tempfile::tempdir().unwrap();
        let file = copy.path().join(FILE_NAME);
        std::fs::copy(data.join(FILE_NAME), &file).unwrap();
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
