//! Readers of the settings of an event type that are objects. Each is disabled by
//! `{disabled: true}`, with any other keys; a disabled setting is not stored.

use booking_wire::JsonMap;
use chrono::NaiveDate;
use serde_json::{Value, json};

use crate::domain::event_types::readers::{
    Rule, array, flag, integer_between, non_blank_text, object, one_of, url,
};
use crate::validate::{Checks, Object, is_color};

/// Key that disables a setting.
const DISABLED: &str = "disabled";

/// Periods of limits.
const PERIODS: [&str; 4] = ["day", "week", "month", "year"];

/// Maximum of the weeks, months or years between two occurrences of a series.
const MAX_RECURRENCE_INTERVAL: i64 = 52;

/// Reminders of an event type.
const MAX_REMINDERS: usize = 5;

/// Minutes from a reminder to the start.
const MIN_REMINDER_MINUTES: i64 = 5;

/// Maximum of the minutes from a reminder to the start: 30 days.
const MAX_REMINDER_MINUTES: i64 = 30 * 24 * 60;

/// Occurrences of a series.
const MAX_OCCURRENCES: i64 = 100;

/// Days of a booking window.
const MAX_WINDOW_DAYS: i64 = 3_650;

/// Maximum of a limit on the number of bookings in a period.
const MAX_LIMIT_COUNT: i64 = 100_000;

/// Minimum of a limit on the booked time in a period, and its unit, in minutes.
const LIMIT_STEP_MINUTES: i64 = 15;

/// Maximum of a limit on the booked time in a period, in minutes: a year.
const MAX_LIMIT_MINUTES: i64 = 365 * 24 * 60;

/// Maximum of the limit on the upcoming bookings of one person.
const MAX_ACTIVE_BOOKINGS: i64 = 10_000;

/// Maximum notice below which a booking needs confirmation, in its unit (minutes or hours).
const MAX_CONFIRMATION_NOTICE: i64 = 100_000;

/// Seats of one booking.
const MAX_SEATS: i64 = 1_000;

/// Maximum notice below which a booking cannot be rescheduled, in minutes: a year.
const MAX_RESCHEDULING_NOTICE_MINUTES: i64 = 366 * 24 * 60;

/// Characters of the name of a calendar's integration.
const MAX_INTEGRATION_CHARS: usize = 255;

/// Characters of the id of a calendar.
const MAX_CALENDAR_ID_CHARS: usize = 1_000;

/// Layouts of the booking page.
const LAYOUTS: [&str; 3] = ["month", "week", "column"];

/// Key, rule and default of a property. Properties without a default are required.
type Property = (&'static str, Rule, Option<Value>);

/// The object of a setting.
enum Setting<'a> {
    Disabled,
    Enabled(&'a JsonMap),
}

fn read_setting<'a>(path: &str, value: &'a Value, checks: &mut Checks) -> Option<Setting<'a>> {
    let map = object(path, value, checks)?;
    match map.get(DISABLED) {
        None | Some(Value::Null | Value::Bool(false)) => Some(Setting::Enabled(map)),
        Some(Value::Bool(true)) => Some(Setting::Disabled),
        Some(other) => {
            let path = format!("{path}.{DISABLED}");
            checks.reject(&path, other, "isBoolean", "must be a boolean value")
        }
    }
}

/// Reads the properties of an object by their rules.
fn read_properties(
    path: &str,
    map: &JsonMap,
    rules: &[Property],
    checks: &mut Checks,
) -> Option<JsonMap> {
    let mut known: Vec<&str> = rules.iter().map(|(key, ..)| *key).collect();
    known.push(DISABLED);
    Object::new(map, &format!("{path}.")).ignore_unknown(&known);
    let mut found = JsonMap::new();
    let mut is_complete = true;
    for (key, rule, default) in rules {
        let value = map.get(*key).filter(|value| !value.is_null());
        let value = match (value, default) {
            (None, Some(default)) => Some(default.clone()),
            (value, _) => rule(
                &format!("{path}.{key}"),
                value.unwrap_or(&Value::Null),
                checks,
            ),
        };
        match value {
            // A default of null is not stored.
            Some(Value::Null) => {}
            Some(value) => {
                found.insert((*key).to_owned(), value);
            }
            None => is_complete = false,
        }
    }
    is_complete.then_some(found)
}

