//! Parses the body of POST /v2/bookings strictly. [`super::responses`] checks the responses against
//! the form of the event type.

use booking_wire::{Attendee, Instant, JsonMap, LANGUAGES, is_attendee_language};
use booking_zones::Zone;
use serde_json::{Value, json};

use crate::domain::event_types::names::EventTypeNames;
use crate::error::Result;
use crate::input_limits::{MAX_GUESTS, MAX_METADATA_KEYS, MAX_NAME_CHARS};
use crate::validate::{
    Checks, LINE_MESSAGE, Object, date_time, in_range, is_email, is_line, is_metadata_entry,
    is_phone,
};

/// Request to create a booking, not yet validated against the event type.
#[derive(Clone, Debug)]
pub struct CreateBooking {
    /// Start of the slot.
    pub start: Instant,
    /// Identification of the event type.
    pub names: EventTypeNames,
    /// Requested length; none for the default length.
    pub length_minutes: Option<i64>,
    /// Person who books.
    pub attendee: Attendee,
    /// Time zone of the attendee.
    pub zone: Zone,
    /// Form responses by slug.
    pub responses: JsonMap,
    /// Email addresses.
    pub guests: Vec<String>,
    /// Chosen location.
    pub location: Option<Value>,
    /// Custom metadata.
    pub metadata: JsonMap,
    /// Number of occurrences of a series.
    pub recurrence_count: Option<i64>,
    /// Starts of its occurrences, if they are not all those of the rule.
    pub recurrence_starts: Option<Vec<Instant>>,
    /// True for a meeting that starts immediately.
    pub is_instant: bool,
    /// Code that verifies the attendee's email address.
    pub email_verification_code: Option<String>,
    /// Uid of the visitor's reservation of the slot.
    pub reservation: Option<String>,
}

impl CreateBooking {
    /// Parses the request body.
    pub fn read(body: &JsonMap) -> Result<Self> {
        let mut checks = Checks::default();
        let object = Object::new(body, "");
        let text = |key: &str, checks: &mut Checks| object.text(key, checks).map(str::to_owned);
        let names = EventTypeNames {
            id: object.positive("eventTypeId", &mut checks),
            slug: text("eventTypeSlug", &mut checks),
            username: text("username", &mut checks),
            team_slug: text("teamSlug", &mut checks),
            organization_slug: text("organizationSlug", &mut checks),
        };
        if object.value("eventTypeId").is_none() || names.id.is_some() {
            names.check(&mut checks);
        }
        let (attendee, zone) = attendee(&object, &mut checks);
        object.text("meetingUrl", &mut checks);
        object.object("routing", &mut checks);
        let is_instant = object.boolean("instant", &mut checks);
        let request = Self {
            start: object.instant("start", &mut checks),
            names,
            length_minutes: object.positive("lengthInMinutes", &mut checks),
            attendee,
            zone,
            responses: object
                .object("bookingFieldsResponses", &mut checks)
                .cloned()
                .unwrap_or_default(),
            guests: guests(&object, &mut checks),
            location: object.value("location").cloned(),
            metadata: metadata(&object, &mut checks),
            recurrence_count: object.positive("recurrenceCount", &mut checks),
            recurrence_starts: recurrence_starts(&object, &mut checks),
            is_instant: is_instant.unwrap_or(false),
            email_verification_code: text("emailVerificationCode", &mut checks),
            reservation: text("reservedSlotUid", &mut checks),
        };
        object.reject_unread(&mut checks);
        checks.finish()?;
        Ok(request)
    }
}

