//! Upper limits on the content and cost of requests. `docs/operating.md` has the same table, and a
//! test compares both.
//!
//! Limits of single properties (a name has 300 characters) are here, too, so that the total that
//! one request can store is visible in one place. Those that clients respect are in
//! [`booking_rules::limits`].

use std::fmt;

use booking_rules::limits;
use serde::de::{DeserializeSeed, Deserializer, Error as _, MapAccess, SeqAccess, Visitor};

/// Request target (path and query string), in bytes.
pub const MAX_TARGET_BYTES: usize = 8 * 1024;

/// Parameters of a query string.
pub const MAX_QUERY_PARAMETERS: usize = 100;

/// Headers of a request, in bytes.
pub const MAX_HEADER_BYTES: usize = 64 * 1024;

/// Header lines of a request.
pub const MAX_HEADERS: usize = 100;

/// Request body that anonymous callers can send: bookings and reservations, in bytes.
pub const MAX_PUBLIC_BODY_BYTES: usize = 128 * 1024;

/// Request body of every other operation, in bytes.
pub const MAX_BODY_BYTES: usize = 256 * 1024;

/// Nesting of objects and arrays in a JSON body.
pub const MAX_JSON_DEPTH: usize = 16;

/// Keys of one JSON object.
pub const MAX_OBJECT_KEYS: usize = 200;

/// Elements of one JSON array.
pub const MAX_ARRAY_ELEMENTS: usize = 1_000;

/// Objects, arrays and scalars of one JSON body.
pub const MAX_JSON_VALUES: usize = 20_000;

/// Characters of one text in a JSON body, except avatars.
pub const MAX_TEXT_CHARS: usize = 20_000;

/// Characters of an avatar (version 1), which is repeated in every list of its user's event types.
pub const MAX_AVATAR_CHARS: usize = 32_000;

/// One response, in bytes: longer lists and slots are rejected.
pub const MAX_RESPONSE_BYTES: usize = 8 * 1024 * 1024;

/// Responses of more than 256 KiB at a time, in bytes; a quarter of them for one client.
pub const MAX_LARGE_RESPONSES_BYTES: usize = 64 * 1024 * 1024;

/// Entries of a list without pages (version 1).
pub const MAX_LIST_ENTRIES: usize = 10_000;

/// Errors that a validation error reports; the others are only counted.
pub const MAX_REPORTED_VIOLATIONS: usize = 50;

/// Levels of nesting in a reported error.
pub const MAX_VIOLATION_DEPTH: usize = 5;

/// Characters of a name, value or text that is echoed in an error.
pub const MAX_ECHOED_CHARS: usize = 100;

/// Characters of the message of a field error.
pub const MAX_VIOLATION_TEXT_CHARS: usize = 1_000;

/// Field errors in an error response, in bytes.
pub const MAX_VIOLATIONS_BYTES: usize = 48 * 1024;

/// Characters of a user's name.
pub const MAX_NAME_CHARS: usize = limits::MAX_NAME_CHARS;

/// Characters of one booking field response.
pub const MAX_ANSWER_CHARS: usize = limits::MAX_ANSWER_CHARS;

/// All booking field responses of one booking, as JSON, in bytes.
pub const MAX_ANSWERS_BYTES: usize = 32 * 1024;

/// Booking field responses and metadata of all seats of one booking, as JSON, in bytes: each seat
/// has an equal share.
pub const MAX_ATTENDEES_BYTES: usize = 1024 * 1024;

/// Minimum share of a seat, in bytes.
pub const MIN_SEAT_BYTES: usize = 4 * 1024;

/// Booking field responses, guests and metadata of one new series, counted for each occurrence, in
/// bytes.
pub const MAX_SERIES_BYTES: usize = 1024 * 1024;

/// Characters of the title that a visitor gives to a booking.
pub const MAX_BOOKING_TITLE_CHARS: usize = 255;

/// Characters of a reason (cancellation, decline, reassignment).
pub const MAX_REASON_CHARS: usize = limits::MAX_REASON_CHARS;

/// Live reservations of one client.
pub const MAX_RESERVATIONS: i64 = 10;

/// Live reservations of one client for one event type.
pub const MAX_RESERVATIONS_PER_EVENT_TYPE: i64 = 3;

/// Live reservations of one client that block one host.
pub const MAX_RESERVATIONS_PER_HOST: i64 = 5;

/// Minutes for which one client can reserve one slot in two hours, including renewals.
pub const MAX_RESERVED_MINUTES: i64 = limits::MAX_RESERVED_MINUTES;

/// Guests of one booking.
pub const MAX_GUESTS: usize = limits::MAX_GUESTS;

/// Guests that one call may add.
pub const MAX_GUESTS_PER_CALL: usize = limits::MAX_GUESTS_PER_CALL;

/// Attendees of one booking without seats.
pub const MAX_ATTENDEES: usize = 1_000;

/// Keys of a metadata object.
pub const MAX_METADATA_KEYS: usize = limits::MAX_METADATA_KEYS;

/// Characters of a key in a metadata object.
pub const MAX_METADATA_KEY_CHARS: usize = limits::MAX_METADATA_KEY_CHARS;

