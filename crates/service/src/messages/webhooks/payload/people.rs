//! People in payloads: organisers, attendees and guests.

use booking_wire::{Attendee, Host, Instant, attendee_language_code};
use booking_zones::Zone;
use serde_json::{Value, json};

use crate::store::messages::webhooks::HostSettings;

/// Language of people without a language setting.
const DEFAULT_LOCALE: &str = "en";

/// A host, as `organizer` or as a member of `team`.
pub(super) fn organizer(host: &Host, settings: &[HostSettings], start: Instant) -> Value {
    let id = numeric_id(&host.id);
    let settings = settings.iter().find(|settings| id == settings.id);
    let locale = settings.and_then(|settings| settings.locale.as_deref());
    let time_format = match settings.map(|settings| settings.time_format) {
        Some(24) => "HH:mm",
        _ => "h:mma",
    };
    json!({
        "id": id,
        "name": host.name,
        "email": host.email,
        "username": host.username,
        "timeZone": host.time_zone,
        "language": {"locale": locale.unwrap_or(DEFAULT_LOCALE)},
        "timeFormat": time_format,
        "utcOffset": utc_offset(&host.time_zone, start),
    })
}

/// An attendee or guest of a meeting that starts at `start`.
pub fn attendee(attendee: &Attendee, start: Instant) -> Value {
    let (first, last) = match attendee.name.trim().split_once(char::is_whitespace) {
        Some((first, last)) => (first, last.trim_start()),
        None => (attendee.name.trim(), ""),
    };
    let language = attendee.language.as_deref();
    json!({
        "name": attendee.name,
        "firstName": first,
        "lastName": last,
        "email": attendee.email,
        "phoneNumber": attendee.phone_number,
        "timeZone": attendee.time_zone,
        "language": {"locale": language.map_or(DEFAULT_LOCALE, attendee_language_code)},
        "utcOffset": utc_offset(&attendee.time_zone, start),
    })
}

/// Offset from UTC in minutes at `at`; `None` for an unknown zone.
pub fn utc_offset(zone: &str, at: Instant) -> Option<i64> {
    Some(Zone::named(zone)?.offset_s(at) / 60)
}

/// Id of a person: text in the API, a number in payloads. `unknown` stays text.
pub(super) fn numeric_id(id: &str) -> Value {
    id.parse::<i64>().map_or_else(|_| id.into(), Value::from)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn offset_before_and_after_a_change_is_that_of_the_instant() {
        let at = |text| Instant::parse(text).unwrap();
        for (zone, instant, offset) in [
            ("Europe/Rome", "2027-03-28T00:59:59Z", Some(60)),
            ("Europe/Rome", "2027-03-28T01:00:00Z", Some(120)),
            ("America/New_York", "2027-01-01T12:00:00Z", Some(-300)),
            ("Asia/Kolkata", "2027-01-01T12:00:00Z", Some(330)),
            ("Mars/Olympus", "2027-01-01T12:00:00Z", None),
        ] {
            assert_eq!(utc_offset(zone, at(instant)), offset, "{zone} {instant}");
        }
    }

    #[test]
    fn name_is_split_at_the_first_space() {
        for (name, first, last) in [
            ("Zoë Łukasik", "Zoë", "Łukasik"),
            ("Ana Maria  de la Cruz", "Ana", "Maria  de la Cruz"),
            (" Cher ", "Cher", ""),
            ("", "", ""),
        ] {
            let person = Attendee {
                name: name.into(),
                ..Attendee::default()
            };
            let payload = attendee(&person, Instant(0));
            assert_eq!(payload["firstName"], first);
            assert_eq!(payload["lastName"], last);
        }
    }
}
