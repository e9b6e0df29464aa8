//! Webhook deliveries to a local receiver: signatures, retries, order and shutdown.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use axum::Router;
use axum::body::Bytes;
use axum::extract::State;
use axum::http::{HeaderMap, Method, StatusCode, Uri};
use axum::response::{IntoResponse, Response};
use base64::Engine;
use base64::prelude::BASE64_STANDARD;
use booking_service::app::AppState;
use booking_service::cli::args::{Cli, Command};
use booking_service::cli::webhooks;
use booking_service::messages::webhooks::events::{self, Trigger};
use booking_service::messages::webhooks::http_client::Reach;
use booking_service::messages::webhooks::retries_and_limits::RETRY_DELAYS_MS;
use booking_service::process::maintenance;
use booking_service::process::worker::Worker;
use booking_service::store::Subject;
use booking_store_engine::sql;
use booking_wire::JsonMap;
use clap::Parser;
use serde_json::{Value, json};
use sha2::{Digest, Sha256};
use tokio::net::TcpListener;
use tokio::sync::{Notify, oneshot};
use tokio::time::timeout;

use crate::common::{HOST, Service, booking};

/// Timeout that is never reached.
const LONG_TIMEOUT: Duration = Duration::from_secs(20);
const SHORT_TIMEOUT: Duration = Duration::from_millis(300);

#[derive(Clone, Debug)]
pub struct ReceivedRequest {
    pub path: String,
    pub headers: HeaderMap,
    pub body: String,
}

impl ReceivedRequest {
    pub fn json(&self) -> Value {
        serde_json::from_str(&self.body).unwrap()
    }

    pub fn header(&self, name: &str) -> &str {
        self.headers[name].to_str().unwrap()
    }
}

/// Server of a subscriber. Responds with the queued statuses, then with 200. Status 0: no response.
#[derive(Clone, Default)]
pub struct Receiver {
    port: u16,
    received: Arc<Mutex<Vec<ReceivedRequest>>>,
    statuses: Arc<Mutex<VecDeque<u16>>>,
    notify: Arc<Notify>,
}

impl Receiver {
    pub async fn start(statuses: &[u16]) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let receiver = Self {
            port: listener.local_addr().unwrap().port(),
            statuses: Arc::new(Mutex::new(statuses.iter().copied().collect())),
            ..Self::default()
        };
        let router = Router::new().fallback(receive).with_state(receiver.clone());
        tokio::spawn(async { axum::serve(listener, router).await });
        receiver
    }

    pub fn url(&self, path: &str) -> String {
        format!("http://127.0.0.1:{}/{path}", self.port)
    }

    /// Responds to the next request with `status`.
    pub fn respond_next(&self, status: u16) {
        self.statuses.lock().unwrap().push_front(status);
    }

    pub fn received(&self) -> Vec<ReceivedRequest> {
        self.received.lock().unwrap().clone()
    }

    /// Paths of the received requests, in order.
    fn paths(&self) -> Vec<String> {
        self.received()
            .into_iter()
            .map(|received| received.path)
            .collect()
    }

    /// Waits until `count` requests have been received.
    pub async fn wait_for(&self, count: usize) {
        let wait = async {
            while self.received().len() < count {
                self.notify.notified().await;
            }
        };
        timeout(LONG_TIMEOUT, wait)
            .await
            .expect("messages should come");
    }
}

async fn receive(
    State(receiver): State<Receiver>,
    uri: Uri,
    headers: HeaderMap,
    body: Bytes,
) -> Response {
    receiver.received.lock().unwrap().push(ReceivedRequest {
        path: uri.path().to_owned(),
        headers,
        body: String::from_utf8(body.to_vec()).unwrap(),
    });
    receiver.notify.notify_one();
    let status = receiver.statuses.lock().unwrap().pop_front();
    match status.unwrap_or(200) {
        0 => std::future::pending().await,
        302 => (StatusCode::FOUND, [("location", "/elsewhere")]).into_response(),
        status => StatusCode::from_u16(status).unwrap().into_response(),
    }
}

