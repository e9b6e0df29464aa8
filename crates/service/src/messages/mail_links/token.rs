//! Tokens of links: what a link is for, encrypted.
//!
//! A token holds the uid of its booking, with which everybody may cancel it, so that owners of a link, such as guests, must
//! not read it. Bytes, in base64 without padding, with the alphabet of URLs:
//!
//! | Bytes | Content |
//! |---|---|
//! | 1 | version of the format |
//! | 16 | nonce: the first bytes of HMAC-SHA256 of the content, so that the same link always has the same token |
//! | n | content, encrypted with XChaCha20-Poly1305 |
//!
//! The content:
//!
//! | Bytes | Content |
//! |---|---|
//! | 1 | purpose (bits 0 to 2), role (bits 3 and 4), whole series (bit 5) |
//! | 4 | minute of the expiry since 1970, big-endian |
//! | 8 | fingerprint of the recipient's address |
//! | 1 + n | length of the booking's uid, and the uid |
//! | 0, 17 or 1 + n | uid of the seat: none, 1 and the bytes of a UUID, or 2 and a text |
//!
//! The token of a booking has 92 characters, that of a seat 115. Version 1 of the format, which version 0.1 wrote, is still
//! read: the version, the content in clear, and a signature of 16 bytes.

use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use booking_wire::Instant;
use booking_wire::formats::instant::MINUTE_MS;
use chacha20poly1305::aead::{Aead, KeyInit};
use chacha20poly1305::{XChaCha20Poly1305, XNonce};
use hmac::{Hmac, Mac};
use sha2::Sha256;

use crate::auth::secret;
use crate::auth::token::SigningKey;
use crate::error::{Error, Result};
use crate::store::people::users::display_email;

/// Version of the format.
const VERSION: u8 = 2;

/// Version of the format that is only signed.
const SIGNED_VERSION: u8 = 1;

/// Bytes of the signature of that version: 128 bits cannot be guessed.
const SIGNATURE_BYTES: usize = 16;

/// Bytes of the nonce in a token. It is not random, so that more would add nothing.
const NONCE_BYTES: usize = 16;

/// Bytes of a UUID.
const UUID_BYTES: usize = 16;

/// First byte of a seat's uid that is a UUID, and of another one.
const SEAT_UUID: u8 = 1;
const SEAT_TEXT: u8 = 2;

/// Maximum characters of a token that is read.
const MAX_CHARS: usize = 1_000;

/// Purpose of a link.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Purpose {
    /// Shows the booking.
    Manage,
    /// Shows other times for the booking.
    Reschedule,
    /// Cancels the booking.
    Cancel,
    /// Confirms the booking.
    Confirm,
    /// Declines the booking.
    Decline,
    /// Stops reminders of the booking.
    StopReminders,
}

const PURPOSES: [Purpose; 6] = [
    Purpose::Manage,
    Purpose::Reschedule,
    Purpose::Cancel,
    Purpose::Confirm,
    Purpose::Decline,
    Purpose::StopReminders,
];

/// Part of the link's owner in the meeting.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OwnerRole {
    /// Person who booked, or who has a seat.
    Attendee,
    /// Guest of the person who booked.
    Guest,
    /// Host.
    Host,
}

const ROLES: [OwnerRole; 3] = [OwnerRole::Attendee, OwnerRole::Guest, OwnerRole::Host];

impl Purpose {
    /// Returns true if a person with that part in the meeting gets links for this.
    pub fn is_for(self, role: OwnerRole) -> bool {
        match self {
            Self::Manage | Self::Reschedule | Self::Cancel => role != OwnerRole::Guest,
            Self::Confirm | Self::Decline => role == OwnerRole::Host,
            Self::StopReminders => role != OwnerRole::Host,
        }
    }
}

/// Fingerprint of an e-mail address, which only this service can compute.
pub type AddressFingerprint = [u8; 8];

