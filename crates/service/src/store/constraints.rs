//! Constraint violations that become responses: host taken, no seat left, duplicate key.

use booking_store_engine::error::is_duplicate;

use crate::error::Error;

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

/// Returns `conflict` if a unique key is violated, else the error itself.
pub fn duplicate_or(error: sqlx::Error, conflict: Error) -> Error {
    if is_duplicate(&error) {
        conflict
    } else {
        error.into()
    }
}
