//! Faults of the mail server: each gives the right kind of error and a sentence.

use std::time::{Duration, Instant};

use booking_smtp::settings::{SmtpSettings, Timeouts};
use booking_smtp::transport::Transport;
use serde_json::json;
use tokio::io::AsyncWriteExt;
use tokio::net::TcpListener;

use crate::fixture::{assert_failed, outgoing, send, settings, settings_of};
use crate::mail_server::MailServer;

const TO: &str = "bob@example.net";

/// Settings with short timeouts.
fn impatient(settings: SmtpSettings) -> SmtpSettings {
    SmtpSettings {
        timeouts: Timeouts {
            connect: Duration::from_secs(2),
            command: Duration::from_secs(2),
            attempt: Duration::from_millis(3500),
        },
        ..settings
    }
}

#[tokio::test]
async fn refusals_are_final_or_not_by_what_they_are_about() {
    let mut server = MailServer::start(&[]);
    let settings = settings(&server);
    for (stage, reply, is_final, problem) in [
        (
            "RCPT",
            "550 5.1.1 no such user",
            true,
            "refused the recipient: 550 5.1.1 no such user",
        ),
        (
            "RCPT",
            "451 4.7.1 greylisted",
            false,
            "put off the recipient: 451 4.7.1 greylisted",
        ),
        (
            "RCPT",
            "554 5.7.1 relay denied",
            false,
            "refused the recipient: 554",
        ),
        (
            "MAIL",
            "553 5.1.8 unknown sender",
            false,
            "refused the sender: 553",
        ),
        ("MAIL", "451 4.3.0 later", false, "put off the sender: 451"),
        (
            "MAIL",
            "530 5.7.0 log in first",
            false,
            "refused the sender: 530",
        ),
        ("DATA", "554 5.5.1 no", true, "refused the message: 554"),
        ("DATA", "451 4.3.0 later", false, "put off the message: 451"),
        (
            "DOT",
            "552 5.3.4 too large",
            true,
            "refused the message: 552 5.3.4 too large",
        ),
        (
            "DOT",
            "550 5.7.1 spam",
            true,
            "refused the message: 550 5.7.1 spam",
        ),
        (
            "DOT",
            "452 4.3.1 disk full",
            false,
            "put off the message: 452",
        ),
        (
            "CONNECT",
            "421 4.7.0 too many connections",
            false,
            "put off the connection: 421 4.7.0 too many connections",
        ),
        (
            "CONNECT",
            "554 5.7.1 blocked",
            false,
            "refused the connection: 554",
        ),
        ("EHLO", "550 5.7.1 no", false, "refused the connection: 550"),
    ] {
        server.set_reply(stage, reply);
        assert_failed(send(&settings, TO).await, is_final, problem);
    }
    assert_eq!(server.messages().len(), 0);
    server.set_faults(&json!({}));
    send(&settings, TO).await.unwrap();
    assert_eq!(server.messages().len(), 1);
}

#[tokio::test]
async fn one_refused_recipient_of_three_does_not_affect_others() {
    let mut server = MailServer::start(&[]);
    server.set_faults(&json!({"refuse": ["b@example.net"]}));
    let transport = Transport::new(&settings(&server));
    transport.send(&outgoing("a@example.net")).await.unwrap();
    let sent = transport.send(&outgoing("b@example.net")).await;
    assert_failed(sent, true, "refused the recipient");
    transport.send(&outgoing("c@example.net")).await.unwrap();
    assert_eq!(server.messages().len(), 2);
    // The refused message does not cost the connection.
    assert_eq!(server.stats().connections, 1);
}

#[tokio::test]
async fn greylisted_message_is_accepted_the_second_time() {
    let mut server = MailServer::start(&[]);
    server.set_faults(&json!({"greylist": true}));
    let transport = Transport::new(&settings(&server));
    assert_failed(transport.send(&outgoing(TO)).await, false, "greylisted");
    transport.send(&outgoing(TO)).await.unwrap();
    assert_eq!(server.messages().len(), 1);
}

#[tokio::test]
async fn connection_that_ends_in_data_is_temporary() {
    let mut server = MailServer::start(&[]);
    let transport = Transport::new(&settings(&server));
    for (drop, stored) in [("before-dot", 0), ("after-dot", 0), ("stored", 1)] {
        server.set_faults(&json!({ "drop": drop }));
        let sent = transport.send(&outgoing(TO)).await;
        assert_failed(sent, false, "closed the connection while it received");
        assert_eq!(server.messages().len(), stored, "{drop}");
    }
    // The next attempt of a message that was stored has the same Message-ID.
    server.set_faults(&json!({}));
    transport.send(&outgoing(TO)).await.unwrap();
    let raw = server.raw_messages();
    let id = "Message-ID: <m1@example.org>\r\n";
    assert!(
        raw.iter()
            .all(|raw| String::from_utf8_lossy(raw).contains(id))
    );
}

