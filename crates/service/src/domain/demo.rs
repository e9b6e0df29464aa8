//! Demo data: one organisation with one team and bookings.
//!
//! It is created once per data directory; only the tokens in `demo.json` and the URLs of pictures
//! are renewed at every start. A start without `--demo` revokes all credentials of the demo.

mod bookings;
mod catalogue;
mod extra_bookings;
mod ids;
mod people;
mod pictures;

use std::fs;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use booking_store_engine::schema;
use booking_store_engine::sql;
use booking_wire::{Instant, Permission, Role, RoleType};
use serde::Serialize;
use serde_json::{Value, json};

use self::ids::DEMO;
use crate::app::AppState;
use crate::auth::private_file::write_private;
use crate::auth::secret;
use crate::auth::token::{Grant, issue_pair};
use crate::error::{Error, Result};
use crate::store::Db;
use crate::store::people::{credentials, roles};

pub use extra_bookings::add_bookings;
pub use ids::{ORGANIZATION_ID, TEAM_ID};
pub use pictures::PICTURES;

/// User name of the owner of the personal event types.
pub const USERNAME: &str = "ada";

/// User name of the owner of the organisation.
const OWNER: &str = "ingrid";

/// Id of the managed user of the tokens, an admin of the team.
pub const MANAGER_ID: i64 = 4;

/// Id of the owner of the organisation, the API key and the OAuth client.
const OWNER_ID: i64 = 5;

/// Id of the OAuth client.
pub const CLIENT_ID: &str = "clidemo000000000000northwind";

/// Label of the API keys.
const KEY_LABEL: &str = "Demo";

/// Name of the credentials file inside the data directory.
pub const FILE_NAME: &str = "demo.json";

/// First id of the event types that exist only for older bookings.
const FIRST_INTERNAL_EVENT_TYPE: i64 = 7;

/// An event type by id and slug.
#[derive(Debug, Serialize, sqlx::FromRow)]
pub struct EventTypeName {
    /// Id.
    pub id: i64,
    /// Slug.
    pub slug: String,
}

/// Returns the event types that the demo offers.
pub async fn event_types(db: &mut Db) -> Result<Vec<EventTypeName>> {
    Ok(
        sql::query_as("SELECT id, slug FROM event_types WHERE id < ? ORDER BY id")
            .bind(FIRST_INTERNAL_EVENT_TYPE)
            .fetch_all(db)
            .await?,
    )
}

/// Fills the database if it is empty, and writes new credentials into `directory`.
///
/// # Errors
///
/// If the database contains other data.
pub async fn prepare(app: &AppState, directory: &Path) -> Result<PathBuf> {
    let path = directory.join(FILE_NAME);
    let previous: Value = fs::read(&path)
        .ok()
        .and_then(|bytes| serde_json::from_slice(&bytes).ok())
        .unwrap_or_default();
    let reuse = |key: &str, prefix: &str| match previous.get(key).and_then(Value::as_str) {
        Some(secret) if secret.starts_with(prefix) && secret.len() > 32 => Ok(secret.to_owned()),
        _ => secret::random_secret().map(|secret| format!("{prefix}{secret}")),
    };
    let api_key = reuse("apiKey", crate::error::redaction::KEY_PREFIX)?;
    let user_key = reuse("userKey", crate::error::redaction::KEY_PREFIX)?;
    let client_secret = reuse("clientSecret", "")?;
    let now = app.clock.now();

    let mut transaction = app.store.begin(&[DEMO]).await?;
    let db = &mut *transaction;
    let first_organization: Option<i64> = sql::query_scalar("SELECT id FROM organizations LIMIT 1")
        .fetch_optional(&mut *db)
        .await?;
    if first_organization.is_some() && !has_demo_data(db).await? {
        return Err(Error::Conflict(
            "the directory holds data of its own: demo data needs a directory for itself".into(),
        ));
    }
    if first_organization.is_none() {
        tracing::info!("adding demo data");
        people::insert(db, now).await?;
        insert_roles(db, now).await?;
        catalogue::insert(db, now).await?;
        bookings::insert(db, now).await?;
        schema::align_ids(db).await?;
    }
    pictures::set_addresses(db, &app.settings.base_url, people::usernames()).await?;
    insert_key(db, &api_key, OWNER, now).await?;
    insert_key(db, &user_key, USERNAME, now).await?;
    insert_client(db, app, &client_secret).await?;
    let grant = Grant {
        client_id: CLIENT_ID,
        user_id: MANAGER_ID,
        now,
        access_minutes: app.settings.access_minutes,
        refreshed: false,
    };
    let tokens = issue_pair(db, &app.signing_key, grant).await?;
    let document = json!({
        "baseUrl": app.settings.base_url,
        "apiKey": api_key,
        "userKey": user_key,
        "clientId": CLIENT_ID,
        "clientSecret": client_secret,
        "accessToken": tokens.access_token,
        "refreshToken": tokens.refresh_token,
        "orgId": ORGANIZATION_ID,
        "teamId": TEAM_ID,
        "username": USERNAME,
        "eventTypes": event_types(db).await?,
    });
    transaction.commit().await?;

    write_private(&path, &serde_json::to_vec_pretty(&document)?).map_err(Error::internal)?;
    Ok(path)
}

