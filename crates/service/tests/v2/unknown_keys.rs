//! Body keys and query parameters that no operation knows: ignored, except below /v2/slots and
//! /v2/bookings.

use axum::http::Method;
use serde_json::{Value, json};

use crate::common::{Answer, HOST, Service, booking};
use crate::event_type_changes::body;
use crate::openapi::{document, fill, operations};

const UNKNOWN: &str = "brandNew";

fn is_strict(path: &str) -> bool {
    path.starts_with("/v2/slots") || path.starts_with("/v2/bookings")
}

fn names_unknown(answer: &Answer) -> bool {
    let constraints = answer.constraints();
    constraints.iter().any(|(path, _)| path.contains(UNKNOWN))
}

#[tokio::test]
async fn unknown_names_outside_of_slots_and_bookings_change_nothing() {
    let (service, document) = document().await;
    let headers = [
        service.owner(),
        (
            "x-svc-secret-key".to_owned(),
            service.secret("clientSecret"),
        ),
    ];
    let mut all = operations(&document);
    all.retain(|operation| !is_strict(&operation.path));
    // What is deleted is missing for the others.
    all.sort_by_key(|operation| operation.method == "delete");
    let (mut asked, mut done) = (0, 0);
    for operation in all {
        let target = format!("{}?{UNKNOWN}=1&{UNKNOWN}[]=2", fill(&operation.path));
        let example = operation.value.get("requestBody").map(|body| {
            let mut example = body["content"]["application/json"]["example"].clone();
            example[UNKNOWN] = json!({"a": [1]});
            example
        });
        let method = operation.method.to_uppercase().parse().unwrap();
        let answer = service.call(method, &target, &headers, example).await;
        let name = operation.name();
        assert!(!names_unknown(&answer), "{name}: {}", answer.text);
        assert!(answer.status < 500, "{name}: {}", answer.text);
        asked += 1;
        done += i32::from(answer.status < 300);
    }
    assert!(asked > 70 && done > 30, "{asked} {done}");
}

#[tokio::test]
async fn unknown_names_below_slots_and_bookings_are_refused() {
    let service = Service::start().await;
    let id = service.event_type("talk", json!({})).await;
    let manager = service.manager();
    for target in ["/v2/slots", "/v2/bookings"] {
        let target = format!("{target}?{UNKNOWN}=1");
        let answer = service.get_as(&target, manager.clone()).await;
        answer.refused(400, "BadRequestException");
        assert!(names_unknown(&answer), "{target}: {}", answer.text);
    }
    let start = "2027-03-02T09:00:00Z";
    let made = service.post("/v2/bookings", booking(id, start)).await;
    let uid = made.data()["uid"].as_str().unwrap();
    for (target, mut body) in [
        ("/v2/bookings".to_owned(), booking(id, start)),
        (
            "/v2/slots/reservations".to_owned(),
            json!({"eventTypeId": id, "slotStart": "2027-03-02T10:00:00Z"}),
        ),
        (format!("/v2/bookings/{uid}/cancel"), json!({})),
        (format!("/v2/bookings/{uid}/decline"), json!({})),
        (
            format!("/v2/bookings/{uid}/reschedule"),
            json!({"start": "2027-03-02T11:00:00Z"}),
        ),
    ] {
        body[UNKNOWN] = json!(1);
        let host = service.bearer_of(HOST).await;
        let answer = service.post_as(&target, host, body).await;
        answer.refused(400, "BadRequestException");
        assert!(names_unknown(&answer), "{target}: {}", answer.text);
    }
    let body = json!({"location": {"type": "link", "link": "https://x.example", UNKNOWN: 1}});
    let target = format!("/v2/bookings/{uid}/location");
    let answer = service.patch_as(&target, HOST, body).await;
    assert!(names_unknown(&answer), "{}", answer.text);
}

#[tokio::test]
async fn closed_schemas_are_those_of_strict_operations() {
    let (_service, document) = document().await;
    let mut closed = 0;
    for operation in operations(&document) {
        let schema = &operation.value["requestBody"]["content"]["application/json"]["schema"];
        let Some(name) = schema["$ref"].as_str() else {
            continue;
        };
        let schema = document.pointer(name.trim_start_matches('#')).unwrap();
        let is_closed = schema["additionalProperties"] == false;
        assert!(
            !is_closed || is_strict(&operation.path),
            "{} refuses keys that the service ignores",
            operation.name()
        );
        closed += i32::from(is_closed);
    }
    assert!(closed > 5, "{closed}");
}

