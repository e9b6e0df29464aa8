//! The demo data and its account.

use axum::http::Method;
use booking_service::clock::Clock;
use booking_service::router::Settings;
use booking_service::{demo, serve};
use serde_json::{Value, json};

use crate::common::Service;

#[tokio::test]
async fn the_account_is_offered_without_lasting_secrets() {
    let service = Service::start().await;
    let account = service.get("/demo.json").await;
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
async fn other_pages_cannot_read_the_account() {
    let service = Service::start().await;
    let headers = [("origin".to_owned(), "https://shop.example".to_owned())];
    for (method, target) in [(Method::GET, "/demo.json"), (Method::POST, "/demo/token")] {
        let answer = service.call(method, target, &headers, None).await;
        assert_eq!(answer.status, 200);
        assert!(!answer.headers.contains_key("access-control-allow-origin"));
    }
}

#[tokio::test]
async fn data_of_others_gets_no_demo_credentials() {
    let directory = tempfile::tempdir().unwrap();
    let settings = Settings {
        base_url: "http://127.0.0.1:8080".into(),
        access_minutes: 60,
        demo: true,
        ..Settings::default()
    };
    let app = serve::open(directory.path(), Clock::system(), settings)
        .await
        .unwrap();
    let mut transaction = app.store.begin().await.unwrap();
    sqlx::raw_sql("INSERT INTO organizations (id, name, slug) VALUES (1, 'Real', 'real')")
        .execute(&mut *transaction)
        .await
        .unwrap();
    transaction.commit().await.unwrap();
    assert!(demo::prepare(&app, directory.path()).await.is_err());
    assert!(!directory.path().join(demo::FILE_NAME).exists());
}

#[tokio::test]
async fn without_demo_there_is_no_account() {
    let service = Service::start_with(false, 60).await;
    service
        .get("/demo.json")
        .await
        .refused(404, "NotFoundException");
    service
        .post("/demo/token", json!({}))
        .await
        .refused(404, "NotFoundException");
}

#[tokio::test]
async fn an_expired_token_can_be_renewed_once_by_the_stand_in_for_the_companys_server() {
    let service = Service::start_with(true, 0).await;
    let account = service.get("/demo.json").await;
    let bearer = |body: &Value| {
        (
            "authorization".to_owned(),
            format!("Bearer {}", body["accessToken"].as_str().unwrap()),
        )
    };
    let expired = service.get_as("/v2/me", bearer(&account.body)).await;
    expired.refused(498, "TokenExpiredException");
    let fresh = service.post("/demo/token", json!({})).await;
    assert_eq!(
        service.get_as("/v2/me", bearer(&fresh.body)).await.status,
        200
    );
}

#[tokio::test]
async fn a_long_list_holds_the_same_bookings_in_other_years() {
    let service = Service::start().await;
    for _ in 0..2 {
        demo::fill(&service.app, 2_000).await.unwrap();
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
async fn starting_again_keeps_the_data_and_the_lasting_credentials() {
    let service = Service::start().await;
    let bookings = service.count("bookings").await;
    service.app.clock.advance_minutes(3 * 24 * 60);
    let path = demo::prepare(&service.app, service.directory.path())
        .await
        .unwrap();
    let again: Value = serde_json::from_slice(&std::fs::read(&path).unwrap()).unwrap();
    assert_eq!(service.count("bookings").await, bookings);
    for key in ["apiKey", "userKey", "clientId", "clientSecret"] {
        assert_eq!(again[key], service.credentials[key], "{key}");
    }
    assert_ne!(again["accessToken"], service.credentials["accessToken"]);
    let token = format!("Bearer {}", again["accessToken"].as_str().unwrap());
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
async fn there_is_much_to_look_at_and_much_left_to_book() {
    let service = Service::start().await;
    let bookings = service.count("bookings").await;
    assert!((280..=330).contains(&bookings), "{bookings}");
    let mut db = service.app.store.read().await.unwrap();
    let statuses: Vec<(String, i64)> =
        sqlx::query_as("SELECT status, count(*) FROM bookings GROUP BY status ORDER BY 1")
            .fetch_all(&mut *db)
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
        statuses.iter().all(|(_, count)| *count >= 10),
        "{statuses:?}"
    );
    drop(db);
    for id in 1..=6 {
        let slots = service
            .get(&format!(
                "/v2/slots?eventTypeId={id}&start=2027-03-02&end=2027-03-31"
            ))
            .await;
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
