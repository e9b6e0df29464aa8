//! Use cases of bookings: creating, reading and changing them.

pub mod attendance;
pub mod attendees;
pub mod calendar_links;
pub mod cancel;
pub mod chosen_location;
pub mod confirm;
pub mod correct_email;
pub mod create;
pub mod create_request;
pub mod guest_input;
pub mod hosts;
pub mod insert;
pub mod list;
pub mod list_query;
pub mod location;
pub mod read;
pub mod reassign;
pub mod records;
pub mod reschedule;
pub mod reschedule_request;
pub mod responses;
pub mod show;
pub mod title;
pub mod visibility;
