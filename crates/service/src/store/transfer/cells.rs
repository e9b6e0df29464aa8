//! Rows of any table, and checksums of them.

use std::borrow::Cow;
use std::fmt;

use booking_store_engine::sql::{Value, storable};
use sha2::{Digest, Sha256};
use sqlx::postgres::PgRow;
use sqlx::sqlite::SqliteRow;
use sqlx::{Decode, FromRow, Postgres, Row as _, Sqlite, TypeInfo, ValueRef};

use super::catalogue::{ColumnType, Table};
use super::transfer_error::TransferError;

/// Values of a row.
#[derive(Clone, Debug)]
pub(super) struct Cells(pub(super) Vec<Value<'static>>);

const NULL: Value<'static> = Value::Integer(None);

impl FromRow<'_, SqliteRow> for Cells {
    fn from_row(row: &SqliteRow) -> Result<Self, sqlx::Error> {
        let cells = (0..row.len()).map(|index| {
            let value = row.try_get_raw(index)?;
            if value.is_null() {
                return Ok(NULL);
            }
            // The type of the value: SQLite's columns have none.
            let value_type = value.type_info().name().to_owned();
            decoded(index, || {
                Ok(match &*value_type {
                    "INTEGER" => Value::from(<i64 as Decode<Sqlite>>::decode(value)?),
                    // As PostgreSQL can store it, so that the checksums are the same.
                    "TEXT" => text(<String as Decode<Sqlite>>::decode(value)?),
                    "BLOB" => Value::from(<Vec<u8> as Decode<Sqlite>>::decode(value)?),
                    other => return Err(format!("a value has the type {other}").into()),
                })
            })
        });
        cells.collect::<Result<_, _>>().map(Self)
    }
}

impl FromRow<'_, PgRow> for Cells {
    fn from_row(row: &PgRow) -> Result<Self, sqlx::Error> {
        let cells = (0..row.len()).map(|index| {
            let value = row.try_get_raw(index)?;
            if value.is_null() {
                return Ok(NULL);
            }
            let value_type = value.type_info().name().to_owned();
            decoded(index, || {
                Ok(match &*value_type {
                    "INT8" => Value::from(<i64 as Decode<Postgres>>::decode(value)?),
                    "TEXT" => text(<String as Decode<Postgres>>::decode(value)?),
                    "BYTEA" => Value::from(<Vec<u8> as Decode<Postgres>>::decode(value)?),
                    other => return Err(format!("a value has the type {other}").into()),
                })
            })
        });
        cells.collect::<Result<_, _>>().map(Self)
    }
}

fn decoded(
    index: usize,
    decode: impl FnOnce() -> Result<Value<'static>, sqlx::error::BoxDynError>,
) -> Result<Value<'static>, sqlx::Error> {
    decode().map_err(|source| sqlx::Error::ColumnDecode {
        index: index.to_string(),
        source,
    })
}

fn text(text: String) -> Value<'static> {
    Value::from(storable(Cow::Owned(text)).into_owned())
}

impl Cells {
    /// Checks the types of the values.
    pub(super) fn check(&self, table: &Table) -> Result<(), TransferError> {
        for (value, column) in self.0.iter().zip(&table.columns) {
            let matches = match value {
                Value::Integer(None) | Value::Text(None) | Value::Bytes(None) => true,
                Value::Integer(_) => column.column_type == ColumnType::Integer,
                Value::Text(_) => column.column_type == ColumnType::Text,
                Value::Bytes(_) => column.column_type == ColumnType::Bytes,
            };
            if !matches {
                return Err(table.other_type(column));
            }
        }
        Ok(())
    }
}

/// Number of rows and sum of their hashes: the same in any order of the rows.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Checksum {
    rows: u64,
    sum: u128,
}

impl Checksum {
    /// Adds a row.
    pub(super) fn add(&mut self, row: &Cells) {
        let mut bytes = Vec::with_capacity(256);
        for value in &row.0 {
            match value {
                Value::Integer(Some(number)) => push(&mut bytes, b'i', &number.to_be_bytes()),
                Value::Text(Some(text)) => push(&mut bytes, b't', text.as_bytes()),
                Value::Bytes(Some(content)) => push(&mut bytes, b'b', content),
                Value::Integer(None) | Value::Text(None) | Value::Bytes(None) => bytes.push(b'n'),
            }
        }
        let hash = Sha256::digest(&bytes);
        let half = hash.iter().take(16);
        let number = half.fold(0, |number: u128, byte| number << 8 | u128::from(*byte));
        self.rows += 1;
        self.sum = self.sum.wrapping_add(number);
    }

    /// Returns the number of rows.
    pub(super) fn rows(self) -> u64 {
        self.rows
    }
}

fn push(bytes: &mut Vec<u8>, tag: u8, content: &[u8]) {
    bytes.push(tag);
    bytes.extend((content.len() as u64).to_be_bytes());
    bytes.extend(content);
}

impl fmt::Display for Checksum {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:032x}", self.sum)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn checksum(rows: &[&[Value<'static>]]) -> Checksum {
        let mut checksum = Checksum::default();
        for row in rows {
            checksum.add(&Cells(row.to_vec()));
        }
        checksum
    }

    #[test]
    fn checksum_is_independent_of_order_and_differs_with_values() {
        let (one, two): (&[_], &[_]) = (
            &[Value::from(1), Value::from("a")],
            &[Value::from(2), Value::from("b")],
        );
        assert_eq!(checksum(&[one, two]), checksum(&[two, one]));
        // Two equal rows do not cancel out.
        assert_ne!(checksum(&[one, one]), checksum(&[]));
        assert_ne!(checksum(&[one, one]), checksum(&[two, two]));
        let variants: [&[Value<'static>]; 7] = [
            &[Value::from("ab"), Value::from("")],
            &[Value::from("a"), Value::from("b")],
            &[Value::from("ab"), Value::Text(None)],
            &[Value::from("1"), Value::from("")],
            &[Value::from(1), Value::from("")],
            &[Value::from(b"ab".to_vec()), Value::from("")],
            &[Value::from("ab")],
        ];
        for (index, first) in variants.iter().enumerate() {
            for second in variants.iter().skip(index + 1) {
                assert_ne!(checksum(&[first]), checksum(&[second]));
            }
        }
        assert_eq!(
            checksum(&[&[Value::Text(None)]]),
            checksum(&[&[Value::Integer(None)]])
        );
    }
}
