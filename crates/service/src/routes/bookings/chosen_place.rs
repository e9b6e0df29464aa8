//! The place of a meeting: the one chosen, or the only one there is.

use booking_wire::{JsonMap, Location};
use serde_json::{Value, json};

use super::form::MAX_TEXT;
use crate::validate::{Checks, Object, is_phone};

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
    let Some(chosen) = chosen else {
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
    // A bare string is the legacy form and names the kind.
    let map = match chosen {
        Value::Object(map) => map.clone(),
        Value::String(kind) => JsonMap::from_iter([("type".to_owned(), json!(kind))]),
        _ => {
            checks.complain("location", chosen, "isObject", "must be an object");
            return None;
        }
    };
    let object = Object::new(&map, "location.");
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
            kind == "integration" && integration.is_none_or(|asked| asked == slug)
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
    if text.chars().count() > MAX_TEXT {
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
            ("integrations:svc-video".to_owned(), json!({"type": kind}))
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
