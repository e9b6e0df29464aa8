//! Client of the scheduling service.
//!
//! [`http`] sends requests and parses responses with [`fetch`] and [`json`] of the browser, [`error`] has the
//! errors, `retry` the retry rules, [`dialect`] the differences between services of this interface; one file
//! for each family of operations. [`session`] has the credentials of a root, [`query`] reads that follow a changing
//! query, [`cache`] cached ones.

pub mod abort;
pub mod booking_actions;
pub mod bookings;
pub mod cache;
pub mod dialect;
pub mod error;
pub mod event_types;
pub mod fetch;
pub mod http;
pub mod json;
pub mod profile;
pub mod query;
mod retry;
pub mod roles;
pub mod session;
pub mod slots;
pub mod v1;
pub mod verified_emails;

pub use abort::Abort;
pub use bookings::TeamPath;
pub use dialect::Dialect;
pub use error::{ApiError, DeclineReason};
pub use http::{Client, Credentials, Renewal};
pub use retry::RETRY_DELAYS_MS;
