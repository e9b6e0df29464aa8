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
mod booking_news;
mod booking_parts;
mod booking_terms;
mod bookings;
mod bounds;
mod common;
mod deliveries;
mod demo;
mod errors;
mod event_type_changes;
mod event_types;
mod events;
mod files;
mod health;
mod hostile;
mod limits;
mod managed_users;
mod me;
mod memberships;
mod migrations;
mod oauth;
mod openapi;
mod out_of_office;
mod own_bookings;
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
mod team_bookings;
mod team_event_types;
mod teams;
mod webhooks;