/// Content of a token.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Claims {
    /// Purpose.
    pub purpose: Purpose,
    /// Part of its owner.
    pub role: OwnerRole,
    /// True if it is for all occurrences of the booking's series.
    pub is_series: bool,
    /// Instant from which it is not valid, in whole minutes.
    pub expires: Instant,
    /// Address of its owner.
    pub address: AddressFingerprint,
    /// Uid of the booking.
    pub uid: String,
    /// Uid of the owner's seat.
    pub seat_uid: Option<String>,
}

/// Makes and reads tokens. Its keys are derived from the service's signing key, so that links outlive restarts and other
/// credentials cannot be made from them.
#[derive(Clone)]
pub struct LinkKey {
    signatures: [u8; 32],
    addresses: [u8; 32],
    contents: [u8; 32],
}

impl LinkKey {
    /// Derives the keys.
    pub fn new(key: &SigningKey) -> Result<Self> {
        Ok(Self {
            signatures: key.derive("links in messages")?,
            addresses: key.derive("addresses in links")?,
            contents: key.derive("contents of links")?,
        })
    }

    /// Reads a token that any key of the file has made. Returns its content with the keys derived from that one; none if
    /// this service did not make it.
    pub fn open(key: &SigningKey, token: &str) -> Option<(Self, Claims)> {
        key.each().find_map(|key| {
            let link_key = Self::new(&key).ok()?;
            let claims = link_key.read(token)?;
            Some((link_key, claims))
        })
    }

    /// Returns the fingerprint of an address, in any case. Addresses of managed users count as their owners know them.
    pub fn address(&self, email: &str) -> Result<AddressFingerprint> {
        let email = display_email(email.trim()).to_lowercase();
        let bytes = mac(&self.addresses, email.as_bytes())?
            .finalize()
            .into_bytes();
        let (fingerprint, _) = bytes
            .split_first_chunk()
            .ok_or_else(|| Error::internal("a fingerprint is too short"))?;
        Ok(*fingerprint)
    }

    /// Returns the token; none if a uid is too long for a link.
    pub fn seal(&self, claims: &Claims) -> Result<Option<String>> {
        let Some(content) = content(claims) else {
            return Ok(None);
        };
        let mac = mac(&self.signatures, &content)?.finalize().into_bytes();
        let (nonce, _) = mac
            .split_first_chunk::<NONCE_BYTES>()
            .ok_or_else(|| Error::internal("a digest is too short"))?;
        let sealed = self
            .cipher()
            .encrypt(&long_nonce(nonce), content.as_slice())
            .map_err(|_| Error::internal("a link could not be sealed"))?;
        let bytes = [&[VERSION], nonce.as_slice(), &sealed].concat();
        let token = URL_SAFE_NO_PAD.encode(bytes);
        Ok((token.len() <= MAX_CHARS).then_some(token))
    }

    /// Returns the content of a token; none if this service did not make it.
    pub fn read(&self, token: &str) -> Option<Claims> {
        if token.len() > MAX_CHARS {
            return None;
        }
        let bytes = URL_SAFE_NO_PAD.decode(token).ok()?;
        match bytes.split_first()? {
            (&VERSION, rest) => {
                let (nonce, sealed) = rest.split_first_chunk::<NONCE_BYTES>()?;
                parse(&self.cipher().decrypt(&long_nonce(nonce), sealed).ok()?)
            }
            (&SIGNED_VERSION, _) => {
                let (signed, signature) =
                    bytes.split_at_checked(bytes.len().checked_sub(SIGNATURE_BYTES)?)?;
                mac(&self.signatures, signed)
                    .ok()?
                    .verify_truncated_left(signature)
                    .ok()?;
                parse(signed.get(1..)?)
            }
            _ => None,
        }
    }

    fn cipher(&self) -> XChaCha20Poly1305 {
        XChaCha20Poly1305::new(&self.contents.into())
    }
}

/// Extends the nonce in a token to the length that the cipher needs.
fn long_nonce(nonce: &[u8; NONCE_BYTES]) -> XNonce {
    let mut long = XNonce::default();
    for (to, from) in long.iter_mut().zip(nonce) {
        *to = *from;
    }
    long
}

