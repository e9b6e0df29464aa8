//! Examples of request and response bodies: hand-written, or generated from the schema.

use booking_wire::JsonMap;
use serde_json::{Map, Value, json};

/// Event type that the tests of the wire format use, too.
const EVENT_TYPE: &str = include_str!("../../../../wire/tests/cases/event-type-team.json");

/// Maximum depth of generated examples; deeper schemas are recursive.
const MAX_DEPTH: usize = 12;

/// Adds examples to the bodies of an operation.
pub(super) fn add(path: &str, operation: &mut Map<String, Value>, schemas: &JsonMap) {
    let generator = ExampleGenerator { schemas };
    if let Some(content) = operation
        .get_mut("requestBody")
        .and_then(|body| body.pointer_mut("/content/application~1json"))
    {
        insert_example(content, |schema| generator.request(schema));
    }
    let Some(Value::Object(responses)) = operation.get_mut("responses") else {
        return;
    };
    for (_, response) in responses
        .iter_mut()
        .filter(|(status, _)| status.starts_with('2'))
    {
        if let Some(content) = response.pointer_mut("/content/application~1json") {
            insert_example(content, |schema| generator.response(path, schema));
        }
    }
}

fn insert_example(content: &mut Value, generate: impl FnOnce(&Value) -> Value) {
    if let Value::Object(content) = content
        && !content.contains_key("example")
        && !content.contains_key("examples")
    {
        let example = generate(content.get("schema").unwrap_or(&Value::Null));
        content.insert("example".into(), example);
    }
}

struct ExampleGenerator<'a> {
    schemas: &'a JsonMap,
}

