//! Reads people who are added to a booking, strictly.

use booking_wire::{LANGUAGES, NewGuest};
use chrono_tz::Tz;
use serde_json::{Value, json};

use crate::input_limits::MAX_NAME_CHARS;
use crate::validate::{Checks, Object, is_email, is_line, is_phone};

const KEYS: [&str; 5] = ["email", "name", "timeZone", "phoneNumber", "language"];

/// What has to be given.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Detail {
    /// The address alone will do.
    Address,
    /// Name, zone and address.
    Full,
    /// Only what is to change.
    Changes,
}

/// Reads one person; what is wrong is complained about.
pub fn read(object: Object<'_>, detail: Detail, checks: &mut Checks) -> NewGuest {
    object.allow(&KEYS, checks);
    let text = |key: &str, checks: &mut Checks| {
        let is_required = match detail {
            Detail::Address => key == "email",
            Detail::Full => true,
            Detail::Changes => object.value(key).is_some() || object.is_null(key),
        };
        if is_required {
            object.required_text(key, checks)
        } else {
            object.text(key, checks)
        }
    };
    let email = text("email", checks).map(str::trim);
    if let Some(email) = email.filter(|email| !is_email(email)) {
        let complaint = "must be an email";
        checks.complain(&object.path("email"), &json!(email), "isEmail", complaint);
    }
    let name = text("name", checks).map(str::trim);
    if let Some(name) = name.filter(|name| name.chars().count() > MAX_NAME_CHARS) {
        let complaint = format!("must be at most {MAX_NAME_CHARS} characters long");
        checks.complain(&object.path("name"), &json!(name), "maxLength", &complaint);
    }
    if let Some(name) = name.filter(|name| !is_line(name)) {
        let complaint = "must be one line without control characters";
        checks.complain(&object.path("name"), &json!(name), "isLine", complaint);
    }
    let zone = text("timeZone", checks);
    if let Some(zone) = zone.filter(|zone| zone.parse::<Tz>().is_err()) {
        let complaint = "must be a valid IANA time-zone";
        let path = object.path("timeZone");
        checks.complain(&path, &json!(zone), "isTimeZone", complaint);
    }
    let phone = object.text("phoneNumber", checks);
    if let Some(phone) = phone.filter(|phone| !is_phone(phone)) {
        let complaint = "must be a phone number with country code, like +390612345678";
        let path = object.path("phoneNumber");
        checks.complain(&path, &json!(phone), "isPhoneNumber", complaint);
    }
    let language = object.text("language", checks);
    if let Some(language) = language.filter(|language| !LANGUAGES.contains(language)) {
        let complaint = format!("must be one of: {}", LANGUAGES.join(", "));
        let path = object.path("language");
        checks.complain(&path, &json!(language), "isEnum", &complaint);
    }
    NewGuest {
        email: email.unwrap_or_default().to_owned(),
        name: name.filter(|name| !name.is_empty()).map(str::to_owned),
        time_zone: zone.map(str::to_owned),
        phone_number: phone.map(str::to_owned),
        language: language.map(str::to_owned),
    }
}

/// Reads a list of people whose addresses alone will do.
pub fn read_list(list: &[Value], property: &str, checks: &mut Checks) -> Vec<NewGuest> {
    let mut people = Vec::new();
    for (index, value) in list.iter().enumerate() {
        let Some(map) = value.as_object() else {
            let path = format!("{property}.{index}");
            checks.complain(&path, value, "isObject", "must be an object");
            continue;
        };
        let prefix = format!("{property}.{index}.");
        people.push(read(Object::new(map, &prefix), Detail::Address, checks));
    }
    people
}
