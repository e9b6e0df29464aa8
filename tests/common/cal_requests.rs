//! Requests that a visitor's browser may send to a service of the cal dialect, and a check of them.
//!
//! Sources: the OpenAPI document of Cal.com's API v2 in `calcom/companion`
//! (`docs/api-reference/v2/openapi.json`, commit 675cd31, 2026), and public copies of its source for the
//! headers that its CORS allows and for its rejection of unknown names. Operations of the staff are omitted:
//! the check answers 404 to whatever is not listed here.

use std::collections::BTreeSet;

use serde_json::{Map, Value, json};

/// Request of the browser. Header names are in lower case.
pub(crate) struct Request<'a> {
    pub(crate) method: &'a str,
    /// Path and query.
    pub(crate) target: &'a str,
    pub(crate) headers: &'a [(String, String)],
    pub(crate) body: &'a [u8],
}

/// Error for a request that breaks the rules.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Rejection {
    pub(crate) status: u16,
    /// Description of each broken rule.
    pub(crate) problems: Vec<String>,
}

/// Type of a value.
#[derive(Clone, Copy)]
enum Kind {
    Text,
    Number,
    Flag,
    /// Only `true`.
    True,
    /// UTC date and time in ISO 8601.
    Utc,
    /// UTC date and time, or a date alone.
    UtcOrDate,
    Texts,
    /// One of these texts.
    Word(&'static [&'static str]),
    /// Object of any responses.
    Answers,
    /// Object of texts within the limits of metadata.
    Metadata,
    Object(Schema),
    /// Object whose other keys depend on `type`.
    Location,
}

/// Names and types of keys; `*` marks required ones.
type Schema = &'static [(&'static str, Kind)];

struct Operation {
    method: &'static str,
    /// Path; `{}` matches one segment.
    path: &'static str,
    /// Value of `cal-api-version`; empty if not used.
    version: &'static str,
    is_guarded: bool,
    query: Schema,
    /// Forms of the body, each with the key that only it has; the last one has none.
    bodies: &'static [(&'static str, Schema)],
}

const fn read(path: &'static str, version: &'static str, query: Schema) -> Operation {
    Operation {
        method: "GET",
        path,
        version,
        is_guarded: false,
        query,
        bodies: &[],
    }
}

const fn write(
    method: &'static str,
    path: &'static str,
    version: &'static str,
    bodies: &'static [(&'static str, Schema)],
) -> Operation {
    Operation {
        method,
        path,
        version,
        is_guarded: false,
        query: &[],
        bodies,
    }
}

const SLOTS: &str = "2024-09-04";
const BOOKINGS: &str = "2024-08-13";
const EVENT_TYPES: &str = "2024-06-14";

