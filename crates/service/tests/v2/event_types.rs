//! Event types, their changes and public pages.

pub mod changes;
mod lists;
mod of_teams;
mod public_pages;
