//! Size limits of webhook messages and their storage.

use std::path::Path;
use std::time::{Duration, Instant};

use axum::http::Method;
use booking_service::messages::webhooks::events::{self, Trigger};
use booking_service::messages::webhooks::retries_and_limits::{MAX_BODY_BYTES, MAX_WAITING};
use booking_service::messages::webhooks::switch_off;
use booking_service::process::{maintenance, worker};
use booking_service::store::Subject;
use booking_service::store::messages::deliveries;
use booking_store_engine::lease::Lease;
use booking_store_engine::sql;
use booking_wire::JsonMap;
use serde_json::{Value, json};

use crate::common::{HOST, Service, booking};
use crate::webhooks::deliveries::{Receiver, enqueue_event, outbox, worker as sender};

const START: &str = "2027-03-29T07:00:00Z";

/// Bytes of the database and its write-ahead log.
fn stored_bytes(directory: &Path) -> u64 {
    let files = std::fs::read_dir(directory).unwrap();
    files
        .map(|file| file.unwrap())
        .filter(|file| file.file_name().to_string_lossy().contains("sqlite3"))
        .map(|file| file.metadata().unwrap().len())
        .sum()
}

/// Adds `count` webhooks of `HOST` with all triggers, without validation.
async fn subscribe_many(service: &Service, count: usize, url: &str, template: Option<&str>) {
    let triggers = json!(Trigger::NAMES);
    for number in 0..count {
        let template = template.map_or("NULL".to_owned(), |template| format!("'{template}'"));
        service
            .sql(&format!(
                "INSERT INTO webhooks (id, user_id, subscriber_url, triggers, active, payload_template, version, created_ms)
                 VALUES ('00000000-0000-4000-8000-{number:012}', {HOST}, '{url}{number}', '{triggers}', 1, {template},
                     '2021-10-20', 0)"
            ))
            .await;
    }
}

async fn book(service: &Service, body: Value) -> i64 {
    let created = service
        .call(Method::POST, "/v2/bookings", &[], Some(body))
        .await;
    created.data()["id"].as_i64().unwrap()
}

#[tokio::test]
async fn booking_with_many_webhooks_stores_its_payload_once() {
    // A template from before the limits: 9.6 KB, with the payload 800 times.
    let template = format!("[{}0]", "{{payload}},".repeat(800));
    let mut growths = Vec::new();
    for webhooks in [0, 1, 50] {
        let service = Service::start().await;
        let talk = service.event_type("talk", json!({})).await;
        subscribe_many(&service, webhooks, "https://example.org/", Some(&template)).await;
        let before = stored_bytes(service.directory.path());
        let mut body = booking(talk, START);
        // The notes are in the payload three times: 20 KB with the rest.
        body["bookingFieldsResponses"] = json!({"notes": "n".repeat(6_200)});
        book(&service, body).await;
        growths.push(stored_bytes(service.directory.path()) - before);
        let mut db = service.app.store.read().await.unwrap();
        let sizes: Vec<i64> =
            sql::query_scalar("SELECT CAST(length(payload) AS BIGINT) FROM webhook_events")
                .fetch_all(&mut db)
                .await
                .unwrap();
        assert_eq!(sizes.len(), webhooks.min(1));
        assert!(
            sizes.iter().all(|size| (20_000..21_000).contains(size)),
            "{sizes:?}"
        );
        let deliveries = service.count("webhook_deliveries").await;
        assert_eq!(usize::try_from(deliveries).unwrap(), webhooks);
    }
    println!("growth of database and log with 0, 1 and 50 webhooks: {growths:?} bytes");
    // One body per webhook would need a megabyte, and gigabytes with this template.
    assert!(growths[2] - growths[0] < 150_000, "{growths:?}");
}

