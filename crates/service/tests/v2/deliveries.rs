//! Messages reach a receiver on this machine, whatever happens on the way.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use axum::Router;
use axum::body::Bytes;
use axum::extract::State;
use axum::http::{HeaderMap, StatusCode, Uri};
use axum::response::{IntoResponse, Response};
use booking_service::app::AppState;
use booking_service::cli::args::{Cli, Command};
use booking_service::cli::data_directory;
use booking_service::cli::webhooks;
use booking_service::settings::Settings;
use booking_service::webhooks::events::{self, Trigger};
use booking_service::webhooks::network::Reach;
use booking_service::webhooks::worker::{self, Worker};
use booking_wire::JsonMap;
use clap::Parser;
use serde_json::{Value, json};
use sha2::{Digest, Sha256};
use tokio::net::TcpListener;
use tokio::sync::{Notify, oneshot};
use tokio::time::timeout;

use crate::common::{HOST, Service, booking};

/// Longer than anything here takes.
const LONG: Duration = Duration::from_secs(20);
const SHORT: Duration = Duration::from_millis(300);

#[derive(Clone, Debug)]
pub struct Heard {
    pub path: String,
    pub headers: HeaderMap,
    pub body: String,
}

impl Heard {
    pub fn json(&self) -> Value {
        serde_json::from_str(&self.body).unwrap()
    }

    pub fn header(&self, name: &str) -> &str {
        self.headers[name].to_str().unwrap()
    }
}

/// A subscriber's server. It answers with the statuses given to it, then with 200; with 0 never.
#[derive(Clone, Default)]
pub struct Receiver {
    port: u16,
    heard: Arc<Mutex<Vec<Heard>>>,
    answers: Arc<Mutex<VecDeque<u16>>>,
    more: Arc<Notify>,
}

impl Receiver {
    pub async fn start(answers: &[u16]) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let receiver = Self {
            port: listener.local_addr().unwrap().port(),
            answers: Arc::new(Mutex::new(answers.iter().copied().collect())),
            ..Self::default()
        };
        let router = Router::new().fallback(take).with_state(receiver.clone());
        tokio::spawn(async { axum::serve(listener, router).await });
        receiver
    }

    pub fn url(&self, path: &str) -> String {
        format!("http://127.0.0.1:{}/{path}", self.port)
    }

    /// Answers the next message with `status`, and the others as before.
    pub fn answer_next(&self, status: u16) {
        self.answers.lock().unwrap().push_front(status);
    }

    pub fn heard(&self) -> Vec<Heard> {
        self.heard.lock().unwrap().clone()
    }

    /// Paths of what was heard, in order.
    fn paths(&self) -> Vec<String> {
        self.heard().into_iter().map(|heard| heard.path).collect()
    }

    /// Waits until so many messages have come.
    pub async fn hears(&self, count: usize) {
        let waits = async {
            while self.heard().len() < count {
                self.more.notified().await;
            }
        };
        timeout(LONG, waits).await.expect("messages should come");
    }
}

async fn take(
    State(receiver): State<Receiver>,
    uri: Uri,
    headers: HeaderMap,
    body: Bytes,
) -> Response {
    receiver.heard.lock().unwrap().push(Heard {
        path: uri.path().to_owned(),
        headers,
        body: String::from_utf8(body.to_vec()).unwrap(),
    });
    receiver.more.notify_one();
    let answer = receiver.answers.lock().unwrap().pop_front();
    match answer.unwrap_or(200) {
        0 => std::future::pending().await,
        302 => (StatusCode::FOUND, [("location", "/elsewhere")]).into_response(),
        status => StatusCode::from_u16(status).unwrap().into_response(),
    }
}

/// Subscribes `HOST` to everything, through the interface. Returns the webhook's id.
pub async fn subscribe(service: &Service, url: &str, more: Value) -> String {
    let triggers: Vec<&str> = Trigger::ALL
        .iter()
        .map(|trigger| trigger.as_str())
        .collect();
    let mut body = json!({"subscriberUrl": url, "triggers": triggers, "active": true});
    body.as_object_mut()
        .unwrap()
        .extend(more.as_object().unwrap().clone());
    let made = service
        .post_as("/v2/webhooks", service.bearer_of(HOST).await, body)
        .await;
    made.data()["id"].as_str().unwrap().to_owned()
}

