//! API keys, OAuth clients and tokens. Secrets are stored as SHA-256 only.

use booking_store_engine::connection::Db;
use booking_store_engine::sql;
use booking_wire::formats::instant::DAY_MS;

use crate::error::Result;

/// An OAuth client.
#[derive(Clone, Debug)]
pub struct OauthClient {
    /// Identifier.
    pub id: String,
    /// Id of the user that the client acts as.
    pub owner_id: i64,
    /// SHA-256 of the secret.
    pub secret_hash: String,
    /// Addresses of the platform's pages.
    pub redirect_uris: Vec<String>,
    /// Scopes of tokens of the client's users; `*` is everything.
    pub scopes: Vec<String>,
}

/// Retention of a used refresh token, in milliseconds.
const USED_TOKEN_RETENTION_MS: i64 = 30 * DAY_MS;

/// Largest number of used refresh tokens that are retained per family.
const MAX_USED_TOKENS: i64 = 1000;

/// A token that is not revoked.
#[derive(Clone, Debug, sqlx::FromRow)]
pub struct OauthToken {
    /// Id of its client.
    pub oauth_client_id: String,
    /// Id of its user.
    pub user_id: i64,
    /// Epoch milliseconds.
    pub expires_ms: i64,
    /// Id shared by all tokens of one chain of refreshes.
    pub family: Option<String>,
    /// Use of a refresh token, in epoch milliseconds.
    pub used_ms: Option<i64>,
}

/// Kind of a token.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TokenKind {
    /// Access token for requests.
    Access,
    /// Refresh token for one use.
    Refresh,
}

impl TokenKind {
    /// Returns the `type` claim.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Access => "access_token",
            Self::Refresh => "refresh_token",
        }
    }
}

/// The data of an API key that authentication needs.
#[derive(Clone, Debug)]
pub struct ApiKey {
    /// Id of its owner.
    pub user_id: i64,
    /// Last day of validity.
    pub expires_on: Option<String>,
    /// Scopes; none means everything that its owner may do.
    pub scopes: Option<Vec<String>>,
    /// Last stored use, in epoch milliseconds.
    pub last_used_ms: Option<i64>,
}

/// Returns the API key with that hash, unless its owner is disabled.
pub async fn api_key(db: &mut Db, hash: &str) -> Result<Option<ApiKey>> {
    #[derive(sqlx::FromRow)]
    struct Row {
        user_id: i64,
        expires_on: Option<String>,
        scopes: Option<String>,
        last_used_ms: Option<i64>,
    }
    let row: Option<Row> = sql::query_as(
        "SELECT k.user_id, k.expires_on, k.scopes, k.last_used_ms
         FROM api_keys k JOIN users u ON u.id = k.user_id
         WHERE k.hash = ? AND u.disabled_ms IS NULL",
    )
    .bind(hash)
    .fetch_optional(db)
    .await?;
    let Some(row) = row else {
        return Ok(None);
    };
    let scopes = row.scopes.as_deref().map(serde_json::from_str);
    Ok(Some(ApiKey {
        user_id: row.user_id,
        expires_on: row.expires_on,
        scopes: scopes.transpose()?,
        last_used_ms: row.last_used_ms,
    }))
}

/// Stores the last use of an API key.
pub async fn set_api_key_last_used(db: &mut Db, hash: &str, at_ms: i64) -> Result<()> {
    sql::query("UPDATE api_keys SET last_used_ms = ? WHERE hash = ?")
        .bind(at_ms)
        .bind(hash)
        .execute(db)
        .await?;
    Ok(())
}

/// Returns the OAuth client with that id, unless its owner is disabled or deleted.
pub async fn client(db: &mut Db, id: &str) -> Result<Option<OauthClient>> {
    let row: Option<(String, i64, String, String, String)> = sql::query_as(
        "SELECT c.id, c.owner_id, c.secret_hash, c.redirect_uris, c.scopes
         FROM oauth_clients c JOIN users u ON u.id = c.owner_id
         WHERE c.id = ? AND u.disabled_ms IS NULL",
    )
    .bind(id)
    .fetch_optional(db)
    .await?;
    let Some((id, owner_id, secret_hash, redirect_uris, scopes)) = row else {
        return Ok(None);
    };
    Ok(Some(OauthClient {
        id,
        owner_id,
        secret_hash,
        redirect_uris: serde_json::from_str(&redirect_uris)?,
        scopes: serde_json::from_str(&scopes)?,
    }))
}

/// Returns the token with that hash, unless its user is disabled.
pub async fn token(db: &mut Db, kind: TokenKind, hash: &str) -> Result<Option<OauthToken>> {
    Ok(sql::query_as(
        "SELECT t.oauth_client_id, t.user_id, t.expires_ms, t.family, t.used_ms
         FROM oauth_tokens t JOIN users u ON u.id = t.user_id
         WHERE t.hash = ? AND t.kind = ? AND u.disabled_ms IS NULL",
    )
    .bind(hash)
    .bind(kind.as_str())
    .fetch_optional(db)
    .await?)
}