/// Characters of a text in a metadata object.
pub const MAX_METADATA_TEXT_CHARS: usize = limits::MAX_METADATA_TEXT_CHARS;

/// Characters of an `Idempotency-Key`.
pub const MAX_IDEMPOTENCY_KEY_CHARS: usize = 255;

/// Characters of a search.
pub const MAX_SEARCH_CHARS: usize = limits::MAX_SEARCH_CHARS;

/// Ids in one filter of a list.
pub const MAX_FILTER_IDS: usize = 100;

/// E-mail addresses in one filter of a list.
pub const MAX_FILTER_EMAILS: usize = 20;

/// Characters of a booking's location.
pub const MAX_LOCATION_CHARS: usize = 1_000;

/// Hosts of one event type.
pub const MAX_HOSTS: usize = 250;

/// Locations of one event type.
pub const MAX_LOCATIONS: usize = 20;

/// Booking fields of one event type.
pub const MAX_BOOKING_FIELDS: usize = 50;

/// Options of one booking field.
pub const MAX_FIELD_OPTIONS: usize = 100;

/// Settings of all event types of one user or team, as JSON, in bytes.
pub const MAX_EVENT_TYPES_BYTES: usize = 4 * 1024 * 1024;

/// Working hours in the week of one schedule, counted per day.
pub const MAX_AVAILABILITIES: usize = 100;

/// Date overrides of one schedule.
pub const MAX_OVERRIDES: usize = 1_000;

/// Schedules of one user.
pub const MAX_SCHEDULES: usize = 250;

/// Webhooks of one owner: each adds a write to every booking.
pub const MAX_WEBHOOKS: i64 = 50;

/// Characters of a webhook's template.
pub const MAX_TEMPLATE_CHARS: usize = 10_000;

/// Characters of a webhook's secret.
pub const MAX_WEBHOOK_SECRET_CHARS: usize = 1_000;

/// Booking limits of a team, as JSON, in bytes.
pub const MAX_TEAM_LIMITS_BYTES: usize = 1024;

/// Characters of the key of a credential (version 1).
pub const MAX_CREDENTIAL_KEY_CHARS: usize = 10_000;

/// Items of one page of a list.
pub const MAX_PAGE_SIZE: i64 = limits::MAX_PAGE_SIZE;

/// Days of one slots request.
pub const MAX_SLOT_DAYS: i64 = 100;

/// Maximum size of the body of a request to `path`.
pub fn body_bytes(path: &str) -> usize {
    let below = |prefix| is_below(path, prefix);
    let is_public = below("/v2/bookings") || below("/v2/slots") || below("/v1/bookings");
    if is_public || below("/mail") {
        MAX_PUBLIC_BODY_BYTES
    } else {
        MAX_BODY_BYTES
    }
}

/// Maximum characters of one text in the body of a request to `path`: higher for avatars.
pub fn text_chars(path: &str) -> usize {
    if is_below(path, "/v1/users") {
        MAX_AVATAR_CHARS
    } else {
        MAX_TEXT_CHARS
    }
}

fn is_below(path: &str, prefix: &str) -> bool {
    path.strip_prefix(prefix)
        .is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
}

/// Checks depth, width and text lengths of a JSON document without building it, in time
/// proportional to its length. A body that passes can be parsed and traversed safely.
///
/// # Errors
///
/// The limit that is exceeded, or the parser's error; both fit into a sentence that begins with
/// "the request body".
pub fn check_json_shape(bytes: &[u8], text_chars: usize) -> Result<(), serde_json::Error> {
    let mut shape = Shape {
        text_chars,
        values: 0,
    };
    let mut reader = serde_json::Deserializer::from_slice(bytes);
    Level {
        shape: &mut shape,
        depth: 0,
    }
    .deserialize(&mut reader)?;
    reader.end()
}

struct Shape {
    text_chars: usize,
    values: usize,
}

/// Value at this depth of the document.
struct Level<'a> {
    shape: &'a mut Shape,
    depth: usize,
}

impl Level<'_> {
    fn next_depth<E: serde::de::Error>(&mut self) -> Result<usize, E> {
        if self.depth >= MAX_JSON_DEPTH {
            return Err(E::custom(format_args!(
                "it is nested more than {MAX_JSON_DEPTH} levels deep"
            )));
        }
        Ok(self.depth + 1)
    }

    fn count<E: serde::de::Error>(&mut self) -> Result<(), E> {
        self.shape.values += 1;
        if self.shape.values > MAX_JSON_VALUES {
            return Err(E::custom(format_args!(
                "it has more than {MAX_JSON_VALUES} values"
            )));
        }
        Ok(())
    }
}

