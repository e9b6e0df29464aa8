//! What is said of an event type, in the words of version 2.

use booking_wire::JsonMap;
use booking_wire::v1::EventType;
use chrono_tz::Tz;
use serde_json::{Value, json};

use super::fields::{CLAIM, is_said, off};
use super::settings::{limits, locations, seats, window};
use crate::error::Result;
use crate::event_types::access::FIELD_KEYS;
use crate::store::event_types::record::Record;
use crate::validate::{Checks, Object, slug_of, whole};

/// Where an event type's document keeps what only version 1 knows.
pub(super) const OWN: &str = "versionOne";

/// Properties that version 2 names otherwise, with our names for them.
pub(super) const NAMES: [(&str, &str); 7] = [
    ("lengthInMinutes", "length"),
    ("customName", "eventName"),
    ("recurrence", "recurringEvent"),
    ("bookingWindow", "periodType"),
    ("bookingLimitsCount", "bookingLimits"),
    ("bookingLimitsDuration", "durationLimits"),
    ("seats", "seatsPerTimeSlot"),
];

/// What both versions name the same.
const SAME: [&str; 19] = [
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

/// What was said.
pub(super) struct Said {
    /// In the words of version 2, whose rules are still to be asked.
    pub(super) shared: JsonMap,
    /// What only version 1 knows.
    pub(super) own: JsonMap,
}

/// Reads `body`, which is about `known` unless that is still to be made.
pub(super) fn event_type(body: &JsonMap, known: Option<&Record>) -> Result<Said> {
    let mut checks = Checks::default();
    let object = Object::new(body, "");
    let empty = JsonMap::new();
    let document = known.map_or(&empty, |known| &known.document);
    let mut shared = JsonMap::new();
    for key in SAME {
        if let Some(value) = body.get(key) {
            shared.insert(key.to_owned(), value.clone());
        }
    }
    if let Some(length) = shared.remove("length") {
        shared.insert("lengthInMinutes".into(), length);
    }
    if let Some(name) = body.get("eventName") {
        shared.insert("customName".into(), name.clone());
    }
    if let Some(slug) = shared.remove("slug") {
        let rule = "must hold a letter or a digit";
        let slug = object
            .read("slug", "isSlug", rule, &mut checks, |value| {
                value.as_str().and_then(slug_of)
            })
            .map_or(slug, Value::String);
        shared.insert("slug".into(), slug);
    }
    let parts = [
        ("confirmationPolicy", confirmation(object, &mut checks)),
        ("recurrence", recurrence(object, &mut checks)),
        ("bookingWindow", window(object, document, &mut checks)),
        (
            "bookingLimitsCount",
            limits("bookingLimits", object, &mut checks),
        ),
        (
            "bookingLimitsDuration",
            limits("durationLimits", object, &mut checks),
        ),
        ("seats", seats(object, document, &mut checks)),
        ("locations", locations(object, &mut checks)),
        ("schedulingType", scheduling_type(object, &mut checks)),
        ("hosts", hosts(object, &mut checks)),
    ];
    for (key, part) in parts {
        if let Some(part) = part {
            shared.insert(key.to_owned(), part);
        }
    }
    check_field_keys(body, &mut checks);
    let own = own(object, &mut checks);
    checks.finish()?;
    Ok(Said { shared, own })
}

/// Refuses unknown keys of booking fields, which version 2 ignores.
fn check_field_keys(body: &JsonMap, checks: &mut Checks) {
    let fields = body.get("bookingFields").and_then(Value::as_array);
    for (index, field) in fields.into_iter().flatten().enumerate() {
        if let Some(field) = field.as_object() {
            Object::new(field, &format!("bookingFields.{index}.")).allow(&FIELD_KEYS, checks);
        }
    }
}

fn confirmation(object: Object<'_>, checks: &mut Checks) -> Option<Value> {
    if !is_said(object, "requiresConfirmation") {
        return None;
    }
    let key = "requiresConfirmation";
    let asked = object.read(key, "isBoolean", CLAIM, checks, Value::as_bool);
    Some(match asked {
        Some(true) => json!({"type": "always"}),
        _ => off(),
    })
}

fn recurrence(object: Object<'_>, checks: &mut Checks) -> Option<Value> {
    if object.is_null("recurringEvent") {
        return Some(off());
    }
    let map = object.object("recurringEvent", checks)?;
    let series = Object::new(map, "recurringEvent.");
    series.allow(&["freq", "interval", "count"], checks);
    let rule = "must be 0 for yearly, 1 for monthly or 2 for weekly";
    if series.value("freq").is_none() {
        checks.complain("recurringEvent.freq", &Value::Null, "isEnum", rule);
    }
    let frequency = series.read("freq", "isEnum", rule, checks, |value| {
        whole(value).and_then(EventType::frequency)
    });
    Some(json!({
        "frequency": frequency,
        "interval": series.value("interval"),
        "occurrences": series.value("count"),
    }))
    .filter(|_| frequency.is_some())
}

fn scheduling_type(object: Object<'_>, checks: &mut Checks) -> Option<Value> {
    let rule = "must be one of: ROUND_ROBIN, COLLECTIVE, MANAGED";
    object.read("schedulingType", "isEnum", rule, checks, |value| {
        let known = SCHEDULING_TYPES.iter().find(|(name, _)| value == name)?;
        Some(json!(known.1))
    })
}

/// A scheduling type of version 2 by our name for it.
pub(super) fn written_scheduling_type(name: &str) -> Option<String> {
    let known = SCHEDULING_TYPES
        .iter()
        .find(|(_, theirs)| *theirs == name)?;
    Some(known.0.to_owned())
}

/// Hosts, or those who have one of their own that follows a managed one: version 2 calls both hosts.
fn hosts(object: Object<'_>, checks: &mut Checks) -> Option<Value> {
    let key = match object.value("children") {
        Some(children) if object.value("hosts").is_some() => {
            let complaint = "cannot be used together with hosts";
            checks.complain("children", children, "oneSource", complaint);
            return None;
        }
        Some(_) => "children",
        None => "hosts",
    };
    let list = object.read(key, "isArray", "must be an array", checks, Value::as_array)?;
    let mut hosts = Vec::with_capacity(list.len());
    for (place, value) in list.iter().enumerate() {
        let prefix = format!("{key}.{place}.");
        let Some(map) = value.as_object() else {
            let path = format!("{key}.{place}");
            checks.complain(&path, value, "isObject", "must be an object");
            continue;
        };
        let host = Object::new(map, &prefix);
        let known: &[&str] = match key {
            "hosts" => &["userId", "isFixed"],
            _ => &["userId"],
        };
        host.allow(known, checks);
        let fixed = host.read("isFixed", "isBoolean", CLAIM, checks, Value::as_bool);
        hosts.push(json!({
            "userId": host.value("userId"),
            "mandatory": fixed.unwrap_or(false),
        }));
    }
    Some(Value::Array(hosts))
}

fn own(object: Object<'_>, checks: &mut Checks) -> JsonMap {
    let mut own = JsonMap::new();
    for key in ["position", "timeZone"] {
        if object.is_null(key) {
            own.insert(key.to_owned(), Value::Null);
        }
    }
    let rule = "must be a whole number from 0 to 1000000";
    let position = object.read("position", "isInt", rule, checks, |value| {
        whole(value).filter(|place| (0..=1_000_000).contains(place))
    });
    let rule = "must be a valid IANA time-zone";
    let zone = object.read("timeZone", "isTimeZone", rule, checks, |value| {
        value.as_str().filter(|text| text.parse::<Tz>().is_ok())
    });
    own.extend(position.map(|position| ("position".to_owned(), json!(position))));
    own.extend(zone.map(|zone| ("timeZone".to_owned(), json!(zone))));
    own
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shared(body: Value) -> Value {
        let Value::Object(body) = body else {
            return Value::Null;
        };
        event_type(&body, None).map_or(Value::Null, |said| Value::Object(said.shared))
    }

    #[test]
    fn every_word_has_one_of_version_2() {
        for (ours, theirs) in [
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
            assert_eq!(shared(ours.clone()), theirs, "{ours}");
        }
    }

    #[test]
    fn what_means_nothing_is_refused() {
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
            assert_eq!(shared(body.clone()), Value::Null, "{body}");
        }
    }
}
