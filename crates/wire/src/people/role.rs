//! Roles of teams and organisations.

use booking_wire_macros::wire;
use serde::Serialize;
use serde_json::Value;

use crate::formats::instant::Instant;
use crate::people::permission::Permission;
use crate::read::Read;

/// A named set of permissions.
#[wire(read, write)]
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Role {
    /// Identifier.
    #[wire(required)]
    pub id: String,
    /// Unique within the team or organisation.
    pub name: String,
    /// `#RGB` or `#RRGGBB`.
    #[wire(null)]
    pub color: Option<String>,
    /// Purpose of the role.
    #[wire(null)]
    pub description: Option<String>,
    /// Absent for system roles and those of an organisation.
    pub team_id: Option<i64>,
    /// Absent for system roles and those of a team.
    pub organization_id: Option<i64>,
    /// Kind of role: system roles cannot be changed.
    #[wire(key = "type")]
    pub kind: RoleType,
    /// Permissions of the role.
    pub permissions: Vec<Permission>,
    /// Instant of creation.
    #[wire(null)]
    pub created_at: Option<Instant>,
    /// Instant of the last change.
    #[wire(null)]
    pub updated_at: Option<Instant>,
}

/// Kind of role, by its creator.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "UPPERCASE")]
pub enum RoleType {
    /// Created by the service; cannot be changed.
    System,
    /// Created by the team or organisation.
    #[default]
    Custom,
}

impl Read for RoleType {
    fn read(value: &Value) -> Option<Self> {
        Some(if value.as_str()? == "SYSTEM" {
            Self::System
        } else {
            Self::Custom
        })
    }
}

/// The body of POST .../roles.
#[wire(write)]
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct NewRole {
    /// Name with at least one non-blank character.
    #[schema(min_length = 1, max_length = 1000, pattern = r"\S")]
    pub name: String,
    /// `#RGB` or `#RRGGBB`.
    #[schema(pattern = "^#([0-9A-Fa-f]{3}|[0-9A-Fa-f]{6})$")]
    pub color: Option<String>,
    /// Purpose of the role.
    #[schema(max_length = 1000)]
    pub description: Option<String>,
    /// Permissions of the role.
    #[schema(required = false, value_type = Vec<crate::people::known_permission::KnownPermission>)]
    pub permissions: Vec<Permission>,
}

/// The body of PATCH .../roles/{roleId}. Absent keys are not changed.
#[wire(write)]
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct RoleChange {
    /// Name with at least one non-blank character.
    #[schema(nullable = false, min_length = 1, max_length = 1000, pattern = r"\S")]
    pub name: Option<String>,
    /// `#RGB` or `#RRGGBB`; `null` removes it.
    #[schema(value_type = Option<String>, pattern = "^#([0-9A-Fa-f]{3}|[0-9A-Fa-f]{6})$")]
    pub color: Option<Option<String>>,
    /// `null` removes it.
    #[schema(value_type = Option<String>, max_length = 1000)]
    pub description: Option<Option<String>>,
    /// Replaces the whole set.
    #[schema(nullable = false, value_type = Option<Vec<crate::people::known_permission::KnownPermission>>)]
    pub permissions: Option<Vec<Permission>>,
}

/// The body of POST and PUT .../roles/{roleId}/permissions.
#[wire(write)]
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PermissionList {
    /// Permissions to add, or the complete new set.
    #[schema(value_type = Vec<crate::people::known_permission::KnownPermission>)]
    pub permissions: Vec<Permission>,
}
