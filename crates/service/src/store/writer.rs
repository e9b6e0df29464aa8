//! Write transactions, one at a time.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use sqlx::{PgPool, SqlitePool};
use tokio::sync::Notify;

use crate::error::{Error, Result};
use crate::store::clock_check::{self, ClockCheck, server_now};
use crate::store::connection::Transaction;
use crate::store::reachability::Reachability;
use crate::store::sql;

/// Statement that excludes other writers from the start of a transaction.
const BEGIN: &str = "BEGIN IMMEDIATE";

/// Begins write transactions. Clones share connections.
#[derive(Clone, Debug)]
pub(super) enum Writer {
    Sqlite(SqliteWriter),
    Postgres(PostgresWriter),
}

impl Writer {
    /// Begins a transaction that excludes other writers.
    pub(super) async fn begin(&self) -> Result<Transaction> {
        match self {
            Self::Sqlite(writer) => writer.begin().await,
            Self::Postgres(writer) => {
                let (transaction, difference) = writer.begin().await?;
                reject_wrong_clock(difference)?;
                Ok(transaction)
            }
        }
    }

    /// Begins a transaction that does not depend on the current instant.
    pub(super) async fn begin_with_any_clock(&self) -> Result<Transaction> {
        match self {
            Self::Sqlite(writer) => writer.begin().await,
            Self::Postgres(writer) => Ok(writer.begin().await?.0),
        }
    }
}

/// SQLite's write connection.
#[derive(Clone, Debug)]
pub(super) struct SqliteWriter {
    pool: SqlitePool,
    /// True if the connection must be replaced before its next use.
    is_invalid: Arc<AtomicBool>,
    /// Incremented before each transaction begins and after it has ended.
    version: Arc<AtomicU64>,
}

impl SqliteWriter {
    /// Creates a writer. `pool` must have one connection. `version` must be incremented when the
    /// connection is released, before it counts as idle.
    pub(super) fn new(pool: SqlitePool, version: Arc<AtomicU64>) -> Self {
        Self {
            pool,
            version,
            is_invalid: Arc::default(),
        }
    }

    async fn begin(&self) -> Result<Transaction> {
        self.version.fetch_add(1, Ordering::SeqCst);
        if self.is_invalid.swap(false, Ordering::Relaxed) {
            self.replace().await?;
        }
        let transaction = match self.pool.begin_with(BEGIN).await {
            // A full disk makes SQLite roll back a transaction, which sqlx still counts as open.
            Err(sqlx::Error::InvalidSavePointStatement) => {
                self.replace().await?;
                self.pool.begin_with(BEGIN).await?
            }
            begun => begun?,
        };
        Ok(transaction.into())
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

    /// Returns the pool of the connection.
    pub(super) fn pool(&self) -> &SqlitePool {
        &self.pool
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

/// Write transactions of PostgreSQL: the same as SQLite's, over all replicas.
///
/// Every rule of the service reads before it writes and relies on one writer. Each write transaction first updates
/// one row, whose lock keeps that true at READ COMMITTED without a retry: each later statement sees what was
/// committed before the lock was acquired. The row counts the transactions. The same statement reads the server's clock.
#[derive(Clone, Debug)]
pub(super) struct PostgresWriter {
    pool: PgPool,
    /// Notified after each commit.
    commits: Arc<Notify>,
    clock: ClockCheck,
    reachability: Reachability,
}

impl PostgresWriter {
    pub(super) fn new(
        pool: PgPool,
        commits: Arc<Notify>,
        clock: ClockCheck,
        reachability: Reachability,
    ) -> Self {
        Self {
            pool,
            reachability,
            commits,
            clock,
        }
    }

    /// Begins a transaction. Returns the difference of the clocks, too, if it is too large.
    async fn begin(&self) -> Result<(Transaction, Option<i64>)> {
        let transaction = self.reachability.wait_for(self.pool.begin()).await?;
        let mut transaction = Transaction::postgres(transaction, self.commits.clone());
        let before = clock_check::now();
        let server: i64 = sql::query_scalar(concat!(
            "UPDATE write_version SET version = version + 1 RETURNING ",
            server_now!()
        ))
        .fetch_one(&mut transaction)
        .await?;
        Ok((transaction, self.clock.compare(before, server)))
    }
}

fn reject_wrong_clock(difference_ms: Option<i64>) -> Result<()> {
    match difference_ms {
        None => Ok(()),
        Some(difference) => Err(Error::unavailable(format!(
            "this machine's clock differs from the database server's by {difference} ms"
        ))),
    }
}
