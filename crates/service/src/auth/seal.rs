//! Keeps secrets that have to be known again.
//!
//! What callers present is stored as a hash. A webhook's secret is different: it signs what is
//! sent, so the service has to have it. It is stored encrypted, and the key is kept beside the
//! database, not in it: a copy of the database alone gives no secret away. Who loses the key
//! loses the secrets sealed with it, and nothing else: subscribers set new ones.

use std::fmt;
use std::path::Path;

use chacha20poly1305::aead::{Aead, KeyInit, Payload};
use chacha20poly1305::{XChaCha20Poly1305, XNonce};

use super::{secret, token};
use crate::error::{Error, Result};

/// Name of the key's file inside the data directory.
pub const KEY_FILE: &str = "sealing.key";
/// Bytes of the random number that begins every sealed secret.
const NONCE: usize = 24;

/// Seals and opens secrets with XChaCha20-Poly1305.
#[derive(Clone)]
pub struct SealingKey([u8; 32]);

impl fmt::Debug for SealingKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("SealingKey(..)")
    }
}

impl SealingKey {
    /// Reads the key of a data directory; makes one if there is none.
    pub fn open(directory: &Path) -> Result<Self> {
        token::key_file(&directory.join(KEY_FILE)).map(Self)
    }

    /// Encrypts `secret`. It can be opened for the same `owner` only, so that no row of the
    /// database can borrow another one's secret.
    pub fn seal(&self, secret: &str, owner: &str) -> Result<Vec<u8>> {
        let nonce = secret::random_bytes::<NONCE>()?;
        let payload = Payload {
            msg: secret.as_bytes(),
            aad: owner.as_bytes(),
        };
        let sealed = self
            .cipher()
            .encrypt(XNonce::from_slice(&nonce), payload)
            .map_err(|_| Error::internal("a secret could not be sealed"))?;
        Ok([nonce.as_slice(), &sealed].concat())
    }

    /// Decrypts what [`SealingKey::seal`] made; an error if it was made with another key, for
    /// another owner, or has been changed since.
    pub fn unseal(&self, sealed: &[u8], owner: &str) -> Result<String> {
        let opened = sealed.split_at_checked(NONCE).and_then(|(nonce, text)| {
            let payload = Payload {
                msg: text,
                aad: owner.as_bytes(),
            };
            let text = self.cipher().decrypt(XNonce::from_slice(nonce), payload);
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
    fn a_secret_is_opened_with_its_key_for_its_owner_and_unchanged() {
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
    fn a_directory_keeps_its_key_where_only_its_owner_reads_it() {
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
