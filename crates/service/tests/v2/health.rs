//! What those who operate the service can see, and what it does when its disk fails.

use axum::body::Body;
use axum::http::Request;
use booking_service::client_ip::Peer;
use booking_service::connections::HealthOnly;
use booking_service::settings::Limits;
use serde_json::json;

use crate::common::{Answer, Service, booking};

const ROLES: &str = "/v2/organizations/1/teams/1/roles";

async fn ready(service: &Service) -> (u16, String) {
    let answer = service.get("/readyz").await;
    (answer.status, answer.text)
}

async fn metrics(service: &Service, peer: &str, headers: &[(&str, &str)]) -> Answer {
    let mut request = Request::get("/metrics").header("host", "localhost:8080");
    for (name, value) in headers {
        request = request.header(*name, *value);
    }
    let mut request = request.body(Body::empty()).unwrap();
    request.extensions_mut().insert(Peer(peer.parse().unwrap()));
    service.send(request).await
}

#[tokio::test]
async fn a_service_that_can_do_its_work_is_ready_until_it_is_to_stop() {
    let service = Service::start().await;
    assert_eq!(service.get("/healthz").await.text, "ok");
    assert_eq!(ready(&service).await, (200, "ready".to_owned()));
    service.app.health.stop();
    assert_eq!(ready(&service).await, (503, "stopping".to_owned()));
    assert_eq!(service.get("/healthz").await.status, 200);
}

#[tokio::test]
async fn a_database_of_another_version_is_not_ready() {
    let service = Service::start().await;
    service
        .sql("UPDATE _sqlx_migrations SET version = 9999 WHERE version = (SELECT max(version) FROM _sqlx_migrations)")
        .await;
    assert_eq!(ready(&service).await, (503, "migrations".to_owned()));
}

#[tokio::test]
async fn a_database_that_is_written_to_without_end_is_not_ready() {
    let service = Service::start().await;
    let held = service.app.store.begin().await.unwrap();
    assert_eq!(ready(&service).await, (503, "busy".to_owned()));
    held.rollback().await.unwrap();
    assert_eq!(ready(&service).await, (200, "ready".to_owned()));
}

#[tokio::test]
async fn a_disk_that_is_nearly_full_is_not_ready() {
    let mut service = Service::start().await;
    service.limit(Limits {
        min_free_disk: u64::MAX,
        ..Limits::default()
    });
    assert_eq!(ready(&service).await, (503, "disk".to_owned()));
}

#[tokio::test]
async fn on_a_full_disk_reading_goes_on_and_writing_starts_again_when_there_is_room() {
    let service = Service::start().await;
    let roles = service.count("roles").await;
    // SQLite says "disk is full" when a database may have no more pages.
    service.sql("PRAGMA max_page_count = 1").await;
    let body = json!({"name": "Small", "permissions": ["booking.read"]});
    let mut failed = false;
    for attempt in 0..400 {
        let body = json!({"name": format!("r{attempt}"), "permissions": ["booking.read"]});
        let answer = service.post_as(ROLES, service.owner(), body).await;
        if answer.status != 201 {
            let message = answer.refused(503, "ServiceUnavailableException");
            assert_eq!(
                message,
                "the service cannot store or read its data at the moment"
            );
            assert_eq!(answer.headers["retry-after"], "10");
            failed = true;
            break;
        }
    }
    assert!(failed, "the disk was never full");
    assert_eq!(service.get("/v2/event-types/1").await.status, 200);
    let before = service.count("roles").await;
    assert!(before >= roles);
    // The connection that had no room is replaced by one that has.
    assert_eq!(ready(&service).await, (200, "ready".to_owned()));
    let answer = service.post_as(ROLES, service.owner(), body).await;
    assert_eq!(answer.status, 201, "{}", answer.text);
    assert_eq!(service.count("roles").await, before + 1);
}

#[tokio::test]
async fn a_connection_that_may_not_write_is_replaced() {
    let service = Service::start().await;
    service.sql("PRAGMA query_only = 1").await;
    let body = json!({"name": "Small", "permissions": ["booking.read"]});
    let answer = service.post_as(ROLES, service.owner(), body.clone()).await;
    answer.refused(503, "ServiceUnavailableException");
    let answer = service.post_as(ROLES, service.owner(), body).await;
    assert_eq!(answer.status, 201, "{}", answer.text);

    service.sql("PRAGMA query_only = 1").await;
    assert_eq!(ready(&service).await, (503, "database".to_owned()));
    assert_eq!(ready(&service).await, (200, "ready".to_owned()));
}

