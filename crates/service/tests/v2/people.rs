//! Users, teams, memberships and roles.

mod host_deletion;
mod managed_users;
mod me;
mod memberships;
mod organization_memberships;
mod personal_data;
mod role_changes;
mod roles;
mod teams;
mod verified_emails;