/// Reads a setting that can be disabled, by the rules of its properties.
fn setting(path: &str, value: &Value, rules: &[Property], checks: &mut Checks) -> Option<Value> {
    match read_setting(path, value, checks)? {
        Setting::Disabled => Some(Value::Null),
        Setting::Enabled(map) => read_properties(path, map, rules, checks).map(Value::Object),
    }
}

fn default_false() -> Option<Value> {
    Some(Value::Bool(false))
}

pub(super) fn recurrence(path: &str, value: &Value, checks: &mut Checks) -> Option<Value> {
    fn frequency(path: &str, value: &Value, checks: &mut Checks) -> Option<Value> {
        one_of(&["weekly", "monthly", "yearly"], path, value, checks).map(|name| json!(name))
    }
    let rules: [Property; 3] = [
        (
            "interval",
            integer_between::<1, MAX_RECURRENCE_INTERVAL>,
            None,
        ),
        ("occurrences", integer_between::<1, MAX_OCCURRENCES>, None),
        ("frequency", frequency, None),
    ];
    setting(path, value, &rules, checks)
}

pub(super) fn booking_window(path: &str, value: &Value, checks: &mut Checks) -> Option<Value> {
    let Setting::Enabled(map) = read_setting(path, value, checks)? else {
        return Some(Value::Null);
    };
    let kind = one_of(
        &["businessDays", "calendarDays", "range"],
        &format!("{path}.type"),
        map.get("type").unwrap_or(&Value::Null),
        checks,
    )?;
    let any: Rule = |_, value, _| Some(value.clone());
    let mut read = if kind == "range" {
        let rules: [Property; 2] = [("type", any, None), ("value", date_range, None)];
        read_properties(path, map, &rules, checks)?
    } else {
        let rules: [Property; 3] = [
            ("type", any, None),
            ("value", integer_between::<1, MAX_WINDOW_DAYS>, None),
            ("rolling", flag, default_false()),
        ];
        read_properties(path, map, &rules, checks)?
    };
    read.insert("type".into(), json!(kind));
    Some(Value::Object(read))
}

/// Two dates in order. A time of day after a date is ignored.
fn date_range(path: &str, value: &Value, checks: &mut Checks) -> Option<Value> {
    let items = array(path, value, 2..=2, checks)?;
    let mut dates = Vec::with_capacity(2);
    for (index, item) in items.iter().enumerate() {
        let text = item.as_str().unwrap_or_default();
        let (date, rest) = text.split_at_checked(10).unwrap_or_default();
        let read = date
            .parse::<NaiveDate>()
            .ok()
            .filter(|_| rest.is_empty() || booking_wire::Instant::parse(text).is_some());
        match read {
            Some(date) => dates.push(date),
            None => {
                let path = format!("{path}.{index}");
                checks.report(
                    &path,
                    item,
                    "isDateString",
                    "must be a date like 2027-03-29",
                );
            }
        }
    }
    let [from, to] = dates.as_slice() else {
        return None;
    };
    if to < from {
        return checks.reject(path, value, "isAfter", "must not end before it begins");
    }
    Some(json!([from.to_string(), to.to_string()]))
}

pub(super) fn limits_count(path: &str, value: &Value, checks: &mut Checks) -> Option<Value> {
    limits(path, value, integer_between::<1, MAX_LIMIT_COUNT>, checks)
}

pub(super) fn limits_duration(path: &str, value: &Value, checks: &mut Checks) -> Option<Value> {
    fn quarters(path: &str, value: &Value, checks: &mut Checks) -> Option<Value> {
        let read = integer_between::<LIMIT_STEP_MINUTES, MAX_LIMIT_MINUTES>(path, value, checks)?;
        if read
            .as_i64()
            .is_some_and(|minutes| minutes % LIMIT_STEP_MINUTES != 0)
        {
            let message = format!("must be a multiple of {LIMIT_STEP_MINUTES}");
            return checks.reject(path, value, "isDivisibleBy", &message);
        }
        Some(read)
    }
    limits(path, value, quarters, checks)
}