#[tokio::test]
async fn oversized_template_output_is_replaced_by_plain_message() {
    let service = Service::start().await;
    let receiver = Receiver::start(&[500]).await;
    let talk = service.event_type("talk", json!({})).await;
    let template = format!("[{}0]", "{{payload}},".repeat(800));
    subscribe_many(&service, 1, &receiver.url(""), Some(&template)).await;
    book(&service, booking(talk, START)).await;
    let problem = "the filled template is larger than 256 KiB: sent without it";
    for attempt in 1..=2 {
        assert_eq!(sender(&service.app).round().await.unwrap(), 1);
        service.app.clock.advance_minutes(1);
        let (status, attempts, .., last_problem) = outbox(&service).await.remove(0);
        assert_eq!(attempts, attempt);
        if attempt == 1 {
            assert_eq!(
                (status.as_str(), last_problem.as_deref()),
                ("waiting", Some("answered 500"))
            );
        } else {
            assert_eq!(
                (status.as_str(), last_problem.as_deref()),
                ("delivered", Some(problem))
            );
        }
    }
    let received = receiver.received();
    assert_eq!(received[0].body, received[1].body);
    assert_eq!(received[0].json()["triggerEvent"], "BOOKING_CREATED");
    assert_eq!(received[0].header("content-type"), "application/json");
    let listed = service
        .get_as("/v2/webhooks", service.bearer_of(HOST).await)
        .await;
    assert_eq!(listed.data()[0]["lastProblem"], problem);
}

#[tokio::test]
async fn oversized_message_fails_without_retry() {
    let service = Service::start().await;
    let receiver = Receiver::start(&[]).await;
    let talk = service.event_type("talk", json!({})).await;
    subscribe_many(&service, 1, &receiver.url(""), None).await;
    book(&service, booking(talk, START)).await;
    service
        .sql(&format!(
            "UPDATE webhook_events SET payload = json_set(payload, '$.title', printf('%.*c', {MAX_BODY_BYTES}, 't'))"
        ))
        .await;
    assert_eq!(sender(&service.app).round().await.unwrap(), 1);
    let (status, .., problem) = outbox(&service).await.remove(0);
    assert_eq!(status, "failed");
    assert_eq!(
        problem.as_deref(),
        Some("the message is larger than 256 KiB")
    );
    assert_eq!(receiver.received().len(), 0);
}

/// Stores the largest booking that an earlier version accepted, with all form fields filled, and
/// returns its id.
async fn largest_booking(service: &Service) -> i64 {
    let fields: Vec<Value> = (0..5)
        .map(|number| json!({"type": "textarea", "slug": format!("q{number}"), "label": "L".repeat(200), "required": false}))
        .collect();
    let talk = service
        .event_type(
            "talk",
            json!({
                "locations": [{"type": "attendeeDefined"}],
                "bookingFields": fields,
                "description": "d".repeat(10_000),
            }),
        )
        .await;
    // Four bytes per character.
    let long = "😀".repeat(10_000);
    let mut body = booking(talk, START);
    body["attendee"]["name"] = json!("😀".repeat(300));
    body["location"] = json!({"type": "attendeeDefined", "location": long});
    body["guests"] = (0..30)
        .map(|number| json!(format!("guest-{number}-{}@example.org", "x".repeat(40))))
        .collect();
    let id = book(service, body).await;
    let metadata: JsonMap = (0..50)
        .map(|number| (format!("key-{number}"), json!("😀".repeat(500))))
        .collect();
    let mut form_responses = json!({"title": long, "notes": long, "rescheduleReason": long});
    for number in 0..5 {
        form_responses[format!("q{number}")] = json!(long);
    }
    let mut transaction = service.app.store.begin(&[Subject::Rows]).await.unwrap();
    sql::query("UPDATE bookings SET metadata = ?, responses = ? WHERE id = ?")
        .bind(Value::from(metadata).to_string())
        .bind(form_responses.to_string())
        .bind(id)
        .execute(&mut transaction)
        .await
        .unwrap();
    transaction.commit().await.unwrap();
    id
}

