//! Validation errors of properties, bounded in number and size.

use serde_json::{Value, json};

use crate::error::redaction::redacted;
use crate::input_limits::{
    MAX_ECHOED_CHARS, MAX_REPORTED_VIOLATIONS, MAX_VIOLATION_DEPTH, MAX_VIOLATION_TEXT_CHARS,
    MAX_VIOLATIONS_BYTES,
};

/// Validation error: a rule that a property breaks.
#[derive(Clone, Debug, PartialEq)]
pub struct FieldError {
    /// Names of objects and indexes of arrays around the property, outermost first.
    parents: Vec<String>,
    /// Name of the property. It may come from the client and contain dots, so it is never split.
    name: String,
    value: Value,
    rule: &'static str,
    message: String,
}

impl FieldError {
    /// Error for `property`, which breaks `rule`. `message` continues the property's name. Dots in
    /// `property` separate objects and properties; for names from a client use [`Self::for_key`].
    pub fn new(property: &str, value: &Value, rule: &'static str, message: &str) -> Self {
        let (parents, name) = match property.rsplit_once('.') {
            Some((parents, name)) => (parents, name),
            None => ("", property),
        };
        Self::for_key(parents, name, value, rule, message)
    }

    /// Error for the property `key` of the object `prefix` (which may end in a dot). `key` may have
    /// any length and contain dots.
    pub fn for_key(
        prefix: &str,
        key: &str,
        value: &Value,
        rule: &'static str,
        message: &str,
    ) -> Self {
        let parents: Vec<String> = prefix
            .split('.')
            .filter(|parent| !parent.is_empty())
            .take(MAX_VIOLATION_DEPTH - 1)
            .map(echoed)
            .collect();
        let name = echoed(key);
        let mut text = String::new();
        for parent in &parents {
            text.push_str(parent);
            text.push('.');
        }
        text.push_str(&name);
        text.push(' ');
        let message: String = message.chars().take(MAX_VIOLATION_TEXT_CHARS).collect();
        text.push_str(&redacted(&message));
        let value = match is_secret(&name) {
            true => Value::Null,
            false => echoed_value(value),
        };
        Self {
            parents,
            name,
            value,
            rule,
            message: text,
        }
    }

    /// Returns the path of the property, joined by dots.
    pub fn property(&self) -> String {
        let mut names = self.parents.clone();
        names.push(self.name.clone());
        names.join(".")
    }

    /// Returns the message, which begins with the path of the property.
    pub fn message(&self) -> &str {
        &self.message
    }

    /// Returns the same error for another property.
    pub fn with_property(self, name: &str) -> Self {
        let message = self
            .message
            .strip_prefix(&self.property())
            .unwrap_or(&self.message)
            .trim_start()
            .to_owned();
        Self {
            value: self.value.clone(),
            ..Self::new(name, &Value::Null, self.rule, &message)
        }
    }

    /// Element of `details.errors`, nested along the parents.
    pub fn to_json(&self) -> Value {
        let mut error = json!({
            "target": {},
            "value": self.value,
            "property": self.name,
            "children": [],
            "constraints": {self.rule: self.message},
        });
        for parent in self.parents.iter().rev() {
            let mut outer = json!({"target": {}, "property": parent});
            outer["children"] = Value::Array(vec![error]);
            error = outer;
        }
        error
    }
}

/// Validation errors: the first ones in full, the others only counted.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct FieldErrors {
    /// At most [`MAX_REPORTED_VIOLATIONS`], in the order in which they were found.
    pub reported: Vec<FieldError>,
    /// Number of errors that are not in `reported`.
    pub omitted: usize,
}

impl FieldErrors {
    /// Adds an error, or only counts it if there are too many.
    pub fn push(&mut self, error: impl FnOnce() -> FieldError) {
        if self.reported.len() < MAX_REPORTED_VIOLATIONS {
            self.reported.push(error());
        } else {
            self.omitted += 1;
        }
    }

