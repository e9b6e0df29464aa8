//! The one connection that writes.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use sqlx::{Sqlite, SqlitePool, Transaction};

use crate::error::Result;

/// Excludes every other writer from the beginning of a transaction.
const BEGIN: &str = "BEGIN IMMEDIATE";

/// The connection, and whether it can be relied on. Clones share it.
#[derive(Clone, Debug)]
pub(super) struct Writer {
    pool: SqlitePool,
    /// Whether the connection is to be replaced before it is used again.
    suspect: Arc<AtomicBool>,
    /// Grows before each transaction begins and after it has ended.
    state: Arc<AtomicU64>,
}

impl Writer {
    /// `pool` must have one connection.
    /// `state` has to grow whenever it is given back, before it counts as idle.
    pub(super) fn new(pool: SqlitePool, state: Arc<AtomicU64>) -> Self {
        Self {
            pool,
            state,
            suspect: Arc::default(),
        }
    }

    /// Begins a transaction.
    pub(super) async fn begin(&self) -> Result<Transaction<'static, Sqlite>> {
        self.state.fetch_add(1, Ordering::SeqCst);
        if self.suspect.swap(false, Ordering::Relaxed) {
            self.replace().await?;
        }
        match self.pool.begin_with(BEGIN).await {
            // A full disk makes SQLite end a transaction by itself, and sqlx counts it as open.
            Err(sqlx::Error::InvalidSavePointStatement) => {
                self.replace().await?;
                Ok(self.pool.begin_with(BEGIN).await?)
            }
            begun => Ok(begun?),
        }
    }

    /// Has the connection replaced before it is used again.
    pub(super) fn suspect(&self) {
        self.suspect.store(true, Ordering::Relaxed);
    }

    /// A number that is another one after every write; none while one may be under way.
    pub(super) fn state(&self) -> Option<u64> {
        let state = self.state.load(Ordering::SeqCst);
        (self.pool.num_idle() == 1).then_some(state)
    }

    /// How many connections there are.
    pub(super) fn size(&self) -> u32 {
        self.pool.size()
    }

    /// How many of them are idle.
    pub(super) fn num_idle(&self) -> usize {
        self.pool.num_idle()
    }

    /// Waits for the connection to be given back and closes it.
    pub(super) async fn close(&self) {
        self.pool.close().await;
    }

    async fn replace(&self) -> Result<()> {
        tracing::warn!("the writing connection is replaced");
        let connection = self.pool.acquire().await?;
        // What it had open is lost either way.
        if let Err(cause) = connection.close().await {
            tracing::warn!(%cause, "the writing connection was not closed cleanly");
        }
        Ok(())
    }
}
