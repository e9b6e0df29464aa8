//! Formats of single values: e-mail addresses, telephone numbers, colours, slugs.

use booking_wire::Instant;
use serde_json::Value;

pub use booking_wire::formats::{is_color, is_email, is_phone, is_url};

/// Years 1970 to 9999: what every client can write.
pub fn in_range(instant: Instant) -> bool {
    (0..253_402_300_800_000).contains(&instant.0)
}

/// `30` and `30.0`, but not `"30"`.
pub fn whole(value: &Value) -> Option<i64> {
    value.as_i64().or_else(|| {
        value
            .as_f64()
            .filter(|float| float.fract() == 0.0 && float.abs() < 1e15)
            .map(|float| float as i64)
    })
}

/// Whether people can read all of it: control characters other than ends of lines and tabs are
/// for machines.
pub fn is_text(text: &str) -> bool {
    !text
        .chars()
        .any(|letter| letter.is_control() && !matches!(letter, '\n' | '\r' | '\t'))
}

/// Whether a text is one line without control characters, as names are.
pub fn is_line(text: &str) -> bool {
    !text
        .chars()
        .any(|letter| letter.is_control() || matches!(letter, '\u{2028}' | '\u{2029}'))
}

/// Whether `text` is a name for an address: small letters and digits, in words joined by hyphens,
/// dots or underscores.
pub fn is_slug(text: &str) -> bool {
    let is_word = |letter: char| letter.is_ascii_lowercase() || letter.is_ascii_digit();
    text.len() <= 100
        && text.starts_with(is_word)
        && text.ends_with(is_word)
        && text
            .chars()
            .all(|letter| is_word(letter) || matches!(letter, '-' | '_' | '.'))
}

/// A name as a part of an address, `Customer Success` as `customer-success`; none if nothing of
/// it can be written so.
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
        if slug.len() >= 60 {
            break;
        }
    }
    let slug = slug.trim_end_matches('-').to_owned();
    (!slug.is_empty()).then_some(slug)
}

/// Letters of European languages as they are commonly written without marks.
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
    use super::{is_slug, slug_of};

    #[test]
    fn a_name_becomes_a_part_of_an_address() {
        for (name, slug) in [
            ("Customer Success", Some("customer-success")),
            ("  Zoë's  Café & Bar! ", Some("zoes-cafe-bar")),
            ("Größe 7", Some("groesse-7")),
            ("王小明", None),
            ("--", None),
            ("", None),
        ] {
            assert_eq!(slug_of(name).as_deref(), slug, "{name}");
            assert!(slug.is_none_or(is_slug));
        }
        assert!(slug_of(&"long ".repeat(100)).is_some_and(|slug| is_slug(&slug)));
    }

    #[test]
    fn a_slug_needs_no_escaping() {
        for (text, sound) in [
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
            assert_eq!(is_slug(text), sound, "{text}");
        }
    }
}
