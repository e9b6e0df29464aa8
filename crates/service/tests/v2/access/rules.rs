//! Access rules of all operations: complete, and enforced.

use std::collections::BTreeSet;

use axum::http::Method;
use booking_service::auth::access::{Requirement, Rule};
use booking_service::http::openapi::access_rules;
use booking_store_engine::sql;
use serde_json::{Value, json};

use crate::common::{HOST, Service, TestResponse};

async fn documented_operations(service: &Service) -> BTreeSet<String> {
    let document = service.get("/v2/openapi.json").await.body;
    let paths = document["paths"].as_object().unwrap();
    paths
        .iter()
        .flat_map(|(path, item)| {
            let methods = item.as_object().unwrap().keys();
            methods.map(move |method| format!("{} {path}", method.to_uppercase()))
        })
        .filter(|operation| operation.contains(" /v2/"))
        .collect()
}

fn name(rule: &Rule) -> String {
    format!("{} {}", rule.method, rule.path)
}

/// Returns a path of an existing resource that is neither public nor owned by the test hosts.
async fn target(service: &Service, rule: &Rule) -> String {
    let mut db = service.app.store.read().await.unwrap();
    let booking: String = sql::query_scalar(
        "SELECT uid FROM bookings WHERE team_id = 1 AND status = 'accepted' ORDER BY start_ms DESC LIMIT 1",
    )
    .fetch_one(&mut db)
    .await
    .unwrap();
    let event_type: i64 = sql::query_scalar("SELECT id FROM event_types WHERE team_id = 1 LIMIT 1")
        .fetch_one(&mut db)
        .await
        .unwrap();
    let mut path = rule.path.to_owned();
    for (parameter, value) in [
        ("orgId", "1".to_owned()),
        ("teamId", "1".to_owned()),
        ("eventTypeId", event_type.to_string()),
        ("bookingUid", booking),
        ("attendeeId", "1".to_owned()),
        ("roleId", "owner_role".to_owned()),
        ("permission", "role.read".to_owned()),
        ("membershipId", "1".to_owned()),
        ("userId", "1".to_owned()),
        ("oooId", "1".to_owned()),
        ("scheduleId", "1".to_owned()),
        ("webhookId", "unknown".to_owned()),
        ("deliveryId", "unknown".to_owned()),
        ("clientId", service.secret("clientId")),
        ("seatUid", "unknown".to_owned()),
        ("reservationUid", "unknown".to_owned()),
        ("emailId", "1".to_owned()),
    ] {
        path = path.replace(&format!("{{{parameter}}}"), &value);
    }
    assert!(!path.contains('{'), "{path} needs a value here");
    path
}

/// Returns a valid body where an empty one would be rejected before authorization.
fn body(rule: &Rule) -> Value {
    let person = json!({"email": "sam@example.org", "name": "Sam", "timeZone": "UTC"});
    match rule.path.rsplit('/').next().unwrap_or_default() {
        "mark-absent" => json!({"host": true}),
        "guests" => json!({"guests": [{"email": "sam@example.org"}]}),
        "attendees" => person,
        "location" => json!({"location": {"type": "link", "link": "https://example.org/room"}}),
        "ooo" => json!({"start": "2027-04-01T00:00:00Z", "end": "2027-04-02T23:59:59Z"}),
        "webhooks" => json!({
            "subscriberUrl": "https://example.org/hook", "triggers": ["BOOKING_CREATED"], "active": true,
        }),
        "event-types" => {
            json!({"title": "T", "slug": "t", "lengthInMinutes": 30, "schedulingType": "collective"})
        }
        _ => json!({}),
    }
}

async fn call(service: &Service, rule: &Rule, headers: &[(String, String)]) -> TestResponse {
    let target = target(service, rule).await;
    let method = Method::from_bytes(rule.method.as_bytes()).unwrap();
    let body = matches!(rule.method, "POST" | "PATCH" | "PUT").then(|| body(rule));
    service.call(method, &target, headers, body).await
}

