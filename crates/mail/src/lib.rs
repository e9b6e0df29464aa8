//! E-mail messages about bookings: their data, texts and calendar invitations, and the pages that their links open.
//!
//! This crate knows no database, no server and no request: from the data of a message it makes what the recipient reads.
//! The service stores the data in the transaction of the change and sends the message afterwards.
//!
//! | Module | Contents |
//! |---|---|
//! | [`message`] | kinds of messages, recipients, links |
//! | [`data`] | data of a message: the booking at the time of the event, or a code |
//! | [`invitation`] | the calendar invitation in a message |
//! | [`strangers`] | fields of a booking with an unverified booker that attendees and guests may read |
//! | [`templates`] | texts of messages and pages |
//! | [`link_preview`] | texts about public pages, for links to them |
//! | [`colour`] | colours with enough contrast |
//! | [`samples`] | made-up messages and pages, to check templates and to look at |

mod clean;
pub mod colour;
pub mod data;
mod dates;
mod input;
pub mod invitation;
pub mod link_preview;
pub mod message;
mod page_view;
pub mod samples;
pub mod strangers;
pub mod templates;
mod texts;
mod view;
