//! The data directory of a command: made, migrated and opened.

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
use crate::recent::Recent;
use crate::settings::Settings;
use crate::store::upkeep::{self, Schema};
use crate::store::{self, OpenError, Store, examine};

/// Time for a service beside a command to finish its start.
const STARTING: Duration = Duration::from_secs(5);
/// Time between two attempts to take its lock.
const RETRY: Duration = Duration::from_millis(50);
/// Time that the database may take to close.
const CLOSING: Duration = Duration::from_secs(5);

/// The data directory.
#[derive(Clone, Debug, Args)]
pub struct Data {
    /// Directory of the database
    #[arg(long, value_name = "DIR")]
    pub data: PathBuf,
}

/// Opens the database of a directory for a command that writes: a mistyped directory is not made,
/// and a database of another version is refused.
pub(crate) async fn existing(directory: &Path) -> Result<(Store, Instant), CliError> {
    refuse_missing(directory)?;
    let store = Store::open_current(directory).await?;
    Ok((store, Clock::system().now()))
}

/// Opens the database of a directory for a command that only reads.
pub(crate) async fn existing_to_read(directory: &Path) -> Result<SqliteConnection, CliError> {
    refuse_missing(directory)?;
    let mut db = examine::open(&directory.join(store::FILE_NAME)).await?;
    match upkeep::schema(&mut db).await? {
        Schema::Current => Ok(db),
        other => {
            examine::close(db).await;
            Err(OpenError::Schema(other).into())
        }
    }
}

fn refuse_missing(directory: &Path) -> Result<(), CliError> {
    if directory.join(store::FILE_NAME).exists() {
        return Ok(());
    }
    Err(Error::NotFound(format!(
        "{} holds no data: start the service there, or add a person first",
        directory.display()
    ))
    .into())
}

/// Closes the database. Nothing is lost if that takes too long: what was answered is on the disk.
pub(super) async fn close(store: &Store) {
    if timeout(CLOSING, store.close()).await.is_err() {
        tracing::warn!("the database was not closed in time");
    }
}

/// Treatment of a database of an earlier version.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Outdated {
    /// Brings it up to date.
    Migrate,
    /// Refuses it.
    Refuse,
}

/// Makes the tables of a fresh data directory, and brings those of an earlier version up to date
/// where `outdated` says so. That takes the directory's lock; a current database needs none, so
/// commands work beside a running service.
pub async fn bring_up_to_date(directory: &Path, outdated: Outdated) -> Result<(), CliError> {
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
            // A service that is starting has the lock, and the tables in a moment.
            Err(CliError::InUse { .. }) if started.elapsed() < STARTING => sleep(RETRY).await,
            Err(problem) => return Err(problem),
        }
    }
}

/// Makes the data directory and the database's file, unless they exist: for their owner alone.
pub(super) fn prepare(directory: &Path) -> Result<(), CliError> {
    // SQLite gives the files beside the database the rights that the database has.
    private_directory(directory)
        .and_then(|()| private_file(&directory.join(store::FILE_NAME), false).map(drop))
        .map_err(|cause| CliError::Directory {
            directory: directory.display().to_string(),
            cause,
        })
}

/// Opens a data directory, made if it does not exist, and brings its database up to date.
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
        recent: Recent::default(),
    })
}

/// The database holds personal data: a directory made here is its owner's alone.
fn private_directory(directory: &Path) -> std::io::Result<()> {
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
