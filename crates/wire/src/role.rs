//! Roles of teams and organisations.

use serde::Serialize;
use serde_json::Value;

use crate::instant::Instant;
use crate::permission::Permission;
use crate::read::{Fields, Read};

/// A named set of permissions.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct Role {
    /// Identifier.
    pub id: String,
    /// Unique within the team or organisation.
    pub name: String,
    /// `#RGB` or `#RRGGBB`.
    pub color: Option<String>,
    /// Purpose of the role.
    pub description: Option<String>,
    /// Absent for system roles and those of an organisation.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub team_id: Option<i64>,
    /// Absent for system roles and those of a team.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub organization_id: Option<i64>,
    /// Kind of role: system roles cannot be changed.
    #[serde(rename = "type")]
    pub kind: RoleType,
    /// Permissions of the role.
    pub permissions: Vec<Permission>,
    /// Instant of creation.
    pub created_at: Option<Instant>,
    /// Instant of the last change.
    pub updated_at: Option<Instant>,
}

impl Read for Role {
    fn read(value: &Value) -> Option<Self> {
        let fields = Fields::of(value)?;
        Some(Self {
            id: fields.get("id")?,
            name: fields.text("name"),
            color: fields.get("color")?,
            description: fields.get("description")?,
            team_id: fields.get("teamId")?,
            organization_id: fields.get("organizationId")?,
            kind: fields.get("type").unwrap_or(RoleType::Custom),
            permissions: fields.list("permissions"),
            created_at: fields.get("createdAt")?,
            updated_at: fields.get("updatedAt")?,
        })
    }
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
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct NewRole {
    /// Name with at least one non-blank character.
    #[cfg_attr(
        feature = "openapi",
        schema(min_length = 1, max_length = 1000, pattern = r"\S")
    )]
    pub name: String,
    /// `#RGB` or `#RRGGBB`.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(
        feature = "openapi",
        schema(pattern = "^#([0-9A-Fa-f]{3}|[0-9A-Fa-f]{6})$")
    )]
    pub color: Option<String>,
    /// Purpose of the role.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "openapi", schema(max_length = 1000))]
    pub description: Option<String>,
    /// Permissions of the role.
    #[cfg_attr(feature = "openapi", schema(required = false, value_type = Vec<crate::schema::KnownPermission>))]
    pub permissions: Vec<Permission>,
}

/// The body of PATCH .../roles/{roleId}. Absent keys are not changed.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct RoleChange {
    /// Name with at least one non-blank character.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(
        feature = "openapi",
        schema(nullable = false, min_length = 1, max_length = 1000, pattern = r"\S")
    )]
    pub name: Option<String>,
    /// `#RGB` or `#RRGGBB`; `null` removes it.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "openapi", schema(value_type = Option<String>, pattern = "^#([0-9A-Fa-f]{3}|[0-9A-Fa-f]{6})$"))]
    pub color: Option<Option<String>>,
    /// `null` removes it.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "openapi", schema(value_type = Option<String>, max_length = 1000))]
    pub description: Option<Option<String>>,
    /// Replaces the whole set.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "openapi", schema(nullable = false, value_type = Option<Vec<crate::schema::KnownPermission>>))]
    pub permissions: Option<Vec<Permission>>,
}

/// The body of POST and PUT .../roles/{roleId}/permissions.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct PermissionList {
    /// Permissions to add, or the complete new set.
    #[cfg_attr(feature = "openapi", schema(value_type = Vec<crate::schema::KnownPermission>))]
    pub permissions: Vec<Permission>,
}