/// Writes the content of a token; none if a uid is too long for a link.
fn content(claims: &Claims) -> Option<Vec<u8>> {
    let uid_length = u8::try_from(claims.uid.len()).ok()?;
    let mut bytes = vec![flags(claims)];
    let minutes = u64::try_from(claims.expires.0).unwrap_or(0);
    let minutes = minutes.div_ceil(MINUTE_MS.unsigned_abs());
    bytes.extend(u32::try_from(minutes).unwrap_or(u32::MAX).to_be_bytes());
    bytes.extend(claims.address);
    bytes.push(uid_length);
    bytes.extend(claims.uid.as_bytes());
    match claims.seat_uid.as_deref().map(|uid| (uid, uuid_bytes(uid))) {
        Some((_, Some(uuid))) => {
            bytes.push(SEAT_UUID);
            bytes.extend(uuid);
        }
        Some((text, None)) => {
            bytes.push(SEAT_TEXT);
            bytes.extend(text.as_bytes());
        }
        None => {}
    }
    Some(bytes)
}

fn mac(key: &[u8; 32], content: &[u8]) -> Result<Hmac<Sha256>> {
    let mut mac = Hmac::<Sha256>::new_from_slice(key).map_err(Error::internal)?;
    mac.update(content);
    Ok(mac)
}

fn flags(claims: &Claims) -> u8 {
    let purpose = match claims.purpose {
        Purpose::Manage => 0,
        Purpose::Reschedule => 1,
        Purpose::Cancel => 2,
        Purpose::Confirm => 3,
        Purpose::Decline => 4,
        Purpose::StopReminders => 5,
    };
    let role = match claims.role {
        OwnerRole::Attendee => 0,
        OwnerRole::Guest => 1,
        OwnerRole::Host => 2,
    };
    purpose | role << 3 | u8::from(claims.is_series) << 5
}

/// Reads the content of a token.
fn parse(content: &[u8]) -> Option<Claims> {
    let (flags, rest) = content.split_first()?;
    let (minutes, rest) = rest.split_first_chunk()?;
    let (address, rest) = rest.split_first_chunk()?;
    let (uid_length, rest) = rest.split_first()?;
    let (uid, seat) = rest.split_at_checked(usize::from(*uid_length))?;
    if flags >> 6 != 0 {
        return None;
    }
    let text = |bytes: &[u8]| String::from_utf8(bytes.to_vec()).ok();
    let seat_uid = match seat {
        [] => None,
        [SEAT_UUID, uuid @ ..] => Some(secret::uuid_text(uuid.try_into().ok()?)),
        [SEAT_TEXT, seat @ ..] => Some(text(seat)?),
        _ => return None,
    };
    Some(Claims {
        purpose: *PURPOSES.get(usize::from(flags & 0b111))?,
        role: *ROLES.get(usize::from(flags >> 3 & 0b11))?,
        is_series: flags >> 5 & 1 == 1,
        expires: Instant(i64::from(u32::from_be_bytes(*minutes)) * MINUTE_MS),
        address: *address,
        uid: text(uid)?,
        seat_uid,
    })
}

