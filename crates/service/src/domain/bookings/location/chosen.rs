//! Location of a booking: the chosen one, or the only one of the event type.

use booking_wire::{JsonMap, Location};
use serde_json::{Value, json};

use crate::domain::event_types::access::integration_name;
use crate::input_limits::MAX_ANSWER_CHARS;
use crate::validate::{Checks, Object, is_e164, is_phone, is_url};

/// Slug of the built-in video meetings.
const BUILT_IN_VIDEO: &str = "svc-video";

/// Types of locations.
const LOCATION_TYPES: [&str; 8] = [
    "address",
    "link",
    "phone",
    "integration",
    "organizersDefaultApp",
    "attendeeAddress",
    "attendeePhone",
    "attendeeDefined",
];

/// Location of a booking.
#[derive(Clone, Debug)]
pub struct ChosenLocation {
    /// Text that is stored in the booking.
    pub text: String,
    /// Value of `location` in `bookingFieldsResponses`.
    pub response: Value,
    /// True if the visitor entered it; false if the event type defines it.
    pub is_from_visitor: bool,
}

/// Chooses the location of the booking from the `locations` of the event type.
pub fn choose_location(
    locations: &[Location],
    chosen: Option<&Value>,
    checks: &mut Checks,
) -> Option<ChosenLocation> {
    // An empty string is the legacy form of an absent location.
    let Some(chosen) = chosen.filter(|chosen| *chosen != "") else {
        let location = locations.first().and_then(fixed_location);
        let message = match locations {
            [] => return None,
            [_] if location.is_some() => return location,
            [_] => "is required: the visitor names the place",
            _ => "is required: the event type offers several",
        };
        return checks.reject("location", &Value::Null, "isDefined", message);
    };
    match chosen {
        Value::String(text) => by_text(locations, text.trim(), checks),
        Value::Object(map) => by_object(locations, map, checks),
        _ => checks.reject("location", chosen, "isObject", "must be an object"),
    }
}

/// Returns the location for `text`, the legacy form: a location type, an app, the value of an
/// offered location, else the value of a visitor-defined type. A link is accepted from a visitor
/// only for `attendeeDefined`.
fn by_text(locations: &[Location], text: &str, checks: &mut Checks) -> Option<ChosenLocation> {
    if LOCATION_TYPES.contains(&text) {
        let map = JsonMap::from_iter([("type".to_owned(), json!(text))]);
        return by_object(locations, &map, checks);
    }
    let app = integration_name(text.strip_prefix("integrations:").unwrap_or(text));
    let matching = locations.iter().find(|location| match location {
        Location::Address { address: value, .. }
        | Location::Link { link: value, .. }
        | Location::Phone { phone: value, .. } => value == text,
        Location::Integration { integration } => integration_name(integration) == app,
        Location::OrganizersDefaultApp => app == BUILT_IN_VIDEO,
        _ => false,
    });
    if let Some(matching) = matching {
        return fixed_location(matching);
    }
    let is_link = is_url(text) || text.starts_with("www.");
    let kinds: &[(Location, &str)] = &[
        (Location::AttendeePhone, "phone"),
        (Location::AttendeeDefined, "location"),
        (Location::AttendeeAddress, "address"),
    ];
    let named = kinds.iter().find(|(kind, _)| {
        locations.contains(kind)
            && match kind {
                Location::AttendeePhone => is_e164(text),
                Location::AttendeeAddress => !is_link && !is_e164(text),
                _ => true,
            }
    });
    match named {
        Some((kind, key)) => {
            let kind = json!(type_name(kind));
            let map =
                JsonMap::from_iter([("type".to_owned(), kind), ((*key).to_owned(), json!(text))]);
            by_object(locations, &map, checks)
        }
        None => {
            let message = "must be a place that this event type offers";
            checks.reject("location", &json!(text), "isIn", message)
        }
    }
}

fn by_object(locations: &[Location], map: &JsonMap, checks: &mut Checks) -> Option<ChosenLocation> {
    let object = Object::new(map, "location.");
    object.allow(
        &[
            "type",
            "address",
            "phone",
            "location",
            "integration",
            "link",
        ],
        checks,
    );
    let kind = object.required_text("type", checks)?;
    let integration = object.text("integration", checks);
    let found = locations.iter().find(|location| match location {
        Location::Integration { integration: slug } => {
            let is_same = |name| integration_name(name) == integration_name(slug);
            kind == "integration" && integration.is_none_or(is_same)
        }
        other => type_name(other) == kind,
    });
    let Some(found) = found else {
        return checks.reject(
            "location.type",
            &json!(kind),
            "isIn",
            "must be a place that this event type offers",
        );
    };
    if let Some(location) = fixed_location(found) {
        return Some(location);
    }
    let key = match found {
        Location::AttendeePhone => "phone",
        Location::AttendeeAddress => "address",
        _ => "location",
    };
    let text = object.required_text(key, checks)?.trim();
    if key == "phone" && !is_phone(text) {
        let message = "must be a phone number with country code, like +390612345678";
        return checks.reject("location.phone", &json!(text), "isPhoneNumber", message);
    }
    if key == "address" && is_url(text) {
        let message = "must be a postal address, not a link";
        return checks.reject("location.address", &json!(text), "isAddress", message);
    }
    if text.chars().count() > MAX_ANSWER_CHARS {
        return checks.reject(&object.path(key), &json!(text), "maxLength", "is too long");
    }
    Some(ChosenLocation {
        text: text.to_owned(),
        response: json!({"type": kind, key: text}),
        is_from_visitor: true,
    })
}

/// Returns the location if it does not depend on the visitor.
fn fixed_location(location: &Location) -> Option<ChosenLocation> {
    let kind = type_name(location);
    let (text, response) = match location {
        Location::Address { address, .. } => (address.clone(), json!({"type": kind})),
        Location::Link { link, .. } => (link.clone(), json!({"type": kind})),
        Location::Phone { phone, .. } => (phone.clone(), json!({"type": kind})),
        Location::Integration { integration } => (
            format!("integrations:{integration}"),
            json!({"type": kind, "integration": integration}),
        ),
        Location::OrganizersDefaultApp => (
            format!("integrations:{BUILT_IN_VIDEO}"),
            json!({"type": kind}),
        ),
        Location::Unknown => (String::new(), Value::Null),
        Location::AttendeeAddress | Location::AttendeePhone | Location::AttendeeDefined => {
            return None;
        }
    };
    Some(ChosenLocation {
        text,
        response,
        is_from_visitor: false,
    })
}

fn type_name(location: &Location) -> &'static str {
    match location {
        Location::Address { .. } => "address",
        Location::Link { .. } => "link",
        Location::Phone { .. } => "phone",
        Location::Integration { .. } => "integration",
        Location::OrganizersDefaultApp => "organizersDefaultApp",
        Location::AttendeeAddress => "attendeeAddress",
        Location::AttendeePhone => "attendeePhone",
        Location::AttendeeDefined => "attendeeDefined",
        Location::Unknown => "unknown",
    }
}
