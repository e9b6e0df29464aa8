//! Places and questions of an event type (contract 3.3).

use booking_wire::{FieldKind, JsonMap};
use serde_json::{Value, json};

use crate::event_types::readers::{array, flag, object, text, word, words};
use crate::input_limits::{MAX_BOOKING_FIELDS, MAX_FIELD_OPTIONS, MAX_LOCATIONS};
use crate::validate::{Checks, Object, is_phone, is_url};

/// The place kinds, each with the property that the organiser fills in.
const PLACES: [(&str, Option<&str>); 8] = [
    ("address", Some("address")),
    ("link", Some("link")),
    ("phone", Some("phone")),
    ("integration", Some("integration")),
    ("organizersDefaultApp", None),
    ("attendeeAddress", None),
    ("attendeePhone", None),
    ("attendeeDefined", None),
];

/// The service's own questions: slug, kind, required, hidden. The custom ones come before `notes`.
const DEFAULTS: [(&str, &str, bool, bool); 7] = [
    ("name", "name", true, false),
    ("email", "email", true, false),
    ("location", "radioInput", true, false),
    ("title", "text", false, true),
    ("notes", "textarea", false, false),
    ("guests", "multiemail", false, false),
    ("rescheduleReason", "textarea", false, false),
];

/// How many of them come first.
const LEADING: usize = 4;

/// Keys of a question.
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

/// Asks for the number that an attendee without an e-mail address is reached at.
const PHONE_SLUG: &str = "attendeePhoneNumber";

pub(super) fn locations(path: &str, value: &Value, checks: &mut Checks) -> Option<Value> {
    let mut places: Vec<Value> = Vec::new();
    for (place, value) in array(path, value, 1..=MAX_LOCATIONS, checks)?
        .iter()
        .enumerate()
    {
        let path = format!("{path}.{place}");
        let Some(read) = location(&path, value, checks) else {
            continue;
        };
        if places.contains(&read) {
            checks.complain(&path, value, "arrayUnique", "is named twice");
        }
        places.push(read);
    }
    Some(json!(places))
}

