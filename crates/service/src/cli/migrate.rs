//! `service migrate`: creates or migrates the database.

use std::path::PathBuf;

use clap::Args;

use super::data_directory::{Outdated, close, ensure_current_schema};
use super::error::CliError;
use crate::store::{Store, schema};

/// Options of `service migrate`.
#[derive(Clone, Debug, Args)]
pub struct Migrate {
    /// Directory of the database; created if it does not exist
    #[arg(long, value_name = "DIR")]
    pub data: PathBuf,
}

/// Runs `service migrate`.
pub async fn run(options: Migrate) -> Result<(), CliError> {
    ensure_current_schema(&options.data, Outdated::Migrate).await?;
    let store = Store::open_current(&options.data).await?;
    let mut db = store.read().await?;
    println!("version {}", schema::version(&mut db).await?);
    drop(db);
    close(&store).await;
    Ok(())
}
