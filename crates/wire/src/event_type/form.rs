//! Places and questions: what a visitor fills in (contract 3.3).

use serde::Serialize;
use serde_json::Value;

use crate::asked_field::AskedField;
use crate::field_kind::FieldKind;
use crate::read::{Fields, Read};

/// A place where the meeting can happen.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(tag = "type", rename_all = "camelCase")]
pub enum Location {
    /// The organiser's address; withheld until booked unless public.
    Address {
        /// Empty if withheld.
        address: String,
        /// Whether visitors may see it beforehand.
        public: bool,
    },
    /// A link of the organiser's.
    Link {
        /// Empty if withheld.
        link: String,
        /// Whether visitors may see it beforehand.
        public: bool,
    },
    /// The visitor calls the organiser.
    Phone {
        /// Empty if withheld.
        phone: String,
        /// Whether visitors may see it beforehand.
        public: bool,
    },
    /// A conferencing app, an open set of slugs.
    Integration {
        /// Such as `google-meet`.
        integration: String,
    },
    /// The organiser's usual app.
    OrganizersDefaultApp,
    /// The visitor says where.
    AttendeeAddress,
    /// The organiser calls the visitor.
    AttendeePhone,
    /// The visitor says how.
    AttendeeDefined,
    /// A kind that this version does not know.
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

/// One question of the form.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct BookingField {
    /// What kind of answer is wanted.
    #[serde(rename = "type")]
    pub kind: FieldKind,
    /// The key of the answer.
    pub slug: String,
    /// May be missing, or a translation key, for default fields.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub label: Option<String>,
    /// Whether an answer must be given.
    pub required: bool,
    /// An example of an answer.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub placeholder: Option<String>,
    /// Choices of select, multiselect, radio and checkbox.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub options: Vec<String>,
    /// Whether the visitor is not asked.
    pub hidden: bool,
    /// Whether the service brings it by itself (name, e-mail, notes, ...).
    pub is_default: bool,
    /// Whether a prefilled answer cannot be changed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub disable_on_prefill: Option<bool>,
}

impl Read for BookingField {
    fn read(value: &Value) -> Option<Self> {
        let AskedField {
            kind,
            slug,
            label,
            required,
            placeholder,
            hidden,
            is_default,
            ..
        } = AskedField::read(value)?;
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
