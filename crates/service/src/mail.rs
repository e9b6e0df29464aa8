//! E-mail messages about bookings.
//!
//! A change of a booking records an event in its transaction. On the replica that leads, the worker makes one message
//! per recipient from it and sends it by SMTP, with retries; without a mail server, messages are kept in the outbox.
//!
//! | Module | Contents |
//! |---|---|
//! | [`events`] | records events in the transaction of the change |
//! | [`expand`] | data and recipients of an event's messages |
//! | [`reminders`] | records reminders when they are due |
//! | [`outbox`] | makes messages, sends due ones, stores the outcomes |
//! | [`limits`] | limits of messages and attempts |
//! | [`content`] | text, invitation and links of a message |
//! | [`settings`] | settings of messages, mail server and sender |
//! | [`address`], [`mime`], [`dkim`] | addresses, messages as they are sent, their signatures |
//! | [`transport`], [`connection`], [`failure`] | sending by SMTP, connections, what can go wrong |

pub mod address;
pub mod connection;
pub mod content;
pub mod dkim;
pub mod events;
pub mod expand;
pub mod failure;
pub mod limits;
pub mod mime;
pub mod outbox;
pub mod reminders;
pub mod settings;
pub mod settings_error;
pub mod transport;
