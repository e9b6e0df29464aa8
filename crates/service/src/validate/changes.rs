//! Reads bodies that create or update an object: a key in the body is set, `null` removes an
//! optional value, and absent keys are unchanged.

use booking_wire::{JsonMap, WEEKDAYS};
use booking_zones::Zone;
use serde_json::Value;

use crate::error::Result;
use crate::input_limits::MAX_METADATA_KEYS;
use crate::validate::checks::Checks;
use crate::validate::formats::{
    handle_message, integer, is_color, is_email, is_handle, is_line, is_metadata_entry, is_text,
    is_url, is_username, username_message,
};
use crate::validate::object::Object;

/// Maximum length of a text in characters.
const MAX_TEXT_CHARS: usize = 1000;

/// A body that is applied to an object.
#[derive(Debug)]
pub struct Changes<'a> {
    body: Object<'a>,
    logs_unread: bool,
    /// Validation errors so far. Callers may add theirs.
    pub checks: Checks,
}

impl<'a> Changes<'a> {
    /// Creates changes from a body of version 2; keys that are not read are ignored and logged.
    pub fn ignoring_unknown(body: &'a JsonMap) -> Self {
        Self {
            logs_unread: true,
            ..Self::new(body)
        }
    }

    /// Creates changes from a body with checked keys.
    pub fn new(body: &'a JsonMap) -> Self {
        Self {
            body: Object::new(body, ""),
            logs_unread: false,
            checks: Checks::default(),
        }
    }

    /// Returns true if the body has the key.
    pub fn has(&self, key: &str) -> bool {
        self.body.get(key).is_some()
    }

    /// Adds a validation error unless the body has the key.
    pub fn require(&mut self, key: &str, rule: &'static str, message: &str) {
        if !self.has(key) {
            self.checks.report(key, &Value::Null, rule, message);
        }
    }

