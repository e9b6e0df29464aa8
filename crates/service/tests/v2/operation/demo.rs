//! Demo data and demo account.

use std::sync::Arc;

use axum::body::{Body, to_bytes};
use axum::http::{Method, Request};
use booking_service::cli::database::data_directory;
use booking_service::clock::Clock;
use booking_service::domain::demo;
use booking_service::http::assets::Assets;
use booking_service::http::router::router;
use booking_service::settings::Limits;
use booking_service::settings::Settings;
use booking_service::store::Subject;
use booking_store_engine::sql;
use booking_wire::Instant;
use booking_zones::Zone;
use chrono::{Datelike, Timelike};
use serde_json::{Value, json};
use tower::ServiceExt;

use crate::common::{Service, TestResponse};

/// Sends a request with headers and without a body.
async fn send_with_headers(
    service: &Service,
    method: Method,
    target: &str,
    headers: &[(&str, &str)],
) -> TestResponse {
    let headers: Vec<_> = headers
        .iter()
        .map(|(name, value)| ((*name).to_owned(), (*value).to_owned()))
        .collect();
    service.call(method, target, &headers, None).await
}

async fn account(service: &Service) -> TestResponse {
    send_with_headers(
        service,
        Method::GET,
        "/demo.json",
        &[("host", "127.0.0.1:8080")],
    )
    .await
}

#[tokio::test]
async fn demo_account_contains_no_permanent_secrets() {
    let service = Service::start().await;
    let account = account(&service).await;
    assert_eq!(account.status, 200);
    let keys: Vec<&String> = account.body.as_object().unwrap().keys().collect();
    assert_eq!(
        keys,
        [
            "accessToken",
            "baseUrl",
            "eventTypes",
            "orgId",
            "teamId",
            "username"
        ]
    );
    assert_eq!(account.body["eventTypes"].as_array().unwrap().len(), 6);
    let token = account.body["accessToken"].as_str().unwrap();
    let credentials = ("authorization".to_owned(), format!("Bearer {token}"));
    assert_eq!(
        service
            .get_as("/v2/teams/1/bookings", credentials)
            .await
            .status,
        200
    );
}

#[tokio::test]
async fn demo_account_is_not_readable_cross_origin() {
    let service = Service::start().await;
    let headers = [("origin", "https://shop.example"), ("host", "localhost")];
    for (method, target) in [(Method::GET, "/demo.json"), (Method::POST, "/demo/token")] {
        let response = send_with_headers(&service, method, target, &headers).await;
        assert_eq!(response.status, 200);
        assert!(!response.headers.contains_key("access-control-allow-origin"));
    }
}

#[tokio::test]
async fn demo_is_rejected_for_existing_data() {
    let directory = tempfile::tempdir().unwrap();
    let settings = Settings {
        base_url: "http://127.0.0.1:8080".into(),
        access_minutes: 60,
        demo: true,
        ..Settings::default()
    };
    let app = data_directory::open(directory.path(), Clock::system(), settings)
        .await
        .unwrap();
    let mut transaction = app.store.begin(&[Subject::Rows]).await.unwrap();
    sql::raw_sql("INSERT INTO organizations (id, name, slug) VALUES (1, 'Real', 'real')")
        .execute(&mut transaction)
        .await
        .unwrap();
    transaction.commit().await.unwrap();
    assert!(demo::prepare(&app, directory.path()).await.is_err());
    assert!(!directory.path().join(demo::FILE_NAME).exists());
}

#[tokio::test]
async fn demo_account_without_demo_is_missing() {
    let service = Service::start_with(false, 60).await;
    // Not an error in the console of each page.
    let account = service.get("/demo.json").await;
    assert_eq!((account.status, account.text.as_str()), (204, ""));
    service
        .post("/demo/token", json!({}))
        .await
        .assert_error(404, "NotFoundException");
}

#[tokio::test]
async fn expired_demo_token_is_renewed_by_demo_token_endpoint() {
    let service = Service::start_with(true, 0).await;
    let account = account(&service).await;
    let bearer = |body: &Value| {
        (
            "authorization".to_owned(),
            format!("Bearer {}", body["accessToken"].as_str().unwrap()),
        )
    };
    let expired = service.get_as("/v2/me", bearer(&account.body)).await;
    expired.assert_error(498, "TokenExpiredException");
    let host = [("host", "localhost:8080")];
    let renewed = send_with_headers(&service, Method::POST, "/demo/token", &host).await;
    assert_eq!(
        service.get_as("/v2/me", bearer(&renewed.body)).await.status,
        200
    );
}

