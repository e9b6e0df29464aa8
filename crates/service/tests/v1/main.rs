//! Tests of API version 1, in-process, through the service's router.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    unreachable_pub,
    missing_docs
)]

mod api_keys;
mod app;
mod attendees;
mod bad_input;
mod bookings;
mod calendars;
mod cases;
#[allow(dead_code)]
#[path = "../v2/common.rs"]
mod common;
mod event_types;
mod openapi;
mod operations;
mod schedules;
mod slots;
mod users_and_teams;
mod version_consistency;
