//! The command line: one module per command, and shared modules.

pub mod access;
pub mod args;
mod asset_directories;
pub mod database;
pub mod demo;
pub mod env_file;
pub mod error;
pub mod health;
pub mod log;
pub mod mail;
pub mod serve;
mod table;
mod temporary_file;
mod values;
pub mod webhooks;
pub mod zones;