/// Subscribes `HOST` to all triggers through the API. Returns the id of the webhook.
pub async fn subscribe(service: &Service, url: &str, extra: Value) -> String {
    let triggers: Vec<&str> = Trigger::ALL
        .iter()
        .map(|trigger| trigger.as_str())
        .collect();
    let mut body = json!({"subscriberUrl": url, "triggers": triggers, "active": true});
    body.as_object_mut()
        .unwrap()
        .extend(extra.as_object().unwrap().clone());
    let created = service
        .post_as("/v2/webhooks", service.bearer_of(HOST).await, body)
        .await;
    created.data()["id"].as_str().unwrap().to_owned()
}

async fn book(service: &Service, start: &str) -> i64 {
    let found: Option<i64> = {
        let mut db = service.app.store.read().await.unwrap();
        sql::query_scalar("SELECT id FROM event_types WHERE slug = 'delivered'")
            .fetch_optional(&mut db)
            .await
            .unwrap()
    };
    let event_type = match found {
        Some(id) => id,
        None => service.event_type("delivered", json!({})).await,
    };
    let created = service
        .post("/v2/bookings", booking(event_type, start))
        .await;
    created.data()["id"].as_i64().unwrap()
}

/// Creates a booking and deletes its queued deliveries.
pub async fn booking_without_deliveries(service: &Service, start: &str) -> i64 {
    let id = book(service, start).await;
    service.sql("DELETE FROM webhook_deliveries").await;
    id
}

pub async fn enqueue_event(service: &Service, trigger: Trigger, booking_id: i64) {
    let mut transaction = service.app.store.begin(&[Subject::Rows]).await.unwrap();
    let now = service.app.clock.now();
    events::booking(&mut transaction, now, trigger, booking_id, JsonMap::new())
        .await
        .unwrap();
    transaction.commit().await.unwrap();
}

pub fn worker(app: &AppState) -> Worker {
    Worker::new(app.clone(), Reach::Everywhere, LONG_TIMEOUT).unwrap()
}

/// Attempts until a message is given up.
pub const ATTEMPTS: usize = 1 + RETRY_DELAYS_MS.len();

/// Makes `count` attempts for the first message that waits, each when it is due. After the last one, the next message of the
/// booking is attempted at once.
pub async fn make_attempts(service: &Service, count: usize) {
    for _ in 0..count {
        assert_ne!(worker(&service.app).round().await.unwrap(), 0);
        let due = outbox(service)
            .await
            .iter()
            .find_map(|(_, _, due, ..)| *due);
        let minutes = due.unwrap_or(0).unsigned_abs().div_ceil(60_000);
        service.app.clock.advance_minutes(minutes as i64);
    }
}

/// Status, attempts, milliseconds until the next attempt, last HTTP status and last error of all
/// deliveries.
pub async fn outbox(
    service: &Service,
) -> Vec<(String, i64, Option<i64>, Option<i64>, Option<String>)> {
    let mut db = service.app.store.read().await.unwrap();
    let sql = format!(
        "SELECT status, attempts, due_ms - {}, last_status, last_problem FROM webhook_deliveries ORDER BY id",
        service.app.clock.now().0
    );
    sql::query_as(sql).fetch_all(&mut db).await.unwrap()
}

