//! Teams with all columns. [`super::accounts`] reads the columns that access decisions need.

use booking_store_engine::connection::Db;
use booking_store_engine::sql::{self, QueryBuilder};
use booking_wire::{Instant, Team};
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::error::Result;
use crate::input_limits::MAX_LIST_ENTRIES;
use crate::store::rows;
use crate::store::user_filter::UserFilter;

#[derive(sqlx::FromRow)]
struct Row {
    id: i64,
    organization_id: Option<i64>,
    name: String,
    slug: String,
    logo_url: Option<String>,
    banner_url: Option<String>,
    bio: Option<String>,
    time_zone: String,
    week_start: String,
    time_format: Option<i64>,
    is_private: i64,
    hide_branding: i64,
    hide_book_a_team_member: i64,
    metadata: String,
    theme: Option<String>,
    brand_color: Option<String>,
    dark_brand_color: Option<String>,
    settings: String,
}

/// Settings without an effect, stored in one column as JSON.
#[derive(Default, Deserialize, Serialize)]
#[serde(default, rename_all = "camelCase")]
struct StoredSettings {
    #[serde(skip_serializing_if = "Option::is_none")]
    cal_video_logo: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    app_logo: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    app_icon_logo: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    booking_limits: Option<Value>,
    #[serde(skip_serializing_if = "Option::is_none")]
    include_managed_events_in_limits: Option<bool>,
}

impl StoredSettings {
    fn of(team: &Team) -> Self {
        Self {
            cal_video_logo: team.cal_video_logo.clone(),
            app_logo: team.app_logo.clone(),
            app_icon_logo: team.app_icon_logo.clone(),
            booking_limits: team.booking_limits.clone(),
            include_managed_events_in_limits: team.include_managed_events_in_limits,
        }
    }
}

impl Row {
    fn team(self) -> Result<Team> {
        let settings: StoredSettings = serde_json::from_str(&self.settings)?;
        Ok(Team {
            id: self.id,
            parent_id: self.organization_id,
            name: self.name,
            slug: self.slug,
            logo_url: self.logo_url,
            banner_url: self.banner_url,
            bio: self.bio,
            time_zone: self.time_zone,
            week_start: self.week_start,
            time_format: self.time_format,
            is_organization: false,
            is_private: self.is_private == 1,
            hide_branding: self.hide_branding == 1,
            hide_book_a_team_member: self.hide_book_a_team_member == 1,
            metadata: serde_json::from_str(&self.metadata)?,
            theme: self.theme,
            brand_color: self.brand_color,
            dark_brand_color: self.dark_brand_color,
            cal_video_logo: settings.cal_video_logo,
            app_logo: settings.app_logo,
            app_icon_logo: settings.app_icon_logo,
            booking_limits: settings.booking_limits,
            include_managed_events_in_limits: settings.include_managed_events_in_limits,
        })
    }
}

const SELECT: &str = "SELECT id, organization_id, name, slug, logo_url, banner_url, bio, time_zone, week_start, \
     time_format, is_private, hide_branding, hide_book_a_team_member, metadata, theme, brand_color, \
     dark_brand_color, settings FROM teams";

/// Returns the team with that id.
pub async fn get(db: &mut Db, team_id: i64) -> Result<Option<Team>> {
    let row: Option<Row> = sql::query_as(format!("{SELECT} WHERE id = ?"))
        .bind(team_id)
        .fetch_optional(db)
        .await?;
    row.map(Row::team).transpose()
}

/// Lists the teams that a user is an accepted member of, oldest first.
pub async fn of_user(db: &mut Db, user_id: i64, take: i64, skip: i64) -> Result<Vec<Team>> {
    let rows: Vec<Row> = sql::query_as(format!(
        "{SELECT} WHERE id IN (SELECT team_id FROM memberships WHERE user_id = ? AND accepted = 1)
         ORDER BY id LIMIT ? OFFSET ?"
    ))
    .bind(user_id)
    .bind(take)
    .bind(skip)
    .fetch_all(db)
    .await?;
    rows.into_iter().map(Row::team).collect()
}

