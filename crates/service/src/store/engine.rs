//! The two databases: pools, statements, the writer's queue, locks, replicas and the schema. Knows no table of the API.

pub(crate) mod clock_check;
pub(crate) mod connection;
pub(crate) mod database;
pub(crate) mod error;
pub mod leadership;
pub mod lease;
pub(crate) mod locks;
#[cfg(test)]
pub(crate) mod migration_rules;
pub(crate) mod open_error;
pub(crate) mod postgres;
pub(crate) mod queue;
pub(crate) mod reachability;
pub(crate) mod read_replica;
pub mod replicas;
pub(crate) mod rows;
pub mod schema;
pub(crate) mod schema_watch;
pub mod sql;
pub(crate) mod write_notifications;
pub(crate) mod writer;
