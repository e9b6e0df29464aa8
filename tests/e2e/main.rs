//! End-to-end tests in a real browser against a real service: `cargo xtask test` runs them.
//!
//! They are one program, so that they share one pool of threads and of browsers, and the last tests of a
//! file do not leave a core idle.

#![allow(clippy::expect_used, clippy::indexing_slicing)]

#[path = "../common/mod.rs"]
mod common;

mod accessibility;
mod book;
mod booking_actions;
mod booking_form;
mod booking_list;
mod booking_list_filters;
mod callbacks;
mod canary;
mod command_palette;
mod doctor;
mod email_code;
mod embed;
mod event_type_list;
mod event_type_settings;
mod events;
mod existing_booking;
mod export;
mod faults;
mod frames;
mod hooks;
mod hostile;
mod in_flight;
mod invalid_config;
mod language;
mod layout_shift;
mod lazy_chunks;
mod loader;
mod lost_responses;
mod mail;
mod many_elements;
mod outcomes;
mod package;
mod popup;
mod role_creation;
mod roles;
mod row_answers;
mod screens;
mod session;
mod slot_picker;
mod staff_in_flight;
mod step_history;
mod test_helpers;
mod time_zones;
mod visitor;
