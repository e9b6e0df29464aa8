//! Begin of write transactions.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::Instant;

use sqlx::SqlitePool;
use tokio::sync::{Notify, OwnedSemaphorePermit, Semaphore};
use tokio::time::timeout;

use crate::clock_check::{self, ClockCheck, server_now};
use crate::connection::{ACQUIRE_TIMEOUT, Db, Transaction};
use crate::error::{Error, Result};
use crate::locks::Locks;
use crate::postgres::Pool;
use crate::reachability::Reachability;
use crate::sql;
use crate::write_metrics::WriteMetrics;

/// Statement that excludes other writers from the start of a transaction.
const BEGIN: &str = "BEGIN IMMEDIATE";

/// Begins write transactions. Clones share connections.
#[derive(Clone, Debug)]
pub(crate) enum Writer {
    Sqlite(SqliteWriter),
    Postgres(PostgresWriter),
}

impl Writer {
    pub(crate) fn metrics(&self) -> &WriteMetrics {
        match self {
            Self::Sqlite(writer) => &writer.metrics,
            Self::Postgres(writer) => &writer.metrics,
        }
    }

    /// Begins a transaction with these locks. SQLite excludes all other writers in any case.
    pub(crate) async fn begin(&self, locks: &Locks) -> Result<Transaction> {
        match self {
            Self::Sqlite(writer) => writer.begin().await,
            Self::Postgres(writer) => {
                let (transaction, difference) = writer.begin(locks).await?;
                reject_wrong_clock(difference)?;
                Ok(transaction)
            }
        }
    }

    /// Begins a transaction that does not depend on the current instant.
    pub(crate) async fn begin_with_any_clock(&self, locks: &Locks) -> Result<Transaction> {
        match self {
            Self::Sqlite(writer) => writer.begin().await,
            Self::Postgres(writer) => Ok(writer.begin(locks).await?.0),
        }
    }

    /// Begins a transaction that probes the database. In PostgreSQL it excludes no writer: behind a probe that waited
    /// for the locks of a frozen replica, all bookings would wait.
    pub(crate) async fn begin_probe(&self) -> Result<Transaction> {
        match self {
            Self::Sqlite(writer) => writer.begin().await,
            Self::Postgres(writer) => writer.begin_probe().await,
        }
    }
}

/// SQLite's write connection.
#[derive(Clone, Debug)]
pub(crate) struct SqliteWriter {
    pool: SqlitePool,
    /// True if the connection must be replaced before its next use.
    is_invalid: Arc<AtomicBool>,
    metrics: WriteMetrics,
    /// Incremented before each transaction begins and after it has ended.
    version: Arc<AtomicU64>,
}

impl SqliteWriter {
    /// Creates a writer. `pool` must have one connection. `version` must be incremented when the
    /// connection is released, before it counts as idle.
    pub(crate) fn new(pool: SqlitePool, version: Arc<AtomicU64>, metrics: WriteMetrics) -> Self {
        Self {
            pool,
            version,
            metrics,
            is_invalid: Arc::default(),
        }
    }

    async fn begin(&self) -> Result<Transaction> {
        self.version.fetch_add(1, Ordering::SeqCst);
        if self.is_invalid.swap(false, Ordering::Relaxed) {
            self.replace().await?;
        }
        let began = Instant::now();
        let transaction = match self.pool.begin_with(BEGIN).await {
            // A full disk makes SQLite roll back a transaction, which sqlx still counts as open.
            Err(sqlx::Error::InvalidSavePointStatement) => {
                self.replace().await?;
                self.pool.begin_with(BEGIN).await?
            }
            begun => begun?,
        };
        self.metrics.record_wait("writer", began.elapsed());
        Ok(transaction.into())
    }

    /// Replaces the connection before its next use.
    pub(crate) fn invalidate(&self) {
        self.is_invalid.store(true, Ordering::Relaxed);
    }

    /// Returns a version that changes with every write; none while a write may be running.
    pub(crate) fn version(&self) -> Option<u64> {
        let version = self.version.load(Ordering::SeqCst);
        (self.pool.num_idle() == 1).then_some(version)
    }

