//! Creates, migrates and opens the data directory of a command.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use booking_store_engine::postgres::PostgresOptions;
use booking_store_engine::schema::SchemaState;
use booking_wire::Instant;
use clap::Args;
use tokio::time::{self, sleep, timeout};

use super::instance_lock::InstanceLock;
use super::key_files;
use super::url::DatabaseUrl;
use crate::app::{AppParts, AppState};
use crate::auth::key_uses::KeyUses;
use crate::auth::private_file::private_file;
use crate::cache::calendars::CalendarCache;
use crate::cache::page_pictures::PagePictures;
use crate::cache::slots::SlotCache;
use crate::cli::error::CliError;
use crate::clock::Clock;
use crate::error::Error;
use crate::limits::Limiter;
use crate::limits::concurrency::ConcurrencyLimits;
use crate::monitoring::health::Health;
use crate::monitoring::metrics::Metrics;
use crate::settings::Settings;
use crate::store;
use crate::store::migrations;
use crate::store::upkeep::integrity;
use crate::store::{Db, OpenError, Store};

/// Time to wait for another service to finish its start.
const STARTUP_TIMEOUT: Duration = Duration::from_secs(5);

/// Time between two attempts to take the lock.
const RETRY_INTERVAL: Duration = Duration::from_millis(50);

/// Time for the database to close.
const CLOSE_TIMEOUT: Duration = Duration::from_secs(5);

/// The database of a command: a file in a directory, or in PostgreSQL.
#[derive(Clone, Debug, Default, Args)]
pub struct Data {
    /// Directory of the database
    #[arg(long, value_name = "DIR", required_unless_present_any = ["database_url", "platform_database_url"])]
    pub data: Option<PathBuf>,

    /// PostgreSQL database.
    #[command(flatten)]
    pub database: DatabaseUrl,
}

impl Data {
    /// The database in a directory.
    pub fn of(directory: &Path) -> Self {
        Self {
            data: Some(directory.to_owned()),
            database: DatabaseUrl::default(),
        }
    }

    /// Returns the address of the PostgreSQL database; none for that in the directory.
    fn url(&self) -> Result<Option<&str>, CliError> {
        self.database.choose_as_service(self.data.as_deref())
    }

    fn directory(&self) -> Result<&Path, CliError> {
        self.data.as_deref().ok_or(CliError::NoDatabase)
    }
}

/// Returns the directory or file of a command for SQLite only.
///
/// # Errors
///
/// [`CliError::PostgresTool`] with `tool`, if the database is in PostgreSQL. A file is not the data directory of a
/// service, so an address in the environment has no effect on it.
pub(crate) fn sqlite_only<'a>(
    data: Option<&'a Path>,
    database: &DatabaseUrl,
    tool: &'static str,
) -> Result<&'a Path, CliError> {
    match data {
        Some(data) if data.is_file() => Ok(data),
        _ if database.choose_as_service(data)?.is_some() => Err(CliError::PostgresTool(tool)),
        _ => data.ok_or(CliError::NoDatabase),
    }
}

/// Opens the database of a directory for a command that writes.
///
/// # Errors
///
/// If there is no database (a mistyped directory is not created), or it has a version that this program may not use.
pub(crate) async fn open_existing(data: &Data) -> Result<(Store, Instant), CliError> {
    let store = match data.url()? {
        Some(url) => Store::open_usable_postgres(url).await?,
        None => {
            let directory = data.directory()?;
            check_exists(directory)?;
            Store::open_usable(directory).await?
        }
    };
    Ok((store, Clock::system().now()))
}

/// Opens the database for a command that only reads.
pub(crate) async fn open_read_only(data: &Data) -> Result<Db, CliError> {
    if let Some(url) = data.url()? {
        return Ok(store::connect_usable(url).await?);
    }
    let directory = data.directory()?;
    check_exists(directory)?;
    let mut db = integrity::open(&directory.join(store::FILE_NAME)).await?;
    match migrations::schema(&mut db).await? {
        schema if schema.is_usable() => Ok(db),
        other => {
            integrity::close(db).await;
            Err(OpenError::Schema(other).into())
        }
    }
}

