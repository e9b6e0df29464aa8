//! The service in-process, asked through its router. One module per part of the interface.

#![recursion_limit = "256"]
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    unreachable_pub,
    missing_docs
)]

mod access;
mod admin;
mod booking_actions;
mod booking_events;
mod booking_form;
mod booking_locations;
mod booking_news;
mod booking_parts;
mod booking_terms;
mod booking_titles;
mod bookings;
mod bounds;
mod common;
mod compatibility;
mod deliveries;
mod demo;
mod errors;
mod escalation;
mod event_type_changes;
mod event_types;
mod events;
mod existence;
mod files;
mod health;
mod host_deletion;
mod hostile;
mod idempotency;
mod limit_table;
mod limits;
mod list_limits;
mod managed_users;
mod me;
mod memberships;
mod migrations;
mod oauth;
mod openapi;
mod organization_memberships;
mod out_of_office;
mod own_bookings;
mod personal_data;
mod races;
mod reschedules;
mod reservations;
mod role_changes;
mod roles;
mod schedules;
mod series_and_seats;
mod slots;
mod status_filters;
mod stored;
mod strangers;
mod team_bookings;
mod team_event_types;
mod teams;
mod unknown_keys;
mod webhook_fairness;
mod webhook_limits;
mod webhooks;
