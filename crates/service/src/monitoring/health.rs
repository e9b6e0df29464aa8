//! Readiness of the service.

use std::fmt;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use booking_store_engine::schema::{self, Schema};
use tokio::sync::Mutex;
use tokio::time::{Instant, timeout};

use crate::error::Error;
use crate::settings::Limits;
use crate::store::Store;
use crate::store::migrations;

/// Maximum duration of the test write.
const WRITE_TIMEOUT: Duration = Duration::from_secs(2);

const MIB: u64 = 1024 * 1024;

/// Reason why the service is not ready.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum HealthFailure {
    /// Shutdown has begun.
    Stopping,
    /// Free disk space is below the limit; both in bytes.
    Disk {
        /// Free bytes.
        free: u64,
        /// See [`Limits::min_free_disk`].
        limit: u64,
    },
    /// This version may not use the schema of the database.
    Migrations(Schema),
    /// The database takes too long to respond.
    Busy,
    /// The database rejects writes.
    Database,
    /// The clock of this machine differs from that of the database server.
    Clock {
        /// Positive if this machine is ahead.
        difference_ms: i64,
    },
}

/// Body of the response of `/readyz`.
impl fmt::Display for HealthFailure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Stopping => "stopping",
            Self::Disk { free, limit } => {
                let (free, limit) = (free / MIB, limit / MIB);
                return write!(
                    f,
                    "disk: {free} MiB free, less than --min-free-disk {limit}"
                );
            }
            Self::Migrations(schema) => return write!(f, "migrations: {schema}"),
            Self::Busy => "busy",
            Self::Database => "database",
            Self::Clock { difference_ms } => {
                let seconds = difference_ms.unsigned_abs() / 1000;
                let direction = if *difference_ms > 0 {
                    "ahead of"
                } else {
                    "behind"
                };
                return write!(
                    f,
                    "clock: this machine is {seconds} s {direction} the database server"
                );
            }
        })
    }
}

/// Cached result of a check.
#[derive(Clone, Copy, Debug)]
struct CheckResult {
    at: Instant,
    failure: Option<HealthFailure>,
}

/// Health of the service. Clones share it.
#[derive(Clone, Debug, Default)]
pub struct Health {
    stopping: Arc<AtomicBool>,
    last_result: Arc<Mutex<Option<CheckResult>>>,
}

impl Health {
    /// Makes the service permanently not ready.
    pub fn stop(&self) {
        self.stopping.store(true, Ordering::Relaxed);
    }

    /// Returns the reason why the service is not ready; none if it is ready. Only one check runs at
    /// a time, and its result is cached for [`Limits::readiness_ttl`].
    pub async fn failure(&self, store: &Store, limits: &Limits) -> Option<HealthFailure> {
        if self.stopping.load(Ordering::Relaxed) {
            return Some(HealthFailure::Stopping);
        }
        let mut last_result = self.last_result.lock().await;
        if let Some(result) = *last_result
            && result.at.elapsed() < limits.readiness_ttl
        {
            return result.failure;
        }
        let failure = check(store, limits).await;
        if let Some(failure) = failure {
            tracing::error!(reason = %failure, "not ready");
        }
        *last_result = Some(CheckResult {
            at: Instant::now(),
            failure,
        });
        failure
    }
}

async fn check(store: &Store, limits: &Limits) -> Option<HealthFailure> {
    let limit = limits.min_free_disk;
    if let Some(free) = free_disk(store.directory()).filter(|free| *free < limit) {
        return Some(HealthFailure::Disk { free, limit });
    }
    let write = async {
        let mut transaction = store.begin_probe().await?;
        let schema = migrations::schema(&mut transaction).await?;
        schema::probe_write(&mut transaction).await?;
        transaction.commit().await?;
        Ok::<_, Error>(schema)
    };
    match timeout(WRITE_TIMEOUT, write).await {
        Ok(Ok(schema)) => {
            store.record_schema(schema);
            match store.clock_difference() {
                _ if !schema.is_usable() => Some(HealthFailure::Migrations(schema)),
                difference => {
                    difference.map(|difference_ms| HealthFailure::Clock { difference_ms })
                }
            }
        }
        Ok(Err(_)) => {
            store.invalidate_writer();
            Some(HealthFailure::Database)
        }
        Err(_) => Some(HealthFailure::Busy),
    }
}

/// Free bytes on the disk of `directory`; none if unknown.
#[cfg(unix)]
pub fn free_disk(directory: &Path) -> Option<u64> {
    let disk = rustix::fs::statvfs(directory).ok()?;
    Some(disk.f_bavail.saturating_mul(disk.f_frsize))
}

/// Free bytes on the disk of `directory`; none if unknown.
#[cfg(not(unix))]
pub fn free_disk(_directory: &Path) -> Option<u64> {
    None
}

/// Returns true for the paths of health checks and metrics.
pub fn is_health_path(path: &str) -> bool {
    matches!(path, "/healthz" | "/readyz" | "/metrics")
}
