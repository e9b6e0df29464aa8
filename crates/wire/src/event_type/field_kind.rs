//! Kinds of booking fields.

use serde::Serialize;
use serde_json::Value;

use crate::read::Read;

/// Kind of a booking field.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub enum FieldKind {
    /// The attendee's name.
    Name,
    /// The attendee's e-mail address.
    Email,
    /// The choice of a location.
    RadioInput,
    /// A telephone number.
    Phone,
    /// A postal address.
    Address,
    /// One line.
    Text,
    /// Several lines.
    Textarea,
    /// A web address.
    Url,
    /// A number.
    Number,
    /// Yes or no.
    Boolean,
    /// One of the options, in a list.
    Select,
    /// One of the options, side by side.
    Radio,
    /// Several of the options, in a list.
    Multiselect,
    /// Several of the options, side by side.
    Checkbox,
    /// Several e-mail addresses.
    Multiemail,
    /// A kind unknown to this version.
    #[default]
    Unknown,
}

impl FieldKind {
    /// All known kinds with their names on the wire.
    pub const NAMES: [(&'static str, Self); 15] = [
        ("name", Self::Name),
        ("email", Self::Email),
        ("radioInput", Self::RadioInput),
        ("phone", Self::Phone),
        ("address", Self::Address),
        ("text", Self::Text),
        ("textarea", Self::Textarea),
        ("url", Self::Url),
        ("number", Self::Number),
        ("boolean", Self::Boolean),
        ("select", Self::Select),
        ("radio", Self::Radio),
        ("multiselect", Self::Multiselect),
        ("checkbox", Self::Checkbox),
        ("multiemail", Self::Multiemail),
    ];

    pub(crate) fn default_slug(self) -> Option<String> {
        let slug = match self {
            Self::Name => "name",
            Self::Email => "email",
            Self::RadioInput => "location",
            _ => return None,
        };
        Some(slug.to_owned())
    }
}

impl Read for FieldKind {
    fn read(value: &Value) -> Option<Self> {
        let name = value.as_str()?;
        let known = Self::NAMES.iter().find(|(known, _)| *known == name);
        Some(known.map_or(Self::Unknown, |(_, kind)| *kind))
    }
}
