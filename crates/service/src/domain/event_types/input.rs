//! Reads the body of a request that creates or updates an event type, into the stored form.
//!
//! A table names each property and the rule that reads it. Responses contain the result of a rule
//! unchanged, so a rule also normalises the value.

use booking_wire::JsonMap;
use booking_wire::event_type::MAX_LENGTH_MINUTES;
use serde_json::{Value, json};

use crate::domain::event_types::form::{add_default_fields, booking_fields, locations};
use crate::domain::event_types::readers::{
    Rule, array, flag, integer_between, line, non_blank_text, object, one_of, text, url,
};
use crate::domain::event_types::settings::{
    active_bookings, booking_window, cal_video_settings, color, confirmation, destination_calendar,
    disable_cancelling, disable_rescheduling, email_reminders, email_settings, layouts,
    limits_count, limits_duration, recurrence, seats,
};
use crate::input_limits::{MAX_HOSTS, MAX_METADATA_KEY_CHARS, MAX_METADATA_KEYS};
use crate::store::event_types::record::HostAssignment;
use crate::validate::{Checks, Object};

/// Default minimum booking notice in minutes.
const DEFAULT_NOTICE_MINUTES: i64 = 120;

/// Maximum of the minimum booking notice, in minutes: a year.
const MAX_NOTICE_MINUTES: i64 = 366 * 24 * 60;

/// Maximum buffer before or after a booking, in minutes. The buffers of two adjacent bookings are
/// at most a day together: the service searches for conflicts up to a day around a slot.
const MAX_BUFFER_MINUTES: i64 = 720;

/// Maximum price, in the smallest unit of the currency.
const MAX_PRICE: i64 = 100_000_000_000;

/// Other lengths that an event type offers.
const MAX_LENGTH_OPTIONS: usize = 50;

/// Characters of the title of an event type.
const MAX_TITLE_CHARS: usize = 255;

/// Characters of the slug of an event type.
const MAX_SLUG_CHARS: usize = 128;

/// Characters of the description of an event type.
const MAX_DESCRIPTION_CHARS: usize = 5_000;

/// Characters of the template of booking titles (`customName`).
const MAX_CUSTOM_NAME_CHARS: usize = 1_000;

/// Metadata of an event type, as JSON, in bytes.
const MAX_METADATA_BYTES: usize = 16 * 1024;

/// Required properties.
const REQUIRED: [(&str, Rule); 3] = [
    ("title", title),
    ("slug", slug),
    ("lengthInMinutes", integer_between::<1, MAX_LENGTH_MINUTES>),
];

/// Optional properties.
const SETTINGS: &[(&str, Rule)] = &[
    ("description", text::<MAX_DESCRIPTION_CHARS>),
    ("lengthInMinutesOptions", lengths),
    ("locations", locations),
    ("bookingFields", booking_fields),
    ("recurrence", recurrence),
    ("slotInterval", integer_between::<1, MAX_LENGTH_MINUTES>),
    (
        "minimumBookingNotice",
        integer_between::<0, MAX_NOTICE_MINUTES>,
    ),
    (
        "beforeEventBuffer",
        integer_between::<0, MAX_BUFFER_MINUTES>,
    ),
    ("afterEventBuffer", integer_between::<0, MAX_BUFFER_MINUTES>),
    ("offsetStart", integer_between::<0, MAX_LENGTH_MINUTES>),
    ("bookingWindow", booking_window),
    ("bookingLimitsCount", limits_count),
    ("bookingLimitsDuration", limits_duration),
    ("bookerActiveBookingsLimit", active_bookings),
    ("confirmationPolicy", confirmation),
    ("seats", seats),
    ("scheduleId", integer_between::<1, { i64::MAX }>),
    ("metadata", metadata),
    ("price", integer_between::<0, MAX_PRICE>),
    ("currency", currency),
    ("interfaceLanguage", language),
    ("disableGuests", flag),
    ("lockTimeZoneToggleOnBookingPage", flag),
    ("hidden", flag),
    ("closed", flag),
    ("isInstantEvent", flag),
    ("bookingRequiresAuthentication", flag),
    (EMAIL_VERIFICATION, flag),
    ("hideOrganizerEmail", flag),
    ("hideCalendarNotes", flag),
    ("onlyShowFirstAvailableSlot", flag),
    ("showOptimizedSlots", flag),
    ("allowReschedulingPastBookings", flag),
    ("allowReschedulingCancelledBookings", flag),
    ("disableCancelling", disable_cancelling),
    ("disableRescheduling", disable_rescheduling),
    ("successRedirectUrl", url),
    ("bookerLayouts", layouts),
    ("color", color),
    ("customName", custom_name),
    ("destinationCalendar", destination_calendar),
    ("useDestinationCalendarEmail", flag),
    ("hideCalendarEventDetails", flag),
    ("emailReminders", email_reminders),
    ("calVideoSettings", cal_video_settings),
    ("forwardParamsSuccessRedirect", flag),
];

