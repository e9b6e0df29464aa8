//! Connections are used for many messages.

use std::time::{Duration, Instant};

use booking_smtp::transport::Transport;
use serde_json::json;
use tokio::task::JoinSet;

use crate::fixture::{outgoing, settings};
use crate::mail_server::MailServer;

/// Sends messages with so many attempts at the same time.
async fn send_all(transport: &Transport, count: usize, at_once: usize) {
    let mut tasks = JoinSet::new();
    for lane in 0..at_once {
        let transport = transport.clone();
        tasks.spawn(async move {
            for index in (lane..count).step_by(at_once) {
                let mut outgoing = outgoing(&format!("guest{index}@example.net"));
                outgoing.message_id = format!("m{index}@example.org");
                transport.send(&outgoing).await.unwrap();
            }
        });
    }
    tasks.join_all().await;
}

#[tokio::test]
async fn two_hundred_messages_need_few_connections() {
    let mut server = MailServer::start(&[]);
    let transport = Transport::new(&settings(&server));
    send_all(&transport, 200, 4).await;
    let stats = server.stats();
    assert_eq!(stats.messages, 200);
    assert!(stats.connections <= 8, "{stats:?}");
    let raw = server.raw_messages();
    for index in 0..200 {
        let id = format!("Message-ID: <m{index}@example.org>");
        let count = raw
            .iter()
            .filter(|raw| String::from_utf8_lossy(raw).contains(&id))
            .count();
        assert_eq!(count, 1, "{id}");
    }
    transport.close().await;
}

#[tokio::test]
async fn kept_connection_that_the_server_closed_is_replaced() {
    let server = MailServer::start(&[]);
    let transport = Transport::new(&settings(&server));
    transport.send(&outgoing("a@example.net")).await.unwrap();
    let port = server.stop();
    let mut server = MailServer::start(&["--port", &port.to_string()]);
    transport.send(&outgoing("b@example.net")).await.unwrap();
    assert_eq!(server.stats().messages, 1);
    // Servers also announce that they close the connection.
    server.set_reply("MAIL", "421 4.4.2 idle for too long");
    let error = transport
        .send(&outgoing("c@example.net"))
        .await
        .unwrap_err();
    assert!(!error.is_final);
    assert_eq!(server.stats().connections, 2);
    server.set_faults(&json!({}));
    transport.send(&outgoing("d@example.net")).await.unwrap();
}

/// Measures; run with `--ignored --nocapture`.
#[tokio::test]
#[ignore = "measures"]
async fn two_thousand_messages() {
    for at_once in [1, 4] {
        let mut server = MailServer::start(&[]);
        let transport = Transport::new(&settings(&server));
        let started = Instant::now();
        send_all(&transport, 2_000, at_once).await;
        let elapsed = started.elapsed();
        let stats = server.stats();
        println!(
            "2,000 messages, {at_once} at once: {elapsed:.1?}, {:.0} per second, {stats:?}",
            2_000.0 / elapsed.as_secs_f64()
        );
        assert!(elapsed < Duration::from_secs(120));
    }
}
