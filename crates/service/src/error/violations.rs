//! Validation errors: broken rules of properties, bounded in number and size.

use serde_json::{Value, json};

use crate::input_limits::{
    MAX_ECHOED_CHARS, MAX_REPORTED_VIOLATIONS, MAX_VIOLATION_DEPTH, MAX_VIOLATION_TEXT_CHARS,
    MAX_VIOLATIONS_BYTES,
};
use crate::redaction::redacted;

/// One broken rule of one property.
#[derive(Clone, Debug, PartialEq)]
pub struct Violation {
    /// Names of the objects and positions in the arrays around the property, outermost first.
    parents: Vec<String>,
    /// The property's own name. A caller may have made it up, so it is never taken apart.
    name: String,
    value: Value,
    rule: &'static str,
    text: String,
}

impl Violation {
    /// Says that `property` breaks `rule`. `complaint` continues the property's name. A dot in
    /// `property` stands between an object and its property; for names that a caller has made
    /// up see [`Self::of_key`].
    pub fn new(property: &str, value: &Value, rule: &'static str, complaint: &str) -> Self {
        let (parents, name) = match property.rsplit_once('.') {
            Some((parents, name)) => (parents, name),
            None => ("", property),
        };
        Self::of_key(parents, name, value, rule, complaint)
    }

    /// Says that the property `key` of the object `prefix` (which may end in a dot) breaks `rule`.
    /// Neither the length nor the dots of `key` matter.
    pub fn of_key(
        prefix: &str,
        key: &str,
        value: &Value,
        rule: &'static str,
        complaint: &str,
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
        let complaint: String = complaint.chars().take(MAX_VIOLATION_TEXT_CHARS).collect();
        text.push_str(&redacted(&complaint));
        let value = match is_secret(&name) {
            true => Value::Null,
            false => shortened(value),
        };
        Self {
            parents,
            name,
            value,
            rule,
            text,
        }
    }

    /// Returns the name of the property that breaks the rule; names of nested properties are joined by dots.
    pub fn property(&self) -> String {
        let mut names = self.parents.clone();
        names.push(self.name.clone());
        names.join(".")
    }

    /// The complaint, which begins with the property's name.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// The same about a property that the caller knows by another name.
    pub fn renamed(self, name: &str) -> Self {
        let complaint = self
            .text
            .strip_prefix(&self.property())
            .unwrap_or(&self.text)
            .trim_start()
            .to_owned();
        Self {
            value: self.value.clone(),
            ..Self::new(name, &Value::Null, self.rule, &complaint)
        }
    }

    /// The element of `details.errors` (contract 1.3, form A2), nested along the parents.
    pub fn to_json(&self) -> Value {
        let mut error = json!({
            "target": {},
            "value": self.value,
            "property": self.name,
            "children": [],
            "constraints": {self.rule: self.text},
        });
        for parent in self.parents.iter().rev() {
            let mut outer = json!({"target": {}, "property": parent});
            outer["children"] = Value::Array(vec![error]);
            error = outer;
        }
        error
    }
}

/// Broken rules: the first ones in full, the others counted.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Violations {
    /// At most [`MAX_REPORTED_VIOLATIONS`], in the order they were found.
    pub reported: Vec<Violation>,
    /// Number of violations that are not among these.
    pub omitted: usize,
}

impl Violations {
    /// Adds a violation, or counts it if there are enough.
    pub fn push(&mut self, violation: impl FnOnce() -> Violation) {
        if self.reported.len() < MAX_REPORTED_VIOLATIONS {
            self.reported.push(violation());
        } else {
            self.omitted += 1;
        }
    }

    /// Returns true if no rule is broken.
    pub fn is_empty(&self) -> bool {
        self.reported.is_empty()
    }

    /// The elements of `details.errors`, as many as fit into [`MAX_VIOLATIONS_BYTES`], and the
    /// number of violations that are not among them.
    pub fn to_json(&self) -> (Vec<Value>, usize) {
        let mut errors = Vec::with_capacity(self.reported.len());
        let mut bytes = 0;
        for violation in &self.reported {
            let error = violation.to_json();
            bytes += written_bytes(&error, MAX_VIOLATIONS_BYTES).unwrap_or(MAX_VIOLATIONS_BYTES);
            if bytes > MAX_VIOLATIONS_BYTES && !errors.is_empty() {
                break;
            }
            errors.push(error);
        }
        let omitted = self.omitted + self.reported.len() - errors.len();
        (errors, omitted)
    }
}

impl std::fmt::Display for Violations {
    /// The first violation, and how many there are beyond those reported.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self.reported.first() {
            Some(first) => f.write_str(&first.text)?,
            None => f.write_str("Bad Request Exception")?,
        }
        if self.omitted > 0 {
            write!(f, " (and {} more errors that are not listed)", self.omitted)?;
        }
        Ok(())
    }
}

/// Properties whose values are secrets, and are never repeated.
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
        .any(|secret| secret.eq_ignore_ascii_case(base(name)))
}

/// A name as it is repeated to its caller: short, and without API keys.
pub fn echoed(name: &str) -> String {
    let short: String = name.chars().take(MAX_ECHOED_CHARS).collect();
    let cut = if short.len() < name.len() { "…" } else { "" };
    redacted(&short) + cut
}

/// A value as it is repeated to its caller: short, and without API keys.
fn shortened(value: &Value) -> Value {
    match value {
        Value::String(text) => Value::String(echoed(text)),
        Value::Array(_) | Value::Object(_) => match written(value, MAX_ECHOED_CHARS * 4) {
            Some(text) if is_repeatable(value) && redacted(&text) == text => value.clone(),
            _ => Value::Null,
        },
        other => other.clone(),
    }
}

/// Returns true if no element of an array or object has elements of its own, or is a secret.
fn is_repeatable(value: &Value) -> bool {
    let is_scalar = |value: &Value| !value.is_array() && !value.is_object();
    match value {
        Value::Array(items) => items.iter().all(is_scalar),
        Value::Object(map) => map
            .iter()
            .all(|(name, value)| is_scalar(value) && !is_secret(name)),
        _ => true,
    }
}

/// A buffer that refuses more than so many bytes, so that a large value costs no more than they do.
struct Bounded {
    written: Vec<u8>,
    most: usize,
}

impl std::io::Write for Bounded {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        if self.written.len() + bytes.len() > self.most {
            return Err(std::io::ErrorKind::StorageFull.into());
        }
        self.written.extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}

/// `value` as JSON; none if that takes more than `most` bytes.
fn written(value: &Value, most: usize) -> Option<String> {
    let mut buffer = Bounded {
        written: Vec::new(),
        most,
    };
    serde_json::to_writer(&mut buffer, value).ok()?;
    String::from_utf8(buffer.written).ok()
}

fn written_bytes(value: &Value, most: usize) -> Option<usize> {
    written(value, most).map(|text| text.len())
}

/// Returns true if `value` takes at most `most` bytes as JSON.
pub fn fits(value: &Value, most: usize) -> bool {
    written(value, most).is_some()
}

/// Returns the name of a query parameter without the brackets of a list: `status` for `status[]`.
pub fn base(name: &str) -> &str {
    name.strip_suffix("[]").unwrap_or(name)
}
