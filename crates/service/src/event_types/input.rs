//! Reads what a body says about an event type: strictly, and into the form in which it is stored.
//!
//! A table names each property and the rule that reads it. What a rule gives is written back to
//! clients as it is, so reading is also bringing into shape.

use booking_wire::JsonMap;
use serde_json::{Value, json};

use crate::event_types::form::{booking_fields, complete, locations};
use crate::event_types::readers::{
    Rule, array, flag, object, text, url, whole_between, word, words,
};
use crate::event_types::settings::{
    active_bookings, cal_video_settings, color, confirmation, destination_calendar, email_settings,
    layouts, limits_count, limits_duration, no_cancelling, no_rescheduling, recurrence, seats,
    window,
};
use crate::input_limits::MAX_HOSTS;
use crate::store::event_types::record::HostSeat;
use crate::validate::{Checks, Object};

/// Notice in minutes when nothing is said about it.
const NOTICE: i64 = 120;

/// Longest meeting in minutes (contract 8).
const LONGEST: i64 = 1440;

/// What an event type cannot be without.
const NEEDED: [(&str, Rule); 3] = [
    ("title", title),
    ("slug", slug),
    ("lengthInMinutes", whole_between::<1, LONGEST>),
];

/// What has a default.
const SETTINGS: &[(&str, Rule)] = &[
    ("description", text::<5000>),
    ("lengthInMinutesOptions", lengths),
    ("locations", locations),
    ("bookingFields", booking_fields),
    ("recurrence", recurrence),
    ("slotInterval", whole_between::<1, LONGEST>),
    // A year.
    ("minimumBookingNotice", whole_between::<0, 527_040>),
    // Two buffers of two meetings together are not longer than a day: that is how far around a
    // time the service looks for what takes it.
    ("beforeEventBuffer", whole_between::<0, 720>),
    ("afterEventBuffer", whole_between::<0, 720>),
    ("offsetStart", whole_between::<0, LONGEST>),
    ("bookingWindow", window),
    ("bookingLimitsCount", limits_count),
    ("bookingLimitsDuration", limits_duration),
    ("bookerActiveBookingsLimit", active_bookings),
    ("confirmationPolicy", confirmation),
    ("seats", seats),
    ("scheduleId", whole_between::<1, { i64::MAX }>),
    ("metadata", metadata),
    ("price", whole_between::<0, 100_000_000_000>),
    ("currency", currency),
    ("interfaceLanguage", language),
    ("disableGuests", flag),
    ("lockTimeZoneToggleOnBookingPage", flag),
    ("hidden", flag),
    ("isInstantEvent", flag),
    ("bookingRequiresAuthentication", flag),
    ("requiresBookerEmailVerification", flag),
    ("hideOrganizerEmail", flag),
    ("hideCalendarNotes", flag),
    ("onlyShowFirstAvailableSlot", flag),
    ("showOptimizedSlots", flag),
    ("allowReschedulingPastBookings", flag),
    ("allowReschedulingCancelledBookings", flag),
    ("disableCancelling", no_cancelling),
    ("disableRescheduling", no_rescheduling),
    ("successRedirectUrl", url),
    ("bookerLayouts", layouts),
    ("color", color),
    ("customName", custom_name),
    ("destinationCalendar", destination_calendar),
    ("useDestinationCalendarEmail", flag),
    ("hideCalendarEventDetails", flag),
    ("calVideoSettings", cal_video_settings),
    ("forwardParamsSuccessRedirect", flag),
];

/// What only a team's event types have, besides hosts.
const TEAM_SETTINGS: &[(&str, Rule)] = &[
    ("emailSettings", email_settings),
    ("rescheduleWithSameRoundRobinHost", flag),
];

/// Settings that cannot be switched on, each with what is missing.
const UNSUPPORTED: [(&str, &str); 2] = [
    ("price", "needs a payment provider, and none is configured"),
    (
        "requiresBookerEmailVerification",
        "needs a way to send e-mail, and none is configured",
    ),
];

/// Keys of a team's event types that are stored apart from the settings.
const TEAM_KEYS: [&str; 3] = ["schedulingType", "hosts", "assignAllTeamMembers"];

/// Names of the scheduling types, each with its other spelling.
const SCHEDULING_TYPES: [(&str, &str); 3] = [
    ("roundRobin", "ROUND_ROBIN"),
    ("collective", "COLLECTIVE"),
    ("managed", "MANAGED"),
];

const PRIORITIES: [&str; 5] = ["lowest", "low", "medium", "high", "highest"];

/// Languages of the booking page (contract 3.3).
const LANGUAGES: [&str; 43] = [
    "ar", "az", "bg", "bn", "ca", "cs", "da", "de", "el", "en", "es", "es-419", "et", "eu", "fi",
    "fr", "gl", "he", "hi", "hr", "hu", "id", "it", "ja", "km", "ko", "nl", "no", "pl", "pt",
    "pt-BR", "ro", "ru", "sk", "sr", "sv", "ta", "th", "tr", "uk", "vi", "zh-CN", "zh-TW",
];