#[tokio::test]
async fn demo_fill_creates_requested_number_of_bookings() {
    let service = Service::start().await;
    for _ in 0..2 {
        demo::add_bookings(&service.app, 2_000).await.unwrap();
        let token = service.credentials["accessToken"].as_str().unwrap();
        let credentials = ("authorization".to_owned(), format!("Bearer {token}"));
        let page = service
            .get_as("/v2/teams/1/bookings?take=250&skip=1750", credentials)
            .await;
        assert_eq!(page.body["pagination"]["totalItems"], 2_000);
        let bookings = page.body["data"].as_array().unwrap();
        assert_eq!(bookings.len(), 250);
        for booking in bookings {
            assert!(!booking["attendees"].as_array().unwrap().is_empty());
            assert_ne!(booking["hosts"][0]["id"], "unknown");
        }
    }
}

#[tokio::test]
async fn restart_keeps_demo_data_and_permanent_credentials() {
    let service = Service::start().await;
    let bookings = service.count("bookings").await;
    service.app.clock.advance_minutes(3 * 24 * 60);
    let path = demo::prepare(&service.app, service.directory.path())
        .await
        .unwrap();
    let recreated: Value = serde_json::from_slice(&std::fs::read(&path).unwrap()).unwrap();
    assert_eq!(service.count("bookings").await, bookings);
    for key in ["apiKey", "userKey", "clientId", "clientSecret"] {
        assert_eq!(recreated[key], service.credentials[key], "{key}");
    }
    assert_ne!(recreated["accessToken"], service.credentials["accessToken"]);
    let token = format!("Bearer {}", recreated["accessToken"].as_str().unwrap());
    assert_eq!(
        service
            .get_as("/v2/me", ("authorization".into(), token))
            .await
            .status,
        200
    );
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        for file in std::fs::read_dir(service.directory.path()).unwrap() {
            let file = file.unwrap();
            let mode = file.metadata().unwrap().permissions().mode();
            assert_eq!(mode & 0o777, 0o600, "{:?}", file.file_name());
        }
    }
}

#[tokio::test]
async fn demo_has_bookings_of_all_statuses_and_free_slots() {
    let service = Service::start().await;
    let bookings = service.count("bookings").await;
    assert!((280..=330).contains(&bookings), "{bookings}");
    let mut db = service.app.store.read().await.unwrap();
    let statuses: Vec<(String, i64)> =
        sql::query_as("SELECT status, count(*) FROM bookings GROUP BY status ORDER BY 1")
            .fetch_all(&mut db)
            .await
            .unwrap();
    assert_eq!(
        statuses
            .iter()
            .map(|(status, _)| status.as_str())
            .collect::<Vec<_>>(),
        ["accepted", "cancelled", "pending", "rejected"]
    );
    assert!(
        statuses
            .iter()
            .all(|(status, count)| *count >= if status == "pending" { 4 } else { 10 }),
        "{statuses:?}"
    );
    let requests: i64 = sql::query_scalar(
        "SELECT count(*) FROM bookings WHERE status = 'pending' AND start_ms > ?",
    )
    .bind(service.app.clock.now().0)
    .fetch_one(&mut db)
    .await
    .unwrap();
    assert_eq!(requests, 4);
    drop(db);
    for id in 1..=6 {
        let target = format!("/v2/slots?eventTypeId={id}&start=2027-03-02&end=2027-03-31");
        let slots = service.get_as(&target, service.owner()).await;
        let free: usize = slots
            .data()
            .as_object()
            .unwrap()
            .values()
            .map(|day| day.as_array().unwrap().len())
            .sum();
        assert!(free > 30, "event type {id} has {free} free slots in March");
    }
}

/// All bookings and free slots are within the hours of the office in Berlin, on no holiday.
#[tokio::test]
async fn demo_bookings_and_slots_are_within_office_hours() {
    for start in ["2026-12-20T08:00:00Z", "2027-03-25T08:00:00Z"] {
        let directory = tempfile::tempdir().unwrap();
        let clock = Clock::stopped_at(Instant::parse(start).unwrap());
        let settings = Settings {
            demo: true,
            ..Settings::default()
        };
        let app = data_directory::open(directory.path(), clock, settings)
            .await
            .unwrap();
        demo::prepare(&app, directory.path()).await.unwrap();
        let mut db = app.store.read().await.unwrap();
        let starts: Vec<i64> = sql::query_scalar("SELECT start_ms FROM bookings")
            .fetch_all(&mut db)
            .await
            .unwrap();
        assert!(starts.len() > 250, "{}", starts.len());
        let berlin = Zone::named("Europe/Berlin").unwrap();
        for start in starts {
            let local = berlin.local(Instant(start)).unwrap();
            let is_closed = matches!((local.month(), local.day()), (1, 1) | (12, 25 | 26));
            assert!(!is_closed, "{local}");
            assert!((8..19).contains(&local.hour()), "{local}");
        }
        drop(db);
        // A Friday.
        let window = "start=2027-01-01T00:00:00Z&end=2027-01-01T23:00:00Z";
        let router = router(
            app,
            &Assets {
                app: directory.path().join("app"),
                embed: directory.path().join("embed"),
            },
        );
        let uri = format!("/v2/slots?eventTypeId=5&{window}");
        let request = Request::get(uri).body(Body::empty()).unwrap();
        let response = router.oneshot(request).await.unwrap();
        let body = to_bytes(response.into_body(), 100_000).await.unwrap();
        let body: Value = serde_json::from_slice(&body).unwrap();
        assert_eq!(body["data"], json!({}), "{body}");
    }
}

