//! Errors of the database as errors of the service.

use crate::error::Error;

impl From<sqlx::Error> for Error {
    fn from(cause: sqlx::Error) -> Self {
        if is_passing(&cause) {
            Self::unavailable(Logged(&cause))
        } else {
            Self::internal(Logged(&cause))
        }
    }
}

/// Returns true if the database can succeed at another time.
fn is_passing(cause: &sqlx::Error) -> bool {
    /// SQLite's busy, locked, read-only, input or output error, full, cannot open.
    const PASSING: [i32; 6] = [5, 6, 8, 10, 13, 14];
    match cause {
        sqlx::Error::PoolTimedOut | sqlx::Error::PoolClosed | sqlx::Error::Io(_) => true,
        other => sqlite_code(other).is_some_and(|code| PASSING.contains(&code)),
    }
}

/// A database error without values of rows, for the log.
struct Logged<'a>(&'a sqlx::Error);

impl std::fmt::Display for Logged<'_> {
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

/// SQLite's primary result code of an error that the database itself has returned.
fn sqlite_code(error: &sqlx::Error) -> Option<i32> {
    let code = error.as_database_error()?.code()?;
    Some(code.parse::<i32>().ok()? & 0xff)
}

/// Whether `error` is the database's own refusal to double-book a host.
pub fn is_host_taken(error: &sqlx::Error) -> bool {
    error
        .as_database_error()
        .is_some_and(|error| error.message().contains("host is taken"))
}

/// Whether `error` is the database's own refusal to give a seat twice.
pub fn is_out_of_seats(error: &sqlx::Error) -> bool {
    error
        .as_database_error()
        .is_some_and(|error| error.message().contains("seats are taken"))
}

/// Whether `error` says that what is referred to is not there.
pub fn is_orphan(error: &sqlx::Error) -> bool {
    error
        .as_database_error()
        .is_some_and(sqlx::error::DatabaseError::is_foreign_key_violation)
}

/// Whether `error` says that a unique key exists already.
pub fn is_duplicate(error: &sqlx::Error) -> bool {
    error
        .as_database_error()
        .is_some_and(sqlx::error::DatabaseError::is_unique_violation)
}

#[cfg(test)]
mod tests {
    use axum::http::StatusCode;
    use axum::http::header::RETRY_AFTER;
    use axum::response::IntoResponse;

    use super::*;

    #[test]
    fn a_logged_cause_holds_no_value_of_a_row() {
        let cause = "kept@secret.example".parse::<i64>().unwrap_err();
        let decode = sqlx::Error::ColumnDecode {
            index: "settings".into(),
            source: format!("{cause}: kept@secret.example").into(),
        };
        assert_eq!(
            Logged(&decode).to_string(),
            "column settings holds what cannot be read"
        );
    }

    #[test]
    fn a_pool_without_a_free_connection_is_no_bug_but_a_wait() {
        let error = Error::from(sqlx::Error::PoolTimedOut);
        assert_eq!(error.status(), StatusCode::SERVICE_UNAVAILABLE);
        let response = error.into_response();
        assert_eq!(response.headers()[RETRY_AFTER], "10");
        let error = Error::from(sqlx::Error::RowNotFound);
        assert_eq!(error.status(), StatusCode::INTERNAL_SERVER_ERROR);
    }
}