/// Stores a token.
pub async fn insert_token(
    db: &mut Db,
    kind: TokenKind,
    hash: &str,
    token: &OauthToken,
) -> Result<()> {
    sql::query(
        "INSERT INTO oauth_tokens (hash, kind, oauth_client_id, user_id, expires_ms, family, used_ms)
         VALUES (?, ?, ?, ?, ?, ?, ?)",
    )
    .bind(hash)
    .bind(kind.as_str())
    .bind(&token.oauth_client_id)
    .bind(token.user_id)
    .bind(token.expires_ms)
    .bind(&token.family)
    .bind(token.used_ms)
    .execute(db)
    .await?;
    Ok(())
}

/// Marks the refresh token with that hash as used. Used tokens are retained for a limited time, and
/// a limited number per family: otherwise the owner of one could fill the database.
pub async fn set_token_used(
    db: &mut Db,
    hash: &str,
    family: Option<&str>,
    now_ms: i64,
) -> Result<()> {
    sql::query(
        "UPDATE oauth_tokens SET used_ms = ?1, expires_ms = CASE WHEN expires_ms < ?2 THEN expires_ms ELSE ?2 END
         WHERE hash = ?3",
    )
    .bind(now_ms)
    .bind(now_ms + USED_TOKEN_RETENTION_MS)
    .bind(hash)
    .execute(&mut *db)
    .await?;
    sql::query(
        "DELETE FROM oauth_tokens WHERE family = ?1 AND used_ms < (
             SELECT used_ms FROM oauth_tokens WHERE family = ?1 AND used_ms IS NOT NULL
             ORDER BY used_ms DESC LIMIT 1 OFFSET ?2)",
    )
    .bind(family)
    .bind(MAX_USED_TOKENS - 1)
    .execute(db)
    .await?;
    Ok(())
}

/// Deletes all tokens of a family.
pub async fn delete_token_family(db: &mut Db, family: &str) -> Result<()> {
    sql::query("DELETE FROM oauth_tokens WHERE family = ?")
        .bind(family)
        .execute(db)
        .await?;
    Ok(())
}

/// Deletes tokens that expired before `before_ms`. Expired tokens are retained for a while, so that
/// the error is "expired" and not "unknown".
pub async fn delete_expired_tokens(db: &mut Db, before_ms: i64) -> Result<()> {
    sql::query("DELETE FROM oauth_tokens WHERE expires_ms < ?")
        .bind(before_ms)
        .execute(db)
        .await?;
    Ok(())
}

/// An API key in the operator's list.
#[derive(Clone, Debug, sqlx::FromRow)]
pub struct ListedApiKey {
    /// SHA-256 of the key.
    pub hash: String,
    /// Label.
    pub label: String,
    /// User name of its owner.
    pub username: String,
    /// Epoch milliseconds.
    pub created_ms: i64,
    /// Last day of validity.
    pub expires_on: Option<String>,
    /// Last use, rounded to the hour, in epoch milliseconds.
    pub last_used_ms: Option<i64>,
    /// JSON array of its scopes; none means everything that its owner may do.
    pub scopes: Option<String>,
}

/// Lists all API keys, oldest first.
pub async fn api_keys(db: &mut Db) -> Result<Vec<ListedApiKey>> {
    Ok(sql::query_as(
        "SELECT k.hash, k.label, u.username, k.created_ms, k.expires_on, k.last_used_ms, k.scopes
         FROM api_keys k JOIN users u ON u.id = k.user_id ORDER BY k.created_ms, k.hash",
    )
    .fetch_all(db)
    .await?)
}

/// An API key to be stored.
#[derive(Clone, Debug)]
pub struct NewApiKey {
    /// SHA-256 of the key.
    pub hash: String,
    /// Id of its owner.
    pub user_id: i64,
    /// Label.
    pub label: String,
    /// Epoch milliseconds.
    pub created_ms: i64,
    /// Last day of validity.
    pub expires_on: Option<String>,
    /// Scopes; none means everything that its owner may do.
    pub scopes: Option<Vec<String>>,
}

/// Stores an API key.
pub async fn insert_api_key(db: &mut Db, key: &NewApiKey) -> Result<(), sqlx::Error> {
    let scopes = key
        .scopes
        .as_ref()
        .map(|scopes| serde_json::json!(scopes).to_string());
    sql::query(
        "INSERT INTO api_keys (hash, user_id, label, created_ms, expires_on, scopes)
         VALUES (?, ?, ?, ?, ?, ?)",
    )
    .bind(&key.hash)
    .bind(key.user_id)
    .bind(&key.label)
    .bind(key.created_ms)
    .bind(&key.expires_on)
    .bind(scopes)
    .execute(db)
    .await?;
    Ok(())
}

/// Deletes an API key.
pub async fn delete_api_key(db: &mut Db, hash: &str) -> Result<()> {
    sql::query("DELETE FROM api_keys WHERE hash = ?")
        .bind(hash)
        .execute(db)
        .await?;
    Ok(())
}