async fn book(service: &Service, start: &str) -> i64 {
    let found: Option<i64> = {
        let mut db = service.app.store.read().await.unwrap();
        sqlx::query_scalar("SELECT id FROM event_types WHERE slug = 'delivered'")
            .fetch_optional(&mut *db)
            .await
            .unwrap()
    };
    let event_type = match found {
        Some(id) => id,
        None => service.event_type("delivered", json!({})).await,
    };
    let made = service
        .post("/v2/bookings", booking(event_type, start))
        .await;
    made.data()["id"].as_i64().unwrap()
}

/// A booking of which nothing has been told so far.
pub async fn quiet_booking(service: &Service, start: &str) -> i64 {
    let id = book(service, start).await;
    service.sql("DELETE FROM webhook_deliveries").await;
    id
}

pub async fn tell(service: &Service, trigger: Trigger, booking_id: i64) {
    let mut transaction = service.app.store.begin().await.unwrap();
    let now = service.app.clock.now();
    events::booking(&mut transaction, now, trigger, booking_id, JsonMap::new())
        .await
        .unwrap();
    transaction.commit().await.unwrap();
}

pub fn worker(app: &AppState) -> Worker {
    Worker::new(app.clone(), Reach::Everywhere, LONG).unwrap()
}

/// Status, attempts, milliseconds until the next, last status and last problem of all messages.
pub async fn outbox(
    service: &Service,
) -> Vec<(String, i64, Option<i64>, Option<i64>, Option<String>)> {
    let mut db = service.app.store.read().await.unwrap();
    let sql = format!(
        "SELECT status, attempts, due_ms - {}, last_status, last_problem FROM webhook_deliveries ORDER BY id",
        service.app.clock.now().0
    );
    sqlx::query_as(&sql).fetch_all(&mut *db).await.unwrap()
}

/// HMAC-SHA256 as RFC 2104 writes it down, for secrets of at most a block.
fn hmac(secret: &str, text: &str) -> String {
    let pad = |byte: u8| {
        let mut block = [byte; 64];
        for (padded, letter) in block.iter_mut().zip(secret.bytes()) {
            *padded ^= letter;
        }
        block
    };
    let inner = Sha256::new()
        .chain_update(pad(0x36))
        .chain_update(text)
        .finalize();
    let outer = Sha256::new()
        .chain_update(pad(0x5c))
        .chain_update(inner)
        .finalize();
    outer.iter().map(|byte| format!("{byte:02x}")).collect()
}

#[tokio::test]
async fn a_message_is_signed_and_sent_once() {
    let service = Service::start().await;
    let receiver = Receiver::start(&[]).await;
    let id = quiet_booking(&service, "2027-03-29T07:00:00Z").await;
    subscribe(
        &service,
        &receiver.url("signed"),
        json!({"secret": "geheim"}),
    )
    .await;
    subscribe(&service, &receiver.url("plain"), json!({})).await;
    let template = json!({"payloadTemplate": "who={{attendees.0.name}}", "secret": "x"});
    subscribe(&service, &receiver.url("form"), template).await;
    tell(&service, Trigger::BookingCreated, id).await;
    assert_eq!(worker(&service.app).round().await.unwrap(), 3);
    assert_eq!(worker(&service.app).round().await.unwrap(), 0);

    let heard = receiver.heard();
    let to = |path: &str| heard.iter().find(|heard| heard.path == path).unwrap();
    let signed = to("/signed");
    assert_eq!(signed.header("content-type"), "application/json");
    assert_eq!(signed.header("x-svc-webhook-version"), "2021-10-20");
    assert_eq!(
        signed.header("x-svc-signature-256"),
        hmac("geheim", &signed.body)
    );
    assert_eq!(signed.json()["triggerEvent"], "BOOKING_CREATED");
    assert_eq!(signed.json()["payload"]["bookingId"], id);
    // Cal.com's names, the same values.
    assert_eq!(
        signed.header("x-cal-signature-256"),
        signed.header("x-svc-signature-256")
    );
    assert_eq!(signed.header("x-cal-webhook-version"), "2021-10-20");
    // The time of the attempt is signed, too.
    assert_eq!(signed.header("x-svc-timestamp"), "1803888000");
    assert_eq!(
        signed.header("x-svc-timestamped-signature-256"),
        hmac("geheim", &format!("1803888000.{}", signed.body))
    );
    assert_eq!(
        signed.json()["payload"]["bookerUrl"],
        service.app.settings.base_url
    );
    for header in [
        "x-svc-signature-256",
        "x-svc-timestamped-signature-256",
        "x-cal-signature-256",
    ] {
        assert_eq!(to("/plain").header(header), "no-secret-provided");
    }
    let form = to("/form");
    assert_eq!(
        form.header("content-type"),
        "application/x-www-form-urlencoded"
    );
    assert_eq!(form.body, "who=Zo%C3%AB%20%C5%81ukasik");
    assert_eq!(form.header("x-svc-signature-256"), hmac("x", &form.body));

    // Their payloads are deleted.
    assert_eq!(outbox(&service).await.len(), 3);
    for (status, attempts, due, last, problem) in outbox(&service).await {
        assert_eq!((status.as_str(), attempts, due), ("delivered", 1, None));
        assert_eq!((last, problem), (Some(200), None));
    }
    assert_eq!(service.count("webhook_events").await, 0);
}

