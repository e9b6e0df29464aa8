//! Conversion of database errors to errors of the service.

use sqlx::postgres::PgDatabaseError;

use crate::error::Error;

impl From<sqlx::Error> for Error {
    fn from(cause: sqlx::Error) -> Self {
        if is_concurrent_change(&cause) {
            tracing::info!(cause = %RedactedError(&cause), "PostgreSQL ended a transaction because of a concurrent one");
            Self::ConcurrentChange
        } else if is_transient(&cause) {
            Self::unavailable(RedactedError(&cause))
        } else {
            Self::internal(RedactedError(&cause))
        }
    }
}

/// Returns true if PostgreSQL has ended a transaction because of another one: a serialization failure or a deadlock.
fn is_concurrent_change(cause: &sqlx::Error) -> bool {
    postgres_state(cause).is_some_and(|state| ["40001", "40P01"].contains(&state))
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

/// Returns true if overlapping bookings of a host were rejected: by a trigger, or by a constraint of PostgreSQL.
pub fn is_host_taken(error: &sqlx::Error) -> bool {
    error.as_database_error().is_some_and(|error| {
        error.message().contains("host is taken")
            || error.constraint() == Some("booking_hosts_stay_apart")
    })
}

/// Returns true if a trigger has rejected more attendees than seats.
pub fn is_out_of_seats(error: &sqlx::Error) -> bool {
    error
        .as_database_error()
        .is_some_and(|error| error.message().contains("seats are taken"))
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

/// Returns `conflict` if a unique key is violated, else the error itself.
pub fn duplicate_or(error: sqlx::Error, conflict: Error) -> Error {
    if is_duplicate(&error) {
        conflict
    } else {
        error.into()
    }
}

#[cfg(test)]
mod tests {
    use axum::http::StatusCode;
    use axum::http::header::RETRY_AFTER;
    use axum::response::IntoResponse;

    use super::*;

    #[test]
    fn redacted_error_has_no_row_values() {
        let cause = "kept@secret.example".parse::<i64>().unwrap_err();
        let decode = sqlx::Error::ColumnDecode {
            index: "settings".into(),
            source: format!("{cause}: kept@secret.example").into(),
        };
        assert_eq!(
            RedactedError(&decode).to_string(),
            "column settings holds what cannot be read"
        );
    }

    #[test]
    fn pool_timeout_returns_503_with_retry_after() {
        let error = Error::from(sqlx::Error::PoolTimedOut);
        assert_eq!(error.status(), StatusCode::SERVICE_UNAVAILABLE);
        let response = error.into_response();
        assert_eq!(response.headers()[RETRY_AFTER], "10");
        let error = Error::from(sqlx::Error::RowNotFound);
        assert_eq!(error.status(), StatusCode::INTERNAL_SERVER_ERROR);
    }
}
