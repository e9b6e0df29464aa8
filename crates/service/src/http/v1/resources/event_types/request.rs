//! Translates request bodies for event types to the format of version 2.

use booking_wire::JsonMap;
use booking_wire::v1::EventType;
use booking_zones::Zone;
use serde_json::{Value, json};

use super::fields::{BOOLEAN_RULE, disabled, is_present};
use super::settings::{booking_window, limits, locations, seats};
use crate::domain::event_types::access::FIELD_KEYS;
use crate::error::Result;
use crate::store::event_types::record::Record;
use crate::validate::{Checks, Object, integer, slug_of};

/// Key of the fields in an event type's document that only version 1 has.
pub(super) const V1_FIELDS_KEY: &str = "versionOne";

/// Properties with different names in version 2 and version 1.
pub(super) const NAMES: [(&str, &str); 7] = [
    ("lengthInMinutes", "length"),
    ("customName", "eventName"),
    ("recurrence", "recurringEvent"),
    ("bookingWindow", "periodType"),
    ("bookingLimitsCount", "bookingLimits"),
    ("bookingLimitsDuration", "durationLimits"),
    ("seats", "seatsPerTimeSlot"),
];

/// Largest position of an event type in its owner's list.
const MAX_POSITION: i64 = 1_000_000;

/// Keys that need no translation, except `slug` and `length`.
const SHARED_KEYS: [&str; 19] = [
    "title",
    "description",
    "hidden",
    "metadata",
    "scheduleId",
    "minimumBookingNotice",
    "beforeEventBuffer",
    "afterEventBuffer",
    "slotInterval",
    "price",
    "currency",
    "successRedirectUrl",
    "disableGuests",
    "hideCalendarNotes",
    "onlyShowFirstAvailableSlot",
    "assignAllTeamMembers",
    "bookingFields",
    "slug",
    "length",
];

const SCHEDULING_TYPES: [(&str, &str); 3] = [
    ("ROUND_ROBIN", "roundRobin"),
    ("COLLECTIVE", "collective"),
    ("MANAGED", "managed"),
];

/// Parsed request body.
pub(super) struct EventTypeRequest {
    /// Body in the format of version 2, not yet validated by its rules.
    pub(super) v2_body: JsonMap,
    /// Fields that only version 1 has.
    pub(super) v1_fields: JsonMap,
}

/// Parses the body of an update of `current`, or of a creation.
pub(super) fn event_type(body: &JsonMap, current: Option<&Record>) -> Result<EventTypeRequest> {
    let mut checks = Checks::default();
    let object = Object::new(body, "");
    let empty = JsonMap::new();
    let document = current.map_or(&empty, |current| &current.document);
    let mut v2_body = JsonMap::new();
    for key in SHARED_KEYS {
        if let Some(value) = body.get(key) {
            v2_body.insert(key.to_owned(), value.clone());
        }
    }
    if let Some(length) = v2_body.remove("length") {
        v2_body.insert("lengthInMinutes".into(), length);
    }
    if let Some(name) = body.get("eventName") {
        v2_body.insert("customName".into(), name.clone());
    }
    if let Some(slug) = v2_body.remove("slug") {
        let rule = "must hold a letter or a digit";
        let slug = object
            .read("slug", "isSlug", rule, &mut checks, |value| {
                value.as_str().and_then(slug_of)
            })
            .map_or(slug, Value::String);
        v2_body.insert("slug".into(), slug);
    }
    let settings = [
        ("confirmationPolicy", confirmation(&object, &mut checks)),
        ("recurrence", recurrence(&object, &mut checks)),
        (
            "bookingWindow",
            booking_window(&object, document, &mut checks),
        ),
        (
            "bookingLimitsCount",
            limits("bookingLimits", &object, &mut checks),
        ),
        (
            "bookingLimitsDuration",
            limits("durationLimits", &object, &mut checks),
        ),
        ("seats", seats(&object, document, &mut checks)),
        ("locations", locations(&object, &mut checks)),
        ("schedulingType", scheduling_type(&object, &mut checks)),
        ("hosts", hosts(&object, &mut checks)),
    ];
    for (key, value) in settings {
        if let Some(value) = value {
            v2_body.insert(key.to_owned(), value);
        }
    }
    check_field_keys(body, &mut checks);
    let v1_fields = v1_fields(&object, &mut checks);
    checks.finish()?;
    Ok(EventTypeRequest { v2_body, v1_fields })
}

