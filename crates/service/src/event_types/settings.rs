//! The settings of an event type that are objects of their own (contract 3.3). Each is switched
//! off by `{disabled: true}`, whatever else the object holds, which is stored as its absence.

use booking_wire::JsonMap;
use chrono::NaiveDate;
use serde_json::{Value, json};

use crate::event_types::readers::{Rule, array, flag, object, url, whole_between, word, words};
use crate::validate::{Checks, Object, is_color};

/// Key that switches a setting off.
const DISABLED: &str = "disabled";

const PERIODS: [&str; 4] = ["day", "week", "month", "year"];

/// The object at `path`, unless it is switched off.
enum Switch<'a> {
    Off,
    On(&'a JsonMap),
}

fn switch<'a>(path: &str, value: &'a Value, checks: &mut Checks) -> Option<Switch<'a>> {
    let map = object(path, value, checks)?;
    match map.get(DISABLED) {
        None | Some(Value::Null | Value::Bool(false)) => Some(Switch::On(map)),
        Some(Value::Bool(true)) => Some(Switch::Off),
        Some(other) => {
            let path = format!("{path}.{DISABLED}");
            checks.complain(&path, other, "isBoolean", "must be a boolean value");
            None
        }
    }
}

/// The properties of an object by their rules. Those without a default must be there.
fn read(
    path: &str,
    map: &JsonMap,
    rules: &[(&str, Rule, Option<Value>)],
    checks: &mut Checks,
) -> Option<JsonMap> {
    let mut known: Vec<&str> = rules.iter().map(|(key, ..)| *key).collect();
    known.push(DISABLED);
    Object::new(map, &format!("{path}.")).ignore_unknown(&known);
    let mut found = JsonMap::new();
    let mut complete = true;
    for (key, rule, default) in rules {
        let given = map.get(*key).filter(|value| !value.is_null());
        let value = match (given, default) {
            (None, Some(default)) => Some(default.clone()),
            (given, _) => rule(
                &format!("{path}.{key}"),
                given.unwrap_or(&Value::Null),
                checks,
            ),
        };
        match value {
            // A default of null is to be left out.
            Some(Value::Null) => {}
            Some(value) => {
                found.insert((*key).to_owned(), value);
            }
            None => complete = false,
        }
    }
    complete.then_some(found)
}

/// A setting that can be switched off, by the rules of its properties.
fn setting(
    path: &str,
    value: &Value,
    rules: &[(&str, Rule, Option<Value>)],
    checks: &mut Checks,
) -> Option<Value> {
    match switch(path, value, checks)? {
        Switch::Off => Some(Value::Null),
        Switch::On(map) => read(path, map, rules, checks).map(Value::Object),
    }
}

fn off() -> Option<Value> {
    Some(Value::Bool(false))
}

pub(super) fn recurrence(path: &str, value: &Value, checks: &mut Checks) -> Option<Value> {
    fn frequency(path: &str, value: &Value, checks: &mut Checks) -> Option<Value> {
        word(&["weekly", "monthly", "yearly"], path, value, checks).map(|word| json!(word))
    }
    setting(
        path,
        value,
        &[
            ("interval", whole_between::<1, 52>, None),
            ("occurrences", whole_between::<1, 100>, None),
            ("frequency", frequency, None),
        ],
        checks,
    )
}

pub(super) fn window(path: &str, value: &Value, checks: &mut Checks) -> Option<Value> {
    let map = match switch(path, value, checks)? {
        Switch::Off => return Some(Value::Null),
        Switch::On(map) => map,
    };
    let kind = word(
        &["businessDays", "calendarDays", "range"],
        &format!("{path}.type"),
        map.get("type").unwrap_or(&Value::Null),
        checks,
    )?;
    let kind_of: Rule = |_, value, _| Some(value.clone());
    let mut read = if kind == "range" {
        let rules: [(&str, Rule, Option<Value>); 2] =
            [("type", kind_of, None), ("value", dates, None)];
        read(path, map, &rules, checks)?
    } else {
        let rules: [(&str, Rule, Option<Value>); 3] = [
            ("type", kind_of, None),
            ("value", whole_between::<1, 3650>, None),
            ("rolling", flag, off()),
        ];
        read(path, map, &rules, checks)?
    };
    read.insert("type".into(), json!(kind));
    Some(Value::Object(read))
}