impl ExampleGenerator<'_> {
    /// Required properties; all properties if none is required.
    fn request(&self, schema: &Value) -> Value {
        // The schema of an optional body is "schema or null".
        let first = schema.get("oneOf").and_then(|choices| choices.get(0));
        let schema = self.resolve(first.unwrap_or(schema));
        if let Some(example) = schema.0.and_then(request_example) {
            return example;
        }
        let schema = schema.1;
        let Some(properties) = schema.get("properties").and_then(Value::as_object) else {
            return self.value(schema, "", 0);
        };
        let required: Vec<&str> = schema
            .get("required")
            .and_then(Value::as_array)
            .into_iter()
            .flatten()
            .filter_map(Value::as_str)
            .collect();
        properties
            .iter()
            .filter(|(name, _)| required.is_empty() || required.contains(&name.as_str()))
            .map(|(name, schema)| (name.clone(), self.value(schema, name, 1)))
            .collect::<Map<_, _>>()
            .into()
    }

    fn response(&self, path: &str, schema: &Value) -> Value {
        let (_, envelope) = self.resolve(schema);
        let Some(properties) = envelope.get("properties").and_then(Value::as_object) else {
            return self.value(schema, "", 0);
        };
        let is_page = path.ends_with("/bookings");
        properties
            .iter()
            .filter(|(name, _)| !matches!(name.as_str(), "pagination" | "error" | "extensions") || is_page)
            .map(|(name, schema)| {
                let value = match (path, name.as_str()) {
                    ("/v2/slots", "data") => json!({"2027-03-29": [
                        {"start": "2027-03-29T09:00:00.000+02:00"},
                        {"start": "2027-03-29T09:30:00.000+02:00"},
                    ]}),
                    (_, "pagination") => json!({
                        "totalItems": 1, "remainingItems": 0, "returnedItems": 1, "itemsPerPage": 100,
                        "currentPage": 1, "totalPages": 1, "hasNextPage": false, "hasPreviousPage": false,
                    }),
                    (_, "error") => json!({}),
                    (_, "extensions") => json!(["search"]),
                    _ => self.value(schema, name, 1),
                };
                (name.clone(), value)
            })
            .collect::<Map<_, _>>()
            .into()
    }

    /// Value that the schema allows, chosen by the name of the property.
    fn value(&self, schema: &Value, name: &str, depth: usize) -> Value {
        if depth > MAX_DEPTH {
            return Value::Null;
        }
        if let Some(example) = declared_example(schema) {
            return example;
        }
        let (reference, resolved) = self.resolve(schema);
        if reference == Some("Instant") && name.to_lowercase().contains("end") {
            return json!("2027-03-29T07:30:00.000Z");
        }
        if let Some(example) = reference.and_then(object_example) {
            return example;
        }
        if let Some(example) = declared_example(resolved) {
            return example;
        }
        for key in ["oneOf", "anyOf"] {
            let choices = resolved.get(key).and_then(Value::as_array);
            let choice = choices
                .into_iter()
                .flatten()
                .find(|choice| choice.get("type").is_none_or(|kind| kind != "null"));
            if let Some(choice) = choice {
                return self.value(choice, name, depth + 1);
            }
        }
        if let Some(parts) = resolved.get("allOf").and_then(Value::as_array) {
            let mut object = Map::new();
            for part in parts {
                if let Value::Object(part) = self.value(part, name, depth + 1) {
                    object.extend(part);
                }
            }
            return object.into();
        }
        match kind(resolved) {
            "object" => self.object(resolved, depth),
            "array" => {
                let item = resolved.get("items").unwrap_or(&Value::Null);
                match self.value(item, name, depth + 1) {
                    Value::Null => json!([]),
                    item => json!([item]),
                }
            }
            "integer" => integer(name, resolved),
            "number" => json!(1),
            "boolean" => json!(false),
            "string" => json!(text(name, resolved)),
            _ => Value::Null,
        }
    }

    fn object(&self, schema: &Value, depth: usize) -> Value {
        let properties = schema.get("properties").and_then(Value::as_object);
        let required = schema.get("required").and_then(Value::as_array);
        let is_required = |name: &str| {
            required.is_some_and(|required| required.iter().any(|known| known == name))
        };
        properties
            .into_iter()
            .flatten()
            .map(|(name, schema)| (name.clone(), self.value(schema, name, depth + 1)))
            .filter(|(name, value)| !value.is_null() || is_required(name))
            .collect::<Map<_, _>>()
            .into()
    }

    /// Resolves a reference. Returns the name of the schema, if it is a reference, and the schema.
    fn resolve<'s>(&'s self, schema: &'s Value) -> (Option<&'s str>, &'s Value) {
        let name = schema
            .get("$ref")
            .and_then(Value::as_str)
            .and_then(|reference| reference.strip_prefix("#/components/schemas/"));
        let resolved = name.and_then(|name| self.schemas.get(name));
        (name, resolved.unwrap_or(schema))
    }
}

/// Example, constant, first enum value or default in the schema.
fn declared_example(schema: &Value) -> Option<Value> {
    let first = |key: &str| {
        let values = schema.get(key).and_then(Value::as_array);
        values.and_then(|values| values.first()).cloned()
    };
    schema
        .get("example")
        .or_else(|| schema.get("const"))
        .cloned()
        .or_else(|| first("examples"))
        .or_else(|| first("enum"))
        .or_else(|| {
            schema
                .get("default")
                .filter(|value| !value.is_null())
                .cloned()
        })
}

/// Type that is not null.
fn kind(schema: &Value) -> &str {
    match schema.get("type") {
        Some(Value::String(kind)) => kind,
        Some(Value::Array(kinds)) => kinds
            .iter()
            .filter_map(Value::as_str)
            .find(|kind| *kind != "null")
            .unwrap_or_default(),
        _ if schema.get("properties").is_some() => "object",
        _ => "",
    }
}

fn integer(name: &str, schema: &Value) -> Value {
    let value = match name {
        "lengthInMinutes" | "duration" | "length" => 30,
        "eventTypeId" => 41,
        "timeFormat" => 24,
        "accessTokenExpiresAt" => 1_803_891_600_000,
        "refreshTokenExpiresAt" => 1_835_395_200_000,
        "rating" => 5,
        name if name == "id" || name.ends_with("Id") || name.ends_with("Ids") => 7,
        _ => 1,
    };
    let min = schema
        .get("minimum")
        .and_then(Value::as_i64)
        .unwrap_or(i64::MIN);
    let max = schema
        .get("maximum")
        .and_then(Value::as_i64)
        .unwrap_or(i64::MAX);
    json!(value.max(min).min(max))
}

