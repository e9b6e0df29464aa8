//! /v2/webhooks and the webhooks of event types, organizations and OAuth clients.

use axum::http::Method;
use booking_service::process::maintenance;
use serde_json::{Value, json};

use crate::common::{HOST, OTHER_HOST, Service, TestResponse, redact};

const PERSONAL: &str = "/v2/webhooks";

type Credentials = Vec<(String, String)>;

fn webhook_body(url: &str) -> Value {
    json!({"subscriberUrl": url, "triggers": ["BOOKING_CREATED", "MEETING_ENDED"], "active": true})
}

async fn call(
    service: &Service,
    method: Method,
    target: &str,
    credentials: &Credentials,
    body: Option<Value>,
) -> TestResponse {
    service.call(method, target, credentials, body).await
}

async fn patch(
    service: &Service,
    target: &str,
    credentials: &Credentials,
    body: Value,
) -> TestResponse {
    call(service, Method::PATCH, target, credentials, Some(body)).await
}

/// Every kind of webhook: collection path, credentials, and key and value of the owner.
async fn kinds(service: &Service) -> Vec<(String, Credentials, &'static str, Value)> {
    let personal = service.event_type("talk", json!({})).await;
    let team = service
        .event_type_of("team-talk", Some("roundRobin"), &[HOST], json!({}))
        .await;
    let client = service.secret("clientId");
    let secret = vec![(
        "x-svc-secret-key".to_owned(),
        service.secret("clientSecret"),
    )];
    let owner = vec![service.owner()];
    let host = vec![service.bearer_of(HOST).await];
    vec![
        (PERSONAL.into(), host.clone(), "userId", json!(HOST)),
        (
            format!("/v2/event-types/{personal}/webhooks"),
            host,
            "eventTypeId",
            json!(personal),
        ),
        (
            format!("/v2/event-types/{team}/webhooks"),
            owner.clone(),
            "eventTypeId",
            json!(team),
        ),
        (
            format!("/v2/teams/1/event-types/{team}/webhooks"),
            owner.clone(),
            "eventTypeId",
            json!(team),
        ),
        (
            "/v2/organizations/1/webhooks".into(),
            owner,
            "organizationId",
            json!(1),
        ),
        (
            format!("/v2/oauth-clients/{client}/webhooks"),
            secret,
            "oAuthClientId",
            json!(client),
        ),
    ]
}

#[tokio::test]
async fn webhook_of_every_kind_is_created_read_updated_and_deleted() {
    let service = Service::start().await;
    for (collection, credentials, key, owner) in kinds(&service).await {
        let mut body = webhook_body("https://example.org/hook?x=1");
        body["secret"] = json!("geheim");
        let created = call(
            &service,
            Method::POST,
            &collection,
            &credentials,
            Some(body),
        )
        .await;
        assert_eq!(created.status, 201, "{collection}: {}", created.text);
        let mut expected = json!({
            "id": "[id]",
            "subscriberUrl": "https://example.org/hook?x=1",
            "triggers": ["BOOKING_CREATED", "MEETING_ENDED"],
            "active": true,
            "secret": "geheim",
            "version": "2021-10-20",
        });
        expected[key] = if key == "eventTypeId" {
            json!("[eventTypeId]")
        } else {
            owner.clone()
        };
        if key == "organizationId" {
            expected["teamId"] = owner.clone();
        }
        assert_eq!(redact(created.data()), expected, "{collection}");
        assert_eq!(created.data()[key], owner);
        let one = format!("{collection}/{}", created.data()["id"].as_str().unwrap());

        let fetched = call(&service, Method::GET, &one, &credentials, None).await;
        assert_eq!(fetched.data(), created.data());
        let list = call(&service, Method::GET, &collection, &credentials, None).await;
        assert_eq!(list.data(), &json!([created.data()]), "{collection}");

        let change = json!({
            "active": false, "secret": null, "payloadTemplate": "a={{title}}",
            "triggers": ["OOO_CREATED"], "subscriberUrl": "http://example.org/",
        });
        let changed = patch(&service, &one, &credentials, change).await;
        let mut expected = created.data().clone();
        expected["active"] = json!(false);
        expected.as_object_mut().unwrap().remove("secret");
        expected["payloadTemplate"] = json!("a={{title}}");
        expected["triggers"] = json!(["OOO_CREATED"]);
        expected["subscriberUrl"] = json!("http://example.org/");
        assert_eq!(changed.data(), &expected);
        let same = patch(&service, &one, &credentials, json!({})).await;
        assert_eq!(same.data(), &expected);

        let deleted = call(&service, Method::DELETE, &one, &credentials, None).await;
        assert_eq!((deleted.status, deleted.data()), (200, &expected));
        for method in [Method::GET, Method::DELETE] {
            call(&service, method, &one, &credentials, None)
                .await
                .assert_error(404, "NotFoundException");
        }
    }
}

