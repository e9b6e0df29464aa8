//! `booking-service vacuum`: rewrites the database without free space.

use std::path::PathBuf;

use clap::Args;

use super::data_directory::{self, Data};
use super::instance_lock::InstanceLock;
use super::url::DatabaseUrl;
use crate::cli::error::CliError;
use crate::store::upkeep::free_pages;

/// Tool of PostgreSQL for the same purpose.
const POSTGRES_TOOL: &str = "VACUUM, which it runs by itself";

/// Options of `booking-service vacuum`.
#[derive(Clone, Debug, Args)]
pub struct Vacuum {
    /// Directory of the database
    #[arg(long, value_name = "DIR", required_unless_present_any = ["database_url", "platform_database_url"])]
    pub data: Option<PathBuf>,

    /// PostgreSQL database: the command names the tool of PostgreSQL to use instead.
    #[command(flatten)]
    pub database: DatabaseUrl,
}

/// Runs `booking-service vacuum`. Locks the data directory, because all other writers would have to wait.
pub async fn run(options: Vacuum) -> Result<(), CliError> {
    let data =
        data_directory::sqlite_only(options.data.as_deref(), &options.database, POSTGRES_TOOL)?;
    let (store, _) = data_directory::open_existing(&Data::of(data)).await?;
    store.close().await;
    let _lock = InstanceLock::try_acquire(data)?;
    let (before, after) = free_pages::vacuum(data).await?;
    println!("{before} bytes before, {after} bytes after");
    Ok(())
}
