//! Readers of the locations and booking fields of an event type.

use booking_wire::{FieldKind, JsonMap};
use serde_json::{Value, json};

use crate::domain::event_types::readers::{array, flag, non_blank_text, object, one_of, text};
use crate::input_limits::{MAX_BOOKING_FIELDS, MAX_FIELD_OPTIONS, MAX_LOCATIONS};
use crate::validate::{Checks, Object, is_phone, is_url};

/// Location types, each with the property that the organiser sets.
const LOCATION_TYPES: [(&str, Option<&str>); 8] = [
    ("address", Some("address")),
    ("link", Some("link")),
    ("phone", Some("phone")),
    ("integration", Some("integration")),
    ("organizersDefaultApp", None),
    ("attendeeAddress", None),
    ("attendeePhone", None),
    ("attendeeDefined", None),
];

/// Default booking fields: slug, type, required, hidden. Custom fields come before `notes`.
const DEFAULT_FIELDS: [(&str, &str, bool, bool); 7] = [
    ("name", "name", true, false),
    ("email", "email", true, false),
    ("location", "radioInput", true, false),
    ("title", "text", false, true),
    ("notes", "textarea", false, false),
    ("guests", "multiemail", false, false),
    ("rescheduleReason", "textarea", false, false),
];

/// Number of default fields that come before the custom ones.
const LEADING_FIELDS: usize = 4;

/// Characters of the address, link or phone number of a location.
const MAX_LOCATION_TEXT_CHARS: usize = 2_048;

/// Characters of the name of an app for a location.
const MAX_APP_NAME_CHARS: usize = 64;

/// Characters of the slug of a booking field.
const MAX_FIELD_SLUG_CHARS: usize = 64;

/// Characters of a label, placeholder or option of a booking field.
const MAX_LABEL_CHARS: usize = 500;

/// Keys of a booking field.
pub const FIELD_KEYS: [&str; 9] = [
    "type",
    "slug",
    "label",
    "required",
    "placeholder",
    "options",
    "hidden",
    "disableOnPrefill",
    "isDefault",
];

/// Slug of the field for the telephone number of an attendee without an e-mail address.
const PHONE_SLUG: &str = "attendeePhoneNumber";

pub(super) fn locations(path: &str, value: &Value, checks: &mut Checks) -> Option<Value> {
    let mut locations: Vec<Value> = Vec::new();
    for (index, value) in array(path, value, 1..=MAX_LOCATIONS, checks)?
        .iter()
        .enumerate()
    {
        let path = format!("{path}.{index}");
        let Some(read) = location(&path, value, checks) else {
            continue;
        };
        if locations.contains(&read) {
            checks.report(&path, value, "arrayUnique", "is named twice");
        }
        locations.push(read);
    }
    Some(json!(locations))
}

fn location(path: &str, value: &Value, checks: &mut Checks) -> Option<Value> {
    let map = object(path, value, checks)?;
    let names = LOCATION_TYPES.map(|(name, _)| name);
    let kind = one_of(
        &names,
        &format!("{path}.type"),
        map.get("type").unwrap_or(&Value::Null),
        checks,
    )?;
    let property = LOCATION_TYPES.iter().find(|(name, _)| *name == kind)?.1;
    let prefix = format!("{path}.");
    let Some(key) = property else {
        Object::new(map, &prefix).ignore_unknown(&["type"]);
        return Some(json!({"type": kind}));
    };
    let path = format!("{path}.{key}");
    let read = non_blank_text::<MAX_LOCATION_TEXT_CHARS>(
        &path,
        map.get(key).unwrap_or(&Value::Null),
        checks,
    );
    let text = read.as_ref().and_then(Value::as_str).unwrap_or_default();
    let message = match key {
        _ if read.is_none() => None,
        "link" if !is_url(text) => Some((
            "isUrl",
            "must be an address that begins with https:// or http://",
        )),
        "phone" if !is_phone(text) => Some((
            "isPhoneNumber",
            "must be a telephone number like +390612345678",
        )),
        "integration" if !is_app(text) => Some((
            "isSlug",
            "must be the name of an app, such as svc-video or google-meet",
        )),
        _ => None,
    };
    if let Some((rule, message)) = message {
        checks.report(&path, &json!(text), rule, message);
    }
    if key == "integration" {
        Object::new(map, &prefix).ignore_unknown(&["type", key]);
        return Some(json!({"type": kind, key: integration_name(text)}));
    }
    Object::new(map, &prefix).ignore_unknown(&["type", key, "public"]);
    let public = match map.get("public").filter(|value| !value.is_null()) {
        Some(value) => flag(&format!("{prefix}public"), value, checks)?,
        None => Value::Bool(false),
    };
    Some(json!({"type": kind, key: text, "public": public}))
}

/// Returns the stored name of a conferencing app. `cal-video` and `daily` are other names of the
/// service's own video meetings.
pub fn integration_name(name: &str) -> &str {
    match name {
        "cal-video" | "daily" => "svc-video",
        other => other,
    }
}

