//! Fields of the booking form of an event type.

use booking_wire_macros::wire;
use serde_json::Value;

use crate::event_type::field_kind::FieldKind;
use crate::event_type::form_field::FormField;
use crate::read::{Fields, Read};

/// A field of the booking form.
#[wire(write)]
#[derive(Clone, Debug, PartialEq)]
pub struct BookingField {
    /// Kind of value.
    #[wire(key = "type")]
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
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub options: Vec<String>,
    /// True if the field is not shown to visitors.
    pub hidden: bool,
    /// True for the fields that every form has (name, e-mail, notes, ...).
    pub is_default: bool,
    /// True if a prefilled response cannot be changed.
    pub disable_on_prefill: Option<bool>,
}

impl Read for BookingField {
    fn read(value: &Value) -> Option<Self> {
        let FormField {
            kind,
            slug,
            label,
            required,
            placeholder,
            hidden,
            is_default,
            ..
        } = FormField::read(value)?;
        let fields = Fields::of(value)?;
        Some(Self {
            kind,
            slug,
            label,
            required,
            placeholder,
            options: fields.list("options"),
            hidden,
            is_default,
            disable_on_prefill: fields.get("disableOnPrefill")?,
        })
    }
}