/// HMAC-SHA256 (RFC 2104) for secrets of at most one block.
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
async fn message_is_signed_and_sent_once() {
    let service = Service::start().await;
    let receiver = Receiver::start(&[]).await;
    let id = booking_without_deliveries(&service, "2027-03-29T07:00:00Z").await;
    subscribe(
        &service,
        &receiver.url("signed"),
        json!({"secret": "geheim"}),
    )
    .await;
    subscribe(&service, &receiver.url("plain"), json!({})).await;
    let template = json!({"payloadTemplate": "who={{attendees.0.name}}", "secret": "x"});
    subscribe(&service, &receiver.url("form"), template).await;
    enqueue_event(&service, Trigger::BookingCreated, id).await;
    assert_eq!(worker(&service.app).round().await.unwrap(), 3);
    assert_eq!(worker(&service.app).round().await.unwrap(), 0);

    let received = receiver.received();
    let received_at = |path: &str| {
        received
            .iter()
            .find(|received| received.path == path)
            .unwrap()
    };
    let signed = received_at("/signed");
    assert_eq!(signed.header("content-type"), "application/json");
    assert_eq!(signed.header("x-svc-webhook-version"), "2021-10-20");
    assert_eq!(
        signed.header("x-svc-signature-256"),
        hmac("geheim", &signed.body)
    );
    assert_eq!(signed.json()["triggerEvent"], "BOOKING_CREATED");
    assert_eq!(signed.json()["payload"]["bookingId"], id);
    // Same values under the header names of Cal.com.
    assert_eq!(
        signed.header("x-cal-signature-256"),
        signed.header("x-svc-signature-256")
    );
    assert_eq!(signed.header("x-cal-webhook-version"), "2021-10-20");
    // Signature that includes the time of the attempt.
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
        assert_eq!(received_at("/plain").header(header), "no-secret-provided");
    }
    let form = received_at("/form");
    assert_eq!(
        form.header("content-type"),
        "application/x-www-form-urlencoded"
    );
    assert_eq!(form.body, "who=Zo%C3%AB%20%C5%81ukasik");
    assert_eq!(form.header("x-svc-signature-256"), hmac("x", &form.body));

    // Payloads are deleted after delivery.
    assert_eq!(outbox(&service).await.len(), 3);
    for (status, attempts, due, last, error) in outbox(&service).await {
        assert_eq!((status.as_str(), attempts, due), ("delivered", 1, None));
        assert_eq!((last, error), (Some(200), None));
    }
    assert_eq!(service.count("webhook_events").await, 0);
}

#[tokio::test]
async fn message_has_headers_of_standard_webhooks() {
    let service = Service::start().await;
    let receiver = Receiver::start(&[500]).await;
    let booking_id = booking_without_deliveries(&service, "2027-03-29T07:00:00Z").await;
    let hook = receiver.url("hook");
    let webhook = subscribe(&service, &hook, json!({"secret": "whsec_Z2VoZWlt"})).await;
    let enqueue = || enqueue_event(&service, Trigger::BookingCreated, booking_id);
    enqueue().await;
    let worker = worker(&service.app);
    for _ in 0..2 {
        assert_eq!(worker.round().await.unwrap(), 1);
        service.app.clock.advance_minutes(1);
    }
    // Another message, and one without a secret.
    enqueue().await;
    assert_eq!(worker.round().await.unwrap(), 1);
    let update = json!({"secret": null});
    let bearer = service.bearer_of(HOST).await;
    let target = format!("/v2/webhooks/{webhook}");
    let updated = service
        .call(Method::PATCH, &target, &[bearer], Some(update))
        .await;
    assert_eq!(updated.status, 200, "{}", updated.text);
    enqueue().await;
    assert_eq!(worker.round().await.unwrap(), 1);

    let received = receiver.received();
    let ids: Vec<&str> = received
        .iter()
        .map(|received| received.header("webhook-id"))
        .collect();
    let [first, retry, second, unsigned] = ids[..] else {
        panic!("{ids:?}");
    };
    assert_eq!(first, retry);
    assert!(first != second && second != unsigned && !first.contains('.'));
    let timestamps = received.iter().map(|received| {
        assert_eq!(
            received.header("webhook-timestamp"),
            received.header("x-svc-timestamp")
        );
        received.header("webhook-timestamp")
    });
    assert_eq!(
        timestamps.collect::<Vec<_>>(),
        ["1803888000", "1803888060", "1803888120", "1803888120"]
    );
    for signed in &received[..3] {
        let content = [
            signed.header("webhook-id"),
            signed.header("webhook-timestamp"),
            &signed.body,
        ];
        let hex = hmac("geheim", &content.join("."));
        let pairs = hex.as_bytes().chunks(2);
        let bytes = pairs.map(|pair| {
            let pair = std::str::from_utf8(pair).unwrap();
            u8::from_str_radix(pair, 16).unwrap()
        });
        let expected = BASE64_STANDARD.encode(bytes.collect::<Vec<_>>());
        assert_eq!(signed.header("webhook-signature"), format!("v1,{expected}"));
    }
    assert!(!received[3].headers.contains_key("webhook-signature"));
}

