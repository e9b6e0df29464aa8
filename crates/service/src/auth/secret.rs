//! Random identifiers, hashes of secrets and their comparison.

use sha2::{Digest, Sha256};
use subtle::ConstantTimeEq;

use crate::error::{Error, Result};

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

/// An identifier that cannot be guessed: 22 letters and digits, 128 random bits and more.
pub fn random_uid() -> Result<String> {
    const LETTERS: &[u8] = b"ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz0123456789-_iol";
    let bytes = random_bytes::<22>()?;
    Ok(bytes
        .iter()
        .filter_map(|byte| LETTERS.get(usize::from(byte % 64)))
        .map(|letter| char::from(*letter))
        .collect())
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
