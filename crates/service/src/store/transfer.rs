//! Moves all rows of a database into an empty one of the other kind.
//!
//! Rows are read by primary key in one snapshot of the source and written in one transaction of the target. Values are
//! compared afterwards by checksums per table.

mod catalogue;
mod cells;
mod ids;
mod postgres_target;
mod progress;
mod read;
mod snapshot;
mod sqlite_target;
mod transfer_error;

use std::collections::HashMap;

use booking_store_engine::connection::{Connection, Database, Db};
use booking_store_engine::{database, sql};

use self::catalogue::Table;

use crate::store::migrations;

pub use self::progress::Progress;
pub use self::snapshot::{begin_write, connect_postgres, open_sqlite, read_snapshot};
pub use self::sqlite_target::create as create_sqlite;
pub use self::transfer_error::{Side, TransferError};

/// Rows of a table that were moved.
#[derive(Clone, Debug)]
pub struct MovedTable {
    /// Name.
    pub name: String,
    /// Number of rows.
    pub rows: u64,
    /// Checksum of the rows, the same in both databases.
    pub checksum: String,
}

/// Checks that the tables of a database only have the rows that its migrations insert.
///
/// # Errors
///
/// [`TransferError::NotEmpty`].
pub async fn check_empty(db: &mut Db) -> Result<(), TransferError> {
    let fresh = database::in_memory(migrations::ALL).await;
    let mut fresh = fresh.map_err(|cause| Side::Target.error(cause))?;
    for table in catalogue::tables(db).await? {
        let rows = read::count(db, &table).await?;
        if rows == 0 {
            continue;
        }
        // The usual tables have no rows at first, and may have many: only equal numbers are compared further.
        if rows != read::count(&mut fresh, &table).await?
            || read::checksum(db, &table).await? != read::checksum(&mut fresh, &table).await?
        {
            return Err(TransferError::NotEmpty { table: table.name });
        }
    }
    Ok(fresh.close().await?)
}

/// Copies all rows of `source`, which is in a transaction for reads, and compares them. `target` passes
/// [`check_empty`]; a PostgreSQL database is in a transaction, which the caller commits.
pub async fn copy_all(
    source: &mut Db,
    target: &mut Db,
    progress: &mut (dyn Progress + Send),
) -> Result<Vec<MovedTable>, TransferError> {
    let tables = common_tables(source, target).await?;
    let last_ids = ids::last_ids(source).await?;
    let is_postgres = target.database() == Database::Postgres;
    let suspended = match is_postgres {
        true => postgres_target::suspend_rules(target).await?,
        false => sqlite_target::suspend_rules(target).await?,
    };
    let mut written = Vec::new();
    for table in &tables {
        // Those of the migrations, which the source has, too.
        sql::query(format!("DELETE FROM {}", table.quoted_name()))
            .execute(target)
            .await?;
        let checksum = match target.connection() {
            Connection::Postgres(target) => {
                postgres_target::copy(source, target, table, progress).await?
            }
            Connection::Sqlite(_) => sqlite_target::copy(source, target, table, progress).await?,
        };
        progress.finished(&table.name, checksum.rows());
        written.push(checksum);
    }
    for statement in suspended {
        sql::raw_sql(&statement).execute(target).await?;
    }
    progress.comparing();
    let mut moved = Vec::new();
    for (table, expected) in tables.into_iter().zip(written) {
        if read::checksum(target, &table).await? != expected {
            return Err(TransferError::Different { table: table.name });
        }
        moved.push(MovedTable {
            name: table.name,
            rows: expected.rows(),
            checksum: expected.to_string(),
        });
    }
    if is_postgres {
        // ANALYZE warns of each system table that it skips for an owner who is no superuser.
        sql::raw_sql("SET LOCAL client_min_messages = error")
            .execute(target)
            .await?;
    }
    sql::raw_sql("ANALYZE").execute(target).await?;
    ids::continue_after(target, &last_ids).await?;
    Ok(moved)
}

/// Commits the transaction of a target and closes it.
pub async fn commit(mut target: Db) -> Result<(), TransferError> {
    sql::raw_sql("COMMIT").execute(&mut target).await?;
    Ok(target.close().await?)
}

/// Returns the tables in the order of PostgreSQL, which creates each after those that it refers to.
///
/// # Errors
///
/// [`TransferError::OtherTables`] if the databases do not have the same tables and columns.
async fn common_tables(source: &mut Db, target: &mut Db) -> Result<Vec<Table>, TransferError> {
    let (source_tables, target_tables) = (
        catalogue::tables(source).await?,
        catalogue::tables(target).await?,
    );
    let (tables, others) = match source.database() {
        Database::Postgres => (source_tables, target_tables),
        Database::Sqlite => (target_tables, source_tables),
    };
    let mut others: HashMap<String, Table> = others
        .into_iter()
        .map(|table| (table.name.clone(), table))
        .collect();
    for table in &tables {
        let is_same = others
            .remove(&table.name)
            .is_some_and(|other| table.has_columns_of(&other));
        if !is_same {
            return Err(TransferError::OtherTables {
                table: table.name.clone(),
            });
        }
    }
    match others.into_keys().next() {
        None => Ok(tables),
        Some(table) => Err(TransferError::OtherTables { table }),
    }
}