impl<'de> DeserializeSeed<'de> for Level<'_> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(mut self, deserializer: D) -> Result<(), D::Error> {
        self.count()?;
        deserializer.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for Level<'_> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a JSON value")
    }

    fn visit_bool<E>(self, _: bool) -> Result<(), E> {
        Ok(())
    }

    fn visit_i64<E>(self, _: i64) -> Result<(), E> {
        Ok(())
    }

    fn visit_u64<E>(self, _: u64) -> Result<(), E> {
        Ok(())
    }

    fn visit_f64<E>(self, _: f64) -> Result<(), E> {
        Ok(())
    }

    fn visit_unit<E>(self) -> Result<(), E> {
        Ok(())
    }

    fn visit_str<E: serde::de::Error>(self, text: &str) -> Result<(), E> {
        let max = self.shape.text_chars;
        // Characters are counted only if there are too many bytes.
        if text.len() > max && text.chars().count() > max {
            return Err(E::custom(format_args!(
                "it holds a text of more than {max} characters"
            )));
        }
        Ok(())
    }

    fn visit_seq<A: SeqAccess<'de>>(mut self, mut elements: A) -> Result<(), A::Error> {
        let depth = self.next_depth()?;
        let mut count = 0;
        while elements
            .next_element_seed(Level {
                shape: self.shape,
                depth,
            })?
            .is_some()
        {
            count += 1;
            if count > MAX_ARRAY_ELEMENTS {
                return Err(A::Error::custom(format_args!(
                    "it has an array of more than {MAX_ARRAY_ELEMENTS} elements"
                )));
            }
        }
        Ok(())
    }

    fn visit_map<A: MapAccess<'de>>(mut self, mut entries: A) -> Result<(), A::Error> {
        let depth = self.next_depth()?;
        let mut count = 0;
        while entries.next_key::<serde::de::IgnoredAny>()?.is_some() {
            entries.next_value_seed(Level {
                shape: self.shape,
                depth,
            })?;
            count += 1;
            if count > MAX_OBJECT_KEYS {
                return Err(A::Error::custom(format_args!(
                    "it has an object of more than {MAX_OBJECT_KEYS} keys"
                )));
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn outcome(text: &str) -> String {
        check_json_shape(text.as_bytes(), MAX_TEXT_CHARS)
            .map_or_else(|error| error.to_string(), |()| "accepted".to_owned())
    }

    fn nested(levels: usize) -> String {
        format!("{}{}", "[".repeat(levels), "]".repeat(levels))
    }

    fn keys(count: usize) -> String {
        let keys: Vec<String> = (0..count).map(|key| format!("\"{key}\":1")).collect();
        format!("{{{}}}", keys.join(","))
    }

    #[test]
    fn document_at_limit_is_accepted_and_above_limit_is_rejected() {
        let array = |count: usize| format!("[{}]", vec!["1"; count].join(","));
        let many = |arrays: usize| format!("[{}]", vec![array(999); arrays].join(","));
        for (accepted, rejected, limit) in [
            (
                nested(MAX_JSON_DEPTH),
                nested(MAX_JSON_DEPTH + 1),
                "16 levels",
            ),
            (keys(MAX_OBJECT_KEYS), keys(MAX_OBJECT_KEYS + 1), "200 keys"),
            (
                array(MAX_ARRAY_ELEMENTS),
                array(MAX_ARRAY_ELEMENTS + 1),
                "1000 elements",
            ),
            // With `arbitrary_precision` (in workspace builds), numbers are maps of one text.
            (many(9), many(21), "20000 values"),
            (
                format!("\"{}\"", "é".repeat(MAX_TEXT_CHARS)),
                format!("\"{}\"", "é".repeat(MAX_TEXT_CHARS + 1)),
                "20000 characters",
            ),
        ] {
            assert_eq!(outcome(&accepted), "accepted", "{limit}");
            assert!(outcome(&rejected).contains(limit), "{}", outcome(&rejected));
        }
    }

    #[test]
    fn malformed_document_is_rejected() {
        for text in ["", "{", "{\"a\":1}}", "[1,]", "nul", &nested(100_000)] {
            assert!(
                check_json_shape(text.as_bytes(), MAX_TEXT_CHARS).is_err(),
                "{text:.20}"
            );
        }
    }

    #[test]
    fn numbers_of_any_size_are_counted_as_one_value() {
        for text in ["1", "-0.5e300", "123456789012345678901234567890"] {
            assert_eq!(outcome(text), "accepted");
        }
    }

    #[test]
    fn avatar_limit_is_higher_than_text_limit() {
        assert_eq!(text_chars("/v1/users/7"), MAX_AVATAR_CHARS);
        assert_eq!(text_chars("/v1/usersettings"), MAX_TEXT_CHARS);
        assert_eq!(text_chars("/v2/bookings"), MAX_TEXT_CHARS);
    }

    #[test]
    fn body_limit_depends_on_the_operation() {
        for (path, max) in [
            ("/v2/bookings", MAX_PUBLIC_BODY_BYTES),
            ("/v2/bookings/x/cancel", MAX_PUBLIC_BODY_BYTES),
            ("/v2/slots/reservations", MAX_PUBLIC_BODY_BYTES),
            ("/mail/x", MAX_PUBLIC_BODY_BYTES),
            ("/v2/bookings-of-others", MAX_BODY_BYTES),
            ("/v1/users/7", MAX_BODY_BYTES),
            ("/v2/teams", MAX_BODY_BYTES),
        ] {
            assert_eq!(body_bytes(path), max, "{path}");
        }
    }
}