/// Two dates in order. A time of day behind one of them means nothing and is dropped.
fn dates(path: &str, value: &Value, checks: &mut Checks) -> Option<Value> {
    let ends = array(path, value, 2..=2, checks)?;
    let mut dates = Vec::with_capacity(2);
    for (place, end) in ends.iter().enumerate() {
        let text = end.as_str().unwrap_or_default();
        let (date, rest) = text.split_at_checked(10).unwrap_or_default();
        let read = date
            .parse::<NaiveDate>()
            .ok()
            .filter(|_| rest.is_empty() || booking_wire::Instant::parse(text).is_some());
        match read {
            Some(date) => dates.push(date),
            None => {
                let path = format!("{path}.{place}");
                checks.complain(&path, end, "isDateString", "must be a date like 2027-03-29");
            }
        }
    }
    let [from, to] = dates.as_slice() else {
        return None;
    };
    if to < from {
        checks.complain(path, value, "isAfter", "must not end before it begins");
        return None;
    }
    Some(json!([from.to_string(), to.to_string()]))
}

pub(super) fn limits_count(path: &str, value: &Value, checks: &mut Checks) -> Option<Value> {
    limits(path, value, whole_between::<1, 100_000>, checks)
}

pub(super) fn limits_duration(path: &str, value: &Value, checks: &mut Checks) -> Option<Value> {
    fn quarters(path: &str, value: &Value, checks: &mut Checks) -> Option<Value> {
        let read = whole_between::<15, 525_600>(path, value, checks)?;
        if read.as_i64().is_some_and(|minutes| minutes % 15 != 0) {
            checks.complain(path, value, "isDivisibleBy", "must be a multiple of 15");
            return None;
        }
        Some(read)
    }
    limits(path, value, quarters, checks)
}

fn limits(path: &str, value: &Value, rule: Rule, checks: &mut Checks) -> Option<Value> {
    let none = || Some(Value::Null);
    let rules = PERIODS.map(|period| (period, rule, none()));
    let read = setting(path, value, &rules, checks)?;
    let Some(map) = read.as_object() else {
        return Some(read);
    };
    if map.is_empty() {
        checks.complain(
            path,
            value,
            "isNotEmpty",
            "must limit a day, week, month or year",
        );
        return None;
    }
    // A longer period with a lower limit would make the shorter one's meaningless.
    let mut shorter: Option<(&str, i64)> = None;
    for period in PERIODS {
        let Some(limit) = map.get(period).and_then(Value::as_i64) else {
            continue;
        };
        if let Some((name, lower)) = shorter
            && limit < lower
        {
            checks.complain(
                &format!("{path}.{period}"),
                &json!(limit),
                "ascending",
                &format!("must not be less than the limit of a {name}"),
            );
            return None;
        }
        shorter = Some((period, limit));
    }
    Some(read)
}

pub(super) fn active_bookings(path: &str, value: &Value, checks: &mut Checks) -> Option<Value> {
    setting(
        path,
        value,
        &[
            ("maximumActiveBookings", whole_between::<1, 10_000>, None),
            ("offerReschedule", flag, off()),
        ],
        checks,
    )
}

pub(super) fn confirmation(path: &str, value: &Value, checks: &mut Checks) -> Option<Value> {
    fn kind(path: &str, value: &Value, checks: &mut Checks) -> Option<Value> {
        word(&["always", "time"], path, value, checks).map(|word| json!(word))
    }
    fn unit(path: &str, value: &Value, checks: &mut Checks) -> Option<Value> {
        word(&["minutes", "hours"], path, value, checks).map(|word| json!(word))
    }
    fn threshold(path: &str, value: &Value, checks: &mut Checks) -> Option<Value> {
        let map = object(path, value, checks)?;
        let rules: [(&str, Rule, Option<Value>); 2] = [
            ("unit", unit, None),
            ("count", whole_between::<1, 100_000>, None),
        ];
        read(path, map, &rules, checks).map(Value::Object)
    }
    let mut read = setting(
        path,
        value,
        &[
            ("type", kind, None),
            ("noticeThreshold", threshold, Some(Value::Null)),
            ("blockUnconfirmedBookingsInBooker", flag, off()),
        ],
        checks,
    )?;
    let Some(policy) = read.as_object_mut() else {
        return Some(read);
    };
    if policy.get("type").and_then(Value::as_str) != Some("time") {
        // Means nothing where every booking waits.
        policy.remove("noticeThreshold");
    } else if !policy.contains_key("noticeThreshold") {
        checks.complain(
            &format!("{path}.noticeThreshold"),
            &Value::Null,
            "dependsOn",
            "must be given with the type time",
        );
        return None;
    }
    Some(read)
}

pub(super) fn seats(path: &str, value: &Value, checks: &mut Checks) -> Option<Value> {
    setting(
        path,
        value,
        &[
            ("seatsPerTimeSlot", whole_between::<1, 1000>, None),
            ("showAttendeeInfo", flag, off()),
            ("showAvailabilityCount", flag, off()),
        ],
        checks,
    )
}

