//! Messages to others: webhooks and e-mail.

pub mod mail;
pub mod mail_links;
pub mod webhooks;