/// Revokes the credentials of a demo, if there is one: its API keys, and the secret and tokens of
/// its OAuth client. Deletes `demo.json`, so that the next demo creates new ones.
pub async fn revoke_credentials(app: &AppState, directory: &Path) -> Result<()> {
    let mut db = app.store.read().await?;
    if !credentials::client_exists(&mut db, CLIENT_ID).await? && !has_demo_data(&mut db).await? {
        return Ok(());
    }
    drop(db);
    let mut transaction = app.store.begin(&[DEMO]).await?;
    let db = &mut *transaction;
    let keys = sql::query(
        "DELETE FROM api_keys WHERE label = ? AND user_id IN (
             SELECT id FROM users WHERE username IN (?, ?) AND organization_id = ?)",
    )
    .bind(KEY_LABEL)
    .bind(OWNER)
    .bind(USERNAME)
    .bind(ORGANIZATION_ID)
    .execute(&mut *db)
    .await?
    .rows_affected();
    let tokens = sql::query("DELETE FROM oauth_tokens WHERE oauth_client_id = ?")
        .bind(CLIENT_ID)
        .execute(&mut *db)
        .await?
        .rows_affected();
    // No hash is empty, so no secret matches. Deleting the client would delete its users.
    let secrets =
        sql::query("UPDATE oauth_clients SET secret_hash = '' WHERE id = ? AND secret_hash <> ''")
            .bind(CLIENT_ID)
            .execute(&mut *db)
            .await?
            .rows_affected();
    transaction.commit().await?;
    match fs::remove_file(directory.join(FILE_NAME)) {
        Ok(()) => {}
        Err(cause) if cause.kind() == ErrorKind::NotFound => {}
        Err(cause) => tracing::warn!(%cause, "{FILE_NAME} could not be removed"),
    }
    if keys + tokens + secrets > 0 {
        tracing::warn!(
            keys,
            tokens,
            secrets,
            "started without --demo over demo data: the demo's credentials were revoked"
        );
    }
    Ok(())
}

/// Returns true if the database contains the demo's users, which the credentials act as.
async fn has_demo_data(db: &mut Db) -> Result<bool> {
    let found: i64 = sql::query_scalar(
        "SELECT count(*) FROM users u JOIN organizations o ON o.id = u.organization_id
         WHERE o.slug = 'northwind'
           AND ((u.id = ? AND u.username = 'sofia') OR (u.id = ? AND u.username = ?)
             OR u.username = ?)",
    )
    .bind(MANAGER_ID)
    .bind(OWNER_ID)
    .bind(OWNER)
    .bind(USERNAME)
    .fetch_one(db)
    .await?;
    Ok(found == 3)
}

/// Adds `key` as an API key of the user.
async fn insert_key(db: &mut Db, key: &str, username: &str, now: Instant) -> Result<()> {
    let key = key
        .strip_prefix(crate::error::redaction::KEY_PREFIX)
        .unwrap_or(key);
    sql::query(
        "INSERT INTO api_keys (hash, user_id, label, created_ms)
         SELECT ?, id, ?, ? FROM users WHERE username = ? AND organization_id = ?
         ON CONFLICT (hash) DO NOTHING",
    )
    .bind(secret::hash(key))
    .bind(KEY_LABEL)
    .bind(now.0)
    .bind(username)
    .bind(ORGANIZATION_ID)
    .execute(db)
    .await?;
    Ok(())
}

async fn insert_client(db: &mut Db, app: &AppState, client_secret: &str) -> Result<()> {
    let now = app.clock.now().0;
    let redirect_uris = json!([
        format!("{}/", app.settings.base_url),
        "http://localhost/",
        "http://127.0.0.1/",
    ]);
    sql::query(
        "INSERT INTO oauth_clients (id, name, owner_id, secret_hash, redirect_uris, scopes, created_ms)
         VALUES (?, 'Northwind portal', ?, ?, ?, '[\"*\"]', ?)
         ON CONFLICT (id) DO UPDATE SET secret_hash = excluded.secret_hash, redirect_uris = excluded.redirect_uris",
    )
    .bind(CLIENT_ID)
    .bind(OWNER_ID)
    .bind(secret::hash(client_secret))
    .bind(redirect_uris.to_string())
    .bind(now)
    .execute(&mut *db)
    .await?;
    sql::query("UPDATE users SET oauth_client_id = ? WHERE id = ?")
        .bind(CLIENT_ID)
        .bind(MANAGER_ID)
        .execute(db)
        .await?;
    Ok(())
}

/// Adds two custom roles of the team.
async fn insert_roles(db: &mut Db, now: booking_wire::Instant) -> Result<()> {
    let scheduler = vec![
        "eventType.read",
        "team.read",
        "team.listMembers",
        "booking.read",
        "booking.readTeamBookings",
        "booking.update",
        "insights.read",
    ];
    let integrations = vec![
        "eventType.read",
        "team.read",
        "webhook.create",
        "webhook.read",
        "webhook.update",
        "webhook.delete",
    ];
    let rows = [
        (
            "7c0a51d2-0f5e-4c5b-9d35-1f0f6f3b2a11",
            "Scheduler",
            Some("#0f766e"),
            "Front desk: looks after the team's calendar without touching its settings",
            scheduler,
        ),
        (
            "b9d3e6f4-52a7-4f0e-8a0c-6f5d1c9e7b22",
            "Integrations",
            Some("#9333ea"),
            "Connects the team's bookings with other systems",
            integrations,
        ),
    ];
    // The roles were created one after the other, some weeks ago.
    for (weeks, (id, name, color, description, permissions)) in (0..).zip(rows) {
        let created_at = now.plus_minutes((weeks - 17) * 7 * 24 * 60);
        let role = Role {
            id: id.to_owned(),
            name: name.to_owned(),
            color: color.map(str::to_owned),
            description: Some(description.to_owned()),
            team_id: Some(TEAM_ID),
            organization_id: None,
            kind: RoleType::Custom,
            permissions: permissions
                .into_iter()
                .map(|name| Permission(name.to_owned()))
                .collect(),
            created_at: Some(created_at),
            updated_at: Some(created_at),
        };
        roles::insert(db, &role).await?;
    }
    Ok(())
}
