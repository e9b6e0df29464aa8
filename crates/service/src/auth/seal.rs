//! Encrypts secrets that the service needs in plain text.
//!
//! Credentials of callers are stored as hashes. A webhook's secret signs messages, so the service
//! needs the secret itself. It is stored encrypted, and the key is a file outside of the database:
//! a copy of the database alone does not reveal secrets. If the key is lost, only the secrets
//! encrypted with it are lost, and subscribers set new ones.

use std::fmt;
use std::path::Path;

use chacha20poly1305::aead::{Aead, KeyInit, Payload};
use chacha20poly1305::{XChaCha20Poly1305, XNonce};

use super::key_file::KeyFileError;
use super::{secret, token};
use crate::error::{Error, Result};

/// Name of the key's file inside the data directory.
pub const KEY_FILE: &str = "sealing.key";

/// Length of the nonce at the start of every sealed secret, in bytes.
const NONCE: usize = 24;

/// Encrypts and decrypts secrets with XChaCha20-Poly1305.
#[derive(Clone)]
pub struct SealingKey([u8; 32]);

impl fmt::Debug for SealingKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("SealingKey(..)")
    }
}

impl SealingKey {
    /// Reads the key of a data directory; creates one if there is none.
    pub fn open(directory: &Path) -> std::result::Result<Self, KeyFileError> {
        token::key_file(&directory.join(KEY_FILE)).map(Self)
    }

    /// Returns a text that is the same for the same key and does not reveal it.
    pub fn fingerprint(&self) -> String {
        secret::hash(&secret::hex(&self.0))
    }

    /// Encrypts `secret`. It can only be decrypted with the same `owner`, so that a sealed secret
    /// cannot be copied to another row of the database.
    pub fn seal(&self, secret: &str, owner: &str) -> Result<Vec<u8>> {
        let nonce = secret::random_bytes::<NONCE>()?;
        let payload = Payload {
            msg: secret.as_bytes(),
            aad: owner.as_bytes(),
        };
        let sealed = self
            .cipher()
            .encrypt(&XNonce::from(nonce), payload)
            .map_err(|_| Error::internal("a secret could not be sealed"))?;
        Ok([nonce.as_slice(), &sealed].concat())
    }

    /// Decrypts the result of [`SealingKey::seal`].
    ///
    /// # Errors
    ///
    /// If the key or the owner differ, or the data was changed.
    pub fn unseal(&self, sealed: &[u8], owner: &str) -> Result<String> {
        let opened = sealed
            .split_first_chunk::<NONCE>()
            .and_then(|(nonce, text)| {
                let payload = Payload {
                    msg: text,
                    aad: owner.as_bytes(),
                };
                let text = self.cipher().decrypt(<&XNonce>::from(nonce), payload);
                String::from_utf8(text.ok()?).ok()
            });
        opened.ok_or_else(|| Error::internal(format!("the secret of {owner} cannot be opened")))
    }

    fn cipher(&self) -> XChaCha20Poly1305 {
        XChaCha20Poly1305::new(&self.0.into())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn secret_is_unsealed_only_with_its_key_and_owner_and_unchanged() {
        let key = SealingKey([7; 32]);
        let sealed = key.seal("geheim", "a").unwrap();
        assert_eq!(key.unseal(&sealed, "a").unwrap(), "geheim");
        assert!(!sealed.windows(6).any(|part| part == b"geheim"));
        assert_ne!(sealed, key.seal("geheim", "a").unwrap());
        assert!(SealingKey([8; 32]).unseal(&sealed, "a").is_err());
        assert!(key.unseal(&sealed, "b").is_err());
        let mut changed = sealed.clone();
        *changed.last_mut().unwrap() ^= 1;
        for sealed in [changed.as_slice(), &sealed[..10], &[]] {
            assert!(key.unseal(sealed, "a").is_err());
        }
    }

    #[test]
    fn key_file_is_reused_and_readable_by_its_owner_only() {
        let directory = tempfile::tempdir().unwrap();
        let sealed = SealingKey::open(directory.path())
            .unwrap()
            .seal("geheim", "a")
            .unwrap();
        let again = SealingKey::open(directory.path()).unwrap();
        assert_eq!(again.unseal(&sealed, "a").unwrap(), "geheim");
        #[cfg(unix)]
        {
            use std::os::unix::fs::PermissionsExt;
            let file = std::fs::metadata(directory.path().join(KEY_FILE)).unwrap();
            assert_eq!(file.permissions().mode() & 0o777, 0o600);
        }
    }
}
