//! Endpoints outside of the API versions: health, metrics, the demo account and its outbox, pages of links in messages,
//! pictures of public pages.

pub mod demo_account;
pub mod demo_mail;
pub mod health;
pub mod mail_pages;
pub mod metrics;
pub mod pictures;
