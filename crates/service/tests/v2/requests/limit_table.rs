//! The limits in `docs/operating.md` and in the descriptions of parameters equal the constants that
//! apply.

use std::collections::{BTreeMap, BTreeSet};

use booking_service::http::extract::params::Paging;
use booking_service::input_limits::{self, MAX_PAGE_SIZE, MAX_SEARCH_CHARS};
use booking_service::messages::webhooks;
use booking_service::store::bookings::list::DEFAULT_BOOKINGS;
use booking_service::validate::query::DEFAULT_PAGE_SIZE;
use booking_wire::BookingsQuery;
use serde_json::Value;
use utoipa::IntoParams;

const PAGE: &str = include_str!("../../../../../docs/operating.md");
const LIMITS: &str = include_str!("../../../src/input_limits.rs");
const WEBHOOK_LIMITS: [&str; 5] = [
    "MAX_PAYLOAD_BYTES",
    "MAX_PLACEHOLDERS",
    "MAX_ATTENDEES",
    "MAX_WAITING",
    "MAX_BODY_BYTES",
];

/// Limits by the name of their constant, formatted as in the documentation.
fn limits() -> BTreeMap<String, String> {
    fn amount(name: &str, value: i64) -> String {
        if name.ends_with("_BYTES") {
            assert_eq!(value % 1024, 0, "{name}");
            return match value / 1024 {
                kib if kib % 1024 == 0 => format!("{} MiB", kib / 1024),
                kib => format!("{kib} KiB"),
            };
        }
        let digits = value.to_string();
        match digits.len() {
            5.. => format!(
                "{},{}",
                &digits[..digits.len() - 3],
                &digits[digits.len() - 3..]
            ),
            4 => format!("{},{}", &digits[..1], &digits[1..]),
            _ => digits,
        }
    }
    macro_rules! table {
        ($module:path as $prefix:literal: $($name:ident)*) => {{
            use $module as limits;
            [$((
                concat!($prefix, stringify!($name)).to_owned(),
                amount(stringify!($name), i64::try_from(limits::$name).unwrap()),
            )),*]
        }};
    }
    let input = table!(input_limits as "":
        MAX_TARGET_BYTES MAX_QUERY_PARAMETERS MAX_HEADER_BYTES MAX_HEADERS
        MAX_PUBLIC_BODY_BYTES MAX_BODY_BYTES
        MAX_JSON_DEPTH MAX_OBJECT_KEYS MAX_ARRAY_ELEMENTS MAX_JSON_VALUES MAX_TEXT_CHARS MAX_AVATAR_CHARS
        MAX_RESPONSE_BYTES MAX_LARGE_RESPONSES_BYTES MAX_LIST_ENTRIES MAX_ATTENDEES_BYTES MIN_SEAT_BYTES MAX_SERIES_BYTES MAX_EVENT_TYPES_BYTES
        MAX_REPORTED_VIOLATIONS MAX_VIOLATION_DEPTH MAX_ECHOED_CHARS MAX_VIOLATION_TEXT_CHARS MAX_VIOLATIONS_BYTES
        MAX_NAME_CHARS MAX_ANSWER_CHARS MAX_ANSWERS_BYTES MAX_BOOKING_TITLE_CHARS MAX_REASON_CHARS
        MAX_RESERVATIONS MAX_RESERVATIONS_PER_EVENT_TYPE MAX_RESERVATIONS_PER_HOST MAX_RESERVED_MINUTES
        MAX_GUESTS MAX_GUESTS_PER_CALL MAX_ATTENDEES
        MAX_METADATA_KEYS MAX_METADATA_KEY_CHARS MAX_METADATA_TEXT_CHARS
        MAX_IDEMPOTENCY_KEY_CHARS MAX_SEARCH_CHARS MAX_FILTER_IDS MAX_FILTER_EMAILS MAX_LOCATION_CHARS
        MAX_HOSTS MAX_LOCATIONS MAX_BOOKING_FIELDS MAX_FIELD_OPTIONS
        MAX_AVAILABILITIES MAX_OVERRIDES MAX_SCHEDULES
        MAX_WEBHOOKS MAX_TEMPLATE_CHARS MAX_WEBHOOK_SECRET_CHARS MAX_TEAM_LIMITS_BYTES MAX_CREDENTIAL_KEY_CHARS
        MAX_PAGE_SIZE MAX_SLOT_DAYS);
    let webhooks = table!(webhooks::retries_and_limits as "webhook ":
        MAX_PAYLOAD_BYTES MAX_PLACEHOLDERS MAX_ATTENDEES MAX_WAITING MAX_BODY_BYTES);
    input.into_iter().chain(webhooks).collect()
}

/// Rows of the documented table: name and amount.
fn rows() -> Vec<(String, String)> {
    let begin = PAGE.find("### Limits of requests").expect("the section");
    let section = &PAGE[begin..];
    let end = section.find("\n## ").expect("the next section");
    section[..end]
        .lines()
        .filter_map(|line| line.strip_prefix("| "))
        .filter_map(|line| line.strip_suffix(" |"))
        .filter_map(|line| {
            let (_, rest) = line.split_once(" | ")?;
            let (amount, name) = rest.split_once(" | `")?;
            Some((name.strip_suffix('`')?.to_owned(), amount.to_owned()))
        })
        .collect()
}

#[test]
fn documented_limits_equal_constants() {
    let limits = limits();
    let rows = rows();
    for (name, amount) in &rows {
        assert_eq!(limits.get(name), Some(amount), "{name}");
    }
    let named: BTreeSet<&String> = rows.iter().map(|(name, _)| name).collect();
    assert_eq!(named.len(), rows.len(), "a limit stands there twice");
    for name in limits.keys() {
        assert!(named.contains(name), "{name} is not on the page");
    }
}

#[test]
fn every_declared_limit_is_compared() {
    let limits = limits();
    let declared: Vec<&str> = LIMITS
        .lines()
        .filter_map(|line| line.strip_prefix("pub const "))
        .filter_map(|line| line.split_once(':'))
        .map(|(name, _)| name)
        .collect();
    assert!(declared.len() > 40);
    for name in &declared {
        assert!(limits.contains_key(*name), "{name}");
    }
    assert_eq!(limits.len(), declared.len() + WEBHOOK_LIMITS.len());
}

/// Returns the description of a query parameter.
fn parameter<T: IntoParams>(name: &str) -> Value {
    let parameters = serde_json::to_value(T::into_params(|| None)).expect("JSON");
    let parameters = parameters.as_array().expect("a list");
    let found = parameters
        .iter()
        .find(|described| described["name"] == name);
    found.expect("the parameter").clone()
}

#[test]
fn described_page_sizes_equal_constants() {
    for (take, default) in [
        (
            parameter::<Paging>("take"),
            format!("Number of entries; {DEFAULT_PAGE_SIZE} by default."),
        ),
        (
            parameter::<BookingsQuery>("take"),
            format!("Number of bookings; {DEFAULT_BOOKINGS} by default."),
        ),
    ] {
        assert_eq!(take["schema"]["maximum"], MAX_PAGE_SIZE, "{take}");
        assert_eq!(take["description"], default);
    }
    let search = parameter::<BookingsQuery>("search");
    assert_eq!(search["schema"]["maxLength"], MAX_SEARCH_CHARS, "{search}");
}
