//! Roles of teams and organisations, and their permissions.

use std::collections::HashMap;

use booking_store_engine::connection::Db;
use booking_store_engine::sql;
use booking_wire::{Instant, MembershipRole, Permission, Role, RoleType};

use crate::error::Result;

/// Team or organisation that a role or a membership belongs to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Level {
    /// A team.
    Team(i64),
    /// An organisation.
    Organization(i64),
}

impl Level {
    /// Returns the values of the columns `team_id` and `organization_id`: one of them is null.
    fn ids(self) -> (Option<i64>, Option<i64>) {
        match self {
            Self::Team(id) => (Some(id), None),
            Self::Organization(id) => (None, Some(id)),
        }
    }
}

#[derive(sqlx::FromRow)]
struct Row {
    id: String,
    name: String,
    kind: String,
    color: Option<String>,
    description: Option<String>,
    team_id: Option<i64>,
    organization_id: Option<i64>,
    created_ms: i64,
    updated_ms: i64,
}

impl Row {
    fn into_role(self, permissions: Vec<Permission>) -> Role {
        Role {
            id: self.id,
            name: self.name,
            color: self.color,
            description: self.description,
            team_id: self.team_id,
            organization_id: self.organization_id,
            kind: if self.kind == "SYSTEM" {
                RoleType::System
            } else {
                RoleType::Custom
            },
            permissions,
            created_at: Some(Instant(self.created_ms)),
            updated_at: Some(Instant(self.updated_ms)),
        }
    }
}

/// Lists the system roles, then the custom roles of the level, oldest first.
pub async fn list(db: &mut Db, level: Level, take: i64, skip: i64) -> Result<Vec<Role>> {
    let (team_id, organization_id) = level.ids();
    let rows: Vec<Row> = sql::query_as(
        "SELECT id, name, kind, color, description, team_id, organization_id, created_ms, updated_ms
         FROM roles WHERE team_id = ? OR organization_id = ? OR kind = 'SYSTEM'
         ORDER BY CASE kind WHEN 'SYSTEM' THEN 0 ELSE 1 END, created_ms, id LIMIT ? OFFSET ?",
    )
    .bind(team_id)
    .bind(organization_id)
    .bind(take)
    .bind(skip)
    .fetch_all(&mut *db)
    .await?;
    let pairs: Vec<(String, String)> = sql::query_as(
        "SELECT p.role_id, p.permission FROM role_permissions p JOIN roles r ON r.id = p.role_id
         WHERE r.team_id = ? OR r.organization_id = ? OR r.kind = 'SYSTEM'
         ORDER BY p.role_id, p.position",
    )
    .bind(team_id)
    .bind(organization_id)
    .fetch_all(db)
    .await?;
    let mut permissions: HashMap<String, Vec<Permission>> = HashMap::new();
    for (role_id, permission) in pairs {
        permissions
            .entry(role_id)
            .or_default()
            .push(Permission(permission));
    }
    Ok(rows
        .into_iter()
        .map(|row| {
            let permissions_of_role = permissions.remove(&row.id).unwrap_or_default();
            row.into_role(permissions_of_role)
        })
        .collect())
}

/// Returns a system role or a custom role of the level.
pub async fn get(db: &mut Db, level: Level, role_id: &str) -> Result<Option<Role>> {
    let (team_id, organization_id) = level.ids();
    let row: Option<Row> = sql::query_as(
        "SELECT id, name, kind, color, description, team_id, organization_id, created_ms, updated_ms
         FROM roles WHERE id = ? AND (team_id = ? OR organization_id = ? OR kind = 'SYSTEM')",
    )
    .bind(role_id)
    .bind(team_id)
    .bind(organization_id)
    .fetch_optional(&mut *db)
    .await?;
    let Some(row) = row else {
        return Ok(None);
    };
    let permissions = permissions(db, role_id).await?;
    Ok(Some(row.into_role(permissions)))
}

/// Lists the permissions of a role in their order.
pub async fn permissions(db: &mut Db, role_id: &str) -> Result<Vec<Permission>> {
    let names: Vec<String> = sql::query_scalar(
        "SELECT permission FROM role_permissions WHERE role_id = ? ORDER BY position",
    )
    .bind(role_id)
    .fetch_all(db)
    .await?;
    Ok(names.into_iter().map(Permission).collect())
}

