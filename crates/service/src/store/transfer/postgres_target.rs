//! Rows for PostgreSQL, by its fast COPY.

use booking_store_engine::connection::Db;
use booking_store_engine::sql::{self, Value};
use sqlx::PgConnection;

use super::catalogue::{Table, quoted};
use super::cells::{Cells, Checksum};
use super::progress::Progress;
use super::read::Reader;
use super::transfer_error::TransferError;

/// Start of a binary copy: signature, flags, length of the extension.
const HEADER: &[u8] = b"PGCOPY\n\xff\r\n\0\0\0\0\0\0\0\0\0";

/// End of a binary copy.
const TRAILER: [u8; 2] = (-1_i16).to_be_bytes();

/// Removes what must not act on copied rows: triggers, which create rows that the source has, and foreign keys, whose
/// cycles allow no order of the tables. Returns the statements that restore them, which check all rows. The transaction
/// makes other connections see no difference.
pub(super) async fn suspend_rules(db: &mut Db) -> Result<Vec<String>, sqlx::Error> {
    let foreign_keys: Vec<(String, String, String)> = sql::query_as(
        "SELECT t.relname::text, k.conname::text, pg_get_constraintdef(k.oid)
         FROM pg_constraint k JOIN pg_class t ON t.oid = k.conrelid
         JOIN pg_namespace n ON n.oid = t.relnamespace AND n.nspname = current_schema()
         WHERE k.contype = 'f' ORDER BY k.oid",
    )
    .fetch_all(&mut *db)
    .await?;
    let mut restoring = Vec::new();
    for (table, name, definition) in foreign_keys {
        let (table, name) = (quoted(&table), quoted(&name));
        sql::raw_sql(&format!("ALTER TABLE {table} DROP CONSTRAINT {name}"))
            .execute(&mut *db)
            .await?;
        restoring.push(format!(
            "ALTER TABLE {table} ADD CONSTRAINT {name} {definition}"
        ));
    }
    let triggers: Vec<(String, String)> = sql::query_as(
        "SELECT t.relname::text, g.tgname::text
         FROM pg_trigger g JOIN pg_class t ON t.oid = g.tgrelid
         JOIN pg_namespace n ON n.oid = t.relnamespace AND n.nspname = current_schema()
         WHERE NOT g.tgisinternal AND g.tgenabled = 'O' ORDER BY g.oid",
    )
    .fetch_all(&mut *db)
    .await?;
    for (table, name) in triggers {
        let (table, name) = (quoted(&table), quoted(&name));
        sql::raw_sql(&format!("ALTER TABLE {table} DISABLE TRIGGER {name}"))
            .execute(&mut *db)
            .await?;
        restoring.push(format!("ALTER TABLE {table} ENABLE TRIGGER {name}"));
    }
    Ok(restoring)
}

/// Copies a table.
pub(super) async fn copy(
    source: &mut Db,
    target: &mut PgConnection,
    table: &Table,
    progress: &mut (dyn Progress + Send),
) -> Result<Checksum, TransferError> {
    let statement = format!(
        "COPY {} ({}) FROM STDIN (FORMAT binary)",
        table.quoted_name(),
        table.column_list()
    );
    let mut copy = target.copy_in_raw(&statement).await?;
    copy.send(HEADER).await?;
    let mut checksum = Checksum::default();
    let mut reader = Reader::new(table);
    loop {
        let rows = reader.chunk(source).await?;
        if rows.is_empty() {
            break;
        }
        let mut bytes = Vec::new();
        for row in &rows {
            checksum.add(row);
            push_row(&mut bytes, row)?;
        }
        copy.send(bytes).await?;
        progress.copied(&table.name, checksum.rows());
    }
    copy.send(TRAILER.as_slice()).await?;
    copy.finish().await?;
    Ok(checksum)
}

/// Adds a row in the binary format.
fn push_row(bytes: &mut Vec<u8>, row: &Cells) -> Result<(), sqlx::Error> {
    let count = i16::try_from(row.0.len()).map_err(too_large)?;
    bytes.extend(count.to_be_bytes());
    for value in &row.0 {
        match value {
            Value::Integer(Some(number)) => push_field(bytes, &number.to_be_bytes())?,
            Value::Text(Some(text)) => push_field(bytes, text.as_bytes())?,
            Value::Bytes(Some(content)) => push_field(bytes, content)?,
            Value::Integer(None) | Value::Text(None) | Value::Bytes(None) => {
                bytes.extend((-1_i32).to_be_bytes());
            }
        }
    }
    Ok(())
}

fn push_field(bytes: &mut Vec<u8>, content: &[u8]) -> Result<(), sqlx::Error> {
    let length = i32::try_from(content.len()).map_err(too_large)?;
    bytes.extend(length.to_be_bytes());
    bytes.extend(content);
    Ok(())
}

fn too_large(cause: std::num::TryFromIntError) -> sqlx::Error {
    sqlx::Error::Encode(cause.into())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn row_has_the_binary_format() {
        let mut bytes = Vec::new();
        let row = Cells(vec![Value::from(258), Value::from("é"), Value::Bytes(None)]);
        push_row(&mut bytes, &row).unwrap();
        let expected: [&[u8]; 6] = [
            &[0, 3],
            &[0, 0, 0, 8],
            &[0, 0, 0, 0, 0, 0, 1, 2],
            &[0, 0, 0, 2],
            "é".as_bytes(),
            &[255; 4],
        ];
        assert_eq!(bytes, expected.concat());
        assert_eq!(HEADER.len(), 19);
    }
}
