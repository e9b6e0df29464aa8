//! `booking-service key ...`: API keys.

use booking_wire::Instant;
use chrono::{Days, NaiveDate};
use clap::Subcommand;

use super::scopes::{SCOPES, scope_names};
use super::users::find_user;
use crate::auth::secret;
use crate::cli::database::data_directory::{Data, open_existing, open_read_only};
use crate::cli::error::CliError;
use crate::cli::table::{columns, day};
use crate::clock::Clock;
use crate::error::Error;
use crate::error::redaction::KEY_PREFIX;
use crate::store::Subject;
use crate::store::is_duplicate;
use crate::store::people::credentials::{self, NewApiKey};
use crate::store::upkeep::integrity;

/// Characters of a key's hash that are its short id.
const ID_CHARS: usize = 12;

/// `booking-service key ...`
#[derive(Clone, Debug, Subcommand)]
pub enum KeyCommand {
    /// Create an API key and print it. It cannot be shown again
    Create {
        /// Data directory
        #[command(flatten)]
        data: Data,
        /// User name or e-mail address of the user that the key acts as
        #[arg(long, value_name = "NAME")]
        user: String,
        /// Purpose of the key
        #[arg(long, value_name = "TEXT", default_value = "API key")]
        label: String,
        /// Last valid day in UTC [default: in a year]
        #[arg(long, value_name = "YYYY-MM-DD", conflicts_with = "no_expiry")]
        expires: Option<NaiveDate>,
        /// No expiry: valid until revoked
        #[arg(long)]
        no_expiry: bool,
        /// Scope of the key, for version 2 only; may be repeated. Without it, the key has all
        /// permissions of its user
        #[arg(long = "scope", value_name = "SCOPE", value_parser = SCOPES)]
        scopes: Vec<String>,
        /// Import a key of another service instead of creating one: SHA-256, in hex, of the part
        /// after the prefix of the key (see --foreign-key-prefix of `serve`)
        #[arg(long, value_name = "HEX", value_parser = sha256)]
        hash: Option<String>,
    },
    /// List the API keys by their short ids
    List {
        /// Data directory
        #[command(flatten)]
        data: Data,
    },
    /// Revoke an API key at once
    Revoke {
        /// Data directory
        #[command(flatten)]
        data: Data,
        /// The key's short id, from `key list`
        id: String,
    },
}

/// Runs `booking-service key ...`.
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
            if let Some(day) = expires
                && day < today(Clock::system().now())
            {
                let text = format!("--expires {day} is in the past: the key would never be valid");
                return Err(Error::BadRequest(text).into());
            }
            let (store, now) = open_existing(&data).await?;
            let key = secret::random_secret()?;
            let is_new = hash.is_none();
            let user_id = find_user(&store, &user).await?;
            let mut transaction = store.begin(&[Subject::Person(user_id)]).await?;
            let expires = if no_expiry {
                None
            } else {
                Some(expires.unwrap_or_else(|| in_a_year(now)))
            };
            let is_limited = !scopes.is_empty() && !scopes.iter().any(|scope| scope == "*");
            let new_key = NewApiKey {
                hash: hash.unwrap_or_else(|| secret::hash(&key)),
                user_id,
                label,
                created_ms: now.0,
                expires_on: expires.map(|day| day.to_string()),
                scopes: is_limited.then_some(scopes),
            };
            credentials::insert_api_key(&mut transaction, &new_key)
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
                format!("took over {}\n", short_id(&new_key.hash))
            })
        }
        KeyCommand::List { data } => {
            let mut db = open_read_only(&data).await?;
            let keys = credentials::api_keys(&mut db).await;
            integrity::close(db).await;
            let keys = keys?;
            let mut cells = Vec::new();
            for key in &keys {
                cells.push([
                    short_id(&key.hash).to_owned(),
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
            let (store, _) = open_existing(&data).await?;
            let mut transaction = store.begin(&[Subject::Rows]).await?;
            let keys = credentials::api_keys(&mut transaction).await?;
            let key = keys
                .iter()
                .find(|key| short_id(&key.hash) == id.to_ascii_lowercase())
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
    let days = Days::new(365);
    today(now).checked_add_days(days).unwrap_or(NaiveDate::MAX)
}

fn today(now: Instant) -> NaiveDate {
    now.utc().unwrap_or_default().date_naive()
}

fn short_id(hash: &str) -> &str {
    hash.get(..ID_CHARS).unwrap_or(hash)
}
