//! Use cases of bookings: creating, reading and changing them.

pub mod added_people;
pub mod attendance;
pub mod attendees;
pub mod cancel;
pub mod confirm;
pub mod correct_email;
pub mod create;
pub mod hosts;
pub mod location;
pub mod read;
pub mod reassign;
pub mod reschedule;
pub mod title;
