//! Rules for requests of every operation: errors, limits, keys, documents.

mod compatibility;
mod errors;
mod idempotency;
mod limit_table;
mod malformed_input;
mod openapi;
mod rate_limits;
mod request_limits;
mod unknown_keys;
