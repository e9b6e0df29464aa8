//! Periodic maintenance of the database while the service runs.

use std::future::Future;
use std::time::Duration;

use tokio::time::sleep;

use crate::app::AppState;
use crate::error::Result;
use crate::store::busy::reservations;
use crate::store::messages::{deliveries, mail};
use crate::store::people::email_codes;
use crate::store::upkeep::{allowances, idempotency};

/// Time between two rounds.
const INTERVAL: Duration = Duration::from_secs(60);

/// Largest size of the write-ahead log, in bytes.
const MAX_LOG_BYTES: u64 = 64 * 1024 * 1024;

/// Runs a round every minute until `stop` resolves, which cancels a running round.
pub async fn run(app: AppState, stop: impl Future<Output = ()>) {
    let rounds = async {
        loop {
            sleep(INTERVAL).await;
            if let Err(error) = round(&app).await {
                tracing::warn!(%error, "database maintenance failed, retrying later");
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

/// Runs one round: writes the last uses of API keys, deletes old rows, and frees space.
pub async fn round(app: &AppState) -> Result<()> {
    app.key_uses.write(&app.store).await?;
    let now = app.clock.now();
    for old in [
        idempotency::expired(),
        reservations::expired(),
        email_codes::expired(),
        allowances::ended(),
        deliveries::dropped(),
        deliveries::settled(),
        mail::settled(),
    ] {
        app.store.delete_old_rows(old, now).await?;
    }
    let pages = app.store.release_free_pages().await?;
    if pages > 0 {
        tracing::info!(pages, "free pages of the database were released");
    }
    app.store.truncate_wal(MAX_LOG_BYTES).await
}
