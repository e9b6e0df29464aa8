//! The OpenAPI document at `/v2/openapi.json` and its page.

use std::collections::BTreeSet;

use booking_service::auth::access::Requirement;
use booking_service::http::openapi::access_rules;

use booking_wire::schedule::{OutOfOffice, Schedule};
use booking_wire::{
    Booking, BookingAttendee, BookingReference, CalendarLink, CreatedManagedUser,
    DeletedManagedUser, EventType, ManagedUser, Me, Membership, OrganizationMembership, Permission,
    Read, ReassignedBooking, Recording, Reservation, Role, SlotDays, Team, TokenSet, VerifiedEmail,
    Webhook, WebhookDelivery,
};
use serde::Serialize;
use serde_json::{Value, json};

use crate::common::Service;

const METHODS: [&str; 5] = ["get", "post", "put", "patch", "delete"];

pub struct Operation {
    pub method: String,
    pub path: String,
    pub value: Value,
}

impl Operation {
    pub fn name(&self) -> String {
        format!("{} {}", self.method.to_uppercase(), self.path)
    }
}

pub async fn document() -> (Service, Value) {
    let service = Service::start().await;
    let document = service.get("/v2/openapi.json").await;
    assert_eq!(document.status, 200);
    let body = document.body;
    (service, body)
}

pub fn operations(document: &Value) -> Vec<Operation> {
    let paths = document["paths"].as_object().unwrap();
    paths
        .iter()
        .flat_map(|(path, item)| {
            METHODS.iter().filter_map(move |method| {
                Some(Operation {
                    method: (*method).to_owned(),
                    path: path.clone(),
                    value: item.get(method)?.clone(),
                })
            })
        })
        .collect()
}

#[tokio::test]
async fn documented_operation_has_access_rule() {
    let (_service, document) = document().await;
    assert_eq!(document["openapi"], "3.1.0");
    let access_rules: BTreeSet<String> = access_rules()
        .iter()
        .map(|rule| format!("{} {}", rule.method, rule.path))
        .collect();
    for operation in operations(&document) {
        assert!(
            access_rules.contains(&operation.name()),
            "{}",
            operation.name()
        );
    }
}

#[tokio::test]
async fn operation_describes_purpose_access_and_errors() {
    let (_service, document) = document().await;
    let tags: Vec<&str> = document["tags"]
        .as_array()
        .unwrap()
        .iter()
        .map(|tag| {
            assert!(tag["description"].is_string(), "{tag} has no words");
            tag["name"].as_str().unwrap()
        })
        .collect();
    let mut ids = BTreeSet::new();
    for operation in operations(&document) {
        let (name, value) = (operation.name(), &operation.value);
        let id = value["operationId"].as_str().unwrap();
        assert!(ids.insert(id.to_owned()), "{id} is the name of two");
        assert!(
            value["summary"]
                .as_str()
                .is_some_and(|text| !text.is_empty()),
            "{name}"
        );
        for tag in value["tags"].as_array().unwrap() {
            assert!(tags.contains(&tag.as_str().unwrap()), "{name}: {tag}");
        }
        let description = value["description"].as_str().unwrap();
        assert!(description.contains("**Who may call:**"), "{name}");

        let rule = access_rules()
            .iter()
            .find(|rule| format!("{} {}", rule.method, rule.path) == name)
            .unwrap();
        let security = value["security"].as_array().unwrap();
        let anyone = security.contains(&json!({}));
        assert_eq!(anyone, rule.requirement == Requirement::Nothing, "{name}");
        if let Requirement::Team(permission)
        | Requirement::Organization(permission)
        | Requirement::Owner(permission)
        | Requirement::Host(permission) = rule.requirement
        {
            assert_eq!(value["x-permission"], permission, "{name}");
            assert!(description.contains(permission), "{name}");
        }
        let responses = value["responses"].as_object().unwrap();
        assert!(
            responses.keys().any(|status| status.starts_with('2')),
            "{name}"
        );
        for status in ["401", "414", "429", "500", "503", "504"] {
            assert!(responses.contains_key(status), "{name} {status}");
        }
        // A `default` response would describe every status.
        assert!(!responses.contains_key("default"), "{name}");
    }
}

