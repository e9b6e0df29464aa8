//! Receivers of webhooks that send what no server does: an attempt ends in bounded time and memory, and others are not
//! delayed.

use std::time::{Duration, Instant};

use booking_service::messages::webhooks::events::Trigger;
use booking_service::messages::webhooks::http_client::Reach;
use booking_service::process::worker::Worker;
use serde_json::json;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpListener;

use crate::common::Service;
use crate::webhooks::deliveries::{
    Receiver, booking_without_deliveries, enqueue_event, outbox, subscribe,
};

/// Timeout of an attempt.
const TIMEOUT: Duration = Duration::from_secs(2);

/// Other tests of this process use memory at the same time; a loop that keeps what it reads would take more in a second.
const MAX_GROWTH: u64 = 400 * 1024;

/// Starts a server that sends `start`, and `endless` again and again. Returns its URL.
async fn hostile_receiver(start: &'static str, endless: &'static str) -> String {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let port = listener.local_addr().unwrap().port();
    tokio::spawn(async move {
        loop {
            let (mut stream, _) = listener.accept().await.unwrap();
            tokio::spawn(async move {
                let _ = stream.read(&mut [0; 4096]).await;
                let _ = stream.write_all(start.as_bytes()).await;
                let chunk = endless.repeat(1 + 16_384 / endless.len());
                while stream.write_all(chunk.as_bytes()).await.is_ok() {
                    tokio::task::yield_now().await;
                }
            });
        }
    });
    format!("http://127.0.0.1:{port}/hook")
}

/// Largest memory of this process so far, in KiB.
#[cfg(target_os = "linux")]
fn peak_memory() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap();
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
    line.unwrap()
        .trim()
        .trim_end_matches(" kB")
        .parse()
        .unwrap()
}

#[tokio::test]
async fn endless_response_is_bounded_and_delays_nobody() {
    for (start, endless, status) in [
        ("", "x", None),
        ("HTTP/1.1 200 ", "x", None),
        ("HTTP/1.1 200 OK\r\n", "x: y\r\n", None),
        ("HTTP/1.1 200 OK\r\nx: ", "y", None),
        ("", "HTTP/1.1 103 Early Hints\r\n\r\n", None),
        ("", "HTTP/1.1 100 Continue\r\n\r\n", None),
        (
            "HTTP/1.1 200 OK\r\ncontent-length: 99999999999\r\n\r\n",
            "x",
            Some(200),
        ),
        ("HTTP/1.1 200 OK\r\n\r\n", "x", Some(200)),
        (
            "HTTP/1.1 200 OK\r\ncontent-encoding: gzip\r\n\r\n",
            "\u{1f}\u{8b}",
            Some(200),
        ),
        (
            "HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n",
            "5\r\nhello\r\n",
            Some(200),
        ),
    ] {
        let service = Service::start().await;
        let receiver = hostile_receiver(start, endless).await;
        let other = Receiver::start(&[]).await;
        let id = booking_without_deliveries(&service, "2027-03-29T07:00:00Z").await;
        subscribe(&service, &receiver, json!({})).await;
        subscribe(&service, &other.url("other"), json!({})).await;
        #[cfg(target_os = "linux")]
        let before = peak_memory();
        enqueue_event(&service, Trigger::BookingPaid, id).await;
        let worker = Worker::new(service.app.clone(), Reach::Everywhere, TIMEOUT).unwrap();
        let started = Instant::now();
        let round = tokio::spawn(async move { worker.round().await.unwrap() });
        other.wait_for(1).await;
        let waited = started.elapsed();
        round.await.unwrap();
        let elapsed = started.elapsed();
        let case = format!("{start:?} {endless:?}: {waited:?}, {elapsed:?}");
        let mut statuses: Vec<_> = outbox(&service).await.iter().map(|row| row.3).collect();
        statuses.sort_unstable();
        assert_eq!(statuses, [status, Some(200)], "{case}");
        assert!(waited < TIMEOUT / 2, "{case}");
        assert!(elapsed < TIMEOUT + Duration::from_secs(2), "{case}");
        #[cfg(target_os = "linux")]
        {
            let grown = peak_memory().saturating_sub(before);
            println!("{case}, {grown} KiB more");
            assert!(grown < MAX_GROWTH, "{case}: {grown} KiB");
        }
    }
}
