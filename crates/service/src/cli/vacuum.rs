//! `service vacuum`: rewrites the database without free space.

use std::path::PathBuf;

use clap::Args;

use super::data_directory::{self, Data};
use super::error::CliError;
use super::instance_lock::InstanceLock;
use crate::store::{Store, disk_space};

/// Options of `service vacuum`.
#[derive(Clone, Debug, Args)]
pub struct Vacuum {
    /// Directory of the database
    #[arg(long, value_name = "DIR")]
    pub data: PathBuf,
}

/// Runs `service vacuum`. Locks the data directory, because all other writers would have to wait.
pub async fn run(options: Vacuum) -> Result<(), CliError> {
    let (store, _) = data_directory::open_existing(&Data::of(&options.data)).await?;
    Store::close(&store).await;
    let _lock = InstanceLock::try_acquire(&options.data)?;
    let (before, after) = disk_space::vacuum(&options.data).await?;
    println!("{before} bytes before, {after} bytes after");
    Ok(())
}
