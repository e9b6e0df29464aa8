//! Operations of the service, one file for each family.

pub mod booking_actions;
pub mod bookings;
pub mod event_types;
pub mod profile;
pub mod roles;
pub mod slots;
pub mod verified_emails;
