//! Rows for a new SQLite file.

use std::path::Path;

use booking_store_engine::connection::Db;
use booking_store_engine::database::{connect_options, migrate};
use booking_store_engine::open_error::OpenError;
use booking_store_engine::sql;
use sqlx::ConnectOptions;
use sqlx::sqlite::{SqliteJournalMode, SqliteSynchronous};

use super::catalogue::{Table, quoted};
use super::cells::{Cells, Checksum};
use super::progress::Progress;
use super::read::Reader;
use super::transfer_error::TransferError;
use crate::store::migrations;

/// Most parameters of a statement: half of SQLite's limit.
const MAX_PARAMETERS: usize = 16_000;

/// Most rows of a statement.
const MAX_ROWS: usize = 100;

/// Opens the empty `file` with a current schema, for writing only once: after a failure, it has to be deleted.
pub async fn create(file: &Path) -> Result<Db, OpenError> {
    let mut db = connect_options(file)
        .create_if_missing(true)
        .journal_mode(SqliteJournalMode::Off)
        .synchronous(SqliteSynchronous::Off)
        // Checked at the end.
        .foreign_keys(false)
        .connect()
        .await
        .map(Db::from)?;
    migrate(&mut db, migrations::ALL).await?;
    sql::raw_sql("BEGIN").execute(&mut db).await?;
    Ok(db)
}

/// Removes the triggers that would create rows which the source has, or that repeat checks of the source. Those of the
/// search indexes stay: the source does not have their rows. Returns the statements that restore them.
pub(super) async fn suspend_rules(db: &mut Db) -> Result<Vec<String>, sqlx::Error> {
    let triggers: Vec<(String, String)> = sql::query_as(
        "SELECT name, sql FROM sqlite_master AS t WHERE type = 'trigger' AND NOT EXISTS (
            SELECT 1 FROM pragma_table_list() AS v WHERE v.type = 'virtual' AND instr(t.sql, v.name) > 0
         ) ORDER BY rowid",
    )
    .fetch_all(&mut *db)
    .await?;
    let mut restoring = Vec::new();
    for (name, definition) in triggers {
        sql::raw_sql(&format!("DROP TRIGGER {}", quoted(&name)))
            .execute(&mut *db)
            .await?;
        restoring.push(definition);
    }
    Ok(restoring)
}

/// Copies a table.
pub(super) async fn copy(
    source: &mut Db,
    target: &mut Db,
    table: &Table,
    progress: &mut (dyn Progress + Send),
) -> Result<Checksum, TransferError> {
    let rows_per_statement = (MAX_PARAMETERS / table.columns.len().max(1)).clamp(1, MAX_ROWS);
    let full_statement = insert(table, rows_per_statement);
    let mut checksum = Checksum::default();
    let mut reader = Reader::new(table);
    loop {
        let rows = reader.chunk(source).await?;
        if rows.is_empty() {
            return Ok(checksum);
        }
        for rows in rows.chunks(rows_per_statement) {
            let shorter;
            let mut query = if rows.len() == rows_per_statement {
                sql::query(full_statement.clone())
            } else {
                shorter = insert(table, rows.len());
                sql::query(shorter)
            };
            for row in rows {
                checksum.add(row);
                let Cells(values) = row;
                for value in values {
                    query = query.bind(value.clone());
                }
            }
            query.execute(target).await?;
        }
        progress.copied(&table.name, checksum.rows());
    }
}

/// Returns the statement that inserts a number of rows.
fn insert(table: &Table, rows: usize) -> String {
    let row = format!("({})", vec!["?"; table.columns.len()].join(", "));
    format!(
        "INSERT INTO {} ({}) VALUES {}",
        table.quoted_name(),
        table.column_list(),
        vec![row; rows].join(", ")
    )
}
