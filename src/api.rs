//! Calls to the scheduling service.
//!
//! [`client`] sends calls and reads answers, [`fetch`] and [`json`] leave network and parsing to the
//! browser, [`error`] says what can go wrong, `retry` what is worth another try, [`dialect`] how services
//! of this interface differ; then one file for each family of operations.

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
pub use error::{ApiError, Refusal};
pub use retry::RETRY_DELAYS_MS;