#[tokio::test]
async fn failed_delivery_is_retried_for_a_day_and_given_up() {
    let service = Service::start().await;
    let statuses = [500, 302, 404, 503, 500, 502, 410, 429, 503];
    let receiver = Receiver::start(&statuses).await;
    let id = booking_without_deliveries(&service, "2027-03-29T07:00:00Z").await;
    subscribe(&service, &receiver.url("hook"), json!({})).await;
    enqueue_event(&service, Trigger::BookingCreated, id).await;
    let worker = worker(&service.app);
    let mut seconds = Vec::new();
    for (attempt, status) in statuses.into_iter().enumerate() {
        let retry_delay = RETRY_DELAYS_MS.get(attempt).copied();
        assert_eq!(worker.round().await.unwrap(), 1);
        assert_eq!(
            outbox(&service).await,
            [(
                if retry_delay.is_some() {
                    "waiting"
                } else {
                    "failed"
                }
                .to_owned(),
                attempt as i64 + 1,
                retry_delay,
                Some(i64::from(status)),
                Some(format!("answered {status}")),
            )]
        );
        assert_eq!(worker.round().await.unwrap(), 0);
        seconds.extend(retry_delay.map(|delay| delay / 1000));
        let minutes = retry_delay.unwrap_or(0).unsigned_abs().div_ceil(60_000);
        service.app.clock.advance_minutes(minutes as i64);
    }
    let total: i64 = seconds.iter().sum();
    assert_eq!(seconds[0], 5);
    assert!((24 * 3600..24 * 3600 + 600).contains(&total), "{seconds:?}");
    service.app.clock.advance_minutes(2 * 1440);
    assert_eq!(worker.round().await.unwrap(), 0);
    // Redirects are not followed, and all attempts have the same body.
    assert_eq!(receiver.paths(), ["/hook"; 9]);
    let bodies: Vec<String> = receiver
        .received()
        .into_iter()
        .map(|received| received.body)
        .collect();
    assert!(bodies.iter().all(|body| *body == bodies[0]));
}

#[tokio::test]
async fn delivery_is_retried_after_timeout_or_connection_error() {
    let service = Service::start().await;
    let receiver = Receiver::start(&[0]).await;
    let id = booking_without_deliveries(&service, "2027-03-29T07:00:00Z").await;
    subscribe(&service, &receiver.url("slow"), json!({})).await;
    enqueue_event(&service, Trigger::BookingCreated, id).await;
    let impatient_worker =
        Worker::new(service.app.clone(), Reach::Everywhere, SHORT_TIMEOUT).unwrap();
    assert_eq!(impatient_worker.round().await.unwrap(), 1);
    let (status, _, due, last, error) = outbox(&service).await.remove(0);
    assert_eq!((status.as_str(), due, last), ("waiting", Some(5_000), None));
    assert_eq!(error.as_deref(), Some("no answer in time"));
    service.app.clock.advance_minutes(1);
    assert_eq!(worker(&service.app).round().await.unwrap(), 1);
    assert_eq!(outbox(&service).await[0].0, "delivered");

    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let port = listener.local_addr().unwrap().port();
    drop(listener);
    service.sql("DELETE FROM webhooks").await;
    subscribe(&service, &format!("http://127.0.0.1:{port}"), json!({})).await;
    enqueue_event(&service, Trigger::BookingPaid, id).await;
    assert_eq!(worker(&service.app).round().await.unwrap(), 1);
    let error = outbox(&service).await.remove(0).4;
    assert_eq!(error.as_deref(), Some("could not connect"));
}

