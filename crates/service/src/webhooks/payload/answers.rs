//! Answers to the questions of the booking form.

use booking_wire::{EventType, JsonMap};
use serde_json::{Value, json};

/// Labels of the fields that every form has, as translation keys.
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

/// Answers with their labels.
#[derive(Debug, Default)]
pub(super) struct Answers {
    /// `responses`: all answers.
    pub(super) all: JsonMap,
    /// `userFieldsResponses`: those to the event type's own questions.
    pub(super) own: JsonMap,
}

impl Answers {
    pub(super) fn new(event_type: Option<&EventType>, given: Option<&JsonMap>) -> Self {
        let mut answers = Self::default();
        for (slug, value) in given.into_iter().flatten() {
            let field = event_type.and_then(|event_type| {
                let mut fields = event_type.booking_fields.iter();
                fields.find(|field| field.slug == *slug)
            });
            let default = DEFAULT_LABELS.iter().find(|(known, _)| known == slug);
            let label = field
                .and_then(|field| field.label.as_deref())
                .or(default.map(|(_, label)| *label))
                .unwrap_or(slug);
            let value = match slug.as_str() {
                "location" => location(value),
                _ => value.clone(),
            };
            let answer = json!({
                "label": label,
                "value": value,
                "isHidden": field.is_some_and(|field| field.hidden),
            });
            if default.is_none() {
                answers.own.insert(slug.clone(), answer.clone());
            }
            answers.all.insert(slug.clone(), answer);
        }
        answers
    }
}

/// A chosen location as Cal.com has it: its kind, and what the visitor added to it.
fn location(answer: &Value) -> Value {
    let text = |key: &str| answer.get(key).and_then(Value::as_str);
    let Some(kind) = text("type") else {
        return answer.clone();
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
    let added = ["address", "phone", "location"].into_iter().find_map(text);
    json!({"value": value, "optionValue": added.unwrap_or_default()})
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn location_is_its_kind_and_what_the_visitor_added() {
        for (answer, value, added) in [
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
            let expected = json!({"value": value, "optionValue": added});
            assert_eq!(location(&answer), expected, "{answer}");
        }
        assert_eq!(location(&json!("?")), json!("?"));
    }
}
