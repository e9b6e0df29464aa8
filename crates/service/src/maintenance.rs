//! Work that a running service does for itself, a little every minute.

use std::future::Future;
use std::time::Duration;

use tokio::time::sleep;

use crate::app::AppState;
use crate::error::Result;
use crate::store::idempotency;

/// Time between two rounds.
const EVERY: Duration = Duration::from_secs(60);
/// Bytes that the write-ahead log may have.
const LONGEST_LOG: u64 = 64 * 1024 * 1024;

/// Runs a round every minute until `stop` resolves, which ends one under way.
pub async fn run(app: AppState, stop: impl Future<Output = ()>) {
    let rounds = async {
        loop {
            sleep(EVERY).await;
            if let Err(error) = round(&app).await {
                tracing::warn!(%error, "maintenance of the database has to wait");
            }
        }
    };
    tokio::select! {
        () = stop => {}
        () = rounds => {}
    }
    if let Err(error) = app.key_uses.write(&app.store).await {
        tracing::warn!(%error, "the last uses of API keys were not written");
    }
}

/// Does what there is to do.
pub async fn round(app: &AppState) -> Result<()> {
    app.key_uses.write(&app.store).await?;
    let now = app.clock.now();
    let has_old_responses = {
        let mut db = app.store.read().await?;
        idempotency::has_old(&mut db, now).await?
    };
    if has_old_responses {
        app.store
            .write(move |db| Box::pin(async move { idempotency::delete_old(db, now).await }))
            .await?;
    }
    let pages = app.store.give_back_free_pages().await?;
    if pages > 0 {
        tracing::info!(pages, "free pages of the database were given back");
    }
    app.store.shorten_log(LONGEST_LOG).await
}
