//! Reads the body of POST /v2/bookings strictly. What its answers are worth, the event type's form
//! decides (see [`super::responses`]).

use booking_wire::{Attendee, Instant, JsonMap, LANGUAGES};
use chrono_tz::Tz;
use serde_json::{Value, json};

use crate::error::Result;
use crate::event_types::names::Names;
use crate::input_limits::{
    MAX_GUESTS, MAX_METADATA_KEY_CHARS, MAX_METADATA_KEYS, MAX_METADATA_TEXT_CHARS, MAX_NAME_CHARS,
};
use crate::validate::{Checks, Object, in_range, is_email, is_line, is_phone};

const KEYS: [&str; 18] = [
    "start",
    "attendee",
    "eventTypeId",
    "eventTypeSlug",
    "username",
    "teamSlug",
    "organizationSlug",
    "bookingFieldsResponses",
    "guests",
    "location",
    "lengthInMinutes",
    "recurrenceCount",
    "instant",
    "metadata",
    "emailVerificationCode",
    "routing",
    "meetingUrl",
    "reservedSlotUid",
];

/// A booking as it was asked for; nothing in it has been compared with the event type yet.
#[derive(Clone, Debug)]
pub struct Wanted {
    /// The slot.
    pub start: Instant,
    /// What to book.
    pub names: Names,
    /// Minutes.
    pub length: Option<i64>,
    /// Who books.
    pub attendee: Attendee,
    /// The attendee's zone.
    pub zone: Tz,
    /// Answers by slug.
    pub responses: JsonMap,
    /// E-mail addresses.
    pub guests: Vec<String>,
    /// The place.
    pub location: Option<Value>,
    /// Free-form.
    pub metadata: JsonMap,
    /// How many occurrences of a series.
    pub recurrence_count: Option<i64>,
    /// Whether to meet at once.
    pub is_instant: bool,
    /// Proves the attendee's address.
    pub email_verification_code: Option<String>,
    /// The visitor's own reservation of the slot.
    pub reservation: Option<String>,
}

impl Wanted {
    /// Reads the body.
    pub fn read(body: &JsonMap) -> Result<Self> {
        let mut checks = Checks::default();
        let object = Object::new(body, "");
        object.allow(&KEYS, &mut checks);
        let text = |key: &str, checks: &mut Checks| object.text(key, checks).map(str::to_owned);
        let names = Names {
            id: object.positive("eventTypeId", &mut checks),
            slug: text("eventTypeSlug", &mut checks),
            username: text("username", &mut checks),
            team_slug: text("teamSlug", &mut checks),
            organization_slug: text("organizationSlug", &mut checks),
        };
        if object.value("eventTypeId").is_none() || names.id.is_some() {
            names.check(&mut checks);
        }
        let (attendee, zone) = attendee(object, &mut checks);
        object.text("meetingUrl", &mut checks);
        object.object("routing", &mut checks);
        let is_instant = object.read(
            "instant",
            "isBoolean",
            "must be a boolean",
            &mut checks,
            Value::as_bool,
        );
        let wanted = Self {
            start: start(object, &mut checks),
            names,
            length: object.positive("lengthInMinutes", &mut checks),
            attendee,
            zone,
            responses: object
                .object("bookingFieldsResponses", &mut checks)
                .cloned()
                .unwrap_or_default(),
            guests: guests(object, &mut checks),
            location: object.value("location").cloned(),
            metadata: metadata(object, &mut checks),
            recurrence_count: object.positive("recurrenceCount", &mut checks),
            is_instant: is_instant.unwrap_or(false),
            email_verification_code: text("emailVerificationCode", &mut checks),
            reservation: text("reservedSlotUid", &mut checks),
        };
        checks.finish()?;
        Ok(wanted)
    }
}

/// The start of a meeting: a date and a time.
pub fn start(object: Object<'_>, checks: &mut Checks) -> Instant {
    let complaint = "must be a valid ISO 8601 date string";
    let Some(value) = object.value("start") else {
        checks.complain("start", &Value::Null, "isDateString", complaint);
        return Instant::default();
    };
    let start = value
        .as_str()
        // A bare date is no start.
        .filter(|text| text.len() > 10)
        .and_then(Instant::parse)
        .filter(|start| in_range(*start));
    if start.is_none() {
        checks.complain("start", value, "isDateString", complaint);
    }
    start.unwrap_or_default()
}

