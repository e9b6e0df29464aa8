//! Formats of single values: e-mail addresses, telephone numbers, colours, handles of teams and
//! users. The slug of an event type: `event_types/input.rs`.

use booking_wire::Instant;
use booking_wire::page_paths::is_page_name;
use serde_json::Value;

use crate::input_limits::{MAX_METADATA_KEY_CHARS, MAX_METADATA_TEXT_CHARS};

pub use booking_smtp::email_address::is_email;
pub use booking_wire::formats::{in_range, is_color, is_url};
pub use booking_wire::phone_number::{is_e164, is_phone};

/// Parses an integer: `30` and `30.0`, but not `"30"`.
pub fn integer(value: &Value) -> Option<i64> {
    value.as_i64().or_else(|| {
        value
            .as_f64()
            .filter(|float| float.fract() == 0.0 && float.abs() < 1e15)
            .map(|float| float as i64)
    })
}

/// Characters of a date, `2027-03-01`.
const DATE_CHARS: usize = 10;

/// Parses an instant with date and time; a date alone is invalid.
pub fn date_time(value: &Value) -> Option<Instant> {
    let text = value.as_str().filter(|text| text.len() > DATE_CHARS)?;
    Instant::parse(text)
}

/// Returns true if an entry of custom metadata is valid.
pub fn is_metadata_entry(key: &str, value: &Value) -> bool {
    key.chars().count() <= MAX_METADATA_KEY_CHARS
        && match value {
            Value::String(text) => text.chars().count() <= MAX_METADATA_TEXT_CHARS,
            Value::Number(_) | Value::Bool(_) => true,
            _ => false,
        }
}

/// Message for a text with control characters.
pub const TEXT_MESSAGE: &str = "must not contain control characters";

/// Message for a name of several lines.
pub const LINE_MESSAGE: &str = "must be one line without control characters";

/// Returns true if a text has no control characters other than line ends and tabs.
pub fn is_text(text: &str) -> bool {
    !text
        .chars()
        .any(|letter| letter.is_control() && !matches!(letter, '\n' | '\r' | '\t'))
}

/// Returns true if a text is one line without control characters, for example a name.
pub fn is_line(text: &str) -> bool {
    !text
        .chars()
        .any(|letter| letter.is_control() || matches!(letter, '\u{2028}' | '\u{2029}'))
}

/// Characters of a handle.
const MAX_HANDLE_CHARS: usize = 100;

/// Message for a text that is no handle.
pub fn handle_message() -> String {
    format!(
        "must consist of at most {MAX_HANDLE_CHARS} lower-case letters and digits, with hyphens, dots or underscores between them"
    )
}

/// Returns true if `text` is a handle: the slug of a team or organisation, the name of a user in
/// URLs, or the slug of an app (version 1). It consists of lower-case letters and digits, joined by
/// hyphens, dots or underscores. Event types have a stricter rule: `slug` in
/// `event_types/input.rs`.
pub fn is_handle(text: &str) -> bool {
    let is_alphanumeric = |letter: char| letter.is_ascii_lowercase() || letter.is_ascii_digit();
    text.len() <= MAX_HANDLE_CHARS
        && text.starts_with(is_alphanumeric)
        && text.ends_with(is_alphanumeric)
        && text
            .chars()
            .all(|letter| is_alphanumeric(letter) || matches!(letter, '-' | '_' | '.'))
}

/// States the rule of [`is_username`].
pub fn username_message() -> String {
    format!(
        "{}, and not be a name of another page or file",
        handle_message()
    )
}

/// Returns true if a user can have this name: a handle under which the user's pages can be reached.
pub fn is_username(text: &str) -> bool {
    is_handle(text) && is_page_name(text)
}

/// Length from which a derived handle or slug is cut off, in characters.
const MAX_DERIVED_CHARS: usize = 60;

/// Returns the handle or slug made of a name, `customer-success` for `Customer Success`; none if no
/// character can be transliterated.
pub fn slug_of(name: &str) -> Option<String> {
    let mut slug = String::new();
    for letter in name.chars().flat_map(char::to_lowercase) {
        if letter.is_ascii_alphanumeric() {
            slug.push(letter);
        } else if let Some(letters) = latin(letter) {
            slug.push_str(letters);
        } else if !slug.ends_with('-') && !slug.is_empty() && !matches!(letter, '\'' | '’') {
            slug.push('-');
        }
        if slug.len() >= MAX_DERIVED_CHARS {
            break;
        }
    }
    let slug = slug.trim_end_matches('-').to_owned();
    (!slug.is_empty()).then_some(slug)
}

/// Transliterates letters of European languages to ASCII.
fn latin(letter: char) -> Option<&'static str> {
    Some(match letter {
        'à' | 'á' | 'â' | 'ã' | 'å' | 'ā' | 'ă' | 'ą' => "a",
        'ä' | 'æ' => "ae",
        'ç' | 'ć' | 'č' => "c",
        'ď' | 'đ' | 'ð' => "d",
        'è' | 'é' | 'ê' | 'ë' | 'ē' | 'ę' | 'ě' => "e",
        'ğ' => "g",
        'ì' | 'í' | 'î' | 'ï' | 'ī' | 'ı' => "i",
        'ł' | 'ľ' => "l",
        'ñ' | 'ń' | 'ň' => "n",
        'ò' | 'ó' | 'ô' | 'õ' | 'ō' | 'ő' => "o",
        'ö' | 'ø' | 'œ' => "oe",
        'ř' => "r",
        'ś' | 'š' | 'ş' | 'ș' => "s",
        'ß' => "ss",
        'ť' | 'ț' | 'ţ' => "t",
        'þ' => "th",
        'ù' | 'ú' | 'û' | 'ū' | 'ů' | 'ű' => "u",
        'ü' => "ue",
        'ý' | 'ÿ' => "y",
        'ź' | 'ż' | 'ž' => "z",
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::{MAX_HANDLE_CHARS, handle_message, is_handle, slug_of};

    #[test]
    fn name_is_converted_to_slug() {
        for (name, slug) in [
            ("Customer Success", Some("customer-success")),
            ("  Zoë's  Café & Bar! ", Some("zoes-cafe-bar")),
            ("Größe 7", Some("groesse-7")),
            ("王小明", None),
            ("--", None),
            ("", None),
        ] {
            assert_eq!(slug_of(name).as_deref(), slug, "{name}");
            assert!(slug.is_none_or(is_handle));
        }
        assert!(slug_of(&"long ".repeat(100)).is_some_and(|slug| is_handle(&slug)));
    }

    #[test]
    fn handle_has_only_unreserved_characters() {
        for (text, expected) in [
            ("intro-call", true),
            ("a", true),
            ("v2.1_x", true),
            ("Intro", false),
            ("-a", false),
            ("a-", false),
            ("a b", false),
            ("a/b", false),
            ("ä", false),
            ("", false),
        ] {
            assert_eq!(is_handle(text), expected, "{text}");
        }
        assert!(is_handle(&"a".repeat(MAX_HANDLE_CHARS)));
        assert!(!is_handle(&"a".repeat(MAX_HANDLE_CHARS + 1)));
        assert_eq!(
            handle_message(),
            "must consist of at most 100 lower-case letters and digits, with hyphens, dots or underscores between them"
        );
    }
}
