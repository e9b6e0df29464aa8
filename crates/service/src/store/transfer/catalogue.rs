//! Tables and columns, from the catalogue of a database.

use booking_store_engine::connection::Db;
use booking_store_engine::sql::{self, by_database};

use super::transfer_error::TransferError;

/// Tables about the database itself and the processes that use it, which the databases do not share.
const OWN_TABLES: [&str; 7] = [
    "_sqlx_migrations",
    "schema_compatibility",
    "key_fingerprints",
    "calendar_versions",
    "setup_versions",
    "replicas",
    "leader_lease",
];

/// Type of a column.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ColumnType {
    Integer,
    Text,
    Bytes,
}

impl ColumnType {
    /// Parses a type of either database.
    fn parse(name: &str) -> Option<Self> {
        match name {
            "bigint" | "BIGINT" | "INTEGER" => Some(Self::Integer),
            "text" | "TEXT" => Some(Self::Text),
            "bytea" | "BLOB" => Some(Self::Bytes),
            _ => None,
        }
    }

    /// Returns the name for messages.
    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Integer => "integer",
            Self::Text => "text",
            Self::Bytes => "bytes",
        }
    }
}

/// A column whose values are stored, not generated.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Column {
    pub(super) name: String,
    pub(super) column_type: ColumnType,
    /// Position in the primary key.
    key_position: Option<i64>,
}

/// A table with data of the service.
#[derive(Clone, Debug)]
pub(super) struct Table {
    pub(super) name: String,
    pub(super) columns: Vec<Column>,
}

impl Table {
    /// Returns the name for statements.
    pub(super) fn quoted_name(&self) -> String {
        quoted(&self.name)
    }

    /// Returns the list of columns for statements.
    pub(super) fn column_list(&self) -> String {
        let names: Vec<String> = self.columns.iter().map(|c| quoted(&c.name)).collect();
        names.join(", ")
    }

    /// Returns the indexes of the columns of the primary key, in its order.
    pub(super) fn key(&self) -> Vec<usize> {
        let mut key: Vec<(i64, usize)> = self
            .columns
            .iter()
            .enumerate()
            .filter_map(|(index, column)| Some((column.key_position?, index)))
            .collect();
        key.sort_unstable();
        key.into_iter().map(|(_, index)| index).collect()
    }

    /// Returns the names of the columns of the primary key for statements.
    pub(super) fn key_list(&self) -> String {
        let names: Vec<String> = self
            .key()
            .into_iter()
            .filter_map(|index| self.columns.get(index))
            .map(|column| quoted(&column.name))
            .collect();
        names.join(", ")
    }

    /// Returns the error of a value that `column` cannot have.
    pub(super) fn other_type(&self, column: &Column) -> TransferError {
        TransferError::OtherType {
            table: self.name.clone(),
            column: column.name.clone(),
            expected: column.column_type.name(),
        }
    }

    /// Returns true if the tables have the same columns, in any order, and the same primary key.
    pub(super) fn has_columns_of(&self, other: &Self) -> bool {
        self.columns.len() == other.columns.len()
            && self.columns.iter().all(|c| other.columns.contains(c))
    }
}

/// Quotes a name for statements.
pub(super) fn quoted(name: &str) -> String {
    format!("\"{}\"", name.replace('"', "\"\""))
}

/// Returns the tables in the order in which they were created. Left out are generated columns, tables of search
/// indexes and tables about the database itself.
pub(super) async fn tables(db: &mut Db) -> Result<Vec<Table>, TransferError> {
    let columns: Vec<(String, String, String, Option<i64>)> = sql::query_as(by_database(
        "SELECT t.name, c.name, c.type, CASE WHEN c.pk > 0 THEN c.pk - 1 END
         FROM pragma_table_list() AS t JOIN sqlite_master AS m ON m.type = 'table' AND m.name = t.name
         JOIN pragma_table_xinfo(t.name) AS c
         WHERE t.schema = 'main' AND t.type = 'table' AND t.name NOT LIKE 'sqlite!_%' ESCAPE '!' AND c.hidden = 0
         ORDER BY m.rowid, c.cid",
        "SELECT t.relname::text, c.attname::text, format_type(c.atttypid, c.atttypmod),
                array_position(k.indkey::int2[], c.attnum)::bigint
         FROM pg_class t
         JOIN pg_namespace n ON n.oid = t.relnamespace AND n.nspname = current_schema()
         JOIN pg_attribute c ON c.attrelid = t.oid AND c.attnum > 0 AND NOT c.attisdropped AND c.attgenerated = ''
         LEFT JOIN pg_index k ON k.indrelid = t.oid AND k.indisprimary
         WHERE t.relkind = 'r'
         ORDER BY t.oid, c.attnum",
    ))
    .fetch_all(db)
    .await?;
    let mut tables: Vec<Table> = Vec::new();
    for (table, column, data_type, key_position) in columns {
        if OWN_TABLES.contains(&&*table) {
            continue;
        }
        let Some(column_type) = ColumnType::parse(&data_type) else {
            return Err(TransferError::UnknownType {
                table,
                column,
                data_type,
            });
        };
        let column = Column {
            name: column,
            column_type,
            key_position,
        };
        match tables.last_mut() {
            Some(last) if last.name == table => last.columns.push(column),
            _ => tables.push(Table {
                name: table,
                columns: vec![column],
            }),
        }
    }
    // Rows are read by the primary key.
    match tables.iter().find(|table| table.key().is_empty()) {
        None => Ok(tables),
        Some(table) => Err(TransferError::OtherTables {
            table: table.name.clone(),
        }),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use booking_store_engine::database::in_memory;

    use crate::store::migrations;

    #[tokio::test]
    async fn catalogue_has_tables_with_data_but_no_search_indexes() {
        let mut db = in_memory(migrations::ALL).await.unwrap();
        let tables = tables(&mut db).await.unwrap();
        let table = |name: &str| tables.iter().find(|table| table.name == name);
        for name in [
            "_sqlx_migrations",
            "sqlite_sequence",
            "booking_search",
            "user_search_data",
        ] {
            assert!(table(name).is_none(), "{name}");
        }
        let hosts = table("booking_hosts").unwrap();
        assert_eq!(hosts.key_list(), "\"booking_id\", \"user_id\"");
        let webhooks = table("webhooks").unwrap();
        let secret = webhooks.columns.iter().find(|c| c.name == "secret");
        assert_eq!(secret.unwrap().column_type, ColumnType::Bytes);
    }

    #[test]
    fn key_has_its_own_order() {
        let column = |name: &str, key_position| Column {
            name: name.to_owned(),
            column_type: ColumnType::Text,
            key_position,
        };
        let table = Table {
            name: "t".to_owned(),
            columns: vec![
                column("b", Some(1)),
                column("c", None),
                column("a", Some(0)),
            ],
        };
        assert_eq!(table.key_list(), "\"a\", \"b\"");
        let other = Table {
            columns: vec![
                column("a", Some(0)),
                column("b", Some(1)),
                column("c", None),
            ],
            ..table.clone()
        };
        assert!(table.has_columns_of(&other));
        let other = Table {
            columns: vec![
                column("a", Some(1)),
                column("b", Some(0)),
                column("c", None),
            ],
            ..table.clone()
        };
        assert!(!table.has_columns_of(&other));
    }
}
