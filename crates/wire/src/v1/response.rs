//! Message and error responses of version 1, and their wrappers.

use serde_json::Value;

use crate::read::{Fields, JsonMap, Read};
use booking_wire_macros::wire;

/// Response with a message only.
#[wire(read, write)]
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[schema(as = Told)]
pub struct MessageResponse {
    /// For developers.
    pub message: String,
}

/// The body of an error response. One of `message` and `error` is present.
#[wire(write)]
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Failure {
    /// Error message for developers.
    #[schema(nullable = false)]
    pub message: Option<String>,
    /// The same, sent if the API key is rejected.
    #[schema(nullable = false)]
    pub error: Option<String>,
    /// The path of the request. Never its query: the API key is there.
    #[schema(nullable = false)]
    pub url: Option<String>,
    /// The method of the request.
    #[schema(nullable = false)]
    pub method: Option<String>,
    /// Violations of invalid input, by property.
    #[schema(nullable = false)]
    pub data: Option<Vec<PropertyError>>,
}

/// A property that violates a constraint.
#[wire(read, write)]
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[schema(as = Complaint)]
pub struct PropertyError {
    /// Names of nested properties are joined by dots.
    pub property: String,
    /// Violated constraint.
    pub message: String,
}

impl Failure {
    /// Returns the message, of either key.
    pub fn text(&self) -> &str {
        let texts = self.message.as_deref().or(self.error.as_deref());
        texts.unwrap_or_default()
    }
}

impl Read for Failure {
    fn read(value: &Value) -> Option<Self> {
        let fields = Fields::of(value)?;
        // Some services send an object.
        let error = match fields.value("error") {
            Some(Value::Object(nested)) => nested.get("message").and_then(String::read),
            other => other.and_then(String::read),
        };
        Some(Self {
            message: fields.get("message")?,
            error,
            url: fields.get("url")?,
            method: fields.get("method")?,
            data: fields.get("data")?,
        })
    }
}

/// Reads an object wrapped under `key`, in either spelling, or unwrapped.
pub fn read_wrapped<T: Read>(body: &Value, key: &str) -> Option<T> {
    let wrapped = body.as_object().and_then(|body| {
        let name = find_key(body, key)?;
        body.get(name)
    });
    T::read(wrapped.unwrap_or(body))
}

/// Returns the spelling of `key` in `body`: services write `destinationCalendar` or
/// `destination_calendar`. `None` if it has neither.
pub fn find_key<'a>(body: &'a JsonMap, key: &str) -> Option<&'a str> {
    let letters = |name: &str| name.replace('_', "").to_ascii_lowercase();
    let target = letters(key);
    let mut names = body.keys().map(String::as_str);
    names.find(|name| letters(name) == target)
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn failure_of_every_form_is_read() {
        for body in [
            json!({"message": "no"}),
            json!({"error": "no"}),
            json!({"error": {"message": "no", "code": 4}}),
            json!({"message": "no", "error": "other", "data": [{}]}),
        ] {
            assert_eq!(Failure::read(&body).unwrap().text(), "no", "{body}");
        }
    }

    #[test]
    fn body_is_read_with_and_without_wrapper() {
        for body in [
            json!({"it": {"message": "done"}}),
            json!({"message": "done"}),
        ] {
            let response: MessageResponse = read_wrapped(&body, "it").unwrap();
            assert_eq!(response.message, "done");
        }
    }
}