fn location(path: &str, value: &Value, checks: &mut Checks) -> Option<Value> {
    let map = object(path, value, checks)?;
    let names = PLACES.map(|(name, _)| name);
    let kind = word(
        &names,
        &format!("{path}.type"),
        map.get("type").unwrap_or(&Value::Null),
        checks,
    )?;
    let filled_in = PLACES.iter().find(|(name, _)| *name == kind)?.1;
    let prefix = format!("{path}.");
    let Some(key) = filled_in else {
        Object::new(map, &prefix).ignore_unknown(&["type"]);
        return Some(json!({"type": kind}));
    };
    let path = format!("{path}.{key}");
    let given = words::<2048>(&path, map.get(key).unwrap_or(&Value::Null), checks);
    let text = given.as_ref().and_then(Value::as_str).unwrap_or_default();
    let complaint = match key {
        _ if given.is_none() => None,
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
    if let Some((rule, complaint)) = complaint {
        checks.complain(&path, &json!(text), rule, complaint);
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

/// A conferencing app as it is stored. The service's own video meetings have other names elsewhere.
pub fn integration_name(name: &str) -> &str {
    match name {
        "cal-video" | "daily" => "svc-video",
        other => other,
    }
}

fn is_app(text: &str) -> bool {
    text.len() <= 64
        && text
            .bytes()
            .all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_'))
}

pub(super) fn booking_fields(path: &str, value: &Value, checks: &mut Checks) -> Option<Value> {
    let mut fields: Vec<Value> = Vec::new();
    for (place, value) in array(path, value, 0..=MAX_BOOKING_FIELDS, checks)?
        .iter()
        .enumerate()
    {
        let path = format!("{path}.{place}");
        let Some(read) = field(&path, value, checks) else {
            continue;
        };
        if fields.iter().any(|other| other["slug"] == read["slug"]) {
            let path = format!("{path}.slug");
            checks.complain(&path, &read["slug"], "arrayUnique", "is used twice");
        }
        fields.push(read);
    }
    may_do_without_email(path, &fields, checks);
    Some(json!(fields))
}

fn field(path: &str, value: &Value, checks: &mut Checks) -> Option<Value> {
    let map = object(path, value, checks)?;
    let prefix = format!("{path}.");
    let given = Object::new(map, &prefix);
    given.ignore_unknown(&FIELD_KEYS);
    let kinds = FieldKind::NAMES.map(|(name, _)| name);
    // A default field is known by its slug.
    let by_slug = DEFAULTS
        .iter()
        .find(|(slug, ..)| map.get("slug").is_some_and(|given| given == slug));
    let kind = match (given.value("type"), by_slug) {
        (None, Some((_, kind, ..))) => *kind,
        (given_kind, _) => word(
            &kinds,
            &given.path("type"),
            given_kind.unwrap_or(&Value::Null),
            checks,
        )?,
    };
    // Three kinds belong to one question only.
    let own = DEFAULTS[..3]
        .iter()
        .find(|(_, default, ..)| *default == kind);
    let slug = match (given.value("slug"), own) {
        (None, Some((slug, ..))) => json!(slug),
        (slug, _) => field_slug(&given.path("slug"), slug.unwrap_or(&Value::Null), checks)?,
    };
    let default = DEFAULTS.iter().find(|(known, ..)| slug == *known);
    let wanted = match (default, own) {
        (Some((_, wanted, ..)), _) => *wanted,
        (None, Some((slug, ..))) => {
            let complaint = format!("must be {slug} for the type {kind}");
            checks.complain(&given.path("slug"), &json!(slug), "equals", &complaint);
            return None;
        }
        (None, None) if slug == PHONE_SLUG => "phone",
        (None, None) => kind,
    };
    if kind != wanted {
        let complaint = format!("must be {wanted} for the slug {}", slug.as_str()?);
        checks.complain(&given.path("type"), &json!(kind), "equals", &complaint);
        return None;
    }
    let mut claim = |key: &str, usual: bool| match given.value(key) {
        Some(value) => flag(&given.path(key), value, checks),
        None => Some(Value::Bool(usual)),
    };
    let (required, hidden) = (
        claim("required", default.is_some_and(|default| default.2))?,
        claim("hidden", default.is_some_and(|default| default.3))?,
    );
    claim("isDefault", default.is_some())?;
    let prefill = match given.value("disableOnPrefill") {
        Some(_) => Some(claim("disableOnPrefill", false)?),
        None => None,
    };
    let mut read = json!({
        "type": kind, "slug": slug, "required": required, "hidden": hidden,
        "isDefault": default.is_some(),
    });
    if (slug == "name" || slug == "location") && (required == false || hidden == true) {
        checks.complain(
            path,
            &read,
            "alwaysAsked",
            "must be required and not hidden",
        );
    }
    if required == true && hidden == true && slug != "email" {
        checks.complain(
            path,
            &read,
            "canBeAnswered",
            "cannot be required and hidden at once",
        );
    }
    if let Some(prefill) = prefill {
        read["disableOnPrefill"] = prefill;
    }
    match given.value("label") {
        Some(label) => read["label"] = words::<500>(&given.path("label"), label, checks)?,
        None if default.is_none() => {
            checks.complain(
                &given.path("label"),
                &Value::Null,
                "isString",
                "must be a string",
            );
        }
        None => {}
    }
    if let Some(placeholder) = given.value("placeholder") {
        read["placeholder"] = text::<500>(&given.path("placeholder"), placeholder, checks)?;
    }
    if let Some(options) = options(given, kind, checks)? {
        read["options"] = options;
    }
    Some(read)
}

fn field_slug(path: &str, value: &Value, checks: &mut Checks) -> Option<Value> {
    let sound = value.as_str().is_some_and(|slug| {
        (1..=64).contains(&slug.len())
            && slug
                .bytes()
                .all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_'))
    });
    if !sound {
        checks.complain(
            path,
            value,
            "isSlug",
            "must consist of 1 to 64 letters, digits, hyphens and underscores",
        );
        return None;
    }
    Some(value.clone())
}

/// The outer `None` says that they are wrong, the inner one that there are none.
fn options(given: Object<'_>, kind: &str, checks: &mut Checks) -> Option<Option<Value>> {
    let path = given.path("options");
    let value = given.value("options");
    if !matches!(kind, "select" | "radio" | "multiselect" | "checkbox") {
        if let Some(value) = value.filter(|value| **value != json!([])) {
            let complaint = format!("cannot be used with the type {kind}");
            checks.complain(&path, value, "dependsOn", &complaint);
            return None;
        }
        return Some(None);
    }
    let mut options: Vec<Value> = Vec::new();
    let given = array(
        &path,
        value.unwrap_or(&Value::Null),
        1..=MAX_FIELD_OPTIONS,
        checks,
    )?;
    for (place, value) in given.iter().enumerate() {
        let path = format!("{path}.{place}");
        let option = words::<500>(&path, value, checks)?;
        if options.contains(&option) {
            checks.complain(&path, value, "arrayUnique", "is offered twice");
            return None;
        }
        options.push(option);
    }
    Some(Some(json!(options)))
}

/// Whether the questions include `email` without demanding an answer.
fn asks_no_email(fields: &[Value]) -> bool {
    fields.iter().any(|field| {
        field["slug"] == "email" && (field["required"] == false || field["hidden"] == true)
    })
}

/// Somebody who gives no e-mail address must give a telephone number.
fn may_do_without_email(path: &str, fields: &[Value], checks: &mut Checks) {
    let by_phone = fields.iter().any(|field| {
        field["slug"] == PHONE_SLUG && field["required"] == true && field["hidden"] == false
    });
    if asks_no_email(fields) && !by_phone {
        let complaint =
            format!("must require {PHONE_SLUG} where email is not required, or is hidden");
        checks.complain(path, &Value::Null, "canBeReached", &complaint);
    }
}

/// Whether visitors of the event type can book without an e-mail address.
pub(super) fn goes_without_email(document: &JsonMap) -> bool {
    document
        .get("bookingFields")
        .and_then(Value::as_array)
        .is_some_and(|fields| asks_no_email(fields))
}

/// Adds the service's own questions that are missing. The place is asked for only where there is
/// a choice.
pub(super) fn complete(document: &mut JsonMap) {
    let places = document.get("locations").and_then(Value::as_array);
    let has_choice = places.is_some_and(|places| places.len() > 1);
    let mut fields = match document.remove("bookingFields") {
        Some(Value::Array(fields)) => fields,
        _ => Vec::new(),
    };
    if !has_choice {
        fields.retain(|field| field["slug"] != "location");
    }
    let mut front = 0;
    for (place, (slug, kind, required, hidden)) in DEFAULTS.iter().enumerate() {
        let leads = place < LEADING;
        if let Some(known) = fields.iter().position(|field| field["slug"] == *slug) {
            if leads && known == front {
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
        if leads {
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
        complete(&mut document);
        document["bookingFields"]
            .as_array()
            .unwrap()
            .iter()
            .map(|field| field["slug"].as_str().unwrap().to_owned())
            .collect()
    }

    #[test]
    fn own_questions_stand_around_the_custom_ones() {
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
    fn the_place_is_asked_for_only_where_there_is_a_choice() {
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