#[tokio::test]
async fn delete_of_collection_removes_only_its_webhooks() {
    let service = Service::start().await;
    let kinds = kinds(&service).await;
    for (collection, credentials, ..) in &kinds {
        for url in ["https://a.example", "https://b.example"] {
            let target = format!("{collection}?");
            let body = Some(webhook_body(&format!("{url}/{}", collection.len())));
            let created = call(&service, Method::POST, &target, credentials, body).await;
            assert_eq!(created.status, 201, "{}", created.text);
        }
    }
    let mut remaining = service.count("webhooks").await;
    assert_eq!(remaining, 12);
    for (at, deleted) in [(1, 2), (3, 4), (5, 2)] {
        let (collection, credentials, ..) = &kinds[at];
        let response = call(&service, Method::DELETE, collection, credentials, None).await;
        assert_eq!(
            response.data(),
            &json!(format!("{deleted} webhooks deleted"))
        );
        remaining -= deleted;
        assert_eq!(service.count("webhooks").await, remaining, "{collection}");
    }
    let own = call(&service, Method::DELETE, PERSONAL, &kinds[0].1, None).await;
    own.assert_error(405, "MethodNotAllowedException");
}

#[tokio::test]
async fn invalid_webhook_names_its_property() {
    let service = Service::start().await;
    let credentials = vec![service.bearer_of(HOST).await];
    let created = call(
        &service,
        Method::POST,
        PERSONAL,
        &credentials,
        Some(webhook_body("https://example.org")),
    )
    .await;
    let one = format!("{PERSONAL}/{}", created.data()["id"].as_str().unwrap());
    let url = "must be an absolute http or https address";
    for (key, value, message) in [
        ("subscriberUrl", json!("example.org"), url),
        ("subscriberUrl", json!("ftp://example.org"), url),
        ("subscriberUrl", json!("https://"), url),
        ("subscriberUrl", json!("http://exa mple.org"), url),
        ("subscriberUrl", json!("http://[::1"), url),
        (
            "subscriberUrl",
            json!(format!("https://e.org/{}", "x".repeat(2048))),
            url,
        ),
        ("subscriberUrl", json!(7), url),
        ("triggers", json!([]), "should not be empty"),
        ("triggers", json!("BOOKING_CREATED"), "must be an array"),
        (
            "triggers",
            json!(["OOO_CREATED", "OOO_CREATED"]),
            "must not hold anything twice",
        ),
        ("active", json!("yes"), "must be a boolean"),
        ("payloadTemplate", json!({}), "must be a string"),
        (
            "payloadTemplate",
            json!("x".repeat(10_001)),
            "must be at most 10000 characters long",
        ),
        (
            "payloadTemplate",
            json!("{{title}}".repeat(101)),
            "must hold at most 100 placeholders",
        ),
        (
            "payloadTemplate",
            json!("[{{payload}}, {{ payload }}]"),
            "must hold {{payload}} at most once: it stands for a whole object",
        ),
        (
            "payloadTemplate",
            json!("{{organizer}} {{payload.organizer}}"),
            "must hold {{payload.organizer}} at most once: it stands for a whole object",
        ),
        ("secret", json!(1), "must be a string"),
        (
            "secret",
            json!("x".repeat(1001)),
            "must be at most 1000 characters long",
        ),
        ("version", json!("2020-01-01"), "must be 2021-10-20"),
    ] {
        let mut body = webhook_body("https://example.org/other");
        body[key] = value.clone();
        let text = format!("{key} {message}");
        let response = call(&service, Method::POST, PERSONAL, &credentials, Some(body)).await;
        assert_eq!(
            response.assert_error(400, "BadRequestException"),
            text,
            "{value}"
        );
        let response = patch(&service, &one, &credentials, json!({key: value})).await;
        assert_eq!(response.assert_error(400, "BadRequestException"), text);
    }
    let mut body = webhook_body("https://example.org/other");
    body["triggers"] = json!([
        "BOOKING_CREATED",
        "FORM_SUBMITTED_NO_EVENT",
        "BOOKING_DREAMT"
    ]);
    let response = call(&service, Method::POST, PERSONAL, &credentials, Some(body)).await;
    let text = response.assert_error(400, "BadRequestException");
    assert!(text.starts_with("triggers must hold nothing but BOOKING_CREATED, "));
    let empty = call(
        &service,
        Method::POST,
        PERSONAL,
        &credentials,
        Some(json!({})),
    )
    .await;
    let mut named: Vec<String> = empty
        .constraints()
        .into_iter()
        .map(|(key, _)| key)
        .collect();
    named.sort();
    assert_eq!(named, ["active", "subscriberUrl", "triggers"]);
    let invalid = call(
        &service,
        Method::GET,
        &format!("{PERSONAL}?take=0&x=1"),
        &credentials,
        None,
    )
    .await;
    assert_eq!(invalid.constraints().len(), 1);
    assert_eq!(service.count("webhooks").await, 1);
}

