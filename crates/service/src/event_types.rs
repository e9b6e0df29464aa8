//! Use cases of event types (contract 3.2).

pub mod access;
pub mod change;
mod form;
pub mod group;
mod input;
pub mod list;
pub mod names;
mod readers;
mod settings;
