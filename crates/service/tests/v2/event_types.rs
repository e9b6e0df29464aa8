//! Event types, their changes and public pages.

pub mod changes;
mod lists;
mod public_pages;
mod teams;