fn limits(path: &str, value: &Value, rule: Rule, checks: &mut Checks) -> Option<Value> {
    let rules = PERIODS.map(|period| (period, rule, Some(Value::Null)));
    let read = setting(path, value, &rules, checks)?;
    let Some(map) = read.as_object() else {
        return Some(read);
    };
    if map.is_empty() {
        return checks.reject(
            path,
            value,
            "isNotEmpty",
            "must limit a day, week, month or year",
        );
    }
    // A longer period with a lower limit would make the limit of the shorter one useless.
    let mut shorter: Option<(&str, i64)> = None;
    for period in PERIODS {
        let Some(limit) = map.get(period).and_then(Value::as_i64) else {
            continue;
        };
        if let Some((name, lower)) = shorter
            && limit < lower
        {
            return checks.reject(
                &format!("{path}.{period}"),
                &json!(limit),
                "ascending",
                &format!("must not be less than the limit of a {name}"),
            );
        }
        shorter = Some((period, limit));
    }
    Some(read)
}

pub(super) fn active_bookings(path: &str, value: &Value, checks: &mut Checks) -> Option<Value> {
    let rules: [Property; 2] = [
        (
            "maximumActiveBookings",
            integer_between::<1, MAX_ACTIVE_BOOKINGS>,
            None,
        ),
        ("offerReschedule", flag, default_false()),
    ];
    setting(path, value, &rules, checks)
}

pub(super) fn confirmation(path: &str, value: &Value, checks: &mut Checks) -> Option<Value> {
    fn kind(path: &str, value: &Value, checks: &mut Checks) -> Option<Value> {
        one_of(&["always", "time"], path, value, checks).map(|name| json!(name))
    }
    fn unit(path: &str, value: &Value, checks: &mut Checks) -> Option<Value> {
        one_of(&["minutes", "hours"], path, value, checks).map(|name| json!(name))
    }
    fn threshold(path: &str, value: &Value, checks: &mut Checks) -> Option<Value> {
        let map = object(path, value, checks)?;
        let rules: [Property; 2] = [
            ("unit", unit, None),
            ("count", integer_between::<1, MAX_CONFIRMATION_NOTICE>, None),
        ];
        read_properties(path, map, &rules, checks).map(Value::Object)
    }
    let rules: [Property; 3] = [
        ("type", kind, None),
        ("noticeThreshold", threshold, Some(Value::Null)),
        ("blockUnconfirmedBookingsInBooker", flag, default_false()),
    ];
    let mut read = setting(path, value, &rules, checks)?;
    let Some(policy) = read.as_object_mut() else {
        return Some(read);
    };
    if policy.get("type").and_then(Value::as_str) != Some("time") {
        // Has no effect if every booking needs confirmation.
        policy.remove("noticeThreshold");
    } else if !policy.contains_key("noticeThreshold") {
        return checks.reject(
            &format!("{path}.noticeThreshold"),
            &Value::Null,
            "dependsOn",
            "must be given with the type time",
        );
    }
    Some(read)
}

pub(super) fn seats(path: &str, value: &Value, checks: &mut Checks) -> Option<Value> {
    let rules: [Property; 3] = [
        ("seatsPerTimeSlot", integer_between::<1, MAX_SEATS>, None),
        ("showAttendeeInfo", flag, default_false()),
        ("showAvailabilityCount", flag, default_false()),
    ];
    setting(path, value, &rules, checks)
}

pub(super) fn disable_cancelling(path: &str, value: &Value, checks: &mut Checks) -> Option<Value> {
    let map = object(path, value, checks)?;
    read_properties(path, map, &[("disabled", flag, default_false())], checks).map(Value::Object)
}

pub(super) fn disable_rescheduling(
    path: &str,
    value: &Value,
    checks: &mut Checks,
) -> Option<Value> {
    let map = object(path, value, checks)?;
    let minutes: Rule = integer_between::<1, MAX_RESCHEDULING_NOTICE_MINUTES>;
    let rules: [Property; 2] = [
        ("disabled", flag, default_false()),
        ("minutesBefore", minutes, Some(Value::Null)),
    ];
    read_properties(path, map, &rules, checks).map(Value::Object)
}