#[tokio::test]
async fn demo_account_with_foreign_host_header_returns_403() {
    let mut service = Service::start().await;
    let check = async |service: &Service, host: &str, status: u16| {
        for (method, target) in [(Method::GET, "/demo.json"), (Method::POST, "/demo/token")] {
            let response = send_with_headers(service, method, target, &[("host", host)]).await;
            assert_eq!(response.status, status, "{target} {host}");
        }
    };
    for host in [
        "localhost",
        "localhost:99",
        "127.0.0.1:8080",
        "[::1]:8080",
        "LOCALHOST",
    ] {
        check(&service, host, 200).await;
    }
    for host in [
        "evil.example",
        "evil.example:8080",
        "localhost.evil.example",
        "192.0.2.1",
        "",
    ] {
        check(&service, host, 403).await;
    }
    assert_eq!(service.get("/demo.json").await.status, 403);

    service.app.settings = Arc::new(Settings {
        base_url: "https://Demo.example:8443/book".into(),
        ..Settings::clone(&service.app.settings)
    });
    service.restart_with_limits(Limits::default());
    check(&service, "demo.example:8443", 200).await;
    check(&service, "demo.example", 200).await;
    check(&service, "other.example:8443", 403).await;
}

#[tokio::test]
async fn demo_account_behind_proxy_returns_403_unless_demo_in_public() {
    let mut service = Service::start().await;
    let check = async |service: &Service, status: u16| {
        for (method, target) in [(Method::GET, "/demo.json"), (Method::POST, "/demo/token")] {
            for header in [
                ("x-forwarded-for", "192.0.2.1"),
                ("forwarded", "for=192.0.2.1"),
                ("x-real-ip", "192.0.2.1"),
                ("via", "1.1 proxy.example"),
            ] {
                // The `Host` that nginx sends by default.
                let headers = [("host", "127.0.0.1:8080"), header];
                let response = send_with_headers(service, method.clone(), target, &headers).await;
                assert_eq!(response.status, status, "{target} {header:?}");
            }
        }
    };
    check(&service, 403).await;
    assert_eq!(account(&service).await.status, 200);

    service.app.settings = Arc::new(Settings {
        demo_in_public: true,
        ..Settings::clone(&service.app.settings)
    });
    service.restart_with_limits(Limits::default());
    check(&service, 200).await;
}

#[tokio::test]
async fn start_without_demo_revokes_demo_credentials() {
    let service = Service::start().await;
    let app = &service.app;
    let directory = service.directory.path();
    let bearer = |value: &str| ("authorization".to_owned(), format!("Bearer {value}"));
    let client = |credentials: &Value| {
        let text = |key: &str| credentials[key].as_str().unwrap().to_owned();
        [
            ("x-svc-client-id".to_owned(), text("clientId")),
            ("x-svc-secret-key".to_owned(), text("clientSecret")),
        ]
    };
    let statuses = async |credentials: &Value| {
        let mut statuses = Vec::new();
        for key in ["apiKey", "userKey", "accessToken"] {
            let credentials = bearer(credentials[key].as_str().unwrap());
            statuses.push(service.get_as("/v2/me", credentials).await.status);
        }
        let headers = client(credentials);
        statuses.push(
            service
                .call(Method::GET, "/v2/me", &headers, None)
                .await
                .status,
        );
        statuses
    };
    // API keys of users are kept.
    service
        .sql("INSERT INTO api_keys (hash, user_id, label, created_ms) SELECT 'own', id, 'CRM', 0 FROM users LIMIT 1")
        .await;
    assert_eq!(statuses(&service.credentials).await, [200; 4]);

    demo::revoke_credentials(app, directory).await.unwrap();
    assert_eq!(statuses(&service.credentials).await, [401; 4]);
    assert_eq!(service.count("oauth_tokens").await, 0);
    assert_eq!(service.count("api_keys").await, 1);
    assert!(!directory.join(demo::FILE_NAME).exists());
    assert_eq!(
        service
            .count("users WHERE oauth_client_id IS NOT NULL")
            .await,
        1
    );
    let refresh = json!({"refreshToken": service.secret("refreshToken")});
    let target = format!("/v2/oauth/{}/refresh", service.secret("clientId"));
    let headers = client(&service.credentials);
    let response = service
        .call(Method::POST, &target, &headers, Some(refresh))
        .await;
    assert_eq!(response.status, 401);

    let path = demo::prepare(app, directory).await.unwrap();
    let recreated: Value = serde_json::from_slice(&std::fs::read(&path).unwrap()).unwrap();
    assert_eq!(statuses(&recreated).await, [200; 4]);
    assert_eq!(statuses(&service.credentials).await, [401; 4]);
}

