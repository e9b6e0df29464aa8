//! Field values as JSON, stored for the next view of the form. No DOM access.

use booking_rules::limits::MAX_ANSWER_CHARS;
use booking_wire::{Fields, JsonMap, Read};
use serde_json::Value;

use super::super::field::{LOCATION, LOCATION_ADDRESS, LOCATION_PHONE, LOCATION_TEXT};
use super::super::model::Form;
use super::super::phone;
use super::super::values::{FieldValue, FieldValues};

/// Maximum number of selected values that are restored.
const MAX_VALUES: usize = 200;

/// JSON of the values of `slugs`.
pub fn to_json(values: &FieldValues, slugs: &[String]) -> JsonMap {
    let json = |value: &FieldValue| match value {
        FieldValue::Text(text) => Value::String(text.clone()),
        FieldValue::Flag(flag) => Value::Bool(*flag),
        FieldValue::Many(values) => {
            Value::Array(values.iter().cloned().map(Value::String).collect())
        }
        FieldValue::Phone { country, number } => {
            let mut phone = JsonMap::new();
            phone.insert("country".to_owned(), Value::String((*country).to_owned()));
            phone.insert("number".to_owned(), Value::String(number.clone()));
            Value::Object(phone)
        }
    };
    let mut stored = JsonMap::new();
    for slug in slugs {
        if let Some(value) = values.get(slug) {
            stored.insert(slug.clone(), json(value));
        }
    }
    stored
}

/// Restores the values in `stored` to fields of `form` that the visitor can change. Other scripts
/// may have written `stored`: invalid values are skipped. Returns the restored slugs.
pub fn restore(stored: &JsonMap, form: &Form, values: &mut FieldValues) -> Vec<String> {
    let is_open = |slug: &str| {
        let slug = match slug {
            LOCATION_PHONE | LOCATION_ADDRESS | LOCATION_TEXT if form.locations.len() > 1 => {
                LOCATION
            }
            slug => slug,
        };
        let field = form.fields.iter().find(|field| field.slug == slug);
        field.is_some_and(|field| !field.is_hidden && !field.is_read_only)
    };
    let mut slugs = Vec::new();
    for (slug, value) in stored {
        if is_open(slug)
            && let Some(value) = read(value)
        {
            values.set(slug, value);
            slugs.push(slug.clone());
        }
    }
    slugs
}

/// Fills in the texts of `suggested` where `values` has none and the visitor can change the field.
pub fn suggest(suggested: &FieldValues, form: &Form, values: &mut FieldValues) {
    for field in &form.fields {
        let slug = field.slug.as_str();
        let text = suggested.text(slug);
        let is_open = !field.is_hidden && !field.is_read_only;
        if is_open && !text.is_empty() && values.text(slug).trim().is_empty() {
            values.set(slug, FieldValue::Text(text.to_owned()));
        }
    }
}

fn read(value: &Value) -> Option<FieldValue> {
    let text = |text: &str| text.chars().take(MAX_ANSWER_CHARS).collect::<String>();
    Some(match value {
        Value::String(typed) => FieldValue::Text(text(typed)),
        Value::Bool(flag) => FieldValue::Flag(*flag),
        Value::Array(values) => {
            let values = values.iter().take(MAX_VALUES).filter_map(String::read);
            FieldValue::Many(values.map(|value| text(&value)).collect())
        }
        value => {
            let phone = Fields::of(value)?;
            FieldValue::Phone {
                country: phone::country(&phone.text("country")).unwrap_or_default(),
                number: phone.get::<String>("number").map(|number| text(&number))?,
            }
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use booking_wire::PublicEventType;
    use serde_json::json;

    fn form(prefill: Value) -> (Form, FieldValues) {
        let event_type = json!({"id": 1,
        "locations": [{"type": "attendeePhone"}, {"type": "attendeeAddress"}],
        "bookingFields": [
            {"type": "multiemail", "slug": "guests", "isDefault": true},
            {"type": "boolean", "slug": "terms", "label": "Terms"},
            {"type": "text", "slug": "source", "label": "Source", "hidden": true},
        ]});
        let mut form = Form::of(&PublicEventType::read(&event_type).unwrap());
        let mut values = FieldValues::default();
        let prefill = prefill.as_object().unwrap().clone();
        crate::features::booking_form::prefill::apply(&prefill, &mut form, &mut values);
        (form, values)
    }

    #[test]
    fn stored_values_of_every_kind_are_restored() {
        let (form, mut values) = form(json!({"email": "page@example.org"}));
        let phone = FieldValue::Phone {
            country: "DE",
            number: "030 12".to_owned(),
        };
        let typed = [
            ("name", FieldValue::Text(" Zoë".to_owned())),
            (LOCATION, FieldValue::Many(vec!["0".to_owned()])),
            (LOCATION_PHONE, phone),
            ("guests", FieldValue::Many(vec!["a@b.example".to_owned()])),
            ("terms", FieldValue::Flag(true)),
        ];
        for (slug, value) in &typed {
            values.set(slug, value.clone());
        }
        let slugs = typed.each_ref().map(|(slug, _)| (*slug).to_owned());
        let stored = to_json(&values, &slugs);
        assert!(!stored.contains_key("email"), "{stored:?}");
        let mut again = FieldValues::default();
        let mut restored = restore(&stored, &form, &mut again);
        restored.sort_unstable();
        let mut expected = slugs.to_vec();
        expected.sort_unstable();
        assert_eq!(restored, expected);
        for (slug, value) in &typed {
            assert_eq!(again.get(slug), Some(value), "{slug}");
        }
    }

    #[test]
    fn suggestion_fills_open_empty_fields_only() {
        let text = |text: &str| FieldValue::Text(text.to_owned());
        let mut suggested = FieldValues::default();
        suggested.set("name", text("Grace Hopper"));
        suggested.set("email", text("grace@example.org"));
        for (prefill, name, email) in [
            (json!({}), "Grace Hopper", "grace@example.org"),
            (json!({"name": "Page"}), "Page", "grace@example.org"),
            (
                json!({"email": {"value": "page@example.org", "hidden": true}}),
                "Grace Hopper",
                "page@example.org",
            ),
        ] {
            let (form, mut values) = form(prefill);
            suggest(&suggested, &form, &mut values);
            assert_eq!((values.text("name"), values.text("email")), (name, email));
        }
    }

    #[test]
    fn restore_foreign_data_changes_no_locked_or_unknown_field() {
        let (form, before) = form(json!({
            "name": {"value": "Ada", "readOnly": true},
            "email": {"value": "ada@example.org", "hidden": true},
        }));
        let stored = json!({
            "name": "Eve", "email": "eve@example.org", "source": "x", "unknown": "x", "terms": 7,
            "guests": {"length": 9}, LOCATION_PHONE: {"country": "XX", "number": []},
        });
        let mut values = before.clone();
        let restored = restore(stored.as_object().unwrap(), &form, &mut values);
        assert_eq!((restored, values), (Vec::<String>::new(), before));
        let long = json!({LOCATION_ADDRESS: "x".repeat(20_000)});
        let mut values = FieldValues::default();
        restore(long.as_object().unwrap(), &form, &mut values);
        assert_eq!(values.text(LOCATION_ADDRESS).len(), 10_000);
    }
}
