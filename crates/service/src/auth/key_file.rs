//! Key files in a data directory.
//!
//! A file has one key, or several while one replaces another: 32 bytes each, the oldest first. One is in use, which the
//! database names by its fingerprint; the others are accepted. So all replicas can have a new key before one uses it.

use std::fs;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::private_file::create_private;
use super::secret;

/// Maximum number of keys of a file.
pub const MAX_KEYS: usize = 8;

/// Length of a key in bytes.
pub(super) const KEY_BYTES: usize = 32;

/// Length of the id of a key in characters.
const ID_CHARS: usize = 16;

/// One key.
#[derive(Clone)]
pub(super) struct Key {
    pub(super) bytes: [u8; KEY_BYTES],
    /// A text that is the same for the same key and does not reveal it.
    fingerprint: String,
}

impl Key {
    fn new(bytes: [u8; KEY_BYTES]) -> Self {
        let fingerprint = secret::hash(&secret::hex(&bytes));
        Self { bytes, fingerprint }
    }

    /// Returns the start of the fingerprint, which names it in what it has signed.
    pub(super) fn id(&self) -> &str {
        self.fingerprint
            .get(..ID_CHARS)
            .unwrap_or(&self.fingerprint)
    }
}

/// Keys of a file. Clones share them.
#[derive(Clone)]
pub struct Keys {
    oldest: Key,
    later: Arc<[Key]>,
    current: Key,
}

impl Keys {
    /// Reads a key file; creates one with one key if there is none. The oldest key is in use.
    pub fn open(path: &Path) -> Result<Self, KeyFileError> {
        Self::parse(&read_or_create(path)?).ok_or_else(|| KeyFileError::Damaged(path.to_owned()))
    }

    pub(super) fn parse(bytes: &[u8]) -> Option<Self> {
        let (keys, rest) = bytes.as_chunks::<KEY_BYTES>();
        let (oldest, later) = keys.split_first()?;
        let oldest = Key::new(*oldest);
        (rest.is_empty() && keys.len() <= MAX_KEYS).then(|| Self {
            current: oldest.clone(),
            oldest,
            later: later.iter().map(|key| Key::new(*key)).collect(),
        })
    }

    /// Uses the key with this fingerprint. Returns false if there is none.
    #[must_use]
    pub fn select(&mut self, fingerprint: &str) -> bool {
        let found = (self.by_age().find(|key| key.fingerprint == fingerprint)).cloned();
        if let Some(key) = &found {
            self.current = key.clone();
        }
        found.is_some()
    }

    /// Fingerprint of the key in use.
    pub fn fingerprint(&self) -> &str {
        &self.current.fingerprint
    }

    /// Fingerprint of the newest key.
    pub fn newest(&self) -> &str {
        &self.later.last().unwrap_or(&self.oldest).fingerprint
    }

    /// Returns true if a key has this fingerprint.
    pub fn has(&self, fingerprint: &str) -> bool {
        self.by_age().any(|key| key.fingerprint == fingerprint)
    }

    /// Returns the content of a file with these keys and another one, which is the newest.
    pub fn with(&self, key: &[u8; KEY_BYTES]) -> Vec<u8> {
        let mut bytes: Vec<u8> = self.by_age().flat_map(|key| key.bytes).collect();
        bytes.extend(key);
        bytes
    }

    /// Returns the content of a file with the key in use alone.
    pub fn only_current(&self) -> &[u8] {
        &self.current.bytes
    }

    /// Number of keys.
    pub fn count(&self) -> usize {
        1 + self.later.len()
    }

    pub(super) fn current(&self) -> &Key {
        &self.current
    }

    pub(super) fn oldest(&self) -> &Key {
        &self.oldest
    }

    pub(super) fn by_age(&self) -> impl Iterator<Item = &Key> {
        std::iter::once(&self.oldest).chain(self.later.iter())
    }

    /// Returns these keys with each of them in use, that in use now first.
    pub(super) fn each(&self) -> impl Iterator<Item = Self> {
        let others = (self.by_age()).filter(|key| key.fingerprint != self.current.fingerprint);
        let all = std::iter::once(&self.current).chain(others);
        all.map(|key| Self {
            current: key.clone(),
            ..self.clone()
        })
    }
}

/// Reads a key file; creates one with one key if there is none.
fn read_or_create(path: &Path) -> Result<Vec<u8>, KeyFileError> {
    match fs::read(path) {
        Ok(bytes) => Ok(bytes),
        Err(cause) if cause.kind() == ErrorKind::NotFound => {
            let key = secret::random_bytes::<KEY_BYTES>();
            let key = key.map_err(|_| KeyFileError::NoRandomness)?;
            match create_private(path, &key) {
                Ok(()) => Ok(key.to_vec()),
                // Another replica has created it at the same time.
                Err(cause) if cause.kind() == ErrorKind::AlreadyExists => read_or_create(path),
                Err(cause) => Err(KeyFileError::io(path, cause)),
            }
        }
        // An unreadable key must not be replaced: existing signatures depend on it.
        Err(cause) => Err(KeyFileError::io(path, cause)),
    }
}

/// Error: a key file cannot be read or created.
#[derive(Debug, thiserror::Error)]
pub enum KeyFileError {
    /// It has another length than a key.
    #[error("the key in {} is damaged", .0.display())]
    Damaged(PathBuf),
    /// Error of the system.
    #[error("cannot use the key {}: {cause}", path.display())]
    Io {
        /// The file.
        path: PathBuf,
        /// Cause.
        cause: std::io::Error,
    },
    /// The system has no random numbers.
    #[error("a key cannot be made")]
    NoRandomness,
}

impl KeyFileError {
    pub(super) fn io(path: &Path, cause: std::io::Error) -> Self {
        Self::Io {
            path: path.to_owned(),
            cause,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn file_has_one_to_eight_keys() {
        for (length, count) in [(32, Some(1)), (64, Some(2)), (256, Some(8))] {
            let keys = Keys::parse(&vec![7; length]);
            assert_eq!(keys.map(|keys| keys.count()), count, "{length}");
        }
        for length in [0, 31, 33, 288] {
            assert!(Keys::parse(&vec![7; length]).is_none(), "{length}");
        }
    }

    #[test]
    fn key_in_use_is_selected_by_its_fingerprint() {
        let first = Keys::parse(&[1; 32]).unwrap();
        let mut both = Keys::parse(&first.with(&[2; 32])).unwrap();
        assert_eq!(both.fingerprint(), first.fingerprint());
        let newest = both.newest().to_owned();
        assert!(both.select(&newest) && both.has(first.fingerprint()));
        assert_eq!(both.only_current(), [2; 32]);
        assert!(!both.select("another"));
        let in_use: Vec<_> = both.each().map(|keys| keys.current().bytes[0]).collect();
        assert_eq!(in_use, [2, 1]);
    }
}