pub(super) fn layouts(path: &str, value: &Value, checks: &mut Checks) -> Option<Value> {
    fn layout(path: &str, value: &Value, checks: &mut Checks) -> Option<Value> {
        one_of(&LAYOUTS, path, value, checks).map(|name| json!(name))
    }
    fn enabled(path: &str, value: &Value, checks: &mut Checks) -> Option<Value> {
        let mut layouts: Vec<Value> = Vec::new();
        for (index, value) in array(path, value, 1..=LAYOUTS.len(), checks)?
            .iter()
            .enumerate()
        {
            let path = format!("{path}.{index}");
            let read = layout(&path, value, checks)?;
            if layouts.contains(&read) {
                return checks.reject(&path, value, "arrayUnique", "is named twice");
            }
            layouts.push(read);
        }
        Some(json!(layouts))
    }
    let Setting::Enabled(map) = read_setting(path, value, checks)? else {
        return Some(Value::Null);
    };
    let rules: [Property; 2] = [
        ("defaultLayout", layout, None),
        ("enabledLayouts", enabled, None),
    ];
    let read = read_properties(path, map, &rules, checks)?;
    let enabled = read.get("enabledLayouts").and_then(Value::as_array);
    if let (Some(first), Some(enabled)) = (read.get("defaultLayout"), enabled)
        && !enabled.contains(first)
    {
        let path = format!("{path}.enabledLayouts");
        return checks.reject(
            &path,
            &json!(enabled),
            "containsDefault",
            "must contain defaultLayout",
        );
    }
    Some(Value::Object(read))
}

pub(super) fn color(path: &str, value: &Value, checks: &mut Checks) -> Option<Value> {
    fn hex(path: &str, value: &Value, checks: &mut Checks) -> Option<Value> {
        let read = value.as_str().filter(|text| is_color(text));
        if read.is_none() {
            checks.report(
                path,
                value,
                "isHexColor",
                "must be a colour like #1A2 or #1A2B3C",
            );
        }
        read.map(|text| json!(text))
    }
    let rules: [Property; 2] = [("lightThemeHex", hex, None), ("darkThemeHex", hex, None)];
    setting(path, value, &rules, checks)
}

/// Unlike other settings, this one is stored if it is disabled: without it there are the default reminders.
pub(super) fn email_reminders(path: &str, value: &Value, checks: &mut Checks) -> Option<Value> {
    fn minutes(path: &str, value: &Value, checks: &mut Checks) -> Option<Value> {
        let items = array(path, value, 1..=MAX_REMINDERS, checks)?;
        let mut minutes: Vec<i64> = Vec::with_capacity(items.len());
        for (index, value) in items.iter().enumerate() {
            let path = format!("{path}.{index}");
            let before = integer_between::<MIN_REMINDER_MINUTES, MAX_REMINDER_MINUTES>(
                &path, value, checks,
            )?
            .as_i64()?;
            if minutes.contains(&before) {
                checks.report(&path, value, "arrayUnique", "is named twice");
            }
            minutes.push(before);
        }
        minutes.sort_unstable_by(|a, b| b.cmp(a));
        Some(json!(minutes))
    }
    match read_setting(path, value, checks)? {
        Setting::Disabled => Some(json!({ DISABLED: true })),
        Setting::Enabled(map) => {
            let rules: [Property; 1] = [("minutesBefore", minutes, None)];
            read_properties(path, map, &rules, checks).map(Value::Object)
        }
    }
}

pub(super) fn email_settings(path: &str, value: &Value, checks: &mut Checks) -> Option<Value> {
    let map = object(path, value, checks)?;
    let rules: [Property; 2] = [
        ("disableEmailsToAttendees", flag, default_false()),
        ("disableEmailsToHosts", flag, default_false()),
    ];
    read_properties(path, map, &rules, checks).map(Value::Object)
}

pub(super) fn destination_calendar(
    path: &str,
    value: &Value,
    checks: &mut Checks,
) -> Option<Value> {
    let map = object(path, value, checks)?;
    let rules: [Property; 2] = [
        ("integration", non_blank_text::<MAX_INTEGRATION_CHARS>, None),
        ("externalId", non_blank_text::<MAX_CALENDAR_ID_CHARS>, None),
    ];
    read_properties(path, map, &rules, checks).map(Value::Object)
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
    let mut rules: Vec<Property> = FLAGS
        .iter()
        .map(|key| (*key, flag as Rule, Some(Value::Null)))
        .collect();
    rules.push(("redirectUrlOnExit", url, Some(Value::Null)));
    read_properties(path, map, &rules, checks).map(Value::Object)
}