/// Settings, other than hosts, of a team's event types.
const TEAM_SETTINGS: &[(&str, Rule)] = &[
    ("emailSettings", email_settings),
    ("rescheduleWithSameRoundRobinHost", flag),
];

/// Settings that cannot be enabled unless what they need is configured, each with what is missing.
const UNSUPPORTED: [(&str, &str); 2] = [
    ("price", "needs a payment provider, and none is configured"),
    (
        EMAIL_VERIFICATION,
        "needs a way to send e-mail, and none is configured",
    ),
];

const EMAIL_VERIFICATION: &str = "requiresBookerEmailVerification";

/// Keys of a team's event types that are stored apart from the settings.
const TEAM_KEYS: [&str; 3] = ["schedulingType", "hosts", "assignAllTeamMembers"];

/// Names of the scheduling types, each with its alternative spelling.
const SCHEDULING_TYPES: [(&str, &str); 3] = [
    ("roundRobin", "ROUND_ROBIN"),
    ("collective", "COLLECTIVE"),
    ("managed", "MANAGED"),
];

const PRIORITIES: [&str; 5] = ["lowest", "low", "medium", "high", "highest"];

/// Languages of the booking page (`interfaceLanguage`).
const LANGUAGES: [&str; 43] = [
    "ar", "az", "bg", "bn", "ca", "cs", "da", "de", "el", "en", "es", "es-419", "et", "eu", "fi",
    "fr", "gl", "he", "hi", "hr", "hu", "id", "it", "ja", "km", "ko", "nl", "no", "pl", "pt",
    "pt-BR", "ro", "ru", "sk", "sr", "sv", "ta", "th", "tr", "uk", "vi", "zh-CN", "zh-TW",
];

/// Kind of request that a body belongs to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct InputKind {
    /// True if a team owns the event type.
    pub(super) is_team: bool,
    /// True if the request creates the event type.
    pub(super) is_new: bool,
}

/// Values of a body.
#[derive(Debug, Default)]
pub(super) struct EventTypeInput {
    /// Wire fields; `null` resets to the default.
    changes: JsonMap,
    pub(super) scheduling_type: Option<String>,
    pub(super) hosts: Option<Vec<HostAssignment>>,
    pub(super) assign_all: Option<bool>,
}

impl EventTypeInput {
    /// Reads `body`.
    pub(super) fn read(body: &JsonMap, kind: InputKind, checks: &mut Checks) -> Self {
        let mut input = Self::default();
        let mut known: Vec<&str> = Vec::new();
        for (key, rule) in REQUIRED {
            known.push(key);
            let value = body.get(key);
            if value.is_none() && !kind.is_new {
                continue;
            }
            if let Some(read) = rule(key, value.unwrap_or(&Value::Null), checks) {
                input.changes.insert(key.to_owned(), read);
            }
        }
        let team: &[(&str, Rule)] = if kind.is_team { TEAM_SETTINGS } else { &[] };
        for (key, rule) in SETTINGS.iter().chain(team) {
            known.push(key);
            let read = match body.get(*key) {
                None => continue,
                Some(Value::Null) => Some(Value::Null),
                Some(value) => rule(key, value, checks),
            };
            if let Some(read) = read {
                input.changes.insert((*key).to_owned(), read);
            }
        }
        if kind.is_team {
            known.extend(TEAM_KEYS);
            input.read_team(&Object::new(body, ""), kind, checks);
        }
        Object::new(body, "").ignore_unknown(&known);
        input
    }

