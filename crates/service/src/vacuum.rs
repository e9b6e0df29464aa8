//! `service vacuum`: rewrites the database without free space.

use crate::admin;
use crate::config::Vacuum;
use crate::instance_lock::InstanceLock;
use crate::serve::Problem;
use crate::store::{Store, space};

/// Runs `service vacuum`. It takes the lock of the data directory: every writer would have to wait.
pub async fn run(options: Vacuum) -> Result<(), Problem> {
    let (store, _) = admin::existing(&options.data).await?;
    Store::close(&store).await;
    let _lock = InstanceLock::try_acquire(&options.data)?;
    let (before, after) = space::vacuum(&options.data).await?;
    println!("{before} bytes before, {after} bytes after");
    Ok(())
}
