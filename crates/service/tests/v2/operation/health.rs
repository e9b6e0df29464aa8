//! Health checks, metrics, and behaviour when the disk is full or the database fails.

use std::time::{Duration, SystemTime, UNIX_EPOCH};

use axum::body::Body;
use axum::http::Request;
use booking_service::limits::client_ip::Peer;
use booking_service::process::connections::HealthOnly;
use booking_service::settings::Limits;
use booking_service::store::Subject;
use serde_json::json;
use tokio::time::sleep;

use crate::common::{Service, TestResponse, booking};

const ROLES: &str = "/v2/organizations/1/teams/1/roles";

async fn readiness(service: &Service) -> (u16, String) {
    let response = service.get("/readyz").await;
    // The other lines have the time zone data and the state of e-mail.
    let state = response.text.lines().next().unwrap_or_default();
    (response.status, state.to_owned())
}

pub async fn metrics(service: &Service, peer: &str, headers: &[(&str, &str)]) -> TestResponse {
    let mut request = Request::get("/metrics").header("host", "localhost:8080");
    for (name, value) in headers {
        request = request.header(*name, *value);
    }
    let mut request = request.body(Body::empty()).unwrap();
    request.extensions_mut().insert(Peer(peer.parse().unwrap()));
    service.send(request).await
}

#[tokio::test]
async fn readyz_of_stopping_service_returns_503() {
    let service = Service::start().await;
    assert_eq!(service.get("/healthz").await.text, "ok");
    assert_eq!(readiness(&service).await, (200, "ready".to_owned()));
    service.app.health.stop();
    assert_eq!(readiness(&service).await, (503, "stopping".to_owned()));
    assert_eq!(service.get("/healthz").await.status, 200);
}

#[tokio::test]
async fn readyz_with_database_of_another_version_returns_503() {
    let service = Service::start().await;
    service
        .sql("UPDATE _sqlx_migrations SET version = 9999 WHERE version = (SELECT max(version) FROM _sqlx_migrations)")
        .await;
    let (status, reason) = readiness(&service).await;
    assert_eq!(status, 503);
    assert!(
        reason.starts_with("migrations: the database is at version 9999"),
        "{reason}"
    );
}

#[tokio::test]
async fn readyz_during_long_write_returns_503_with_sqlite() {
    let service = Service::start().await;
    let writer = service.app.store.begin(&[Subject::Rows]).await.unwrap();
    // In PostgreSQL, the check waits for no locks: bookings would wait behind it.
    let expected = match service.database {
        Some(_) => (200, "ready".to_owned()),
        None => (503, "busy".to_owned()),
    };
    assert_eq!(readiness(&service).await, expected);
    writer.rollback().await.unwrap();
    assert_eq!(readiness(&service).await, (200, "ready".to_owned()));
}

#[tokio::test]
async fn readyz_with_nearly_full_disk_returns_503() {
    let mut service = Service::start().await;
    service.restart_with_limits(Limits {
        min_free_disk: u64::MAX,
        ..Limits::default()
    });
    let (status, reason) = readiness(&service).await;
    assert_eq!(status, 503);
    let (free, limit) = reason
        .strip_prefix("disk: ")
        .and_then(|reason| reason.split_once(" MiB free, less than --min-free-disk "))
        .expect(&reason);
    assert!(free.parse::<u64>().unwrap() > 0, "{reason}");
    assert_eq!(limit.parse::<u64>().unwrap(), u64::MAX / 1024 / 1024);
}

#[tokio::test]
async fn full_disk_allows_reads_and_writes_resume_with_free_space() {
    let service = Service::start().await;
    let roles = service.count("roles").await;
    // SQLite reports a full disk when the database may not grow.
    service.sql("PRAGMA max_page_count = 1").await;
    let body = json!({"name": "Small", "permissions": ["booking.read"]});
    let mut failed = false;
    for attempt in 0..400 {
        let body = json!({"name": format!("r{attempt}"), "permissions": ["booking.read"]});
        let response = service.post_as(ROLES, service.owner(), body).await;
        if response.status != 201 {
            let message = response.assert_error(503, "ServiceUnavailableException");
            assert_eq!(
                message,
                "the service cannot store or read its data at the moment"
            );
            assert_eq!(response.headers["retry-after"], "10");
            failed = true;
            break;
        }
    }
    assert!(failed, "the disk was never full");
    assert_eq!(service.get("/v2/event-types/1").await.status, 200);
    let before = service.count("roles").await;
    assert!(before >= roles);
    // The failed connection is replaced by a new one.
    assert_eq!(readiness(&service).await, (200, "ready".to_owned()));
    let response = service.post_as(ROLES, service.owner(), body).await;
    assert_eq!(response.status, 201, "{}", response.text);
    assert_eq!(service.count("roles").await, before + 1);
}

