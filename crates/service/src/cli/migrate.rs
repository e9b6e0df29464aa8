//! `service migrate`: creates or migrates the database.

use clap::Args;

use super::data_directory::{Data, Outdated, close, ensure_current_schema, open_existing};
use super::error::CliError;
use crate::store::schema;

/// Options of `service migrate`.
#[derive(Clone, Debug, Args)]
pub struct Migrate {
    /// Database; created if it does not exist
    #[command(flatten)]
    pub data: Data,
}

/// Runs `service migrate`.
pub async fn run(options: Migrate) -> Result<(), CliError> {
    ensure_current_schema(&options.data, Outdated::Migrate).await?;
    let (store, _) = open_existing(&options.data).await?;
    let mut db = store.read().await?;
    println!("version {}", schema::version(&mut db).await?);
    drop(db);
    close(&store).await;
    Ok(())
}
