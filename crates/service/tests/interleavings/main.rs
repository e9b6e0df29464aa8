//! Interleavings of two concurrent requests at two replicas with one PostgreSQL database.
//!
//! A gate between each replica and the server (`gate.rs`) holds every statement until the test lets it run, so that
//! the order of statements is the test's choice (`schedule.rs`). Each pair of requests (`cases.rs`) runs in all
//! orders that can differ with at most two preemptions. Every order has to leave a legal state (`legal.sql`), the
//! state and the statuses that one of the requests after the other gives.
//!
//! A failure prints its schedule, such as `BOOKING_TEST_SCHEDULE=two_reservations=A3B2`, which runs that one alone:
//! three statements of the first request, two of the second, the rest of the first, the rest of the second.
//!
//! SQLite is not part of this: its replicas would be processes that exclude each other by a lock of the file.

#![cfg(unix)]
#![recursion_limit = "256"]
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    unreachable_pub,
    missing_docs,
    dead_code
)]

mod cases;
#[path = "../v2/common.rs"]
mod common;
mod context;
mod explore;
mod gate;
mod schedule;
mod seed;
