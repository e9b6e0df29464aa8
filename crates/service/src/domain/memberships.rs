//! Use cases of memberships in teams and organisations.

pub mod change;
pub mod manage;
pub mod organization;
