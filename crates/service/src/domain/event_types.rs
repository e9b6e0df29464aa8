//! Use cases of event types.

pub mod access;
pub mod change;
pub mod current;
mod form;
pub mod group;
mod input;
pub mod list;
pub mod names;
mod readers;
mod settings;
