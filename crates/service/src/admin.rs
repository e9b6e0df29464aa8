//! Commands of operators: people, keys, OAuth clients and tokens.
//!
//! Every command gives the text that it prints. A secret is printed once, when it is made; the
//! database has its hash only. All of them may be used while the service runs.

mod clients;
mod keys;
mod permissions;
mod tokens;
mod users;

use std::path::{Path, PathBuf};

use booking_wire::Instant;
use clap::Args;
use sqlx::SqliteConnection;

use crate::clock::Clock;
use crate::error::{Error, Result};
use crate::serve::Problem;
use crate::store::upkeep::{self, Schema};
use crate::store::{self, Db, OpenError, Store, examine, users as stored_users};

pub use clients::{ClientCommand, client};
pub use keys::{KeyCommand, key};
pub use permissions::{Permissions, permissions};
pub use tokens::{Holder, TokenCommand, token};
pub use users::{Named, NewPerson, OrganizationRole, UserCommand, user};

/// Scopes of API keys and of an OAuth client's tokens.
const SCOPES: [&str; 11] = [
    "*",
    "EVENT_TYPE_READ",
    "EVENT_TYPE_WRITE",
    "BOOKING_READ",
    "BOOKING_WRITE",
    "SCHEDULE_READ",
    "SCHEDULE_WRITE",
    "APPS_READ",
    "APPS_WRITE",
    "PROFILE_READ",
    "PROFILE_WRITE",
];

/// The data directory.
#[derive(Clone, Debug, Args)]
pub struct Data {
    /// Directory of the database
    #[arg(long, value_name = "DIR")]
    pub data: PathBuf,
}

/// Opens the database of a directory for a command that writes: a mistyped directory is not made,
/// and a database of another version is refused.
pub(crate) async fn existing(directory: &Path) -> Result<(Store, Instant), Problem> {
    refuse_missing(directory)?;
    let store = Store::open_current(directory).await?;
    Ok((store, Clock::system().now()))
}

/// Opens the database of a directory for a command that only reads.
pub(crate) async fn existing_to_read(directory: &Path) -> Result<SqliteConnection, Problem> {
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

fn refuse_missing(directory: &Path) -> Result<(), Problem> {
    if directory.join(store::FILE_NAME).exists() {
        return Ok(());
    }
    Err(Error::NotFound(format!(
        "{} holds no data: start the service there, or add a person first",
        directory.display()
    ))
    .into())
}

async fn person(db: &mut Db, name: &str) -> Result<i64> {
    stored_users::by_username_or_email(db, name)
        .await?
        .ok_or_else(|| Error::not_found("User", name))
}

fn day(epoch_ms: i64) -> String {
    let utc = Instant(epoch_ms).utc().unwrap_or_default();
    utc.date_naive().to_string()
}

/// Scopes in a row, from their JSON array; none is everything.
fn scope_names(json: Option<&str>) -> Result<String> {
    let Some(json) = json else {
        return Ok("*".into());
    };
    let scopes: Vec<String> = serde_json::from_str(json)?;
    Ok(scopes.join(","))
}

/// Aligned columns under their headings; no blanks at the ends of lines.
pub(crate) fn columns<const N: usize, T: AsRef<str>>(
    headings: [&str; N],
    rows: &[[T; N]],
) -> String {
    let rows: Vec<[&str; N]> = std::iter::once(headings)
        .chain(rows.iter().map(|row| row.each_ref().map(AsRef::as_ref)))
        .collect();
    let mut widths = [0; N];
    for row in &rows {
        for (width, text) in widths.iter_mut().zip(row) {
            *width = text.chars().count().max(*width);
        }
    }
    let mut text = String::new();
    for row in &rows {
        let line: Vec<String> = row
            .iter()
            .zip(widths)
            .map(|(text, width)| format!("{text:width$}"))
            .collect();
        text.push_str(line.join("  ").trim_end());
        text.push('\n');
    }
    text
}
