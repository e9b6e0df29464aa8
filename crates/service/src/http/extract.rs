//! Values that handlers extract from requests.
//!
//! [`crate::auth::Caller`] requires credentials, for [`OptionalCaller`] they are optional; invalid
//! credentials are an error in both cases. [`ClientNetwork`] is the network of the client.

mod credentials;
pub mod idempotency;
pub mod json;
mod network;
pub mod params;
pub mod path;
pub mod query;
mod webhook_owner;

pub use credentials::{OptionalCaller, authenticated_client, caller_of_api_key};
pub use network::ClientNetwork;
