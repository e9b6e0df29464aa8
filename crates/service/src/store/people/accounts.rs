//! Users, teams and membership rights, as access decisions need them.

use booking_store_engine::connection::Db;
use booking_store_engine::sql;
use booking_wire::{Me, MyOrganization};

use crate::error::{Error, Result};
use crate::store::people::roles::Level;

pub use booking_wire::MembershipRole;

/// The columns of a team that access decisions need.
#[derive(Clone, Debug, sqlx::FromRow)]
pub struct Team {
    /// Identifier.
    pub id: i64,
    /// Its organisation.
    pub organization_id: Option<i64>,
    /// Name.
    pub name: String,
    /// Slug.
    pub slug: String,
}

/// Rights of a member of a team or organisation.
#[derive(Clone, Debug)]
pub struct MembershipRights {
    /// The membership role.
    pub role: MembershipRole,
    /// A custom role that replaces the rights of the membership role.
    pub role_id: Option<String>,
}

/// Returns the profile of a user.
pub async fn me(db: &mut Db, user_id: i64) -> Result<Option<Me>> {
    #[derive(sqlx::FromRow)]
    struct Row {
        id: i64,
        username: String,
        email: String,
        name: Option<String>,
        avatar_url: Option<String>,
        bio: Option<String>,
        time_format: i64,
        default_schedule_id: Option<i64>,
        week_start: String,
        time_zone: String,
        allow_dynamic_bookings: i64,
        organization_id: Option<i64>,
    }
    let row: Option<Row> = sql::query_as(
        "SELECT id, username, email, name, avatar_url, bio, time_format, default_schedule_id,
                week_start, time_zone, allow_dynamic_bookings, organization_id
         FROM users WHERE id = ?",
    )
    .bind(user_id)
    .fetch_optional(db)
    .await?;
    Ok(row.map(|row| Me {
        id: row.id,
        username: row.username,
        email: row.email,
        name: row.name,
        avatar_url: row.avatar_url,
        bio: row.bio,
        time_format: row.time_format,
        default_schedule_id: row.default_schedule_id,
        week_start: row.week_start,
        time_zone: row.time_zone,
        allow_dynamic_booking: row.allow_dynamic_bookings == 1,
        organization_id: row.organization_id,
        organization: row.organization_id.map(|id| MyOrganization {
            id,
            is_platform: false,
        }),
    }))
}

/// Returns the id of the user with that user name, in the organisation if one is given.
pub async fn user_id(
    db: &mut Db,
    username: &str,
    organization_slug: Option<&str>,
) -> Result<Option<i64>> {
    let sql = if organization_slug.is_some() {
        "SELECT u.id FROM users u JOIN organizations o ON o.id = u.organization_id
         WHERE u.username = ? AND o.slug = ?"
    } else {
        "SELECT id FROM users WHERE username = ?"
    };
    let mut query = sql::query_scalar(sql).bind(username);
    if let Some(slug) = organization_slug {
        query = query.bind(slug);
    }
    Ok(query.fetch_optional(db).await?)
}

/// Returns the team with that id.
pub async fn team(db: &mut Db, team_id: i64) -> Result<Option<Team>> {
    Ok(
        sql::query_as("SELECT id, organization_id, name, slug FROM teams WHERE id = ?")
            .bind(team_id)
            .fetch_optional(db)
            .await?,
    )
}

/// Returns the team with that slug, in the organisation if one is given; the oldest if several
/// teams have the slug.
pub async fn team_by_slug(
    db: &mut Db,
    slug: &str,
    organization_slug: Option<&str>,
) -> Result<Option<Team>> {
    Ok(sql::query_as(
        "SELECT t.id, t.organization_id, t.name, t.slug
         FROM teams t LEFT JOIN organizations o ON o.id = t.organization_id
         WHERE t.slug = ? AND (? = '' OR o.slug = ?) ORDER BY t.id LIMIT 1",
    )
    .bind(slug)
    .bind(organization_slug.unwrap_or_default())
    .bind(organization_slug.unwrap_or_default())
    .fetch_optional(db)
    .await?)
}

/// Returns the slug of the organisation with that id, slug or both.
pub async fn organization_slug(
    db: &mut Db,
    organization_id: Option<i64>,
    slug: Option<&str>,
) -> Result<Option<String>> {
    Ok(sql::query_scalar(
        "SELECT slug FROM organizations WHERE id = coalesce(?, id) AND slug = coalesce(?, slug)
         ORDER BY id LIMIT 1",
    )
    .bind(organization_id)
    .bind(slug)
    .fetch_optional(db)
    .await?)
}

/// Rejects the id of an organisation that does not exist.
pub async fn check_organization(db: &mut Db, organization_id: i64) -> Result<()> {
    let found: Option<i64> = sql::query_scalar("SELECT id FROM organizations WHERE id = ?")
        .bind(organization_id)
        .fetch_optional(db)
        .await?;
    let missing = || Error::not_found("Organization", organization_id);
    found.map(|_| ()).ok_or_else(missing)
}

/// Returns the rights of an accepted member of a team or organisation; none for other users.
pub async fn membership_rights(
    db: &mut Db,
    user_id: i64,
    level: Level,
) -> Result<Option<MembershipRights>> {
    let (sql, level_id) = match level {
        Level::Team(id) => (
            "SELECT role, role_id FROM memberships WHERE user_id = ? AND team_id = ? AND accepted = 1",
            id,
        ),
        Level::Organization(id) => (
            "SELECT role, role_id FROM organization_members WHERE user_id = ? AND organization_id = ?",
            id,
        ),
    };
    let row: Option<(String, Option<String>)> = sql::query_as(sql)
        .bind(user_id)
        .bind(level_id)
        .fetch_optional(db)
        .await?;
    Ok(row.map(|(role, role_id)| MembershipRights {
        role: MembershipRole::parse(&role).unwrap_or_default(),
        role_id,
    }))
}

/// Returns true if the user is an administrator of the whole service.
pub async fn is_service_admin(db: &mut Db, user_id: i64) -> Result<bool> {
    let found: Option<i64> =
        sql::query_scalar("SELECT id FROM users WHERE id = ? AND is_admin = 1")
            .bind(user_id)
            .fetch_optional(db)
            .await?;
    Ok(found.is_some())
}
