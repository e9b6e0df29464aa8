//! The place of a meeting: the one chosen, or the only one there is.

use booking_wire::{JsonMap, Location};
use serde_json::{Value, json};

use crate::event_types::access::integration_name;
use crate::input_limits::MAX_ANSWER_CHARS;
use crate::validate::{Checks, Object, is_phone, is_url};

/// The service's own video meetings.
const OWN_VIDEO: &str = "svc-video";

/// Names of the kinds of places.
const KINDS: [&str; 8] = [
    "address",
    "link",
    "phone",
    "integration",
    "organizersDefaultApp",
    "attendeeAddress",
    "attendeePhone",
    "attendeeDefined",
];

/// Where a meeting takes place.
#[derive(Clone, Debug)]
pub struct Place {
    /// As the booking names it.
    pub text: String,
    /// As it stands among the answers.
    pub response: Value,
    /// Whether the visitor named it, and not the organiser.
    pub is_visitors: bool,
}

/// The place of the meeting among those `offered`.
pub fn place(offered: &[Location], chosen: Option<&Value>, checks: &mut Checks) -> Option<Place> {
    // An empty text is the legacy form of no choice.
    let Some(chosen) = chosen.filter(|chosen| *chosen != "") else {
        return match offered {
            [] => None,
            [only] => match settled(only) {
                Some(place) => Some(place),
                None => {
                    checks.complain(
                        "location",
                        &Value::Null,
                        "isDefined",
                        "is required: the visitor names the place",
                    );
                    None
                }
            },
            _ => {
                checks.complain(
                    "location",
                    &Value::Null,
                    "isDefined",
                    "is required: the event type offers several",
                );
                None
            }
        };
    };
    match chosen {
        Value::String(text) => by_text(offered, text.trim(), checks),
        Value::Object(map) => by_object(offered, map, checks),
        _ => {
            checks.complain("location", chosen, "isObject", "must be an object");
            None
        }
    }
}

/// Location for `text`, the legacy form: the name of a kind, an app, the value of an offered
/// location, else the value of a visitor-defined kind. A link is accepted from a visitor only for
/// `attendeeDefined`.
fn by_text(offered: &[Location], text: &str, checks: &mut Checks) -> Option<Place> {
    if KINDS.contains(&text) {
        let map = JsonMap::from_iter([("type".to_owned(), json!(text))]);
        return by_object(offered, &map, checks);
    }
    let app = integration_name(text.strip_prefix("integrations:").unwrap_or(text));
    let known = offered.iter().find(|location| match location {
        Location::Address { address: value, .. }
        | Location::Link { link: value, .. }
        | Location::Phone { phone: value, .. } => value == text,
        Location::Integration { integration } => integration_name(integration) == app,
        Location::OrganizersDefaultApp => app == OWN_VIDEO,
        _ => false,
    });
    if let Some(known) = known {
        return settled(known);
    }
    let is_link = is_url(text) || text.starts_with("www.");
    let kinds: &[(Location, &str)] = &[
        (Location::AttendeePhone, "phone"),
        (Location::AttendeeDefined, "location"),
        (Location::AttendeeAddress, "address"),
    ];
    let named = kinds.iter().find(|(kind, _)| {
        offered.contains(kind)
            && match kind {
                Location::AttendeePhone => is_phone(text),
                Location::AttendeeAddress => !is_link && !is_phone(text),
                _ => true,
            }
    });
    match named {
        Some((kind, key)) => {
            let kind = json!(kind_of(kind));
            let map =
                JsonMap::from_iter([("type".to_owned(), kind), ((*key).to_owned(), json!(text))]);
            by_object(offered, &map, checks)
        }
        None => {
            let complaint = "must be a place that this event type offers";
            checks.complain("location", &json!(text), "isIn", complaint);
            None
        }
    }
}

fn by_object(offered: &[Location], map: &JsonMap, checks: &mut Checks) -> Option<Place> {
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
    let found = offered.iter().find(|location| match location {
        Location::Integration { integration: slug } => {
            let is_same = |asked| integration_name(asked) == integration_name(slug);
            kind == "integration" && integration.is_none_or(is_same)
        }
        other => kind_of(other) == kind,
    });
    let Some(found) = found else {
        checks.complain(
            "location.type",
            &json!(kind),
            "isIn",
            "must be a place that this event type offers",
        );
        return None;
    };
    if let Some(place) = settled(found) {
        return Some(place);
    }
    let key = match found {
        Location::AttendeePhone => "phone",
        Location::AttendeeAddress => "address",
        _ => "location",
    };
    let text = object.required_text(key, checks)?.trim();
    if key == "phone" && !is_phone(text) {
        let complaint = "must be a phone number with country code, like +390612345678";
        checks.complain("location.phone", &json!(text), "isPhoneNumber", complaint);
        return None;
    }
    if key == "address" && is_url(text) {
        let complaint = "must be a postal address, not a link";
        checks.complain("location.address", &json!(text), "isAddress", complaint);
        return None;
    }
    if text.chars().count() > MAX_ANSWER_CHARS {
        checks.complain(&object.path(key), &json!(text), "maxLength", "is too long");
        return None;
    }
    Some(Place {
        text: text.to_owned(),
        response: json!({"type": kind, key: text}),
        is_visitors: true,
    })
}

/// The place, if it does not depend on the visitor.
fn settled(location: &Location) -> Option<Place> {
    let kind = kind_of(location);
    let (text, response) = match location {
        Location::Address { address, .. } => (address.clone(), json!({"type": kind})),
        Location::Link { link, .. } => (link.clone(), json!({"type": kind})),
        Location::Phone { phone, .. } => (phone.clone(), json!({"type": kind})),
        Location::Integration { integration } => (
            format!("integrations:{integration}"),
            json!({"type": kind, "integration": integration}),
        ),
        Location::OrganizersDefaultApp => {
            (format!("integrations:{OWN_VIDEO}"), json!({"type": kind}))
        }
        Location::Unknown => (String::new(), Value::Null),
        Location::AttendeeAddress | Location::AttendeePhone | Location::AttendeeDefined => {
            return None;
        }
    };
    Some(Place {
        text,
        response,
        is_visitors: false,
    })
}

fn kind_of(location: &Location) -> &'static str {
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
