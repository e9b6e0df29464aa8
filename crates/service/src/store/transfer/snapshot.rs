//! Connections for moving a database: nothing else uses it, and reads see one state.

use std::path::Path;

use booking_store_engine::connection::{Database, Db};
use booking_store_engine::locks::Locks;
use booking_store_engine::open_error::OpenError;
use booking_store_engine::schema::{Schema, SchemaState};
use booking_store_engine::sql::{self, by_database};
use booking_store_engine::{leadership, postgres, writer};

use super::transfer_error::{Side, TransferError};
use crate::store::migrations;
use crate::store::upkeep::integrity;

/// Connects to a PostgreSQL database with a current schema, and keeps replicas from working until the connection ends.
/// Creates the tables of an empty target.
///
/// # Errors
///
/// [`TransferError::InUse`] if a replica is running.
pub async fn connect_postgres(url: &str, side: Side) -> Result<Db, TransferError> {
    let mut db = postgres::connect(url)
        .await
        .map_err(|cause| side.error(cause))?;
    let mut schema = migrations::schema(&mut db).await?;
    if side == Side::Target && schema.state == SchemaState::Empty {
        let migrated = migrations::migrate_postgres(url).await;
        migrated.map_err(|cause| side.error(cause))?;
        schema = migrations::schema(&mut db).await?;
    }
    check_schema(schema, side)?;
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
    let schema = migrations::schema(&mut db).await;
    check_schema(schema.map_err(|cause| side.error(cause))?, side)?;
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
    writer::lock(db, &Locks::everything()).await?;
    Ok(())
}

/// Switches off time limits that a server may have for transactions, other than for locks.
async fn no_timeouts(db: &mut Db) -> Result<(), TransferError> {
    sql::raw_sql(match db.database() {
        Database::Sqlite => "SELECT 1",
        Database::Postgres => {
            "SET LOCAL lock_timeout = '20s'; SET LOCAL statement_timeout = 0;
             SET LOCAL idle_in_transaction_session_timeout = 0"
        }
    })
    .execute(db)
    .await?;
    Ok(())
}

/// Rejects other schemas than the current one.
fn check_schema(schema: Schema, side: Side) -> Result<(), TransferError> {
    match schema.state {
        SchemaState::Current => Ok(()),
        _ => Err(side.error(OpenError::Schema(schema))),
    }
}
