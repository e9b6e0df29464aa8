//! Unknown body keys and query parameters: ignored, except below /v2/slots and /v2/bookings.

use axum::http::Method;
use serde_json::{Value, json};

use crate::common::{HOST, Service, TestResponse, booking};
use crate::event_types::changes::event_type_body;
use crate::requests::openapi::{document, fill_path, operations};

const UNKNOWN: &str = "brandNew";

fn is_strict(path: &str) -> bool {
    path.starts_with("/v2/slots") || path.starts_with("/v2/bookings")
}

fn names_unknown(response: &TestResponse) -> bool {
    let constraints = response.constraints();
    constraints.iter().any(|(path, _)| path.contains(UNKNOWN))
}

#[tokio::test]
async fn unknown_names_outside_slots_and_bookings_are_ignored() {
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
    // Deletes come last, because other operations need the data.
    all.sort_by_key(|operation| operation.method == "delete");
    let (mut sent, mut succeeded) = (0, 0);
    for operation in all {
        let target = format!("{}?{UNKNOWN}=1&{UNKNOWN}[]=2", fill_path(&operation.path));
        let example = operation.value.get("requestBody").map(|body| {
            let mut example = body["content"]["application/json"]["example"].clone();
            example[UNKNOWN] = json!({"a": [1]});
            example
        });
        let method = operation.method.to_uppercase().parse().unwrap();
        let response = service.call(method, &target, &headers, example).await;
        let name = operation.name();
        assert!(!names_unknown(&response), "{name}: {}", response.text);
        assert!(response.status < 500, "{name}: {}", response.text);
        sent += 1;
        succeeded += i32::from(response.status < 300);
    }
    assert!(sent > 70 && succeeded > 30, "{sent} {succeeded}");
}

#[tokio::test]
async fn unknown_names_in_slots_and_bookings_return_400() {
    let service = Service::start().await;
    let id = service.event_type("talk", json!({})).await;
    let manager = service.manager();
    for target in ["/v2/slots", "/v2/bookings"] {
        let target = format!("{target}?{UNKNOWN}=1");
        let response = service.get_as(&target, manager.clone()).await;
        response.assert_error(400, "BadRequestException");
        assert!(names_unknown(&response), "{target}: {}", response.text);
    }
    let start = "2027-03-02T09:00:00Z";
    let created = service.post("/v2/bookings", booking(id, start)).await;
    let uid = created.data()["uid"].as_str().unwrap();
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
        let response = service.post_as(&target, host, body).await;
        response.assert_error(400, "BadRequestException");
        assert!(names_unknown(&response), "{target}: {}", response.text);
    }
    let body = json!({"location": {"type": "link", "link": "https://x.example", UNKNOWN: 1}});
    let target = format!("/v2/bookings/{uid}/location");
    let response = service.patch_as(&target, HOST, body).await;
    assert!(names_unknown(&response), "{}", response.text);
}

#[tokio::test]
async fn only_strict_operations_have_closed_schemas() {
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

/// Adds an unknown key to every object in `value`, except free-form metadata.
fn with_unknown_keys(value: &Value) -> Value {
    match value {
        Value::Object(map) => {
            let mut with_unknown_keys: serde_json::Map<String, Value> = map
                .iter()
                .map(|(key, value)| match key.as_str() {
                    "metadata" => (key.clone(), value.clone()),
                    _ => (key.clone(), self::with_unknown_keys(value)),
                })
                .collect();
            with_unknown_keys.insert(UNKNOWN.into(), json!("x"));
            Value::Object(with_unknown_keys)
        }
        Value::Array(items) => items.iter().map(with_unknown_keys).collect(),
        other => other.clone(),
    }
}

#[tokio::test]
async fn unknown_keys_of_nested_objects_are_not_stored() {
    let service = Service::start().await;
    let settings = json!({
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
    let plain = service
        .create_event_type(event_type_body("plain", settings.clone()))
        .await;
    let body_with_unknown_keys = with_unknown_keys(&event_type_body("salted", settings.clone()));
    assert!(body_with_unknown_keys.to_string().matches(UNKNOWN).count() > 10);
    let created = service.create_event_type(body_with_unknown_keys).await;
    assert_eq!(created.status, 201, "{}", created.text);
    assert!(!created.text.contains(UNKNOWN), "{}", created.text);
    for key in settings.as_object().unwrap().keys() {
        assert_eq!(created.data()[key], plain.data()[key], "{key}");
    }
    let hosts = json!({"schedulingType": "roundRobin", "hosts": [{"userId": 1}]});
    let team_event_type = service
        .post_as(
            "/v2/teams/1/event-types",
            service.manager(),
            with_unknown_keys(&event_type_body("team", hosts)),
        )
        .await;
    assert_eq!(team_event_type.status, 201, "{}", team_event_type.text);
    assert!(!team_event_type.text.contains(UNKNOWN));

    let line = json!({"days": ["Monday"], "startTime": "09:00", "endTime": "17:00"});
    let date = json!({"date": "2027-03-29", "startTime": "09:00", "endTime": "10:00"});
    let schedule = json!({
        "name": "Hours", "timeZone": "Europe/Rome", "isDefault": false,
        "availability": [line], "overrides": [date],
    });
    let host = service.bearer_of(HOST).await;
    let created = service
        .post_as("/v2/schedules", host, with_unknown_keys(&schedule))
        .await;
    assert_eq!(created.status, 201, "{}", created.text);
    assert_eq!(created.data()["availability"], json!([line]));
    assert!(!created.text.contains(UNKNOWN));
}

#[tokio::test]
async fn disabled_key_drops_or_keeps_other_settings() {
    let service = Service::start().await;
    let off = json!({"disabled": true, "seatsPerTimeSlot": 5});
    let created = service
        .create_event_type(event_type_body("off", json!({"seats": off})))
        .await;
    assert_eq!(created.data()["seats"], json!({"disabled": true}));
    let on = json!({"disabled": false, "day": 1, "week": 2, "month": 3, "year": 4});
    let more = json!({
        "bookingLimitsCount": on,
        "confirmationPolicy": {
            "type": "always", "noticeThreshold": {"unit": "minutes", "count": 30},
            "blockUnconfirmedBookingsInBooker": true, "disabled": false,
        },
    });
    let created = service.create_event_type(event_type_body("on", more)).await;
    assert_eq!(
        created.data()["bookingLimitsCount"],
        json!({"day": 1, "week": 2, "month": 3, "year": 4})
    );
    // The threshold is dropped, because every booking needs confirmation.
    assert_eq!(
        created.data()["confirmationPolicy"],
        json!({"type": "always", "blockUnconfirmedBookingsInBooker": true})
    );
    let wrong = service
        .create_event_type(event_type_body(
            "wrong",
            json!({"seats": {"disabled": "no"}}),
        ))
        .await;
    assert_eq!(wrong.constraints()[0].0, "seats.disabled");
}

#[tokio::test]
async fn unknown_key_of_booking_field_in_v1_returns_400() {
    let service = Service::start().await;
    let key = service.secret("apiKey");
    let field = json!({"type": "text", "slug": "topic", "label": "Topic", UNKNOWN: 1});
    let fields =
        json!({"title": "T", "slug": "t", "length": 30, "metadata": {}, "bookingFields": [field]});
    let target = format!("/v1/event-types?apiKey={key}");
    let response = service.call(Method::POST, &target, &[], Some(fields)).await;
    assert_eq!(response.status, 400, "{}", response.text);
    assert!(response.text.contains(UNKNOWN), "{}", response.text);
}
