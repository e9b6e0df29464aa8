//! Every operation, called well and badly.

use std::collections::BTreeSet;

use booking_service::v1;
use serde_json::{Value, json};

use crate::cases::{Case, cases};
use crate::common::Answer;
use crate::world::{STRANGER, World};

impl Case {
    fn method(&self) -> &'static str {
        self.name.split(' ').next().unwrap()
    }

    async fn call(&self, world: &World, user_id: i64) -> Answer {
        let (target, body) = ((self.target)(world), (self.body)(world));
        world.ask(user_id, self.method(), &target, body).await
    }
}

#[test]
fn the_cases_and_the_service_name_the_same_operations() {
    let served: BTreeSet<String> = v1::table::operations()
        .map(|operation| format!("{} {}", operation.rule.method, operation.rule.path))
        .collect();
    let named: BTreeSet<String> = cases().map(|case| case.name.to_owned()).collect();
    assert_eq!(named.len(), cases().count(), "a case stands twice");
    assert_eq!(
        v1::table::operations().count(),
        served.len(),
        "an operation stands twice"
    );
    assert_eq!(named, served);
}

#[tokio::test]
async fn every_operation_does_what_it_is_for() {
    for case in cases() {
        let world = World::new().await;
        let answer = case.call(&world, case.by).await;
        let name = case.name;
        assert_eq!(answer.status, 200, "{name}: {}", answer.text);
        match case.wrapper {
            "" => assert!(answer.body.is_array(), "{name}: {}", answer.text),
            wrapper => assert!(!answer.body[wrapper].is_null(), "{name}: {}", answer.text),
        }
        if case.method() == "POST" && case.name != "POST /v1/bookings" {
            assert!(
                answer.body["message"].is_string(),
                "{name}: {}",
                answer.text
            );
        }
        let header = |name: &str| answer.headers[name].to_str().unwrap();
        assert!(header("deprecation").starts_with('@'), "{name}");
        assert!(header("link").starts_with("</v2/"), "{name}");
        assert!(
            header("link").ends_with(">; rel=\"successor-version\""),
            "{name}"
        );
        assert!(!header("link").contains('{'), "{name}");
        assert!(answer.headers.contains_key("x-request-id"), "{name}");
    }
}

#[tokio::test]
async fn nobody_is_let_in_without_a_key() {
    let world = World::new().await;
    let before = world.stored().await;
    for case in cases() {
        let (target, body) = ((case.target)(&world), (case.body)(&world));
        let none = world
            .ask_with(None, case.method(), &target, body.clone())
            .await;
        assert_eq!(
            none.body,
            json!({"message": "No apiKey provided"}),
            "{}",
            case.name
        );
        assert_eq!(none.status, 401, "{}", case.name);
        for wrong in ["svc_0123456789", "0123456789", "svc_"] {
            let answer = world
                .ask_with(Some(wrong), case.method(), &target, body.clone())
                .await;
            assert_eq!(answer.status, 401, "{}", case.name);
            assert_eq!(
                answer.body,
                json!({"error": "unknown API key"}),
                "{}",
                case.name
            );
        }
    }
    assert_eq!(world.stored().await, before);
}

#[tokio::test]
async fn a_stranger_gets_at_nothing_of_others() {
    let world = World::new().await;
    let before = world.stored().await;
    let mut open = Vec::new();
    for case in cases() {
        match case.foreign {
            Some((target, body, status)) => {
                let answer = world
                    .ask(STRANGER, case.method(), &target(&world), body(&world))
                    .await;
                if answer.status != status {
                    open.push(format!("{}: {} {}", case.name, answer.status, answer.text));
                }
            }
            None => open_to_all(&world, case).await,
        }
    }
    assert!(open.is_empty(), "{open:#?}");
    assert_eq!(world.stored().await, before);
}

/// What everybody may call shows a stranger nothing but their own.
async fn open_to_all(world: &World, case: &Case) {
    let answer = case.call(world, STRANGER).await;
    assert_eq!(answer.status, 200, "{}: {}", case.name, answer.text);
    match case.name {
        "GET /v1/payments" | "GET /v1/teams" => {
            assert_eq!(answer.body[case.wrapper], json!([]), "{}", case.name);
        }
        "GET /v1/users" => {
            assert_eq!(answer.body["total"], 1);
            assert_eq!(answer.body["users"][0]["id"], STRANGER);
        }
        "GET /v1/users/{userId}" => assert_eq!(answer.body["user"]["id"], STRANGER),
        "GET /v1/slots" => assert!(answer.body["slots"].is_object()),
        other => panic!("{other} has no case of a stranger"),
    }
}

#[tokio::test]
async fn what_is_not_there_is_missing() {
    let world = World::new().await;
    let before = world.stored().await;
    for case in cases() {
        let Some((target, body, status)) = case.missing else {
            // A list is empty, and somebody new is not there yet.
            assert!(
                !case.name.contains('{') || case.name == "GET /v1/users/{userId}",
                "{}",
                case.name
            );
            continue;
        };
        let answer = world
            .ask(case.by, case.method(), &target(&world), body(&world))
            .await;
        assert_eq!(answer.status, status, "{}: {}", case.name, answer.text);
        answer.failed(status);
    }
    assert_eq!(world.stored().await, before);
}

