//! Client of the scheduling service.
//!
//! [`http`] sends requests and reads responses, [`error`] has the errors, [`dialect`] the differences between services of
//! this interface, [`operations`] one file for each family of operations. [`session`] has the credentials of a root,
//! [`query`] reads that follow a changing query, [`cache`] cached ones.

pub mod cache;
pub mod dialect;
pub mod error;
pub mod http;
pub mod operations;
pub mod query;
pub mod session;

pub use dialect::Dialect;
pub use error::{ApiError, DeclineReason};
pub use http::abort::Abort;
pub use http::retry::RETRY_DELAYS_MS;
pub use http::{Client, Credentials, Renewal};
pub use operations::bookings::TeamPath;
