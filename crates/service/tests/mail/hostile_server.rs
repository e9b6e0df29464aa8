//! Mail servers, or attackers on the path to them, that send what no mail server does: each is a bounded failure that
//! says what happened.

use std::time::{Duration, Instant};

use serde_json::json;

use crate::command::{test, text};
use crate::fixture::{assert_failed, send, settings_of, trusting_settings};
use crate::mail_server::MailServer;

const TO: &str = "bob@example.net";

/// Answers for a whole delivery.
const INJECTED: &str =
    "250-AUTH PLAIN LOGIN\r\n250 ok\r\n235 ok\r\n250 ok\r\n250 ok\r\n354 go\r\n250 ok\r\n";

const PLAINTEXT: &str = "sent plaintext after it had agreed to STARTTLS";

const TOO_LONG: &str = "sent an answer that is too long";

#[tokio::test]
async fn plaintext_after_starttls_does_not_count_inside_tls() {
    for (tls, starttls) in [
        ("starttls", "required"),
        ("required", "required"),
        ("starttls", "opportunistic"),
    ] {
        let mut server = MailServer::start(&["--tls", tls, "--auth", "desk:secret"]);
        let port = server.port;
        let url = format!("smtp://desk:secret@localhost:{port}?starttls={starttls}");
        let mut settings = trusting_settings(&url, &server);
        settings.timeouts.command = Duration::from_secs(2);
        for faults in [
            json!({"inject": INJECTED}),
            json!({"inject": "250 ok\r\n"}),
            json!({"inject": "2"}),
            json!({"inject": INJECTED, "late": 0.05}),
        ] {
            server.set_faults(&faults);
            assert_failed(send(&settings, TO).await, false, PLAINTEXT);
            assert_eq!(server.messages().len(), 0, "{starttls} {faults}");
        }
        // Nothing of it stays.
        server.set_faults(&json!({}));
        send(&settings, TO).await.unwrap();
    }
}

#[tokio::test]
async fn endless_answer_is_a_failure_at_once() {
    for (tls, url) in [
        ("none", "smtp://localhost:PORT?starttls=none"),
        ("none", "smtp://localhost:PORT?starttls=opportunistic"),
        ("required", "smtp://localhost:PORT?starttls=required"),
        ("smtps", "smtps://localhost:PORT"),
    ] {
        let mut server = MailServer::start(&["--tls", tls]);
        let url = url.replace("PORT", &server.port.to_string());
        let settings = match tls {
            "none" => settings_of(&url),
            _ => trusting_settings(&url, &server),
        };
        for stage in ["CONNECT", "EHLO", "MAIL", "RCPT", "DATA", "DOT"] {
            for answer in ["x", "250-x", "250-x\r\n", "250-\r\n"] {
                server.set_reply(stage, &format!("endless {answer}"));
                let started = Instant::now();
                assert_failed(send(&settings, TO).await, false, TOO_LONG);
                let elapsed = started.elapsed();
                assert!(elapsed < Duration::from_secs(4), "{url} {stage} {answer:?}");
            }
        }
        server.set_faults(&json!({}));
        send(&settings, TO).await.unwrap();
    }
}

#[tokio::test]
async fn long_answer_is_accepted() {
    let mut server = MailServer::start(&[]);
    // Twice what RFC 5321 allows for a line.
    let line = "250-".to_owned() + &"x".repeat(900) + "\r\n";
    server.set_reply("DOT", &(line.repeat(8) + "250 ok"));
    send(&settings_of(&server.url()), TO).await.unwrap();
}

#[test]
fn command_explains_attack() {
    let mut server = MailServer::start(&["--tls", "starttls", "--auth", "desk:secret"]);
    let url = format!(
        "smtp://desk:secret@localhost:{}?starttls=required",
        server.port
    );
    let ca_file = server.ca_file();
    for (faults, problem, advice) in [
        (json!({"inject": INJECTED}), PLAINTEXT, "use smtps://"),
        (
            json!({"replies": {"CONNECT": "endless x"}}),
            TOO_LONG,
            "on the path",
        ),
        (
            json!({"replies": {"MAIL": "endless 250-x\r\n"}}),
            TOO_LONG,
            "broken",
        ),
    ] {
        server.set_faults(&faults);
        let output = test(&url, &["--smtp-ca-file", ca_file.to_str().unwrap()]);
        let error = text(&output.stderr);
        assert_eq!(output.status.code(), Some(1), "{error}");
        assert!(error.contains(problem), "{error}");
        assert!(error.contains(advice), "{error}");
    }
}