    /// Sets `field` from the key, if present; `null` is invalid.
    pub fn set<T>(
        &mut self,
        key: &str,
        field: &mut T,
        rule: &'static str,
        message: &str,
        read: impl FnOnce(&'a Value) -> Option<T>,
    ) {
        if let Some(value) = self.body.get(key) {
            match read(value) {
                Some(read) => *field = read,
                None => self.checks.report(key, value, rule, message),
            }
        }
    }

    /// Sets `field` from the key, if present; `null` removes it.
    pub fn set_or_clear<T>(
        &mut self,
        key: &str,
        field: &mut Option<T>,
        rule: &'static str,
        message: &str,
        read: impl FnOnce(&'a Value) -> Option<T>,
    ) {
        if self.body.is_null(key) {
            *field = None;
        } else {
            self.set(key, field, rule, message, |value| read(value).map(Some));
        }
    }

    /// Sets a name: a line that is not blank, trimmed.
    pub fn name(&mut self, key: &str, field: &mut String) {
        let message = format!("must be one line of 1 to {MAX_TEXT_CHARS} characters");
        self.set(key, field, "isNotEmpty", &message, |value| {
            text(value)
                .map(|text| text.trim().to_owned())
                .filter(|text| !text.is_empty() && is_line(text))
        });
    }

    /// Sets a name, which may be absent.
    pub fn optional_name(&mut self, key: &str, field: &mut Option<String>) {
        let message = format!("must be one line of at most {MAX_TEXT_CHARS} characters");
        self.set_or_clear(key, field, "isLine", &message, |value| {
            text(value).filter(|text| is_line(text))
        });
    }

    /// Sets a text.
    pub fn text(&mut self, key: &str, field: &mut Option<String>) {
        let message = format!("must be a text of at most {MAX_TEXT_CHARS} characters");
        self.set_or_clear(key, field, "isString", &message, text);
    }

    /// Sets a handle, such as the slug of a team.
    pub fn handle(&mut self, key: &str, field: &mut String) {
        self.set(key, field, "matches", &handle_message(), |value| {
            text(value).filter(|text| is_handle(text))
        });
    }

    /// Sets the name of a user. One that became reserved later can stay.
    pub fn username(&mut self, key: &str, field: &mut String) {
        let current = field.clone();
        self.set(key, field, "matches", &username_message(), |value| {
            text(value).filter(|text| is_username(text) || *text == current)
        });
    }

    /// Sets an e-mail address, in lower case.
    pub fn email(&mut self, key: &str, field: &mut String) {
        self.set(key, field, "isEmail", "must be an email", |value| {
            text(value)
                .filter(|text| is_email(text))
                .map(|text| text.to_lowercase())
        });
    }

    /// Sets an http or https URL.
    pub fn url(&mut self, key: &str, field: &mut Option<String>) {
        self.set_or_clear(key, field, "isUrl", "must be a URL address", |value| {
            value
                .as_str()
                .filter(|text| is_url(text))
                .map(str::to_owned)
        });
    }

    /// Sets a colour: `#RGB` or `#RRGGBB`.
    pub fn color(&mut self, key: &str, field: &mut Option<String>) {
        let message = "must be a colour like #1A2 or #1A2B3C";
        self.set_or_clear(key, field, "isHexColor", message, |value| {
            text(value).filter(|text| is_color(text))
        });
    }

    /// Sets an id; `null` removes it.
    pub fn id(&mut self, key: &str, field: &mut Option<i64>) {
        let message = "must be a whole number not less than 1";
        self.set_or_clear(key, field, "min", message, |value| {
            integer(value).filter(|id| *id >= 1)
        });
    }

    /// Sets one of the strings in `allowed`.
    pub fn one_of(&mut self, key: &str, field: &mut Option<String>, allowed: &[&str]) {
        let message = format!("must be one of: {}", allowed.join(", "));
        self.set_or_clear(key, field, "isEnum", &message, |value| {
            text(value).filter(|text| allowed.contains(&text.as_str()))
        });
    }

    /// Sets an IANA time zone.
    pub fn zone(&mut self, key: &str, field: &mut String) {
        let message = "must be a valid IANA time-zone";
        self.set(key, field, "isTimeZone", message, |value| {
            text(value).filter(|text| Zone::named(text).is_some())
        });
    }

    /// Sets a weekday: its English name, or at least the first three letters of it, in any case.
    pub fn week_start(&mut self, key: &str, field: &mut String) {
        let message = format!("must be one of: {}", WEEKDAYS.join(", "));
        self.set(key, field, "isEnum", &message, |value| {
            weekday(value.as_str()?).map(str::to_owned)
        });
    }

    /// Sets a boolean.
    pub fn flag(&mut self, key: &str, field: &mut bool) {
        self.set(
            key,
            field,
            "isBoolean",
            "must be a boolean value",
            Value::as_bool,
        );
    }

    /// Sets the metadata, replacing all earlier keys.
    pub fn metadata(&mut self, key: &str, field: &mut JsonMap) {
        let message = "must be an object of at most 50 keys of at most 40 characters, \
                         with texts of at most 500 characters, numbers and booleans as values";
        self.set(key, field, "isMetadata", message, |value| {
            let map = value.as_object()?;
            let is_allowed = map.len() <= MAX_METADATA_KEYS
                && map.iter().all(|(key, value)| is_metadata_entry(key, value));
            is_allowed.then(|| map.clone())
        });
    }

    /// Returns the validation errors, if any, as an error.
    pub fn finish(self) -> Result<()> {
        if self.logs_unread {
            self.body.log_unread();
        }
        self.checks.finish()
    }
}

/// Parses a weekday: `Monday` for `monday` and `MON`.
fn weekday(text: &str) -> Option<&'static str> {
    let prefix = text.to_ascii_lowercase();
    let mut days = WEEKDAYS.into_iter();
    days.find(|day| prefix.len() >= 3 && day.to_ascii_lowercase().starts_with(&prefix))
}

/// Parses a time format: 12 or 24 hours.
pub fn time_format(value: &Value) -> Option<i64> {
    integer(value).filter(|hours| matches!(hours, 12 | 24))
}

/// Error message for a value that is no [`time_format`].
pub const TIME_FORMAT_MESSAGE: &str = "must be 12 or 24";

fn text(value: &Value) -> Option<String> {
    value
        .as_str()
        .filter(|text| text.chars().count() <= MAX_TEXT_CHARS && is_text(text))
        .map(str::to_owned)
}
