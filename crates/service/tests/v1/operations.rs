//! Runs the test cases of all operations: valid requests, and each kind of failing request.

use std::collections::BTreeSet;

use booking_service::http::v1;
use serde_json::{Value, json};

use crate::app::{STRANGER, TestApp};
use crate::cases::{Case, cases};
use crate::common::TestResponse;

impl Case {
    fn method(&self) -> &'static str {
        self.name.split(' ').next().unwrap()
    }

    async fn call(&self, app: &TestApp, user_id: i64) -> TestResponse {
        let (target, body) = ((self.target)(app), (self.body)(app));
        app.request(user_id, self.method(), &target, body).await
    }
}

#[test]
fn test_cases_cover_all_operations() {
    let served: BTreeSet<String> = v1::table::operations()
        .map(|operation| format!("{} {}", operation.rule.method, operation.rule.path))
        .collect();
    let covered: BTreeSet<String> = cases().map(|case| case.name.to_owned()).collect();
    assert_eq!(covered.len(), cases().count(), "a case stands twice");
    assert_eq!(
        v1::table::operations().count(),
        served.len(),
        "an operation stands twice"
    );
    assert_eq!(covered, served);
}

#[tokio::test]
async fn valid_request_returns_200_and_deprecation_headers() {
    for case in cases() {
        let app = TestApp::new().await;
        let response = case.call(&app, case.caller_id).await;
        let name = case.name;
        assert_eq!(response.status, 200, "{name}: {}", response.text);
        match case.wrapper {
            "" => assert!(response.body.is_array(), "{name}: {}", response.text),
            wrapper => assert!(
                !response.body[wrapper].is_null(),
                "{name}: {}",
                response.text
            ),
        }
        if case.method() == "POST" && case.name != "POST /v1/bookings" {
            assert!(
                response.body["message"].is_string(),
                "{name}: {}",
                response.text
            );
        }
        let header = |name: &str| response.headers[name].to_str().unwrap();
        assert!(header("deprecation").starts_with('@'), "{name}");
        assert!(header("link").starts_with("</v2/"), "{name}");
        assert!(
            header("link").ends_with(">; rel=\"successor-version\""),
            "{name}"
        );
        assert!(!header("link").contains('{'), "{name}");
        assert!(response.headers.contains_key("x-request-id"), "{name}");
    }
}

#[tokio::test]
async fn request_without_valid_api_key_returns_401() {
    let app = TestApp::new().await;
    let before = app.database_dump().await;
    for case in cases() {
        let (target, body) = ((case.target)(&app), (case.body)(&app));
        let without_key = app
            .request_with_key(None, case.method(), &target, body.clone())
            .await;
        assert_eq!(
            without_key.body,
            json!({"message": "No apiKey provided"}),
            "{}",
            case.name
        );
        assert_eq!(without_key.status, 401, "{}", case.name);
        for wrong_key in ["svc_0123456789", "0123456789", "svc_"] {
            let response = app
                .request_with_key(Some(wrong_key), case.method(), &target, body.clone())
                .await;
            assert_eq!(response.status, 401, "{}", case.name);
            assert_eq!(
                response.body,
                json!({"error": "unknown API key"}),
                "{}",
                case.name
            );
        }
    }
    assert_eq!(app.database_dump().await, before);
}

#[tokio::test]
async fn foreign_resource_is_not_accessible() {
    let app = TestApp::new().await;
    let before = app.database_dump().await;
    let mut accessible = Vec::new();
    for case in cases() {
        match case.forbidden {
            Some((target, body, status)) => {
                let response = app
                    .request(STRANGER, case.method(), &target(&app), body(&app))
                    .await;
                if response.status != status {
                    accessible.push(format!(
                        "{}: {} {}",
                        case.name, response.status, response.text
                    ));
                }
            }
            None => assert_only_own_resources(&app, case).await,
        }
    }
    assert!(accessible.is_empty(), "{accessible:#?}");
    assert_eq!(app.database_dump().await, before);
}

