//! Formats of single values, checked by the service and by clients before a request.

pub mod instant;
pub mod locale;
pub mod text_language;

use crate::formats::instant::Instant;

/// Returns true for an e-mail address: one `@`, a dotted domain, no whitespace and nothing invisible.
pub fn is_email(text: &str) -> bool {
    let Some((local, domain)) = text.split_once('@') else {
        return false;
    };
    let is_label = |label: &str| {
        (1..=63).contains(&label.len())
            && !label.starts_with('-')
            && !label.ends_with('-')
            && label
                .chars()
                .all(|letter| letter.is_alphanumeric() || letter == '-')
    };
    text.len() <= 254
        && local.len() <= 64
        && local.split('.').all(|part| !part.is_empty())
        && domain.contains('.')
        && domain.split('.').all(is_label)
        && !local.chars().any(|letter| {
            letter.is_whitespace()
                || letter.is_control()
                || is_invisible(letter)
                || matches!(
                    letter,
                    '<' | '>' | '(' | ')' | '[' | ']' | ',' | ';' | ':' | '"' | '\\'
                )
        })
}

/// Returns true for letters that are not seen, and for those that change the direction of others.
fn is_invisible(letter: char) -> bool {
    matches!(letter, '\u{ad}' | '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2060}'..='\u{206f}' | '\u{feff}')
}

/// Returns true for a location that is a token of the service, such as `integrations:zoom`, and not for people.
pub fn is_location_token(location: &str) -> bool {
    location.starts_with("integrations:")
}

/// Returns true for an absolute http or https URL.
pub fn is_url(text: &str) -> bool {
    let Some(rest) = text
        .strip_prefix("https://")
        .or_else(|| text.strip_prefix("http://"))
    else {
        return false;
    };
    let host = rest.split(['/', '?', '#']).next().unwrap_or_default();
    text.len() <= 2048
        && !host.is_empty()
        && !text.contains(|letter: char| letter.is_whitespace() || letter.is_control())
}

/// Returns true for `#RGB` or `#RRGGBB`.
pub fn is_color(text: &str) -> bool {
    text.strip_prefix('#').is_some_and(|digits| {
        matches!(digits.len(), 3 | 6) && digits.bytes().all(|byte| byte.is_ascii_hexdigit())
    })
}

/// Returns true for an instant of the years 1970 to 9999, which every client can write.
pub fn in_range(instant: Instant) -> bool {
    (0..253_402_300_800_000).contains(&instant.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn is_email_accepts_addresses_with_a_dotted_domain() {
        for (text, is_address) in [
            ("ada@example.org", true),
            ("ada+booking@sub.example.co.uk", true),
            ("jörg@bücher.example", true),
            ("ada@example", false),
            ("ada@@example.org", false),
            ("ada@example..org", false),
            ("<ada@example.org>", false),
            ("ada lovelace@example.org", false),
            ("@example.org", false),
            ("ada@.org", false),
            ("a..b@example.org", false),
            (".a@example.org", false),
            ("a.@example.org", false),
            ("a@-v.example", false),
            ("a\u{202e}b@example.org", false),
        ] {
            assert_eq!(is_email(text), is_address, "{text}");
        }
    }

    #[test]
    fn is_color_accepts_three_or_six_digits() {
        for (text, is_hex) in [
            ("#1A2", true),
            ("#1a2B3c", true),
            ("#1A2B", false),
            ("1A2", false),
            ("#1G2", false),
        ] {
            assert_eq!(is_color(text), is_hex, "{text}");
        }
    }

    #[test]
    fn is_url_accepts_absolute_http_addresses() {
        for (text, is_address) in [
            ("https://example.org/a?b", true),
            ("http://localhost:3000", true),
            ("https://", false),
            ("ftp://example.org", false),
            ("javascript:alert(1)", false),
            ("https://exa mple.org", false),
        ] {
            assert_eq!(is_url(text), is_address, "{text}");
        }
    }
}