pub(super) fn no_cancelling(path: &str, value: &Value, checks: &mut Checks) -> Option<Value> {
    let map = object(path, value, checks)?;
    read(path, map, &[("disabled", flag, off())], checks).map(Value::Object)
}

pub(super) fn no_rescheduling(path: &str, value: &Value, checks: &mut Checks) -> Option<Value> {
    let map = object(path, value, checks)?;
    let rules: [(&str, Rule, Option<Value>); 2] = [
        ("disabled", flag, off()),
        (
            "minutesBefore",
            whole_between::<1, 527_040>,
            Some(Value::Null),
        ),
    ];
    read(path, map, &rules, checks).map(Value::Object)
}

pub(super) fn layouts(path: &str, value: &Value, checks: &mut Checks) -> Option<Value> {
    fn layout(path: &str, value: &Value, checks: &mut Checks) -> Option<Value> {
        word(&["month", "week", "column"], path, value, checks).map(|word| json!(word))
    }
    fn enabled(path: &str, value: &Value, checks: &mut Checks) -> Option<Value> {
        let mut layouts: Vec<Value> = Vec::new();
        for (place, value) in array(path, value, 1..=3, checks)?.iter().enumerate() {
            let path = format!("{path}.{place}");
            let read = layout(&path, value, checks)?;
            if layouts.contains(&read) {
                checks.complain(&path, value, "arrayUnique", "is named twice");
                return None;
            }
            layouts.push(read);
        }
        Some(json!(layouts))
    }
    let Switch::On(map) = switch(path, value, checks)? else {
        return Some(Value::Null);
    };
    let rules: [(&str, Rule, Option<Value>); 2] = [
        ("defaultLayout", layout, None),
        ("enabledLayouts", enabled, None),
    ];
    let read = read(path, map, &rules, checks)?;
    let enabled = read.get("enabledLayouts").and_then(Value::as_array);
    if let (Some(first), Some(enabled)) = (read.get("defaultLayout"), enabled)
        && !enabled.contains(first)
    {
        let path = format!("{path}.enabledLayouts");
        checks.complain(
            &path,
            &json!(enabled),
            "containsDefault",
            "must contain defaultLayout",
        );
        return None;
    }
    Some(Value::Object(read))
}

pub(super) fn color(path: &str, value: &Value, checks: &mut Checks) -> Option<Value> {
    fn hex(path: &str, value: &Value, checks: &mut Checks) -> Option<Value> {
        let read = value.as_str().filter(|text| is_color(text));
        if read.is_none() {
            checks.complain(
                path,
                value,
                "isHexColor",
                "must be a colour like #1A2 or #1A2B3C",
            );
        }
        read.map(|text| json!(text))
    }
    let rules: [(&str, Rule, Option<Value>); 2] =
        [("lightThemeHex", hex, None), ("darkThemeHex", hex, None)];
    setting(path, value, &rules, checks)
}

pub(super) fn email_settings(path: &str, value: &Value, checks: &mut Checks) -> Option<Value> {
    let map = object(path, value, checks)?;
    let rules: [(&str, Rule, Option<Value>); 2] = [
        ("disableEmailsToAttendees", flag, off()),
        ("disableEmailsToHosts", flag, off()),
    ];
    read(path, map, &rules, checks).map(Value::Object)
}

pub(super) fn destination_calendar(
    path: &str,
    value: &Value,
    checks: &mut Checks,
) -> Option<Value> {
    let map = object(path, value, checks)?;
    let rules: [(&str, Rule, Option<Value>); 2] = [
        ("integration", words::<255>, None),
        ("externalId", words::<1000>, None),
    ];
    read(path, map, &rules, checks).map(Value::Object)
}

pub(super) fn cal_video_settings(path: &str, value: &Value, checks: &mut Checks) -> Option<Value> {
    const FLAGS: [&str; 7] = [
        "disableRecordingForOrganizer",
        "disableRecordingForGuests",
        "enableAutomaticRecordingForOrganizer",
        "enableAutomaticTranscription",
        "disableTranscriptionForGuests",
        "disableTranscriptionForOrganizer",
        "sendTranscriptionEmails",
    ];
    let map = object(path, value, checks)?;
    let mut rules: Vec<(&str, Rule, Option<Value>)> = FLAGS
        .iter()
        .map(|key| (*key, flag as Rule, Some(Value::Null)))
        .collect();
    rules.push(("redirectUrlOnExit", url, Some(Value::Null)));
    read(path, map, &rules, checks).map(Value::Object)
}