#[tokio::test]
async fn operation_with_idempotency_key_describes_key_and_422() {
    let (_service, document) = document().await;
    let mut found = BTreeSet::new();
    for operation in operations(&document) {
        let parameters = operation.value["parameters"].as_array();
        let Some(key) = parameters
            .into_iter()
            .flatten()
            .find(|parameter| parameter["name"] == "Idempotency-Key")
        else {
            continue;
        };
        let name = operation.name();
        assert_eq!(key["in"], "header", "{name}");
        assert_ne!(key["required"], true, "{name}");
        let reference = &operation.value["responses"]["422"]["$ref"];
        let response = reference
            .as_str()
            .and_then(|reference| document.pointer(reference.trim_start_matches('#')))
            .unwrap_or_else(|| panic!("{name} has no response 422"));
        let text = response["description"].as_str().unwrap();
        assert!(text.contains("Idempotency-Key"), "{name}: {text}");
        found.insert(name);
    }
    let expected = [
        "POST /v2/bookings",
        "POST /v2/bookings/{bookingUid}/reschedule",
    ];
    assert_eq!(found, expected.map(str::to_owned).into());
}

#[tokio::test]
async fn operation_with_credentials_rejects_anonymous_requests() {
    let (service, document) = document().await;
    for operation in operations(&document) {
        let security = operation.value["security"].as_array().unwrap();
        if security.contains(&json!({})) {
            continue;
        }
        let path = fill_path(&operation.path);
        let body = operation
            .value
            .get("requestBody")
            .map(|body| body["content"]["application/json"]["example"].clone());
        let method = operation.method.to_uppercase().parse().unwrap();
        let response = service.call(method, &path, &[], body).await;
        assert_eq!(
            response.status,
            401,
            "{}: {}",
            operation.name(),
            response.text
        );
    }
}

/// Replaces the parameters of a path with values.
pub fn fill_path(path: &str) -> String {
    path.split('/')
        .map(|part| match part {
            "{permission}" => "role.read",
            "{clientId}" => "clidemo000000000000northwind",
            part if part.starts_with('{') => "1",
            part => part,
        })
        .collect::<Vec<_>>()
        .join("/")
}

#[tokio::test]
async fn every_reference_resolves() {
    fn walk(value: &Value, document: &Value, count: &mut usize) {
        match value {
            Value::Object(map) => {
                if let Some(Value::String(reference)) = map.get("$ref") {
                    let location = reference.strip_prefix('#').unwrap();
                    assert!(document.pointer(location).is_some(), "{reference}");
                    *count += 1;
                }
                map.values().for_each(|value| walk(value, document, count));
            }
            Value::Array(list) => list.iter().for_each(|value| walk(value, document, count)),
            _ => {}
        }
    }
    let (_service, document) = document().await;
    let mut count = 0;
    walk(&document, &document, &mut count);
    assert!(count > 100, "{count}");
}

/// Every example with its location and schema.
fn examples(document: &Value) -> Vec<(String, Value, Value)> {
    fn walk(location: &str, value: &Value, found: &mut Vec<(String, Value, Value)>) {
        match value {
            Value::Object(map) => {
                if let (Some(schema), Some(example)) = (map.get("schema"), map.get("example")) {
                    found.push((location.to_owned(), schema.clone(), example.clone()));
                }
                for (key, value) in map {
                    walk(&format!("{location}/{key}"), value, found);
                }
            }
            Value::Array(list) => {
                list.iter().for_each(|value| walk(location, value, found));
            }
            _ => {}
        }
    }
    let mut found = Vec::new();
    walk("", &document["paths"], &mut found);
    walk("", &document["components"]["responses"], &mut found);
    found
}

