//! Event type as the bookings of a team show it.

use serde_json::Value;

use crate::form_field::FormField;
use crate::public_event_type::BookingSettings;
use crate::read::{Fields, RawJson, Read};

/// An event type of a team, beside its bookings. What only a calendar shows is not read.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct TeamEventType {
    /// Identifier.
    pub id: i64,
    /// Title.
    pub title: String,
    /// Fields of the booking form.
    pub booking_fields: RawJson<Vec<FormField>>,
    /// Settings of its bookings.
    pub booking_settings: RawJson<BookingSettings>,
}

impl Read for TeamEventType {
    fn read(value: &Value) -> Option<Self> {
        let fields = Fields::of(value)?;
        Some(Self {
            id: fields.get("id")?,
            title: fields.text("title"),
            booking_fields: fields.get("bookingFields")?,
            booking_settings: RawJson::read(value)?,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn event_type_of_team_has_fields_and_settings() {
        let event_type = TeamEventType::read(&json!({
            "id": 41,
            "title": "Intro",
            "bookingFields": [{"type": "text", "slug": "topic"}],
            "schedulingType": "roundRobin",
        }))
        .unwrap();
        assert_eq!((event_type.id, &*event_type.title), (41, "Intro"));
        let fields = event_type.booking_fields.get().unwrap();
        assert_eq!(fields[0].slug, "topic");
        assert!(event_type.booking_settings.get().unwrap().is_round_robin);
        assert_eq!(TeamEventType::read(&json!({"title": "Intro"})), None);
    }
}