/// Asserts that an operation open to every user returns only resources of the caller.
async fn assert_only_own_resources(app: &TestApp, case: &Case) {
    let response = case.call(app, STRANGER).await;
    assert_eq!(response.status, 200, "{}: {}", case.name, response.text);
    match case.name {
        "GET /v1/payments" | "GET /v1/teams" => {
            assert_eq!(response.body[case.wrapper], json!([]), "{}", case.name);
        }
        "GET /v1/users" => {
            assert_eq!(response.body["total"], 1);
            assert_eq!(response.body["users"][0]["id"], STRANGER);
        }
        "GET /v1/users/{userId}" => assert_eq!(response.body["user"]["id"], STRANGER),
        "GET /v1/slots" => assert!(response.body["slots"].is_object()),
        other => panic!("{other} has no case of a stranger"),
    }
}

#[tokio::test]
async fn missing_resource_is_rejected() {
    let app = TestApp::new().await;
    let before = app.database_dump().await;
    for case in cases() {
        let Some((target, body, status)) = case.not_found else {
            // Operations on collections have no missing resource.
            assert!(
                !case.name.contains('{') || case.name == "GET /v1/users/{userId}",
                "{}",
                case.name
            );
            continue;
        };
        let response = app
            .request(case.caller_id, case.method(), &target(&app), body(&app))
            .await;
        assert_eq!(response.status, status, "{}: {}", case.name, response.text);
        response.assert_v1_error(status);
    }
    assert_eq!(app.database_dump().await, before);
}

#[tokio::test]
async fn invalid_body_returns_400_and_changes_nothing() {
    let app = TestApp::new().await;
    let before = app.database_dump().await;
    let mut accepted = Vec::new();
    for case in cases() {
        let bodies = (case.invalid_bodies)(&app);
        let takes_body = matches!(case.method(), "POST" | "PATCH");
        assert_eq!(takes_body, !bodies.is_empty(), "{}", case.name);
        for body in bodies {
            let target = (case.target)(&app);
            let response = app
                .request(case.caller_id, case.method(), &target, body.clone())
                .await;
            if response.status != 400 {
                accepted.push(format!(
                    "{} {body}: {} {}",
                    case.name, response.status, response.text
                ));
                continue;
            }
            response.assert_v1_error(400);
            if body.get("unheardOf").is_some() {
                assert!(
                    response.invalid_properties().contains(&"unheardOf"),
                    "{}",
                    response.text
                );
            }
        }
        if takes_body {
            for body in [json!([]), json!("x"), json!(null)] {
                let target = (case.target)(&app);
                let response = app
                    .send_text(case.caller_id, case.method(), &target, &body.to_string())
                    .await;
                assert_eq!(
                    response.status, 400,
                    "{} {body}: {}",
                    case.name, response.text
                );
            }
            let response = app
                .send_text(case.caller_id, case.method(), &(case.target)(&app), "{")
                .await;
            assert_eq!(response.status, 400, "{}: {}", case.name, response.text);
        }
    }
    assert!(accepted.is_empty(), "{accepted:#?}");
    assert_eq!(app.database_dump().await, before);
}

#[tokio::test]
async fn missing_required_property_is_named_in_error() {
    let app = TestApp::new().await;
    for operation in v1::table::operations() {
        let Some(input) = &operation.input else {
            continue;
        };
        let name = format!("{} {}", operation.rule.method, operation.rule.path);
        let case = cases().find(|case| case.name == name).unwrap();
        for key in input.required {
            let mut body = (case.body)(&app);
            body.as_object_mut().unwrap().remove(*key);
            let target = (case.target)(&app);
            let response = app
                .request(case.caller_id, case.method(), &target, body)
                .await;
            assert_eq!(
                response.status, 400,
                "{name} without {key}: {}",
                response.text
            );
            assert!(
                response.invalid_properties().contains(key),
                "{name}: {}",
                response.text
            );
        }
    }
}