#[tokio::test]
async fn body_example_is_valid_for_its_schema() {
    let (_service, document) = document().await;
    for operation in operations(&document) {
        let mut bodies: Vec<&Value> = operation.value.get("requestBody").into_iter().collect();
        bodies.extend(
            operation.value["responses"]
                .as_object()
                .unwrap()
                .iter()
                .filter(|(status, _)| status.starts_with('2'))
                .map(|(_, response)| response),
        );
        for body in bodies {
            if let Some(content) = body.pointer("/content/application~1json") {
                assert!(content.get("example").is_some(), "{}", operation.name());
            }
        }
    }
    let found = examples(&document);
    assert!(found.len() > 20);
    for (location, schema, example) in found {
        if let Err(problem) = validate(&document, &schema, &example) {
            panic!("{location}: {problem} in {example}");
        }
    }
}

/// Validates a value against a schema, for the keywords that the document uses.
fn validate(document: &Value, schema: &Value, value: &Value) -> Result<(), String> {
    if let Some(reference) = schema["$ref"].as_str() {
        let target = document.pointer(reference.trim_start_matches('#')).unwrap();
        return validate(document, target, value);
    }
    for key in ["oneOf", "anyOf"] {
        if let Some(choices) = schema[key].as_array() {
            let problems: Vec<String> = choices
                .iter()
                .filter_map(|choice| validate(document, choice, value).err())
                .collect();
            if problems.len() == choices.len() {
                return Err(format!("none of {key}: {}", problems.join("; ")));
            }
        }
    }
    for part in schema["allOf"].as_array().into_iter().flatten() {
        validate(document, part, value)?;
    }
    if let Some(variants) = schema["enum"].as_array()
        && !variants.contains(value)
    {
        return Err(format!("{value} is none of {variants:?}"));
    }
    let kinds: Vec<&str> = match &schema["type"] {
        Value::String(kind) => vec![kind],
        Value::Array(kinds) => kinds.iter().filter_map(Value::as_str).collect(),
        _ => Vec::new(),
    };
    let is = |kind: &str| match kind {
        "object" => value.is_object(),
        "array" => value.is_array(),
        "string" => value.is_string(),
        "integer" => value.is_i64() || value.is_u64(),
        "number" => value.is_number(),
        "boolean" => value.is_boolean(),
        "null" => value.is_null(),
        other => panic!("there is no type {other}"),
    };
    if !kinds.is_empty() && !kinds.iter().any(|kind| is(kind)) {
        return Err(format!("{value} is no {kinds:?}"));
    }
    if let (Some(minimum), Some(number)) = (schema["minimum"].as_i64(), value.as_i64())
        && number < minimum
    {
        return Err(format!("{number} is less than {minimum}"));
    }
    if let Some(map) = value.as_object() {
        for name in schema["required"].as_array().into_iter().flatten() {
            if !map.contains_key(name.as_str().unwrap()) {
                return Err(format!("{name} is missing"));
            }
        }
        for (name, value) in map {
            let known = schema["properties"].get(name);
            match (known, &schema["additionalProperties"]) {
                (Some(schema), _) => {
                    validate(document, schema, value)
                        .map_err(|problem| format!("{name}: {problem}"))?;
                }
                (None, Value::Bool(false)) => return Err(format!("{name} is not allowed")),
                (None, schema @ Value::Object(_)) => validate(document, schema, value)?,
                _ => {}
            }
        }
    }
    for element in value.as_array().into_iter().flatten() {
        if schema["items"].is_object() {
            validate(document, &schema["items"], element)?;
        }
    }
    Ok(())
}

