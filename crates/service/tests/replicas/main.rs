//! Faults of several replicas over one PostgreSQL database: `cargo xtask test --only replicas`.
//!
//! `BOOKING_TEST_ATTEMPTS` sets the number of attempts of the random run, `BOOKING_TEST_SEED` the choices of the visitors.

#![cfg(unix)]
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    unreachable_pub,
    missing_docs,
    dead_code
)]

mod clock_difference;
mod cluster;
mod database_link;
mod database_outage;
mod database_server;
mod fixture;
mod frozen_leader;
mod history;
mod history_tests;
mod http;
mod kills;
#[path = "../support/mail_server.rs"]
mod mail_server;
mod one_slot;
mod pooler;
mod ports;
#[path = "../support/postgres.rs"]
mod postgres;
#[path = "../support/process.rs"]
mod process;
mod proxy;
mod random_run;
mod read_replica;
mod shipped_proxy;
mod visitors;
mod webhook_receiver;
#[path = "../support/zone_files.rs"]
mod zone_files;