pub(crate) fn check_exists(directory: &Path) -> Result<(), CliError> {
    if directory.join(store::FILE_NAME).exists() {
        return Ok(());
    }
    Err(Error::NotFound(format!(
        "{} holds no data: check --data, start the service there, or make an empty database with `booking-service migrate`",
        directory.display()
    ))
    .into())
}

/// Closes the database. No data is lost after the timeout: committed transactions are on disk.
pub(crate) async fn close(store: &Store) {
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
pub async fn ensure_current_schema(data: &Data, outdated: Outdated) -> Result<(), CliError> {
    if let Some(url) = data.url()? {
        let schema = store::postgres_schema(url).await?;
        return match schema.state {
            _ if schema.is_usable() => Ok(()),
            SchemaState::Older { .. } if outdated == Outdated::Reject => {
                Err(OpenError::Schema(schema).into())
            }
            SchemaState::Empty | SchemaState::Older { .. } => {
                store::migrate_postgres(url).await?;
                Ok(())
            }
            _ => Err(OpenError::Schema(schema).into()),
        };
    }
    let directory = data.directory()?;
    prepare(directory)?;
    let started = time::Instant::now();
    loop {
        let schema = migrations::sqlite_schema(directory).await;
        let schema = schema.map_err(OpenError::from)?;
        match schema.state {
            _ if schema.is_usable() => return Ok(()),
            SchemaState::Empty => {}
            SchemaState::Older { .. } if outdated == Outdated::Migrate => {}
            _ => return Err(OpenError::Schema(schema).into()),
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
pub(crate) fn prepare(directory: &Path) -> Result<(), CliError> {
    create(directory)?;
    // SQLite gives its other files the same permissions as the database.
    private_file(&directory.join(store::FILE_NAME), false)
        .map(drop)
        .map_err(|cause| directory_error(directory, cause))
}

/// Creates the data directory unless it exists.
pub(crate) fn create(directory: &Path) -> Result<(), CliError> {
    create_private_directory(directory).map_err(|cause| directory_error(directory, cause))
}

pub(crate) fn directory_error(directory: &Path, cause: std::io::Error) -> CliError {
    CliError::Directory {
        directory: directory.display().to_string(),
        cause,
    }
}

/// Opens a data directory, created if it does not exist, and migrates its database.
pub async fn open(
    directory: &Path,
    clock: Clock,
    settings: Settings,
) -> Result<AppState, CliError> {
    prepare(directory)?;
    let store = Store::open(directory).await?;
    state(store, directory, clock, settings).await
}

/// Opens a PostgreSQL database, and the keys of `directory`, which is created if it does not exist.
pub async fn open_postgres(
    database: impl Into<PostgresOptions>,
    directory: &Path,
    clock: Clock,
    settings: Settings,
) -> Result<AppState, CliError> {
    create(directory)?;
    let store = Store::open_postgres(&database.into(), directory).await?;
    state(store, directory, clock, settings).await
}

async fn state(
    store: Store,
    directory: &Path,
    clock: Clock,
    settings: Settings,
) -> Result<AppState, CliError> {
    // A replica with a wrong clock starts, and says so at `/readyz`.
    let mut transaction = store.begin_with_any_clock(&key_files::locks()).await?;
    let (signing_key, sealing_key) = key_files::open(&mut transaction, directory).await?;
    transaction.commit().await?;
    let metrics = Metrics::new(store.write_metrics().collectors())?;
    let parts = AppParts {
        store,
        limiter: Limiter::new(clock.clone()),
        key_uses: KeyUses::default(),
        concurrency: ConcurrencyLimits::new(settings.limits.in_flight),
        health: Health::default(),
        metrics,
        page_pictures: PagePictures::default(),
        clock,
        signing_key,
        sealing_key,
        settings: Arc::new(settings),
        calendar_cache: CalendarCache::default(),
        slot_cache: SlotCache::default(),
    };
    Ok(parts.into())
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

pub(crate) fn clock(start: Option<Instant>) -> Clock {
    start.map_or_else(Clock::system, Clock::starting_at)
}