#[tokio::test]
async fn largest_booking_fits_message_of_every_trigger() {
    let service = Service::start().await;
    let receiver = Receiver::start(&[]).await;
    let id = largest_booking(&service).await;
    service
        .sql(&format!(
            "UPDATE bookings SET cancellation_reason = printf('%.*c', 5000, 'c') WHERE id = {id};
             INSERT INTO out_of_office (id, uuid, user_id, start_ms, end_ms, notes, reason, created_ms)
             VALUES (7, 'u-7', {HOST}, 1806278400000, 1806364800000, printf('%.*c', 500000, 'n'), 'vacation', 0)"
        ))
        .await;
    subscribe_many(&service, 1, &receiver.url(""), None).await;
    let began = Instant::now();
    for trigger in Trigger::ALL {
        match trigger {
            Trigger::OooCreated => {
                let mut transaction = service.app.store.begin(&[Subject::Rows]).await.unwrap();
                let now = service.app.clock.now();
                events::out_of_office(&mut transaction, now, 7)
                    .await
                    .unwrap();
                transaction.commit().await.unwrap();
            }
            _ => enqueue_event(&service, *trigger, id).await,
        }
    }
    println!("largest payload: {:?} per event", began.elapsed() / 21);
    assert_eq!(sender(&service.app).round().await.unwrap(), 21);
    let received = receiver.received();
    assert_eq!(received.len(), 21);
    for received in received {
        assert!(
            received.body.len() <= MAX_BODY_BYTES,
            "{}",
            received.body.len()
        );
        let message = received.json();
        let is_complete = message["triggerEvent"] == "BOOKING_NO_SHOW_UPDATED";
        assert_eq!(
            message["payload"]["truncated"],
            if is_complete {
                Value::Null
            } else {
                json!(true)
            }
        );
    }
}

#[tokio::test]
async fn booking_with_long_notes_is_not_truncated() {
    let service = Service::start().await;
    let receiver = Receiver::start(&[]).await;
    let talk = service.event_type("talk", json!({})).await;
    subscribe_many(&service, 1, &receiver.url(""), None).await;
    let notes = "é".repeat(10_000);
    let mut body = booking(talk, START);
    body["bookingFieldsResponses"] = json!({"notes": notes, "title": "t".repeat(255)});
    book(&service, body).await;
    sender(&service.app).round().await.unwrap();
    let payload = &receiver.received()[0].json()["payload"];
    assert_eq!(payload["responses"]["notes"]["value"], notes);
    assert_eq!(payload["additionalNotes"], notes);
    assert_eq!(payload["truncated"], Value::Null);
}

#[tokio::test]
async fn payload_is_deleted_with_its_last_delivery() {
    let service = Service::start().await;
    let receiver = Receiver::start(&[]).await;
    let talk = service.event_type("talk", json!({})).await;
    subscribe_many(&service, 3, &receiver.url(""), None).await;
    let row_counts = async || {
        (
            service.count("webhook_events").await,
            service.count("webhook_deliveries").await,
        )
    };
    let id = book(&service, booking(talk, START)).await;
    assert_eq!(row_counts().await, (1, 3));
    // One webhook fails permanently, one is deleted, one is switched off.
    service
        .sql("UPDATE webhook_deliveries SET status = 'failed', settled_ms = 0 WHERE webhook_id LIKE '%0'")
        .await;
    service.sql("DELETE FROM webhooks WHERE id LIKE '%1'").await;
    assert_eq!(row_counts().await, (1, 2));
    let credentials = [service.bearer_of(HOST).await];
    let target = "/v2/webhooks/00000000-0000-4000-8000-000000000002";
    let body = Some(json!({"active": false}));
    service
        .call(Method::PATCH, target, &credentials, body)
        .await
        .data();
    maintenance::round(&service.app).await.unwrap();
    assert_eq!(row_counts().await, (0, 0));

    // Delivered to all: the delivery row stays, the payload is deleted.
    enqueue_event(&service, Trigger::BookingPaid, id).await;
    assert_eq!(row_counts().await, (1, 1));
    sender(&service.app).round().await.unwrap();
    assert_eq!(row_counts().await, (0, 1));
}

