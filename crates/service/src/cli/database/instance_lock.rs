//! Exclusive lock of a data directory: one process at a time serves or migrates it.
//!
//! Two services over one directory would send every webhook message twice and count calls
//! separately. Commands that only read, or write a few rows, work while a service runs and take no
//! lock.

use std::fs::{self, File, TryLockError};
use std::io::{self, Write};
use std::path::Path;
use std::time::Duration;

use tokio::time::{Instant, sleep};

use crate::auth::private_file::private_file;
use crate::cli::error::CliError;

/// Name of the lock file inside the data directory. The file is never deleted: only the lock on it
/// counts.
pub const FILE_NAME: &str = "service.lock";

/// Time between two attempts to take the lock.
const RETRY_INTERVAL: Duration = Duration::from_millis(100);

/// The lock. Released when dropped, and when the process ends for any reason.
#[derive(Debug)]
pub struct InstanceLock {
    _file: File,
}

impl InstanceLock {
    /// Takes the lock of `directory`, which must exist. Waits up to `timeout` for another process
    /// to release it.
    pub async fn acquire(directory: &Path, timeout: Duration) -> Result<Self, CliError> {
        let started = Instant::now();
        let mut waiting = false;
        loop {
            match Self::try_acquire(directory) {
                Err(CliError::InUse { holder, .. }) if started.elapsed() < timeout => {
                    if !waiting {
                        tracing::info!(%holder, "waiting for the data directory");
                        waiting = true;
                    }
                    sleep(RETRY_INTERVAL).await;
                }
                result => return result,
            }
        }
    }

    /// Takes the lock of `directory`, which must exist, unless another process holds it.
    pub fn try_acquire(directory: &Path) -> Result<Self, CliError> {
        Self::take(directory, File::try_lock)
    }

    fn take(
        directory: &Path,
        try_lock: impl FnOnce(&File) -> Result<(), TryLockError>,
    ) -> Result<Self, CliError> {
        let path = directory.join(FILE_NAME);
        let directory_name = || directory.display().to_string();
        let mut file = private_file(&path, false).map_err(|cause| CliError::Directory {
            directory: directory_name(),
            cause,
        })?;
        match try_lock(&file) {
            Ok(()) => {}
            Err(TryLockError::WouldBlock) => {
                return Err(CliError::InUse {
                    directory: directory_name(),
                    holder: holder(&path),
                });
            }
            Err(TryLockError::Error(cause)) => {
                return Err(CliError::NoLocks {
                    directory: directory_name(),
                    cause,
                });
            }
        }
        // The id is only for error messages: the lock works without it.
        if let Err(cause) = write_id(&mut file) {
            tracing::warn!(%cause, "the process id was not written into {FILE_NAME}");
        }
        Ok(Self { _file: file })
    }
}

fn write_id(file: &mut File) -> io::Result<()> {
    file.set_len(0)?;
    writeln!(file, "{}", std::process::id())
}

/// The process that holds the lock, according to the lock file.
fn holder(path: &Path) -> String {
    let id = fs::read_to_string(path)
        .ok()
        .and_then(|text| text.trim().parse::<u32>().ok());
    match id {
        Some(id) => format!("process {id}"),
        None => "another process".to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn lock_of_another_holder_is_rejected_until_it_is_dropped() {
        let directory = tempfile::tempdir().unwrap();
        let first = InstanceLock::try_acquire(directory.path()).unwrap();
        let error = InstanceLock::acquire(directory.path(), Duration::ZERO).await;
        let text = error.unwrap_err().to_string();
        let id = format!("process {}", std::process::id());
        assert!(text.contains(&id), "{text}");
        assert!(
            text.contains(&directory.path().display().to_string()),
            "{text}"
        );

        let timeout = Duration::from_secs(60);
        let (second, ()) = tokio::join!(InstanceLock::acquire(directory.path(), timeout), async {
            tokio::task::yield_now().await;
            drop(first);
        });
        drop(second.unwrap());
        assert!(InstanceLock::try_acquire(directory.path()).is_ok());
    }

    #[test]
    fn file_system_without_locks_is_rejected_with_an_explanation() {
        let directory = tempfile::tempdir().unwrap();
        let unsupported = |_: &File| Err(TryLockError::Error(io::ErrorKind::Unsupported.into()));
        let text = InstanceLock::take(directory.path(), unsupported)
            .unwrap_err()
            .to_string();
        assert!(text.contains("file locks"), "{text}");
        assert!(
            text.contains(&directory.path().display().to_string()),
            "{text}"
        );
    }
}
