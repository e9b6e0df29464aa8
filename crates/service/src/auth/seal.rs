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

use super::key_file::{Key, KeyFileError, Keys};
use super::secret;
use crate::error::{Error, Result};

/// Name of the key's file inside the data directory.
pub const KEY_FILE: &str = "sealing.key";

/// Length of the nonce at the start of every sealed secret, in bytes.
const NONCE: usize = 24;

/// Encrypts secrets with XChaCha20-Poly1305, and decrypts those of each key of the file.
#[derive(Clone)]
pub struct SealingKey(Keys);

impl fmt::Debug for SealingKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("SealingKey(..)")
    }
}

impl From<Keys> for SealingKey {
    fn from(keys: Keys) -> Self {
        Self(keys)
    }
}

impl SealingKey {
    /// Reads the key of a data directory; creates one if there is none.
    pub fn open(directory: &Path) -> std::result::Result<Self, KeyFileError> {
        Keys::open(&directory.join(KEY_FILE)).map(Self)
    }

    /// Returns the keys of the file.
    pub fn keys(&self) -> &Keys {
        &self.0
    }

    /// Returns the keys of the file, to choose that in use.
    pub fn keys_mut(&mut self) -> &mut Keys {
        &mut self.0
    }

    /// Encrypts `secret`. It can only be decrypted with the same `owner`, so that a sealed secret
    /// cannot be copied to another row of the database.
    pub fn seal(&self, secret: &str, owner: &str) -> Result<Vec<u8>> {
        let nonce = secret::random_bytes::<NONCE>()?;
        let payload = Payload {
            msg: secret.as_bytes(),
            aad: owner.as_bytes(),
        };
        let sealed = cipher(self.0.current())
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
        // The text says which key fits: it is authenticated.
        let opened = (self.0.each()).find_map(|keys| open_with(keys.current(), sealed, owner));
        opened.ok_or_else(|| Error::internal(format!("the secret of {owner} cannot be opened")))
    }

    /// Returns true if the key in use has sealed it.
    pub fn is_current(&self, sealed: &[u8], owner: &str) -> bool {
        open_with(self.0.current(), sealed, owner).is_some()
    }
}

fn open_with(key: &Key, sealed: &[u8], owner: &str) -> Option<String> {
    let (nonce, text) = sealed.split_first_chunk::<NONCE>()?;
    let payload = Payload {
        msg: text,
        aad: owner.as_bytes(),
    };
    let text = cipher(key).decrypt(<&XNonce>::from(nonce), payload);
    String::from_utf8(text.ok()?).ok()
}

fn cipher(key: &Key) -> XChaCha20Poly1305 {
    XChaCha20Poly1305::new(&key.bytes.into())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sealing_key(bytes: &[u8]) -> SealingKey {
        SealingKey(Keys::parse(bytes).unwrap())
    }

    #[test]
    fn secrets_of_all_keys_are_unsealed_and_one_key_seals() {
        let former = sealing_key(&[7; 32]);
        let old = former.seal("geheim", "a").unwrap();
        let mut both = sealing_key(&former.keys().with(&[8; 32]));
        assert!(both.is_current(&old, "a"));
        let newest = both.keys().newest().to_owned();
        assert!(both.keys_mut().select(&newest));
        assert_eq!(both.unseal(&old, "a").unwrap(), "geheim");
        assert!(!both.is_current(&old, "a"));
        let new = both.seal("geheim", "a").unwrap();
        assert!(both.is_current(&new, "a") && former.unseal(&new, "a").is_err());
        assert!(sealing_key(&[8; 32]).unseal(&new, "a").is_ok());
    }

    #[test]
    fn secret_is_unsealed_only_with_its_key_and_owner_and_unchanged() {
        let key = sealing_key(&[7; 32]);
        let sealed = key.seal("geheim", "a").unwrap();
        assert_eq!(key.unseal(&sealed, "a").unwrap(), "geheim");
        assert!(!sealed.windows(6).any(|part| part == b"geheim"));
        assert_ne!(sealed, key.seal("geheim", "a").unwrap());
        assert!(sealing_key(&[8; 32]).unseal(&sealed, "a").is_err());
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