fn text(name: &str, schema: &Value) -> String {
    let text = match schema.get("format").and_then(Value::as_str) {
        Some("date-time") if name.to_lowercase().contains("end") => "2027-03-29T07:30:00.000Z",
        Some("date-time") => "2027-03-29T07:00:00.000Z",
        Some("date") => "2027-03-29",
        Some("uuid") => "7c0a51d2-0f5e-4c5b-9d35-1f0f6f3b2a11",
        _ => match name {
            "start" => "2027-03-29T07:00:00.000Z",
            "end" => "2027-03-29T07:30:00.000Z",
            "startTime" => "09:00",
            "endTime" => "17:00",
            "date" => "2027-03-29",
            "name" | "displayName" => "Zoë Łukasik",
            "timeZone" => "Europe/Rome",
            "weekStart" => "Monday",
            "locale" | "language" => "en",
            "username" | "usernames" => "ada",
            "slug" => "intro-call",
            "title" => "Intro call",
            "color" | "brandColor" | "darkBrandColor" => "#0f766e",
            "type" => "other",
            "phone" | "phoneNumber" => "+390612345678",
            name if name.to_lowercase().contains("email") || name == "guests" => "zoe@example.org",
            name if name.ends_with("Url") || name == "url" || name == "link" => {
                "https://example.org/hook"
            }
            name if name.ends_with("Token") => "eyJhbGciOiJIUzI1NiIsInR5cCI6IkpXVCJ9.e30.c2ln",
            name if name.to_lowercase().ends_with("uid") => "bk4RmT9xWq2LpZ7s",
            name if name == "id" || name.ends_with("Id") => "7c0a51d2-0f5e-4c5b-9d35-1f0f6f3b2a11",
            name if name.to_lowercase().contains("reason") => "Something came up",
            _ => "Text",
        },
    };
    text.to_owned()
}

/// Examples of request bodies with more than the required properties.
fn request_example(name: &str) -> Option<Value> {
    Some(match name {
        "NewBooking" => json!({
            "start": "2027-03-29T07:00:00.000Z",
            "eventTypeId": 41,
            "attendee": {"name": "Zoë Łukasik", "timeZone": "Europe/Rome", "email": "zoe@example.org", "language": "en"},
            "bookingFieldsResponses": {"goals": "Move our calendar"},
            "guests": ["sam@example.org"],
            "metadata": {"campaign": "spring"},
        }),
        "NewRole" => json!({
            "name": "Scheduler",
            "color": "#0f766e",
            "description": "Looks after the team's calendar",
            // Permissions that roles of both teams and organisations can have.
            "permissions": ["booking.read", "booking.update", "team.read"],
        }),
        "RoleChange" => json!({"name": "Front desk", "permissions": ["booking.read"]}),
        "PermissionList" => json!({"permissions": ["booking.read", "booking.update"]}),
        "NewEventType" => new_event_type(),
        "NewTeamEventType" => {
            let mut event_type = new_event_type();
            event_type["schedulingType"] = json!("roundRobin");
            event_type["assignAllTeamMembers"] = json!(true);
            event_type
        }
        "EventTypeChanges" | "TeamEventTypeChanges" => json!({
            "title": "Office tour",
            "description": "An hour on site, with time for questions",
            "lengthInMinutes": 60,
            "minimumBookingNotice": 240,
        }),
        "NewTeam" => json!({
            "name": "Field sales",
            "slug": "field-sales",
            "bio": "Meet us where you work",
            "timeZone": "Europe/Berlin",
        }),
        "TeamChange" => json!({"bio": "Meet us where you work", "hideBranding": true}),
        "ProfileChange" => json!({
            "name": "Ada Brandt",
            "timeZone": "Europe/Berlin",
            "weekStart": "Monday",
            "timeFormat": 24,
        }),
        "NewWebhook" => json!({
            "active": true,
            "subscriberUrl": "https://example.org/hook",
            "triggers": ["BOOKING_CREATED", "BOOKING_CANCELLED"],
            "secret": "5d41402abc4b2a76b9719d911017c592",
        }),
        "WebhookChanges" => json!({"active": false, "triggers": ["BOOKING_CREATED"]}),
        "OutOfOfficeChanges" => json!({
            "start": "2027-03-29T07:00:00.000Z",
            "end": "2027-03-30T17:00:00.000Z",
            "notes": "Back on Wednesday",
            "reason": "vacation",
        }),
        "CancelBooking" => json!({"cancellationReason": "Something came up"}),
        _ => return None,
    })
}