#[tokio::test]
async fn delivery_of_earlier_version_is_sent_with_its_stored_body() {
    let service = Service::start().await;
    let receiver = Receiver::start(&[500]).await;
    subscribe_many(&service, 1, &receiver.url(""), Some("{{title}}")).await;
    service
        .sql(
            "INSERT INTO webhook_deliveries (webhook_id, trigger_name, about, body, content_type, created_ms, due_ms)
             VALUES ('00000000-0000-4000-8000-000000000000', 'BOOKING_CREATED', 'a', 'who=Zo%C3%AB',
                 'application/x-www-form-urlencoded', 0, 0)",
        )
        .await;
    for _ in 0..2 {
        assert_eq!(sender(&service.app).round().await.unwrap(), 1);
        service.app.clock.advance_minutes(1);
    }
    for received in receiver.received() {
        assert_eq!(received.body, "who=Zo%C3%AB");
        assert_eq!(
            received.header("content-type"),
            "application/x-www-form-urlencoded"
        );
    }
    assert_eq!(outbox(&service).await[0].0, "delivered");
}

/// Steps of the query plan.
pub async fn plan(service: &Service, sql: &str) -> Vec<String> {
    let mut db = service.app.store.read().await.unwrap();
    let rows: Vec<(i64, i64, i64, String)> = sql::query_as(format!("EXPLAIN QUERY PLAN {sql}"))
        .fetch_all(&mut db)
        .await
        .unwrap();
    rows.into_iter().map(|(_, _, _, detail)| detail).collect()
}

#[tokio::test]
async fn due_queries_use_index_with_100_000_waiting_deliveries() {
    let service = Service::start().await;
    subscribe_many(&service, 50, "https://example.org/", None).await;
    // For every second webhook: 2,000 about one booking, the first of them due. For the others:
    // 2,000 about as many bookings, due later.
    service
        .sql(
            "WITH RECURSIVE numbers (n) AS (SELECT 0 UNION ALL SELECT n + 1 FROM numbers WHERE n < 99999)
             INSERT INTO webhook_deliveries (webhook_id, trigger_name, about, body, content_type, created_ms, due_ms)
             SELECT printf('00000000-0000-4000-8000-%012d', n % 50), 'BOOKING_CREATED',
                 CASE n % 2 WHEN 0 THEN 'same' ELSE 'uid-' || n END, '{}', 'application/json', 0,
                 CASE WHEN n % 2 = 1 THEN 9000000000000 WHEN n < 50 THEN 0 END
             FROM numbers",
        )
        .await;
    let next = format!(
        "{} AND d.id <> 7{}",
        deliveries::NEXT_DUE,
        deliveries::NEXT_ORDER
    );
    for statistics in ["SELECT 1", "ANALYZE"] {
        service.sql(statistics).await;
        for sql in [deliveries::DUE_WEBHOOKS, &next] {
            let steps = plan(&service, sql).await;
            for step in &steps {
                // The list of webhooks may be scanned, deliveries only searched by index.
                let is_bounded = !step.contains("SCAN") || step == "SCAN queued";
                assert!(is_bounded, "{steps:#?}");
                assert!(!step.contains("TEMP B-TREE"), "{steps:#?}");
            }
            let uses = |index: &str| steps.iter().any(|step| step.contains(index));
            assert!(uses("webhook_deliveries_waiting"), "{steps:#?}");
        }
    }
    let mut db = service.app.store.read().await.unwrap();
    let now = service.app.clock.now();
    let began = Instant::now();
    let due = deliveries::due_webhooks(&mut db, now).await.unwrap();
    let listing = began.elapsed();
    assert_eq!(due.len(), 25);
    let mut find = async |in_flight: &[i64]| {
        let began = Instant::now();
        let found = deliveries::next_due(&mut db, &due[0].id, now, in_flight, &Lease::permanent())
            .await
            .unwrap();
        (found.map(|found| found.id), began.elapsed())
    };
    let (first, finding) = find(&[]).await;
    let (second, finding_none) = find(&[first.unwrap()]).await;
    assert_eq!(second, None);
    println!(
        "100,000 waiting: due webhooks {listing:?}, next delivery {finding:?}, none {finding_none:?}"
    );
}

