//! Reads tables in chunks.

use booking_store_engine::connection::Db;
use booking_store_engine::sql::{self, Value};

use super::catalogue::Table;
use super::cells::{Cells, Checksum};
use super::transfer_error::TransferError;

/// Rows of a chunk: one megabyte or a few.
const CHUNK_ROWS: usize = 500;

/// Reads a table in the order of its primary key.
#[derive(Debug)]
pub(super) struct Reader<'t> {
    table: &'t Table,
    key: Vec<usize>,
    first: String,
    next: String,
    /// Key of the last row; none at the beginning.
    last: Option<Vec<Value<'static>>>,
    is_finished: bool,
}

impl<'t> Reader<'t> {
    pub(super) fn new(table: &'t Table) -> Self {
        let key = table.key();
        let (keys, parameters) = (table.key_list(), vec!["?"; key.len()].join(", "));
        let select = format!(
            "SELECT {} FROM {}",
            table.column_list(),
            table.quoted_name()
        );
        let order = format!("ORDER BY {keys} LIMIT {CHUNK_ROWS}");
        Self {
            table,
            key,
            first: format!("{select} {order}"),
            next: format!("{select} WHERE ({keys}) > ({parameters}) {order}"),
            last: None,
            is_finished: false,
        }
    }

    /// Returns the next rows; none at the end.
    pub(super) async fn chunk(&mut self, db: &mut Db) -> Result<Vec<Cells>, TransferError> {
        if self.is_finished {
            return Ok(Vec::new());
        }
        let mut query = match &self.last {
            None => sql::query_as::<Cells>(self.first.clone()),
            Some(_) => sql::query_as(self.next.clone()),
        };
        for value in self.last.take().into_iter().flatten() {
            query = query.bind(value);
        }
        let rows = query
            .fetch_all(db)
            .await
            .map_err(|error| self.named(error))?;
        for row in &rows {
            row.check(self.table)?;
        }
        self.is_finished = rows.len() < CHUNK_ROWS;
        self.last = rows.last().map(|row| {
            let values = self.key.iter().filter_map(|index| row.0.get(*index));
            values.cloned().collect()
        });
        Ok(rows)
    }
}

impl Reader<'_> {
    /// Names the column of a value that neither database's types have.
    fn named(&self, error: sqlx::Error) -> TransferError {
        let column = match &error {
            sqlx::Error::ColumnDecode { index, .. } => index
                .parse()
                .ok()
                .and_then(|index: usize| self.table.columns.get(index)),
            _ => None,
        };
        match column {
            Some(column) => self.table.other_type(column),
            None => error.into(),
        }
    }
}

/// Returns the number of rows and the checksum of a table.
pub(super) async fn checksum(db: &mut Db, table: &Table) -> Result<Checksum, TransferError> {
    let mut checksum = Checksum::default();
    let mut reader = Reader::new(table);
    loop {
        let rows = reader.chunk(db).await?;
        if rows.is_empty() {
            return Ok(checksum);
        }
        for row in &rows {
            checksum.add(row);
        }
    }
}

/// Returns the number of rows.
pub(super) async fn count(db: &mut Db, table: &Table) -> Result<i64, sqlx::Error> {
    sql::query_scalar(format!("SELECT count(*) FROM {}", table.quoted_name()))
        .fetch_one(db)
        .await
}
