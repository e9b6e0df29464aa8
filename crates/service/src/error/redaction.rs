//! Removes credentials from texts that are logged or sent.

/// Prefix of the API keys of this service.
pub const KEY_PREFIX: &str = "svc_";
/// Prefix of the API keys of Cal.com, which can be migrated.
pub const CAL_KEY_PREFIX: &str = "cal_";
/// Characters after [`CAL_KEY_PREFIX`] from which a text counts as a key: words such as
/// `local_time` contain the prefix, too.
const MIN_CAL_KEY_CHARS: usize = 16;
/// Prefix of access and refresh tokens: JSON objects in base64.
const TOKEN_PREFIX: &str = "eyJ";
/// Characters after [`TOKEN_PREFIX`] from which a text counts as a token.
const MIN_TOKEN_CHARS: usize = 16;

/// Beginning of the path of a link in a message; a token follows.
const LINK_PATH: &str = "/mail/";
/// Characters after [`LINK_PATH`] from which a text counts as a token.
const MIN_LINK_CHARS: usize = 16;

/// Replaces everything in `text` that could be an API key or a token.
pub fn redacted(text: &str) -> String {
    let is_letter = |letter: char| letter.is_ascii_alphanumeric();
    let is_base64 = |letter: char| is_letter(letter) || "-_".contains(letter);
    // First, because the token of a link may contain a prefix of the others.
    let safe = without_keys(text, LINK_PATH, MIN_LINK_CHARS, is_base64);
    let safe = without_keys(&safe, KEY_PREFIX, 0, is_letter);
    // Keys of Cal.com may have underscores, as in `cal_live_…`.
    let safe = without_keys(&safe, CAL_KEY_PREFIX, MIN_CAL_KEY_CHARS, |letter| {
        is_letter(letter) || letter == '_'
    });
    without_keys(&safe, TOKEN_PREFIX, MIN_TOKEN_CHARS, |letter| {
        is_base64(letter) || letter == '.'
    })
}

/// Replaces the characters of a key after `prefix`, if there are at least `min_chars`.
fn without_keys(
    text: &str,
    prefix: &str,
    min_chars: usize,
    is_letter: impl Fn(char) -> bool,
) -> String {
    let mut parts = text.split(prefix);
    let mut safe = parts.next().unwrap_or_default().to_owned();
    // All parts of a token begin with the prefix, and the later ones may be short.
    let mut is_cut = false;
    for part in parts {
        let rest = part.trim_start_matches(&is_letter);
        safe.push_str(prefix);
        is_cut = is_cut || part.len() - rest.len() >= min_chars;
        if is_cut {
            safe.push('…');
            safe.push_str(rest);
        } else {
            safe.push_str(part);
        }
        is_cut = is_cut && rest.is_empty();
    }
    safe
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn key_and_token_are_removed() {
        for (text, safe) in [
            ("Cannot GET /v1/svc_abc123", "Cannot GET /v1/svc_…"),
            ("svc_a and svc_b.", "svc_… and svc_…."),
            ("svc_svc_abc", "svc_…svc_…"),
            ("cal_0123456789abcdef0 or so", "cal_… or so"),
            ("cal_live_0123456789abc", "cal_…"),
            ("local_time, technical_lead", "local_time, technical_lead"),
            (
                "/v2/me?token=eyJhbGciOiJIUzI1NiJ9.eyJhIjoxfQ.c2ln-_9&x=1",
                "/v2/me?token=eyJ…eyJ…&x=1",
            ),
            ("keyJob heyJude", "keyJob heyJude"),
            (
                "Cannot GET https://example.com/mail/AQIAAAAAAQIDBA-_svc_BQYHCeyJBYy?x=1",
                "Cannot GET https://example.com/mail/…?x=1",
            ),
            ("/mail/intro-call", "/mail/intro-call"),
            ("nothing here", "nothing here"),
            ("", ""),
        ] {
            assert_eq!(redacted(text), safe);
        }
    }
}