#[tokio::test]
async fn webhook_with_too_many_waiting_messages_is_switched_off() {
    let service = Service::start().await;
    subscribe_many(&service, 2, "https://example.org/", None).await;
    for (number, waiting) in [(0, MAX_WAITING), (1, MAX_WAITING + 1)] {
        service
            .sql(&format!(
                "WITH RECURSIVE numbers (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM numbers WHERE n < {waiting})
                 INSERT INTO webhook_deliveries (webhook_id, trigger_name, about, body, content_type, created_ms)
                 SELECT '00000000-0000-4000-8000-00000000000{number}', 'BOOKING_CREATED', 'a', '', '', 0 FROM numbers"
            ))
            .await;
    }
    switch_off::check_backlogs(&service.app).await.unwrap();
    maintenance::round(&service.app).await.unwrap();
    assert_eq!(service.count("webhook_deliveries").await, MAX_WAITING);
    let listed = service
        .get_as("/v2/webhooks", service.bearer_of(HOST).await)
        .await;
    assert_eq!(listed.data()[0]["active"], true);
    assert_eq!(listed.data()[1]["active"], false);
    assert_eq!(
        listed.data()[1]["lastProblem"],
        "too many messages were waiting"
    );
}

#[tokio::test]
async fn bookings_do_not_wait_while_100_000_messages_are_dropped() {
    const WAITING: i64 = 100_000;
    let service = Service::start().await;
    let talk = service.event_type("talk", json!({})).await;
    subscribe_many(&service, 1, "https://example.org/", None).await;
    service
        .sql(&format!(
            "WITH RECURSIVE numbers (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM numbers WHERE n < {WAITING})
             INSERT INTO webhook_deliveries (webhook_id, trigger_name, about, body, content_type, created_ms, due_ms)
             SELECT '00000000-0000-4000-8000-000000000000', 'BOOKING_CREATED', n, '', '', 0, 0 FROM numbers"
        ))
        .await;
    switch_off::check_backlogs(&service.app).await.unwrap();
    // None is sent any more.
    assert_eq!(sender(&service.app).round().await.unwrap(), 0);
    let dropping = tokio::spawn({
        let app = service.app.clone();
        async move { maintenance::round(&app).await }
    });
    let mut longest = Duration::ZERO;
    for day in 2..=5 {
        for hour in 9..16 {
            let began = Instant::now();
            book(
                &service,
                booking(talk, &format!("2027-03-0{day}T{hour:02}:00:00Z")),
            )
            .await;
            longest = longest.max(began.elapsed());
        }
    }
    assert!(!dropping.is_finished(), "it is to take longer than this");
    dropping.await.unwrap().unwrap();
    println!("longest booking: {longest:?}");
    assert!(longest < Duration::from_secs(1), "{longest:?}");
    assert_eq!(service.count("webhook_deliveries").await, 0);
}

#[tokio::test]
async fn waiting_delivery_without_due_time_and_predecessor_becomes_due() {
    let service = Service::start().await;
    subscribe_many(&service, 1, "https://example.org/", None).await;
    service
        .sql(
            "INSERT INTO webhook_deliveries (webhook_id, trigger_name, about, body, content_type, created_ms)
             SELECT w.id, 'BOOKING_CREATED', 'a', '', '', 0 FROM webhooks w CROSS JOIN (SELECT 1 UNION SELECT 2) AS numbers",
        )
        .await;
    worker::release_stuck(&service.app).await.unwrap();
    let due: Vec<Option<i64>> = outbox(&service)
        .await
        .iter()
        .map(|(_, _, due, ..)| *due)
        .collect();
    assert_eq!(due, [Some(0), None]);
}
