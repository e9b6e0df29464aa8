//! Locations of an event type.

use serde::Serialize;
use serde_json::Value;

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
