//! Locations and form fields of an event type (contract 3.3).

use serde::Serialize;
use serde_json::Value;

use crate::field_kind::FieldKind;
use crate::form_field::FormField;
use crate::read::{Fields, Read};

/// A location of an event type.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(tag = "type", rename_all = "camelCase")]
pub enum Location {
    /// The organiser's address; withheld until booked unless public.
    Address {
        /// Empty if withheld.
        address: String,
        /// True if visitors may see it before booking.
        public: bool,
    },
    /// A link of the organiser.
    Link {
        /// Empty if withheld.
        link: String,
        /// True if visitors may see it before booking.
        public: bool,
    },
    /// The visitor calls the organiser.
    Phone {
        /// Empty if withheld.
        phone: String,
        /// True if visitors may see it before booking.
        public: bool,
    },
    /// A conferencing app; the set of slugs is open.
    Integration {
        /// Slug, such as `google-meet`.
        integration: String,
    },
    /// The organiser's default conferencing app.
    OrganizersDefaultApp,
    /// The visitor's address.
    AttendeeAddress,
    /// The organiser calls the visitor.
    AttendeePhone,
    /// A text of the visitor.
    AttendeeDefined,
    /// A kind unknown to this version.
    Unknown,
}

impl Read for Location {
    fn read(value: &Value) -> Option<Self> {
        let fields = Fields::of(value)?;
        let public = fields.flag("public");
        Some(match fields.text("type").as_str() {
            "address" => Self::Address {
                address: fields.text("address"),
                public,
            },
            "link" => Self::Link {
                link: fields.text("link"),
                public,
            },
            "phone" => Self::Phone {
                phone: fields.text("phone"),
                public,
            },
            "integration" => Self::Integration {
                integration: fields.text("integration"),
            },
            "organizersDefaultApp" => Self::OrganizersDefaultApp,
            "attendeeAddress" => Self::AttendeeAddress,
            "attendeePhone" => Self::AttendeePhone,
            "attendeeDefined" => Self::AttendeeDefined,
            _ => Self::Unknown,
        })
    }
}

/// A field of the booking form.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct BookingField {
    /// Kind of value.
    #[serde(rename = "type")]
    pub kind: FieldKind,
    /// Key of the response.
    pub slug: String,
    /// May be missing, or a translation key, for default fields.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub label: Option<String>,
    /// True if a response is required.
    pub required: bool,
    /// Example of a response.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub placeholder: Option<String>,
    /// Choices of select, multiselect, radio and checkbox.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub options: Vec<String>,
    /// True if the field is not shown to visitors.
    pub hidden: bool,
    /// True for the fields that every form has (name, e-mail, notes, ...).
    pub is_default: bool,
    /// True if a prefilled response cannot be changed.
    #[serde(skip_serializing_if = "Option::is_none")]
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