fn attendee(object: &Object<'_>, checks: &mut Checks) -> (Attendee, Zone) {
    let fallback = (Attendee::default(), Zone::utc());
    if object.value("attendee").is_none() {
        checks.report("attendee", &Value::Null, "isObject", "must be an object");
        return fallback;
    }
    let Some(map) = object.object("attendee", checks) else {
        return fallback;
    };
    let object = Object::new(map, "attendee.");
    let name = object
        .required_text("name", checks)
        .unwrap_or_default()
        .trim();
    if name.chars().count() > MAX_NAME_CHARS {
        checks.report(
            "attendee.name",
            &json!(name),
            "maxLength",
            &format!("must be at most {MAX_NAME_CHARS} characters long"),
        );
    }
    if !is_line(name) {
        checks.report("attendee.name", &json!(name), "isLine", LINE_MESSAGE);
    }
    let zone_name = object.required_text("timeZone", checks).unwrap_or("UTC");
    let zone = Zone::named(zone_name);
    if zone.is_none() {
        checks.report(
            "attendee.timeZone",
            &json!(zone_name),
            "isTimeZone",
            "must be a valid IANA time-zone",
        );
    }
    let email = object.text("email", checks).map(str::trim);
    if let Some(email) = email.filter(|email| !is_email(email)) {
        checks.report(
            "attendee.email",
            &json!(email),
            "isEmail",
            "must be an email",
        );
    }
    let phone = object.text("phoneNumber", checks);
    if let Some(phone) = phone.filter(|phone| !is_phone(phone)) {
        let message = "must be a phone number with country code, like +390612345678";
        checks.report(
            "attendee.phoneNumber",
            &json!(phone),
            "isPhoneNumber",
            message,
        );
    }
    if email.is_none() && phone.is_none() {
        checks.report(
            "attendee.email",
            &Value::Null,
            "emailOrPhone",
            "or attendee.phoneNumber must be given",
        );
    }
    let language = object.text("language", checks);
    if let Some(language) = language.filter(|language| !is_attendee_language(language)) {
        let message = format!(
            "must be one of: {}, hi, or one of these with a region, such as en-GB",
            LANGUAGES.join(", ")
        );
        checks.report("attendee.language", &json!(language), "isEnum", &message);
    }
    object.reject_unread(checks);
    let attendee = Attendee {
        name: name.to_owned(),
        email: email.unwrap_or_default().to_owned(),
        time_zone: zone_name.to_owned(),
        phone_number: phone.map(str::to_owned),
        language: Some(language.unwrap_or("en").to_owned()),
        ..Attendee::default()
    };
    (attendee, zone.unwrap_or_else(Zone::utc))
}

fn recurrence_starts(object: &Object<'_>, checks: &mut Checks) -> Option<Vec<Instant>> {
    const KEY: &str = "recurrenceStarts";
    let values = object.array(KEY, checks)?;
    if object.value("recurrenceCount").is_some() {
        let message = "and recurrenceCount exclude each other";
        checks.report(KEY, &Value::Null, "oneOf", message);
    }
    let start = |value| date_time(value).filter(|start| in_range(*start));
    let starts: Option<Vec<Instant>> = values.iter().map(start).collect();
    if starts.is_none() {
        let message = "must be valid ISO 8601 date strings";
        checks.report(KEY, &Value::Null, "isDateString", message);
    }
    starts
}

fn guests(object: &Object<'_>, checks: &mut Checks) -> Vec<String> {
    let values = object.array("guests", checks);
    let mut guests: Vec<String> = Vec::new();
    for (index, value) in values.into_iter().flatten().enumerate() {
        match value.as_str().map(str::trim).filter(|text| is_email(text)) {
            Some(email) if guests.iter().any(|guest| guest.eq_ignore_ascii_case(email)) => {}
            Some(email) => guests.push(email.to_owned()),
            None => checks.report(
                &format!("guests.{index}"),
                value,
                "isEmail",
                "must be an email",
            ),
        }
        if guests.len() > MAX_GUESTS {
            checks.report(
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

fn metadata(object: &Object<'_>, checks: &mut Checks) -> JsonMap {
    let Some(map) = object.object("metadata", checks) else {
        return JsonMap::new();
    };
    if map.len() > MAX_METADATA_KEYS {
        checks.report(
            "metadata",
            &Value::Null,
            "maxKeys",
            "must have at most 50 keys",
        );
    }
    for (key, value) in map {
        if !is_metadata_entry(key, value) {
            let message = "must have keys of at most 40 characters, and strings of at most 500, numbers or booleans";
            checks.report("metadata", value, "isMetadata", message);
            break;
        }
    }
    map.clone()
}
