//! Random identifiers, hashes and comparison of secrets.

use sha2::{Digest, Sha256};
use subtle::ConstantTimeEq;

use crate::error::{Error, Result};

/// SHA-256 in lower-case hex. Sufficient for secrets with at least 128 random bits, which this
/// service issues: they cannot be guessed, so no slow hash is needed.
pub fn hash(secret: &str) -> String {
    hex(&Sha256::digest(secret.as_bytes()))
}

/// Compares texts or bytes in constant time.
pub fn constant_time_eq(left: impl AsRef<[u8]>, right: impl AsRef<[u8]>) -> bool {
    left.as_ref().ct_eq(right.as_ref()).into()
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

/// A random number of `digits` digits, as text.
pub fn random_digits(digits: usize) -> Result<String> {
    // Of 64 random bits, the remainder is as good as uniform.
    let bits = u64::from_be_bytes(random_bytes()?);
    let limit = 10_u64.saturating_pow(u32::try_from(digits).unwrap_or(u32::MAX));
    Ok(format!("{:0digits$}", bits % limit))
}

/// Characters of [`random_uid`].
const UID_CHARS: usize = 22;

/// An identifier that cannot be guessed: 128 random bits as 22 characters in base58, like the uids
/// of Cal.com's bookings.
pub fn random_uid() -> Result<String> {
    let bytes = random_bytes::<16>()?;
    let text = bs58::encode(bytes)
        .with_alphabet(bs58::Alphabet::FLICKR)
        .into_string();
    // Pad with `1`, the zero of the alphabet.
    Ok(format!("{text:1>UID_CHARS$}"))
}

/// A random UUID, version 4.
pub fn random_uuid() -> Result<String> {
    Ok(uuid_from(random_bytes::<16>()?))
}

/// Formats sixteen bytes as a UUID, version 4.
pub fn uuid_from(mut bytes: [u8; 16]) -> String {
    bytes[6] = (bytes[6] & 0x0f) | 0x40;
    bytes[8] = (bytes[8] & 0x3f) | 0x80;
    uuid_text(&bytes)
}

/// Formats the bytes of a UUID of any version.
pub fn uuid_text(bytes: &[u8; 16]) -> String {
    let text = hex(bytes);
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

/// Version of a content: the first eight bytes of its SHA-256 in hex.
pub fn short_hash(content: &str) -> String {
    let mut version = hex(&Sha256::digest(content));
    version.truncate(16);
    version
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn random_digits_have_their_number_and_all_values() {
        let mut seen = std::collections::BTreeSet::new();
        for _ in 0..1000 {
            let text = random_digits(2).unwrap();
            assert_eq!(text.len(), 2, "{text}");
            seen.insert(text);
        }
        // A value of 100 is missing among 1000 with a probability of 0.4 %, five of them hardly ever.
        assert!(seen.len() > 95, "{}", seen.len());
        assert_eq!(random_digits(6).unwrap().len(), 6);
    }

    #[test]
    fn uid_has_22_unambiguous_letters_and_digits() {
        for _ in 0..1000 {
            let uid = random_uid().unwrap();
            assert_eq!(uid.len(), UID_CHARS, "{uid}");
            assert!(uid.chars().all(|it| it.is_ascii_alphanumeric()), "{uid}");
            assert!(!uid.contains(['0', 'O', 'I', 'l']), "{uid}");
        }
        assert_ne!(random_uid().unwrap(), random_uid().unwrap());
    }
}