    fn read_team(&mut self, body: &Object<'_>, kind: InputKind, checks: &mut Checks) {
        let scheduling = body.value("schedulingType");
        // A team event type needs a scheduling type, so it cannot be removed.
        if scheduling.is_some() || kind.is_new || body.is_null("schedulingType") {
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
                checks.report(
                    "hosts",
                    value,
                    "oneSource",
                    "cannot be used together with assignAllTeamMembers",
                );
            }
            self.hosts = hosts(value, checks);
        }
    }

    /// Rejects enabling a setting that this installation does not support. An unchanged value of
    /// `before` is accepted.
    pub(super) fn reject_unsupported(
        &self,
        before: &JsonMap,
        mail_is_available: bool,
        checks: &mut Checks,
    ) {
        for (key, missing) in UNSUPPORTED {
            if key == EMAIL_VERIFICATION && mail_is_available {
                continue;
            }
            let Some(value) = self.changes.get(key) else {
                continue;
            };
            let is_off = matches!(value, Value::Null | Value::Bool(false)) || *value == 0;
            if !is_off && before.get(key) != Some(value) {
                checks.report(key, value, "isSupported", missing);
            }
        }
    }

    /// Properties in the body.
    pub(super) fn changes(&self) -> &JsonMap {
        &self.changes
    }

    /// An integer in the body.
    pub(super) fn integer(&self, key: &str) -> Option<i64> {
        self.changes.get(key).and_then(Value::as_i64)
    }

    /// Writes the properties to `document`, and adds defaults.
    pub(super) fn apply(&self, document: &mut JsonMap, kind: InputKind, checks: &mut Checks) {
        for (key, value) in &self.changes {
            if value.is_null() {
                document.remove(key);
            } else {
                document.insert(key.clone(), value.clone());
            }
        }
        for (key, value) in [
            ("minimumBookingNotice", json!(DEFAULT_NOTICE_MINUTES)),
            ("currency", json!("usd")),
            (
                "locations",
                json!([{"type": "integration", "integration": "svc-video"}]),
            ),
        ] {
            document.entry(key).or_insert(value);
        }
        add_default_fields(document);
        let length = document.get("lengthInMinutes");
        if let Some(options) = document
            .get("lengthInMinutesOptions")
            .and_then(Value::as_array)
            && let Some(length) = length
            && !options.contains(length)
        {
            checks.report(
                "lengthInMinutesOptions",
                &json!(options),
                "containsDefault",
                &format!("must contain lengthInMinutes, which is {length}"),
            );
        }
        if !kind.is_team && document.get("isInstantEvent") == Some(&Value::Bool(true)) {
            checks.report(
                "isInstantEvent",
                &Value::Bool(true),
                "teamOnly",
                "must be false for a personal event type",
            );
        }
    }
}

/// Keys of the settings of an event type of a team or a user.
pub fn setting_keys(is_team: bool) -> Vec<&'static str> {
    let mut keys: Vec<&str> = REQUIRED.iter().map(|(key, _)| *key).collect();
    keys.extend(SETTINGS.iter().map(|(key, _)| *key));
    if is_team {
        keys.extend(TEAM_SETTINGS.iter().map(|(key, _)| *key));
        keys.extend(TEAM_KEYS);
    }
    keys
}

/// Keys of settings that cannot be enabled unless what they need is configured.
pub fn unsupported_keys() -> Vec<&'static str> {
    UNSUPPORTED.iter().map(|(key, _)| *key).collect()
}

fn scheduling_type(value: &Value, checks: &mut Checks) -> Option<String> {
    let alias = SCHEDULING_TYPES.iter().find(|(_, alias)| value == alias);
    if let Some((name, _)) = alias {
        return Some((*name).to_owned());
    }
    let names = SCHEDULING_TYPES.map(|(name, _)| name);
    one_of(&names, "schedulingType", value, checks).map(str::to_owned)
}