#[tokio::test]
async fn server_that_is_down_or_unknown_is_temporary() {
    let server = MailServer::start(&[]);
    let settings = settings(&server);
    let port = server.stop();
    let problem = format!("cannot connect to the mail server 127.0.0.1:{port}: connection refused");
    assert_failed(send(&settings, TO).await, false, &problem);
    let unknown = settings_of("smtp://mail.invalid");
    assert_failed(
        send(&unknown, TO).await,
        false,
        "mail.invalid:587 has no address in the DNS",
    );
}

#[tokio::test]
async fn slow_server_is_waited_for_until_the_timeout() {
    let mut server = MailServer::start(&[]);
    let settings = impatient(settings(&server));
    server.set_faults(&json!({"delay": 0.1}));
    send(&settings, TO).await.unwrap();
    server.set_faults(&json!({"delay": 3.0}));
    let sent = send(&settings, TO).await;
    assert_failed(sent, false, "did not answer within 2 seconds");
    // Each answer comes in time, but all together do not.
    server.set_faults(&json!({"delay": 0.7}));
    let sent = send(&settings, TO).await;
    assert_failed(sent, false, "did not take the message within 3.5 seconds");
    server.set_faults(&json!({}));
    send(&settings, TO).await.unwrap();
}

#[tokio::test]
async fn dead_server_never_blocks_longer_than_the_timeout() {
    let mut server = MailServer::start(&[]);
    let settings = impatient(settings(&server));
    let transport = Transport::new(&settings);
    // Over a kept connection, too.
    transport.send(&outgoing(TO)).await.unwrap();
    server.set_faults(&json!({"mute": true}));
    for _ in 0..2 {
        let started = Instant::now();
        let sent = transport.send(&outgoing(TO)).await;
        assert_failed(sent, false, "did not answer within 2 seconds");
        assert!(
            started.elapsed() < Duration::from_secs(5),
            "{:?}",
            started.elapsed()
        );
    }
    // A server that reads nothing: the message fills all buffers.
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let port = listener.local_addr().unwrap().port();
    let accepted = tokio::spawn(async move {
        let (mut stream, _) = listener.accept().await.unwrap();
        let replies = "220 a\r\n250 a\r\n250 ok\r\n250 ok\r\n354 go\r\n";
        stream.write_all(replies.as_bytes()).await.unwrap();
        tokio::time::sleep(Duration::from_secs(60)).await;
    });
    let url = format!("smtp://127.0.0.1:{port}?starttls=none");
    let mut large = outgoing(TO);
    large.rendered.text = format!("{}\n", "x".repeat(70)).repeat(200_000);
    let started = Instant::now();
    let sent = Transport::new(&impatient(settings_of(&url)))
        .send(&large)
        .await;
    assert_failed(sent, false, "within 3.5 seconds");
    // Building 14 MB takes seconds without optimisation.
    assert!(
        started.elapsed() < Duration::from_secs(15),
        "{:?}",
        started.elapsed()
    );
    accepted.abort();
}

#[tokio::test]
async fn server_of_another_protocol_is_temporary() {
    for (reply, problem) in [
        (
            "HTTP/1.1 400 Bad Request\r\n\r\n",
            "is not one of a mail server",
        ),
        ("", "closed the connection to the greeting"),
        ("250-\u{fffd}\r\n\r\n\r\n", "is not one of a mail server"),
    ] {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let port = listener.local_addr().unwrap().port();
        tokio::spawn(async move {
            let (mut stream, _) = listener.accept().await.unwrap();
            stream.write_all(reply.as_bytes()).await.unwrap();
        });
        let url = format!("smtp://127.0.0.1:{port}?starttls=none");
        assert_failed(send(&settings_of(&url), TO).await, false, problem);
    }
}

#[tokio::test]
async fn cancelled_attempt_does_not_disturb_the_next_one() {
    let mut server = MailServer::start(&[]);
    let transport = Transport::new(&settings(&server));
    transport.send(&outgoing(TO)).await.unwrap();
    server.set_faults(&json!({"delay": 0.3}));
    for milliseconds in [50, 400, 700, 1000, 1300] {
        let message = outgoing(TO);
        let limit = Duration::from_millis(milliseconds);
        let _ = tokio::time::timeout(limit, transport.send(&message)).await;
    }
    server.set_faults(&json!({"refuse": [TO]}));
    // An answer to an earlier command must not count for this one.
    let sent = transport.send(&outgoing(TO)).await;
    assert_failed(sent, true, "refused the recipient");
}