#[tokio::test]
async fn what_fails_is_repeated_after_1_10_and_60_seconds_and_then_given_up() {
    let service = Service::start().await;
    let receiver = Receiver::start(&[500, 302, 404, 503]).await;
    let id = quiet_booking(&service, "2027-03-29T07:00:00Z").await;
    subscribe(&service, &receiver.url("hook"), json!({})).await;
    tell(&service, Trigger::BookingCreated, id).await;
    let worker = worker(&service.app);
    for (attempt, (answer, pause)) in [
        (500, Some(1_000)),
        (302, Some(10_000)),
        (404, Some(60_000)),
        (503, None),
    ]
    .into_iter()
    .enumerate()
    {
        assert_eq!(worker.round().await.unwrap(), 1);
        assert_eq!(
            outbox(&service).await,
            [(
                if pause.is_some() { "waiting" } else { "failed" }.to_owned(),
                attempt as i64 + 1,
                pause,
                Some(answer),
                Some(format!("answered {answer}")),
            )]
        );
        assert_eq!(worker.round().await.unwrap(), 0);
        service.app.clock.advance_minutes(1);
    }
    service.app.clock.advance_minutes(60);
    assert_eq!(worker.round().await.unwrap(), 0);
    // Redirects were not followed, and every attempt said the same.
    assert_eq!(receiver.paths(), ["/hook"; 4]);
    let bodies: Vec<String> = receiver
        .heard()
        .into_iter()
        .map(|heard| heard.body)
        .collect();
    assert!(bodies.iter().all(|body| *body == bodies[0]));
}

#[tokio::test]
async fn a_receiver_that_answers_too_late_or_not_at_all_hears_it_again() {
    let service = Service::start().await;
    let receiver = Receiver::start(&[0]).await;
    let id = quiet_booking(&service, "2027-03-29T07:00:00Z").await;
    subscribe(&service, &receiver.url("slow"), json!({})).await;
    tell(&service, Trigger::BookingCreated, id).await;
    let hasty = Worker::new(service.app.clone(), Reach::Everywhere, SHORT).unwrap();
    assert_eq!(hasty.round().await.unwrap(), 1);
    let (status, _, due, last, problem) = outbox(&service).await.remove(0);
    assert_eq!((status.as_str(), due, last), ("waiting", Some(1_000), None));
    assert_eq!(problem.as_deref(), Some("no answer in time"));
    service.app.clock.advance_minutes(1);
    assert_eq!(worker(&service.app).round().await.unwrap(), 1);
    assert_eq!(outbox(&service).await[0].0, "delivered");

    let gone = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let port = gone.local_addr().unwrap().port();
    drop(gone);
    service.sql("DELETE FROM webhooks").await;
    subscribe(&service, &format!("http://127.0.0.1:{port}"), json!({})).await;
    tell(&service, Trigger::BookingPaid, id).await;
    assert_eq!(worker(&service.app).round().await.unwrap(), 1);
    let problem = outbox(&service).await.remove(0).4;
    assert_eq!(problem.as_deref(), Some("could not connect"));
}

