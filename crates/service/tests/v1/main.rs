//! Version 1 in-process, asked through the service's router.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    unreachable_pub,
    missing_docs
)]

mod agreement;
mod attendees;
mod bad_input;
mod bookings;
mod calendars;
mod cases;
#[allow(dead_code)]
#[path = "../v2/common.rs"]
mod common;
mod document;
mod event_types;
mod keys;
mod people;
mod schedules;
mod slots;
mod table;
mod world;
