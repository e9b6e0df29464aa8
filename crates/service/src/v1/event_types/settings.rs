//! Settings that version 2 keeps as objects: the period, limits, seats and places.

use booking_wire::JsonMap;
use serde_json::{Value, json};

use super::fields::{CLAIM, is_said, off};
use crate::validate::{Checks, Object, whole};

const PERIODS: [(&str, &str); 4] = [
    ("PER_DAY", "day"),
    ("PER_WEEK", "week"),
    ("PER_MONTH", "month"),
    ("PER_YEAR", "year"),
];

/// What is said of the period, over what is known of it.
pub(super) fn window(object: Object<'_>, document: &JsonMap, checks: &mut Checks) -> Option<Value> {
    const KEYS: [&str; 5] = [
        "periodType",
        "periodStartDate",
        "periodEndDate",
        "periodDays",
        "periodCountCalendarDays",
    ];
    if !KEYS.iter().any(|key| is_said(object, key)) {
        return None;
    }
    let known = document.get("bookingWindow").unwrap_or(&Value::Null);
    let kind = match object.value("periodType") {
        Some(value) => value.as_str().unwrap_or_default(),
        None => period_type(known),
    };
    let days = number(object, "periodDays", checks).or_else(|| known["value"].as_i64());
    let key = "periodCountCalendarDays";
    let calendar = object.read(key, "isBoolean", CLAIM, checks, Value::as_bool);
    let calendar = calendar.unwrap_or(known["type"] == "calendarDays");
    let end = |key: &str, place: usize| {
        let given = object.value(key).cloned();
        given.unwrap_or_else(|| known["value"][place].clone())
    };
    match kind {
        "UNLIMITED" => Some(off()),
        "ROLLING" | "ROLLING_WINDOW" if days.is_none() => {
            let complaint = "is required with this periodType";
            checks.complain("periodDays", &Value::Null, "isDefined", complaint);
            None
        }
        "ROLLING" | "ROLLING_WINDOW" => Some(json!({
            "type": if calendar { "calendarDays" } else { "businessDays" },
            "value": days,
            "rolling": kind == "ROLLING_WINDOW",
        })),
        "RANGE" => Some(json!({
            "type": "range",
            "value": [end("periodStartDate", 0), end("periodEndDate", 1)],
        })),
        _ => {
            let complaint = "must be one of: UNLIMITED, ROLLING, ROLLING_WINDOW, RANGE";
            let given = object.value("periodType").unwrap_or(&Value::Null);
            checks.complain("periodType", given, "isEnum", complaint);
            None
        }
    }
}

/// The name of a booking window of version 2.
pub(super) fn period_type(window: &Value) -> &'static str {
    match window["type"].as_str() {
        Some("range") => "RANGE",
        Some(_) if window["rolling"] == true => "ROLLING_WINDOW",
        Some(_) => "ROLLING",
        None => "UNLIMITED",
    }
}

fn number(object: Object<'_>, key: &str, checks: &mut Checks) -> Option<i64> {
    let rule = "must be a whole number";
    object.read(key, "isInt", rule, checks, whole)
}

pub(super) fn limits(key: &str, object: Object<'_>, checks: &mut Checks) -> Option<Value> {
    if object.is_null(key) {
        return Some(off());
    }
    let map = object.object(key, checks)?;
    let prefix = format!("{key}.");
    let names = PERIODS.map(|(name, _)| name);
    Object::new(map, &prefix).allow(&names, checks);
    let read: JsonMap = PERIODS
        .iter()
        .filter_map(|(name, period)| Some(((*period).to_owned(), map.get(*name)?.clone())))
        .filter(|(_, limit)| !limit.is_null())
        .collect();
    // No limit is no limits.
    Some(if read.is_empty() {
        off()
    } else {
        Value::Object(read)
    })
}

/// Limits of version 2 by our names for the periods.
pub(super) fn written_limits(limits: &Value) -> Option<JsonMap> {
    let written: JsonMap = PERIODS
        .iter()
        .filter_map(|(name, period)| Some(((*name).to_owned(), limits.get(period)?.clone())))
        .collect();
    (!written.is_empty()).then_some(written)
}

pub(super) fn seats(object: Object<'_>, document: &JsonMap, checks: &mut Checks) -> Option<Value> {
    const FLAGS: [(&str, &str); 2] = [
        ("seatsShowAttendees", "showAttendeeInfo"),
        ("seatsShowAvailabilityCount", "showAvailabilityCount"),
    ];
    let known = document.get("seats").unwrap_or(&Value::Null);
    let mut flags = JsonMap::new();
    let mut is_about_seats = is_said(object, "seatsPerTimeSlot");
    for (key, name) in FLAGS {
        let given = object.read(key, "isBoolean", CLAIM, checks, Value::as_bool);
        is_about_seats |= given.is_some();
        if let Some(flag) = given.or_else(|| known[name].as_bool()) {
            flags.insert(name.to_owned(), flag.into());
        }
    }
    if !is_about_seats {
        return None;
    }
    let count = match object.value("seatsPerTimeSlot") {
        Some(count) => count.clone(),
        None if object.is_null("seatsPerTimeSlot") => Value::Null,
        None => known["seatsPerTimeSlot"].clone(),
    };
    if count.is_null() {
        // Without seats there is nothing to show of them.
        return is_said(object, "seatsPerTimeSlot").then(off);
    }
    flags.insert("seatsPerTimeSlot".into(), count);
    Some(Value::Object(flags))
}

pub(super) fn locations(object: Object<'_>, checks: &mut Checks) -> Option<Value> {
    if object.is_null("locations") {
        return Some(Value::Null);
    }
    let rule = "must be an array";
    let list = object.read("locations", "isArray", rule, checks, Value::as_array)?;
    let mut places = Vec::with_capacity(list.len());
    for (number, value) in list.iter().enumerate() {
        let path = format!("locations.{number}");
        match value.as_object() {
            Some(map) => places.extend(location(Object::new(map, &format!("{path}.")), checks)),
            None => checks.complain(&path, value, "isObject", "must be an object"),
        }
    }
    Some(Value::Array(places))
}

fn location(place: Object<'_>, checks: &mut Checks) -> Option<Value> {
    place.allow(&["type", "address", "link", "hostPhoneNumber"], checks);
    let mut needed = |key: &str| place.required_text(key, checks).map(str::to_owned);
    let kind = needed("type")?;
    Some(match kind.as_str() {
        "inPerson" => json!({"type": "address", "address": needed("address")?, "public": true}),
        "link" => json!({"type": "link", "link": needed("link")?, "public": true}),
        "userPhone" => {
            json!({"type": "phone", "phone": needed("hostPhoneNumber")?, "public": true})
        }
        "phone" => json!({"type": "attendeePhone"}),
        "attendeeInPerson" => json!({"type": "attendeeAddress"}),
        "somewhereElse" => json!({"type": "attendeeDefined"}),
        "conferencing" => json!({"type": "organizersDefaultApp"}),
        other => match other.strip_prefix("integrations:") {
            Some(slug) => json!({"type": "integration", "integration": slug}),
            None => {
                let complaint = "must be one of: inPerson, link, userPhone, phone, attendeeInPerson, \
                                 somewhereElse, conferencing, or integrations: and a slug";
                checks.complain(&place.path("type"), &json!(other), "isEnum", complaint);
                return None;
            }
        },
    })
}
