//! Parses guests and attendees that are added to a booking.

use booking_wire::{LANGUAGES, NewGuest, is_attendee_language};
use booking_zones::Zone;
use serde_json::{Value, json};

use crate::input_limits::MAX_NAME_CHARS;
use crate::validate::{Checks, LINE_MESSAGE, Object, is_email, is_line, is_phone};

/// Required keys of a guest.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RequiredKeys {
    /// The email address only.
    Email,
    /// Name, time zone and email address.
    All,
    /// None; keys that are present must not be empty or null.
    Changed,
}

/// Parses one guest; errors are reported to `checks`.
pub fn read(object: &Object<'_>, required: RequiredKeys, checks: &mut Checks) -> NewGuest {
    let text = |key: &str, checks: &mut Checks| {
        let is_required = match required {
            RequiredKeys::Email => key == "email",
            RequiredKeys::All => true,
            RequiredKeys::Changed => object.value(key).is_some() || object.is_null(key),
        };
        if is_required {
            object.required_text(key, checks)
        } else {
            object.text(key, checks)
        }
    };
    let email = text("email", checks).map(str::trim);
    if let Some(email) = email.filter(|email| !is_email(email)) {
        let message = "must be an email";
        checks.report(&object.path("email"), &json!(email), "isEmail", message);
    }
    let name = text("name", checks).map(str::trim);
    if let Some(name) = name.filter(|name| name.chars().count() > MAX_NAME_CHARS) {
        let message = format!("must be at most {MAX_NAME_CHARS} characters long");
        checks.report(&object.path("name"), &json!(name), "maxLength", &message);
    }
    if let Some(name) = name.filter(|name| !is_line(name)) {
        checks.report(&object.path("name"), &json!(name), "isLine", LINE_MESSAGE);
    }
    let zone = text("timeZone", checks);
    if let Some(zone) = zone.filter(|zone| Zone::named(zone).is_none()) {
        let message = "must be a valid IANA time-zone";
        let path = object.path("timeZone");
        checks.report(&path, &json!(zone), "isTimeZone", message);
    }
    let phone = object.text("phoneNumber", checks);
    if let Some(phone) = phone.filter(|phone| !is_phone(phone)) {
        let message = "must be a phone number with country code, like +390612345678";
        let path = object.path("phoneNumber");
        checks.report(&path, &json!(phone), "isPhoneNumber", message);
    }
    let language = object.text("language", checks);
    if let Some(language) = language.filter(|language| !is_attendee_language(language)) {
        let message = format!(
            "must be one of: {}, hi, or one of these with a region, such as en-GB",
            LANGUAGES.join(", ")
        );
        let path = object.path("language");
        checks.report(&path, &json!(language), "isEnum", &message);
    }
    object.reject_unread(checks);
    NewGuest {
        email: email.unwrap_or_default().to_owned(),
        name: name.filter(|name| !name.is_empty()).map(str::to_owned),
        time_zone: zone.map(str::to_owned),
        phone_number: phone.map(str::to_owned),
        language: language.map(str::to_owned),
    }
}

/// Parses a list of guests, of whom only the email address is required.
pub fn read_list(list: &[Value], property: &str, checks: &mut Checks) -> Vec<NewGuest> {
    let mut guests = Vec::new();
    for (index, value) in list.iter().enumerate() {
        let Some(map) = value.as_object() else {
            let path = format!("{property}.{index}");
            checks.report(&path, value, "isObject", "must be an object");
            continue;
        };
        let prefix = format!("{property}.{index}.");
        guests.push(read(
            &Object::new(map, &prefix),
            RequiredKeys::Email,
            checks,
        ));
    }
    guests
}