#[tokio::test]
async fn access_rules_cover_all_documented_operations() {
    let service = Service::start().await;
    let documented_operations = documented_operations(&service).await;
    let ruled: BTreeSet<String> = access_rules().iter().map(name).collect();
    assert_eq!(
        ruled.len(),
        access_rules().len(),
        "an operation is listed twice"
    );
    let without_rule: Vec<_> = documented_operations.difference(&ruled).collect();
    assert!(without_rule.is_empty(), "without a rule: {without_rule:#?}");
    let without_route: Vec<_> = ruled.difference(&documented_operations).collect();
    assert!(
        without_route.is_empty(),
        "without a route: {without_route:#?}"
    );
}

#[tokio::test]
async fn guarded_operation_without_credentials_returns_401() {
    let service = Service::start().await;
    let wrong_secret = [("x-svc-secret-key".to_owned(), "wrong".to_owned())];
    for rule in access_rules() {
        if rule.requirement == Requirement::Nothing {
            continue;
        }
        let anonymous = call(&service, rule, &[]).await;
        assert_eq!(anonymous.status, 401, "{}: {}", name(rule), anonymous.text);
        if rule.requirement == Requirement::Client {
            let guessed = call(&service, rule, &wrong_secret).await;
            assert_eq!(guessed.status, 401, "{}: {}", name(rule), guessed.text);
        }
    }
}

#[tokio::test]
async fn resource_of_other_user_is_not_accessible() {
    let service = Service::start().await;
    let stranger = [service.bearer_of(HOST).await];
    let mut accessible = Vec::new();
    for rule in access_rules() {
        let is_guarded = match rule.requirement {
            Requirement::Nothing | Requirement::Client => false,
            // Without an id, the operation acts on resources of the caller.
            Requirement::Caller => rule.path.contains('{'),
            _ => true,
        };
        if is_guarded {
            let response = call(&service, rule, &stranger).await;
            if !matches!(response.status, 403 | 404) {
                accessible.push(format!(
                    "{}: {} {}",
                    name(rule),
                    response.status,
                    response.text
                ));
            }
        }
    }
    assert!(accessible.is_empty(), "{accessible:#?}");
}

#[tokio::test]
async fn token_without_required_scope_returns_403() {
    let service = Service::start().await;
    let lacks_scope = |response: &TestResponse| {
        let message = &response.body["error"]["message"];
        response.status == 403
            && message
                .as_str()
                .is_some_and(|text| text.contains("lacks the scope"))
    };
    let scopes: BTreeSet<&str> = access_rules()
        .iter()
        .filter_map(|rule| rule.scope)
        .collect();
    for granted in scopes {
        let other_scopes = scopes_except(granted);
        service
            .sql(&format!(
                "UPDATE oauth_clients SET scopes = '{other_scopes}'"
            ))
            .await;
        for rule in access_rules() {
            if rule.scope == Some(granted) {
                let manager = [service.manager()];
                let response = call(&service, rule, &manager).await;
                assert!(
                    lacks_scope(&response),
                    "{}: {} {}",
                    name(rule),
                    response.status,
                    response.text
                );
            }
        }
        // The scope alone is sufficient to read.
        service
            .sql(&format!(
                "UPDATE oauth_clients SET scopes = '[\"{granted}\"]'"
            ))
            .await;
        for rule in access_rules() {
            if rule.scope == Some(granted) && rule.method == "GET" {
                let response = call(&service, rule, &[service.manager()]).await;
                assert!(!lacks_scope(&response), "{}: {}", name(rule), response.text);
            }
        }
    }
}

fn scopes_except(granted: &str) -> Value {
    let all: BTreeSet<&str> = access_rules()
        .iter()
        .filter_map(|rule| rule.scope)
        .collect();
    all.into_iter().filter(|scope| *scope != granted).collect()
}
