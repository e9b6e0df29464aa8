//! The write connection.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use sqlx::{Sqlite, SqlitePool, Transaction};

use crate::error::Result;

/// Statement that excludes other writers from the start of a transaction.
const BEGIN: &str = "BEGIN IMMEDIATE";

/// The write connection. Clones share it.
#[derive(Clone, Debug)]
pub(super) struct Writer {
    pool: SqlitePool,
    /// True if the connection must be replaced before its next use.
    is_invalid: Arc<AtomicBool>,
    /// Incremented before each transaction begins and after it has ended.
    version: Arc<AtomicU64>,
}

impl Writer {
    /// Creates a writer. `pool` must have one connection. `version` must be incremented when the
    /// connection is released, before it counts as idle.
    pub(super) fn new(pool: SqlitePool, version: Arc<AtomicU64>) -> Self {
        Self {
            pool,
            version,
            is_invalid: Arc::default(),
        }
    }

    /// Begins a transaction.
    pub(super) async fn begin(&self) -> Result<Transaction<'static, Sqlite>> {
        self.version.fetch_add(1, Ordering::SeqCst);
        if self.is_invalid.swap(false, Ordering::Relaxed) {
            self.replace().await?;
        }
        match self.pool.begin_with(BEGIN).await {
            // A full disk makes SQLite roll back a transaction, which sqlx still counts as open.
            Err(sqlx::Error::InvalidSavePointStatement) => {
                self.replace().await?;
                Ok(self.pool.begin_with(BEGIN).await?)
            }
            begun => Ok(begun?),
        }
    }

    /// Replaces the connection before its next use.
    pub(super) fn invalidate(&self) {
        self.is_invalid.store(true, Ordering::Relaxed);
    }

    /// Returns a version that changes with every write; none while a write may be running.
    pub(super) fn version(&self) -> Option<u64> {
        let version = self.version.load(Ordering::SeqCst);
        (self.pool.num_idle() == 1).then_some(version)
    }

    /// Returns the number of connections.
    pub(super) fn size(&self) -> u32 {
        self.pool.size()
    }

    /// Returns the number of idle connections.
    pub(super) fn num_idle(&self) -> usize {
        self.pool.num_idle()
    }

    /// Waits for the connection to be released and closes it.
    pub(super) async fn close(&self) {
        self.pool.close().await;
    }

    async fn replace(&self) -> Result<()> {
        tracing::warn!("the writing connection is replaced");
        let connection = self.pool.acquire().await?;
        // Its open transaction is lost in any case.
        if let Err(cause) = connection.close().await {
            tracing::warn!(%cause, "the writing connection was not closed cleanly");
        }
        Ok(())
    }
}