/// Rejects unknown keys of booking fields, which version 2 ignores.
fn check_field_keys(body: &JsonMap, checks: &mut Checks) {
    let fields = body.get("bookingFields").and_then(Value::as_array);
    for (index, field) in fields.into_iter().flatten().enumerate() {
        if let Some(field) = field.as_object() {
            Object::new(field, &format!("bookingFields.{index}.")).allow(&FIELD_KEYS, checks);
        }
    }
}

fn confirmation(object: &Object<'_>, checks: &mut Checks) -> Option<Value> {
    if !is_present(object, "requiresConfirmation") {
        return None;
    }
    let key = "requiresConfirmation";
    let required = object.read(key, "isBoolean", BOOLEAN_RULE, checks, Value::as_bool);
    Some(match required {
        Some(true) => json!({"type": "always"}),
        _ => disabled(),
    })
}

fn recurrence(object: &Object<'_>, checks: &mut Checks) -> Option<Value> {
    if object.is_null("recurringEvent") {
        return Some(disabled());
    }
    let map = object.object("recurringEvent", checks)?;
    let series = Object::new(map, "recurringEvent.");
    series.allow(&["freq", "interval", "count"], checks);
    let rule = "must be 0 for yearly, 1 for monthly or 2 for weekly";
    if series.value("freq").is_none() {
        checks.report("recurringEvent.freq", &Value::Null, "isEnum", rule);
    }
    let frequency = series.read("freq", "isEnum", rule, checks, |value| {
        integer(value).and_then(EventType::frequency)
    });
    Some(json!({
        "frequency": frequency,
        "interval": series.value("interval"),
        "occurrences": series.value("count"),
    }))
    .filter(|_| frequency.is_some())
}

fn scheduling_type(object: &Object<'_>, checks: &mut Checks) -> Option<Value> {
    let rule = "must be one of: ROUND_ROBIN, COLLECTIVE, MANAGED";
    object.read("schedulingType", "isEnum", rule, checks, |value| {
        let (_, v2_name) = SCHEDULING_TYPES.iter().find(|(name, _)| value == name)?;
        Some(json!(v2_name))
    })
}

/// Name of a scheduling type of version 2 in version 1.
pub(super) fn scheduling_type_name(name: &str) -> Option<String> {
    let (v1_name, _) = SCHEDULING_TYPES
        .iter()
        .find(|(_, v2_name)| *v2_name == name)?;
    Some((*v1_name).to_owned())
}

/// Hosts, or the users with a copy of a managed event type: version 2 calls both hosts.
fn hosts(object: &Object<'_>, checks: &mut Checks) -> Option<Value> {
    let key = match object.value("children") {
        Some(children) if object.value("hosts").is_some() => {
            let message = "cannot be used together with hosts";
            checks.report("children", children, "oneSource", message);
            return None;
        }
        Some(_) => "children",
        None => "hosts",
    };
    let list = object.array(key, checks)?;
    let mut hosts = Vec::with_capacity(list.len());
    for (index, value) in list.iter().enumerate() {
        let prefix = format!("{key}.{index}.");
        let Some(map) = value.as_object() else {
            let path = format!("{key}.{index}");
            checks.report(&path, value, "isObject", "must be an object");
            continue;
        };
        let host = Object::new(map, &prefix);
        let accepted: &[&str] = match key {
            "hosts" => &["userId", "isFixed"],
            _ => &["userId"],
        };
        host.allow(accepted, checks);
        let fixed = host.read("isFixed", "isBoolean", BOOLEAN_RULE, checks, Value::as_bool);
        hosts.push(json!({
            "userId": host.value("userId"),
            "mandatory": fixed.unwrap_or(false),
        }));
    }
    Some(Value::Array(hosts))
}