const OPERATIONS: [Operation; 13] = [
    read(
        "/v2/event-types",
        EVENT_TYPES,
        &[
            ("username", Kind::Text),
            ("eventSlug", Kind::Text),
            ("usernames", Kind::Text),
            ("orgSlug", Kind::Text),
            ("orgId", Kind::Number),
            ("sortCreatedAt", Kind::Word(&["asc", "desc"])),
        ],
    ),
    Operation {
        is_guarded: true,
        ..read("/v2/event-types/{}", EVENT_TYPES, &[])
    },
    read(
        "/v2/teams/{}/event-types",
        "",
        &[
            ("eventSlug", Kind::Text),
            ("hostsLimit", Kind::Number),
            ("sortCreatedAt", Kind::Word(&["asc", "desc"])),
        ],
    ),
    read(
        "/v2/slots",
        SLOTS,
        &[
            ("start*", Kind::UtcOrDate),
            ("end*", Kind::UtcOrDate),
            ("eventTypeId", Kind::Number),
            ("eventTypeSlug", Kind::Text),
            ("username", Kind::Text),
            ("teamSlug", Kind::Text),
            ("organizationSlug", Kind::Text),
            ("usernames", Kind::Text),
            ("timeZone", Kind::Text),
            ("duration", Kind::Number),
            ("format", Kind::Word(&["time", "range"])),
            ("bookingUidToReschedule", Kind::Text),
        ],
    ),
    write(
        "POST",
        "/v2/slots/reservations",
        SLOTS,
        &[("", RESERVATION)],
    ),
    read("/v2/slots/reservations/{}", SLOTS, &[]),
    write(
        "PATCH",
        "/v2/slots/reservations/{}",
        SLOTS,
        &[("", RESERVATION)],
    ),
    write("DELETE", "/v2/slots/reservations/{}", SLOTS, &[]),
    write(
        "POST",
        "/v2/bookings",
        BOOKINGS,
        &[
            ("instant", INSTANT_BOOKING),
            ("recurrenceCount", SERIES),
            ("", BOOKING),
        ],
    ),
    read("/v2/bookings/{}", BOOKINGS, &[]),
    read("/v2/bookings/by-seat/{}", BOOKINGS, &[]),
    write(
        "POST",
        "/v2/bookings/{}/reschedule",
        BOOKINGS,
        &[("seatUid", SEAT_MOVE), ("", MOVE)],
    ),
    write(
        "POST",
        "/v2/bookings/{}/cancel",
        BOOKINGS,
        &[("seatUid", SEAT_CANCELLATION), ("", CANCELLATION)],
    ),
];

const RESERVATION: Schema = &[
    ("eventTypeId*", Kind::Number),
    ("slotStart*", Kind::Utc),
    ("slotDuration", Kind::Number),
    ("reservationDuration", Kind::Number),
];

/// Schema of a booking; the three forms differ in their last line.
macro_rules! booking {
    ($($more:expr),*) => {
        &[
            ("start*", Kind::Utc),
            ("attendee*", Kind::Object(ATTENDEE)),
            ("bookingFieldsResponses", Kind::Answers),
            ("eventTypeId", Kind::Number),
            ("eventTypeSlug", Kind::Text),
            ("username", Kind::Text),
            ("teamSlug", Kind::Text),
            ("organizationSlug", Kind::Text),
            ("guests", Kind::Texts),
            ("meetingUrl", Kind::Text),
            ("location", Kind::Location),
            ("metadata", Kind::Metadata),
            ("lengthInMinutes", Kind::Number),
            ("routing", Kind::Answers),
            ("emailVerificationCode", Kind::Text),
            $($more),*
        ]
    };
}

const BOOKING: Schema = booking!();
const INSTANT_BOOKING: Schema = booking!(("instant*", Kind::True));
const SERIES: Schema = booking!(("recurrenceCount", Kind::Number));

const ATTENDEE: Schema = &[
    ("name*", Kind::Text),
    ("timeZone*", Kind::Text),
    ("email", Kind::Text),
    ("phoneNumber", Kind::Text),
    ("language", Kind::Word(&LANGUAGES)),
];

const LANGUAGES: [&str; 43] = [
    "ar", "az", "bg", "bn", "ca", "cs", "da", "de", "el", "en", "es", "es-419", "et", "eu", "fi",
    "fr", "he", "hr", "hu", "id", "it", "iw", "ja", "km", "ko", "lv", "nl", "no", "pl", "pt",
    "pt-BR", "ro", "ru", "sk", "sr", "sv", "ta", "th", "tr", "uk", "vi", "zh-CN", "zh-TW",
];

/// Keys of each type of location, in addition to `type`.
const LOCATIONS: [(&str, Schema); 8] = [
    ("address", &[]),
    ("attendeeAddress", &[("address*", Kind::Text)]),
    ("attendeeDefined", &[("location*", Kind::Text)]),
    ("attendeePhone", &[("phone*", Kind::Text)]),
    (
        "integration",
        &[("integration*", Kind::Word(&INTEGRATIONS))],
    ),
    ("link", &[]),
    ("phone", &[]),
    ("organizersDefaultApp", &[]),
];