#[tokio::test]
async fn duplicate_url_returns_409_and_webhooks_are_limited() {
    let service = Service::start().await;
    let host = vec![service.bearer_of(HOST).await];
    let other = vec![service.bearer_of(OTHER_HOST).await];
    let post = async |credentials, url: &str| {
        call(
            &service,
            Method::POST,
            PERSONAL,
            credentials,
            Some(webhook_body(url)),
        )
        .await
    };
    assert_eq!(post(&host, "https://a.example").await.status, 201);
    post(&host, "https://a.example")
        .await
        .assert_error(409, "ConflictException");
    assert_eq!(post(&other, "https://a.example").await.status, 201);
    let second = post(&host, "https://b.example").await;
    let one = format!("{PERSONAL}/{}", second.data()["id"].as_str().unwrap());
    let change = json!({"subscriberUrl": "https://a.example"});
    patch(&service, &one, &host, change)
        .await
        .assert_error(409, "ConflictException");
    for number in 2..50 {
        let created = post(&host, &format!("https://c.example/{number}")).await;
        assert_eq!(created.status, 201);
    }
    let refused = post(&host, "https://c.example/50").await;
    assert!(
        refused
            .assert_error(400, "BadRequestException")
            .contains("50")
    );
    let page = call(
        &service,
        Method::GET,
        &format!("{PERSONAL}?take=2&skip=1"),
        &host,
        None,
    )
    .await;
    assert_eq!(page.data().as_array().unwrap().len(), 2);
}

#[tokio::test]
async fn webhook_is_accessible_only_to_its_owner() {
    let service = Service::start().await;
    let stranger = vec![service.bearer_of(OTHER_HOST).await];
    let anonymous = Vec::new();
    let wrong = vec![("x-svc-secret-key".to_owned(), "wrong".to_owned())];
    for (collection, credentials, key, _) in kinds(&service).await {
        let body = Some(webhook_body("https://example.org"));
        let created = call(
            &service,
            Method::POST,
            &collection,
            &credentials,
            body.clone(),
        )
        .await;
        let one = format!("{collection}/{}", created.data()["id"].as_str().unwrap());
        let deliveries = format!("{one}/deliveries");
        let resend = format!("{deliveries}/unknown/resend");
        for (method, target, status) in [
            (Method::GET, &deliveries, 200),
            (Method::POST, &resend, 404),
        ] {
            let response = call(&service, method, target, &credentials, None).await;
            assert_eq!(response.status, status, "{target}: {}", response.text);
        }
        for (method, target, body) in [
            (Method::GET, &collection, None),
            (Method::POST, &collection, body),
            (Method::GET, &one, None),
            (Method::GET, &deliveries, None),
            (Method::POST, &resend, None),
            (Method::PATCH, &one, Some(json!({}))),
            (Method::DELETE, &one, None),
        ] {
            let send = async |credentials| {
                call(&service, method.clone(), target, credentials, body.clone()).await
            };
            send(&anonymous)
                .await
                .assert_error(401, "UnauthorizedException");
            let response = send(&stranger).await;
            match key {
                "oAuthClientId" => {
                    response.assert_error(401, "UnauthorizedException");
                    send(&wrong)
                        .await
                        .assert_error(401, "UnauthorizedException");
                }
                // Each user has a separate list; webhooks of others are not found.
                "userId" if target == PERSONAL => assert!(response.status < 300),
                "userId" => {
                    response.assert_error(404, "NotFoundException");
                }
                _ => {
                    response.assert_error(403, "ForbiddenException");
                }
            }
        }
        call(&service, Method::DELETE, &one, &credentials, None)
            .await
            .data();
    }
}

