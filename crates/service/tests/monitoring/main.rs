//! Monitoring by operators: alert rules, dashboard and traces.

#![cfg(unix)]
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    unreachable_pub,
    missing_docs,
    dead_code
)]

#[path = "../support/process.rs"]
mod process;
mod rules;
mod traces;
