//! The binary as a process: it says when it is ready, stops when asked, and forgets nothing that
//! it has answered.

#![cfg(unix)]
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    unreachable_pub,
    missing_docs,
    dead_code
)]

use std::io::{BufRead, BufReader};
use std::process::{Command, Stdio};

use serde_json::{Value, json};

#[path = "support/process.rs"]
mod process;
use process::Process;

#[test]
fn what_was_answered_survives_a_kill_and_a_stop_is_clean() {
    let directory = tempfile::tempdir().unwrap();
    let data = directory.path().join("new/data");
    let first = Process::start(&data, &[]);
    let body = json!({
        "start": "2027-03-02T10:00:00Z",
        "eventTypeSlug": "intro-call",
        "username": "ada",
        "attendee": {"name": "Zoë", "email": "zoe@example.org", "timeZone": "Europe/Rome"},
    });
    let slots = "/v2/slots?eventTypeId=1&start=2027-03-02&end=2027-03-12";
    let (status, free) = first.call("GET", slots, "", "");
    assert_eq!(status, 200);
    let mut body = body;
    body["start"] = free["data"].as_object().unwrap().values().next().unwrap()[0]["start"].clone();
    let (status, made) = first.call("POST", "/v2/bookings", "", &body.to_string());
    assert_eq!(status, 201, "{made}");
    first.signal("-KILL");

    let second = Process::start(&data, &["--access-token-minutes", "0"]);
    let uid = made["data"]["uid"].as_str().unwrap();
    let (status, read) = second.call("GET", &format!("/v2/bookings/{uid}"), "", "");
    assert_eq!((status, &read["data"]), (200, &made["data"]));
    let (status, _) = second.call("POST", "/v2/bookings", "", &body.to_string());
    assert_eq!(status, 409);

    let credentials: Value =
        serde_json::from_slice(&std::fs::read(data.join("demo.json")).unwrap()).unwrap();
    assert_eq!(credentials["baseUrl"], format!("http://{}", second.address));
    let expired = format!(
        "authorization: Bearer {}\r\n",
        credentials["accessToken"].as_str().unwrap()
    );
    assert_eq!(second.call("GET", "/v2/me", &expired, "").0, 498);
    assert_eq!(second.signal("-TERM"), Some(0));
}

#[test]
fn a_port_that_is_taken_is_said_plainly() {
    let directory = tempfile::tempdir().unwrap();
    let taken = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let port = taken.local_addr().unwrap().port().to_string();
    let done = Command::new(env!("CARGO_BIN_EXE_service"))
        .args(["serve", "--port", &port, "--data"])
        .arg(directory.path())
        .output()
        .unwrap();
    assert_eq!(done.status.code(), Some(1));
    let said = String::from_utf8(done.stderr).unwrap();
    assert!(
        said.contains(&format!("cannot listen on 127.0.0.1:{port}")),
        "{said}"
    );
}

#[test]
fn demo_prints_where_the_credentials_are() {
    let directory = tempfile::tempdir().unwrap();
    let done = Command::new(env!("CARGO_BIN_EXE_service"))
        .args(["demo", "--data"])
        .arg(directory.path())
        .stderr(Stdio::null())
        .output()
        .unwrap();
    assert!(done.status.success());
    let path = String::from_utf8(done.stdout).unwrap();
    let credentials: Value = serde_json::from_slice(&std::fs::read(path.trim()).unwrap()).unwrap();
    let keys = credentials
        .as_object()
        .unwrap()
        .keys()
        .map(String::as_str)
        .collect::<Vec<_>>();
    let expected = [
        "accessToken",
        "apiKey",
        "baseUrl",
        "clientId",
        "clientSecret",
        "eventTypes",
        "orgId",
        "refreshToken",
        "teamId",
        "userKey",
        "username",
    ];
    assert_eq!(keys, expected);
}

/// Runs `serve` with a demo that other machines could reach; gives what it complains about.
fn exposed(data: &std::path::Path, more: &[&str]) -> Option<String> {
    let mut child = Command::new(env!("CARGO_BIN_EXE_service"))
        .args(["serve", "--port", "0", "--demo", "--data"])
        .arg(data)
        .args(more)
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    // It ends, or says that it is ready.
    let mut line = String::new();
    let mut stdout = BufReader::new(child.stdout.take().unwrap());
    stdout.read_line(&mut line).unwrap();
    child.kill().unwrap();
    let done = child.wait_with_output().unwrap();
    let said = String::from_utf8(done.stderr).unwrap();
    if line.starts_with("ready ") {
        assert!(said.contains("WARN") && said.contains("--demo"), "{said}");
        None
    } else {
        Some(said)
    }
}

#[test]
fn demo_is_refused_where_other_machines_can_reach_it_unless_that_is_meant() {
    let directory = tempfile::tempdir().unwrap();
    let data = directory.path().join("data");
    let public = "https://booking.example.org";
    for more in [
        &["--host", "0.0.0.0"][..],
        &["--host", "::"],
        &["--public-url", public],
        &["--host", "0.0.0.0", "--public-url", public],
        &["--public-url", "https://localhost.evil.example/"],
        &["--public-url", "https://localhost@evil.example/"],
    ] {
        let said = exposed(&data, more);
        assert!(
            said.is_some_and(|said| said.contains("--demo-in-public")),
            "{more:?}"
        );
        assert!(!data.exists(), "{more:?}");
    }
    // It has to be known under which name it is offered.
    assert!(exposed(&data, &["--host", "0.0.0.0", "--demo-in-public"]).is_some());
    for more in [
        &[][..],
        &["--host", "::1", "--public-url", "http://localhost:4000"],
        &[
            "--host",
            "0.0.0.0",
            "--demo-in-public",
            "--public-url",
            public,
        ],
    ] {
        assert_eq!(exposed(&data, more), None, "{more:?}");
    }
}

#[test]
fn demo_credentials_end_with_the_demo() {
    let directory = tempfile::tempdir().unwrap();
    let data = directory.path().join("data");
    let credentials = || -> Value {
        serde_json::from_slice(&std::fs::read(data.join("demo.json")).unwrap()).unwrap()
    };
    let me = |service: &Process, credentials: &Value| {
        let key = credentials["apiKey"].as_str().unwrap();
        let header = format!("authorization: Bearer {key}\r\n");
        service.call("GET", "/v2/me", &header, "").0
    };
    let first = Process::start(&data, &[]);
    let former = credentials();
    assert_eq!(me(&first, &former), 200);
    first.signal("-KILL");

    let log = directory.path().join("log");
    let second = Process::start_with(&data, &[], Some(log));
    assert_eq!(me(&second, &former), 401);
    assert!(second.log().contains("revoked"), "{}", second.log());
    assert!(!data.join("demo.json").exists());
    second.signal("-KILL");

    let third = Process::start(&data, &[]);
    assert_eq!(me(&third, &former), 401);
    assert_eq!(me(&third, &credentials()), 200);
}
