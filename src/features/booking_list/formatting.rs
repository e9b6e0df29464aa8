//! Values of a booking as text. No DOM access.

use booking_wire::{Booking, Host, TeamEventType};
use serde_json::Value;

use crate::i18n::{Key, Translations};

/// Title of a booking, or a text in place of an empty one.
pub fn booking_title(booking: &Booking, texts: Translations) -> &str {
    match booking.title.as_str() {
        "" => texts.get(Key::UntitledBooking),
        title => title,
    }
}

/// Display name of a person: the name, or else the address.
pub fn display_name<'a>(name: &'a str, email: &'a str) -> &'a str {
    if name.is_empty() { email } else { name }
}

/// Display name of the first attendee, or else the title.
pub fn attendee_or_title(booking: &Booking, texts: Translations) -> &str {
    let attendee = booking.attendees.first();
    attendee.map_or_else(
        || booking_title(booking, texts),
        |attendee| display_name(&attendee.name, &attendee.display_email),
    )
}

/// Names of the hosts.
pub fn host_names(booking: &Booking, texts: Translations) -> String {
    let names: Vec<&str> = named_hosts(booking).map(|(_, name)| name).collect();
    names.join(texts.list_separator())
}

/// Hosts with their names. A booking without a host has one called "unknown".
pub fn named_hosts(booking: &Booking) -> impl Iterator<Item = (&Host, &str)> {
    let hosts = booking.hosts.iter().filter(|host| host.id != "unknown");
    hosts.filter_map(|host| {
        let names = [&host.name, &host.username, &host.email];
        let name = names.into_iter().find(|name| !name.is_empty())?;
        Some((host, name.as_str()))
    })
}

/// Title of a booking's event type, or its slug while titles are not loaded.
pub fn event_type_title(booking: &Booking, event_types: &[TeamEventType]) -> Option<String> {
    let id = booking.event_type_id;
    event_types
        .iter()
        .find(|event_type| Some(event_type.id) == id)
        .map(|event_type| event_type.title.clone())
        .or_else(|| {
            let booked = booking.event_type.as_ref()?;
            Some(humanized(&booked.slug))
        })
        .filter(|title| !title.is_empty())
}

/// Default questions, whose answers are shown elsewhere in the details.
const SHOWN_ELSEWHERE: [&str; 7] = [
    "name",
    "email",
    "guests",
    "location",
    "title",
    "rescheduleReason",
    "attendeePhoneNumber",
];

/// True if the answer to `slug` has its own line.
pub fn has_own_line(slug: &str) -> bool {
    !SHOWN_ELSEWHERE.contains(&slug)
}

/// Answer as text; `None` if it is empty. Answers may be any JSON.
pub fn answer_text(value: &Value, texts: Translations) -> Option<String> {
    let joined = |items: &mut dyn Iterator<Item = String>| {
        items.collect::<Vec<_>>().join(texts.list_separator())
    };
    let text = match value {
        Value::Null => return None,
        Value::Bool(true) => texts.get(Key::Yes).to_owned(),
        Value::Bool(false) => texts.get(Key::No).to_owned(),
        Value::String(text) => text.trim().to_owned(),
        Value::Number(number) => number.to_string(),
        Value::Array(items) => {
            joined(&mut items.iter().filter_map(|item| answer_text(item, texts)))
        }
        Value::Object(map) => joined(&mut map.iter().filter_map(|(key, item)| {
            Some(format!("{}: {}", humanized(key), answer_text(item, texts)?))
        })),
    };
    Some(text).filter(|text| !text.is_empty())
}

/// Key as words: `companySize` and `company-size` become `Company size`. Keys are ASCII: case tables
/// for other letters would be larger than this file.
pub fn humanized(key: &str) -> String {
    let mut text = String::with_capacity(key.len() + 4);
    for character in key.chars() {
        if text.is_empty() {
            text.push(character.to_ascii_uppercase());
        } else if matches!(character, '-' | '_') {
            text.push(' ');
        } else {
            if character.is_ascii_uppercase() {
                text.push(' ');
            }
            text.push(character.to_ascii_lowercase());
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use booking_wire::{Host, Read};
    use serde_json::json;

    use super::*;

    #[test]
    fn host_names_fall_back_to_email() {
        let host = |id: &str, name: &str, email: &str| Host {
            id: id.into(),
            name: name.into(),
            email: email.into(),
            ..Host::default()
        };
        let booking = Booking {
            hosts: vec![
                host("1", "Ada", "ada@example.org"),
                host("2", "", "bo@example.org"),
                host("unknown", "unknown", "unknown"),
            ],
            ..Booking::default()
        };
        assert_eq!(
            host_names(&booking, Translations::ENGLISH),
            "Ada, bo@example.org"
        );
    }

    #[test]
    fn answer_of_any_shape_is_text() {
        for (value, text) in [
            (json!("  yes please "), Some("yes please")),
            (json!(""), None),
            (json!(null), None),
            (json!(true), Some("Yes")),
            (json!(3), Some("3")),
            (json!(["a", null, "b"]), Some("a, b")),
            (json!([]), None),
            (
                json!({"firstName": "Zoë", "last_name": "Moss"}),
                Some("First name: Zoë, Last name: Moss"),
            ),
        ] {
            let found = answer_text(&value, Translations::ENGLISH);
            assert_eq!(found.as_deref(), text, "{value}");
        }
    }

    #[test]
    fn key_is_humanized() {
        for (key, text) in [
            ("company-size", "Company size"),
            ("companySize", "Company size"),
            ("topic", "Topic"),
            ("", ""),
        ] {
            assert_eq!(humanized(key), text);
        }
    }

    #[test]
    fn booking_variants_are_distinguished() {
        for (extra, is_recurring, is_seated) in [
            (json!({"bookingFieldsResponses": {}}), false, false),
            (
                json!({"bookingFieldsResponses": {}, "recurringBookingUid": "r"}),
                true,
                false,
            ),
            (json!({"attendees": [{"seatUid": "s"}]}), false, true),
            (
                json!({"attendees": [{"seatUid": "s"}], "recurringBookingUid": "r"}),
                true,
                true,
            ),
        ] {
            let mut value =
                json!({"uid": "bk1", "start": "2027-03-01T09:00:00Z", "status": "accepted"});
            for (key, item) in extra.as_object().unwrap() {
                value[key] = item.clone();
            }
            let booking = Booking::read(&value).unwrap();
            let found = (booking.is_recurring(), booking.is_seated());
            assert_eq!(found, (is_recurring, is_seated), "{value}");
        }
    }
}
