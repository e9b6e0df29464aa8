//! `service key ...`: API keys.

use booking_wire::Instant;
use chrono::{Days, NaiveDate};
use clap::Subcommand;

use super::data_directory::{Data, existing, existing_to_read};
use super::error::CliError;
use super::scopes::{SCOPES, scope_names};
use super::table::{columns, day};
use super::users::person;
use crate::auth::secret;
use crate::error::Error;
use crate::redaction::KEY_PREFIX;
use crate::store::credentials::{self, NewApiKey};
use crate::store::{examine, is_duplicate};

/// Letters of a key's hash that name it.
const ID_LETTERS: usize = 12;

/// `service key ...`
#[derive(Clone, Debug, Subcommand)]
pub enum KeyCommand {
    /// Make an API key and print it: it cannot be shown again
    Create {
        /// Data directory
        #[command(flatten)]
        data: Data,
        /// User name or e-mail address of the person whom the key acts as
        #[arg(long, value_name = "NAME")]
        user: String,
        /// Purpose of the key
        #[arg(long, value_name = "TEXT", default_value = "API key")]
        label: String,
        /// Last day on which it is good, in UTC [default: in a year]
        #[arg(long, value_name = "YYYY-MM-DD", conflicts_with = "no_expiry")]
        expires: Option<NaiveDate>,
        /// Keep it good until it is revoked
        #[arg(long)]
        no_expiry: bool,
        /// Permission of the key, in version 2 alone; may be repeated. Without it, the key may do
        /// everything that its owner may
        #[arg(long = "scope", value_name = "SCOPE", value_parser = SCOPES)]
        scopes: Vec<String>,
        /// Take over a key of another service instead of making one: SHA-256, in hex, of what follows
        /// the prefix of the key (see --foreign-key-prefix of `serve`)
        #[arg(long, value_name = "HEX", value_parser = sha256)]
        hash: Option<String>,
    },
    /// List the API keys by their short ids
    List {
        /// Data directory
        #[command(flatten)]
        data: Data,
    },
    /// Make an API key useless at once
    Revoke {
        /// Data directory
        #[command(flatten)]
        data: Data,
        /// The key's short id, from `key list`
        id: String,
    },
}

/// Runs `service key ...`.
pub async fn run(command: KeyCommand) -> Result<String, CliError> {
    match command {
        KeyCommand::Create {
            data,
            user,
            label,
            expires,
            no_expiry,
            scopes,
            hash,
        } => {
            let (store, now) = existing(&data.data).await?;
            let key = secret::random_secret()?;
            let is_new = hash.is_none();
            let mut transaction = store.begin().await?;
            let user_id = person(&mut transaction, &user).await?;
            let expires = if no_expiry {
                None
            } else {
                Some(expires.unwrap_or_else(|| in_a_year(now)))
            };
            let is_limited = !scopes.is_empty() && !scopes.iter().any(|scope| scope == "*");
            let stored = NewApiKey {
                hash: hash.unwrap_or_else(|| secret::hash(&key)),
                user_id,
                label,
                created_ms: now.0,
                expires_on: expires.map(|day| day.to_string()),
                scopes: is_limited.then_some(scopes),
            };
            credentials::insert_api_key(&mut transaction, &stored)
                .await
                .map_err(|error| {
                    if is_duplicate(&error) {
                        Error::Conflict("the key is there already".into())
                    } else {
                        error.into()
                    }
                })?;
            transaction.commit().await.map_err(Error::from)?;
            store.close().await;
            Ok(if is_new {
                format!("{KEY_PREFIX}{key}\n")
            } else {
                format!("took over {}\n", short(&stored.hash))
            })
        }
        KeyCommand::List { data } => {
            let mut db = existing_to_read(&data.data).await?;
            let keys = credentials::api_keys(&mut db).await;
            examine::close(db).await;
            let keys = keys?;
            let mut cells = Vec::new();
            for key in &keys {
                cells.push([
                    short(&key.hash).to_owned(),
                    key.label.clone(),
                    key.username.clone(),
                    day(key.created_ms),
                    key.expires_on.clone().unwrap_or_else(|| "never".into()),
                    key.last_used_ms.map_or_else(|| "never".into(), day),
                    scope_names(key.scopes.as_deref())?,
                ]);
            }
            let headings = [
                "ID",
                "LABEL",
                "OWNER",
                "CREATED",
                "EXPIRES",
                "LAST USED",
                "SCOPES",
            ];
            Ok(columns(headings, &cells))
        }
        KeyCommand::Revoke { data, id } => {
            let (store, _) = existing(&data.data).await?;
            let mut transaction = store.begin().await?;
            let keys = credentials::api_keys(&mut transaction).await?;
            let key = keys
                .iter()
                .find(|key| short(&key.hash) == id.to_ascii_lowercase())
                .ok_or_else(|| Error::not_found("API key", &id))?;
            credentials::delete_api_key(&mut transaction, &key.hash).await?;
            transaction.commit().await.map_err(Error::from)?;
            store.close().await;
            Ok(format!("revoked {id} ({})\n", key.label))
        }
    }
}

/// A SHA-256 in hex.
fn sha256(text: &str) -> Result<String, String> {
    if text.len() == 64 && text.bytes().all(|byte| byte.is_ascii_hexdigit()) {
        Ok(text.to_ascii_lowercase())
    } else {
        Err("must be 64 hexadecimal digits".to_owned())
    }
}

fn in_a_year(now: Instant) -> NaiveDate {
    let today = now.utc().unwrap_or_default().date_naive();
    let days = Days::new(365);
    today.checked_add_days(days).unwrap_or(NaiveDate::MAX)
}

fn short(hash: &str) -> &str {
    hash.get(..ID_LETTERS).unwrap_or(hash)
}