/// What kind of event type a body is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Kind {
    /// A team's.
    pub(super) team: bool,
    /// Not there yet.
    pub(super) new: bool,
}

/// What a body says.
#[derive(Debug, Default)]
pub(super) struct Given {
    /// Wire fields; `null` takes the default back.
    changes: JsonMap,
    pub(super) scheduling_type: Option<String>,
    pub(super) hosts: Option<Vec<HostSeat>>,
    pub(super) assign_all: Option<bool>,
}

impl Given {
    /// Reads `body`.
    pub(super) fn read(body: &JsonMap, kind: Kind, checks: &mut Checks) -> Self {
        let mut given = Self::default();
        let mut known: Vec<&str> = Vec::new();
        for (key, rule) in NEEDED {
            known.push(key);
            let value = body.get(key);
            if value.is_none() && !kind.new {
                continue;
            }
            if let Some(read) = rule(key, value.unwrap_or(&Value::Null), checks) {
                given.changes.insert(key.to_owned(), read);
            }
        }
        let team: &[(&str, Rule)] = if kind.team { TEAM_SETTINGS } else { &[] };
        for (key, rule) in SETTINGS.iter().chain(team) {
            known.push(key);
            let read = match body.get(*key) {
                None => continue,
                Some(Value::Null) => Some(Value::Null),
                Some(value) => rule(key, value, checks),
            };
            if let Some(read) = read {
                given.changes.insert((*key).to_owned(), read);
            }
        }
        if kind.team {
            known.extend(TEAM_KEYS);
            given.read_team(Object::new(body, ""), kind, checks);
        }
        Object::new(body, "").ignore_unknown(&known);
        given
    }

    fn read_team(&mut self, body: Object<'_>, kind: Kind, checks: &mut Checks) {
        let scheduling = body.value("schedulingType");
        // There is no team event type without one, so it cannot be taken away.
        if scheduling.is_some() || kind.new || body.is_null("schedulingType") {
            self.scheduling_type = scheduling_type(scheduling.unwrap_or(&Value::Null), checks);
        }
        self.assign_all = body.read(
            "assignAllTeamMembers",
            "isBoolean",
            "must be a boolean value",
            checks,
            Value::as_bool,
        );
        if let Some(value) = body.value("hosts") {
            if self.assign_all == Some(true) {
                checks.complain(
                    "hosts",
                    value,
                    "oneSource",
                    "cannot be used together with assignAllTeamMembers",
                );
            }
            self.hosts = hosts(value, checks);
        }
    }

    /// Refuses to switch on settings that this installation cannot carry out. A value that is already
    /// in `before` stays.
    pub(super) fn refuse_unsupported(&self, before: &JsonMap, checks: &mut Checks) {
        for (key, missing) in UNSUPPORTED {
            let Some(value) = self.changes.get(key) else {
                continue;
            };
            let is_off = matches!(value, Value::Null | Value::Bool(false)) || *value == 0;
            if !is_off && before.get(key) != Some(value) {
                checks.complain(key, value, "isSupported", missing);
            }
        }
    }

    /// The properties that are given.
    pub(super) fn changes(&self) -> &JsonMap {
        &self.changes
    }

    /// A whole number that is given.
    pub(super) fn integer(&self, key: &str) -> Option<i64> {
        self.changes.get(key).and_then(Value::as_i64)
    }

    /// Writes what is given over `document`, and completes it.
    pub(super) fn apply(&self, document: &mut JsonMap, kind: Kind, checks: &mut Checks) {
        for (key, value) in &self.changes {
            if value.is_null() {
                document.remove(key);
            } else {
                document.insert(key.clone(), value.clone());
            }
        }
        for (key, value) in [
            ("minimumBookingNotice", json!(NOTICE)),
            ("currency", json!("usd")),
            (
                "locations",
                json!([{"type": "integration", "integration": "svc-video"}]),
            ),
        ] {
            document.entry(key).or_insert(value);
        }
        complete(document);
        let length = document.get("lengthInMinutes");
        if let Some(options) = document
            .get("lengthInMinutesOptions")
            .and_then(Value::as_array)
            && let Some(length) = length
            && !options.contains(length)
        {
            checks.complain(
                "lengthInMinutesOptions",
                &json!(options),
                "containsDefault",
                &format!("must contain lengthInMinutes, which is {length}"),
            );
        }
        if !kind.team && document.get("isInstantEvent") == Some(&Value::Bool(true)) {
            checks.complain(
                "isInstantEvent",
                &Value::Bool(true),
                "teamOnly",
                "must be false for a personal event type",
            );
        }
    }
}

/// Keys of the settings of an event type.
pub(super) fn setting_keys(is_team: bool) -> Vec<&'static str> {
    let mut keys: Vec<&str> = NEEDED.iter().map(|(key, _)| *key).collect();
    keys.extend(SETTINGS.iter().map(|(key, _)| *key));
    if is_team {
        keys.extend(TEAM_SETTINGS.iter().map(|(key, _)| *key));
        keys.extend(TEAM_KEYS);
    }
    keys
}