fn is_app(text: &str) -> bool {
    text.len() <= MAX_APP_NAME_CHARS
        && text
            .bytes()
            .all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_'))
}

pub(super) fn booking_fields(path: &str, value: &Value, checks: &mut Checks) -> Option<Value> {
    let mut fields: Vec<Value> = Vec::new();
    for (index, value) in array(path, value, 0..=MAX_BOOKING_FIELDS, checks)?
        .iter()
        .enumerate()
    {
        let path = format!("{path}.{index}");
        let Some(read) = field(&path, value, checks) else {
            continue;
        };
        if fields.iter().any(|other| other["slug"] == read["slug"]) {
            let path = format!("{path}.slug");
            checks.report(&path, &read["slug"], "arrayUnique", "is used twice");
        }
        fields.push(read);
    }
    check_phone_field(path, &fields, checks);
    Some(json!(fields))
}

fn field(path: &str, value: &Value, checks: &mut Checks) -> Option<Value> {
    let map = object(path, value, checks)?;
    let prefix = format!("{path}.");
    let object = Object::new(map, &prefix);
    object.ignore_unknown(&FIELD_KEYS);
    let kinds = FieldKind::NAMES.map(|(name, _)| name);
    // The slug of a default field implies its type.
    let by_slug = DEFAULT_FIELDS
        .iter()
        .find(|(slug, ..)| map.get("slug").is_some_and(|value| value == slug));
    let kind = match (object.value("type"), by_slug) {
        (None, Some((_, kind, ..))) => *kind,
        (value, _) => one_of(
            &kinds,
            &object.path("type"),
            value.unwrap_or(&Value::Null),
            checks,
        )?,
    };
    // Three types belong to one default field only.
    let bound_field = DEFAULT_FIELDS[..3]
        .iter()
        .find(|(_, default, ..)| *default == kind);
    let slug = match (object.value("slug"), bound_field) {
        (None, Some((slug, ..))) => json!(slug),
        (slug, _) => field_slug(&object.path("slug"), slug.unwrap_or(&Value::Null), checks)?,
    };
    let default = DEFAULT_FIELDS.iter().find(|(default, ..)| slug == *default);
    let required_kind = match (default, bound_field) {
        (Some((_, kind, ..)), _) => *kind,
        (None, Some((slug, ..))) => {
            let message = format!("must be {slug} for the type {kind}");
            return checks.reject(&object.path("slug"), &json!(slug), "equals", &message);
        }
        (None, None) if slug == PHONE_SLUG => "phone",
        (None, None) => kind,
    };
    if kind != required_kind {
        let message = format!("must be {required_kind} for the slug {}", slug.as_str()?);
        return checks.reject(&object.path("type"), &json!(kind), "equals", &message);
    }
    let mut read_flag = |key: &str, default: bool| match object.value(key) {
        Some(value) => flag(&object.path(key), value, checks),
        None => Some(Value::Bool(default)),
    };
    let (required, hidden) = (
        read_flag("required", default.is_some_and(|default| default.2))?,
        read_flag("hidden", default.is_some_and(|default| default.3))?,
    );
    read_flag("isDefault", default.is_some())?;
    let prefill = match object.value("disableOnPrefill") {
        Some(_) => Some(read_flag("disableOnPrefill", false)?),
        None => None,
    };
    let mut read = json!({
        "type": kind, "slug": slug, "required": required, "hidden": hidden,
        "isDefault": default.is_some(),
    });
    if (slug == "name" || slug == "location") && (required == false || hidden == true) {
        checks.report(
            path,
            &read,
            "alwaysAsked",
            "must be required and not hidden",
        );
    }
    if required == true && hidden == true && slug != "email" {
        checks.report(
            path,
            &read,
            "canBeAnswered",
            "cannot be required and hidden at once",
        );
    }
    if let Some(prefill) = prefill {
        read["disableOnPrefill"] = prefill;
    }
    match object.value("label") {
        Some(label) => {
            read["label"] = non_blank_text::<MAX_LABEL_CHARS>(&object.path("label"), label, checks)?
        }
        None if default.is_none() => {
            checks.report(
                &object.path("label"),
                &Value::Null,
                "isString",
                "must be a string",
            );
        }
        None => {}
    }
    if let Some(placeholder) = object.value("placeholder") {
        read["placeholder"] =
            text::<MAX_LABEL_CHARS>(&object.path("placeholder"), placeholder, checks)?;
    }
    if let Some(options) = options(&object, kind, checks)? {
        read["options"] = options;
    }
    Some(read)
}

fn field_slug(path: &str, value: &Value, checks: &mut Checks) -> Option<Value> {
    let is_valid = value.as_str().is_some_and(|slug| {
        (1..=MAX_FIELD_SLUG_CHARS).contains(&slug.len())
            && slug
                .bytes()
                .all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_'))
    });
    if !is_valid {
        return checks.reject(
            path,
            value,
            "isSlug",
            "must consist of 1 to 64 letters, digits, hyphens and underscores",
        );
    }
    Some(value.clone())
}

