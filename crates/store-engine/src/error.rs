//! Errors of reads and writes.

use sqlx::postgres::PgDatabaseError;

/// Result of reads and writes.
pub type Result<T, E = Error> = std::result::Result<T, E>;

/// Error of a read or a write. The causes are for the log; they contain no values of rows.
#[derive(Clone, Debug, thiserror::Error)]
pub enum Error {
    /// PostgreSQL ended a transaction because of another one: a serialization failure, a deadlock, or a row that was deleted
    /// meanwhile.
    #[error("PostgreSQL ended a transaction because of a concurrent one: {0}")]
    ConcurrentChange(String),
    /// Temporary failure: full disk, no connection, lock.
    #[error("{0}")]
    Unavailable(String),
    /// Any other failure.
    #[error("{0}")]
    Internal(String),
}

impl From<sqlx::Error> for Error {
    fn from(cause: sqlx::Error) -> Self {
        let redacted = RedactedError(&cause).to_string();
        if is_concurrent_change(&cause) {
            Self::ConcurrentChange(redacted)
        } else if is_transient(&cause) {
            Self::Unavailable(redacted)
        } else {
            Self::Internal(redacted)
        }
    }
}

/// Returns true if PostgreSQL has ended a transaction because of another one: a serialization failure, a deadlock, or a
/// reference to a row that was there when the transaction has read it.
fn is_concurrent_change(cause: &sqlx::Error) -> bool {
    postgres_state(cause).is_some_and(|state| ["40001", "40P01", "23503"].contains(&state))
}

/// Returns true if the error is transient.
fn is_transient(cause: &sqlx::Error) -> bool {
    /// SQLite's result codes BUSY, LOCKED, READONLY, IOERR, FULL, CANTOPEN.
    const TRANSIENT_CODES: [i32; 6] = [5, 6, 8, 10, 13, 14];
    /// Classes and codes of PostgreSQL: lost connections, full disk or too many connections, shutdown and start,
    /// locks that others hold, a server that only reads, errors of its system.
    const TRANSIENT_STATES: [&str; 8] = ["08", "53", "57P", "58", "40", "55P03", "25006", "25P03"];
    match cause {
        sqlx::Error::PoolTimedOut | sqlx::Error::PoolClosed | sqlx::Error::Io(_) => true,
        other => match postgres_state(other) {
            Some(state) => TRANSIENT_STATES
                .iter()
                .any(|prefix| state.starts_with(prefix)),
            None => sqlite_code(other).is_some_and(|code| TRANSIENT_CODES.contains(&code)),
        },
    }
}

/// Returns the SQLSTATE of an error that PostgreSQL has returned.
fn postgres_state(error: &sqlx::Error) -> Option<&str> {
    let error = error.as_database_error()?;
    let error = error.try_downcast_ref::<PgDatabaseError>()?;
    Some(error.code())
}

/// A database error without row values, for the log.
struct RedactedError<'a>(&'a sqlx::Error);

impl std::fmt::Display for RedactedError<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self.0 {
            sqlx::Error::ColumnDecode { index, .. } => {
                write!(f, "column {index} holds what cannot be read")
            }
            sqlx::Error::Decode(_) => f.write_str("a value cannot be read"),
            other => other.fmt(f),
        }
    }
}

/// Returns SQLite's primary result code of an error that the database has returned.
fn sqlite_code(error: &sqlx::Error) -> Option<i32> {
    let code = error.as_database_error()?.code()?;
    Some(code.parse::<i32>().ok()? & 0xff)
}

/// Returns true if a foreign key is violated.
pub fn is_orphan(error: &sqlx::Error) -> bool {
    error
        .as_database_error()
        .is_some_and(sqlx::error::DatabaseError::is_foreign_key_violation)
}

/// Returns true if a unique key is violated.
pub fn is_duplicate(error: &sqlx::Error) -> bool {
    error
        .as_database_error()
        .is_some_and(sqlx::error::DatabaseError::is_unique_violation)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn redacted_error_has_no_row_values() {
        let cause = "kept@secret.example".parse::<i64>().unwrap_err();
        let decode = sqlx::Error::ColumnDecode {
            index: "settings".into(),
            source: format!("{cause}: kept@secret.example").into(),
        };
        assert_eq!(
            Error::from(decode).to_string(),
            "column settings holds what cannot be read"
        );
    }

    #[test]
    fn pool_timeout_is_temporary() {
        let error = Error::from(sqlx::Error::PoolTimedOut);
        assert!(matches!(error, Error::Unavailable(_)), "{error:?}");
        let error = Error::from(sqlx::Error::RowNotFound);
        assert!(matches!(error, Error::Internal(_)), "{error:?}");
    }
}
