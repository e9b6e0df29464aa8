//! Keys of a data directory, compared with the fingerprints in the database: another key makes tokens, links in messages and
//! secrets unusable without an error.

use std::path::Path;

use crate::auth::key_file::{KeyFileError, Keys};
use crate::auth::seal::{self, SealingKey};
use crate::auth::token::{self, SigningKey};
use crate::cli::error::CliError;
use crate::store::upkeep::key_fingerprints;
use crate::store::{Db, Locks, Resource, Transaction};

/// Locks of starts and commands, which read or replace the keys of an installation.
pub(crate) fn locks() -> Locks {
    Locks::none().and(Resource::Name("keys"))
}

/// Opens the keys of a directory. Creates those of a new installation; keys of a database from before it had fingerprints
/// count as right.
///
/// # Errors
///
/// If the database knows another key, or a key is missing with which it has been used: that is not created.
pub(crate) async fn open(
    transaction: &mut Transaction,
    directory: &Path,
) -> Result<(SigningKey, SealingKey), CliError> {
    for name in [token::KEY_FILE, seal::KEY_FILE] {
        if directory.join(name).exists() {
            continue;
        }
        let is_known = key_fingerprints::find(transaction, name).await?.is_some();
        if is_known || is_used(transaction, name).await? {
            return Err(KeyProblem::Missing.of(directory, name));
        }
    }
    let mut signing_key = SigningKey::open(directory)
        .map_err(|cause| key_error(directory, token::KEY_FILE, cause))?;
    let mut sealing_key =
        SealingKey::open(directory).map_err(|cause| key_error(directory, seal::KEY_FILE, cause))?;
    for (name, keys) in [
        (token::KEY_FILE, signing_key.keys_mut()),
        (seal::KEY_FILE, sealing_key.keys_mut()),
    ] {
        select(transaction, directory, name, keys).await?;
    }
    Ok((signing_key, sealing_key))
}

/// Uses the key that the database names. Its first one is that in use.
///
/// # Errors
///
/// If there is no such key.
pub(crate) async fn select(
    db: &mut Db,
    directory: &Path,
    name: &str,
    keys: &mut Keys,
) -> Result<(), CliError> {
    if key_fingerprints::agree(db, name, keys.fingerprint()).await? {
        return Ok(());
    }
    let named = key_fingerprints::find(db, name).await?;
    match named.is_some_and(|fingerprint| keys.select(&fingerprint)) {
        true => Ok(()),
        false => Err(KeyProblem::Other.of(directory, name)),
    }
}

/// Returns true if the database has something that was made with this key.
async fn is_used(db: &mut Db, name: &str) -> Result<bool, CliError> {
    Ok(match name {
        seal::KEY_FILE => key_fingerprints::has_sealed_values(db).await?,
        _ => key_fingerprints::has_tokens(db).await?,
    })
}

/// Returns the problems of the keys of a directory. Creates none.
pub(crate) async fn findings(db: &mut Db, directory: &Path) -> Result<Vec<String>, CliError> {
    let mut findings = Vec::new();
    for (name, expected) in key_fingerprints::all(db).await? {
        match keys(directory, &name) {
            Ok(Some(keys)) if keys.has(&expected) => {}
            Ok(Some(_)) => findings.push(KeyProblem::Other.of(directory, &name).to_string()),
            Ok(None) => findings.push(KeyProblem::Missing.of(directory, &name).to_string()),
            Err(error) => findings.push(error.to_string()),
        }
    }
    Ok(findings)
}

/// Returns the key files that a directory has, with their names. Creates none.
pub(crate) fn all(directory: &Path) -> Result<Vec<(&'static str, Keys)>, CliError> {
    let mut files = Vec::new();
    for name in [token::KEY_FILE, seal::KEY_FILE] {
        if let Some(keys) = keys(directory, name)? {
            files.push((name, keys));
        }
    }
    Ok(files)
}

/// Returns the keys of a file; none if there is no file.
pub(crate) fn keys(directory: &Path, name: &str) -> Result<Option<Keys>, CliError> {
    let file = directory.join(name);
    if !file.exists() {
        return Ok(None);
    }
    let keys = Keys::open(&file);
    keys.map(Some)
        .map_err(|cause| key_error(directory, name, cause))
}

fn key_error(directory: &Path, name: &str, cause: KeyFileError) -> CliError {
    match cause {
        KeyFileError::Damaged(_) => KeyProblem::Damaged.of(directory, name),
        cause => CliError::KeyFile(cause),
    }
}

/// Problem of a key file that its owner has to solve.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum KeyProblem {
    /// There is none, and the database was used with one.
    Missing,
    /// The database was used with another one.
    Other,
    /// It is no key.
    Damaged,
}

impl KeyProblem {
    /// Returns the error of a key file.
    pub(crate) fn of(self, directory: &Path, name: &str) -> CliError {
        let file = directory.join(name).display().to_string();
        let problem = match self {
            Self::Missing => format!("{file} is missing"),
            Self::Other => format!("{file} is not the key of this database"),
            Self::Damaged => format!("the key in {file} is damaged"),
        };
        let (argument, loss) = match name {
            seal::KEY_FILE => ("sealing", SEALING_LOSS),
            _ => ("signing", SIGNING_LOSS),
        };
        CliError::Key(format!(
            "{problem}: copy it from the backup, or from the data directory of another replica. If it is lost for good, \
             `booking-service replace-key {argument}` makes a new one; {loss}"
        ))
    }
}

/// Effect of a new signing key.
pub(crate) const SIGNING_LOSS: &str =
    "all access and refresh tokens and the links in messages are invalid then";

/// Effect of a new sealing key.
pub(crate) const SEALING_LOSS: &str =
    "the secrets of webhooks and the keys of connected apps are lost then and must be set again";
