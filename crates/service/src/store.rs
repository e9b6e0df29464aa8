//! Data access: all SQL statements of the service.
//!
//! Statements have one text for both databases where they can ([`booking_store_engine::sql`]). Reads use a connection
//! pool; writes queue, because SQLite has one writer at a time and a queue is fairer than polling a lock.

pub mod bookings;
pub mod busy;
mod constraints;
pub mod event_types;
pub mod hours;
pub mod messages;
pub mod migrations;
pub mod old_rows;
mod open;
pub mod people;
mod rows;
mod subjects;
pub mod transfer;
pub mod upkeep;
pub mod user_filter;
pub mod visibility;

pub use booking_store_engine::connection::{BoxFuture, Database, Db, Reader, Transaction};
pub use booking_store_engine::database::{FILE_NAME, READ_CONNECTIONS};
pub use booking_store_engine::error::{is_duplicate, is_orphan};
pub use booking_store_engine::locks::{Locks, Resource};
pub use booking_store_engine::open_error::OpenError;
pub use booking_store_engine::postgres::{PostgresName, is_postgres_url};
pub use booking_store_engine::read_replica::{MAX_LAG, ReplicaProblem};
pub use constraints::{duplicate_or, is_host_taken, is_out_of_seats};
pub use migrations::{
    MIGRATIONS, POSTGRES_MIGRATIONS, connect_usable, migrate_postgres, postgres_schema,
};
pub use open::Store;
pub use subjects::Subject;
