//! JSON objects, read strictly.

use booking_wire::JsonMap;
use serde_json::{Value, json};

use crate::validate::checks::{Checks, log_ignored};
use crate::validate::formats::{is_text, whole};

/// The keys of a JSON object, read strictly.
#[derive(Clone, Copy, Debug)]
pub struct Object<'a> {
    map: &'a JsonMap,
    prefix: &'a str,
}

impl<'a> Object<'a> {
    /// Reads `map`; complaints name its keys after `prefix` (empty, or ending in a dot).
    pub fn new(map: &'a JsonMap, prefix: &'a str) -> Self {
        Self { map, prefix }
    }

    /// Complains about every key that is not in `known`.
    pub fn allow(&self, known: &[&str], checks: &mut Checks) {
        for (key, value) in self.map {
            if !known.contains(&key.as_str()) {
                checks.complain_of_key(
                    self.prefix,
                    key,
                    value,
                    "whitelistValidation",
                    "should not exist",
                );
            }
        }
    }

    /// Drops keys that are not in `known`, as the real service does outside of slots and bookings
    /// (contract 1.4); their names are logged.
    pub fn ignore_unknown(&self, known: &[&str]) {
        let unknown = self.map.keys().map(String::as_str);
        log_ignored("keys", unknown.filter(|key| !known.contains(key)));
    }

    /// The property's name as complaints give it.
    pub fn path(&self, key: &str) -> String {
        format!("{}{key}", self.prefix)
    }

    /// The raw value; `null` counts as absent.
    pub fn value(&self, key: &str) -> Option<&'a Value> {
        self.map.get(key).filter(|value| !value.is_null())
    }

    /// Whether the key is there and holds `null`, which takes something away.
    pub fn is_null(&self, key: &str) -> bool {
        self.map.get(key).is_some_and(Value::is_null)
    }

    /// Any value, read by `read`; what cannot be read breaks `rule`.
    pub fn read<T>(
        &self,
        key: &str,
        rule: &'static str,
        complaint: &str,
        checks: &mut Checks,
        read: impl FnOnce(&'a Value) -> Option<T>,
    ) -> Option<T> {
        let value = self.value(key)?;
        let read = read(value);
        if read.is_none() {
            checks.complain(&self.path(key), value, rule, complaint);
        }
        read
    }

    /// A text.
    pub fn text(&self, key: &str, checks: &mut Checks) -> Option<&'a str> {
        let text = self.read(key, "isString", "must be a string", checks, Value::as_str)?;
        if !is_text(text) {
            let complaint = "must not contain control characters";
            checks.complain(&self.path(key), &json!(text), "isText", complaint);
            return None;
        }
        Some(text)
    }

    /// A text that is there and not blank.
    pub fn required_text(&self, key: &str, checks: &mut Checks) -> Option<&'a str> {
        if self.value(key).is_none() {
            checks.complain(
                &self.path(key),
                &Value::Null,
                "isString",
                "must be a string",
            );
            return None;
        }
        let text = self.text(key, checks)?;
        if text.trim().is_empty() {
            checks.complain(
                &self.path(key),
                &json!(text),
                "isNotEmpty",
                "should not be empty",
            );
            return None;
        }
        Some(text)
    }

    /// A whole number of at least 1.
    pub fn positive(&self, key: &str, checks: &mut Checks) -> Option<i64> {
        self.read(
            key,
            "min",
            "must be a whole number not less than 1",
            checks,
            |value| whole(value).filter(|number| *number >= 1),
        )
    }

    /// An object.
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