/// Reads the options of a field: `None` if they are invalid, `Some(None)` if there are none.
fn options(object: &Object<'_>, kind: &str, checks: &mut Checks) -> Option<Option<Value>> {
    let path = object.path("options");
    let value = object.value("options");
    if !matches!(kind, "select" | "radio" | "multiselect" | "checkbox") {
        if let Some(value) = value.filter(|value| **value != json!([])) {
            let message = format!("cannot be used with the type {kind}");
            return checks.reject(&path, value, "dependsOn", &message);
        }
        return Some(None);
    }
    let mut options: Vec<Value> = Vec::new();
    let items = array(
        &path,
        value.unwrap_or(&Value::Null),
        1..=MAX_FIELD_OPTIONS,
        checks,
    )?;
    for (index, value) in items.iter().enumerate() {
        let path = format!("{path}.{index}");
        let option = non_blank_text::<MAX_LABEL_CHARS>(&path, value, checks)?;
        if options.contains(&option) {
            return checks.reject(&path, value, "arrayUnique", "is offered twice");
        }
        options.push(option);
    }
    Some(Some(json!(options)))
}

/// Returns true if the field `email` is optional or hidden.
fn has_optional_email(fields: &[Value]) -> bool {
    fields.iter().any(|field| {
        field["slug"] == "email" && (field["required"] == false || field["hidden"] == true)
    })
}

/// Requires the telephone number field if `email` is optional or hidden.
fn check_phone_field(path: &str, fields: &[Value], checks: &mut Checks) {
    let requires_phone = fields.iter().any(|field| {
        field["slug"] == PHONE_SLUG && field["required"] == true && field["hidden"] == false
    });
    if has_optional_email(fields) && !requires_phone {
        let message =
            format!("must require {PHONE_SLUG} where email is not required, or is hidden");
        checks.report(path, &Value::Null, "canBeReached", &message);
    }
}

/// Returns true if the event type can be booked without an e-mail address.
pub(super) fn allows_booking_without_email(document: &JsonMap) -> bool {
    document
        .get("bookingFields")
        .and_then(Value::as_array)
        .is_some_and(|fields| has_optional_email(fields))
}

/// Adds missing default fields. The field `location` is there only if there are several locations.
pub(super) fn add_default_fields(document: &mut JsonMap) {
    let locations = document.get("locations").and_then(Value::as_array);
    let has_choice = locations.is_some_and(|locations| locations.len() > 1);
    let mut fields = match document.remove("bookingFields") {
        Some(Value::Array(fields)) => fields,
        _ => Vec::new(),
    };
    if !has_choice {
        fields.retain(|field| field["slug"] != "location");
    }
    let mut front = 0;
    for (index, (slug, kind, required, hidden)) in DEFAULT_FIELDS.iter().enumerate() {
        let is_leading = index < LEADING_FIELDS;
        if let Some(position) = fields.iter().position(|field| field["slug"] == *slug) {
            if is_leading && position == front {
                front += 1;
            }
            continue;
        }
        if *slug == "location" && !has_choice {
            continue;
        }
        let field = json!({
            "type": kind, "slug": slug, "required": required, "hidden": hidden, "isDefault": true,
        });
        if is_leading {
            fields.insert(front, field);
            front += 1;
        } else {
            fields.push(field);
        }
    }
    document.insert("bookingFields".into(), Value::Array(fields));
}

#[cfg(test)]
mod tests {
    use super::*;

    fn slugs(document: Value) -> Vec<String> {
        let mut document = document.as_object().cloned().unwrap();
        add_default_fields(&mut document);
        document["bookingFields"]
            .as_array()
            .unwrap()
            .iter()
            .map(|field| field["slug"].as_str().unwrap().to_owned())
            .collect()
    }

    #[test]
    fn default_fields_surround_custom_fields() {
        let custom = json!({"slug": "topic"});
        assert_eq!(
            slugs(json!({"bookingFields": [custom]})),
            [
                "name",
                "email",
                "title",
                "topic",
                "notes",
                "guests",
                "rescheduleReason"
            ]
        );
        assert_eq!(
            slugs(
                json!({"bookingFields": [{"slug": "name"}, custom, {"slug": "guests"}], "locations": [1, 2]})
            ),
            [
                "name",
                "email",
                "location",
                "title",
                "topic",
                "guests",
                "notes",
                "rescheduleReason"
            ]
        );
    }

    #[test]
    fn location_field_is_kept_only_with_several_locations() {
        let fields = json!([{"slug": "location"}]);
        assert!(
            !slugs(json!({"bookingFields": fields, "locations": [1]})).contains(&"location".into())
        );
        assert!(
            slugs(json!({"bookingFields": fields, "locations": [1, 2]}))
                .contains(&"location".into())
        );
    }
}
