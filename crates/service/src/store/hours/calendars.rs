//! Credentials of connected apps and their calendars, as in version 1.

use booking_store_engine::connection::Db;
use booking_store_engine::sql::{self, QueryBuilder};
use booking_wire::Instant;
use booking_wire::v1::{Credential, DestinationCalendar, SelectedCalendar};

use crate::error::Result;
use crate::input_limits::MAX_LIST_ENTRIES;
use crate::store::rows;
use crate::store::user_filter::UserFilter;

/// A credential of a user, without its key.
#[derive(Clone, Debug, sqlx::FromRow)]
pub struct StoredCredential {
    /// Identifier.
    pub id: i64,
    /// Id of its owner.
    pub user_id: i64,
    /// Slug of the app.
    pub app_slug: String,
}

impl StoredCredential {
    /// Returns its wire type.
    pub fn to_wire(&self) -> Credential {
        Credential {
            id: self.id,
            kind: self.app_slug.replace('-', "_"),
        }
    }
}

/// Lists a user's credentials, oldest first.
pub async fn credentials_of(db: &mut Db, user_id: i64) -> Result<Vec<StoredCredential>> {
    let mut query = QueryBuilder::new(
        db.database(),
        "SELECT id, user_id, app_slug FROM app_credentials WHERE user_id = ",
    );
    query.push_bind(user_id).push(" ORDER BY id");
    rows::unpaged(db, query, MAX_LIST_ENTRIES).await
}

/// Returns one credential.
pub async fn credential(db: &mut Db, id: i64) -> Result<Option<StoredCredential>> {
    Ok(
        sql::query_as("SELECT id, user_id, app_slug FROM app_credentials WHERE id = ?")
            .bind(id)
            .fetch_optional(db)
            .await?,
    )
}

/// Stores a credential with its sealed key and returns its id.
pub async fn insert_credential(
    db: &mut Db,
    user_id: i64,
    app_slug: &str,
    sealed_key: &[u8],
    now: Instant,
) -> Result<i64> {
    Ok(sql::query_scalar(
        "INSERT INTO app_credentials (user_id, app_slug, sealed_key, created_ms) VALUES (?, ?, ?, ?) RETURNING id",
    )
    .bind(user_id)
    .bind(app_slug)
    .bind(sealed_key)
    .bind(now.0)
    .fetch_one(db)
    .await?)
}

/// Replaces the sealed key of a credential.
pub async fn set_credential_key(db: &mut Db, id: i64, sealed_key: &[u8]) -> Result<()> {
    sql::query("UPDATE app_credentials SET sealed_key = ? WHERE id = ?")
        .bind(sealed_key)
        .bind(id)
        .execute(db)
        .await?;
    Ok(())
}

/// Deletes a credential with its calendars.
pub async fn delete_credential(db: &mut Db, id: i64) -> Result<()> {
    sql::query("DELETE FROM app_credentials WHERE id = ?")
        .bind(id)
        .execute(db)
        .await?;
    Ok(())
}

#[derive(sqlx::FromRow)]
struct DestinationRow {
    id: i64,
    user_id: i64,
    integration: String,
    external_id: String,
    event_type_id: Option<i64>,
    booking_id: Option<i64>,
    credential_id: Option<i64>,
}

impl From<DestinationRow> for DestinationCalendar {
    fn from(row: DestinationRow) -> Self {
        Self {
            id: row.id,
            integration: row.integration,
            external_id: row.external_id,
            user_id: row.user_id,
            event_type_id: row.event_type_id,
            booking_id: row.booking_id,
            credential_id: row.credential_id,
        }
    }
}

const DESTINATION: &str = "SELECT id, user_id, integration, external_id, event_type_id, booking_id, \
     credential_id FROM destination_calendars WHERE ";

/// Lists users' destination calendars, oldest first.
pub async fn destinations(db: &mut Db, users: &UserFilter) -> Result<Vec<DestinationCalendar>> {
    let mut query = QueryBuilder::new(db.database(), DESTINATION);
    users.push_user_condition(&mut query, "user_id");
    query.push(" ORDER BY id");
    let rows: Vec<DestinationRow> = rows::unpaged(db, query, MAX_LIST_ENTRIES).await?;
    Ok(rows.into_iter().map(Into::into).collect())
}

/// Returns one destination calendar.
pub async fn destination(db: &mut Db, id: i64) -> Result<Option<DestinationCalendar>> {
    let row: Option<DestinationRow> = sql::query_as(format!("{DESTINATION} id = ?"))
        .bind(id)
        .fetch_optional(db)
        .await?;
    Ok(row.map(Into::into))
}