/// Video services that a booking may name.
const INTEGRATIONS: [&str; 29] = [
    "cal-video",
    "campfire-video",
    "demodesk-video",
    "discord-video",
    "eightxeight-video",
    "element-call-video",
    "facetime-video",
    "google-meet",
    "huddle",
    "jelly-conferencing",
    "jelly-video",
    "jitsi",
    "mirotalk-video",
    "office365-video",
    "ping-video",
    "riverside-video",
    "roam-video",
    "salesroom-video",
    "shimmer-video",
    "signal-video",
    "sirius-video",
    "skype-video",
    "sylaps-video",
    "tandem",
    "telegram-video",
    "webex-video",
    "whatsapp-video",
    "whereby-video",
    "zoom",
];

const MOVE: Schema = &[
    ("start*", Kind::Utc),
    ("rescheduledBy", Kind::Text),
    ("reschedulingReason", Kind::Text),
    ("emailVerificationCode", Kind::Text),
];

const SEAT_MOVE: Schema = &[
    ("start*", Kind::Utc),
    ("seatUid*", Kind::Text),
    ("rescheduledBy", Kind::Text),
    ("emailVerificationCode", Kind::Text),
];

const CANCELLATION: Schema = &[
    ("cancellationReason", Kind::Text),
    ("cancelSubsequentBookings", Kind::Flag),
];

const SEAT_CANCELLATION: Schema = &[("seatUid*", Kind::Text), ("cancellationReason", Kind::Text)];

/// Headers that CORS allows a page to send, without those that hold secrets: no page has any.
pub(crate) const CORS_HEADERS: [&str; 6] = [
    "accept",
    "authorization",
    "cal-api-version",
    "content-type",
    "origin",
    "x-cal-client-id",
];

/// Headers that browsers add by themselves.
const OF_BROWSERS: [&str; 13] = [
    "accept-encoding",
    "accept-language",
    "cache-control",
    "connection",
    "content-length",
    "dnt",
    "host",
    "pragma",
    "priority",
    "referer",
    "te",
    "upgrade-insecure-requests",
    "user-agent",
];

/// Checks path, method, version, headers, query and body of a request.
pub(crate) fn check(request: &Request) -> Result<(), Rejection> {
    let (path, query) = request
        .target
        .split_once('?')
        .unwrap_or((request.target, ""));
    let found = OPERATIONS
        .iter()
        // A literal segment takes precedence over `{}`.
        .filter(|each| each.method == request.method && fits(each.path, path))
        .min_by_key(|each| each.path.matches("{}").count());
    let Some(operation) = found else {
        return Err(Rejection {
            status: 404,
            problems: vec![format!("Cannot {} {path}", request.method)],
        });
    };
    let header = |name: &str| {
        let found = request.headers.iter().find(|(known, _)| known == name);
        found.map(|(_, value)| value.as_str())
    };
    let is_signed = header("authorization").is_some();
    if operation.is_guarded && !is_signed {
        return Err(Rejection {
            status: 401,
            problems: vec![format!("{} {path} needs credentials", request.method)],
        });
    }
    let mut problems = Vec::new();
    for (name, _) in request.headers {
        let is_known = CORS_HEADERS.contains(&name.as_str())
            || OF_BROWSERS.contains(&name.as_str())
            || name.starts_with("sec-");
        if !is_known {
            problems.push(format!("header {name} is not let through"));
        }
    }
    let version = header("cal-api-version");
    if !operation.version.is_empty() && version != Some(operation.version) {
        problems.push(format!(
            "cal-api-version is {version:?}, not {}",
            operation.version
        ));
    }
    check_query(operation, path, query, &mut problems);
    check_body(
        operation,
        request.body,
        header("content-type"),
        &mut problems,
    );
    if !is_signed && String::from_utf8_lossy(request.body).contains("\"reservationDuration\"") {
        problems.push("reservationDuration needs credentials".to_owned());
    }
    match problems.is_empty() {
        true => Ok(()),
        false => Err(Rejection {
            status: 400,
            problems,
        }),
    }
}

