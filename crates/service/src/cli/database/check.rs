//! `booking-service check`: checks the integrity of a database.

use std::path::{Path, PathBuf};

use booking_store_engine::replicas;
use clap::Args;

use super::key_files;
use super::url::DatabaseUrl;
use crate::cli::error::CliError;
use crate::clock::Clock;
use crate::process::zone_data;
use crate::store;
use crate::store::migrations;
use crate::store::transfer::read_snapshot;
use crate::store::upkeep::integrity;
use crate::store::{FILE_NAME, OpenError};

/// Hint at PostgreSQL's own tool.
const POSTGRES_TOOL: &str = "pg_amcheck checks PostgreSQL's tables and indexes";

/// Options of `booking-service check`.
#[derive(Clone, Debug, Args)]
pub struct Check {
    /// Directory of the database, or a database file such as a backup
    #[arg(long, value_name = "DIR", required_unless_present_any = ["database_url", "platform_database_url"])]
    pub data: Option<PathBuf>,

    /// PostgreSQL database: only what the service itself wants to hold is checked, not PostgreSQL's files.
    #[command(flatten)]
    pub database: DatabaseUrl,
}

/// Runs `booking-service check`: prints one finding per line.
pub async fn run(options: Check) -> Result<(), CliError> {
    println!(
        "time zone data {}",
        zone_data::summary(Clock::system().now())
    );
    let data = options.data.as_deref();
    let (name, findings) = match data {
        // As for a backup, an address in the environment has no effect on a file.
        Some(file) if file.is_file() => (file.display().to_string(), check_database(file).await?),
        data => match options.database.choose_as_service(data)? {
            Some(url) => {
                println!("{POSTGRES_TOOL}");
                ("the database".to_owned(), check_postgres(url, data).await?)
            }
            None => {
                let directory = data.ok_or(CliError::NoDatabase)?;
                let file = database_file(directory);
                let mut findings = check_database(&file).await?;
                // Rows of a damaged file are unreliable.
                if findings.is_empty() {
                    findings = check_keys(&file, directory).await?;
                }
                (file.display().to_string(), findings)
            }
        },
    };
    for finding in &findings {
        println!("{finding}");
    }
    match findings.len() {
        0 => {
            println!("{name}: sound");
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

/// Checks what a PostgreSQL database has at one instant, while replicas use it, and returns the findings.
async fn check_postgres(url: &str, directory: Option<&Path>) -> Result<Vec<String>, CliError> {
    let mut db = store::connect_usable(url).await?;
    // Problems of replicas do not fail the check.
    for finding in replicas::find(&mut db).await.map_err(OpenError::from)? {
        println!("{finding}");
    }
    read_snapshot(&mut db).await?;
    let findings = async {
        let mut findings = integrity::check_invariants(&mut db).await?;
        if let Some(directory) = directory {
            findings.extend(key_files::findings(&mut db, directory).await?);
        }
        Ok(findings)
    };
    let findings = findings.await;
    integrity::close(db).await;
    findings
}

/// Compares the keys of a data directory with those that its database was used with.
async fn check_keys(file: &Path, directory: &Path) -> Result<Vec<String>, CliError> {
    let mut db = integrity::open(file).await?;
    let findings = async {
        // Earlier versions have no fingerprints.
        match migrations::schema(&mut db).await? {
            schema if schema.is_usable() => key_files::findings(&mut db, directory).await,
            _ => Ok(Vec::new()),
        }
    };
    let findings = findings.await;
    integrity::close(db).await;
    findings
}

/// The database file of a data directory; `data` may also be the file itself.
pub(crate) fn database_file(data: &Path) -> PathBuf {
    if data.is_dir() {
        data.join(FILE_NAME)
    } else {
        data.to_owned()
    }
}
