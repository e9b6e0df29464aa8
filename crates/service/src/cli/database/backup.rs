//! `booking-service backup`: a consistent copy of the database, created while the service runs.

use std::io;
use std::path::{Path, PathBuf};

use booking_store_engine::schema::{self, SchemaState};
use clap::Args;

use super::check;
use super::data_directory;
use super::url::DatabaseUrl;
use crate::cli::error::CliError;
use crate::cli::temporary_file::TemporaryFile;
use crate::store::migrations;
use crate::store::upkeep::integrity;
use crate::store::{Db, OpenError};

/// Tool of PostgreSQL for the same purpose.
const POSTGRES_TOOL: &str = "pg_dump --format=custom copies it while services run";

/// Options of `booking-service backup`.
#[derive(Clone, Debug, Args)]
pub struct Backup {
    /// Directory of the database
    #[arg(long, value_name = "DIR", required_unless_present_any = ["database_url", "platform_database_url"])]
    pub data: Option<PathBuf>,

    /// PostgreSQL database: the command names the tool of PostgreSQL to use instead.
    #[command(flatten)]
    pub database: DatabaseUrl,

    /// File to create; it must not exist
    #[arg(long, value_name = "FILE")]
    pub to: PathBuf,
}

/// Runs `booking-service backup`. The file gets its final name after its integrity was checked.
pub async fn run(options: Backup) -> Result<(), CliError> {
    let data =
        data_directory::sqlite_only(options.data.as_deref(), &options.database, POSTGRES_TOOL)?;
    let backup = |cause: io::Error| CliError::Backup {
        file: options.to.display().to_string(),
        cause,
    };
    if options.to.exists() {
        return Err(backup(io::ErrorKind::AlreadyExists.into()));
    }
    let temporary_file = TemporaryFile::new(&options.to).map_err(backup)?;

    let mut db = integrity::open(&check::database_file(data)).await?;
    let copied = copy(&mut db, temporary_file.path()).await;
    integrity::close(db).await;
    copied?;

    let mut copy = integrity::open(temporary_file.path()).await?;
    let findings = integrity::check_file(&mut copy).await;
    integrity::close(copy).await;
    if let Some(first) = findings?.first() {
        return Err(CliError::IntegrityCheck(format!(
            "the copy is not sound and was removed: {first}"
        )));
    }
    temporary_file.complete(&options.to).map_err(backup)?;
    println!("{}", options.to.display());
    Ok(())
}

/// Copies a database of this version, an earlier one, or a later one that this program may use.
async fn copy(db: &mut Db, file: &Path) -> Result<(), CliError> {
    let schema = migrations::schema(db).await?;
    if matches!(schema.state, SchemaState::Newer { .. }) {
        return Err(OpenError::Schema(schema).into());
    }
    Ok(schema::copy_into(db, file).await?)
}