fn fits(pattern: &str, path: &str) -> bool {
    let (mut wanted, mut actual) = (pattern.split('/'), path.split('/'));
    loop {
        match (wanted.next(), actual.next()) {
            (None, None) => return true,
            (Some("{}"), Some(segment)) if !segment.is_empty() => {}
            (Some(word), Some(segment)) if word == segment => {}
            _ => return false,
        }
    }
}

fn check_query(operation: &Operation, path: &str, query: &str, problems: &mut Vec<String>) {
    let mut properties = Map::new();
    for pair in query.split('&').filter(|pair| !pair.is_empty()) {
        let (name, value) = pair.split_once('=').unwrap_or((pair, ""));
        // Values are only checked for their format, and only `:` has to be decoded for that.
        let value = value.replace("%3A", ":");
        let known = operation
            .query
            .iter()
            .find(|(known, _)| bare(known) == name);
        let value = match known {
            Some((_, Kind::Number)) => value
                .parse::<f64>()
                .map_or(json!(value), |number| json!(number)),
            _ => json!(value),
        };
        if properties.insert(name.to_owned(), value).is_some() {
            problems.push(format!("query {name} came twice"));
        }
    }
    check_object("query", operation.query, &properties, problems);
    if path == "/v2/slots" {
        identifies(&properties, &["usernames"], problems);
    }
    if properties.contains_key("eventSlug")
        && !properties.contains_key("username")
        && path == "/v2/event-types"
    {
        problems.push("query eventSlug needs username".to_owned());
    }
}

fn check_body(
    operation: &Operation,
    body: &[u8],
    content_type: Option<&str>,
    problems: &mut Vec<String>,
) {
    if operation.bodies.is_empty() {
        if !body.is_empty() {
            problems.push("a body where none is known".to_owned());
        }
        return;
    }
    if !content_type.is_some_and(|kind| kind.starts_with("application/json")) {
        problems.push(format!(
            "the body is {content_type:?}, not application/json"
        ));
    }
    let Ok(Value::Object(properties)) = serde_json::from_slice(body) else {
        problems.push("the body is no JSON object".to_owned());
        return;
    };
    let form = operation
        .bodies
        .iter()
        .find(|(key, _)| key.is_empty() || properties.contains_key(*key));
    let Some((_, schema)) = form else { return };
    check_object("body", schema, &properties, problems);
    if operation.path == "/v2/bookings" {
        identifies(&properties, &[], problems);
        let attendee = &properties.get("attendee").unwrap_or(&Value::Null);
        if attendee["email"].is_null() && attendee["phoneNumber"].is_null() {
            problems.push("attendee has neither email nor phoneNumber".to_owned());
        }
    }
}

/// Checks that exactly one way to name an event type is used. `other` is one more.
fn identifies(properties: &Map<String, Value>, other: &[&str], problems: &mut Vec<String>) {
    let ways: [&[&str]; 4] = [
        &["eventTypeId"],
        &["eventTypeSlug", "username"],
        &["eventTypeSlug", "teamSlug"],
        other,
    ];
    let names: BTreeSet<&str> = ways.iter().copied().flatten().copied().collect();
    let used: BTreeSet<&str> = names
        .into_iter()
        .filter(|name| properties.contains_key(*name))
        .collect();
    let is_way = ways
        .iter()
        .any(|way| way.iter().copied().collect::<BTreeSet<_>>() == used);
    if used.is_empty() || !is_way {
        problems.push(format!("the event type is named by {used:?}"));
    }
}

fn bare(name: &str) -> &str {
    name.trim_end_matches('*')
}

fn check_object(
    path_of_value: &str,
    schema: Schema,
    properties: &Map<String, Value>,
    problems: &mut Vec<String>,
) {
    for (name, _) in schema {
        if name.ends_with('*') && !properties.contains_key(bare(name)) {
            problems.push(format!("{path_of_value} lacks {}", bare(name)));
        }
    }
    for (name, value) in properties {
        match schema.iter().find(|(known, _)| bare(known) == name) {
            Some((_, kind)) => {
                check_value(&format!("{path_of_value} {name}"), *kind, value, problems)
            }
            None => problems.push(format!("{path_of_value} {name} should not exist")),
        }
    }
}

