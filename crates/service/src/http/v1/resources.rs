//! Operations of version 1, one module per resource.

pub mod attendees;
pub mod availabilities;
pub mod booking_references;
pub mod bookings;
pub mod credentials;
pub mod destination_calendars;
pub mod event_types;
pub mod memberships;
pub mod payments;
pub mod schedules;
pub mod selected_calendars;
pub mod slots;
pub mod teams;
pub mod users;
pub mod webhooks;
