//! Reads bodies that make or change an object: a key that is there is set, `null` removes what
//! may be missing, and everything else stays as it is.

use booking_wire::{JsonMap, WEEKDAYS};
use chrono_tz::Tz;
use serde_json::Value;

use crate::error::Result;
use crate::validate::checks::Checks;
use crate::validate::formats::{is_color, is_email, is_slug, is_url, whole};
use crate::validate::object::Object;

/// Longest text in characters.
const LONGEST_TEXT: usize = 1000;

/// A body while it is applied to an object.
#[derive(Debug)]
pub struct Changes<'a> {
    body: &'a JsonMap,
    /// What was wrong up to here; the reader may add to it.
    pub checks: Checks,
}

impl<'a> Changes<'a> {
    /// Changes from a body of version 2, whose keys outside of `known` are ignored and logged.
    pub fn of(body: &'a JsonMap, known: &[&str]) -> Self {
        Object::new(body, "").ignore_unknown(known);
        Self::any(body)
    }

    /// Changes from a body whose keys have been checked.
    pub fn any(body: &'a JsonMap) -> Self {
        Self {
            body,
            checks: Checks::default(),
        }
    }

    /// Whether the body has the key.
    pub fn has(&self, key: &str) -> bool {
        self.body.contains_key(key)
    }

    /// Complains unless the body has the key.
    pub fn require(&mut self, key: &str, rule: &'static str, complaint: &str) {
        if !self.has(key) {
            self.checks.complain(key, &Value::Null, rule, complaint);
        }
    }

    /// Sets `field` from the key, if it is there; `null` breaks the rule as well.
    pub fn set<T>(
        &mut self,
        key: &str,
        field: &mut T,
        rule: &'static str,
        complaint: &str,
        read: impl FnOnce(&'a Value) -> Option<T>,
    ) {
        if let Some(value) = self.body.get(key) {
            match read(value) {
                Some(read) => *field = read,
                None => self.checks.complain(key, value, rule, complaint),
            }
        }
    }

    /// Sets `field` from the key, if it is there; `null` removes it.
    pub fn set_or_clear<T>(
        &mut self,
        key: &str,
        field: &mut Option<T>,
        rule: &'static str,
        complaint: &str,
        read: impl FnOnce(&'a Value) -> Option<T>,
    ) {
        if self.body.get(key).is_some_and(Value::is_null) {
            *field = None;
        } else {
            self.set(key, field, rule, complaint, |value| read(value).map(Some));
        }
    }

    /// A text that is not blank, without blanks around it.
    pub fn name(&mut self, key: &str, field: &mut String) {
        let complaint = format!("must be a text of 1 to {LONGEST_TEXT} characters");
        self.set(key, field, "isNotEmpty", &complaint, |value| {
            text(value)
                .map(|text| text.trim().to_owned())
                .filter(|text| !text.is_empty())
        });
    }

    /// Any text.
    pub fn text(&mut self, key: &str, field: &mut Option<String>) {
        let complaint = format!("must be a text of at most {LONGEST_TEXT} characters");
        self.set_or_clear(key, field, "isString", &complaint, text);
    }

    /// A part of an address.
    pub fn slug(&mut self, key: &str, field: &mut String) {
        let complaint = "must be small letters, digits and hyphens";
        self.set(key, field, "matches", complaint, |value| {
            text(value).filter(|text| is_slug(text))
        });
    }

    /// An e-mail address, in small letters.
    pub fn email(&mut self, key: &str, field: &mut String) {
        self.set(key, field, "isEmail", "must be an email", |value| {
            text(value)
                .filter(|text| is_email(text))
                .map(|text| text.to_lowercase())
        });
    }

    /// An http or https address.
    pub fn url(&mut self, key: &str, field: &mut Option<String>) {
        self.set_or_clear(key, field, "isUrl", "must be a URL address", |value| {
            value
                .as_str()
                .filter(|text| is_url(text))
                .map(str::to_owned)
        });
    }

    /// `#RGB` or `#RRGGBB`.
    pub fn color(&mut self, key: &str, field: &mut Option<String>) {
        let complaint = "must be a colour like #1A2 or #1A2B3C";
        self.set_or_clear(key, field, "isHexColor", complaint, |value| {
            text(value).filter(|text| is_color(text))
        });
    }

    /// One of a few words, or none.
    pub fn word(&mut self, key: &str, field: &mut Option<String>, words: &[&str]) {
        let complaint = format!("must be one of: {}", words.join(", "));
        self.set_or_clear(key, field, "isEnum", &complaint, |value| {
            text(value).filter(|text| words.contains(&text.as_str()))
        });
    }

    /// An IANA zone.
    pub fn zone(&mut self, key: &str, field: &mut String) {
        let complaint = "must be a valid IANA time-zone";
        self.set(key, field, "isTimeZone", complaint, |value| {
            text(value).filter(|text| text.parse::<Tz>().is_ok())
        });
    }

    /// A day's English name, or its first three letters or more, in any case.
    pub fn week_start(&mut self, key: &str, field: &mut String) {
        let complaint = format!("must be one of: {}", WEEKDAYS.join(", "));
        self.set(key, field, "isEnum", &complaint, |value| {
            weekday(value.as_str()?).map(str::to_owned)
        });
    }

    /// `true` or `false`.
    pub fn flag(&mut self, key: &str, field: &mut bool) {
        self.set(
            key,
            field,
            "isBoolean",
            "must be a boolean value",
            Value::as_bool,
        );
    }

    /// Keys and values of a customer's own (contract 3.5.1); they replace the former ones.
    pub fn metadata(&mut self, key: &str, field: &mut JsonMap) {
        let complaint = "must be an object of at most 50 keys of at most 40 characters, \
                         with texts of at most 500 characters, numbers and booleans as values";
        self.set(key, field, "isMetadata", complaint, |value| {
            let map = value.as_object()?;
            let is_sound = |value: &Value| match value {
                Value::String(text) => text.chars().count() <= 500,
                Value::Number(_) | Value::Bool(_) => true,
                _ => false,
            };
            let sound = map.len() <= 50
                && map
                    .iter()
                    .all(|(key, value)| key.chars().count() <= 40 && is_sound(value));
            sound.then(|| map.clone())
        });
    }

    /// The complaints as an error, if there are any.
    pub fn finish(self) -> Result<()> {
        self.checks.finish()
    }
}

/// Name of the day that `text` means: `Monday` for `monday` and `MON`.
fn weekday(text: &str) -> Option<&'static str> {
    let given = text.to_ascii_lowercase();
    let mut days = WEEKDAYS.into_iter();
    days.find(|day| given.len() >= 3 && day.to_ascii_lowercase().starts_with(&given))
}

/// 12 or 24 hours.
pub fn time_format(value: &Value) -> Option<i64> {
    whole(value).filter(|hours| matches!(hours, 12 | 24))
}

/// What is said about a value that is no [`time_format`].
pub const TIME_FORMAT: &str = "must be 12 or 24";

fn text(value: &Value) -> Option<String> {
    value
        .as_str()
        .filter(|text| text.chars().count() <= LONGEST_TEXT && !text.contains('\0'))
        .map(str::to_owned)
}
