//! Users, teams, their members and roles.

pub mod account;
#[cfg(feature = "openapi")]
mod known_permission;
pub mod permission;
pub mod role;
pub mod team;
pub mod verified_email;