#[tokio::test]
async fn read_only_connection_is_replaced() {
    let service = Service::start().await;
    service.sql("PRAGMA query_only = 1").await;
    let body = json!({"name": "Small", "permissions": ["booking.read"]});
    let response = service.post_as(ROLES, service.owner(), body.clone()).await;
    response.assert_error(503, "ServiceUnavailableException");
    let response = service.post_as(ROLES, service.owner(), body).await;
    assert_eq!(response.status, 201, "{}", response.text);

    service.sql("PRAGMA query_only = 1").await;
    assert_eq!(readiness(&service).await, (503, "database".to_owned()));
    assert_eq!(readiness(&service).await, (200, "ready".to_owned()));
}

#[tokio::test]
async fn metrics_require_loopback_or_token() {
    let mut service = Service::start().await;
    let local = metrics(&service, "127.0.0.1:1", &[]).await;
    assert_eq!(local.status, 200);
    let remote = metrics(&service, "192.0.2.1:1", &[]).await;
    remote.assert_error(403, "ForbiddenException");
    let proxied = metrics(&service, "127.0.0.1:1", &[("x-forwarded-for", "192.0.2.1")]).await;
    proxied.assert_error(403, "ForbiddenException");
    let unknown = service.get("/metrics").await;
    unknown.assert_error(403, "ForbiddenException");

    service.restart_with_limits(Limits {
        metrics_token: Some("a-long-enough-token".into()),
        ..Limits::default()
    });
    let valid = [("authorization", "Bearer a-long-enough-token")];
    assert_eq!(metrics(&service, "192.0.2.1:1", &valid).await.status, 200);
    for headers in [&[][..], &[("authorization", "Bearer other")]] {
        for peer in ["127.0.0.1:1", "192.0.2.1:1"] {
            let refused = metrics(&service, peer, headers).await;
            refused.assert_error(401, "UnauthorizedException");
        }
    }
}

#[tokio::test]
async fn metrics_are_grouped_by_route_without_personal_data() {
    let mut service = Service::start().await;
    service.restart_with_limits(Limits {
        rate: Some(18),
        ..Limits::default()
    });
    let free = service
        .get("/v2/slots?eventTypeId=1&start=2027-03-02&end=2027-03-09")
        .await;
    let day = free.data().as_object().unwrap().values().next().unwrap();
    let body = booking(1, day[0]["start"].as_str().unwrap());
    let created = service.post("/v2/bookings", body.clone()).await;
    let uid = created.data()["uid"].as_str().unwrap().to_owned();
    assert_eq!(service.post("/v2/bookings", body).await.status, 409);
    service.post("/v2/bookings", json!({})).await;
    service.get(&format!("/v2/bookings/{uid}")).await;
    service.get("/v2/zoe@example.org?token=svc_secret").await;
    service.get("/embed/zoe@example.org").await;
    for _ in 0..14 {
        service.get("/v2/nothing").await;
    }
    let pool = match service.database {
        Some(_) => "postgres",
        None => "read",
    };
    let mut text = metrics(&service, "127.0.0.1:1", &[]).await.text;
    // A connection goes back to its pool in a separate task, after the response.
    for _ in 0..1_000 {
        if text.contains(&format!("{{pool=\"{pool}\",state=\"used\"}} 0")) {
            break;
        }
        sleep(Duration::from_millis(5)).await;
        text = metrics(&service, "127.0.0.1:1", &[]).await.text;
    }
    let assert_line =
        |line: &str| assert!(text.lines().any(|found| found == line), "{line}\n{text}");
    assert_line("booking_booking_requests_total{outcome=\"made\"} 1");
    assert_line("booking_booking_requests_total{outcome=\"conflict\"} 1");
    assert_line("booking_booking_requests_total{outcome=\"refused\"} 1");
    assert_line("booking_rate_limited_total{group=\"default\"} 2");
    assert_line("booking_rate_limited_total{group=\"bookings\"} 0");
    assert_line(
        "booking_http_requests_total{method=\"POST\",route=\"/v2/bookings\",status=\"2xx\"} 1",
    );
    assert_line(
        "booking_http_requests_total{method=\"POST\",route=\"/v2/bookings\",status=\"4xx\"} 2",
    );
    assert_line("booking_http_requests_in_flight 1");
    assert_line("booking_messages_waiting{channel=\"webhook\"} 0");
    assert_line(concat!(
        "booking_build_info{version=\"",
        env!("CARGO_PKG_VERSION"),
        "\"} 1"
    ));
    assert!(text.contains(
        "booking_http_request_duration_seconds_bucket{route=\"/v2/bookings\",le=\"30\"} 3"
    ));
    assert!(text.contains("booking_disk_free_bytes "));
    if service.database.is_none() {
        assert!(text.contains("booking_database_connections{pool=\"write\""));
    }
    // The connection that reads the metrics does not belong to the request pool.
    assert_line(&format!(
        "booking_database_connections{{pool=\"{pool}\",state=\"used\"}} 0"
    ));
    for secret in [uid.as_str(), "zoe", "svc_secret", "Łukasik"] {
        assert!(!text.contains(secret), "{secret}");
    }
}

