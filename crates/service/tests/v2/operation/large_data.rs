//! Statements in a large installation read few pages of PostgreSQL, whatever its size.
//!
//! The statements are those that requests and the worker send: PostgreSQL counts their pages (`pg_stat_statements`), and
//! the tables that were read as a whole.

use std::time::{Duration, Instant};

use axum::http::Method;
use booking_service::process::maintenance;
use serde_json::json;
use sqlx::{Connection, PgConnection};
use tokio::sync::oneshot;
use tokio::time::sleep;

use crate::common::{NOW, Service};
use crate::mail::messages::use_closed_mail_server;
use crate::operation::metrics::scrape;
use crate::webhooks::deliveries::{Receiver, worker};

#[path = "../../support/large_installation.rs"]
mod large_installation;
use large_installation::LargeInstallation;

/// Repetitions. The sixth time that a connection runs a statement, PostgreSQL may choose a plan for all values.
const ROUNDS: i64 = 8;

/// Pages of 8 KiB that a statement without a limit of its own may read, and more for each row that it returns or changes.
const MAX_PAGES: i64 = 500;
const MAX_PAGES_PER_ROW: i64 = 10;

/// Rows of a table that must not be read as a whole.
const LARGE_TABLE: f32 = 10_000.0;

/// The most frequent statements, and those that run at intervals: a part of each, and the pages that it may read. All must
/// have run. The first one that a statement has a part of applies to it.
const STATEMENTS: [(&str, i64); 33] = [
    // Event types and slots.
    ("SELECT e.id, e.owner_id, e.team_id, e.slug", 100),
    ("WITH taken (user_id", 250),
    ("SELECT (SELECT CAST(coalesce(sum(version)", 100),
    ("AS schedule_zone", 100),
    // Bookings.
    ("WITH booking AS (INSERT INTO bookings", 500),
    ("INSERT INTO reservations", 150),
    ("SELECT coalesce(json_agg(json_build_array(b.id, b.uid", 250),
    ("SELECT count(*) FROM bookings b WHERE (b.id IN", 400),
    ("SELECT b.id FROM bookings b WHERE (b.id IN", 400),
    ("SELECT count(*) FROM bookings b WHERE b.team_id", 100),
    ("SELECT b.id FROM bookings b WHERE b.team_id", 100),
    // Callers.
    ("FROM api_keys", 50),
    ("FROM organization_members m JOIN teams t", 50),
    ("FROM idempotency_keys WHERE hash = ", 50),
    // Webhooks. The number of those that messages wait for counts.
    ("SELECT w.id FROM webhooks w WHERE w.active", 150),
    ("SELECT w.id, w.subscriber_url", 2_000),
    ("SELECT d.id, d.webhook_id, d.trigger_name", 100),
    ("UPDATE webhook_deliveries SET claimed_by", 100),
    ("SELECT id, webhook_id, trigger_name, status", 150),
    ("AS deliveries) AS waiting", 4_000),
    // Meetings that begin or end in some minutes.
    ("SELECT start_ms AS until_ms", 2_000),
    ("SELECT end_ms AS until_ms", 100),
    // E-mail. The number of messages that wait counts, or that are made together: 500 of 250 events.
    ("SELECT id AS booking_id, event_type_id, start_ms", 1_000),
    ("FROM event_types WHERE strpos(settings", 300),
    ("INSERT INTO mail_messages", 20_000),
    ("SELECT mailbox, count(CASE", 2_500),
    ("SELECT order_key, max(sequence)", 1_500),
    ("SELECT id, tenant FROM (", 4_000),
    ("UPDATE mail_messages SET claimed_by", 400),
    ("AS codes) AS waiting", 200),
    // Retention of 500 messages each.
    ("DELETE FROM webhook_deliveries", 2_500),
    ("DELETE FROM mail_messages", 2_500),
    ("DELETE FROM idempotency_keys", 200),
];

/// Longest time until the worker has run all statements.
const TIMEOUT: Duration = Duration::from_secs(60);

/// Header with the API key of a host.
fn key(host: i64) -> (String, String) {
    ("authorization".into(), format!("Bearer svc_large-{host}"))
}

async fn book(service: &Service, event_type: i64, start: &str, round: i64) -> String {
    let headers = [(
        "idempotency-key".to_owned(),
        format!("{event_type}-{start}"),
    )];
    let body = json!({
        "start": start,
        "eventTypeId": event_type,
        "attendee": {"name": "Zoë", "email": format!("zoe{round}@example.org"), "timeZone": "Europe/Rome"},
    });
    let created = service
        .call(Method::POST, "/v2/bookings", &headers, Some(body))
        .await;
    created.data()["uid"].as_str().unwrap().to_owned()
}