#[tokio::test]
async fn examples_survive_client_round_trip() {
    fn check<T: Read + Serialize>(location: &str, example: &Value) {
        let read =
            T::read(example).unwrap_or_else(|| panic!("{location}: {example} cannot be read"));
        assert_eq!(&serde_json::to_value(&read).unwrap(), example, "{location}");
    }
    // Schemas without a client type.
    const PLAIN: [&str; 5] = [
        "DeletedEventType",
        "Done",
        "ErrorBody",
        "RequestedEmailCode",
        "String",
    ];
    let (_service, document) = document().await;
    let mut checked = BTreeSet::new();
    for (location, schema, example) in examples(&document) {
        let Some(name) = schema["$ref"].as_str() else {
            continue;
        };
        if !location.contains("/responses/") {
            continue;
        }
        let name = name.trim_start_matches("#/components/schemas/");
        let name = name.trim_start_matches("Envelope_");
        let name = name
            .trim_start_matches("Vec_")
            .trim_start_matches("Option_");
        let data = &example["data"];
        let check: fn(&str, &Value) = match name {
            "Booking" | "OneOrSeries" => check::<Booking>,
            "BookingAttendee" => check::<BookingAttendee>,
            "BookingReference" => check::<BookingReference>,
            "BTreeMap_String_Vec_WrittenSlot" => |location, example| {
                assert!(SlotDays::read(example).is_some(), "{location}: {example}");
            },
            "CalendarLink" => check::<CalendarLink>,
            "DeletedManagedUser" => check::<DeletedManagedUser>,
            "EventType" => check::<EventType>,
            "MadeManagedUser" => check::<CreatedManagedUser>,
            "ManagedUser" => check::<ManagedUser>,
            "Me" => check::<Me>,
            "Membership" => check::<Membership>,
            "OrganizationMembership" => check::<OrganizationMembership>,
            "OutOfOffice" => check::<OutOfOffice>,
            "Permission" => check::<Permission>,
            "ReassignedBooking" => check::<ReassignedBooking>,
            "Recording" => check::<Recording>,
            "Reservation" => check::<Reservation>,
            "Role" => check::<Role>,
            "Schedule" => check::<Schedule>,
            "Team" => check::<Team>,
            "VerifiedEmail" => check::<VerifiedEmail>,
            "TokenSet" => check::<TokenSet>,
            "Webhook" => check::<Webhook>,
            "WebhookDelivery" => check::<WebhookDelivery>,
            name => {
                assert!(PLAIN.contains(&name), "nobody reads {name} back");
                continue;
            }
        };
        checked.insert(name.to_owned());
        match data.as_array() {
            Some(list) => list.iter().for_each(|element| check(&location, element)),
            None => check(&location, data),
        }
    }
    assert_eq!(checked.len(), 25, "{checked:?}");
}

#[tokio::test]
async fn docs_page_has_strict_content_security_policy() {
    let service = Service::start().await;
    let moved = service.get("/v2/docs").await;
    assert_eq!(
        (moved.status, &moved.headers["location"]),
        (308, &"/v2/docs/".parse().unwrap())
    );
    for (path, kind) in [
        ("/v2/docs/", "text/html; charset=utf-8"),
        ("/v2/docs/docs.css", "text/css; charset=utf-8"),
        ("/v2/docs/docs.js", "text/javascript; charset=utf-8"),
    ] {
        let file = service.get(path).await;
        assert_eq!(file.status, 200, "{path}");
        assert_eq!(file.headers["content-type"], kind);
        let policy = file.headers["content-security-policy"].to_str().unwrap();
        assert!(policy.starts_with("default-src 'none'"), "{policy}");
        assert!(!policy.contains("unsafe"), "{policy}");
        assert!(
            !file.text.contains("http://") && !file.text.contains("https://"),
            "{path} refers elsewhere"
        );
        assert!(!file.text.contains("innerHTML"), "{path}");
    }
    let page = service.get("/v2/docs/").await.text;
    assert!(page.contains("<script type=\"module\" src=\"docs.js\"></script>"));
    assert_eq!(page.matches("<script").count(), 1);
    assert!(!page.contains(" style=") && !page.contains("<style"));
}
