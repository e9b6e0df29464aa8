//! `service migrate`: makes the database or brings it up to date.

use super::args::Migrate;
use super::data_directory::{Outdated, bring_up_to_date, close};
use super::error::CliError;
use crate::store::Store;
use crate::store::upkeep;

/// Runs `service migrate`.
pub async fn run(options: Migrate) -> Result<(), CliError> {
    bring_up_to_date(&options.data, Outdated::Migrate).await?;
    let store = Store::open_current(&options.data).await?;
    let mut db = store.read().await?;
    println!("version {}", upkeep::version(&mut db).await?);
    drop(db);
    close(&store).await;
    Ok(())
}
