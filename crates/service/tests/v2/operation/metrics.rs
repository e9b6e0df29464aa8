//! Metrics of messages, queues, limits and the database.

use booking_service::messages::mail::outbox::Outbox;
use booking_service::store::READ_CONNECTIONS;
use booking_service::store::messages::queues::{MAIL_QUEUE, WEBHOOK_QUEUE};
use booking_store_engine::sql;
use serde_json::json;

use crate::common::{Service, booking};
use crate::operation::health::metrics;
use crate::webhooks::deliveries::{Receiver, subscribe, worker};

const START: &str = "2027-03-29T07:00:00Z";

pub async fn scrape(service: &Service) -> String {
    let response = metrics(service, "127.0.0.1:1", &[]).await;
    assert_eq!(response.status, 200);
    response.text
}

fn assert_lines(text: &str, lines: &[&str]) {
    for line in lines {
        assert!(text.lines().any(|found| found == *line), "{line}\n{text}");
    }
}

#[tokio::test]
async fn messages_are_counted_when_they_are_sent_and_aged_while_they_wait() {
    let service = Service::start().await;
    let receiver = Receiver::start(&[500]).await;
    subscribe(&service, &receiver.url("/hook"), json!({})).await;
    let talk = service.event_type("talk", json!({})).await;
    service.post("/v2/bookings", booking(talk, START)).await;
    service.app.clock.advance_minutes(2);
    let text = scrape(&service).await;
    assert_lines(
        &text,
        &[
            "booking_messages_waiting{channel=\"webhook\"} 1",
            "booking_oldest_message_age_seconds{channel=\"webhook\"} 120",
            // The event, of which no messages were made yet.
            "booking_messages_waiting{channel=\"mail\"} 0",
            "booking_oldest_message_age_seconds{channel=\"mail\"} 120",
            "booking_messages_total{channel=\"webhook\",outcome=\"sent\"} 0",
            "booking_message_delay_seconds_count{channel=\"webhook\"} 0",
        ],
    );
    Outbox::new(service.app.clone()).round().await.unwrap();
    worker(&service.app).round().await.unwrap();
    let text = scrape(&service).await;
    assert_lines(
        &text,
        &[
            "booking_messages_total{channel=\"webhook\",outcome=\"retried\"} 1",
            "booking_messages_waiting{channel=\"webhook\"} 1",
            // It is due later.
            "booking_oldest_message_age_seconds{channel=\"webhook\"} 0",
            "booking_messages_total{channel=\"mail\",outcome=\"kept\"} 2",
            "booking_oldest_message_age_seconds{channel=\"mail\"} 0",
        ],
    );
    service.app.clock.advance_minutes(1);
    worker(&service.app).round().await.unwrap();
    let text = scrape(&service).await;
    assert_lines(
        &text,
        &[
            "booking_messages_total{channel=\"webhook\",outcome=\"sent\"} 1",
            "booking_messages_waiting{channel=\"webhook\"} 0",
            // A minute after the failure, 59 s after it was due.
            "booking_message_delay_seconds_bucket{channel=\"webhook\",le=\"30\"} 0",
            "booking_message_delay_seconds_bucket{channel=\"webhook\",le=\"60\"} 1",
        ],
    );
}

#[tokio::test]
async fn metrics_name_versions_and_state_of_the_replica() {
    let service = Service::start().await;
    let text = scrape(&service).await;
    let known = booking_service::store::MIGRATIONS
        .iter()
        .map(|migration| migration.version)
        .max();
    let known = known.unwrap();
    assert_lines(
        &text,
        &[
            "booking_leader 0",
            "booking_schema_usable 1",
            &format!("booking_schema_version {known}"),
            &format!("booking_schema_version_known {known}"),
        ],
    );
    assert!(text.contains("booking_slow_statements_total "));
    assert!(text.contains("booking_writes_per_commit_bucket{le=\"64\"}"));
    let waits = match service.database {
        Some(_) => ["connection", "rows"].as_slice(),
        None => &["writer"],
    };
    for what in waits {
        let count = format!("booking_write_wait_seconds_count{{for=\"{what}\"}}");
        assert!(text.contains(&count), "{text}");
    }
    assert!(text.contains("booking_zone_data_info{"));
    let has_clock = text.contains("booking_clock_difference_seconds ");
    assert_eq!(has_clock, service.database.is_some());
}

#[tokio::test]
async fn metrics_are_without_values_of_database_that_does_not_respond() {
    let service = Service::start().await;
    let before = scrape(&service).await;
    assert!(before.contains("booking_reservations_live 0"));
    let max = service.app.store.max_connections();
    let max = max.unwrap_or(READ_CONNECTIONS);
    let mut readers = Vec::new();
    for _ in 0..max {
        readers.push(service.app.store.read().await.unwrap());
    }
    let text = scrape(&service).await;
    assert!(!text.contains("booking_reservations_live"));
    assert!(!text.contains("booking_messages_waiting"));
    let pool = match service.database {
        Some(_) => "postgres",
        None => "read",
    };
    assert_lines(
        &text,
        &[
            &format!("booking_database_connections{{pool=\"{pool}\",state=\"used\"}} {max}"),
            &format!("booking_database_connections_max{{pool=\"{pool}\"}} {max}"),
        ],
    );
    drop(readers);
}

#[tokio::test]
async fn queues_are_read_by_the_indexes_of_waiting_messages() {
    let service = Service::start().await;
    for statement in [MAIL_QUEUE, WEBHOOK_QUEUE] {
        let mut db = service.app.store.read().await.unwrap();
        let plan: Vec<(i64, i64, i64, String)> =
            sql::query_as(format!("EXPLAIN QUERY PLAN {statement}"))
                .bind(1)
                .fetch_all(&mut db)
                .await
                .unwrap();
        let of_table = |step: &&String| {
            let name = step.split(' ').nth(1).unwrap_or_default();
            ["mail_messages", "mail_events", "webhook_deliveries", "d"].contains(&name)
        };
        let steps: Vec<String> = plan.into_iter().map(|(_, _, _, step)| step).collect();
        assert!(steps.iter().filter(of_table).count() >= 4, "{steps:#?}");
        for step in steps.iter().filter(of_table) {
            let is_indexed = step.contains("_waiting") || step.contains("mail_events_new");
            assert!(is_indexed, "{steps:#?}");
        }
    }
}
