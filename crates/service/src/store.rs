//! Data access: all SQL statements of the service.
//!
//! Statements have one text for both databases where they can ([`sql`]). Reads use a connection pool; writes
//! queue, because SQLite has one writer at a time and a queue is fairer than polling a lock.

pub mod accounts;
pub mod availabilities;
pub mod booking_actions;
pub mod booking_attendees;
pub mod booking_list;
pub mod booking_references;
pub mod booking_scope;
mod booking_search;
pub mod bookings;
pub mod bookings_v1;
pub mod busy;
pub mod calendars;
mod clock_check;
mod connection;
pub mod credentials;
mod database;
pub mod deliveries;
pub mod disk_space;
pub mod email_corrections;
pub mod email_verification_codes;
mod error;
pub mod event_types;
pub mod idempotency;
pub mod integrity;
pub mod key_fingerprints;
pub mod leadership;
pub mod lease;
mod locks;
pub mod mail;
pub mod mail_codes;
pub mod mail_events;
pub mod mail_reminders;
pub mod meeting_events;
pub mod memberships;
#[cfg(test)]
mod migration_rules;
mod open_error;
pub mod out_of_office;
pub mod payments;
mod postgres;
mod queue;
mod reachability;
mod read_replica;
pub mod replicas;
pub mod reservations;
pub mod roles;
pub mod round_robin;
mod rows;
pub mod schedules;
pub mod schema;
mod schema_watch;
pub mod sql;
pub mod teams;
pub mod transfer;
pub mod user_filter;
pub mod users;
pub mod users_v1;
pub mod verified_emails;
pub mod visibility;
pub mod webhooks;
mod write_notifications;
mod writer;
pub mod zone_offsets;

pub use connection::{
    BoxFuture, Database, Db, MIGRATIONS, POSTGRES_MIGRATIONS, Reader, Transaction,
};
pub use database::{FILE_NAME, READ_CONNECTIONS, Store, schema};
pub use error::{duplicate_or, is_duplicate, is_host_taken, is_orphan, is_out_of_seats};
pub use locks::Locks;
pub use open_error::OpenError;
pub use postgres::{
    PostgresName, connect_usable, is_postgres_url, migrate_postgres, postgres_schema,
};
pub use read_replica::{MAX_LAG, ReplicaProblem};