/// Lists the teams that users are accepted members of, oldest first.
pub async fn of_users(db: &mut Db, users: &UserFilter) -> Result<Vec<Team>> {
    let mut query = QueryBuilder::new(db.database(), SELECT);
    query.push(" WHERE id IN (SELECT team_id FROM memberships WHERE accepted = 1 AND ");
    users.push_user_condition(&mut query, "user_id");
    query.push(") ORDER BY id");
    let rows: Vec<Row> = rows::unpaged(db, query, MAX_LIST_ENTRIES).await?;
    rows.into_iter().map(Row::team).collect()
}

/// Lists all teams, oldest first.
pub async fn all(db: &mut Db) -> Result<Vec<Team>> {
    let query = QueryBuilder::new(db.database(), format!("{SELECT} ORDER BY id"));
    let rows: Vec<Row> = rows::unpaged(db, query, MAX_LIST_ENTRIES).await?;
    rows.into_iter().map(Row::team).collect()
}

/// Returns true if another team of the organisation, or without one, has that slug.
pub async fn slug_is_taken(
    db: &mut Db,
    organization_id: Option<i64>,
    slug: &str,
    team_id: i64,
) -> Result<bool> {
    let found: Option<i64> = sql::query_scalar(
        "SELECT id FROM teams
         WHERE slug = ? AND id <> ? AND COALESCE(organization_id, 0) = ? LIMIT 1",
    )
    .bind(slug)
    .bind(team_id)
    .bind(organization_id.unwrap_or(0))
    .fetch_optional(db)
    .await?;
    Ok(found.is_some())
}

/// Stores a team and returns its id.
pub async fn insert(db: &mut Db, team: &Team, now: Instant) -> Result<i64, sqlx::Error> {
    let id: i64 = sql::query_scalar(
        "INSERT INTO teams (organization_id, name, slug, created_ms) VALUES (?, ?, ?, ?) RETURNING id",
    )
    .bind(team.parent_id)
    .bind(&team.name)
    .bind(&team.slug)
    .bind(now.0)
    .fetch_one(&mut *db)
    .await?;
    update(db, id, team).await?;
    Ok(id)
}

/// Updates a team.
pub async fn update(db: &mut Db, team_id: i64, team: &Team) -> Result<(), sqlx::Error> {
    sql::query(
        "UPDATE teams SET name = ?, slug = ?, logo_url = ?, banner_url = ?, bio = ?, time_zone = ?,
             week_start = ?, time_format = ?, is_private = ?, hide_branding = ?,
             hide_book_a_team_member = ?, metadata = ?, theme = ?, brand_color = ?,
             dark_brand_color = ?, settings = ?
         WHERE id = ?",
    )
    .bind(&team.name)
    .bind(&team.slug)
    .bind(&team.logo_url)
    .bind(&team.banner_url)
    .bind(&team.bio)
    .bind(&team.time_zone)
    .bind(&team.week_start)
    .bind(team.time_format)
    .bind(i64::from(team.is_private))
    .bind(i64::from(team.hide_branding))
    .bind(i64::from(team.hide_book_a_team_member))
    .bind(serde_json::Value::Object(team.metadata.clone()).to_string())
    .bind(&team.theme)
    .bind(&team.brand_color)
    .bind(&team.dark_brand_color)
    .bind(serde_json::json!(StoredSettings::of(team)).to_string())
    .bind(team_id)
    .execute(db)
    .await?;
    Ok(())
}

/// Deletes a team with its memberships, roles and event types. Its bookings stay with their hosts.
pub async fn delete(db: &mut Db, team_id: i64) -> Result<()> {
    sql::query("DELETE FROM teams WHERE id = ?")
        .bind(team_id)
        .execute(db)
        .await?;
    Ok(())
}