#[tokio::test]
async fn what_was_under_way_when_the_service_died_is_sent_again() {
    let service = Service::start().await;
    let receiver = Receiver::start(&[0]).await;
    let id = quiet_booking(&service, "2027-03-29T07:00:00Z").await;
    subscribe(&service, &receiver.url("hook"), json!({"secret": "geheim"})).await;
    tell(&service, Trigger::BookingCreated, id).await;
    let first = worker(&service.app);
    let dies = tokio::spawn(async move { first.round().await });
    receiver.hears(1).await;
    dies.abort();
    assert_eq!(outbox(&service).await[0].0, "waiting");

    let clock = service.app.clock.clone();
    let reopened = data_directory::open(service.directory.path(), clock, Settings::default())
        .await
        .unwrap();
    assert_eq!(worker(&reopened).round().await.unwrap(), 1);
    let heard = receiver.heard();
    assert_eq!(heard.len(), 2);
    assert_eq!(heard[0].body, heard[1].body);
    assert_eq!(
        heard[1].header("x-svc-signature-256"),
        hmac("geheim", &heard[1].body)
    );
    assert_eq!(outbox(&service).await[0].0, "delivered");
}

#[tokio::test]
async fn a_receiver_that_hangs_delays_neither_bookings_nor_other_receivers() {
    let service = Service::start().await;
    let hangs = Receiver::start(&[0; 40]).await;
    let quick = Receiver::start(&[]).await;
    let mut ids = Vec::new();
    for hour in 7..13 {
        ids.push(quiet_booking(&service, &format!("2027-03-29T{hour:02}:00:00Z")).await);
    }
    subscribe(&service, &hangs.url("hangs"), json!({})).await;
    let (stop, stopped) = oneshot::channel::<()>();
    let running = worker(&service.app);
    let running = tokio::spawn(async move {
        running
            .run(async {
                let _ = stopped.await;
            })
            .await;
    });
    for id in &ids {
        tell(&service, Trigger::BookingCreated, *id).await;
    }
    // It gets one message, and no more before it has answered.
    hangs.hears(1).await;
    subscribe(&service, &quick.url("quick"), json!({})).await;
    tell(&service, Trigger::BookingPaid, ids[0]).await;
    quick.hears(1).await;
    let booked = timeout(LONG, book(&service, "2027-03-30T09:00:00Z")).await;
    assert!(booked.is_ok());
    tell(&service, Trigger::BookingPaid, ids[1]).await;
    quick.hears(2).await;
    assert_eq!(hangs.heard().len(), 1);

    // Stopping waits a little, not for ever, and loses nothing.
    stop.send(()).unwrap();
    timeout(LONG, running).await.unwrap().unwrap();
    let waiting = outbox(&service)
        .await
        .into_iter()
        .filter(|(status, ..)| status == "waiting")
        .count();
    assert!(waiting >= 8, "{waiting}");
}

#[tokio::test]
async fn what_is_told_of_one_booking_arrives_in_order() {
    let service = Service::start().await;
    let receiver = Receiver::start(&[500]).await;
    let first = quiet_booking(&service, "2027-03-29T07:00:00Z").await;
    let second = quiet_booking(&service, "2027-03-29T08:00:00Z").await;
    subscribe(&service, &receiver.url("hook"), json!({})).await;
    tell(&service, Trigger::BookingCreated, first).await;
    let worker = worker(&service.app);
    assert_eq!(worker.round().await.unwrap(), 1);
    tell(&service, Trigger::BookingCancelled, first).await;
    tell(&service, Trigger::BookingCreated, second).await;
    // The cancellation waits for the creation, which failed; the other booking does not.
    assert_eq!(worker.round().await.unwrap(), 1);
    service.app.clock.advance_minutes(1);
    assert_eq!(worker.round().await.unwrap(), 2);
    let told: Vec<(Value, Value)> = receiver
        .heard()
        .iter()
        .map(|heard| {
            let body = heard.json();
            (
                body["triggerEvent"].clone(),
                body["payload"]["bookingId"].clone(),
            )
        })
        .collect();
    assert_eq!(
        told,
        [
            (json!("BOOKING_CREATED"), json!(first)),
            (json!("BOOKING_CREATED"), json!(second)),
            (json!("BOOKING_CREATED"), json!(first)),
            (json!("BOOKING_CANCELLED"), json!(first)),
        ]
    );
}

