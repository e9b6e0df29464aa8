//! `booking-service replace-key`: a new key for one that is lost or was stolen.

use std::path::{Path, PathBuf};

use clap::{Args, ValueEnum};

use crate::auth::private_file::write_private;
use crate::auth::{seal, secret, token};
use crate::cli::database::data_directory::{check_exists, directory_error};
use crate::cli::database::instance_lock::InstanceLock;
use crate::cli::database::key_files::{self, KeyProblem, SEALING_LOSS, SIGNING_LOSS};
use crate::cli::database::url::DatabaseUrl;
use crate::cli::error::CliError;
use crate::store::transfer::{self, Side};
use crate::store::upkeep::key_fingerprints;
use crate::store::{Db, Store};

/// Options of `booking-service replace-key`.
#[derive(Clone, Debug, Args)]
pub struct ReplaceKey {
    /// Key to replace
    #[arg(value_enum)]
    pub key: Key,

    /// Directory of the key
    #[arg(long, value_name = "DIR")]
    pub data: PathBuf,

    /// PostgreSQL database of the replicas.
    #[command(flatten)]
    pub database: DatabaseUrl,
}

/// A key of a data directory.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Key {
    /// signing.key: tokens and links in messages
    Signing,
    /// sealing.key: secrets of webhooks and keys of connected apps
    Sealing,
}

impl Key {
    pub(super) fn file_name(self) -> &'static str {
        match self {
            Self::Signing => token::KEY_FILE,
            Self::Sealing => seal::KEY_FILE,
        }
    }

    fn loss(self) -> &'static str {
        match self {
            Self::Signing => SIGNING_LOSS,
            Self::Sealing => SEALING_LOSS,
        }
    }
}

/// Runs `booking-service replace-key`, while no service runs.
pub async fn run(options: ReplaceKey) -> Result<String, CliError> {
    let directory = &options.data;
    let name = options.key.file_name();
    let stopped = Stopped::open(directory, &options.database).await?;
    let store = &stopped.store;
    let key = secret::random_bytes::<32>()?;
    let mut transaction = store.begin_with_any_clock(&key_files::locks()).await?;
    // The file first: after an interruption, a start says that the key is another one.
    write_private(&directory.join(name), &key)
        .map_err(|cause| directory_error(directory, cause))?;
    let keys = key_files::keys(directory, name)?;
    let keys = keys.ok_or_else(|| KeyProblem::Missing.of(directory, name))?;
    key_fingerprints::replace(&mut transaction, name, keys.fingerprint()).await?;
    transaction.commit().await.map_err(CliError::Database)?;
    let hint = stopped.hint(name);
    stopped.close().await;
    Ok(format!(
        "{} is new: {}\n{hint}",
        directory.join(name).display(),
        options.key.loss()
    ))
}

/// The database of a service that does not run, and cannot start before this value is dropped: replicas that run have the
/// former key in memory.
pub(super) struct Stopped {
    pub(super) store: Store,
    /// Of a directory.
    _lock: Option<InstanceLock>,
    /// Session of PostgreSQL.
    leadership: Option<Db>,
}

impl Stopped {
    /// Opens it.
    ///
    /// # Errors
    ///
    /// If the service runs.
    pub(super) async fn open(directory: &Path, database: &DatabaseUrl) -> Result<Self, CliError> {
        Ok(match database.choose_as_service(Some(directory))? {
            Some(url) => Self {
                leadership: Some(transfer::connect_postgres(url, Side::Source).await?),
                store: Store::open_usable_postgres(url).await?,
                _lock: None,
            },
            None => {
                check_exists(directory)?;
                Self {
                    _lock: Some(InstanceLock::try_acquire(directory)?),
                    store: Store::open_usable(directory).await?,
                    leadership: None,
                }
            }
        })
    }

    /// Returns what is left to do after a change of a file; empty for a directory.
    pub(super) fn hint(&self, name: &str) -> String {
        match self.leadership {
            Some(_) => format!("Copy {name} into the data directory of each replica.\n"),
            None => String::new(),
        }
    }

    pub(super) async fn close(self) {
        self.store.close().await;
    }
}
