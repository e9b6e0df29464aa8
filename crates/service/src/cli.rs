//! The command line: one module per command, and shared modules.

pub mod args;
pub mod backup;
pub mod check;
pub mod clients;
pub mod data_directory;
pub mod database_url;
pub mod demo;
pub mod error;
pub mod health;
pub mod instance_lock;
pub mod keys;
pub mod log;
pub mod mail;
pub mod mail_content;
pub mod mail_options;
pub mod migrate;
pub mod permissions;
mod scopes;
pub mod serve;
mod table;
mod temporary_file;
pub mod tokens;
mod transfer;
pub mod users;
pub mod vacuum;
mod values;
pub mod webhooks;
