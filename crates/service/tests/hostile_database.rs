//! Database servers, or attackers on the path to them, that do not follow the protocol of PostgreSQL: commands end in
//! bounded time and memory.

#![cfg(target_os = "linux")]
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    unreachable_pub,
    missing_docs,
    dead_code
)]

#[path = "support/process.rs"]
mod process;

use std::io::{Read, Write};
use std::net::{TcpListener, TcpStream};
use std::process::Stdio;
use std::thread;
use std::time::{Duration, Instant};

use process::service_command;

/// `AuthenticationOk` and `ReadyForQuery`.
const STARTED: &[u8] = b"R\0\0\0\x08\0\0\0\0Z\0\0\0\x05I";

/// Header of a message of 2 GiB.
const HUGE: &[u8] = b"R\x7f\xff\xff\xff";

/// A notice without fields.
const NOTICE: &[u8] = b"N\0\0\0\x05\0";

/// Time to connect, with a margin for a busy machine.
const CONNECT_TIMEOUT: Duration = Duration::from_secs(30);

/// Bytes that a server sends.
#[derive(Clone, Copy)]
struct Answers {
    /// To the request for TLS.
    tls: &'static [u8],
    /// To the start of a session.
    start: &'static [u8],
    /// Again and again after that.
    endless: &'static [u8],
}

/// Runs `service migrate` with a server that gives these answers. Returns the error, the duration and the largest memory
/// in KiB.
fn migrate(answers: Answers, parameters: &str) -> (String, Duration, u64) {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = listener.local_addr().unwrap().port();
    thread::spawn(move || {
        for stream in listener.incoming() {
            thread::spawn(move || answer(stream.unwrap(), answers));
        }
    });
    let data = tempfile::tempdir().unwrap();
    let mut command = service_command();
    command.args(["migrate", "--data"]).arg(data.path());
    command.args(["--database-url"]);
    command.arg(format!("postgres://a:b@localhost:{port}/a?{parameters}"));
    let started = Instant::now();
    let mut child = command.stderr(Stdio::piped()).spawn().unwrap();
    let status = format!("/proc/{}/status", child.id());
    let mut peak = 0;
    while child.try_wait().unwrap().is_none() {
        let status = std::fs::read_to_string(&status).unwrap_or_default();
        let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
        let memory = line.and_then(|line| line.trim().trim_end_matches(" kB").parse().ok());
        peak = peak.max(memory.unwrap_or(0));
        if started.elapsed() > CONNECT_TIMEOUT {
            child.kill().unwrap();
        }
        thread::sleep(Duration::from_millis(20));
    }
    let output = child.wait_with_output().unwrap();
    let error = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(1), "{error}");
    (error, started.elapsed(), peak)
}

fn answer(mut stream: TcpStream, answers: Answers) {
    let mut request = [0; 4096];
    for answer in [answers.tls, answers.start] {
        let _ = stream.read(&mut request);
        let _ = stream.write_all(answer);
    }
    let chunk = answers.endless.repeat(1000);
    while !chunk.is_empty() && stream.write_all(&chunk).is_ok() {}
    // The client ends the connection.
    let _ = stream.read(&mut request);
    let _ = stream.read(&mut request);
}

#[track_caller]
fn check(answers: Answers, parameters: &str, limit: Duration, expected: &str) {
    let (error, elapsed, peak) = migrate(answers, parameters);
    println!("{elapsed:?}, {peak} KiB: {error}");
    assert!(error.contains(expected), "{error}");
    assert!(elapsed < limit, "{elapsed:?}: {error}");
    assert!(peak < 150 * 1024, "{peak} KiB: {error}");
}

#[test]
fn plaintext_after_agreement_to_tls_does_not_count() {
    for parameters in ["", "sslmode=require", "sslmode=verify-full"] {
        let answers = Answers {
            tls: &[b"S".as_slice(), STARTED].concat().leak()[..],
            start: STARTED,
            endless: b"",
        };
        check(answers, parameters, CONNECT_TIMEOUT / 3, "message");
    }
}

#[test]
fn server_without_tls_is_refused_if_tls_is_required() {
    let answers = Answers {
        tls: b"N",
        start: STARTED,
        endless: NOTICE,
    };
    let parameters = "sslmode=verify-full";
    check(
        answers,
        parameters,
        CONNECT_TIMEOUT / 3,
        "does not support TLS",
    );
}

#[test]
fn silent_server_is_not_waited_for_without_end() {
    let answers = Answers {
        tls: b"",
        start: b"",
        endless: b"",
    };
    check(answers, "", CONNECT_TIMEOUT, "does not answer");
}

#[test]
fn huge_message_length_takes_no_memory() {
    let answers = Answers {
        tls: b"N",
        start: HUGE,
        endless: b"",
    };
    check(answers, "", CONNECT_TIMEOUT, "does not answer");
}
