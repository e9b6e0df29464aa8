//! Data access: all SQL statements of the service.
//!
//! Statements have one text for both databases where they can ([`engine::sql`]). Reads use a connection pool; writes
//! queue, because SQLite has one writer at a time and a queue is fairer than polling a lock.

pub mod bookings;
pub mod busy;
pub mod engine;
pub mod event_types;
pub mod hours;
pub mod messages;
pub mod people;
pub mod transfer;
pub mod upkeep;
pub mod user_filter;
pub mod visibility;

pub use engine::connection::{
    BoxFuture, Database, Db, MIGRATIONS, POSTGRES_MIGRATIONS, Reader, Transaction,
};
pub use engine::database::{FILE_NAME, READ_CONNECTIONS, Store, schema};
pub use engine::error::{duplicate_or, is_duplicate, is_host_taken, is_orphan, is_out_of_seats};
pub use engine::locks::Locks;
pub use engine::open_error::OpenError;
pub use engine::postgres::{
    PostgresName, connect_usable, is_postgres_url, migrate_postgres, postgres_schema,
};
pub use engine::read_replica::{MAX_LAG, ReplicaProblem};
