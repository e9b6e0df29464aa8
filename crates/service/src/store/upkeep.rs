//! Maintenance of the database, and records about it.

pub mod disk_space;
pub mod idempotency;
pub mod integrity;
pub mod key_fingerprints;