    /// Adds errors after those so far.
    pub fn append(&mut self, later: Self) {
        for error in later.reported {
            self.push(|| error);
        }
        self.omitted += later.omitted;
    }

    /// Returns true if no rule is broken.
    pub fn is_empty(&self) -> bool {
        self.reported.is_empty()
    }

    /// Elements of `details.errors` up to [`MAX_VIOLATIONS_BYTES`], and the number of omitted
    /// errors.
    pub fn to_json(&self) -> (Vec<Value>, usize) {
        let mut errors = Vec::with_capacity(self.reported.len());
        let mut bytes = 0;
        for field_error in &self.reported {
            let error = field_error.to_json();
            bytes += bounded_json(&error, MAX_VIOLATIONS_BYTES)
                .map_or(MAX_VIOLATIONS_BYTES, |json| json.len());
            if bytes > MAX_VIOLATIONS_BYTES && !errors.is_empty() {
                break;
            }
            errors.push(error);
        }
        let omitted = self.omitted + self.reported.len() - errors.len();
        (errors, omitted)
    }
}

impl std::fmt::Display for FieldErrors {
    /// First message, and the number of errors that are not reported.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self.reported.first() {
            Some(first) => f.write_str(&first.message)?,
            None => f.write_str("Bad Request Exception")?,
        }
        if self.omitted > 0 {
            write!(f, " (and {} more errors that are not listed)", self.omitted)?;
        }
        Ok(())
    }
}

/// Properties with secret values, which are never echoed.
const SECRETS: [&str; 6] = [
    "secret",
    "refreshToken",
    "accessToken",
    "encryptedKey",
    "apiKey",
    "meetingPassword",
];

fn is_secret(name: &str) -> bool {
    SECRETS
        .iter()
        .any(|secret| secret.eq_ignore_ascii_case(base_name(name)))
}

/// Shortens and redacts a name that is echoed to the client.
pub fn echoed(name: &str) -> String {
    let short: String = name.chars().take(MAX_ECHOED_CHARS).collect();
    let cut = if short.len() < name.len() { "…" } else { "" };
    redacted(&short) + cut
}

/// Shortens and redacts a value that is echoed to the client.
fn echoed_value(value: &Value) -> Value {
    match value {
        Value::String(text) => Value::String(echoed(text)),
        Value::Array(_) | Value::Object(_) => match bounded_json(value, MAX_ECHOED_CHARS * 4) {
            Some(text) if is_echoable(value) && redacted(&text) == text => value.clone(),
            _ => Value::Null,
        },
        other => other.clone(),
    }
}

/// Returns true if an array or object is flat and has no secrets.
fn is_echoable(value: &Value) -> bool {
    let is_scalar = |value: &Value| !value.is_array() && !value.is_object();
    match value {
        Value::Array(items) => items.iter().all(is_scalar),
        Value::Object(map) => map
            .iter()
            .all(|(name, value)| is_scalar(value) && !is_secret(name)),
        _ => true,
    }
}

/// Buffer of at most `max` bytes: bounds the cost of serialising a large value.
struct BoundedBuffer {
    bytes: Vec<u8>,
    max: usize,
}

impl std::io::Write for BoundedBuffer {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        if self.bytes.len() + bytes.len() > self.max {
            return Err(std::io::ErrorKind::StorageFull.into());
        }
        self.bytes.extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}

/// Serialises `value` to JSON; none if that takes more than `max` bytes.
fn bounded_json(value: &Value, max: usize) -> Option<String> {
    let mut buffer = BoundedBuffer {
        bytes: Vec::new(),
        max,
    };
    serde_json::to_writer(&mut buffer, value).ok()?;
    String::from_utf8(buffer.bytes).ok()
}

/// Returns true if `value` takes at most `max_bytes` as JSON.
pub fn fits(value: &Value, max_bytes: usize) -> bool {
    bounded_json(value, max_bytes).is_some()
}

/// Returns the name of a query parameter without the brackets of a list: `status` for `status[]`.
pub fn base_name(name: &str) -> &str {
    name.strip_suffix("[]").unwrap_or(name)
}
