//! What all answers of version 1 have in common.

use serde::Serialize;
use serde_json::Value;

use crate::read::{Fields, JsonMap, Read};

/// What is told of something that was done.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct Told {
    /// For developers.
    pub message: String,
}

lenient!(Told { | message: "message" });

/// The body of a failure. One of `message` and `error` is there.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct Failure {
    /// What went wrong, for developers.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "openapi", schema(nullable = false))]
    pub message: Option<String>,
    /// Says the same where the API key itself is refused.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "openapi", schema(nullable = false))]
    pub error: Option<String>,
    /// The path of the request. Never its query: the API key is there.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "openapi", schema(nullable = false))]
    pub url: Option<String>,
    /// The method of the request.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "openapi", schema(nullable = false))]
    pub method: Option<String>,
    /// Of invalid input: every property and what it breaks.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "openapi", schema(nullable = false))]
    pub data: Option<Vec<Complaint>>,
}

/// One property that breaks a rule.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct Complaint {
    /// Names of nested properties are joined by dots.
    pub property: String,
    /// What it breaks.
    pub message: String,
}

lenient!(Complaint { | property: "property", message: "message" });

impl Failure {
    /// What went wrong, wherever the service has put it.
    pub fn text(&self) -> &str {
        let texts = self.message.as_deref().or(self.error.as_deref());
        texts.unwrap_or_default()
    }
}

impl Read for Failure {
    fn read(value: &Value) -> Option<Self> {
        let fields = Fields::of(value)?;
        // Some services put an object there.
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

/// Reads what an answer wraps under `key`, in either spelling; also one that comes bare (contract 5).
pub fn unwrapped<T: Read>(answer: &Value, key: &str) -> Option<T> {
    let wrapped = answer.as_object().and_then(|answer| {
        let name = spelled_in(answer, key)?;
        answer.get(name)
    });
    T::read(wrapped.unwrap_or(answer))
}

/// The spelling of `key` that `answer` has: services write `destinationCalendar` or
/// `destination_calendar` (contract 5). `None` if it has neither.
pub fn spelled_in<'a>(answer: &'a JsonMap, key: &str) -> Option<&'a str> {
    let letters = |name: &str| name.replace('_', "").to_ascii_lowercase();
    let wanted = letters(key);
    let mut names = answer.keys().map(String::as_str);
    names.find(|name| letters(name) == wanted)
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn a_failure_is_understood_in_every_form() {
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
    fn an_answer_is_read_with_and_without_its_wrapper() {
        for answer in [
            json!({"it": {"message": "done"}}),
            json!({"message": "done"}),
        ] {
            let told: Told = unwrapped(&answer, "it").unwrap();
            assert_eq!(told.message, "done");
        }
    }
}