/// Stores a new destination calendar and returns its id.
pub async fn insert_destination(db: &mut Db, calendar: &DestinationCalendar) -> Result<i64> {
    Ok(sql::query_scalar(
        "INSERT INTO destination_calendars (user_id, integration, external_id, event_type_id, booking_id, credential_id)
         VALUES (?, ?, ?, ?, ?, ?) RETURNING id",
    )
    .bind(calendar.user_id)
    .bind(&calendar.integration)
    .bind(&calendar.external_id)
    .bind(calendar.event_type_id)
    .bind(calendar.booking_id)
    .bind(calendar.credential_id)
    .fetch_one(db)
    .await?)
}

/// Updates a destination calendar.
pub async fn update_destination(db: &mut Db, calendar: &DestinationCalendar) -> Result<()> {
    sql::query(
        "UPDATE destination_calendars SET user_id = ?, integration = ?, external_id = ?, event_type_id = ?,
             booking_id = ?, credential_id = ?
         WHERE id = ?",
    )
    .bind(calendar.user_id)
    .bind(&calendar.integration)
    .bind(&calendar.external_id)
    .bind(calendar.event_type_id)
    .bind(calendar.booking_id)
    .bind(calendar.credential_id)
    .bind(calendar.id)
    .execute(db)
    .await?;
    Ok(())
}

/// Deletes a destination calendar.
pub async fn delete_destination(db: &mut Db, id: i64) -> Result<()> {
    sql::query("DELETE FROM destination_calendars WHERE id = ?")
        .bind(id)
        .execute(db)
        .await?;
    Ok(())
}

/// Key of a selected calendar.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SelectedCalendarKey {
    /// Id of its owner.
    pub user_id: i64,
    /// Integration, such as the calendar's provider.
    pub integration: String,
    /// Id of the calendar in the system that has it.
    pub external_id: String,
}

#[derive(sqlx::FromRow)]
struct SelectedRow {
    user_id: i64,
    integration: String,
    external_id: String,
    credential_id: Option<i64>,
}

impl From<SelectedRow> for SelectedCalendar {
    fn from(row: SelectedRow) -> Self {
        Self {
            user_id: row.user_id,
            integration: row.integration,
            external_id: row.external_id,
            credential_id: row.credential_id,
        }
    }
}

/// Lists users' selected calendars.
pub async fn selected(db: &mut Db, users: &UserFilter) -> Result<Vec<SelectedCalendar>> {
    let mut query = QueryBuilder::new(
        db.database(),
        "SELECT user_id, integration, external_id, credential_id FROM selected_calendars WHERE ",
    );
    users.push_user_condition(&mut query, "user_id");
    query.push(" ORDER BY user_id, integration, external_id");
    let rows: Vec<SelectedRow> = rows::unpaged(db, query, MAX_LIST_ENTRIES).await?;
    Ok(rows.into_iter().map(Into::into).collect())
}

/// Returns one selected calendar.
pub async fn get_selected(
    db: &mut Db,
    key: &SelectedCalendarKey,
) -> Result<Option<SelectedCalendar>> {
    let row: Option<SelectedRow> = sql::query_as(
        "SELECT user_id, integration, external_id, credential_id FROM selected_calendars
         WHERE user_id = ? AND integration = ? AND external_id = ?",
    )
    .bind(key.user_id)
    .bind(&key.integration)
    .bind(&key.external_id)
    .fetch_optional(db)
    .await?;
    Ok(row.map(Into::into))
}

/// Stores a new selected calendar. Fails if it is selected already (see [`crate::store::is_duplicate`]).
pub async fn insert_selected(db: &mut Db, calendar: &SelectedCalendar) -> Result<(), sqlx::Error> {
    sql::query(
        "INSERT INTO selected_calendars (user_id, integration, external_id, credential_id) VALUES (?, ?, ?, ?)",
    )
    .bind(calendar.user_id)
    .bind(&calendar.integration)
    .bind(&calendar.external_id)
    .bind(calendar.credential_id)
    .execute(db)
    .await?;
    Ok(())
}

/// Updates a selected calendar, including its key.
pub async fn update_selected(
    db: &mut Db,
    key: &SelectedCalendarKey,
    calendar: &SelectedCalendar,
) -> Result<(), sqlx::Error> {
    sql::query(
        "UPDATE selected_calendars SET user_id = ?, integration = ?, external_id = ?, credential_id = ?
         WHERE user_id = ? AND integration = ? AND external_id = ?",
    )
    .bind(calendar.user_id)
    .bind(&calendar.integration)
    .bind(&calendar.external_id)
    .bind(calendar.credential_id)
    .bind(key.user_id)
    .bind(&key.integration)
    .bind(&key.external_id)
    .execute(db)
    .await?;
    Ok(())
}

/// Deletes a selected calendar.
pub async fn delete_selected(db: &mut Db, key: &SelectedCalendarKey) -> Result<()> {
    sql::query(
        "DELETE FROM selected_calendars WHERE user_id = ? AND integration = ? AND external_id = ?",
    )
    .bind(key.user_id)
    .bind(&key.integration)
    .bind(&key.external_id)
    .execute(db)
    .await?;
    Ok(())
}
