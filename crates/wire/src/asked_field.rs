//! A question of a form as visitors are asked it. Real services add settings that the interface does
//! not name; what helps the visitor to answer is taken.

use serde_json::Value;

use crate::field_kind::FieldKind;
use crate::read::{Fields, Read};

/// One question of the form.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct AskedField {
    /// What kind of answer is wanted.
    pub kind: FieldKind,
    /// The key of the answer.
    pub slug: String,
    /// May be missing, or a translation key, for default fields.
    pub label: Option<String>,
    /// Whether an answer must be given.
    pub required: bool,
    /// An example of an answer.
    pub placeholder: Option<String>,
    /// Choices of select, multiselect, radio and checkbox.
    pub options: Vec<FieldOption>,
    /// Whether the visitor is not asked.
    pub hidden: bool,
    /// Whether the service brings it by itself (name, e-mail, notes, ...).
    pub is_default: bool,
    /// Whether a prefilled answer cannot be changed.
    pub locks_prefill: bool,
    /// Whether the answer cannot be changed at all.
    pub is_disabled: bool,
    /// What stands there before anything is typed.
    pub default: Option<Value>,
    /// How long or how large the answer may be.
    pub bounds: Bounds,
}

/// How long or how large an answer may be.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Bounds {
    /// The fewest characters of a text.
    pub min_length: Option<i64>,
    /// The most characters of a text.
    pub max_length: Option<i64>,
    /// The smallest number.
    pub least: Option<i64>,
    /// The largest number.
    pub most: Option<i64>,
}

/// One of the answers to choose from.
#[derive(Clone, Debug, PartialEq)]
pub struct FieldOption {
    /// A text or a number, sent as it came.
    pub value: Value,
    /// What the visitor reads.
    pub label: String,
}

impl FieldOption {
    /// The value as a text, which tells it from the others.
    pub fn key(&self) -> String {
        String::read(&self.value).unwrap_or_default()
    }
}

impl Read for FieldOption {
    fn read(value: &Value) -> Option<Self> {
        let text = String::read(value);
        let fields = Fields::of(value);
        let value = match (&text, fields) {
            (Some(_), _) => value.clone(),
            (None, Some(fields)) => fields
                .value("value")
                .filter(|value| String::read(value).is_some())?
                .clone(),
            (None, None) => return None,
        };
        let label = text
            .or_else(|| fields?.get("label"))
            .filter(|label| !label.is_empty())
            .or_else(|| String::read(&value))?;
        Some(Self { value, label })
    }
}

impl Read for AskedField {
    fn read(value: &Value) -> Option<Self> {
        let fields = Fields::of(value)?;
        let kind: FieldKind = fields.get("type")?;
        let slug = fields
            .get::<String>("slug")
            .or_else(|| kind.default_slug())?;
        Some(Self {
            kind,
            slug,
            label: fields.get("label")?,
            required: fields.flag("required"),
            placeholder: fields.get("placeholder")?,
            options: fields.list("options"),
            hidden: fields.flag("hidden"),
            is_default: fields.flag("isDefault"),
            locks_prefill: fields.flag("disableOnPrefill"),
            is_disabled: fields.flag("disabled"),
            default: fields
                .value("defaultValue")
                .or_else(|| fields.value("default"))
                .cloned(),
            bounds: Bounds {
                min_length: fields.get("minLength")?,
                max_length: fields.get("maxLength")?,
                least: fields.get("min")?,
                most: fields.get("max")?,
            },
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn options_are_texts_numbers_or_values_with_a_label() {
        let field = AskedField::read(&json!({
            "type": "select", "slug": "plan", "minLength": "2", "max": 9.0, "disabled": null,
            "options": ["A", 7, {"label": "Bee", "value": "b"}, {"value": 3}, {"label": "", "value": "c"},
                        {"label": "no value"}, null, {"value": {}}],
        }))
        .unwrap();
        let options: Vec<_> = field
            .options
            .iter()
            .map(|option| (option.key(), option.label.as_str(), option.value.clone()))
            .collect();
        assert_eq!(
            options,
            [
                ("A".to_owned(), "A", json!("A")),
                ("7".to_owned(), "7", json!(7)),
                ("b".to_owned(), "Bee", json!("b")),
                ("3".to_owned(), "3", json!(3)),
                ("c".to_owned(), "c", json!("c")),
            ]
        );
        assert_eq!(field.bounds.min_length, Some(2));
        assert_eq!(field.bounds.most, Some(9));
        assert!(!field.is_disabled);
    }
}