#[tokio::test]
async fn metrics_are_for_this_machine_or_for_who_has_the_token() {
    let mut service = Service::start().await;
    let near = metrics(&service, "127.0.0.1:1", &[]).await;
    assert_eq!(near.status, 200);
    let far = metrics(&service, "192.0.2.1:1", &[]).await;
    far.refused(403, "ForbiddenException");
    let proxied = metrics(&service, "127.0.0.1:1", &[("x-forwarded-for", "192.0.2.1")]).await;
    proxied.refused(403, "ForbiddenException");
    let unknown = service.get("/metrics").await;
    unknown.refused(403, "ForbiddenException");

    service.limit(Limits {
        metrics_token: Some("a-long-enough-token".into()),
        ..Limits::default()
    });
    let right = [("authorization", "Bearer a-long-enough-token")];
    assert_eq!(metrics(&service, "192.0.2.1:1", &right).await.status, 200);
    for headers in [&[][..], &[("authorization", "Bearer other")]] {
        for peer in ["127.0.0.1:1", "192.0.2.1:1"] {
            let refused = metrics(&service, peer, headers).await;
            refused.refused(401, "UnauthorizedException");
        }
    }
}

#[tokio::test]
async fn metrics_count_by_pattern_and_hold_nothing_of_what_was_said() {
    let mut service = Service::start().await;
    service.limit(Limits {
        rate: Some(18),
        ..Limits::default()
    });
    let free = service
        .get("/v2/slots?eventTypeId=1&start=2027-03-02&end=2027-03-09")
        .await;
    let day = free.data().as_object().unwrap().values().next().unwrap();
    let body = booking(1, day[0]["start"].as_str().unwrap());
    let made = service.post("/v2/bookings", body.clone()).await;
    let uid = made.data()["uid"].as_str().unwrap().to_owned();
    assert_eq!(service.post("/v2/bookings", body).await.status, 409);
    service.post("/v2/bookings", json!({})).await;
    service.get(&format!("/v2/bookings/{uid}")).await;
    service.get("/v2/zoe@example.org?token=svc_secret").await;
    service.get("/embed/zoe@example.org").await;
    for _ in 0..14 {
        service.get("/v2/nothing").await;
    }
    let text = metrics(&service, "127.0.0.1:1", &[]).await.text;
    let has = |line: &str| assert!(text.lines().any(|found| found == line), "{line}\n{text}");
    has("booking_booking_requests_total{outcome=\"made\"} 1");
    has("booking_booking_requests_total{outcome=\"conflict\"} 1");
    has("booking_booking_requests_total{outcome=\"refused\"} 1");
    has("booking_rate_limited_total 2");
    has("booking_http_requests_total{method=\"POST\",route=\"/v2/bookings\",status=\"2xx\"} 1");
    has("booking_http_requests_total{method=\"POST\",route=\"/v2/bookings\",status=\"4xx\"} 2");
    has("booking_http_requests_in_flight 1");
    has("booking_webhook_deliveries_waiting 0");
    has(concat!(
        "booking_build_info{version=\"",
        env!("CARGO_PKG_VERSION"),
        "\"} 1"
    ));
    assert!(text.contains(
        "booking_http_request_duration_seconds_bucket{route=\"/v2/bookings\",le=\"30\"} 3"
    ));
    assert!(text.contains("booking_disk_free_bytes "));
    assert!(text.contains("booking_database_connections{pool=\"write\""));
    // The connection that reads the metrics is not among those that requests use.
    has("booking_database_connections{pool=\"read\",state=\"used\"} 0");
    for secret in [uid.as_str(), "zoe", "svc_secret", "Łukasik"] {
        assert!(!text.contains(secret), "{secret}");
    }
}

#[tokio::test]
async fn connection_for_health_checks_refuses_other_requests_in_words() {
    let service = Service::start().await;
    let ask = async |target: &str| {
        let mut request = Request::get(target).body(Body::empty()).unwrap();
        request.extensions_mut().insert(HealthOnly);
        service.send(request).await
    };
    for target in ["/healthz", "/readyz"] {
        assert_eq!(ask(target).await.status, 200, "{target}");
    }
    for target in ["/v2/event-types/1", "/v2/slots", "/demo.json", "/healthz/x"] {
        let answer = ask(target).await;
        answer.refused(503, "ServiceUnavailableException");
        assert_eq!(answer.headers["retry-after"], "2", "{target}");
    }
    assert_eq!(ask("/v1/users").await.status, 503);
}