#[cfg(target_os = "linux")]
#[tokio::test]
async fn metrics_of_process_are_plausible() {
    let service = Service::start().await;
    let text = metrics(&service, "127.0.0.1:1", &[]).await.text;
    let value = |name: &str, kind: &str| -> f64 {
        let declaration = format!("# TYPE {name} {kind}\n{name} ");
        let (_, rest) = text.split_once(&declaration).unwrap_or_else(|| {
            panic!("{declaration}\n{text}");
        });
        rest.lines().next().unwrap().parse().unwrap()
    };
    let gauge = |name: &str| value(name, "gauge");
    let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap();
    let age_seconds = now.as_secs_f64() - gauge("process_start_time_seconds");
    // The kernel's time of the start is in hundredths of a second since one that is in whole seconds.
    assert!((-2.0..86_400.0).contains(&age_seconds), "{age_seconds}");
    let threads = gauge("process_threads");
    assert!(threads >= 1.0, "{threads}");
    let cpu_seconds = value("process_cpu_seconds_total", "counter");
    assert!((0.0..86_400.0).contains(&cpu_seconds), "{cpu_seconds}");
    let open_files = gauge("process_open_fds");
    assert!(
        open_files >= 3.0 && open_files <= gauge("process_max_fds"),
        "{open_files}"
    );
    let resident_bytes = gauge("process_resident_memory_bytes");
    let virtual_bytes = gauge("process_virtual_memory_bytes");
    assert!(
        resident_bytes >= 1e6 && resident_bytes <= virtual_bytes,
        "{resident_bytes}"
    );
}

#[tokio::test]
async fn health_only_connection_rejects_other_requests_with_503() {
    let service = Service::start().await;
    let send_health_only = async |target: &str| {
        let mut request = Request::get(target).body(Body::empty()).unwrap();
        request.extensions_mut().insert(HealthOnly);
        service.send(request).await
    };
    for target in ["/healthz", "/readyz"] {
        assert_eq!(send_health_only(target).await.status, 200, "{target}");
    }
    for target in ["/v2/event-types/1", "/v2/slots", "/demo.json", "/healthz/x"] {
        let response = send_health_only(target).await;
        response.assert_error(503, "ServiceUnavailableException");
        assert_eq!(response.headers["retry-after"], "2", "{target}");
    }
    assert_eq!(send_health_only("/v1/users").await.status, 503);
}

#[tokio::test]
async fn pages_of_other_origins_read_readiness_and_no_metrics() {
    let service = Service::start().await;
    let readiness = service.get("/readyz").await;
    assert_eq!(readiness.headers["access-control-allow-origin"], "*");
    assert!(
        readiness.text.contains("\ne-mail is not sent"),
        "{}",
        readiness.text
    );
    let metrics = metrics(&service, "127.0.0.1:9", &[]).await;
    assert_eq!(metrics.status, 200);
    assert!(!metrics.headers.contains_key("access-control-allow-origin"));
}