/// Sends the requests of visitors, hosts and the team of one host.
async fn send_requests(service: &Service, round: i64) {
    // Each has a webhook.
    let host = 10 * round;
    let (own, of_team) = (1_000_000 + host, 1_150_000 + host);
    let key = key(host);
    for target in [
        format!("/v2/event-types?username=host-{host}"),
        format!("/v2/event-types/{own}"),
        format!("/v2/slots?eventTypeId={own}&start=2027-03-02&end=2027-04-01"),
        format!("/v2/slots?eventTypeId={of_team}&start=2027-03-02&end=2027-04-01"),
        format!(
            "/v2/slots?username=host-{host}&eventTypeSlug=consultation-{host}&start=2027-03-02&end=2027-03-09"
        ),
        format!("/v2/bookings/large-{round}"),
    ] {
        service.get(&target).await.data();
    }
    for target in [
        "/v2/me".to_owned(),
        "/v2/bookings?status=upcoming".to_owned(),
        "/v2/bookings?status=past&sortStart=desc&skip=2".to_owned(),
        format!("/v2/bookings?attendeeEmail=visitor{host}@visitor.example"),
        format!("/v2/teams/{own}/bookings?status=upcoming"),
        format!("/v2/organizations/{own}/teams/{own}/bookings?status=past"),
        format!("/v2/teams/{own}/event-types"),
        "/v2/webhooks".to_owned(),
        format!("/v2/webhooks/large-user-{host}/deliveries"),
        format!("/v2/webhooks/large-user-{host}/deliveries?status=failed"),
        "/v2/schedules/default".to_owned(),
    ] {
        service.get_as(&target, key.clone()).await.data();
    }
    let reserved = service
        .post(
            "/v2/slots/reservations",
            json!({"eventTypeId": own, "slotStart": "2027-03-02T15:00:00Z"}),
        )
        .await;
    reserved.data();
    let moved = book(service, own, "2027-03-02T13:00:00Z", round).await;
    let cancelled = book(service, of_team, "2027-03-02T14:00:00Z", round).await;
    for (uid, action, body) in [
        (
            &moved,
            "reschedule",
            json!({"start": "2027-03-03T13:00:00Z"}),
        ),
        (&cancelled, "reassign", json!({})),
        (&cancelled, "cancel", json!({"cancellationReason": "ill"})),
    ] {
        let target = format!("/v2/bookings/{uid}/{action}");
        service.post_as(&target, key.clone(), body).await.data();
    }
    let title = json!({"title": format!("Talk {round}")});
    let target = format!("/v2/event-types/{own}");
    service.request("PATCH", &target, &key, title).await.data();
    let name = json!({"name": format!("Hours {round}")});
    let target = format!("/v2/schedules/{own}");
    service.request("PATCH", &target, &key, name).await.data();
    scrape(service).await;
    maintenance::round(&service.app).await.unwrap();
}

#[tokio::test]
#[ignore = "needs PostgreSQL and takes a minute"]
async fn statements_read_few_pages_of_large_tables() {
    let mut service = Service::start().await;
    use_closed_mail_server(&mut service);
    let url = service.database.as_ref().unwrap().url.clone();
    let receiver = Receiver::start(&[]).await;
    let now = booking_wire::Instant::parse(NOW).unwrap();
    LargeInstallation::sized(1.0)
        .fill(&url, now.0, &receiver.url(""))
        .await
        .unwrap();
    let mut db = PgConnection::connect(&url).await.unwrap();
    sqlx::raw_sql(
        "CREATE EXTENSION IF NOT EXISTS pg_stat_statements;
         SELECT pg_stat_reset();
         SELECT pg_stat_statements_reset(0, (SELECT oid FROM pg_database WHERE datname = current_database()))",
    )
    .execute(&mut db)
    .await
    .unwrap();

    let (stop, stopped) = oneshot::channel::<()>();
    let running = worker(&service.app);
    let running = tokio::spawn(async move {
        running
            .run(async { stopped.await.unwrap_or_default() })
            .await;
    });
    for round in 0..ROUNDS {
        send_requests(&service, round).await;
        // The first minutes, in which no meeting begins, are over.
        service.app.clock.advance_minutes(1);
    }
    let started = Instant::now();
    loop {
        let statements = statements(&mut db).await;
        let missing = STATEMENTS
            .iter()
            .find(|(part, _)| !statements.iter().any(|statement| statement.has(part)));
        let Some((missing, _)) = missing else { break };
        assert!(started.elapsed() < TIMEOUT, "not run: {missing}");
        sleep(Duration::from_secs(1)).await;
    }
    drop(stop);
    running.await.unwrap();
    service.app.store.close().await;

    let statements = statements(&mut db).await;
    let too_large: Vec<&Statement> = statements
        .iter()
        .filter(|statement| statement.pages > statement.max_pages())
        .collect();
    assert!(too_large.is_empty(), "{too_large:#?}");
    // Sessions report their scans at their ends.
    let others = "SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()";
    while sqlx::query_scalar::<_, i64>(others)
        .fetch_one(&mut db)
        .await
        .unwrap()
        > 0
    {
        sleep(Duration::from_millis(50)).await;
    }
    let scanned: Vec<(String, i64)> = sqlx::query_as(
        "SELECT s.relname::text, s.seq_scan FROM pg_stat_user_tables s JOIN pg_class c ON c.oid = s.relid
         WHERE s.seq_tup_read > 0 AND c.reltuples > $1",
    )
    .bind(LARGE_TABLE)
    .fetch_all(&mut db)
    .await
    .unwrap();
    assert_eq!(scanned, Vec::<(String, i64)>::new(), "{statements:#?}");
}

/// A statement and what it reads on average.
#[derive(Debug, sqlx::FromRow)]
struct Statement {
    pages: i64,
    rows: i64,
    text: String,
}

impl Statement {
    fn has(&self, part: &str) -> bool {
        self.text.contains(part)
    }

    fn max_pages(&self) -> i64 {
        let limit = STATEMENTS.iter().find(|(part, _)| self.has(part));
        limit.map_or(MAX_PAGES + MAX_PAGES_PER_ROW * self.rows, |(_, pages)| {
            *pages
        })
    }
}

/// Returns the statements that have run in the database.
async fn statements(db: &mut PgConnection) -> Vec<Statement> {
    sqlx::query_as(
        "SELECT (shared_blks_hit + shared_blks_read) / calls AS pages, (rows / calls)::bigint AS rows,
             regexp_replace(query, '\\s+', ' ', 'g') AS text
         FROM pg_stat_statements
         WHERE calls > 0 AND query NOT LIKE '%pg_stat_statements%'
             AND dbid = (SELECT oid FROM pg_database WHERE datname = current_database()) ORDER BY 1 DESC",
    )
    .fetch_all(db)
    .await
    .unwrap()
}