#[tokio::test]
async fn token_without_apps_scope_returns_403() {
    let service = Service::start().await;
    let credentials = vec![service.bearer_of(HOST).await];
    service
        .sql("UPDATE oauth_clients SET scopes = '[\"APPS_READ\", \"BOOKING_WRITE\"]'")
        .await;
    let list = call(&service, Method::GET, PERSONAL, &credentials, None).await;
    assert_eq!(list.data(), &json!([]));
    let body = Some(webhook_body("https://example.org"));
    call(&service, Method::POST, PERSONAL, &credentials, body)
        .await
        .assert_error(403, "ForbiddenException");
    let deliveries = format!("{PERSONAL}/unknown/deliveries");
    let resend = format!("{deliveries}/unknown/resend");
    for (method, target, status) in [(Method::GET, deliveries, 404), (Method::POST, resend, 403)] {
        let response = call(&service, method, &target, &credentials, None).await;
        assert_eq!(response.status, status, "{target}: {}", response.text);
    }
}

#[tokio::test]
async fn unknown_or_foreign_webhook_returns_404() {
    let service = Service::start().await;
    let hidden = service.event_type("hidden", json!({"hidden": true})).await;
    let team = service
        .event_type_of("team-talk", Some("collective"), &[HOST], json!({}))
        .await;
    service
        .sql(
            "INSERT INTO organizations (id, name, slug) VALUES (2, 'Other', 'other');
             INSERT INTO teams (id, organization_id, name, slug) VALUES (2, 2, 'Other', 'other');
             INSERT INTO memberships (team_id, user_id, role, accepted) VALUES (2, 101, 'OWNER', 1)",
        )
        .await;
    let owner = vec![service.owner()];
    let stranger = vec![service.bearer_of(OTHER_HOST).await];
    for (target, credentials) in [
        (format!("{PERSONAL}/no-such-id"), &owner),
        ("/v2/event-types/999999/webhooks".into(), &owner),
        (format!("/v2/event-types/{hidden}/webhooks"), &stranger),
        ("/v2/teams/999/event-types/1/webhooks".into(), &owner),
        (format!("/v2/teams/1/event-types/{hidden}/webhooks"), &owner),
        (
            format!("/v2/teams/2/event-types/{team}/webhooks"),
            &stranger,
        ),
        ("/v2/organizations/999/webhooks".into(), &owner),
    ] {
        call(&service, Method::GET, &target, credentials, None)
            .await
            .assert_error(404, "NotFoundException");
    }
    call(
        &service,
        Method::GET,
        "/v2/event-types/x/webhooks",
        &owner,
        None,
    )
    .await
    .assert_error(400, "BadRequestException");
}

#[tokio::test]
async fn webhook_secret_is_not_in_database_files() {
    let service = Service::start().await;
    let credentials = vec![service.bearer_of(HOST).await];
    let mut body = webhook_body("https://example.org/findable-address");
    body["secret"] = json!("a-secret-that-nobody-may-find");
    call(&service, Method::POST, PERSONAL, &credentials, Some(body))
        .await
        .data();
    let mut found = 0;
    for file in std::fs::read_dir(service.directory.path()).unwrap() {
        let path = file.unwrap().path();
        if path.is_file() {
            let bytes = std::fs::read(path).unwrap();
            let contains = |text: &str| {
                bytes
                    .windows(text.len())
                    .any(|part| part == text.as_bytes())
            };
            assert!(!contains("a-secret-that-nobody-may-find"));
            found += usize::from(contains("findable-address"));
        }
    }
    assert!(found > 0);
}

#[tokio::test]
async fn waiting_deliveries_are_removed_when_webhook_is_deleted_or_inactive() {
    let service = Service::start().await;
    let credentials = vec![service.bearer_of(HOST).await];
    let body = Some(webhook_body("https://example.org"));
    let created = call(&service, Method::POST, PERSONAL, &credentials, body).await;
    let id = created.data()["id"].as_str().unwrap();
    let one = format!("{PERSONAL}/{id}");
    let queue_delivery = async || {
        service
            .sql(&format!(
                "INSERT INTO webhook_deliveries (webhook_id, trigger_name, about, body, content_type, created_ms, due_ms)
                 VALUES ('{id}', 'BOOKING_CREATED', 'a', '{{}}', 'application/json', 0, 0)"
            ))
            .await;
    };
    queue_delivery().await;
    patch(&service, &one, &credentials, json!({"active": true}))
        .await
        .data();
    maintenance::round(&service.app).await.unwrap();
    assert_eq!(service.count("webhook_deliveries").await, 1);
    patch(&service, &one, &credentials, json!({"active": false}))
        .await
        .data();
    maintenance::round(&service.app).await.unwrap();
    assert_eq!(service.count("webhook_deliveries").await, 0);
    queue_delivery().await;
    call(&service, Method::DELETE, &one, &credentials, None)
        .await
        .data();
    assert_eq!(service.count("webhook_deliveries").await, 0);
}
