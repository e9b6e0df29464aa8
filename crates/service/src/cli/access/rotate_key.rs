//! `booking-service rotate-key`: another key for one that is in use, without an effect on users.

use std::path::{Path, PathBuf};

use clap::{Args, ValueEnum};

use super::replace_key::{Key, Stopped};
use crate::auth::key_file::{Keys, MAX_KEYS};
use crate::auth::private_file::write_private;
use crate::auth::seal::SealingKey;
use crate::auth::secret;
use crate::cli::database::data_directory::{Data, directory_error, open_existing};
use crate::cli::database::key_files::{self, KeyProblem};
use crate::cli::database::url::DatabaseUrl;
use crate::cli::error::CliError;
use crate::http::v1::resources::credentials::seal_context;
use crate::store::Store;
use crate::store::upkeep::{key_fingerprints, sealed_values};

/// Values that are encrypted again in one transaction.
const BATCH_SIZE: i64 = 100;

/// Options of `booking-service rotate-key`.
#[derive(Clone, Debug, Args)]
pub struct RotateKey {
    /// Key to rotate
    #[arg(value_enum)]
    pub key: Key,

    /// Directory of the key
    #[arg(long, value_name = "DIR")]
    pub data: PathBuf,

    /// PostgreSQL database of the replicas.
    #[command(flatten)]
    pub database: DatabaseUrl,

    /// One step, while replicas run. Without it, all of them while no service runs
    #[arg(long, value_enum)]
    pub step: Option<Step>,
}

/// Step of a rotation. Between two steps, the file is copied to all replicas, and they are restarted.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Step {
    /// Add a new key to the file: it is accepted, and not used yet
    Add,
    /// Use the new key from the next start of each replica
    Use,
    /// Encrypt again what former keys have encrypted, and remove them from the file. What a former signing key has signed is
    /// invalid then
    Finish,
}

/// Runs `booking-service rotate-key`.
pub async fn run(options: RotateKey) -> Result<String, CliError> {
    let directory = options.data.as_path();
    let Some(step) = options.step else {
        let stopped = Stopped::open(directory, &options.database).await?;
        let file = KeyFile::open(&stopped.store, directory, options.key).await?;
        let text = file.rotate(&stopped.store).await? + &stopped.hint(options.key.file_name());
        stopped.close().await;
        return Ok(text);
    };
    let data = Data {
        data: Some(options.data.clone()),
        database: options.database,
    };
    let (store, _) = open_existing(&data).await?;
    let mut file = KeyFile::open(&store, directory, options.key).await?;
    let text = match step {
        Step::Add => file.add()?,
        Step::Use => file.use_newest(&store).await?,
        Step::Finish => file.finish(&store).await?,
    };
    store.close().await;
    Ok(text)
}

/// A key file, with the key in use by the database.
struct KeyFile<'a> {
    key: Key,
    directory: &'a Path,
    keys: Keys,
}

impl<'a> KeyFile<'a> {
    async fn open(store: &Store, directory: &'a Path, key: Key) -> Result<Self, CliError> {
        let name = key.file_name();
        let mut keys = key_files::keys(directory, name)?
            .ok_or_else(|| KeyProblem::Missing.of(directory, name))?;
        let mut transaction = store.begin_with_any_clock(&key_files::locks()).await?;
        key_files::select(&mut transaction, directory, name, &mut keys).await?;
        transaction.commit().await.map_err(CliError::Database)?;
        Ok(Self {
            key,
            directory,
            keys,
        })
    }

    /// Takes all steps, or those that were not reached before an interruption. A former signing key stays: its tokens are
    /// valid until they end.
    async fn rotate(mut self, store: &Store) -> Result<String, CliError> {
        let is_sealing = self.key == Key::Sealing;
        let is_unfinished = is_sealing && self.keys.count() > 1 && !self.has_new_key();
        let mut text = String::new();
        if !is_unfinished {
            if !self.has_new_key() {
                self.add()?;
            }
            text = self.use_newest(store).await?;
        }
        if is_sealing {
            text += &self.finish(store).await?;
        }
        Ok(text)
    }

    /// Returns true if the newest key is not used yet.
    fn has_new_key(&self) -> bool {
        self.keys.newest() != self.keys.fingerprint()
    }

