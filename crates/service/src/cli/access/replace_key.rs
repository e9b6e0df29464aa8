//! `booking-service replace-key`: a new key for one that is lost or was stolen.

use std::path::PathBuf;

use clap::{Args, ValueEnum};

use crate::auth::private_file::write_private;
use crate::auth::{seal, secret, token};
use crate::cli::database::data_directory::{check_exists, directory_error};
use crate::cli::database::instance_lock::InstanceLock;
use crate::cli::database::key_files::{self, SEALING_LOSS, SIGNING_LOSS};
use crate::cli::database::url::DatabaseUrl;
use crate::cli::error::CliError;
use crate::store::Store;
use crate::store::transfer::{self, Side};
use crate::store::upkeep::key_fingerprints;

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
    fn file_name(self) -> &'static str {
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
    let mut hint = String::new();
    let mut lock = None;
    // Held until the end: replicas that run have the former key in memory.
    let mut leadership = None;
    let store = match options.database.choose_as_service(Some(directory))? {
        Some(url) => {
            leadership = Some(transfer::connect_postgres(url, Side::Source).await?);
            hint = format!("Copy {name} into the data directory of each replica.\n");
            Store::open_usable_postgres(url).await?
        }
        None => {
            check_exists(directory)?;
            lock = Some(InstanceLock::try_acquire(directory)?);
            Store::open_usable(directory).await?
        }
    };
    let key = secret::random_bytes::<32>()?;
    let mut transaction = store.begin_with_any_clock().await?;
    // The file first: after an interruption, a start says that the key is another one.
    write_private(&directory.join(name), &key)
        .map_err(|cause| directory_error(directory, cause))?;
    let fingerprint = key_files::fingerprint(directory, name)?.unwrap_or_default();
    key_fingerprints::replace(&mut transaction, name, &fingerprint).await?;
    transaction.commit().await.map_err(CliError::Database)?;
    store.close().await;
    drop((lock, leadership));
    Ok(format!(
        "{} is new: {}\n{hint}",
        directory.join(name).display(),
        options.key.loss()
    ))
}