fn v1_fields(object: &Object<'_>, checks: &mut Checks) -> JsonMap {
    let mut fields = JsonMap::new();
    for key in ["position", "timeZone"] {
        if object.is_null(key) {
            fields.insert(key.to_owned(), Value::Null);
        }
    }
    let rule = format!("must be a whole number from 0 to {MAX_POSITION}");
    let position = object.read("position", "isInt", &rule, checks, |value| {
        integer(value).filter(|position| (0..=MAX_POSITION).contains(position))
    });
    let rule = "must be a valid IANA time-zone";
    let zone = object.read("timeZone", "isTimeZone", rule, checks, |value| {
        value.as_str().filter(|text| Zone::named(text).is_some())
    });
    fields.extend(position.map(|position| ("position".to_owned(), json!(position))));
    fields.extend(zone.map(|zone| ("timeZone".to_owned(), json!(zone))));
    fields
}

#[cfg(test)]
mod tests {
    use super::*;

    fn v2_body(body: Value) -> Value {
        let Value::Object(body) = body else {
            return Value::Null;
        };
        event_type(&body, None).map_or(Value::Null, |request| Value::Object(request.v2_body))
    }

    #[test]
    fn body_is_translated_to_version_2() {
        for (v1, v2) in [
            (json!({"length": 30}), json!({"lengthInMinutes": 30})),
            (json!({"slug": "My Talk"}), json!({"slug": "my-talk"})),
            (
                json!({"eventName": "{HOST}"}),
                json!({"customName": "{HOST}"}),
            ),
            (
                json!({"requiresConfirmation": true}),
                json!({"confirmationPolicy": {"type": "always"}}),
            ),
            (
                json!({"requiresConfirmation": null}),
                json!({"confirmationPolicy": {"disabled": true}}),
            ),
            (
                json!({"recurringEvent": {"freq": 2, "interval": 1, "count": 4}}),
                json!({"recurrence": {"frequency": "weekly", "interval": 1, "occurrences": 4}}),
            ),
            (
                json!({"periodType": "ROLLING", "periodDays": 30}),
                json!({"bookingWindow": {"type": "businessDays", "value": 30, "rolling": false}}),
            ),
            (
                json!({"periodType": "ROLLING_WINDOW", "periodDays": 3, "periodCountCalendarDays": true}),
                json!({"bookingWindow": {"type": "calendarDays", "value": 3, "rolling": true}}),
            ),
            (
                json!({"bookingLimits": {"PER_DAY": 2, "PER_WEEK": null}}),
                json!({"bookingLimitsCount": {"day": 2}}),
            ),
            (
                json!({"durationLimits": {}}),
                json!({"bookingLimitsDuration": {"disabled": true}}),
            ),
            (
                json!({"seatsPerTimeSlot": 4, "seatsShowAttendees": true}),
                json!({"seats": {"seatsPerTimeSlot": 4, "showAttendeeInfo": true}}),
            ),
            (json!({"seatsShowAttendees": true}), json!({})),
            (
                json!({"locations": [{"type": "integrations:zoom"}, {"type": "phone"}]}),
                json!({"locations": [{"type": "integration", "integration": "zoom"}, {"type": "attendeePhone"}]}),
            ),
            (
                json!({"schedulingType": "MANAGED", "children": [{"userId": 5}]}),
                json!({"schedulingType": "managed", "hosts": [{"userId": 5, "mandatory": false}]}),
            ),
        ] {
            assert_eq!(v2_body(v1.clone()), v2, "{v1}");
        }
    }

    #[test]
    fn invalid_body_is_rejected() {
        for body in [
            json!({"slug": "--"}),
            json!({"slug": 5}),
            json!({"requiresConfirmation": "yes"}),
            json!({"recurringEvent": {"freq": 3, "interval": 1, "count": 4}}),
            json!({"recurringEvent": {"interval": 1, "count": 4}}),
            json!({"recurringEvent": {"freq": 1, "interval": 1, "count": 4, "until": 1}}),
            json!({"periodType": "ROLLING"}),
            json!({"periodType": "SOMETIMES"}),
            json!({"bookingLimits": {"PER_HOUR": 1}}),
            json!({"bookingLimits": 3}),
            json!({"locations": [{"type": "inPerson"}]}),
            json!({"locations": [{"type": "moon"}]}),
            json!({"locations": ["link"]}),
            json!({"schedulingType": "roundRobin"}),
            json!({"hosts": [], "children": []}),
            json!({"hosts": [{"userId": 5, "mandatory": true}]}),
            json!({"position": -1}),
            json!({"timeZone": "Mars/Olympus"}),
        ] {
            assert_eq!(v2_body(body.clone()), Value::Null, "{body}");
        }
    }
}
