//! Tests of API version 2, in-process, through the service's router.

#![recursion_limit = "256"]
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    unreachable_pub,
    missing_docs
)]

mod access;
mod availability;
mod booking_lists;
mod bookings;
mod common;
mod event_types;
mod mail;
mod operation;
mod people;
mod requests;
mod webhooks;
