//! Figures: messages per second, and messages of which some are dropped at random.

use std::collections::BTreeMap;
use std::time::{Duration, Instant};

use booking_service::clock::Clock;
use serde_json::json;
use tokio::sync::oneshot;

use crate::common::{NOW, Service, booking};
use crate::fixture::settings;
use crate::mail_server::MailServer;
use crate::mail_service::{set_mail, worker};

const BOOKINGS: usize = 1_000;

/// Event types that share the bookings, because each has a limit on messages per hour.
const EVENT_TYPES: usize = 4;

/// Start of a booking of five minutes, from Monday, 8 March, before Berlin's clock changes.
fn start(index: usize) -> String {
    let (day, time) = (index / 96, index % 96);
    let date = 8 + day / 5 * 7 + day % 5;
    format!(
        "2027-03-{date:02}T{:02}:{:02}:00Z",
        8 + time / 12,
        time % 12 * 5
    )
}

/// Received copies by Message-ID.
fn copies(server: &MailServer) -> BTreeMap<String, usize> {
    let mut copies = BTreeMap::new();
    for raw in server.raw_messages() {
        let raw = String::from_utf8_lossy(&raw);
        let mut ids = raw
            .lines()
            .filter_map(|line| line.strip_prefix("Message-ID: "));
        *copies.entry(ids.next().unwrap().to_owned()).or_default() += 1;
    }
    copies
}

/// Books with `guests` each, waits until there are `expected` different messages, and returns the times of the last
/// booking and of the last message.
async fn run(server: &MailServer, guests: usize, expected: usize) -> (Duration, Duration) {
    let first = Service::start().await;
    // Put off messages become due.
    let clock = Clock::starting_at(booking_wire::Instant::parse(NOW).unwrap());
    let app = first.reopen(clock).await;
    let mut service = Service::over(app, &first.credentials);
    set_mail(&mut service, settings(server));
    let mut event_types = Vec::new();
    for index in 0..EVENT_TYPES {
        let settings = json!({"lengthInMinutes": 5, "slotInterval": 5});
        event_types.push(service.event_type(&format!("talk{index}"), settings).await);
    }
    let worker = worker(&service);
    let (stop, stopped) = oneshot::channel::<()>();
    let running = tokio::spawn(async move {
        let stopped = async {
            let _ = stopped.await;
        };
        worker.run(stopped).await;
    });
    let began = Instant::now();
    for index in 0..BOOKINGS {
        let mut body = booking(event_types[index % EVENT_TYPES], &start(index));
        body["attendee"]["email"] = json!(format!("a{index}@example.org"));
        let guests = (0..guests).map(|guest| format!("g{index}-{guest}@example.org"));
        body["guests"] = guests.collect();
        service.post("/v2/bookings", body).await.data();
    }
    let booked = began.elapsed();
    let sent = loop {
        let waiting = service
            .count("mail_messages WHERE status = 'waiting'")
            .await;
        let events = service.count("mail_events WHERE expanded = 0").await;
        if waiting + events == 0 {
            break began.elapsed();
        }
        assert!(
            began.elapsed() < Duration::from_secs(600),
            "{waiting} messages wait"
        );
        tokio::time::sleep(Duration::from_millis(100)).await;
    };
    let found = service.count("mail_messages WHERE status = 'sent'").await;
    assert_eq!(usize::try_from(found).unwrap(), expected);
    drop(stop);
    running.await.unwrap();
    (booked, sent)
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
#[ignore = "takes a minute; run: cargo test -p booking-service --test mail two_thousand -- --ignored --nocapture"]
async fn two_thousand_messages_are_sent_within_a_minute() {
    let server = MailServer::start(&[]);
    let (booked, sent) = run(&server, 0, 2 * BOOKINGS).await;
    println!(
        "{BOOKINGS} bookings in {booked:.1?}, {} messages in {sent:.1?}",
        2 * BOOKINGS
    );
    let copies = copies(&server);
    assert_eq!(copies.len(), 2 * BOOKINGS);
    assert!(copies.values().all(|count| *count == 1));
    assert!(sent < Duration::from_secs(60), "{sent:?}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
#[ignore = "takes minutes; run: cargo test -p booking-service --test mail ten_thousand -- --ignored --nocapture"]
async fn ten_thousand_messages_of_which_some_are_dropped_arrive() {
    let mut server = MailServer::start(&[]);
    server.set_faults(&json!({"drops": {"share": 0.01, "seed": 20_270_301}}));
    let expected = 10 * BOOKINGS;
    let (booked, sent) = run(&server, 8, expected).await;
    let [before_dot, after_dot, stored] = server.stats().dropped;
    let copies = copies(&server);
    let total: usize = copies.values().sum();
    let duplicates = total - copies.len();
    println!(
        "{BOOKINGS} bookings in {booked:.1?}, {expected} messages in {sent:.1?}; dropped: {before_dot} before the final dot, \
         {after_dot} after it and lost, {stored} after it and stored; {duplicates} duplicates"
    );
    assert_eq!(copies.len(), expected);
    assert!(before_dot > 0 && after_dot > 0 && stored > 0);
    // Only those that were stored before the connection ended arrive twice.
    assert_eq!(u64::try_from(duplicates).unwrap(), stored);
}
