//! Log lines about e-mail.

use std::path::Path;
use std::time::{Duration, Instant};

use serde_json::json;

use crate::mail_server::MailServer;
use crate::process::{Process, serve_command};

fn start(directory: &Path, options: &[&str]) -> Process {
    let mut command = serve_command(&directory.join("data"));
    command.args(["--port", "0", "--demo", "--test-mode"]);
    command
        .args(["--now", "2027-03-01T08:00:00Z"])
        .args(options);
    Process::spawn(command, Some(directory.join("log")))
}

fn start_with_server(directory: &Path, url: &str) -> Process {
    start(
        directory,
        &["--smtp-url", url, "--mail-from", "Desk <desk@example.org>"],
    )
}

fn book(service: &Process) {
    let target = "/v2/slots?eventTypeId=1&start=2027-03-02&end=2027-03-12";
    let (_, free) = service.call("GET", target, "", "");
    let day = free["data"].as_object().unwrap().values().next().unwrap();
    let body = json!({
        "start": day[0]["start"],
        "eventTypeId": 1,
        "attendee": {"name": "Zoë", "email": "zoe@example.org", "timeZone": "Europe/Rome"},
    });
    let (status, created) = service.call("POST", "/v2/bookings", "", &body.to_string());
    assert_eq!(status, 201, "{created}");
}

fn wait_for(service: &Process, text: &str) {
    let started = Instant::now();
    while !service.log().contains(text) {
        assert!(
            started.elapsed() < Duration::from_secs(40),
            "no {text}: {}",
            service.log()
        );
        std::thread::sleep(Duration::from_millis(50));
    }
}

#[test]
fn start_names_the_mail_server_or_warns_that_there_is_none() {
    let directory = tempfile::tempdir().unwrap();
    let service = start_with_server(
        directory.path(),
        "smtps://desk%40example.org:a-password@mail.example.invalid",
    );
    let log = service.log();
    let expected = "mail server: smtps://mail.example.invalid:465 as desk@example.org";
    assert!(log.contains(expected), "{log}");
    assert!(!log.contains("a-password"), "{log}");
    drop(service);

    let directory = tempfile::tempdir().unwrap();
    let log = start(directory.path(), &[]).log();
    assert!(
        log.contains("the demo shows messages at /demo/mail"),
        "{log}"
    );

    let directory = tempfile::tempdir().unwrap();
    let mut command = serve_command(&directory.path().join("data"));
    command.args(["--port", "0"]);
    let log = Process::spawn(command, Some(directory.path().join("log"))).log();
    let line = log
        .lines()
        .find(|line| line.contains("no mail server: nobody is told"));
    assert!(line.is_some_and(|line| line.contains("WARN")), "{log}");
}

#[test]
fn start_is_one_line_with_versions_and_addresses() {
    let directory = tempfile::tempdir().unwrap();
    let service = start(
        directory.path(),
        &["--trust-proxy=2", "--public-url", "http://localhost:8080"],
    );
    let log = service.log();
    let line = log.lines().find(|line| line.contains("starting")).unwrap();
    let file = directory.path().join("data/service.sqlite3");
    for part in [
        format!("version=\"{}\"", env!("CARGO_PKG_VERSION")),
        "schema=".to_owned(),
        format!("database=\"SQLite {}\"", file.display()),
        "mail=\"none\"".to_owned(),
        "trusted_proxies=2".to_owned(),
        "public_url=\"http://localhost:8080\"".to_owned(),
        "zone_data=".to_owned(),
    ] {
        assert!(line.contains(&part), "{part} in {line}");
    }
}

#[test]
fn server_that_refuses_messages_is_one_warning_until_it_takes_them_again() {
    let mut server = MailServer::start(&[]);
    server.set_reply("MAIL", "550 5.7.1 not allowed");
    let directory = tempfile::tempdir().unwrap();
    let service = start_with_server(directory.path(), &server.url());
    // Messages to host and attendee of each.
    book(&service);
    book(&service);
    wait_for(&service, "e-mail is not sent");
    let log = service.log();
    let line = log
        .lines()
        .find(|line| line.contains("e-mail is not sent"))
        .unwrap();
    assert!(line.contains("WARN"), "{line}");
    assert!(
        line.contains(&format!("127.0.0.1:{}", server.port)),
        "{line}"
    );
    assert!(line.contains("Set --mail-from"), "{line}");
    assert!(!log.contains("zoe@example.org"), "{log}");
    server.set_faults(&json!({}));
    // The first retry is after five seconds.
    wait_for(&service, "e-mail is sent again");
    let log = service.log();
    assert_eq!(log.matches("e-mail is not sent").count(), 1, "{log}");
    assert_eq!(log.matches("e-mail is sent again").count(), 1, "{log}");
}
