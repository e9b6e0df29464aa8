//! Settings that are objects in version 2: booking window, limits, seats and locations.

use booking_wire::JsonMap;
use serde_json::{Value, json};

use super::fields::{BOOLEAN_RULE, disabled, is_present};
use crate::validate::{Checks, Object, integer};

const PERIODS: [(&str, &str); 4] = [
    ("PER_DAY", "day"),
    ("PER_WEEK", "week"),
    ("PER_MONTH", "month"),
    ("PER_YEAR", "year"),
];

/// Parses the booking window; absent keys keep the values of `document`.
pub(super) fn booking_window(
    object: &Object<'_>,
    document: &JsonMap,
    checks: &mut Checks,
) -> Option<Value> {
    const KEYS: [&str; 5] = [
        "periodType",
        "periodStartDate",
        "periodEndDate",
        "periodDays",
        "periodCountCalendarDays",
    ];
    if !KEYS.iter().any(|key| is_present(object, key)) {
        return None;
    }
    let current = document.get("bookingWindow").unwrap_or(&Value::Null);
    let kind = match object.value("periodType") {
        Some(value) => value.as_str().unwrap_or_default(),
        None => period_type(current),
    };
    let days = days(object, "periodDays", checks).or_else(|| current["value"].as_i64());
    let key = "periodCountCalendarDays";
    let calendar = object.read(key, "isBoolean", BOOLEAN_RULE, checks, Value::as_bool);
    let calendar = calendar.unwrap_or(current["type"] == "calendarDays");
    let date = |key: &str, index: usize| {
        let value = object.value(key).cloned();
        value.unwrap_or_else(|| current["value"][index].clone())
    };
    match kind {
        "UNLIMITED" => Some(disabled()),
        "ROLLING" | "ROLLING_WINDOW" if days.is_none() => {
            let message = "is required with this periodType";
            checks.report("periodDays", &Value::Null, "isDefined", message);
            None
        }
        "ROLLING" | "ROLLING_WINDOW" => Some(json!({
            "type": if calendar { "calendarDays" } else { "businessDays" },
            "value": days,
            "rolling": kind == "ROLLING_WINDOW",
        })),
        "RANGE" => Some(json!({
            "type": "range",
            "value": [date("periodStartDate", 0), date("periodEndDate", 1)],
        })),
        _ => {
            let message = "must be one of: UNLIMITED, ROLLING, ROLLING_WINDOW, RANGE";
            let value = object.value("periodType").unwrap_or(&Value::Null);
            checks.report("periodType", value, "isEnum", message);
            None
        }
    }
}

/// Period type of a booking window of version 2.
pub(super) fn period_type(window: &Value) -> &'static str {
    match window["type"].as_str() {
        Some("range") => "RANGE",
        Some(_) if window["rolling"] == true => "ROLLING_WINDOW",
        Some(_) => "ROLLING",
        None => "UNLIMITED",
    }
}

fn days(object: &Object<'_>, key: &str, checks: &mut Checks) -> Option<i64> {
    let rule = "must be a whole number";
    object.read(key, "isInt", rule, checks, integer)
}

/// Parses limits by period.
pub(super) fn limits(key: &str, object: &Object<'_>, checks: &mut Checks) -> Option<Value> {
    if object.is_null(key) {
        return Some(disabled());
    }
    let map = object.object(key, checks)?;
    let prefix = format!("{key}.");
    let names = PERIODS.map(|(name, _)| name);
    Object::new(map, &prefix).allow(&names, checks);
    let limits: JsonMap = PERIODS
        .iter()
        .filter_map(|(name, period)| Some(((*period).to_owned(), map.get(*name)?.clone())))
        .filter(|(_, limit)| !limit.is_null())
        .collect();
    // Without any limit, limits are disabled.
    Some(if limits.is_empty() {
        disabled()
    } else {
        Value::Object(limits)
    })
}

/// Limits of version 2 with the names of the periods in version 1.
pub(super) fn limits_response(limits: &Value) -> Option<JsonMap> {
    let response: JsonMap = PERIODS
        .iter()
        .filter_map(|(name, period)| Some(((*name).to_owned(), limits.get(period)?.clone())))
        .collect();
    (!response.is_empty()).then_some(response)
}

/// Parses seats; absent keys keep the values of `document`.
pub(super) fn seats(object: &Object<'_>, document: &JsonMap, checks: &mut Checks) -> Option<Value> {
    const FLAGS: [(&str, &str); 2] = [
        ("seatsShowAttendees", "showAttendeeInfo"),
        ("seatsShowAvailabilityCount", "showAvailabilityCount"),
    ];
    let current = document.get("seats").unwrap_or(&Value::Null);
    let mut flags = JsonMap::new();
    let mut has_seat_keys = is_present(object, "seatsPerTimeSlot");
    for (key, name) in FLAGS {
        let flag = object.read(key, "isBoolean", BOOLEAN_RULE, checks, Value::as_bool);
        has_seat_keys |= flag.is_some();
        if let Some(flag) = flag.or_else(|| current[name].as_bool()) {
            flags.insert(name.to_owned(), flag.into());
        }
    }
    if !has_seat_keys {
        return None;
    }
    let count = match object.value("seatsPerTimeSlot") {
        Some(count) => count.clone(),
        None if object.is_null("seatsPerTimeSlot") => Value::Null,
        None => current["seatsPerTimeSlot"].clone(),
    };
    if count.is_null() {
        // Without seats, the other keys have no effect.
        return is_present(object, "seatsPerTimeSlot").then(disabled);
    }
    flags.insert("seatsPerTimeSlot".into(), count);
    Some(Value::Object(flags))
}

pub(super) fn locations(object: &Object<'_>, checks: &mut Checks) -> Option<Value> {
    if object.is_null("locations") {
        return Some(Value::Null);
    }
    let rule = "must be an array";
    let list = object.read("locations", "isArray", rule, checks, Value::as_array)?;
    let mut locations = Vec::with_capacity(list.len());
    for (index, value) in list.iter().enumerate() {
        let path = format!("locations.{index}");
        match value.as_object() {
            Some(map) => locations.extend(location(&Object::new(map, &format!("{path}.")), checks)),
            None => checks.report(&path, value, "isObject", "must be an object"),
        }
    }
    Some(Value::Array(locations))
}

fn location(location: &Object<'_>, checks: &mut Checks) -> Option<Value> {
    location.allow(&["type", "address", "link", "hostPhoneNumber"], checks);
    let mut required = |key: &str| location.required_text(key, checks).map(str::to_owned);
    let kind = required("type")?;
    Some(match kind.as_str() {
        "inPerson" => json!({"type": "address", "address": required("address")?, "public": true}),
        "link" => json!({"type": "link", "link": required("link")?, "public": true}),
        "userPhone" => {
            json!({"type": "phone", "phone": required("hostPhoneNumber")?, "public": true})
        }
        "phone" => json!({"type": "attendeePhone"}),
        "attendeeInPerson" => json!({"type": "attendeeAddress"}),
        "somewhereElse" => json!({"type": "attendeeDefined"}),
        "conferencing" => json!({"type": "organizersDefaultApp"}),
        other => match other.strip_prefix("integrations:") {
            Some(slug) => json!({"type": "integration", "integration": slug}),
            None => {
                let message = "must be one of: inPerson, link, userPhone, phone, attendeeInPerson, \
                                 somewhereElse, conferencing, or integrations: and a slug";
                checks.report(&location.path("type"), &json!(other), "isEnum", message);
                return None;
            }
        },
    })
}
