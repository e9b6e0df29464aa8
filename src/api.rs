//! Client of the scheduling service.
//!
//! [`client`] sends requests and parses responses with [`fetch`] and [`json`] of the browser, [`error`] has the
//! errors, `retry` the retry rules, [`dialect`] the differences between services of this interface; one file
//! for each family of operations.

pub mod abort;
pub mod booking_acts;
pub mod bookings;
pub mod client;
pub mod dialect;
pub mod error;
pub mod event_types;
pub mod fetch;
pub mod json;
mod retry;
pub mod roles;
pub mod slots;
pub mod v1;

pub use abort::Abort;
pub use bookings::TeamPath;
pub use client::{Client, Credentials, Renewal};
pub use dialect::Dialect;
pub use error::{ApiError, DeclineReason};
pub use retry::RETRY_DELAYS_MS;