#[tokio::test]
async fn interrupted_delivery_is_sent_again_after_restart() {
    let service = Service::start().await;
    let receiver = Receiver::start(&[0]).await;
    let id = booking_without_deliveries(&service, "2027-03-29T07:00:00Z").await;
    subscribe(&service, &receiver.url("hook"), json!({"secret": "geheim"})).await;
    enqueue_event(&service, Trigger::BookingCreated, id).await;
    let first = worker(&service.app);
    let task = tokio::spawn(async move { first.round().await });
    receiver.wait_for(1).await;
    task.abort();
    assert_eq!(outbox(&service).await[0].0, "waiting");

    let clock = service.app.clock.clone();
    let reopened = service.reopen(clock).await;
    assert_eq!(worker(&reopened).round().await.unwrap(), 1);
    let received = receiver.received();
    assert_eq!(received.len(), 2);
    assert_eq!(received[0].body, received[1].body);
    assert_eq!(
        received[1].header("x-svc-signature-256"),
        hmac("geheim", &received[1].body)
    );
    assert_eq!(outbox(&service).await[0].0, "delivered");
}

#[tokio::test]
async fn hanging_receiver_does_not_delay_bookings_or_other_receivers() {
    let service = Service::start().await;
    let hanging = Receiver::start(&[0; 40]).await;
    let fast = Receiver::start(&[]).await;
    let mut ids = Vec::new();
    for hour in 7..13 {
        ids.push(
            booking_without_deliveries(&service, &format!("2027-03-29T{hour:02}:00:00Z")).await,
        );
    }
    subscribe(&service, &hanging.url("hangs"), json!({})).await;
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
        enqueue_event(&service, Trigger::BookingCreated, *id).await;
    }
    // One request in flight per webhook.
    hanging.wait_for(1).await;
    subscribe(&service, &fast.url("quick"), json!({})).await;
    enqueue_event(&service, Trigger::BookingPaid, ids[0]).await;
    fast.wait_for(1).await;
    let booked = timeout(LONG_TIMEOUT, book(&service, "2027-03-30T09:00:00Z")).await;
    assert!(booked.is_ok());
    enqueue_event(&service, Trigger::BookingPaid, ids[1]).await;
    fast.wait_for(2).await;
    assert_eq!(hanging.received().len(), 1);

    // Shutdown has a grace period, and undelivered messages stay in the outbox.
    stop.send(()).unwrap();
    timeout(LONG_TIMEOUT, running).await.unwrap().unwrap();
    let waiting = outbox(&service)
        .await
        .into_iter()
        .filter(|(status, ..)| status == "waiting")
        .count();
    assert!(waiting >= 8, "{waiting}");
}

#[tokio::test]
async fn events_of_one_booking_arrive_in_order() {
    let service = Service::start().await;
    let receiver = Receiver::start(&[500]).await;
    let first = booking_without_deliveries(&service, "2027-03-29T07:00:00Z").await;
    let second = booking_without_deliveries(&service, "2027-03-29T08:00:00Z").await;
    subscribe(&service, &receiver.url("hook"), json!({})).await;
    enqueue_event(&service, Trigger::BookingCreated, first).await;
    let worker = worker(&service.app);
    assert_eq!(worker.round().await.unwrap(), 1);
    enqueue_event(&service, Trigger::BookingCancelled, first).await;
    enqueue_event(&service, Trigger::BookingCreated, second).await;
    // The cancellation waits for the retry of the creation; the other booking does not.
    assert_eq!(worker.round().await.unwrap(), 1);
    service.app.clock.advance_minutes(1);
    assert_eq!(worker.round().await.unwrap(), 2);
    let events: Vec<(Value, Value)> = receiver
        .received()
        .iter()
        .map(|received| {
            let body = received.json();
            (
                body["triggerEvent"].clone(),
                body["payload"]["bookingId"].clone(),
            )
        })
        .collect();
    assert_eq!(
        events,
        [
            (json!("BOOKING_CREATED"), json!(first)),
            (json!("BOOKING_CREATED"), json!(second)),
            (json!("BOOKING_CREATED"), json!(first)),
            (json!("BOOKING_CANCELLED"), json!(first)),
        ]
    );
}