#[tokio::test]
async fn a_webhook_that_was_deleted_hears_nothing_more() {
    let service = Service::start().await;
    let receiver = Receiver::start(&[500]).await;
    let id = quiet_booking(&service, "2027-03-29T07:00:00Z").await;
    let webhook = subscribe(&service, &receiver.url("hook"), json!({})).await;
    tell(&service, Trigger::BookingCreated, id).await;
    worker(&service.app).round().await.unwrap();
    let target = format!("/v2/webhooks/{webhook}");
    let credentials = [service.bearer_of(HOST).await];
    let deleted = service
        .call(axum::http::Method::DELETE, &target, &credentials, None)
        .await;
    assert_eq!(deleted.status, 200);
    service.app.clock.advance_minutes(10);
    tell(&service, Trigger::BookingCancelled, id).await;
    assert_eq!(worker(&service.app).round().await.unwrap(), 0);
    assert_eq!(receiver.heard().len(), 1);
}

#[tokio::test]
async fn private_networks_are_not_reached_unless_that_is_wanted() {
    let service = Service::start().await;
    let receiver = Receiver::start(&[]).await;
    let id = quiet_booking(&service, "2027-03-29T07:00:00Z").await;
    subscribe(&service, &receiver.url("number"), json!({})).await;
    let name = format!("http://localhost:{}/name", receiver.port);
    subscribe(&service, &name, json!({})).await;
    tell(&service, Trigger::BookingCreated, id).await;
    let careful = Worker::new(service.app.clone(), Reach::Public, LONG).unwrap();
    assert_eq!(careful.round().await.unwrap(), 2);
    assert_eq!(receiver.heard().len(), 0);
    for (status, .., problem) in outbox(&service).await {
        assert_eq!(status, "waiting");
        assert_eq!(problem.as_deref(), Some("leads into a private network"));
    }
}

#[tokio::test]
async fn meetings_are_told_once_when_they_start_and_end_also_after_a_restart() {
    let service = Service::start().await;
    let receiver = Receiver::start(&[]).await;
    // What is over when the service first runs is not told, nor what nobody confirmed.
    service
        .sql(
            "INSERT INTO bookings (uid, title, status, start_ms, end_ms, created_ms, updated_ms)
              VALUES ('over', 'Over', 'accepted', 1803880000000, 1803881800000, 0, 0)",
        )
        .await;
    let met = quiet_booking(&service, "2027-03-01T09:00:00Z").await;
    let off = quiet_booking(&service, "2027-03-01T10:00:00Z").await;
    service
        .sql(&format!(
            "INSERT INTO booking_hosts (booking_id, user_id, start_ms, end_ms, holds)
             SELECT id, {HOST}, start_ms, end_ms, 1 FROM bookings WHERE uid = 'over';
             UPDATE bookings SET status = 'cancelled' WHERE id = {off}"
        ))
        .await;
    subscribe(&service, &receiver.url("hook"), json!({})).await;
    let clock = service.app.clock.clone();
    let mut app = service.app.clone();
    for (minutes, told) in [
        (0, None),
        (59, None),
        (1, Some("MEETING_STARTED")),
        (29, None),
        (1, Some("MEETING_ENDED")),
        (600, None),
    ] {
        clock.advance_minutes(minutes);
        let before = receiver.heard().len();
        worker(&app).round().await.unwrap();
        app = data_directory::open(service.directory.path(), clock.clone(), Settings::default())
            .await
            .unwrap();
        worker(&app).round().await.unwrap();
        let new = receiver.heard().split_off(before);
        let events: Vec<Value> = new
            .iter()
            .map(|heard| heard.json()["triggerEvent"].clone())
            .collect();
        assert_eq!(
            events,
            told.map(Value::from).into_iter().collect::<Vec<_>>()
        );
        assert!(
            new.iter()
                .all(|heard| heard.json()["payload"]["bookingId"] == met)
        );
    }
}

#[tokio::test]
async fn many_meetings_of_the_same_moment_are_all_told() {
    let service = Service::start().await;
    let receiver = Receiver::start(&[]).await;
    subscribe(
        &service,
        &receiver.url("hook"),
        json!({"triggers": ["MEETING_STARTED"]}),
    )
    .await;
    worker(&service.app).round().await.unwrap();
    let start = service.app.clock.now().0 + 60_000;
    for number in 0..120 {
        service
            .sql(&format!(
                "INSERT INTO bookings (uid, title, status, start_ms, end_ms, created_ms, updated_ms)
                 VALUES ('same-{number}', 'Same', 'accepted', {start}, {start} + 60000, 0, 0);
                 INSERT INTO booking_hosts (booking_id, user_id, start_ms, end_ms, holds)
                 SELECT id, {HOST}, start_ms, end_ms, 0 FROM bookings WHERE uid = 'same-{number}'"
            ))
            .await;
    }
    service.app.clock.advance_minutes(2);
    assert_eq!(worker(&service.app).round().await.unwrap(), 120);
    let mut uids: Vec<String> = receiver
        .heard()
        .iter()
        .map(|heard| heard.json()["payload"]["uid"].to_string())
        .collect();
    uids.sort();
    uids.dedup();
    assert_eq!(uids.len(), 120);
}