fn new_event_type() -> Value {
    json!({
        "title": "Site visit",
        "slug": "site-visit",
        "description": "An hour on site",
        "lengthInMinutes": 60,
        "locations": [{"type": "address", "address": "Hauptstraße 1, Berlin", "public": true}],
        "beforeEventBuffer": 15,
        "minimumBookingNotice": 240,
    })
}

/// Examples of objects.
fn object_example(name: &str) -> Option<Value> {
    Some(match name {
        "Instant" => json!("2027-03-29T07:00:00.000Z"),
        "Permission" => json!("booking.read"),
        "EventType" => return serde_json::from_str(EVENT_TYPE).ok(),
        "Booking" => json!({
            "id": 9,
            "uid": "bk4RmT9xWq2LpZ7s",
            "title": "Intro call between Ada Brandt and Zoë Łukasik",
            "description": "",
            "hosts": [{
                "id": 1, "name": "Ada Brandt", "email": "ada@northwind.example",
                "displayEmail": "ada@northwind.example", "username": "ada", "timeZone": "Europe/Berlin",
            }],
            "status": "accepted",
            "start": "2027-03-29T07:00:00.000Z",
            "end": "2027-03-29T07:30:00.000Z",
            "duration": 30,
            "eventTypeId": 41,
            "eventType": {"id": 41, "slug": "intro-call"},
            "location": "https://meet.example.org/ada",
            "meetingUrl": "https://meet.example.org/ada",
            "absentHost": false,
            "createdAt": "2027-03-01T08:00:00.000Z",
            "updatedAt": "2027-03-01T08:00:00.000Z",
            "attendees": [{
                "name": "Zoë Łukasik", "email": "zoe@example.org", "displayEmail": "zoe@example.org",
                "timeZone": "Europe/Rome", "absent": false, "language": "en",
            }],
            "bookingFieldsResponses": {"name": "Zoë Łukasik", "email": "zoe@example.org", "goals": "Move our calendar"},
            "guests": ["sam@example.org"],
            "metadata": {"campaign": "spring"},
        }),
        "Role" => json!({
            "id": "7c0a51d2-0f5e-4c5b-9d35-1f0f6f3b2a11",
            "name": "Scheduler",
            "color": "#0f766e",
            "description": "Looks after the team's calendar",
            "teamId": 1,
            "type": "CUSTOM",
            "permissions": ["booking.read", "booking.readTeamBookings", "booking.update"],
            "createdAt": "2027-03-01T08:00:00.000Z",
            "updatedAt": "2027-03-01T08:00:00.000Z",
        }),
        "WebhookDelivery" => json!({
            "id": "msg_2d1f0b7e-6c1a-4f43-9a55-8f0c3d9d6e21_1803888000000_7",
            "triggerEvent": "BOOKING_CREATED",
            "status": "waiting",
            "attempts": 2,
            "createdAt": "2027-03-01T08:00:00.000Z",
            "nextAttemptAt": "2027-03-01T08:05:05.000Z",
            "lastStatus": 500,
            "lastProblem": "answered 500",
        }),
        _ => return None,
    })
}
