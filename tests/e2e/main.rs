//! End-to-end tests in a real browser against a real service: `cargo xtask test` runs them.
//!
//! They are one program, so that they share one pool of threads and of browsers, and the last tests of a
//! file do not leave a core idle.

#![allow(clippy::expect_used, clippy::indexing_slicing)]

#[path = "../common/mod.rs"]
mod common;

mod access;
mod acts;
mod admin;
mod after;
mod book;
mod callbacks;
mod canary;
mod embed;
mod endings;
mod export;
mod faults;
mod find;
mod form;
mod harness;
mod hooks;
mod hostile;
mod in_flight;
mod language;
mod list;
mod loader;
mod lost_answers;
mod manager;
mod many;
mod news;
mod package;
mod parts;
mod pick;
mod placement;
mod records;
mod roles;
mod screens;
mod session;
mod settings;
mod smooth;
mod staff_in_flight;
mod time_zones;
mod unusable;
mod visitor;