/// Keys of settings that cannot be switched on.
pub(super) fn unsupported_keys() -> Vec<&'static str> {
    UNSUPPORTED.iter().map(|(key, _)| *key).collect()
}

fn scheduling_type(value: &Value, checks: &mut Checks) -> Option<String> {
    let other = SCHEDULING_TYPES.iter().find(|(_, other)| value == other);
    if let Some((name, _)) = other {
        return Some((*name).to_owned());
    }
    let names = SCHEDULING_TYPES.map(|(name, _)| name);
    word(&names, "schedulingType", value, checks).map(str::to_owned)
}

fn hosts(value: &Value, checks: &mut Checks) -> Option<Vec<HostSeat>> {
    let given = array("hosts", value, 0..=MAX_HOSTS, checks)?;
    let mut seats: Vec<HostSeat> = Vec::with_capacity(given.len());
    for (place, value) in given.iter().enumerate() {
        let path = format!("hosts.{place}");
        let Some(map) = object(&path, value, checks) else {
            continue;
        };
        let prefix = format!("{path}.");
        let host = Object::new(map, &prefix);
        host.ignore_unknown(&["userId", "mandatory", "priority"]);
        let user_id = whole_between::<1, { i64::MAX }>(
            &host.path("userId"),
            host.value("userId").unwrap_or(&Value::Null),
            checks,
        );
        let fixed = host.read(
            "mandatory",
            "isBoolean",
            "must be a boolean value",
            checks,
            Value::as_bool,
        );
        let priority = host
            .value("priority")
            .and_then(|value| word(&PRIORITIES, &host.path("priority"), value, checks));
        let Some(user_id) = user_id.as_ref().and_then(Value::as_i64) else {
            continue;
        };
        if seats.iter().any(|seat| seat.user_id == user_id) {
            checks.complain(
                &host.path("userId"),
                &json!(user_id),
                "arrayUnique",
                "is named twice",
            );
        }
        seats.push(HostSeat {
            user_id,
            fixed: fixed.unwrap_or(false),
            priority: priority.unwrap_or("medium").to_owned(),
        });
    }
    Some(seats)
}

// Rules that other properties are read with, too.

fn title(path: &str, value: &Value, checks: &mut Checks) -> Option<Value> {
    words::<255>(path, value, checks)
}

fn custom_name(path: &str, value: &Value, checks: &mut Checks) -> Option<Value> {
    let read = text::<1000>(path, value, checks)?;
    // Blank means the default title.
    let is_blank = read.as_str().is_none_or(|text| text.trim().is_empty());
    Some(if is_blank { Value::Null } else { read })
}

fn slug(path: &str, value: &Value, checks: &mut Checks) -> Option<Value> {
    let read = words::<128>(path, value, checks)?;
    let sound = read.as_str().is_some_and(|slug| {
        slug.split('-').all(|part| {
            !part.is_empty()
                && part
                    .bytes()
                    .all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit())
        })
    });
    if !sound {
        checks.complain(
            path,
            value,
            "isSlug",
            "must consist of lower-case letters and digits with single hyphens between them",
        );
        return None;
    }
    Some(read)
}

fn lengths(path: &str, value: &Value, checks: &mut Checks) -> Option<Value> {
    let given = array(path, value, 0..=50, checks)?;
    let mut lengths: Vec<i64> = Vec::with_capacity(given.len());
    for (place, value) in given.iter().enumerate() {
        let path = format!("{path}.{place}");
        let length = whole_between::<1, LONGEST>(&path, value, checks)?.as_i64()?;
        if lengths.contains(&length) {
            checks.complain(&path, value, "arrayUnique", "is named twice");
        }
        lengths.push(length);
    }
    lengths.sort_unstable();
    // No choice is no list.
    Some(if lengths.is_empty() {
        Value::Null
    } else {
        json!(lengths)
    })
}

fn metadata(path: &str, value: &Value, checks: &mut Checks) -> Option<Value> {
    let map = object(path, value, checks)?;
    if map.len() > 50 || map.keys().any(|key| key.chars().count() > 40) {
        checks.complain(
            path,
            value,
            "maxKeys",
            "must have at most 50 keys of at most 40 characters",
        );
        return None;
    }
    if value.to_string().len() > 16_384 {
        checks.complain(
            path,
            &Value::Null,
            "maxLength",
            "must not be longer than 16 KiB",
        );
        return None;
    }
    Some(value.clone())
}

fn currency(path: &str, value: &Value, checks: &mut Checks) -> Option<Value> {
    let read = value
        .as_str()
        .filter(|code| code.len() == 3 && code.bytes().all(|byte| byte.is_ascii_alphabetic()));
    if read.is_none() {
        checks.complain(
            path,
            value,
            "isISO4217CurrencyCode",
            "must be a currency code of three letters",
        );
    }
    read.map(|code| json!(code.to_ascii_lowercase()))
}

fn language(path: &str, value: &Value, checks: &mut Checks) -> Option<Value> {
    // The visitor's own.
    if value.as_str() == Some("") {
        return Some(Value::Null);
    }
    word(&LANGUAGES, path, value, checks).map(|code| json!(code))
}
