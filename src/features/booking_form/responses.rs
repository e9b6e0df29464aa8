//! Submitted responses for display. No DOM access.

use booking_wire::{JsonMap, Read};
use serde_json::Value;

use super::field::InputField;
use super::labels::label_of;
use super::model::Form;
use crate::i18n::{Key, Translations};

/// Labels and responses of the filled-in fields of `form`, in the order of the form. Leaves out name,
/// e-mail address and location, which are shown elsewhere, and hidden fields.
pub fn labelled_responses(
    form: &Form,
    values: &JsonMap,
    texts: Translations,
) -> Vec<(String, String)> {
    let is_shown = |field: &&InputField| {
        !field.is_hidden && !matches!(field.slug.as_str(), "name" | "email" | "location")
    };
    let fields = form.fields.iter().filter(is_shown);
    fields
        .filter_map(|field| {
            let value = response_text(field, values.get(&field.slug)?, texts)?;
            Some((label_of(field, texts), value))
        })
        .collect()
}

fn response_text(field: &InputField, value: &Value, texts: Translations) -> Option<String> {
    let text = match value {
        Value::Bool(flag) => texts.get(if *flag { Key::Yes } else { Key::No }).to_owned(),
        Value::Array(several) => {
            let several = several.iter();
            let several: Vec<String> = several
                .filter_map(|one| response_text(field, one, texts))
                .collect();
            several.join(texts.list_separator())
        }
        one => {
            let key = String::read(one)?;
            let options = &field.options;
            let selected = options.iter().find(|option| option.key() == key);
            selected.map_or(key, |option| option.label.clone())
        }
    };
    Some(text).filter(|text| !text.trim().is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;
    use booking_wire::PublicEventType;
    use serde_json::json;

    #[test]
    fn labelled_responses_hidden_fields_are_left_out() {
        let event_type = PublicEventType::read(&json!({
            "id": 1,
            "bookingFields": [
                {"type": "select", "slug": "plan", "label": "Plan", "options": [{"value": 3, "label": "Big"}]},
                {"type": "checkbox", "slug": "extras", "label": "Extras", "options": ["A", "B"]},
                {"type": "boolean", "slug": "news", "label": "News?"},
                {"type": "text", "slug": "source", "label": "Source", "hidden": true},
                {"type": "text", "slug": "topic", "label": "Topic"},
                {"type": "textarea", "slug": "notes", "isDefault": true},
            ],
        }));
        let form = Form::of(&event_type.unwrap());
        let values = json!({
            "name": "Zoë", "email": "zoe@example.org", "location": {"type": "link"}, "plan": 3,
            "extras": ["A", "B"], "news": false, "source": "ad", "topic": " ", "notes": "Hi",
            "unknown": "x",
        });
        let responses =
            labelled_responses(&form, values.as_object().unwrap(), Translations::ENGLISH);
        let responses: Vec<_> = responses
            .iter()
            .map(|(label, text)| (&**label, &**text))
            .collect();
        assert_eq!(
            responses,
            [
                ("Plan", "Big"),
                ("Extras", "A, B"),
                ("News?", "No"),
                ("Anything we should know?", "Hi"),
            ]
        );
    }
}
