//! Event type as the bookings of a team show it.

use serde_json::Value;

use crate::event_type::form_field::FormField;
use crate::event_type::public_event_type::{BookingSettings, own_colors, seats};
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
    /// Colors in the light and the dark theme, as `#RGB` or `#RRGGBB`.
    pub colors: Option<(String, String)>,
    /// Ids of the hosts who have a picture, with its URL.
    pub host_pictures: Vec<(i64, String)>,
    /// Ids of the hosts who have a name, with it.
    pub host_names: Vec<(i64, String)>,
    /// Number of seats, if visitors share a slot.
    pub seats: Option<i64>,
}

impl Read for TeamEventType {
    fn read(value: &Value) -> Option<Self> {
        let fields = Fields::of(value)?;
        Some(Self {
            id: fields.get("id")?,
            title: fields.text("title"),
            booking_fields: fields.get("bookingFields")?,
            booking_settings: RawJson::read(value)?,
            colors: own_colors(fields),
            host_pictures: of_hosts(fields, "avatarUrl"),
            host_names: of_hosts(fields, "name"),
            seats: seats(fields).flatten(),
        })
    }
}

/// Returns the ids of the hosts who have a text under `key`, with it.
fn of_hosts(fields: Fields<'_>, key: &str) -> Vec<(i64, String)> {
    let hosts = fields.value("hosts").and_then(Value::as_array);
    let read = |host: &Value| {
        let host = Fields::of(host)?;
        Some((host.get("userId")?, host.text(key))).filter(|(_, text)| !text.is_empty())
    };
    hosts.into_iter().flatten().filter_map(read).collect()
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
            "color": {"lightThemeHex": "#b3005b", "darkThemeHex": "#f9a8d4"},
            "hosts": [{"userId": 7, "avatarUrl": "https://a.example/7"}, {"userId": 8, "name": "Bo", "avatarUrl": null}, "Bo"],
            "seats": {"seatsPerTimeSlot": 8},
        }))
        .unwrap();
        assert_eq!((event_type.id, &*event_type.title), (41, "Intro"));
        let fields = event_type.booking_fields.get().unwrap();
        assert_eq!(fields[0].slug, "topic");
        assert!(event_type.booking_settings.get().unwrap().is_round_robin);
        let colors = Some(("#b3005b".into(), "#f9a8d4".into()));
        assert_eq!((event_type.colors, event_type.seats), (colors, Some(8)));
        let pictures = [(7, "https://a.example/7".to_owned())];
        assert_eq!(event_type.host_pictures, pictures);
        assert_eq!(event_type.host_names, [(8, "Bo".to_owned())]);
        assert_eq!(TeamEventType::read(&json!({"title": "Intro"})), None);
    }
}
