//! Strict reader of JSON objects.

use std::sync::{Mutex, MutexGuard, PoisonError};

use booking_wire::{Instant, JsonMap};
use serde_json::{Value, json};

use crate::validate::checks::{Checks, log_ignored};
use crate::validate::formats::{
    LINE_MESSAGE, TEXT_MESSAGE, date_time, in_range, integer, is_line, is_text,
};

/// Strict reader of the keys of a JSON object. Keys that are not read are unknown to the operation.
#[derive(Debug)]
pub struct Object<'a> {
    map: &'a JsonMap,
    prefix: &'a str,
    read: Mutex<Vec<&'a str>>,
}

impl<'a> Object<'a> {
    /// Creates a reader of `map`; `prefix` precedes its keys in errors (empty, or ending in a dot).
    pub fn new(map: &'a JsonMap, prefix: &'a str) -> Self {
        Self {
            map,
            prefix,
            read: Mutex::default(),
        }
    }

    /// Adds a validation error for every key that was not read, before those of the others.
    pub fn reject_unread(&self, checks: &mut Checks) {
        let read = self.read_keys();
        checks.put_first(|checks| {
            for (key, value) in self.map {
                if !read.contains(&key.as_str()) {
                    let rule = "whitelistValidation";
                    checks.report_key(self.prefix, key, value, rule, "should not exist");
                }
            }
        });
    }

    /// Adds a validation error for every key that is not in `known`, for objects whose keys depend on others.
    pub fn allow(&self, known: &[&str], checks: &mut Checks) {
        self.mark_read(known);
        self.reject_unread(checks);
    }

    /// Logs the keys that are not in `known`, and were not read.
    pub fn ignore_unknown(&self, known: &[&str]) {
        self.mark_read(known);
        self.log_unread();
    }

    fn mark_read(&self, keys: &[&str]) {
        for key in keys {
            self.get(key);
        }
    }

    /// Logs the keys that were not read: they are ignored, as Cal.com does outside of slots and bookings.
    pub fn log_unread(&self) {
        let read = self.read_keys();
        let keys = self.map.keys().map(String::as_str);
        log_ignored("keys", keys.filter(|key| !read.contains(key)));
    }

    fn read_keys(&self) -> MutexGuard<'_, Vec<&'a str>> {
        self.read.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Returns the value of a key, which may be `null`.
    pub(super) fn get(&self, key: &str) -> Option<&'a Value> {
        let (key, value) = self.map.get_key_value(key)?;
        self.read_keys().push(key);
        Some(value)
    }

    /// Path of the property in errors.
    pub fn path(&self, key: &str) -> String {
        format!("{}{key}", self.prefix)
    }

    /// Returns the raw value; `null` counts as absent.
    pub fn value(&self, key: &str) -> Option<&'a Value> {
        self.get(key).filter(|value| !value.is_null())
    }

    /// Returns true if the key is present with the value `null`, which removes a property.
    pub fn is_null(&self, key: &str) -> bool {
        self.get(key).is_some_and(Value::is_null)
    }

    /// Parses a value with `parse`; adds a validation error with `rule` if that fails.
    pub fn read<T>(
        &self,
        key: &str,
        rule: &'static str,
        message: &str,
        checks: &mut Checks,
        parse: impl FnOnce(&'a Value) -> Option<T>,
    ) -> Option<T> {
        let value = self.value(key)?;
        let parsed = parse(value);
        if parsed.is_none() {
            checks.report(&self.path(key), value, rule, message);
        }
        parsed
    }

    /// Returns a text.
    pub fn text(&self, key: &str, checks: &mut Checks) -> Option<&'a str> {
        let text = self.read(key, "isString", "must be a string", checks, Value::as_str)?;
        if !is_text(text) {
            return checks.reject(&self.path(key), &json!(text), "isText", TEXT_MESSAGE);
        }
        Some(text)
    }

    /// Returns a name that must be present: a line that is not blank, trimmed.
    pub fn required_name(&self, key: &str, checks: &mut Checks) -> Option<&'a str> {
        let name = self.required_text(key, checks)?.trim();
        if !is_line(name) {
            return checks.reject(&self.path(key), &json!(name), "isLine", LINE_MESSAGE);
        }
        Some(name)
    }

    /// Returns a text that must be present and not blank.
    pub fn required_text(&self, key: &str, checks: &mut Checks) -> Option<&'a str> {
        if self.value(key).is_none() {
            return checks.reject(
                &self.path(key),
                &Value::Null,
                "isString",
                "must be a string",
            );
        }
        let text = self.text(key, checks)?;
        if text.trim().is_empty() {
            return checks.reject(
                &self.path(key),
                &json!(text),
                "isNotEmpty",
                "should not be empty",
            );
        }
        Some(text)
    }

    /// Returns an instant that must be present: a date with a time. The epoch if it is invalid.
    pub fn instant(&self, key: &str, checks: &mut Checks) -> Instant {
        let message = "must be a valid ISO 8601 date string";
        if self.value(key).is_none() {
            checks.report(&self.path(key), &Value::Null, "isDateString", message);
        }
        let parse = |value: &Value| date_time(value).filter(|instant| in_range(*instant));
        let instant = self.read(key, "isDateString", message, checks, parse);
        instant.unwrap_or_default()
    }

    /// Returns an integer of at least 1.
    pub fn positive(&self, key: &str, checks: &mut Checks) -> Option<i64> {
        self.read(
            key,
            "min",
            "must be a whole number not less than 1",
            checks,
            |value| integer(value).filter(|number| *number >= 1),
        )
    }

    /// Returns a boolean.
    pub fn boolean(&self, key: &str, checks: &mut Checks) -> Option<bool> {
        self.read(
            key,
            "isBoolean",
            "must be a boolean",
            checks,
            Value::as_bool,
        )
    }

    /// Returns an array.
    pub fn array(&self, key: &str, checks: &mut Checks) -> Option<&'a Vec<Value>> {
        self.read(key, "isArray", "must be an array", checks, Value::as_array)
    }

    /// Returns an object.
    pub fn object(&self, key: &str, checks: &mut Checks) -> Option<&'a JsonMap> {
        self.read(
            key,
            "isObject",
            "must be an object",
            checks,
            Value::as_object,
        )
    }
}