#[tokio::test]
async fn revocation_keeps_credentials_of_data_without_demo() {
    let directory = tempfile::tempdir().unwrap();
    let app = data_directory::open(directory.path(), Clock::system(), Settings::default())
        .await
        .unwrap();
    let mut transaction = app.store.begin(&[Subject::Rows]).await.unwrap();
    sql::raw_sql(
        "INSERT INTO organizations (id, name, slug) VALUES (1, 'Northwind', 'northwind');
         INSERT INTO users (id, organization_id, username, email, time_zone) VALUES (1, 1, 'ada', 'a@x.example', 'UTC');
         INSERT INTO api_keys (hash, user_id, label, created_ms) VALUES ('x', 1, 'Demo', 0)",
    )
    .execute(&mut transaction)
    .await
    .unwrap();
    transaction.commit().await.unwrap();
    demo::revoke_credentials(&app, directory.path())
        .await
        .unwrap();
    let mut db = app.store.read().await.unwrap();
    let keys: i64 = sql::query_scalar("SELECT count(*) FROM api_keys")
        .fetch_one(&mut db)
        .await
        .unwrap();
    assert_eq!(keys, 1);
}

#[tokio::test]
async fn picture_is_served_with_demo_only_and_embeddable() {
    let service = Service::start().await;
    let onboarding = service
        .get("/v2/teams/1/event-types?eventSlug=onboarding")
        .await;
    let onboarding = &onboarding.data()[0];
    let hosts = onboarding["hosts"].as_array().unwrap();
    let urls = hosts.iter().map(|host| &host["avatarUrl"]);
    let mut total = 0;
    for url in urls.chain([&onboarding["team"]["logoUrl"]]) {
        let base_url = &service.app.settings.base_url;
        let path = url.as_str().unwrap().strip_prefix(base_url).unwrap();
        let picture = service.get(path).await;
        assert_eq!(picture.status, 200, "{path}");
        assert_eq!(picture.headers["content-type"], "image/svg+xml");
        assert_eq!(
            picture.headers["content-security-policy"],
            "default-src 'none'"
        );
        assert_eq!(picture.headers["x-content-type-options"], "nosniff");
        assert_eq!(
            picture.headers["cross-origin-resource-policy"],
            "cross-origin"
        );
        assert!(picture.text.starts_with("<svg "), "{path}");
        total += picture.text.len();
    }
    assert!(total < 4096, "{total} bytes");
    let without_demo = Service::start_with(false, 60).await;
    without_demo
        .get("/demo/ada.svg")
        .await
        .assert_error(404, "NotFoundException");
}

#[tokio::test]
async fn address_of_picture_follows_the_service_unless_it_was_replaced() {
    let mut service = Service::start().await;
    service
        .sql(
            "UPDATE users SET avatar_url = NULL WHERE username = 'ada';
             UPDATE users SET avatar_url = 'https://pictures.example/m.png' WHERE username = 'marcus';
             INSERT INTO users (id, username, name, email, time_zone, avatar_url) VALUES
             (50, 'other', 'Other', 'other@example.org', 'Europe/Rome', 'https://other.example/demo/ada.svg')",
        )
        .await;
    service.app.settings = Arc::new(Settings {
        base_url: "https://demo.example/book".into(),
        ..Settings::clone(&service.app.settings)
    });
    demo::prepare(&service.app, service.directory.path())
        .await
        .unwrap();
    let mut db = service.app.store.read().await.unwrap();
    let found: Vec<Option<String>> =
        sql::query_scalar("SELECT avatar_url FROM users WHERE id <= 3 OR id = 50 ORDER BY id")
            .fetch_all(&mut db)
            .await
            .unwrap();
    let found: Vec<_> = found.iter().map(Option::as_deref).collect();
    assert_eq!(
        found,
        [
            None,
            Some("https://pictures.example/m.png"),
            Some("https://demo.example/book/demo/priya.svg"),
            Some("https://other.example/demo/ada.svg")
        ]
    );
    let logo: String = sql::query_scalar("SELECT logo_url FROM teams WHERE id = 1")
        .fetch_one(&mut db)
        .await
        .unwrap();
    assert_eq!(logo, "https://demo.example/book/demo/customer-success.svg");
}