#[tokio::test]
async fn null_for_non_nullable_property_returns_400() {
    let app = TestApp::new().await;
    let document = app.service.get("/v1/openapi.json").await.body;
    let before = app.database_dump().await;
    let mut checked = 0;
    for case in cases() {
        let (method, path) = case.name.split_once(' ').unwrap();
        let body = &document["paths"][path][method.to_lowercase()]["requestBody"];
        let schema = &body["content"]["application/json"]["schema"]["properties"];
        for (key, property) in schema.as_object().into_iter().flatten() {
            if property.to_string().contains("\"null\"") {
                continue;
            }
            let mut body = (case.body)(&app);
            body[key] = Value::Null;
            let target = (case.target)(&app);
            let response = app.request(case.caller_id, method, &target, body).await;
            assert_eq!(
                response.status, 400,
                "{} {key}: {}",
                case.name, response.text
            );
            assert!(
                response.invalid_properties().contains(&key.as_str()),
                "{}",
                response.text
            );
            checked += 1;
        }
    }
    assert!(checked > 100, "{checked}");
    assert_eq!(app.database_dump().await, before);
}

#[tokio::test]
async fn unsupported_method_returns_405_with_allow_header() {
    let app = TestApp::new().await;
    for case in cases() {
        let target = (case.target)(&app);
        let response = app.request(case.caller_id, "PUT", &target, json!({})).await;
        response.assert_v1_error(405);
        let allowed = response.headers["allow"].to_str().unwrap();
        assert!(
            allowed.split(',').any(|method| method == case.method()),
            "{}: {allowed}",
            case.name
        );
    }
}

#[tokio::test]
async fn unknown_query_parameter_returns_400() {
    let app = TestApp::new().await;
    for case in cases() {
        let target = (case.target)(&app);
        let separator = if target.contains('?') { '&' } else { '?' };
        let target = format!("{target}{separator}unheardOf=1");
        let response = app
            .request(case.caller_id, case.method(), &target, (case.body)(&app))
            .await;
        assert_eq!(response.status, 400, "{}: {}", case.name, response.text);
        assert_eq!(
            response.invalid_properties(),
            ["unheardOf"],
            "{}",
            case.name
        );
    }
}

impl TestApp {
    async fn send_text(
        &self,
        user_id: i64,
        method: &str,
        target: &str,
        text: &str,
    ) -> TestResponse {
        let separator = if target.contains('?') { '&' } else { '?' };
        let request = axum::http::Request::builder()
            .method(method)
            .uri(format!(
                "{target}{separator}apiKey={}",
                crate::app::key(user_id)
            ))
            .header("content-type", "application/json")
            .body(axum::body::Body::from(text.to_owned()))
            .unwrap();
        self.service.send(request).await
    }
}

#[tokio::test]
async fn lists_contain_created_resources() {
    let app = TestApp::new().await;
    for (target, key, id) in [
        ("/v1/attendees", "attendees", json!(app.attendee)),
        (
            "/v1/booking-references",
            "booking_references",
            json!(app.reference),
        ),
        (
            "/v1/destination-calendars",
            "destinationCalendars",
            json!(app.destination),
        ),
        ("/v1/event-types", "event_types", json!(app.event_type)),
        ("/v1/payments", "payments", json!(app.payment)),
        ("/v1/schedules", "schedules", json!(app.schedule)),
        ("/v1/teams", "teams", json!(app.team)),
        ("/v1/webhooks", "webhooks", json!(app.webhook)),
    ] {
        let response = app.get(crate::app::OWNER, target).await;
        let list: &Vec<Value> = response.wrapped(key).as_array().unwrap();
        assert!(
            list.iter().any(|item| item["id"] == id),
            "{target}: {}",
            response.text
        );
    }
}
