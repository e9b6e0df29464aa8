//! State of the limits on clients: rate limits, concurrency limits and allowances.

mod allowance;
mod client;
pub mod client_ip;
pub mod concurrency;
mod limiter;

pub use allowance::Allowance;
pub use client::{Client, oauth_client_key, user_key};
pub use limiter::{DEFAULT_RATE, DEMO_RATE, HOUR, Limiter, MINUTE, RateLimit, Usage};
