//! E-mail messages about bookings: events and recipients.
//!
//! A change of a booking records an event in its transaction. On the replica that leads, [`outbox`] makes one message per recipient from it and
//! sends it by [`booking_smtp`], with retries; without a mail server, messages are kept.
//!
//! | Module | Contents |
//! |---|---|
//! | [`events`] | records events in the transaction of the change |
//! | [`expand`] | data and recipients of an event's messages |
//! | [`outbox`] | makes messages from events, sends them, stores the outcomes |
//! | [`reminders`] | records reminders when they are due |
//! | [`retries_and_limits`] | limits of messages and attempts |
//! | [`message_id`] | Message-IDs |

pub mod events;
pub mod expand;
pub mod message_id;
pub mod outbox;
pub mod reminders;
pub mod retries_and_limits;
