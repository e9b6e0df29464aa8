//! Endpoints outside of the API versions: health, metrics, the demo account and its outbox.

pub mod demo_account;
pub mod demo_mail;
pub mod health;
