//! A field of the booking form as clients render it. Real services add settings that the interface
//! does not document; those that help the visitor are read as well.

use serde_json::Value;

use crate::event_type::field_kind::FieldKind;
use crate::read::{Fields, Read};

/// A field of the booking form.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct FormField {
    /// Kind of value.
    pub kind: FieldKind,
    /// Key of the response.
    pub slug: String,
    /// May be missing, or a translation key, for default fields.
    pub label: Option<String>,
    /// True if a response is required.
    pub required: bool,
    /// Example of a response.
    pub placeholder: Option<String>,
    /// Choices of select, multiselect, radio and checkbox.
    pub options: Vec<FieldOption>,
    /// True if the field is not shown to visitors.
    pub hidden: bool,
    /// True for the fields that every form has (name, e-mail, notes, ...).
    pub is_default: bool,
    /// True if a prefilled response cannot be changed.
    pub locks_prefill: bool,
    /// True if the response can never be changed.
    pub is_disabled: bool,
    /// Initial value.
    pub default: Option<Value>,
    /// Limits of the length or size of a response.
    pub range: FieldRange,
}

/// Limits of the length or size of a response.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct FieldRange {
    /// Minimum number of characters.
    pub min_length: Option<i64>,
    /// Maximum number of characters.
    pub max_length: Option<i64>,
    /// Minimum of a number.
    pub min: Option<i64>,
    /// Maximum of a number.
    pub max: Option<i64>,
}

/// An option of a choice.
#[derive(Clone, Debug, PartialEq)]
pub struct FieldOption {
    /// A text or a number, sent back unchanged.
    pub value: Value,
    /// Label for the visitor.
    pub label: String,
}

impl FieldOption {
    /// Returns the value as a text, unique among the options.
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

impl Read for FormField {
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
            range: FieldRange {
                min_length: fields.get("minLength")?,
                max_length: fields.get("maxLength")?,
                min: fields.get("min")?,
                max: fields.get("max")?,
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
        let field = FormField::read(&json!({
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
        assert_eq!(field.range.min_length, Some(2));
        assert_eq!(field.range.max, Some(9));
        assert!(!field.is_disabled);
    }
}
