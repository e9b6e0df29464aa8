//! Maintenance of the database, and records about it.

pub mod allowances;
pub mod free_pages;
pub mod idempotency;
pub mod integrity;
pub mod key_fingerprints;
pub mod sealed_values;
