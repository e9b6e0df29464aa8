//! `service mail test`.

use std::process::Output;

use crate::mail_server::MailServer;
use crate::process::service_command;
use serde_json::json;

const FROM: &str = "Desk <desk@example.org>";

pub fn text(bytes: &[u8]) -> String {
    String::from_utf8(bytes.to_vec()).unwrap()
}

pub fn test(url: &str, more: &[&str]) -> Output {
    let mut command = service_command();
    command.args(["mail", "test", "--to", "you@example.net"]);
    // As an installation sets them.
    command.env("BOOKING_SMTP_URL", url);
    command.env("BOOKING_MAIL_FROM", FROM);
    command.args(more).output().unwrap()
}

#[test]
fn accepted_message_shows_each_step() {
    let server = MailServer::start(&["--tls", "starttls", "--auth", "desk:secret"]);
    let url = format!("smtp://desk:secret@localhost:{}", server.port);
    let ca_file = server.ca_file();
    let output = test(&url, &["--smtp-ca-file", ca_file.to_str().unwrap()]);
    let shown = text(&output.stdout);
    assert!(output.status.success(), "{shown}{}", text(&output.stderr));
    let steps: Vec<_> = shown
        .lines()
        .filter_map(|line| line.split_once("  ").map(|(step, _)| step.trim()))
        .collect();
    assert_eq!(
        steps,
        [
            "settings",
            "DNS",
            "connect",
            "EHLO",
            "TLS",
            "AUTH",
            "MAIL FROM",
            "RCPT TO",
            "DATA"
        ]
    );
    assert!(!shown.contains("secret"), "{shown}");
    let messages = server.messages();
    assert_eq!(messages.len(), 1);
    assert_eq!(messages[0]["defects"], json!([]));
}

#[test]
fn failure_says_what_to_do_and_exits_with_1() {
    let mut server = MailServer::start(&["--auth", "desk:right"]);
    let port = server.port;
    let check = |url: &str, expected: &[&str]| {
        let output = test(url, &[]);
        let error = text(&output.stderr);
        assert_eq!(output.status.code(), Some(1), "{url}: {error}");
        for expected in expected {
            assert!(error.contains(expected), "{url}: {error}");
        }
        let all = error + &text(&output.stdout);
        assert!(!all.contains("hunter2"), "{all}");
    };
    check("", &["No mail server is set", "BOOKING_SMTP_URL"]);
    check("hunter2", &["--smtp-url must be like"]);
    check(
        "smtp://desk:hunter2@mail.invalid",
        &["no address in the DNS", "Check the host"],
    );
    check(
        &format!("smtp://desk:hunter2@127.0.0.1:{port}"),
        &[
            "refused the user or password: 535",
            "Check user and password",
        ],
    );
    check(
        &format!("smtps://desk:hunter2@127.0.0.1:{port}"),
        &["does not speak TLS", "use smtp://"],
    );
    check(
        &format!("smtp://desk:hunter2@127.0.0.1:{port}?starttls=required"),
        &["does not offer STARTTLS", "smtps://"],
    );
    check(
        &format!("smtp://127.0.0.1:{port}"),
        &["refused the sender: 530", "needs a login"],
    );
    let url = format!("smtp://desk:right@127.0.0.1:{port}");
    for (stage, reply, expected) in [
        ("MAIL", "553 5.7.1 not yours", "--mail-from"),
        ("RCPT", "550 5.1.1 unknown", "Check the address"),
        ("RCPT", "554 5.7.1 relay denied", "login"),
        ("RCPT", "451 4.7.1 later", "later"),
        ("DOT", "550 5.7.26 no SPF", "SPF"),
    ] {
        server.set_reply(stage, reply);
        check(&url, &[reply, expected]);
    }
    server.stop();
    check(&url, &["connection refused", "Check the port"]);
}

#[test]
fn help_shows_no_password_of_the_environment() {
    let mut command = service_command();
    command.args(["mail", "test", "--help"]);
    command.env("BOOKING_SMTP_URL", "smtps://desk:hunter2@mail.example.org");
    let output = command.output().unwrap();
    let help = text(&output.stdout);
    assert!(help.contains("BOOKING_SMTP_URL"), "{help}");
    assert!(!help.contains("hunter2"), "{help}");
}
