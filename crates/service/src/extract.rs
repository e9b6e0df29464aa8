//! Values that handlers extract from requests.
//!
//! [`crate::auth::Caller`] where credentials are needed, [`Visitor`] where they are optional; wrong credentials are
//! an error in both cases. [`FromNetwork`] is the network that a request comes from.

mod credentials;
pub mod idempotency;
pub mod json;
mod network;
pub mod path;
pub mod query;
mod webhook_owner;

pub use credentials::{Visitor, caller_by_key, calling_client};
pub use network::FromNetwork;