#[tokio::test]
async fn deleted_webhook_receives_no_deliveries() {
    let service = Service::start().await;
    let receiver = Receiver::start(&[500]).await;
    let id = booking_without_deliveries(&service, "2027-03-29T07:00:00Z").await;
    let webhook = subscribe(&service, &receiver.url("hook"), json!({})).await;
    enqueue_event(&service, Trigger::BookingCreated, id).await;
    worker(&service.app).round().await.unwrap();
    let target = format!("/v2/webhooks/{webhook}");
    let credentials = [service.bearer_of(HOST).await];
    let deleted = service
        .call(axum::http::Method::DELETE, &target, &credentials, None)
        .await;
    assert_eq!(deleted.status, 200);
    service.app.clock.advance_minutes(10);
    enqueue_event(&service, Trigger::BookingCancelled, id).await;
    assert_eq!(worker(&service.app).round().await.unwrap(), 0);
    assert_eq!(receiver.received().len(), 1);
}

#[tokio::test]
async fn delivery_to_private_network_is_rejected_by_default() {
    let service = Service::start().await;
    let receiver = Receiver::start(&[]).await;
    let id = booking_without_deliveries(&service, "2027-03-29T07:00:00Z").await;
    subscribe(&service, &receiver.url("number"), json!({})).await;
    let name = format!("http://localhost:{}/name", receiver.port);
    subscribe(&service, &name, json!({})).await;
    enqueue_event(&service, Trigger::BookingCreated, id).await;
    let restricted_worker = Worker::new(service.app.clone(), Reach::Public, LONG_TIMEOUT).unwrap();
    assert_eq!(restricted_worker.round().await.unwrap(), 2);
    assert_eq!(receiver.received().len(), 0);
    for (status, .., error) in outbox(&service).await {
        assert_eq!(status, "waiting");
        assert_eq!(error.as_deref(), Some("leads into a private network"));
    }
}

#[tokio::test]
async fn meeting_start_and_end_are_sent_once_despite_restart() {
    let service = Service::start().await;
    let receiver = Receiver::start(&[]).await;
    // Meetings that ended before the first start, and cancelled ones, send no event.
    service
        .sql(
            "INSERT INTO bookings (uid, title, status, start_ms, end_ms, created_ms, updated_ms)
              VALUES ('over', 'Over', 'accepted', 1803880000000, 1803881800000, 0, 0)",
        )
        .await;
    let held_meeting = booking_without_deliveries(&service, "2027-03-01T09:00:00Z").await;
    let cancelled_meeting = booking_without_deliveries(&service, "2027-03-01T10:00:00Z").await;
    service
        .sql(&format!(
            "INSERT INTO booking_hosts (booking_id, user_id, start_ms, end_ms, holds)
             SELECT id, {HOST}, start_ms, end_ms, 1 FROM bookings WHERE uid = 'over';
             UPDATE bookings SET status = 'cancelled' WHERE id = {cancelled_meeting}"
        ))
        .await;
    subscribe(&service, &receiver.url("hook"), json!({})).await;
    let clock = service.app.clock.clone();
    let mut app = service.app.clone();
    for (minutes, trigger) in [
        (0, None),
        (59, None),
        (1, Some("MEETING_STARTED")),
        (29, None),
        (1, Some("MEETING_ENDED")),
        (600, None),
    ] {
        clock.advance_minutes(minutes);
        let before = receiver.received().len();
        worker(&app).round().await.unwrap();
        app = service.reopen(clock.clone()).await;
        worker(&app).round().await.unwrap();
        let new = receiver.received().split_off(before);
        let events: Vec<Value> = new
            .iter()
            .map(|received| received.json()["triggerEvent"].clone())
            .collect();
        assert_eq!(
            events,
            trigger.map(Value::from).into_iter().collect::<Vec<_>>()
        );
        assert!(
            new.iter()
                .all(|received| received.json()["payload"]["bookingId"] == held_meeting)
        );
    }
}

#[tokio::test]
async fn simultaneous_meetings_all_send_event() {
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
    for id in 0..120 {
        service
            .sql(&format!(
                "INSERT INTO bookings (uid, title, status, start_ms, end_ms, created_ms, updated_ms)
                 VALUES ('same-{id}', 'Same', 'accepted', {start}, {start} + 60000, 0, 0);
                 INSERT INTO booking_hosts (booking_id, user_id, start_ms, end_ms, holds)
                 SELECT id, {HOST}, start_ms, end_ms, 0 FROM bookings WHERE uid = 'same-{id}'"
            ))
            .await;
    }
    service.app.clock.advance_minutes(2);
    assert_eq!(worker(&service.app).round().await.unwrap(), 120);
    let mut uids: Vec<String> = receiver
        .received()
        .iter()
        .map(|received| received.json()["payload"]["uid"].to_string())
        .collect();
    uids.sort();
    uids.dedup();
    assert_eq!(uids.len(), 120);
}

