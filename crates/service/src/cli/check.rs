//! `service check`: checks the integrity of a database.

use std::path::{Path, PathBuf};

use clap::Args;

use super::data_directory;
use super::error::CliError;
use crate::store::{FILE_NAME, integrity};

/// Tool of PostgreSQL for the same purpose.
const POSTGRES_TOOL: &str = "pg_amcheck checks tables and indexes";

/// Options of `service check`.
#[derive(Clone, Debug, Args)]
pub struct Check {
    /// Directory of the database, or a database file such as a backup
    #[arg(long, value_name = "DIR", required_unless_present = "database_url")]
    pub data: Option<PathBuf>,

    /// PostgreSQL database: the command names the tool of PostgreSQL to use instead
    #[arg(long, value_name = "URL", hide_env_values = true)]
    pub database_url: Option<String>,
}

/// Runs `service check`: prints one finding per line.
pub async fn run(options: Check) -> Result<(), CliError> {
    let data = data_directory::sqlite_only(
        options.data.as_deref(),
        options.database_url.as_deref(),
        POSTGRES_TOOL,
    )?;
    let file = database_file(data);
    let findings = check_database(&file).await?;
    for finding in &findings {
        println!("{finding}");
    }
    match findings.len() {
        0 => {
            println!("{}: sound", file.display());
            Ok(())
        }
        1 => Err(CliError::IntegrityCheck("1 finding".to_owned())),
        several => Err(CliError::IntegrityCheck(format!("{several} findings"))),
    }
}

/// Checks a database file and returns the findings. The file is only read.
pub async fn check_database(file: &Path) -> Result<Vec<String>, CliError> {
    let mut db = integrity::open(file).await?;
    let findings = async {
        let findings = integrity::check_file(&mut db).await?;
        // Rows of a damaged file are unreliable.
        if findings.is_empty() {
            integrity::check_invariants(&mut db).await
        } else {
            Ok(findings)
        }
    };
    let findings = findings.await;
    integrity::close(db).await;
    Ok(findings?)
}

/// The database file of a data directory; `data` may also be the file itself.
pub(crate) fn database_file(data: &Path) -> PathBuf {
    if data.is_dir() {
        data.join(FILE_NAME)
    } else {
        data.to_owned()
    }
}
