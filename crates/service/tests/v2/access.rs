//! Every operation against the table of access: none is missing, none is open that should not be.

use std::collections::BTreeSet;

use axum::http::Method;
use booking_service::auth::access::{Needs, Rule, TABLE};
use serde_json::{Value, json};

use crate::common::{Answer, HOST, Service};

async fn described(service: &Service) -> BTreeSet<String> {
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

/// A path of something that exists and is neither of the public nor of a stranger.
async fn target(service: &Service, rule: &Rule) -> String {
    let mut db = service.app.store.read().await.unwrap();
    let booking: String = sqlx::query_scalar(
        "SELECT uid FROM bookings WHERE team_id = 1 AND status = 'accepted' ORDER BY start_ms DESC LIMIT 1",
    )
    .fetch_one(&mut *db)
    .await
    .unwrap();
    let event_type: i64 =
        sqlx::query_scalar("SELECT id FROM event_types WHERE team_id = 1 LIMIT 1")
            .fetch_one(&mut *db)
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
        ("clientId", service.secret("clientId")),
        ("seatUid", "unknown".to_owned()),
        ("reservationUid", "unknown".to_owned()),
    ] {
        path = path.replace(&format!("{{{parameter}}}"), &value);
    }
    assert!(!path.contains('{'), "{path} needs a value here");
    path
}

/// A sound body, where an empty one would be refused before it is known whose the object is.
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

async fn call(service: &Service, rule: &Rule, headers: &[(String, String)]) -> Answer {
    let target = target(service, rule).await;
    let method = Method::from_bytes(rule.method.as_bytes()).unwrap();
    let body = matches!(rule.method, "POST" | "PATCH" | "PUT").then(|| body(rule));
    service.call(method, &target, headers, body).await
}

#[tokio::test]
async fn the_table_and_the_document_name_the_same_operations() {
    let service = Service::start().await;
    let described = described(&service).await;
    let listed: BTreeSet<String> = TABLE.iter().map(name).collect();
    assert_eq!(listed.len(), TABLE.len(), "an operation is listed twice");
    let unlisted: Vec<_> = described.difference(&listed).collect();
    assert!(unlisted.is_empty(), "without a rule: {unlisted:#?}");
    let missing: Vec<_> = listed.difference(&described).collect();
    assert!(missing.is_empty(), "without a route: {missing:#?}");
}

#[tokio::test]
async fn a_guarded_operation_asks_for_credentials() {
    let service = Service::start().await;
    let wrong = [("x-svc-secret-key".to_owned(), "wrong".to_owned())];
    for rule in TABLE {
        if rule.needs == Needs::Nothing {
            continue;
        }
        let anonymous = call(&service, rule, &[]).await;
        assert_eq!(anonymous.status, 401, "{}: {}", name(rule), anonymous.text);
        if rule.needs == Needs::Client {
            let guessed = call(&service, rule, &wrong).await;
            assert_eq!(guessed.status, 401, "{}: {}", name(rule), guessed.text);
        }
    }
}

#[tokio::test]
async fn a_stranger_is_refused_wherever_an_object_is_somebodys() {
    let service = Service::start().await;
    let stranger = [service.bearer_of(HOST).await];
    let mut open = Vec::new();
    for rule in TABLE {
        let is_guarded = match rule.needs {
            Needs::Nothing | Needs::Client => false,
            // Without an id it acts on what is the caller's own.
            Needs::Caller => rule.path.contains('{'),
            _ => true,
        };
        if is_guarded {
            let answer = call(&service, rule, &stranger).await;
            if !matches!(answer.status, 403 | 404) {
                open.push(format!("{}: {} {}", name(rule), answer.status, answer.text));
            }
        }
    }
    assert!(open.is_empty(), "{open:#?}");
}

#[tokio::test]
async fn a_token_opens_nothing_beyond_its_clients_scopes() {
    let service = Service::start().await;
    let lacks = |answer: &Answer| {
        let message = &answer.body["error"]["message"];
        answer.status == 403
            && message
                .as_str()
                .is_some_and(|text| text.contains("lacks the scope"))
    };
    let scopes: BTreeSet<&str> = TABLE.iter().filter_map(|rule| rule.scope).collect();
    for granted in scopes {
        let others = scopes_but(granted);
        service
            .sql(&format!("UPDATE oauth_clients SET scopes = '{others}'"))
            .await;
        for rule in TABLE {
            if rule.scope == Some(granted) {
                let manager = [service.manager()];
                let answer = call(&service, rule, &manager).await;
                assert!(
                    lacks(&answer),
                    "{}: {} {}",
                    name(rule),
                    answer.status,
                    answer.text
                );
            }
        }
        // Enough for reading where nothing but the scope is asked for.
        service
            .sql(&format!(
                "UPDATE oauth_clients SET scopes = '[\"{granted}\"]'"
            ))
            .await;
        for rule in TABLE {
            if rule.scope == Some(granted) && rule.method == "GET" {
                let answer = call(&service, rule, &[service.manager()]).await;
                assert!(!lacks(&answer), "{}: {}", name(rule), answer.text);
            }
        }
    }
}

fn scopes_but(granted: &str) -> Value {
    let all: BTreeSet<&str> = TABLE.iter().filter_map(|rule| rule.scope).collect();
    all.into_iter().filter(|scope| *scope != granted).collect()
}