/// Stores an OAuth client.
pub async fn insert_client(
    db: &mut Db,
    client: &OauthClient,
    name: &str,
    created_ms: i64,
) -> Result<()> {
    sql::query(
        "INSERT INTO oauth_clients (id, name, owner_id, secret_hash, redirect_uris, scopes, created_ms)
         VALUES (?, ?, ?, ?, ?, ?, ?)",
    )
    .bind(&client.id)
    .bind(name)
    .bind(client.owner_id)
    .bind(&client.secret_hash)
    .bind(serde_json::to_string(&client.redirect_uris)?)
    .bind(serde_json::to_string(&client.scopes)?)
    .bind(created_ms)
    .execute(db)
    .await?;
    Ok(())
}

/// Replaces a client's secret. Returns false if there is no such client.
pub async fn set_client_secret(db: &mut Db, client_id: &str, secret_hash: &str) -> Result<bool> {
    let result = sql::query("UPDATE oauth_clients SET secret_hash = ? WHERE id = ?")
        .bind(secret_hash)
        .bind(client_id)
        .execute(db)
        .await?;
    Ok(result.rows_affected() == 1)
}

/// Deletes all tokens of a user. Returns the number of those that were not used.
pub async fn delete_tokens_of(db: &mut Db, user_id: i64) -> Result<usize> {
    let unused: Vec<bool> =
        sql::query_scalar("DELETE FROM oauth_tokens WHERE user_id = ? RETURNING used_ms IS NULL")
            .bind(user_id)
            .fetch_all(db)
            .await?;
    Ok(unused.into_iter().filter(|unused| *unused).count())
}

/// Deletes all tokens of a client's users. Returns the number of those that were not used.
pub async fn delete_tokens_of_client(db: &mut Db, client_id: &str) -> Result<usize> {
    let unused: Vec<bool> = sql::query_scalar(
        "DELETE FROM oauth_tokens WHERE oauth_client_id = ? RETURNING used_ms IS NULL",
    )
    .bind(client_id)
    .fetch_all(db)
    .await?;
    Ok(unused.into_iter().filter(|unused| *unused).count())
}

/// An OAuth client in the operator's list.
#[derive(Clone, Debug, sqlx::FromRow)]
pub struct ListedOauthClient {
    /// Identifier.
    pub id: String,
    /// Name of the platform.
    pub name: String,
    /// User name of its owner; none if the user was deleted.
    pub owner: Option<String>,
    /// Epoch milliseconds.
    pub created_ms: i64,
    /// Number of managed users.
    pub users: i64,
    /// JSON array of the scopes of their tokens.
    pub scopes: String,
}

/// Lists all OAuth clients, oldest first.
pub async fn clients(db: &mut Db) -> Result<Vec<ListedOauthClient>> {
    Ok(sql::query_as(
        "SELECT c.id, c.name, u.username AS owner, c.created_ms, c.scopes,
                (SELECT count(*) FROM users m WHERE m.oauth_client_id = c.id) AS users
         FROM oauth_clients c LEFT JOIN users u ON u.id = c.owner_id ORDER BY c.created_ms, c.id",
    )
    .fetch_all(db)
    .await?)
}

/// Returns true if there is an OAuth client with that id, even one that cannot be used.
pub async fn client_exists(db: &mut Db, id: &str) -> Result<bool> {
    let found: Option<i64> = sql::query_scalar("SELECT created_ms FROM oauth_clients WHERE id = ?")
        .bind(id)
        .fetch_optional(db)
        .await?;
    Ok(found.is_some())
}

/// Lists the ids of the OAuth clients that a user owns.
pub async fn clients_of(db: &mut Db, owner_id: i64) -> Result<Vec<String>> {
    Ok(
        sql::query_scalar("SELECT id FROM oauth_clients WHERE owner_id = ? ORDER BY id")
            .bind(owner_id)
            .fetch_all(db)
            .await?,
    )
}

/// Lists the ids of the users that an OAuth client manages.
pub async fn users_of_client(db: &mut Db, client_id: &str) -> Result<Vec<i64>> {
    Ok(
        sql::query_scalar("SELECT id FROM users WHERE oauth_client_id = ? ORDER BY id")
            .bind(client_id)
            .fetch_all(db)
            .await?,
    )
}

/// Changes the owner of an OAuth client. Returns false if there is no such client.
pub async fn set_client_owner(db: &mut Db, client_id: &str, owner_id: i64) -> Result<bool> {
    let result = sql::query("UPDATE oauth_clients SET owner_id = ? WHERE id = ?")
        .bind(owner_id)
        .bind(client_id)
        .execute(db)
        .await?;
    Ok(result.rows_affected() == 1)
}

/// Deletes an OAuth client with its tokens and webhooks. Returns false if there is no such client.
pub async fn delete_client(db: &mut Db, client_id: &str) -> Result<bool> {
    let result = sql::query("DELETE FROM oauth_clients WHERE id = ?")
        .bind(client_id)
        .execute(db)
        .await?;
    Ok(result.rows_affected() == 1)
}
