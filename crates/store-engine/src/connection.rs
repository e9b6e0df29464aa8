//! Database connections.

use std::ops::{Deref, DerefMut};
use std::pin::Pin;
use std::sync::Arc;
use std::time::Duration;

use sqlx::pool::PoolConnection;
use sqlx::{Connection as _, PgConnection, Postgres, Sqlite, SqliteConnection};
use tokio::sync::{Notify, OwnedSemaphorePermit};

/// A future on the heap.
pub type BoxFuture<'a, T> = Pin<Box<dyn Future<Output = T> + Send + 'a>>;

/// Timeout for acquiring a connection. It is shorter than the timeout of a request, so that the
/// client receives a 503 response and knows that nothing was written.
pub(crate) const ACQUIRE_TIMEOUT: Duration = Duration::from_secs(20);

/// One connection, inside or outside a transaction.
#[derive(Debug)]
pub struct Db(Handle);

#[derive(Debug)]
enum Handle {
    Sqlite(Box<SqliteConnection>),
    SqlitePool(PoolConnection<Sqlite>),
    SqliteTransaction(sqlx::Transaction<'static, Sqlite>),
    Postgres(Box<PgConnection>),
    PostgresPool(PoolConnection<Postgres>),
    PostgresTransaction(sqlx::Transaction<'static, Postgres>),
    PoolerTransaction(sqlx::Transaction<'static, Postgres>),
}

/// The driver's connection of a [`Db`].
#[derive(Debug)]
pub enum Connection<'db> {
    /// SQLite's.
    Sqlite(&'db mut SqliteConnection),
    /// PostgreSQL's.
    Postgres(&'db mut PgConnection),
}

/// Kind of database.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Database {
    /// A file of this process.
    Sqlite,
    /// A server, which replicas share.
    Postgres,
}

impl Db {
    /// Returns the kind of database.
    pub fn database(&self) -> Database {
        match self.0 {
            Handle::Sqlite(_) | Handle::SqlitePool(_) | Handle::SqliteTransaction(_) => {
                Database::Sqlite
            }
            Handle::Postgres(_)
            | Handle::PostgresPool(_)
            | Handle::PostgresTransaction(_)
            | Handle::PoolerTransaction(_) => Database::Postgres,
        }
    }

    /// Returns the driver's connection.
    pub fn connection(&mut self) -> Connection<'_> {
        match &mut self.0 {
            Handle::Sqlite(db) => Connection::Sqlite(db),
            Handle::SqlitePool(db) => Connection::Sqlite(db),
            Handle::SqliteTransaction(db) => Connection::Sqlite(db),
            Handle::Postgres(db) => Connection::Postgres(db),
            Handle::PostgresPool(db) => Connection::Postgres(db),
            Handle::PostgresTransaction(db) | Handle::PoolerTransaction(db) => {
                Connection::Postgres(db)
            }
        }
    }

    /// A transaction through a pooler that shares sessions.
    pub(crate) fn through_pooler(transaction: sqlx::Transaction<'static, Postgres>) -> Self {
        Self(Handle::PoolerTransaction(transaction))
    }

    /// Returns true if a prepared statement can be used again.
    pub(crate) fn keeps_statements(&self) -> bool {
        !matches!(self.0, Handle::PoolerTransaction(_))
    }
}

impl Db {
    /// Closes a connection that belongs to no pool; another returns to its pool.
    pub async fn close(self) -> Result<(), sqlx::Error> {
        match self.0 {
            Handle::Sqlite(db) => db.close().await,
            Handle::Postgres(db) => db.close().await,
            _ => Ok(()),
        }
    }
}

impl From<SqliteConnection> for Db {
    fn from(db: SqliteConnection) -> Self {
        Self(Handle::Sqlite(Box::new(db)))
    }
}

impl From<sqlx::Transaction<'static, Postgres>> for Db {
    fn from(transaction: sqlx::Transaction<'static, Postgres>) -> Self {
        Self(Handle::PostgresTransaction(transaction))
    }
}

impl From<PgConnection> for Db {
    fn from(db: PgConnection) -> Self {
        Self(Handle::Postgres(Box::new(db)))
    }
}

/// A connection for reads, which returns to its pool.
#[derive(Debug)]
pub struct Reader(Db);

impl Reader {
    /// A transaction for reads through a pooler that shares sessions.
    pub(crate) fn through_pooler(transaction: sqlx::Transaction<'static, Postgres>) -> Self {
        Self(Db::through_pooler(transaction))
    }
}

impl From<PoolConnection<Sqlite>> for Reader {
    fn from(db: PoolConnection<Sqlite>) -> Self {
        Self(Db(Handle::SqlitePool(db)))
    }
}

impl From<PoolConnection<Postgres>> for Reader {
    fn from(db: PoolConnection<Postgres>) -> Self {
        Self(Db(Handle::PostgresPool(db)))
    }
}

impl Deref for Reader {
    type Target = Db;

    fn deref(&self) -> &Db {
        &self.0
    }
}

impl DerefMut for Reader {
    fn deref_mut(&mut self) -> &mut Db {
        &mut self.0
    }
}

/// A write transaction. Dropped without a commit, it is rolled back.
#[derive(Debug)]
pub struct Transaction {
    db: Db,
    /// Limits the number of transactions of PostgreSQL.
    _permit: Option<OwnedSemaphorePermit>,
    /// Notified after a commit.
    commits: Option<Arc<Notify>>,
}

impl From<sqlx::Transaction<'static, Sqlite>> for Transaction {
    fn from(transaction: sqlx::Transaction<'static, Sqlite>) -> Self {
        Self {
            db: Db(Handle::SqliteTransaction(transaction)),
            _permit: None,
            commits: None,
        }
    }
}

impl Transaction {
    pub(crate) fn postgres(
        db: Db,
        permit: Option<OwnedSemaphorePermit>,
        commits: Arc<Notify>,
    ) -> Self {
        Self {
            db,
            _permit: permit,
            commits: Some(commits),
        }
    }

    /// Commits.
    pub async fn commit(self) -> Result<(), sqlx::Error> {
        match self.db.0 {
            Handle::SqliteTransaction(transaction) => transaction.commit().await?,
            Handle::PostgresTransaction(transaction) | Handle::PoolerTransaction(transaction) => {
                transaction.commit().await?;
            }
            // Not created by the conversions above.
            _ => {}
        }
        if let Some(commits) = self.commits {
            commits.notify_one();
        }
        Ok(())
    }

    /// Rolls back.
    pub async fn rollback(self) -> Result<(), sqlx::Error> {
        match self.db.0 {
            Handle::SqliteTransaction(transaction) => transaction.rollback().await,
            Handle::PostgresTransaction(transaction) | Handle::PoolerTransaction(transaction) => {
                transaction.rollback().await
            }
            // Not created by the conversions above.
            _ => Ok(()),
        }
    }
}

impl Deref for Transaction {
    type Target = Db;

    fn deref(&self) -> &Db {
        &self.db
    }
}

impl DerefMut for Transaction {
    fn deref_mut(&mut self) -> &mut Db {
        &mut self.db
    }
}
