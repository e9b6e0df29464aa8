//! Commands for users, keys, tokens and OAuth clients.

pub mod clients;
pub mod keys;
pub mod permissions;
pub mod replace_key;
pub mod rotate_key;
pub(crate) mod scopes;
pub mod tokens;
pub mod users;
