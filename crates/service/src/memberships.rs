//! Use cases of memberships in teams and organisations.

pub mod manage;
pub mod organization;
pub mod rules;
