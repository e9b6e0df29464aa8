//! `service vacuum`: rewrites the database without free space.

use super::args::Vacuum;
use super::data_directory;
use super::error::CliError;
use super::instance_lock::InstanceLock;
use crate::store::{Store, space};

/// Runs `service vacuum`. It takes the lock of the data directory: every writer would have to wait.
pub async fn run(options: Vacuum) -> Result<(), CliError> {
    let (store, _) = data_directory::existing(&options.data).await?;
    Store::close(&store).await;
    let _lock = InstanceLock::try_acquire(&options.data)?;
    let (before, after) = space::vacuum(&options.data).await?;
    println!("{before} bytes before, {after} bytes after");
    Ok(())
}