#[tokio::test]
async fn failed_delivery_is_kept_for_one_week() {
    let service = Service::start().await;
    let receiver = Receiver::start(&[410; ATTEMPTS]).await;
    let id = booking_without_deliveries(&service, "2027-03-29T07:00:00Z").await;
    subscribe(&service, &receiver.url("hook"), json!({})).await;
    enqueue_event(&service, Trigger::BookingCreated, id).await;
    make_attempts(&service, ATTEMPTS).await;
    enqueue_event(&service, Trigger::BookingPaid, id).await;
    worker(&service.app).round().await.unwrap();
    let remaining = async || {
        maintenance::round(&service.app).await.unwrap();
        service.count("webhook_deliveries").await
    };
    assert_eq!(remaining().await, 2);
    assert_eq!(service.count("webhook_events").await, 1);
    service.app.clock.advance_minutes(7 * 1440 - 60);
    assert_eq!(remaining().await, 2);
    service.app.clock.advance_minutes(61);
    assert_eq!(remaining().await, 0);
    assert_eq!(service.count("webhook_events").await, 0);
}

async fn command(service: &Service, arguments: &[&str]) -> Result<String, String> {
    let [option, data] = service.data_option();
    let line: Vec<&str> = ["service", "webhooks"]
        .iter()
        .chain(arguments)
        .map(|word| match *word {
            "DIR" => data,
            "--data" => option,
            word => word,
        })
        .collect();
    let Command::Webhooks(options) = Cli::try_parse_from(line)
        .map_err(|error| error.to_string())?
        .command
    else {
        panic!("another command");
    };
    webhooks::run(options)
        .await
        .map_err(|error| error.to_string())
}

#[tokio::test]
async fn webhooks_command_lists_outbox_and_retries() {
    let service = Service::start().await;
    let receiver = Receiver::start(&[500; ATTEMPTS]).await;
    let id = booking_without_deliveries(&service, "2027-03-29T07:00:00Z").await;
    let webhook = subscribe(&service, &receiver.url("hook"), json!({})).await;
    enqueue_event(&service, Trigger::BookingCreated, id).await;
    make_attempts(&service, ATTEMPTS).await;
    enqueue_event(&service, Trigger::BookingPaid, id).await;

    let listing = command(&service, &["--data", "DIR"]).await.unwrap();
    let lines: Vec<Vec<&str>> = listing
        .lines()
        .map(|line| line.split_whitespace().collect())
        .collect();
    assert_eq!(lines.len(), 3, "{listing}");
    assert_eq!(
        lines[1][1..4],
        ["failed", "BOOKING_CREATED", webhook.as_str()]
    );
    assert_eq!(
        lines[1][4..],
        ["2027-03-01T08:00:00.000Z", "9", "answered", "500"]
    );
    assert_eq!(lines[2][1..3], ["waiting", "BOOKING_PAID"]);
    for personal in ["zoe", "Zoë", "host100", "127.0.0.1"] {
        assert!(!listing.contains(personal), "{personal}");
    }
    let failed = command(&service, &["--data", "DIR", "--failed"])
        .await
        .unwrap();
    assert_eq!(failed.lines().count(), 2);

    let id = lines[1][0];
    let output = command(&service, &["retry", "--data", "DIR", id])
        .await
        .unwrap();
    assert_eq!(output, format!("message {id} is sent again\n"));
    let (status, attempts, ..) = outbox(&service).await.remove(0);
    assert_eq!((status.as_str(), attempts), ("waiting", 0));
    for invalid in [
        vec!["retry", "--data", "DIR", "999999"],
        vec!["--data", "/nowhere"],
        vec![],
    ] {
        assert!(command(&service, &invalid).await.is_err(), "{invalid:?}");
    }
}
