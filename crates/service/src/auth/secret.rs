//! Random identifiers, hashes of secrets and their comparison.

use sha2::{Digest, Sha256};
use subtle::ConstantTimeEq;

use crate::error::{Error, Result};

/// Begins every API key of this service.
pub const KEY_PREFIX: &str = "svc_";
/// Begins the API keys of Cal.com, which may have been moved here (contract 9).
pub const CAL_KEY_PREFIX: &str = "cal_";
/// Characters after [`CAL_KEY_PREFIX`] that make a text look like a key: words such as `local_time`
/// hold the prefix, too.
const SHORTEST_CAL_KEY: usize = 16;
/// Begins access and refresh tokens: JSON objects in base64.
const TOKEN_PREFIX: &str = "eyJ";
/// Characters after [`TOKEN_PREFIX`] that make a text look like a token.
const SHORTEST_TOKEN: usize = 16;

/// `text` without anything that could be an API key or a token.
pub fn redacted(text: &str) -> String {
    let is_letter = |letter: char| letter.is_ascii_alphanumeric();
    let safe = without_keys(text, KEY_PREFIX, 0, is_letter);
    // Theirs may have underscores, as in `cal_live_…`.
    let safe = without_keys(&safe, CAL_KEY_PREFIX, SHORTEST_CAL_KEY, |letter| {
        is_letter(letter) || letter == '_'
    });
    without_keys(&safe, TOKEN_PREFIX, SHORTEST_TOKEN, |letter| {
        is_letter(letter) || "-_.".contains(letter)
    })
}

/// `text` without what follows `prefix`, if that is at least `shortest` letters of a key.
fn without_keys(
    text: &str,
    prefix: &str,
    shortest: usize,
    is_letter: impl Fn(char) -> bool,
) -> String {
    let mut parts = text.split(prefix);
    let mut safe = parts.next().unwrap_or_default().to_owned();
    // The parts of a token begin alike, and the later ones may be short.
    let mut is_cut = false;
    for part in parts {
        let rest = part.trim_start_matches(&is_letter);
        safe.push_str(prefix);
        is_cut = is_cut || part.len() - rest.len() >= shortest;
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

/// SHA-256 in lower-case hex. Good enough for secrets of 128 random bits and more, which is what
/// this service hands out: there is nothing to guess, so nothing to slow down.
pub fn hash(secret: &str) -> String {
    hex(&Sha256::digest(secret.as_bytes()))
}

/// Compares without telling by its duration where the texts differ.
pub fn same(left: &str, right: &str) -> bool {
    left.as_bytes().ct_eq(right.as_bytes()).into()
}

/// `N` bytes from the system's source of randomness.
pub fn random_bytes<const N: usize>() -> Result<[u8; N]> {
    let mut bytes = [0; N];
    getrandom::fill(&mut bytes).map_err(Error::internal)?;
    Ok(bytes)
}

/// A secret of 256 random bits in hex.
pub fn random_secret() -> Result<String> {
    Ok(hex(&random_bytes::<32>()?))
}

/// Characters of [`random_uid`].
const UID_CHARS: usize = 22;

/// An identifier that cannot be guessed: 128 random bits as 22 letters and digits in base58, in
/// which uids of Cal.com's bookings are written, too.
pub fn random_uid() -> Result<String> {
    let bytes = random_bytes::<16>()?;
    let text = bs58::encode(bytes)
        .with_alphabet(bs58::Alphabet::FLICKR)
        .into_string();
    // The first letter of the alphabet is its zero.
    Ok(format!("{text:1>UID_CHARS$}"))
}

/// A random UUID, version 4.
pub fn random_uuid() -> Result<String> {
    Ok(uuid_from(random_bytes::<16>()?))
}

/// Sixteen bytes in the form of a UUID, version 4.
pub fn uuid_from(mut bytes: [u8; 16]) -> String {
    bytes[6] = (bytes[6] & 0x0f) | 0x40;
    bytes[8] = (bytes[8] & 0x3f) | 0x80;
    let text = hex(&bytes);
    let parts = [(0, 8), (8, 12), (12, 16), (16, 20), (20, 32)];
    parts
        .iter()
        .filter_map(|(from, to)| text.get(*from..*to))
        .collect::<Vec<_>>()
        .join("-")
}

/// Lower-case hex.
pub fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn key_and_token_are_cut_wherever_they_stand() {
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
            ("nothing here", "nothing here"),
            ("", ""),
        ] {
            assert_eq!(redacted(text), safe);
        }
    }

    #[test]
    fn uid_has_22_letters_and_digits_that_cannot_be_confused() {
        for _ in 0..1000 {
            let uid = random_uid().unwrap();
            assert_eq!(uid.len(), UID_CHARS, "{uid}");
            assert!(uid.chars().all(|it| it.is_ascii_alphanumeric()), "{uid}");
            assert!(!uid.contains(['0', 'O', 'I', 'l']), "{uid}");
        }
        assert_ne!(random_uid().unwrap(), random_uid().unwrap());
    }
}
