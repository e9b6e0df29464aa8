//! What opening and using the links in messages ([`crate::messages::mail_links`]) does.

mod owner;
mod page;

pub use page::{Page, act, open};