/// Bytes of a UUID in its usual form; none for another text.
fn uuid_bytes(text: &str) -> Option<[u8; UUID_BYTES]> {
    let digits: String = text.chars().filter(|letter| *letter != '-').collect();
    let mut bytes = [0; UUID_BYTES];
    for (index, byte) in bytes.iter_mut().enumerate() {
        *byte = u8::from_str_radix(digits.get(2 * index..2 * index + 2)?, 16).ok()?;
    }
    (secret::uuid_text(&bytes) == text).then_some(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn key_of(byte: u8) -> LinkKey {
        LinkKey {
            signatures: [byte; 32],
            addresses: [byte; 32],
            contents: [byte; 32],
        }
    }

    fn claims() -> Claims {
        Claims {
            purpose: Purpose::Cancel,
            role: OwnerRole::Attendee,
            is_series: false,
            expires: Instant(1_803_888_000_000),
            address: key_of(1).address("zoe@example.org").unwrap(),
            uid: "2Vn4cVjvEbGTcdcSMGtcQk".into(),
            seat_uid: None,
        }
    }

    #[test]
    fn token_has_the_content_that_was_sealed() {
        let key = key_of(1);
        for purpose in PURPOSES {
            for role in ROLES {
                for is_series in [false, true] {
                    let claims = Claims {
                        purpose,
                        role,
                        is_series,
                        ..claims()
                    };
                    let token = key.seal(&claims).unwrap().unwrap();
                    assert_eq!(token.len(), 92);
                    assert_eq!(key.read(&token), Some(claims));
                }
            }
        }
        for seat in [
            "0b7e2b4e-1f2a-4a3b-8c4d-5e6f708192a3",
            "0B7E2B4E-1F2A-4A3B-8C4D-5E6F708192A3",
            "s",
            "",
            "sixteen letters!",
            "ü",
        ] {
            let claims = Claims {
                seat_uid: Some(seat.to_owned()),
                ..claims()
            };
            let token = key.seal(&claims).unwrap().unwrap();
            assert_eq!(key.read(&token), Some(claims), "{seat}");
        }
    }

    #[test]
    fn changed_token_is_not_read() {
        let key = key_of(1);
        let token = key.seal(&claims()).unwrap().unwrap();
        let alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_=+/ %é";
        for (index, letter) in token.char_indices() {
            for other in alphabet.chars().filter(|other| *other != letter) {
                let mut changed = token.clone();
                changed.replace_range(index..=index, &other.to_string());
                assert_eq!(key.read(&changed), None, "{changed}");
            }
            assert_eq!(key.read(&token[..index]), None);
        }
        assert_eq!(key.read(&format!("{token}A")), None);
        assert_eq!(key.read(&format!("{token}=")), None);
        assert_eq!(key.read(&"A".repeat(10_000)), None);
        assert_eq!(key_of(2).read(&token), None);
    }

    #[test]
    fn token_does_not_reveal_its_content_and_is_always_the_same() {
        let key = key_of(1);
        let token = key.seal(&claims()).unwrap().unwrap();
        let bytes = URL_SAFE_NO_PAD.decode(&token).unwrap();
        let (claims, own) = (claims(), key_of(1).address("zoe@example.org").unwrap());
        for secret in [claims.uid.as_bytes(), &own] {
            assert!(!bytes.windows(secret.len()).any(|part| part == secret));
        }
        assert_eq!(key.seal(&claims).unwrap().unwrap(), token);
        let other = Claims {
            purpose: Purpose::Manage,
            ..claims
        };
        assert_ne!(key.seal(&other).unwrap().unwrap()[..40], token[..40]);
    }

    #[test]
    fn token_of_the_signed_version_is_read() {
        let key = key_of(1);
        let mut bytes = [&[SIGNED_VERSION], content(&claims()).unwrap().as_slice()].concat();
        let signature = mac(&key.signatures, &bytes)
            .unwrap()
            .finalize()
            .into_bytes();
        bytes.extend(&signature[..SIGNATURE_BYTES]);
        let token = URL_SAFE_NO_PAD.encode(&bytes);
        assert_eq!(key.read(&token), Some(claims()));
        bytes[20] ^= 1;
        assert_eq!(key.read(&URL_SAFE_NO_PAD.encode(bytes)), None);
    }

    #[test]
    fn address_has_one_fingerprint_in_any_case() {
        let key = key_of(1);
        let address = key.address("zoe@example.org").unwrap();
        assert_eq!(key.address(" Zoe@EXAMPLE.org").unwrap(), address);
        assert_ne!(key.address("zo@example.org").unwrap(), address);
        assert_ne!(key_of(2).address("zoe@example.org").unwrap(), address);
    }

    #[test]
    fn long_uid_and_far_expiry_do_not_break_a_link() {
        let long = Claims {
            uid: "x".repeat(256),
            ..claims()
        };
        assert_eq!(key_of(1).seal(&long).unwrap(), None);
        let far = Claims {
            expires: Instant(i64::MAX),
            ..claims()
        };
        let token = key_of(1).seal(&far).unwrap().unwrap();
        let read = key_of(1).read(&token).unwrap();
        assert_eq!(read.expires, Instant(i64::from(u32::MAX) * MINUTE_MS));
    }
}
