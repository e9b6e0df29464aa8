//! Bookings do not wait for the mail server.

use std::time::{Duration, Instant};

use serde_json::json;
use tokio::sync::oneshot;

use crate::common::{Service, booking};
use crate::fixture::settings;
use crate::mail_server::MailServer;
use crate::mail_service::{set_mail, worker};

const BOOKINGS: usize = 32;

/// Median time of a booking while the worker runs.
async fn median(service: &Service) -> Duration {
    let id = service.event_type("talk", json!({})).await;
    let worker = worker(service);
    let (stop, stopped) = oneshot::channel::<()>();
    let running = tokio::spawn(async move {
        worker
            .run(async {
                let _ = stopped.await;
            })
            .await;
    });
    let mut times = Vec::new();
    for index in 0..BOOKINGS {
        let start = format!(
            "2027-03-{:02}T{:02}:{:02}:00Z",
            2 + index / 16,
            8 + index % 16 / 2,
            index % 2 * 30
        );
        let mut body = booking(id, &start);
        body["attendee"]["email"] = json!(format!("a{index}@example.org"));
        let started = Instant::now();
        service.post("/v2/bookings", body).await.data();
        times.push(started.elapsed());
    }
    drop(stop);
    running.abort();
    times.sort_unstable();
    times[BOOKINGS / 2]
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn bookings_are_as_fast_with_a_mail_server_that_never_answers() {
    let mut server = MailServer::start(&[]);
    server.set_faults(&json!({"mute": true}));
    let without = median(&Service::start().await).await;
    let mut service = Service::start().await;
    set_mail(&mut service, settings(&server));
    let with = median(&service).await;
    println!(
        "median of a booking: {without:?} without, {with:?} with a mail server that never answers"
    );
    assert_eq!(server.count(), 0);
    // An attempt that a booking waited for would take 5 seconds. Other processes make both slow.
    assert!(
        with < without * 3 + Duration::from_secs(2),
        "{without:?}, {with:?}"
    );
}