#[tokio::test]
async fn given_up_message_is_kept_for_a_week() {
    let service = Service::start().await;
    let receiver = Receiver::start(&[410, 410, 410, 410]).await;
    let id = quiet_booking(&service, "2027-03-29T07:00:00Z").await;
    subscribe(&service, &receiver.url("hook"), json!({})).await;
    tell(&service, Trigger::BookingCreated, id).await;
    for _ in 0..4 {
        worker(&service.app).round().await.unwrap();
        service.app.clock.advance_minutes(2);
    }
    tell(&service, Trigger::BookingPaid, id).await;
    worker(&service.app).round().await.unwrap();
    let left = async || {
        worker::clean_up(&service.app).await.unwrap();
        service.count("webhook_deliveries").await
    };
    assert_eq!(left().await, 2);
    assert_eq!(service.count("webhook_events").await, 1);
    service.app.clock.advance_minutes(7 * 1440 - 60);
    assert_eq!(left().await, 2);
    service.app.clock.advance_minutes(61);
    assert_eq!(left().await, 0);
    assert_eq!(service.count("webhook_events").await, 0);
}

async fn command(service: &Service, rest: &[&str]) -> Result<String, String> {
    let data = service.directory.path().to_str().unwrap();
    let line: Vec<&str> = ["service", "webhooks"]
        .iter()
        .chain(rest)
        .map(|word| if *word == "DIR" { data } else { word })
        .collect();
    let Command::Webhooks(options) = Cli::try_parse_from(line)
        .map_err(|error| error.to_string())?
        .command
    else {
        panic!("another command");
    };
    webhooks::run(options)
        .await
        .map_err(|problem| problem.to_string())
}

#[tokio::test]
async fn the_command_line_shows_the_outbox_and_sends_again() {
    let service = Service::start().await;
    let receiver = Receiver::start(&[500; 4]).await;
    let id = quiet_booking(&service, "2027-03-29T07:00:00Z").await;
    let webhook = subscribe(&service, &receiver.url("hook"), json!({})).await;
    tell(&service, Trigger::BookingCreated, id).await;
    for _ in 0..4 {
        worker(&service.app).round().await.unwrap();
        service.app.clock.advance_minutes(2);
    }
    tell(&service, Trigger::BookingPaid, id).await;

    let all = command(&service, &["--data", "DIR"]).await.unwrap();
    let lines: Vec<Vec<&str>> = all
        .lines()
        .map(|line| line.split_whitespace().collect())
        .collect();
    assert_eq!(lines.len(), 3, "{all}");
    assert_eq!(
        lines[1][1..4],
        ["failed", "BOOKING_CREATED", webhook.as_str()]
    );
    assert_eq!(
        lines[1][4..],
        ["2027-03-01T08:00:00.000Z", "4", "answered", "500"]
    );
    assert_eq!(lines[2][1..3], ["waiting", "BOOKING_PAID"]);
    for personal in ["zoe", "Zoë", "host100", "127.0.0.1"] {
        assert!(!all.contains(personal), "{personal}");
    }
    let failed = command(&service, &["--data", "DIR", "--failed"])
        .await
        .unwrap();
    assert_eq!(failed.lines().count(), 2);

    let number = lines[1][0];
    let said = command(&service, &["retry", "--data", "DIR", number])
        .await
        .unwrap();
    assert_eq!(said, format!("message {number} is sent again\n"));
    let (status, attempts, ..) = outbox(&service).await.remove(0);
    assert_eq!((status.as_str(), attempts), ("waiting", 0));
    for wrong in [
        vec!["retry", "--data", "DIR", "999999"],
        vec!["--data", "/nowhere"],
        vec![],
    ] {
        assert!(command(&service, &wrong).await.is_err(), "{wrong:?}");
    }
}