#[tokio::test]
async fn a_body_that_means_nothing_is_refused_and_nothing_of_it_stored() {
    let world = World::new().await;
    let before = world.stored().await;
    let mut taken = Vec::new();
    for case in cases() {
        let bodies = (case.invalid)(&world);
        let takes_body = matches!(case.method(), "POST" | "PATCH");
        assert_eq!(takes_body, !bodies.is_empty(), "{}", case.name);
        for body in bodies {
            let target = (case.target)(&world);
            let answer = world
                .ask(case.by, case.method(), &target, body.clone())
                .await;
            if answer.status != 400 {
                taken.push(format!(
                    "{} {body}: {} {}",
                    case.name, answer.status, answer.text
                ));
                continue;
            }
            answer.failed(400);
            if body.get("unheardOf").is_some() {
                assert!(
                    answer.complaints().contains(&"unheardOf"),
                    "{}",
                    answer.text
                );
            }
        }
        if takes_body {
            for body in [json!([]), json!("x"), json!(null)] {
                let target = (case.target)(&world);
                let answer = world
                    .send_text(case.by, case.method(), &target, &body.to_string())
                    .await;
                assert_eq!(answer.status, 400, "{} {body}: {}", case.name, answer.text);
            }
            let answer = world
                .send_text(case.by, case.method(), &(case.target)(&world), "{")
                .await;
            assert_eq!(answer.status, 400, "{}: {}", case.name, answer.text);
        }
    }
    assert!(taken.is_empty(), "{taken:#?}");
    assert_eq!(world.stored().await, before);
}

#[tokio::test]
async fn every_key_that_is_needed_is_asked_for() {
    let world = World::new().await;
    for operation in v1::table::operations() {
        let Some(input) = &operation.input else {
            continue;
        };
        let name = format!("{} {}", operation.rule.method, operation.rule.path);
        let case = cases().find(|case| case.name == name).unwrap();
        for key in input.required {
            let mut body = (case.body)(&world);
            body.as_object_mut().unwrap().remove(*key);
            let target = (case.target)(&world);
            let answer = world.ask(case.by, case.method(), &target, body).await;
            assert_eq!(answer.status, 400, "{name} without {key}: {}", answer.text);
            assert!(answer.complaints().contains(key), "{name}: {}", answer.text);
        }
    }
}

#[tokio::test]
async fn null_is_no_value_where_it_takes_nothing_away() {
    let world = World::new().await;
    let document = world.service.get("/v1/openapi.json").await.body;
    let before = world.stored().await;
    let mut tried = 0;
    for case in cases() {
        let (method, path) = case.name.split_once(' ').unwrap();
        let body = &document["paths"][path][method.to_lowercase()]["requestBody"];
        let schema = &body["content"]["application/json"]["schema"]["properties"];
        for (key, property) in schema.as_object().into_iter().flatten() {
            if property.to_string().contains("\"null\"") {
                continue;
            }
            let mut body = (case.body)(&world);
            body[key] = Value::Null;
            let target = (case.target)(&world);
            let answer = world.ask(case.by, method, &target, body).await;
            assert_eq!(answer.status, 400, "{} {key}: {}", case.name, answer.text);
            assert!(
                answer.complaints().contains(&key.as_str()),
                "{}",
                answer.text
            );
            tried += 1;
        }
    }
    assert!(tried > 100, "{tried}");
    assert_eq!(world.stored().await, before);
}

#[tokio::test]
async fn a_method_that_is_not_there_is_refused() {
    let world = World::new().await;
    for case in cases() {
        let target = (case.target)(&world);
        let answer = world.ask(case.by, "PUT", &target, json!({})).await;
        answer.failed(405);
        let allowed = answer.headers["allow"].to_str().unwrap();
        assert!(
            allowed.split(',').any(|method| method == case.method()),
            "{}: {allowed}",
            case.name
        );
    }
}

#[tokio::test]
async fn a_parameter_that_is_not_there_is_refused() {
    let world = World::new().await;
    for case in cases() {
        let target = (case.target)(&world);
        let mark = if target.contains('?') { '&' } else { '?' };
        let target = format!("{target}{mark}unheardOf=1");
        let answer = world
            .ask(case.by, case.method(), &target, (case.body)(&world))
            .await;
        assert_eq!(answer.status, 400, "{}: {}", case.name, answer.text);
        assert_eq!(answer.complaints(), ["unheardOf"], "{}", case.name);
    }
}

impl World {
    async fn send_text(&self, user_id: i64, method: &str, target: &str, text: &str) -> Answer {
        let mark = if target.contains('?') { '&' } else { '?' };
        let request = axum::http::Request::builder()
            .method(method)
            .uri(format!(
                "{target}{mark}apiKey={}",
                crate::world::key(user_id)
            ))
            .header("content-type", "application/json")
            .body(axum::body::Body::from(text.to_owned()))
            .unwrap();
        self.service.send(request).await
    }
}

/// Used where a body is looked at as a whole.
#[tokio::test]
async fn lists_hold_what_was_made() {
    let world = World::new().await;
    for (target, key, id) in [
        ("/v1/attendees", "attendees", json!(world.attendee)),
        (
            "/v1/booking-references",
            "booking_references",
            json!(world.reference),
        ),
        (
            "/v1/destination-calendars",
            "destinationCalendars",
            json!(world.destination),
        ),
        ("/v1/event-types", "event_types", json!(world.event_type)),
        ("/v1/payments", "payments", json!(world.payment)),
        ("/v1/schedules", "schedules", json!(world.schedule)),
        ("/v1/teams", "teams", json!(world.team)),
        ("/v1/webhooks", "webhooks", json!(world.webhook)),
    ] {
        let answer = world.get(crate::world::OWNER, target).await;
        let list: &Vec<Value> = answer.wrapped(key).as_array().unwrap();
        assert!(
            list.iter().any(|one| one["id"] == id),
            "{target}: {}",
            answer.text
        );
    }
}