    /// Returns the pool of the connection.
    pub(crate) fn pool(&self) -> &SqlitePool {
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

/// Locks keys in their order. Returns the server's clock for each, in the same round trip.
const LOCK: &str = concat!(
    "SELECT ",
    server_now!(),
    " FROM unnest(CAST(string_to_array(?1, ',') AS BIGINT[]), CAST(string_to_array(?2, ',') AS BIGINT[]))
         AS locks (key, shared)
     WHERE CASE shared WHEN 1 THEN pg_advisory_xact_lock_shared(key) ELSE pg_advisory_xact_lock(key) END IS NOT NULL"
);

/// Write transactions of PostgreSQL. Their locks last until they end: see [`crate::locks`].
#[derive(Clone, Debug)]
pub(crate) struct PostgresWriter {
    pool: Pool,
    /// One for each transaction.
    permits: Arc<Semaphore>,
    /// Notified after each commit.
    commits: Arc<Notify>,
    clock: ClockCheck,
    reachability: Reachability,
    metrics: WriteMetrics,
}

impl PostgresWriter {
    pub(crate) fn new(
        pool: Pool,
        commits: Arc<Notify>,
        clock: ClockCheck,
        reachability: Reachability,
        metrics: WriteMetrics,
    ) -> Self {
        Self {
            permits: Arc::new(Semaphore::new(pool.write_transactions())),
            pool,
            reachability,
            commits,
            clock,
            metrics,
        }
    }

    /// Waits until another write transaction may begin.
    async fn permit(&self) -> Result<OwnedSemaphorePermit, sqlx::Error> {
        let permit = timeout(ACQUIRE_TIMEOUT, self.permits.clone().acquire_owned());
        let permit = permit.await.map_err(|_| sqlx::Error::PoolTimedOut)?;
        permit.map_err(|_| sqlx::Error::PoolClosed)
    }

    /// Begins a transaction without locks.
    async fn begin_unlocked(&self, permit: Option<OwnedSemaphorePermit>) -> Result<Transaction> {
        let transaction = self.reachability.wait_for(self.pool.begin()).await?;
        let commits = self.commits.clone();
        Ok(Transaction::postgres(transaction, permit, commits))
    }

    async fn begin_probe(&self) -> Result<Transaction> {
        let mut transaction = self.begin_unlocked(None).await?;
        sql::query("SET LOCAL lock_timeout = '1s'")
            .execute(&mut transaction)
            .await?;
        let before = clock_check::now();
        let server: i64 = sql::query_scalar(concat!("SELECT ", server_now!()))
            .fetch_one(&mut transaction)
            .await?;
        self.clock.compare(before, server);
        Ok(transaction)
    }

    /// Begins a transaction. Returns the difference of the clocks, too, if it is too large.
    async fn begin(&self, locks: &Locks) -> Result<(Transaction, Option<i64>)> {
        let began = Instant::now();
        let permit = self.reachability.wait_for(self.permit()).await?;
        let mut transaction = self.begin_unlocked(Some(permit)).await?;
        self.metrics.record_wait("connection", began.elapsed());
        let (began, before) = (Instant::now(), clock_check::now());
        let server = lock(&mut transaction, locks).await?;
        self.metrics.record_wait(locks.name(), began.elapsed());
        Ok((transaction, self.clock.compare(before, server)))
    }
}

/// Waits for the locks, which last until the transaction of PostgreSQL ends. Returns the server's clock.
pub async fn lock(db: &mut Db, locks: &Locks) -> Result<i64, sqlx::Error> {
    let clocks: Vec<i64> = sql::query_scalar(LOCK)
        .bind(locks.keys_to_text())
        .bind(locks.shared_to_text())
        .fetch_all(db)
        .await?;
    clocks.last().copied().ok_or(sqlx::Error::RowNotFound)
}

/// Takes locks unless other transactions hold them; returns true if it has all of them.
pub(crate) async fn try_lock(db: &mut Db, locks: &Locks) -> Result<bool, sqlx::Error> {
    sql::query_scalar(
        "SELECT bool_and(CASE shared WHEN 1 THEN pg_try_advisory_xact_lock_shared(key)
                         ELSE pg_try_advisory_xact_lock(key) END)
         FROM unnest(CAST(string_to_array(?1, ',') AS BIGINT[]), CAST(string_to_array(?2, ',') AS BIGINT[]))
             AS locks (key, shared)",
    )
    .bind(locks.keys_to_text())
    .bind(locks.shared_to_text())
    .fetch_one(db)
    .await
}

fn reject_wrong_clock(difference_ms: Option<i64>) -> Result<()> {
    match difference_ms {
        None => Ok(()),
        Some(difference) => Err(Error::Unavailable(format!(
            "this machine's clock differs from the database server's by {difference} ms"
        ))),
    }
}
