//! Users, teams, memberships, roles, and their credentials.

pub mod accounts;
pub mod credentials;
pub mod email_codes;
pub mod memberships;
pub mod roles;
pub mod teams;
pub mod users;
pub mod users_v1;
pub mod verified_emails;
