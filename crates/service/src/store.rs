//! The database: the only place that speaks SQL.
//!
//! The statements keep to what PostgreSQL also understands (bound parameters, text ids, epoch
//! milliseconds). Readers share a pool; writers queue for one connection, because SQLite has one
//! writer at a time and a queue is fairer than polling a lock.

pub mod accounts;
pub mod availabilities;
pub mod bookers;
pub mod booking_acts;
pub mod booking_list;
pub mod booking_notes;
pub mod booking_people;
pub mod booking_references;
pub mod bookings;
pub mod busy;
pub mod calendars;
mod connection;
pub mod credentials;
mod database;
pub mod deliveries;
pub mod disclosure;
mod error;
pub mod event_types;
pub mod examine;
pub mod idempotency;
pub mod looks;
pub mod meetings;
pub mod memberships;
pub mod out_of_office;
pub mod payments;
pub mod people;
mod queue;
pub mod reservations;
pub mod roles;
mod rows;
pub mod schedules;
pub mod space;
pub mod teams;
pub mod upkeep;
pub mod users;
pub mod webhooks;
mod writer;

pub use connection::{BoxFuture, Db, MIGRATIONS};
pub use database::{FILE_NAME, OpenError, Store, schema};
pub use error::{is_duplicate, is_host_taken, is_orphan, is_out_of_seats};
