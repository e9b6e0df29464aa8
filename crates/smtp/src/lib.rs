//! Sending of e-mail messages. Knows no booking and no database.
//!
//! | Module | Contents |
//! |---|---|
//! | [`settings`], [`settings_error`] | settings of messages, mail server and sender |
//! | [`email_address`] | validation of e-mail addresses, and their mailboxes |
//! | [`address`], [`mime`], [`dkim`] | addresses, messages as they are sent, their signatures |
//! | [`transport`], [`connection`], [`failure`] | sending over kept connections, one connection, what can go wrong |
//! | `starttls`, `reply_stream` | a connection before STARTTLS, limit of the server's replies |
//! | [`tls`] | TLS of connections to other servers, of webhooks, too |
//! | `server_state` | log lines when the mail server stops and begins to take messages |

pub mod address;
pub mod connection;
pub mod dkim;
pub mod email_address;
pub mod failure;
mod inline_images;
pub mod mime;
mod reply_stream;
mod server_state;
pub mod settings;
pub mod settings_error;
mod starttls;
pub mod tls;
pub mod transport;
