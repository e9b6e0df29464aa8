//! Handlers of version 2: they parse the request, call a use case and return the response.

pub mod bookings;
pub mod event_types;
pub mod managed_users;
pub mod me;
pub mod memberships;
pub mod out_of_office;
pub mod reservations;
pub mod response;
pub mod roles;
pub mod schedules;
pub mod slots;
pub mod teams;
pub mod verified_emails;
pub mod webhooks;
