//! Links in messages about bookings: encrypted tokens, and the pages of what they can do.
//!
//! A link names a booking, its owner (the recipient of the message), what it is for and when it expires, encrypted with a
//! key of the service ([`token`]). No table has the links that were sent or used. Whether one still works follows from
//! the booking:
//!
//! * It may be confirmed or declined while it waits, and cancelled or rescheduled as [`booking_rules::transitions`] allows.
//! * The owner must still take part in it with the address that the message was sent to: neither former hosts, nor
//!   people whose seat was cancelled, nor hosts whose account was deleted or disabled can use theirs.
//! * The owner of a link to a booking that was rescheduled gets a link to the new booking if they take part in it;
//!   others learn nothing about it.
//! * A link in a message about a whole series is for all its occurrences in which the owner takes part.
//!
//! Links that act do so by POST only, so that programs that open the links of a message change nothing. They are proof
//! that their owner has received the message, which is more than the uid of the booking: they also work for bookings of
//! event types that need authentication.
//!
//! Guests get no links but the one that stops reminders: the page of a booking lets everybody who opens it cancel it.

pub(crate) mod recipient_links;
pub mod token;

pub use recipient_links::links;
