//! Permissions of roles.

use std::fmt;

use serde::Serialize;
use serde_json::Value;

use crate::read::Read;

/// A permission, `resource.action`. Unknown ones of a newer service are preserved.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct Permission(pub String);

impl Permission {
    /// Returns the part before the last dot: resources may contain dots.
    pub fn resource(&self) -> &str {
        self.0
            .rsplit_once('.')
            .map_or(&self.0, |(resource, _)| resource)
    }

    /// Returns the part after the last dot.
    pub fn action(&self) -> &str {
        self.0.rsplit_once('.').map_or("", |(_, action)| action)
    }
}

impl fmt::Display for Permission {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl Read for Permission {
    fn read(value: &Value) -> Option<Self> {
        value.as_str().map(|name| Self(name.to_owned()))
    }
}

/// The permissions of a team role, in the specification's order.
pub const TEAM_PERMISSIONS: [&str; 37] = [
    "role.create",
    "role.read",
    "role.update",
    "role.delete",
    "eventType.create",
    "eventType.read",
    "eventType.update",
    "eventType.delete",
    "team.read",
    "team.update",
    "team.delete",
    "team.invite",
    "team.remove",
    "team.listMembers",
    "team.listMembersPrivate",
    "team.changeMemberRole",
    "team.impersonate",
    "booking.read",
    "booking.readTeamBookings",
    "booking.readRecordings",
    "booking.update",
    "booking.readTeamAuditLogs",
    "insights.read",
    "workflow.create",
    "workflow.read",
    "workflow.update",
    "workflow.delete",
    "routingForm.create",
    "routingForm.read",
    "routingForm.update",
    "routingForm.delete",
    "webhook.create",
    "webhook.read",
    "webhook.update",
    "webhook.delete",
    "featureOptIn.read",
    "featureOptIn.update",
];

/// The permissions of an organisation's role. `*.*` is everything.
pub const ORGANIZATION_PERMISSIONS: [&str; 59] = [
    "*.*",
    "role.create",
    "role.read",
    "role.update",
    "role.delete",
    "eventType.create",
    "eventType.read",
    "eventType.update",
    "eventType.delete",
    "team.create",
    "team.read",
    "team.update",
    "team.delete",
    "team.invite",
    "team.remove",
    "team.listMembers",
    "team.listMembersPrivate",
    "team.changeMemberRole",
    "team.impersonate",
    "booking.read",
    "booking.readOrgBookings",
    "booking.readRecordings",
    "booking.update",
    "booking.readOrgAuditLogs",
    "organization.create",
    "organization.read",
    "organization.update",
    "organization.listMembers",
    "organization.listMembersPrivate",
    "organization.invite",
    "organization.remove",
    "organization.manageBilling",
    "organization.changeMemberRole",
    "organization.impersonate",
    "organization.passwordReset",
    "organization.attributes.create",
    "organization.attributes.read",
    "organization.attributes.update",
    "organization.attributes.delete",
    "organization.attributes.editUsers",
    "insights.read",
    "workflow.create",
    "workflow.read",
    "workflow.update",
    "workflow.delete",
    "routingForm.create",
    "routingForm.read",
    "routingForm.update",
    "routingForm.delete",
    "webhook.create",
    "webhook.read",
    "webhook.update",
    "webhook.delete",
    "featureOptIn.read",
    "featureOptIn.update",
    "watchlist.create",
    "watchlist.read",
    "watchlist.update",
    "watchlist.delete",
];