fn attendee(object: Object<'_>, checks: &mut Checks) -> (Attendee, Tz) {
    let nobody = (Attendee::default(), Tz::UTC);
    if object.value("attendee").is_none() {
        checks.complain("attendee", &Value::Null, "isObject", "must be an object");
        return nobody;
    }
    let Some(map) = object.object("attendee", checks) else {
        return nobody;
    };
    let object = Object::new(map, "attendee.");
    object.allow(
        &["name", "timeZone", "email", "phoneNumber", "language"],
        checks,
    );
    let name = object
        .required_text("name", checks)
        .unwrap_or_default()
        .trim();
    if name.chars().count() > MAX_NAME_CHARS {
        checks.complain(
            "attendee.name",
            &json!(name),
            "maxLength",
            &format!("must be at most {MAX_NAME_CHARS} characters long"),
        );
    }
    if !is_line(name) {
        let complaint = "must be one line without control characters";
        checks.complain("attendee.name", &json!(name), "isLine", complaint);
    }
    let zone_name = object.required_text("timeZone", checks).unwrap_or("UTC");
    let zone = zone_name.parse::<Tz>().ok();
    if zone.is_none() {
        checks.complain(
            "attendee.timeZone",
            &json!(zone_name),
            "isTimeZone",
            "must be a valid IANA time-zone",
        );
    }
    let email = object.text("email", checks).map(str::trim);
    if let Some(email) = email.filter(|email| !is_email(email)) {
        checks.complain(
            "attendee.email",
            &json!(email),
            "isEmail",
            "must be an email",
        );
    }
    let phone = object.text("phoneNumber", checks);
    if let Some(phone) = phone.filter(|phone| !is_phone(phone)) {
        let complaint = "must be a phone number with country code, like +390612345678";
        checks.complain(
            "attendee.phoneNumber",
            &json!(phone),
            "isPhoneNumber",
            complaint,
        );
    }
    if email.is_none() && phone.is_none() {
        checks.complain(
            "attendee.email",
            &Value::Null,
            "emailOrPhone",
            "or attendee.phoneNumber must be given",
        );
    }
    let language = object.text("language", checks);
    if let Some(language) = language.filter(|language| !LANGUAGES.contains(language)) {
        let complaint = format!("must be one of: {}", LANGUAGES.join(", "));
        checks.complain("attendee.language", &json!(language), "isEnum", &complaint);
    }
    let attendee = Attendee {
        name: name.to_owned(),
        email: email.unwrap_or_default().to_owned(),
        time_zone: zone_name.to_owned(),
        phone_number: phone.map(str::to_owned),
        language: Some(language.unwrap_or("en").to_owned()),
        ..Attendee::default()
    };
    (attendee, zone.unwrap_or(Tz::UTC))
}

fn guests(object: Object<'_>, checks: &mut Checks) -> Vec<String> {
    let given = object.read(
        "guests",
        "isArray",
        "must be an array",
        checks,
        Value::as_array,
    );
    let mut guests: Vec<String> = Vec::new();
    for (index, value) in given.into_iter().flatten().enumerate() {
        match value.as_str().map(str::trim).filter(|text| is_email(text)) {
            Some(email) if guests.iter().any(|guest| guest.eq_ignore_ascii_case(email)) => {}
            Some(email) => guests.push(email.to_owned()),
            None => checks.complain(
                &format!("guests.{index}"),
                value,
                "isEmail",
                "must be an email",
            ),
        }
        if guests.len() > MAX_GUESTS {
            checks.complain(
                "guests",
                &Value::Null,
                "arrayMaxSize",
                &format!("must be at most {MAX_GUESTS}"),
            );
            break;
        }
    }
    guests
}

fn metadata(object: Object<'_>, checks: &mut Checks) -> JsonMap {
    let Some(map) = object.object("metadata", checks) else {
        return JsonMap::new();
    };
    if map.len() > MAX_METADATA_KEYS {
        checks.complain(
            "metadata",
            &Value::Null,
            "maxKeys",
            "must have at most 50 keys",
        );
    }
    for (key, value) in map {
        let sound = match value {
            Value::String(text) => text.chars().count() <= MAX_METADATA_TEXT_CHARS,
            Value::Number(_) | Value::Bool(_) => true,
            _ => false,
        };
        if key.chars().count() > MAX_METADATA_KEY_CHARS || !sound {
            let complaint = "must have keys of at most 40 characters, and strings of at most 500, numbers or booleans";
            checks.complain("metadata", value, "isMetadata", complaint);
            break;
        }
    }
    map.clone()
}
