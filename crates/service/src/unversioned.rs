//! Paths outside the versions of the interface: health, metrics, the demo account.

pub mod demo_account;
pub mod health;
