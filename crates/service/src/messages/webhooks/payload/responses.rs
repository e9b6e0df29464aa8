//! Responses to the fields of the booking form.

use booking_wire::{EventType, JsonMap};
use serde_json::{Value, json};

/// Labels of the default fields, as translation keys.
const DEFAULT_LABELS: [(&str, &str); 8] = [
    ("name", "your_name"),
    ("email", "email_address"),
    ("attendeePhoneNumber", "phone_number"),
    ("guests", "additional_guests"),
    ("location", "location"),
    ("title", "what_is_this_meeting_about"),
    ("notes", "additional_notes"),
    ("rescheduleReason", "reason_for_reschedule"),
];

/// Form responses with their labels.
#[derive(Debug, Default)]
pub(super) struct FormResponses {
    /// `responses`: all form responses.
    pub(super) all: JsonMap,
    /// `userFieldsResponses`: the responses to the event type's custom fields.
    pub(super) custom: JsonMap,
}

impl FormResponses {
    pub(super) fn new(event_type: Option<&EventType>, submitted: Option<&JsonMap>) -> Self {
        let mut responses = Self::default();
        for (slug, value) in submitted.into_iter().flatten() {
            let field = event_type.and_then(|event_type| {
                let mut fields = event_type.booking_fields.iter();
                fields.find(|field| field.slug == *slug)
            });
            let default = DEFAULT_LABELS.iter().find(|(name, _)| name == slug);
            let label = field
                .and_then(|field| field.label.as_deref())
                .or(default.map(|(_, label)| *label))
                .unwrap_or(slug);
            let value = match slug.as_str() {
                "location" => location(value),
                _ => value.clone(),
            };
            let response = json!({
                "label": label,
                "value": value,
                "isHidden": field.is_some_and(|field| field.hidden),
            });
            if default.is_none() {
                responses.custom.insert(slug.clone(), response.clone());
            }
            responses.all.insert(slug.clone(), response);
        }
        responses
    }
}

/// A chosen location in Cal.com's format: its kind and the visitor's input.
fn location(response: &Value) -> Value {
    let text = |key: &str| response.get(key).and_then(Value::as_str);
    let Some(kind) = text("type") else {
        return response.clone();
    };
    let value = match kind {
        "address" => "inPerson".to_owned(),
        "attendeeAddress" => "attendeeInPerson".to_owned(),
        "attendeeDefined" => "somewhereElse".to_owned(),
        "attendeePhone" => "phone".to_owned(),
        "phone" => "userPhone".to_owned(),
        "integration" => format!("integrations:{}", text("integration").unwrap_or_default()),
        "organizersDefaultApp" => "conferencing".to_owned(),
        other => other.to_owned(),
    };
    let input = ["address", "phone", "location"].into_iter().find_map(text);
    json!({"value": value, "optionValue": input.unwrap_or_default()})
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn location_has_its_kind_and_the_input_of_the_visitor() {
        for (response, value, input) in [
            (json!({"type": "address"}), "inPerson", ""),
            (json!({"type": "link"}), "link", ""),
            (json!({"type": "phone"}), "userPhone", ""),
            (
                json!({"type": "integration", "integration": "svc-video"}),
                "integrations:svc-video",
                "",
            ),
            (json!({"type": "organizersDefaultApp"}), "conferencing", ""),
            (
                json!({"type": "attendeePhone", "phone": "+390612345678"}),
                "phone",
                "+390612345678",
            ),
            (
                json!({"type": "attendeeAddress", "address": "Via Roma 1"}),
                "attendeeInPerson",
                "Via Roma 1",
            ),
            (
                json!({"type": "attendeeDefined", "location": "At the lake"}),
                "somewhereElse",
                "At the lake",
            ),
        ] {
            let expected = json!({"value": value, "optionValue": input});
            assert_eq!(location(&response), expected, "{response}");
        }
        assert_eq!(location(&json!("?")), json!("?"));
    }
}
