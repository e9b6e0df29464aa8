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
mod admin;
mod allowed_actions;
mod anonymous_callers;
mod booking_action_events;
mod booking_actions;
mod booking_creation_events;
mod booking_fixture;
mod booking_form;
mod booking_locations;
mod booking_rules;
mod booking_search;
mod booking_subresources;
mod booking_titles;
mod bookings;
mod calendar_cache;
mod calendar_replay;
mod common;
mod compatibility;
mod deliveries;
mod demo;
mod email_corrections;
mod errors;
mod event_type_changes;
mod event_types;
mod events;
mod existence_disclosure;
mod health;
mod host_deletion;
mod idempotency;
mod limit_table;
mod list_limits;
mod mail_links;
mod mail_messages;
mod mail_reminders;
mod mail_series_and_seats;
mod malformed_input;
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
mod phone_numbers;
mod privilege_escalation;
mod public_pages;
mod races;
mod rate_limits;
mod replicas;
mod request_limits;
mod reschedule_slots;
mod reschedules;
mod reservations;
mod role_changes;
mod roles;
mod schedules;
mod series_and_seats;
mod slots;
mod static_files;
mod status_filters;
mod team_bookings;
mod team_event_types;
mod teams;
mod unknown_keys;
mod verified_emails;
mod webhook_fairness;
mod webhook_hostile_receivers;
mod webhook_limits;
mod webhooks;