fn check_value(path_of_value: &str, kind: Kind, value: &Value, problems: &mut Vec<String>) {
    let text = value.as_str();
    let expected = match kind {
        Kind::Text => text.is_none_or(str::is_empty).then_some("a text"),
        Kind::Number => (!value.is_number()).then_some("a number"),
        Kind::Flag => (!value.is_boolean()).then_some("true or false"),
        Kind::True => (value != true).then_some("true"),
        Kind::Utc => (!text.is_some_and(is_utc)).then_some("a time in UTC"),
        Kind::UtcOrDate => {
            let is_right = text.is_some_and(|text| is_utc(text) || text.len() == 10);
            (!is_right).then_some("a date or a time in UTC")
        }
        Kind::Texts => {
            let all = value.as_array();
            let is_right = all.is_some_and(|all| all.iter().all(Value::is_string));
            (!is_right).then_some("a list of texts")
        }
        Kind::Word(words) => {
            let is_right = text.is_some_and(|text| words.contains(&text));
            if !is_right {
                problems.push(format!("{path_of_value} is {value}, not one of {words:?}"));
            }
            None
        }
        Kind::Answers => (!value.is_object()).then_some("an object"),
        Kind::Metadata => (!is_metadata(value)).then_some("an object of texts within its limits"),
        Kind::Object(schema) => match value {
            Value::Object(properties) => {
                check_object(path_of_value, schema, properties, problems);
                None
            }
            _ => Some("an object"),
        },
        Kind::Location => {
            check_location(path_of_value, value, problems);
            None
        }
    };
    if let Some(expected) = expected {
        problems.push(format!("{path_of_value} is {value}, not {expected}"));
    }
}

fn is_utc(text: &str) -> bool {
    text.len() >= "2027-01-05T14:00Z".len() && text.contains('T') && text.ends_with('Z')
}

fn is_metadata(value: &Value) -> bool {
    let Some(all) = value.as_object() else {
        return false;
    };
    let is_short = |text: &str, most: usize| text.chars().count() <= most;
    let fits = |(key, value): (&String, &Value)| {
        is_short(key, 40) && value.as_str().is_some_and(|text| is_short(text, 500))
    };
    all.len() <= 50 && all.iter().all(fits)
}

fn check_location(path_of_value: &str, value: &Value, problems: &mut Vec<String>) {
    let Some(properties) = value.as_object() else {
        problems.push(format!("{path_of_value} is {value}, not an object"));
        return;
    };
    let kind = properties
        .get("type")
        .and_then(Value::as_str)
        .unwrap_or_default();
    let Some((_, schema)) = LOCATIONS.iter().find(|(known, _)| *known == kind) else {
        problems.push(format!("{path_of_value} type is {kind:?}"));
        return;
    };
    let mut rest = properties.clone();
    rest.remove("type");
    check_object(path_of_value, schema, &rest, problems);
}

impl Rejection {
    /// Returns the response body, in that service's error format.
    pub(crate) fn body(&self, target: &str) -> Value {
        let (code, message) = match self.status {
            401 => ("UnauthorizedException", "Invalid Access Token."),
            404 => (
                "NotFoundException",
                self.problems.first().map_or("", String::as_str),
            ),
            _ => ("BadRequestException", "Bad Request Exception"),
        };
        let error = |problem: &String| json!({ "property": "request", "children": [], "constraints": { "whitelist": problem } });
        let errors: Vec<Value> = self.problems.iter().map(error).collect();
        json!({
            "status": "error", "timestamp": "2026-01-01T00:00:00.000Z", "path": target,
            "error": {
                "code": code, "message": message,
                "details": { "statusCode": self.status, "message": message, "errors": errors },
            },
        })
    }
}