    fn add(&mut self) -> Result<String, CliError> {
        if self.has_new_key() {
            return Err(self.error("has a new key already: the next step is `--step use`"));
        }
        if self.keys.count() >= MAX_KEYS {
            return Err(self.error("has too many keys: `--step finish` removes former ones"));
        }
        let content = self.keys.with(&secret::random_bytes()?);
        self.write(&content)?;
        Ok(format!(
            "{} has a new key. Copy it into the data directory of each replica and restart them, then run `--step use`.\n",
            self.path()
        ))
    }

    async fn use_newest(&mut self, store: &Store) -> Result<String, CliError> {
        if !self.has_new_key() {
            return Err(self.error("has no new key: the first step is `--step add`"));
        }
        let newest = self.keys.newest().to_owned();
        let mut transaction = store.begin_with_any_clock(&key_files::locks()).await?;
        key_fingerprints::replace(&mut transaction, self.key.file_name(), &newest).await?;
        transaction.commit().await.map_err(CliError::Database)?;
        if !self.keys.select(&newest) {
            return Err(self.error("has changed"));
        }
        Ok(format!(
            "the new key of {} is used from the next start of the service. What the former one has made stays valid.\n",
            self.path()
        ))
    }

    async fn finish(&mut self, store: &Store) -> Result<String, CliError> {
        if self.has_new_key() {
            return Err(self.error("has a new key that is not used: the next step is `--step use`"));
        }
        let text = match self.key {
            Key::Signing => "tokens and links in messages of former keys are invalid.\n".to_owned(),
            Key::Sealing => {
                let count = self.seal_again(store).await?;
                format!("{count} secrets were encrypted with the new key.\n")
            }
        };
        let content = self.keys.only_current().to_vec();
        self.write(&content)?;
        Ok(format!("{text}{} has one key.\n", self.path()))
    }

    /// Encrypts with the key in use what former ones have encrypted. Can be interrupted and repeated. Values that no key
    /// opens stay. Returns the number of values.
    async fn seal_again(&self, store: &Store) -> Result<usize, CliError> {
        let sealing_key = SealingKey::from(self.keys.clone());
        let reseal = |sealed: &[u8], owner: &str| {
            let is_former = !sealing_key.is_current(sealed, owner);
            let opened = is_former.then(|| sealing_key.unseal(sealed, owner).ok());
            let opened = opened.flatten();
            opened.map(|secret| sealing_key.seal(&secret, owner))
        };
        let mut count = 0;
        let mut last = String::new();
        loop {
            let mut transaction = store.begin_with_any_clock(&key_files::locks()).await?;
            let batch = sealed_values::webhook_secrets(&mut transaction, &last, BATCH_SIZE).await?;
            for former in &batch {
                if let Some(sealed) = reseal(&former.secret, &former.id).transpose()? {
                    sealed_values::replace_webhook_secret(&mut transaction, former, &sealed)
                        .await?;
                    count += 1;
                }
            }
            transaction.commit().await.map_err(CliError::Database)?;
            match batch.last() {
                Some(value) => last.clone_from(&value.id),
                None => break,
            }
        }
        let mut last = 0;
        loop {
            let mut transaction = store.begin_with_any_clock(&key_files::locks()).await?;
            let batch = sealed_values::app_keys(&mut transaction, last, BATCH_SIZE).await?;
            for former in &batch {
                let owner = seal_context(former.user_id, &former.app_slug);
                if let Some(sealed) = reseal(&former.sealed_key, &owner).transpose()? {
                    sealed_values::replace_app_key(&mut transaction, former, &sealed).await?;
                    count += 1;
                }
            }
            transaction.commit().await.map_err(CliError::Database)?;
            match batch.last() {
                Some(value) => last = value.id,
                None => break,
            }
        }
        Ok(count)
    }

    /// Replaces the file, and reads it again.
    fn write(&mut self, content: &[u8]) -> Result<(), CliError> {
        let name = self.key.file_name();
        write_private(&self.directory.join(name), content)
            .map_err(|cause| directory_error(self.directory, cause))?;
        let in_use = self.keys.fingerprint().to_owned();
        if let Some(keys) = key_files::keys(self.directory, name)? {
            self.keys = keys;
        }
        match self.keys.select(&in_use) {
            true => Ok(()),
            false => Err(KeyProblem::Other.of(self.directory, name)),
        }
    }

    fn path(&self) -> String {
        let file = self.directory.join(self.key.file_name());
        file.display().to_string()
    }

    fn error(&self, problem: &str) -> CliError {
        CliError::Key(format!("{} {problem}", self.path()))
    }
}
