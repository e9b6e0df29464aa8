//! Errors of the key files in a data directory.

use std::path::{Path, PathBuf};

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