fn hosts(value: &Value, checks: &mut Checks) -> Option<Vec<HostAssignment>> {
    let items = array("hosts", value, 0..=MAX_HOSTS, checks)?;
    let mut hosts: Vec<HostAssignment> = Vec::with_capacity(items.len());
    for (index, value) in items.iter().enumerate() {
        let path = format!("hosts.{index}");
        let Some(map) = object(&path, value, checks) else {
            continue;
        };
        let prefix = format!("{path}.");
        let host = Object::new(map, &prefix);
        let user_id = integer_between::<1, { i64::MAX }>(
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
            .and_then(|value| one_of(&PRIORITIES, &host.path("priority"), value, checks));
        host.log_unread();
        let Some(user_id) = user_id.as_ref().and_then(Value::as_i64) else {
            continue;
        };
        if hosts.iter().any(|host| host.user_id == user_id) {
            checks.report(
                &host.path("userId"),
                &json!(user_id),
                "arrayUnique",
                "is named twice",
            );
        }
        hosts.push(HostAssignment {
            user_id,
            fixed: fixed.unwrap_or(false),
            priority: priority.unwrap_or("medium").to_owned(),
        });
    }
    Some(hosts)
}

fn title(path: &str, value: &Value, checks: &mut Checks) -> Option<Value> {
    line::<MAX_TITLE_CHARS>(path, value, checks)
}

fn custom_name(path: &str, value: &Value, checks: &mut Checks) -> Option<Value> {
    let read = text::<MAX_CUSTOM_NAME_CHARS>(path, value, checks)?;
    // Blank means the default title.
    if read.as_str().is_none_or(|text| text.trim().is_empty()) {
        return Some(Value::Null);
    }
    line::<MAX_CUSTOM_NAME_CHARS>(path, value, checks)
}

/// Reads the slug of an event type. Handles of teams and users may also have dots and underscores:
/// [`is_handle`](crate::validate::is_handle).
fn slug(path: &str, value: &Value, checks: &mut Checks) -> Option<Value> {
    let read = non_blank_text::<MAX_SLUG_CHARS>(path, value, checks)?;
    let is_valid = read.as_str().is_some_and(|slug| {
        slug.split('-').all(|part| {
            !part.is_empty()
                && part
                    .bytes()
                    .all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit())
        })
    });
    if !is_valid {
        return checks.reject(
            path,
            value,
            "isSlug",
            "must consist of lower-case letters and digits with single hyphens between them",
        );
    }
    Some(read)
}

fn lengths(path: &str, value: &Value, checks: &mut Checks) -> Option<Value> {
    let items = array(path, value, 0..=MAX_LENGTH_OPTIONS, checks)?;
    let mut lengths: Vec<i64> = Vec::with_capacity(items.len());
    for (index, value) in items.iter().enumerate() {
        let path = format!("{path}.{index}");
        let length = integer_between::<1, MAX_LENGTH_MINUTES>(&path, value, checks)?.as_i64()?;
        if lengths.contains(&length) {
            checks.report(&path, value, "arrayUnique", "is named twice");
        }
        lengths.push(length);
    }
    lengths.sort_unstable();
    // An empty list is not stored.
    Some(if lengths.is_empty() {
        Value::Null
    } else {
        json!(lengths)
    })
}

fn metadata(path: &str, value: &Value, checks: &mut Checks) -> Option<Value> {
    let map = object(path, value, checks)?;
    if map.len() > MAX_METADATA_KEYS
        || map
            .keys()
            .any(|key| key.chars().count() > MAX_METADATA_KEY_CHARS)
    {
        return checks.reject(
            path,
            value,
            "maxKeys",
            &format!(
                "must have at most {MAX_METADATA_KEYS} keys of at most {MAX_METADATA_KEY_CHARS} characters"
            ),
        );
    }
    if value.to_string().len() > MAX_METADATA_BYTES {
        return checks.reject(
            path,
            &Value::Null,
            "maxLength",
            &format!("must not be longer than {} KiB", MAX_METADATA_BYTES / 1024),
        );
    }
    Some(value.clone())
}

fn currency(path: &str, value: &Value, checks: &mut Checks) -> Option<Value> {
    let read = value
        .as_str()
        .filter(|code| code.len() == 3 && code.bytes().all(|byte| byte.is_ascii_alphabetic()));
    if read.is_none() {
        checks.report(
            path,
            value,
            "isISO4217CurrencyCode",
            "must be a currency code of three letters",
        );
    }
    read.map(|code| json!(code.to_ascii_lowercase()))
}

fn language(path: &str, value: &Value, checks: &mut Checks) -> Option<Value> {
    // Empty: the visitor's language.
    if value.as_str() == Some("") {
        return Some(Value::Null);
    }
    one_of(&LANGUAGES, path, value, checks).map(|code| json!(code))
}
