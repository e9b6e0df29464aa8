//! Errors of moving a database.

use std::fmt;

use booking_store_engine::open_error::OpenError;

/// Error of moving a database.
#[derive(Debug, thiserror::Error)]
pub enum TransferError {
    /// A database cannot be opened.
    #[error("cannot open the {side} database: {cause}")]
    Open {
        /// Database.
        side: Side,
        /// Cause.
        cause: OpenError,
    },
    /// A statement failed.
    #[error("nothing was moved: {0}")]
    Database(#[from] sqlx::Error),
    /// A replica uses the PostgreSQL database.
    #[error("a service uses the {0} database: stop all of its replicas first")]
    InUse(Side),
    /// The target has data.
    #[error(
        "the target database is not empty, it has rows in {table}: data can only be moved into an empty database"
    )]
    NotEmpty {
        /// Table with rows.
        table: String,
    },
    /// The databases have different tables.
    #[error("the table {table} is not the same in both databases: nothing was moved")]
    OtherTables {
        /// Table that is missing or has other columns.
        table: String,
    },
    /// The type of a column is not one of those that both databases have.
    #[error("the column {column} of {table} has the unknown type {data_type}: nothing was moved")]
    UnknownType {
        /// Table.
        table: String,
        /// Column.
        column: String,
        /// Type.
        data_type: String,
    },
    /// SQLite stores values of any type in any column.
    #[error(
        "the column {column} of {table} has a value of another type than {expected}: nothing was moved"
    )]
    OtherType {
        /// Table.
        table: String,
        /// Column.
        column: String,
        /// Type of the column.
        expected: &'static str,
    },
    /// The copied rows are not those of the source.
    #[error("the rows of {table} were not the same after copying them: nothing was moved")]
    Different {
        /// Table.
        table: String,
    },
}

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
}
