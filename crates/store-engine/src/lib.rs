//! The two databases of the service behind one interface: pools, statements, the queue of writes, locks, replicas and
//! the schema. Knows no table of the API: migrations are passed in, and only the tables of replicas and of versions, which
//! they create, are used here.

mod clock_check;
pub mod connection;
pub mod database;
pub mod error;
pub mod leadership;
pub mod lease;
pub mod locks;
pub mod open_error;
pub mod postgres;
mod queue;
mod reachability;
pub mod read_replica;
mod replica_state;
pub mod replicas;
pub mod schema;
mod schema_watch;
pub mod sql;
pub mod statements;
pub mod write_metrics;
mod write_notifications;
pub mod writer;
