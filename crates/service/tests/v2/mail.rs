//! E-mail messages of bookings, and the links in them.

pub mod links;
pub mod messages;
mod reminders;
mod series_and_seats;
