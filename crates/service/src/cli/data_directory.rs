//! Creates, migrates and opens the data directory of a command.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use booking_wire::Instant;
use clap::Args;
use sqlx::SqliteConnection;
use tokio::time::{self, sleep, timeout};

use super::error::CliError;
use super::instance_lock::InstanceLock;
use crate::app::AppState;
use crate::auth::key_uses::KeyUses;
use crate::auth::seal::SealingKey;
use crate::auth::token::{SigningKey, private_file};
use crate::clock::Clock;
use crate::error::Error;
use crate::health::Health;
use crate::limits::Limiter;
use crate::limits::concurrency::ConcurrencyLimits;
use crate::metrics::Metrics;
use crate::settings::Settings;
use crate::slot_cache::SlotCache;
use crate::store::schema::{self, Schema};
use crate::store::{self, OpenError, Store, integrity};

/// Time to wait for another service to finish its start.
const STARTUP_TIMEOUT: Duration = Duration::from_secs(5);

/// Time between two attempts to take the lock.
const RETRY_INTERVAL: Duration = Duration::from_millis(50);

/// Time for the database to close.
const CLOSE_TIMEOUT: Duration = Duration::from_secs(5);

/// The data directory.
#[derive(Clone, Debug, Args)]
pub struct Data {
    /// Directory of the database
    #[arg(long, value_name = "DIR")]
    pub data: PathBuf,
}

/// Opens the database of a directory for a command that writes.
///
/// # Errors
///
/// If there is no database (a mistyped directory is not created), or it has another version.
pub(crate) async fn open_existing(directory: &Path) -> Result<(Store, Instant), CliError> {
    check_exists(directory)?;
    let store = Store::open_current(directory).await?;
    Ok((store, Clock::system().now()))
}

/// Opens the database of a directory for a command that only reads.
pub(crate) async fn open_read_only(directory: &Path) -> Result<SqliteConnection, CliError> {
    check_exists(directory)?;
    let mut db = integrity::open(&directory.join(store::FILE_NAME)).await?;
    match schema::schema(&mut db).await? {
        Schema::Current => Ok(db),
        other => {
            integrity::close(db).await;
            Err(OpenError::Schema(other).into())
        }
    }
}

fn check_exists(directory: &Path) -> Result<(), CliError> {
    if directory.join(store::FILE_NAME).exists() {
        return Ok(());
    }
    Err(Error::NotFound(format!(
        "{} holds no data: start the service there, or add a person first",
        directory.display()
    ))
    .into())
}

/// Closes the database. No data is lost after the timeout: committed transactions are on disk.
pub(super) async fn close(store: &Store) {
    if timeout(CLOSE_TIMEOUT, store.close()).await.is_err() {
        tracing::warn!("the database was not closed in time");
    }
}

/// Treatment of a database of an earlier version.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Outdated {
    /// Migrates it.
    Migrate,
    /// Rejects it.
    Reject,
}

/// Creates the tables of a new data directory, and migrates those of an earlier version if
/// `outdated` allows it. Both take the directory's lock. A current database needs no lock, so
/// commands work while a service runs.
pub async fn ensure_current_schema(directory: &Path, outdated: Outdated) -> Result<(), CliError> {
    prepare(directory)?;
    let started = time::Instant::now();
    loop {
        match store::schema(directory).await.map_err(OpenError::from)? {
            Schema::Current => return Ok(()),
            Schema::Empty => {}
            Schema::Older { .. } if outdated == Outdated::Migrate => {}
            other => return Err(OpenError::Schema(other).into()),
        }
        match InstanceLock::try_acquire(directory) {
            Ok(_lock) => {
                let store = Store::open(directory).await?;
                close(&store).await;
                return Ok(());
            }
            // A service that is starting holds the lock and creates the tables soon.
            Err(CliError::InUse { .. }) if started.elapsed() < STARTUP_TIMEOUT => {
                sleep(RETRY_INTERVAL).await
            }
            Err(problem) => return Err(problem),
        }
    }
}

/// Creates the data directory and the database file, readable by their owner only, unless they
/// exist.
pub(super) fn prepare(directory: &Path) -> Result<(), CliError> {
    // SQLite gives its other files the same permissions as the database.
    create_private_directory(directory)
        .and_then(|()| private_file(&directory.join(store::FILE_NAME), false).map(drop))
        .map_err(|cause| CliError::Directory {
            directory: directory.display().to_string(),
            cause,
        })
}

/// Opens a data directory, created if it does not exist, and migrates its database.
pub async fn open(
    directory: &Path,
    clock: Clock,
    settings: Settings,
) -> Result<AppState, CliError> {
    prepare(directory)?;
    Ok(AppState {
        store: Store::open(directory).await?,
        limiter: Limiter::new(clock.clone()),
        key_uses: KeyUses::default(),
        concurrency: ConcurrencyLimits::new(settings.limits.in_flight),
        health: Health::default(),
        metrics: Metrics::new()?,
        clock,
        signing_key: SigningKey::open(directory)?,
        sealing_key: SealingKey::open(directory)?,
        settings: Arc::new(settings),
        slot_cache: SlotCache::default(),
    })
}

/// Creates a directory that only its owner can access: the database contains personal data.
fn create_private_directory(directory: &Path) -> std::io::Result<()> {
    let mut builder = fs::DirBuilder::new();
    builder.recursive(true);
    #[cfg(unix)]
    {
        use std::os::unix::fs::DirBuilderExt;
        builder.mode(0o700);
    }
    builder.create(directory)
}

pub(super) fn clock(start: Option<Instant>) -> Clock {
    start.map_or_else(Clock::system, Clock::starting_at)
}
