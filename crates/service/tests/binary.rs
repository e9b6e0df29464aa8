//! The binary as a process: startup, shutdown, durability and demo mode.

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
use std::process::Stdio;

use serde_json::{Value, json};

#[path = "support/process.rs"]
mod process;
use process::{Process, service_command};

#[test]
fn acknowledged_booking_survives_kill_and_sigterm_exits_with_0() {
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
    let (status, created) = first.call("POST", "/v2/bookings", "", &body.to_string());
    assert_eq!(status, 201, "{created}");
    first.signal("-KILL");

    let second = Process::start(&data, &["--access-token-minutes", "0"]);
    let uid = created["data"]["uid"].as_str().unwrap();
    let (status, fetched) = second.call("GET", &format!("/v2/bookings/{uid}"), "", "");
    assert_eq!((status, &fetched["data"]), (200, &created["data"]));
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
fn occupied_port_is_reported() {
    let directory = tempfile::tempdir().unwrap();
    let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let port = listener.local_addr().unwrap().port().to_string();
    let output = service_command()
        .args(["serve", "--port", &port, "--data"])
        .arg(directory.path())
        .output()
        .unwrap();
    assert_eq!(output.status.code(), Some(1));
    let stderr = String::from_utf8(output.stderr).unwrap();
    assert!(
        stderr.contains(&format!("cannot listen on 127.0.0.1:{port}")),
        "{stderr}"
    );
}

#[test]
fn demo_prints_path_of_credentials() {
    let directory = tempfile::tempdir().unwrap();
    let output = service_command()
        .args(["demo", "--data"])
        .arg(directory.path())
        .stderr(Stdio::null())
        .output()
        .unwrap();
    assert!(output.status.success());
    let path = String::from_utf8(output.stdout).unwrap();
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

/// Runs `serve --demo` with more arguments and returns the error message if it is rejected.
fn demo_rejection(data: &std::path::Path, more: &[&str]) -> Option<String> {
    let mut child = service_command()
        .args(["serve", "--port", "0", "--demo", "--data"])
        .arg(data)
        .args(more)
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    // The process exits or prints that it is ready.
    let mut line = String::new();
    let mut stdout = BufReader::new(child.stdout.take().unwrap());
    stdout.read_line(&mut line).unwrap();
    child.kill().unwrap();
    let output = child.wait_with_output().unwrap();
    let stderr = String::from_utf8(output.stderr).unwrap();
    if line.starts_with("ready ") {
        assert!(
            stderr.contains("WARN") && stderr.contains("--demo"),
            "{stderr}"
        );
        None
    } else {
        Some(stderr)
    }
}

#[test]
fn publicly_reachable_demo_requires_demo_in_public() {
    let directory = tempfile::tempdir().unwrap();
    let data = directory.path().join("data");
    let public = "https://booking.example.org";
    for more in [
        &["--host", "0.0.0.0"][..],
        &["--host", "::"],
        &["--public-url", public],
        &["--host", "0.0.0.0", "--public-url", public],
        &["--public-url", "https://localhost.evil.example/"],
    ] {
        let stderr = demo_rejection(&data, more);
        assert!(
            stderr.is_some_and(|stderr| stderr.contains("--demo-in-public")),
            "{more:?}"
        );
        assert!(!data.exists(), "{more:?}");
    }
    let with_user = ["--public-url", "https://localhost@evil.example/"];
    assert!(demo_rejection(&data, &with_user).is_some());
    // A public URL is required.
    assert!(demo_rejection(&data, &["--host", "0.0.0.0", "--demo-in-public"]).is_some());
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
        assert_eq!(demo_rejection(&data, more), None, "{more:?}");
    }
}

#[test]
fn demo_credentials_are_revoked_without_demo() {
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
    let previous_credentials = credentials();
    assert_eq!(me(&first, &previous_credentials), 200);
    first.signal("-KILL");

    let log = directory.path().join("log");
    let second = Process::start_with(&data, &[], Some(log));
    assert_eq!(me(&second, &previous_credentials), 401);
    assert!(second.log().contains("revoked"), "{}", second.log());
    assert!(!data.join("demo.json").exists());
    second.signal("-KILL");

    let third = Process::start(&data, &[]);
    assert_eq!(me(&third, &previous_credentials), 401);
    assert_eq!(me(&third, &credentials()), 200);
}
