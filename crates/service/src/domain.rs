//! Use cases, one module per noun of the API. They know no HTTP: parameters in, data or errors out.

pub mod bookings;
pub mod concurrent_change;
pub mod demo;
pub mod event_types;
pub mod idempotency;
pub mod link_actions;
pub mod memberships;
pub mod out_of_office;
pub mod public_pages;
pub mod reservations;
pub mod roles;
pub mod schedules;
pub mod slots;
pub mod teams;
pub mod users;
pub mod verified_emails;
pub mod zone_review;
