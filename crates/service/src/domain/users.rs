//! Use cases of users: profiles, managed users, tokens, deletion.

pub mod delete;
pub mod managed;
pub mod profile;
pub mod tokens;
