//! One field of the form. No DOM access.

use booking_wire::{FieldKind, FieldOption, FieldRange, FormField};
use serde_json::Value;

/// Slug of the location.
pub const LOCATION: &str = "location";
/// Slug of the number at which the visitor is called. Each location type has its own slug, so that
/// typed text is restored when the visitor returns to it.
pub const LOCATION_PHONE: &str = "location-phone";
/// Slug of the visitor's address.
pub const LOCATION_ADDRESS: &str = "location-address";
/// Slug of the visitor's location text.
pub const LOCATION_TEXT: &str = "location-words";
/// Slug of custom fields whose value is the attendee's phone number.
pub const ATTENDEE_PHONE: &str = "attendeePhoneNumber";

/// Field of a form.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct InputField {
    /// Key of its value.
    pub slug: String,
    /// Kind of the value.
    pub kind: FieldKind,
    /// Own label; default fields have none.
    pub label: Option<String>,
    /// Event type's label of a default field.
    pub title: Option<String>,
    /// True if it is a text field because its kind is unknown.
    pub is_unknown: bool,
    /// Example value.
    pub placeholder: Option<String>,
    /// True if a value is required.
    pub is_required: bool,
    /// Options to choose from. Those of the location are indices into `Form::locations`.
    pub options: Vec<FieldOption>,
    /// Bounds of the length or the value.
    pub range: FieldRange,
    /// Default value.
    pub default: Option<Value>,
    /// True if a prefilled value cannot be changed.
    pub locks_prefill: bool,
    /// True if the value is shown but cannot be changed.
    pub is_read_only: bool,
    /// True if it is sent without being shown.
    pub is_hidden: bool,
}

impl InputField {
    /// Creates a field with the widget's own label.
    pub fn named(slug: &str, kind: FieldKind, is_required: bool) -> Self {
        Self {
            slug: slug.to_owned(),
            kind,
            is_required,
            ..Self::default()
        }
    }

    /// Creates a default field with the event type's settings.
    pub(super) fn default_field(
        slug: &str,
        kind: FieldKind,
        is_required: bool,
        setting: Option<&FormField>,
    ) -> Self {
        let mut field = Self::named(slug, kind, is_required);
        if let Some(setting) = setting {
            field.apply_setting(setting);
        }
        field
    }

    /// True for optional default fields: a button opens them. Those with a label of the event type are questions of
    /// the host, except guests.
    pub(super) fn is_foldable(&self) -> bool {
        let is_default = match self.slug.as_str() {
            "guests" => self.label.is_none(),
            "notes" => self.label.is_none() && self.title.is_none(),
            _ => false,
        };
        is_default && !self.is_required
    }

    /// Takes over the event type's settings of the field.
    pub(super) fn apply_setting(&mut self, setting: &FormField) {
        self.title = setting.label.clone().filter(|label| is_prose(label));
        self.placeholder = setting.placeholder.clone();
        self.range = setting.range.clone();
        self.default = setting.default.clone();
        self.locks_prefill = setting.locks_prefill;
        self.is_read_only = setting.is_disabled;
    }
}

/// True if a label is meant for people: services send translation keys such as `your_name` for
/// default fields.
pub(super) fn is_prose(label: &str) -> bool {
    let is_key = |sign: u8| sign.is_ascii_lowercase() || sign == b'_';
    !label.trim().is_empty() && !label.bytes().all(is_key)
}
