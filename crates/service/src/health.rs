//! Readiness of the service.

use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use tokio::sync::Mutex;
use tokio::time::{Instant, timeout};

use crate::error::Error;
use crate::settings::Limits;
use crate::store::Store;
use crate::store::upkeep::{self, Schema};

/// Time that a write may take.
const WRITE_TIMEOUT: Duration = Duration::from_secs(2);

/// Reason why the service is not ready.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum HealthFailure {
    /// It has been told to stop.
    Stopping,
    /// The disk is full, or nearly.
    Disk,
    /// The database is not that of this version.
    Migrations,
    /// The database takes too long.
    Busy,
    /// The database takes no writes.
    Database,
}

impl HealthFailure {
    /// Body of the response of `/readyz`.
    pub fn word(self) -> &'static str {
        match self {
            Self::Stopping => "stopping",
            Self::Disk => "disk",
            Self::Migrations => "migrations",
            Self::Busy => "busy",
            Self::Database => "database",
        }
    }
}

/// Result of a check.
#[derive(Clone, Copy, Debug)]
struct Finding {
    at: Instant,
    failure: Option<HealthFailure>,
}

/// Health of the service. Clones share it.
#[derive(Clone, Debug, Default)]
pub struct Health {
    stopping: Arc<AtomicBool>,
    found: Arc<Mutex<Option<Finding>>>,
}

impl Health {
    /// Makes the service not ready from now on.
    pub fn stop(&self) {
        self.stopping.store(true, Ordering::Relaxed);
    }

    /// Returns why the service is not ready, or none if it is. One check runs at a time, and its result is
    /// cached for [`Limits::readiness_ttl`].
    pub async fn failure(&self, store: &Store, limits: &Limits) -> Option<HealthFailure> {
        if self.stopping.load(Ordering::Relaxed) {
            return Some(HealthFailure::Stopping);
        }
        let mut found = self.found.lock().await;
        if let Some(finding) = *found
            && finding.at.elapsed() < limits.readiness_ttl
        {
            return finding.failure;
        }
        let failure = check(store, limits).await;
        if let Some(failure) = failure {
            tracing::error!(reason = failure.word(), "not ready");
        }
        *found = Some(Finding {
            at: Instant::now(),
            failure,
        });
        failure
    }
}

async fn check(store: &Store, limits: &Limits) -> Option<HealthFailure> {
    let free = free_disk(store.directory());
    if free.is_some_and(|bytes| bytes < limits.min_free_disk) {
        return Some(HealthFailure::Disk);
    }
    let write = async {
        let mut transaction = store.begin().await?;
        let current = upkeep::schema(&mut transaction).await? == Schema::Current;
        upkeep::touch(&mut transaction).await?;
        transaction.commit().await?;
        Ok::<_, Error>(current)
    };
    match timeout(WRITE_TIMEOUT, write).await {
        Ok(Ok(true)) => None,
        Ok(Ok(false)) => Some(HealthFailure::Migrations),
        Ok(Err(_)) => {
            store.suspect();
            Some(HealthFailure::Database)
        }
        Err(_) => Some(HealthFailure::Busy),
    }
}

/// Bytes that are free on the disk of `directory`; none if that cannot be told.
#[cfg(unix)]
pub fn free_disk(directory: &Path) -> Option<u64> {
    let disk = rustix::fs::statvfs(directory).ok()?;
    Some(disk.f_bavail.saturating_mul(disk.f_frsize))
}

/// Bytes that are free on the disk of `directory`; none if that cannot be told.
#[cfg(not(unix))]
pub fn free_disk(_directory: &Path) -> Option<u64> {
    None
}

/// Returns true for the paths of health checks and metrics.
pub fn owns(path: &str) -> bool {
    matches!(path, "/healthz" | "/readyz" | "/metrics")
}
