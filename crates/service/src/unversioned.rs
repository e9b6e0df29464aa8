//! Endpoints outside of the API versions: health, metrics, the demo account.

pub mod demo_account;
pub mod health;
