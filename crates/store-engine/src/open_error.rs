//! Errors of opening a database.

use crate::schema::Schema;

/// Error of opening a database.
#[derive(Debug, thiserror::Error)]
pub enum OpenError {
    /// The database cannot be used.
    #[error(transparent)]
    Database(#[from] sqlx::Error),
    /// A migration failed.
    #[error(transparent)]
    Migration(#[from] sqlx::migrate::MigrateError),
    /// The address is not one of PostgreSQL.
    #[error("the address of the database begins with `postgres://`")]
    Address,
    /// The address is not like those of PostgreSQL. It can have a password anywhere.
    #[error(
        "the address of the database must be like `postgres://USER:PASSWORD@HOST:5432/NAME`; special characters in user \
         and password are written as in URLs, such as %40 for @ and %2F for /"
    )]
    Url,
    /// The server does not answer, or refuses the user.
    #[error("no connection to PostgreSQL at {server}: {cause}{}", hint(cause))]
    Connect {
        /// Server and database.
        server: String,
        /// Cause.
        cause: sqlx::Error,
    },
    /// The address of the read replica is that of another database.
    #[error(
        "the read replica is not one of this database: it has other data, or its name is another one"
    )]
    OtherDatabase,
    /// The direct address is that of another database than the pooler's.
    #[error("the direct address of the database is that of another database")]
    OtherDirectDatabase,
    /// The PostgreSQL server is too old.
    #[error("PostgreSQL {0} is too old: version 13 or later is needed")]
    OldServer(i64),
    /// The database belongs to another program or another version.
    #[error("{0}")]
    Schema(Schema),
    /// A row refers to a row that does not exist.
    #[error(
        "row {row} of {table} refers to a row of {parent} that is not there: see `booking-service check`"
    )]
    Dangling {
        /// Table of the referring row.
        table: String,
        /// Row id of the referring row.
        row: i64,
        /// Table of the missing row.
        parent: String,
    },
}

/// Remedy for a refused password.
fn hint(cause: &sqlx::Error) -> &'static str {
    const INVALID_PASSWORD: &str = "28P01";
    let code = cause.as_database_error().and_then(|error| error.code());
    match code.as_deref() {
        Some(INVALID_PASSWORD) => {
            "; special characters in the password are written as in URLs, such as %40 for @ and %2F for /"
        }
        _ => "",
    }
}