/// `value` with an unknown key in every object of it but free-form metadata.
fn salted(value: &Value) -> Value {
    match value {
        Value::Object(map) => {
            let mut salted: serde_json::Map<String, Value> = map
                .iter()
                .map(|(key, value)| match key.as_str() {
                    "metadata" => (key.clone(), value.clone()),
                    _ => (key.clone(), self::salted(value)),
                })
                .collect();
            salted.insert(UNKNOWN.into(), json!("x"));
            Value::Object(salted)
        }
        Value::Array(items) => items.iter().map(salted).collect(),
        other => other.clone(),
    }
}

#[tokio::test]
async fn unknown_keys_of_nested_objects_are_not_stored() {
    let service = Service::start().await;
    let given = json!({
        "locations": [{"type": "attendeePhone"}, {"type": "link", "link": "https://meet.example/x"}],
        "bookingFields": [{"type": "text", "slug": "topic", "label": "Topic"}],
        "recurrence": {"interval": 1, "occurrences": 3, "frequency": "weekly"},
        "bookingWindow": {"type": "calendarDays", "value": 30},
        "bookingLimitsCount": {"day": 2},
        "confirmationPolicy": {"type": "time", "noticeThreshold": {"unit": "hours", "count": 1}},
        "disableCancelling": {"disabled": true},
        "bookerLayouts": {"defaultLayout": "week", "enabledLayouts": ["week"]},
        "color": {"lightThemeHex": "#000", "darkThemeHex": "#fff"},
        "metadata": {"own": true},
    });
    let plain = service.make(body("plain", given.clone())).await;
    let salted_body = salted(&body("salted", given.clone()));
    assert!(salted_body.to_string().matches(UNKNOWN).count() > 10);
    let made = service.make(salted_body).await;
    assert_eq!(made.status, 201, "{}", made.text);
    assert!(!made.text.contains(UNKNOWN), "{}", made.text);
    for key in given.as_object().unwrap().keys() {
        assert_eq!(made.data()[key], plain.data()[key], "{key}");
    }
    let hosts = json!({"schedulingType": "roundRobin", "hosts": [{"userId": 1}]});
    let of_team = service
        .post_as(
            "/v2/teams/1/event-types",
            service.manager(),
            salted(&body("team", hosts)),
        )
        .await;
    assert_eq!(of_team.status, 201, "{}", of_team.text);
    assert!(!of_team.text.contains(UNKNOWN));

    let line = json!({"days": ["Monday"], "startTime": "09:00", "endTime": "17:00"});
    let date = json!({"date": "2027-03-29", "startTime": "09:00", "endTime": "10:00"});
    let schedule = json!({
        "name": "Hours", "timeZone": "Europe/Rome", "isDefault": false,
        "availability": [line], "overrides": [date],
    });
    let host = service.bearer_of(HOST).await;
    let made = service
        .post_as("/v2/schedules", host, salted(&schedule))
        .await;
    assert_eq!(made.status, 201, "{}", made.text);
    assert_eq!(made.data()["availability"], json!([line]));
    assert!(!made.text.contains(UNKNOWN));
}

#[tokio::test]
async fn setting_with_a_disabled_key_keeps_or_drops_the_rest() {
    let service = Service::start().await;
    let off = json!({"disabled": true, "seatsPerTimeSlot": 5});
    let made = service.make(body("off", json!({"seats": off}))).await;
    assert_eq!(made.data()["seats"], json!({"disabled": true}));
    let on = json!({"disabled": false, "day": 1, "week": 2, "month": 3, "year": 4});
    let more = json!({
        "bookingLimitsCount": on,
        "confirmationPolicy": {
            "type": "always", "noticeThreshold": {"unit": "minutes", "count": 30},
            "blockUnconfirmedBookingsInBooker": true, "disabled": false,
        },
    });
    let made = service.make(body("on", more)).await;
    assert_eq!(
        made.data()["bookingLimitsCount"],
        json!({"day": 1, "week": 2, "month": 3, "year": 4})
    );
    // A threshold means nothing where every booking waits.
    assert_eq!(
        made.data()["confirmationPolicy"],
        json!({"type": "always", "blockUnconfirmedBookingsInBooker": true})
    );
    let wrong = service
        .make(body("wrong", json!({"seats": {"disabled": "no"}})))
        .await;
    assert_eq!(wrong.constraints()[0].0, "seats.disabled");
}

#[tokio::test]
async fn unknown_key_of_a_booking_field_in_version_1_is_refused() {
    let service = Service::start().await;
    let key = service.secret("apiKey");
    let field = json!({"type": "text", "slug": "topic", "label": "Topic", UNKNOWN: 1});
    let fields =
        json!({"title": "T", "slug": "t", "length": 30, "metadata": {}, "bookingFields": [field]});
    let target = format!("/v1/event-types?apiKey={key}");
    let answer = service.call(Method::POST, &target, &[], Some(fields)).await;
    assert_eq!(answer.status, 400, "{}", answer.text);
    assert!(answer.text.contains(UNKNOWN), "{}", answer.text);
}
