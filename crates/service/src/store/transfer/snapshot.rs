//! Connections for moving a database: nothing else uses it, and reads see one state.

use std::fmt;
use std::path::Path;
use std::time::Duration;

use tokio::time::timeout;

use super::transfer_error::TransferError;
use crate::store::connection::Db;
use crate::store::open_error::OpenError;
use crate::store::schema::{self, Schema};
use crate::store::sql::{self, by_database};
use crate::store::{integrity, leadership, postgres};

/// Time to connect to a server.
const CONNECT_TIMEOUT: Duration = Duration::from_secs(20);

/// A database of a move.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Side {
    /// Database that is read.
    Source,
    /// Database that is written.
    Target,
}

impl fmt::Display for Side {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Source => "source",
            Self::Target => "target",
        })
    }
}

impl Side {
    /// Adds the database to an error.
    pub fn error(self, cause: impl Into<OpenError>) -> TransferError {
        TransferError::Open {
            side: self,
            cause: cause.into(),
        }
    }

    fn check(self, schema: Schema) -> Result<(), TransferError> {
        match schema {
            Schema::Current => Ok(()),
            other => Err(self.error(OpenError::Schema(other))),
        }
    }
}

/// Connects to a PostgreSQL database with a current schema, and keeps replicas from working until the connection ends.
/// Creates the tables of an empty target.
///
/// # Errors
///
/// [`TransferError::InUse`] if a replica is running.
pub async fn connect_postgres(url: &str, side: Side) -> Result<Db, TransferError> {
    let connecting = timeout(CONNECT_TIMEOUT, postgres::connect(url));
    let mut db = connecting
        .await
        .map_err(|_| side.error(sqlx::Error::Io(std::io::ErrorKind::TimedOut.into())))?
        .map_err(|cause| side.error(cause))?;
    let mut schema = schema::schema(&mut db).await?;
    if side == Side::Target && schema == Schema::Empty {
        let migrated = postgres::migrate_postgres(url).await;
        migrated.map_err(|cause| side.error(cause))?;
        schema = schema::schema(&mut db).await?;
    }
    side.check(schema)?;
    if !leadership::try_lock(&mut db).await? {
        return Err(TransferError::InUse(side));
    }
    Ok(db)
}

/// Opens an SQLite file with a current schema for reads.
pub async fn open_sqlite(file: &Path, side: Side) -> Result<Db, TransferError> {
    let mut db = integrity::open(file)
        .await
        .map_err(|cause| side.error(cause))?;
    let schema = schema::schema(&mut db).await;
    side.check(schema.map_err(|cause| side.error(cause))?)?;
    Ok(db)
}

/// Begins a transaction whose reads all see the same state.
pub async fn read_snapshot(db: &mut Db) -> Result<(), TransferError> {
    sql::query(by_database(
        "BEGIN",
        "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY",
    ))
    .execute(&mut *db)
    .await?;
    no_timeouts(db).await
}

/// Begins the transaction of a PostgreSQL target, which excludes other writers.
pub async fn begin_write(db: &mut Db) -> Result<(), TransferError> {
    sql::query("BEGIN").execute(&mut *db).await?;
    no_timeouts(db).await?;
    sql::query("UPDATE write_version SET version = version + 1")
        .execute(db)
        .await?;
    Ok(())
}

/// Switches off time limits that a server may have for transactions, other than for locks.
async fn no_timeouts(db: &mut Db) -> Result<(), TransferError> {
    sql::raw_sql(match db.database() {
        crate::store::Database::Sqlite => "SELECT 1",
        crate::store::Database::Postgres => {
            "SET LOCAL lock_timeout = '20s'; SET LOCAL statement_timeout = 0;
             SET LOCAL idle_in_transaction_session_timeout = 0"
        }
    })
    .execute(db)
    .await?;
    Ok(())
}