/// Returns true if another role of the level, or a system role, has that name.
pub async fn name_is_taken(db: &mut Db, level: Level, name: &str, role_id: &str) -> Result<bool> {
    let (team_id, organization_id) = level.ids();
    let found: Option<String> = sql::query_scalar(
        "SELECT id FROM roles WHERE name = ? AND id <> ?
         AND (team_id = ? OR organization_id = ? OR kind = 'SYSTEM') LIMIT 1",
    )
    .bind(name)
    .bind(role_id)
    .bind(team_id)
    .bind(organization_id)
    .fetch_optional(db)
    .await?;
    Ok(found.is_some())
}

/// Stores a role with its permissions in their order.
pub async fn insert(db: &mut Db, role: &Role) -> Result<(), sqlx::Error> {
    let created = role.created_at.unwrap_or_default().0;
    sql::query(
        "INSERT INTO roles (id, team_id, organization_id, name, kind, color, description, created_ms, updated_ms)
         VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)",
    )
    .bind(&role.id)
    .bind(role.team_id)
    .bind(role.organization_id)
    .bind(&role.name)
    .bind(if role.kind == RoleType::System {
        "SYSTEM"
    } else {
        "CUSTOM"
    })
    .bind(&role.color)
    .bind(&role.description)
    .bind(created)
    .bind(role.updated_at.map_or(created, |updated| updated.0))
    .execute(&mut *db)
    .await?;
    insert_permissions(db, role).await
}

/// Updates a role with its permissions.
pub async fn update(db: &mut Db, role: &Role) -> Result<(), sqlx::Error> {
    sql::query(
        "UPDATE roles SET name = ?, color = ?, description = ?, updated_ms = ? WHERE id = ?",
    )
    .bind(&role.name)
    .bind(&role.color)
    .bind(&role.description)
    .bind(role.updated_at.unwrap_or_default().0)
    .bind(&role.id)
    .execute(&mut *db)
    .await?;
    sql::query("DELETE FROM role_permissions WHERE role_id = ?")
        .bind(&role.id)
        .execute(&mut *db)
        .await?;
    insert_permissions(db, role).await
}

async fn insert_permissions(db: &mut Db, role: &Role) -> Result<(), sqlx::Error> {
    for (position, permission) in (0_i64..).zip(&role.permissions) {
        sql::query("INSERT INTO role_permissions (role_id, permission, position) VALUES (?, ?, ?)")
            .bind(&role.id)
            .bind(&permission.0)
            .bind(position)
            .execute(&mut *db)
            .await?;
    }
    Ok(())
}

/// Takes a role from all its holders, who keep their membership role.
pub async fn remove_from_holders(db: &mut Db, role_id: &str) -> Result<()> {
    for sql in [
        "UPDATE memberships SET role_id = NULL WHERE role_id = ?",
        "UPDATE organization_members SET role_id = NULL WHERE role_id = ?",
    ] {
        sql::query(sql).bind(role_id).execute(&mut *db).await?;
    }
    Ok(())
}

/// Deletes a role without holders.
pub async fn delete(db: &mut Db, role_id: &str) -> Result<()> {
    sql::query("DELETE FROM roles WHERE id = ?")
        .bind(role_id)
        .execute(db)
        .await?;
    Ok(())
}

/// Lists the different membership roles of the members of a team or organisation with this custom role.
pub async fn membership_roles_of_holders(
    db: &mut Db,
    role_id: &str,
) -> Result<Vec<MembershipRole>> {
    let names: Vec<String> = sql::query_scalar(
        "SELECT role FROM memberships WHERE role_id = ?
         UNION SELECT role FROM organization_members WHERE role_id = ?",
    )
    .bind(role_id)
    .bind(role_id)
    .fetch_all(db)
    .await?;
    Ok(names
        .iter()
        .filter_map(|name| MembershipRole::parse(name))
        .collect())
}

/// Returns true if a member of a team or organisation has the role.
pub async fn is_assigned(db: &mut Db, role_id: &str) -> Result<bool> {
    let found: Option<i64> = sql::query_scalar(
        "SELECT user_id FROM memberships WHERE role_id = ?
         UNION ALL SELECT user_id FROM organization_members WHERE role_id = ? LIMIT 1",
    )
    .bind(role_id)
    .bind(role_id)
    .fetch_optional(db)
    .await?;
    Ok(found.is_some())
}

/// Returns true if the role has the permission.
pub async fn allows(db: &mut Db, role_id: &str, permission: &str) -> Result<bool> {
    let found: Option<String> = sql::query_scalar(
        "SELECT permission FROM role_permissions WHERE role_id = ? AND permission = ?",
    )
    .bind(role_id)
    .bind(permission)
    .fetch_optional(db)
    .await?;
    Ok(found.is_some())
}
