//! API keys, OAuth clients and tokens. Secrets are here as SHA-256 only.

use super::Db;
use crate::error::Result;

/// An OAuth client.
#[derive(Clone, Debug)]
pub struct Client {
    /// Identifier.
    pub id: String,
    /// The user whom the client acts as.
    pub owner_id: i64,
    /// SHA-256 of the secret.
    pub secret_hash: String,
    /// Where the platform's pages live.
    pub redirect_uris: Vec<String>,
    /// What tokens of the client's users may do; `*` is everything.
    pub scopes: Vec<String>,
}

/// A token that is known and not revoked.
#[derive(Clone, Debug, sqlx::FromRow)]
pub struct KnownToken {
    /// The client it was made for.
    pub oauth_client_id: String,
    /// The user it belongs to.
    pub user_id: i64,
    /// Epoch milliseconds.
    pub expires_ms: i64,
}

/// The kinds of tokens, by their names on the wire.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TokenKind {
    /// For calls.
    Access,
    /// For one refresh.
    Refresh,
}

impl TokenKind {
    /// The `type` claim.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Access => "access_token",
            Self::Refresh => "refresh_token",
        }
    }
}

/// The owner of an API key and the last day on which it is good.
pub async fn api_key(db: &mut Db, hash: &str) -> Result<Option<(i64, Option<String>)>> {
    Ok(
        sqlx::query_as("SELECT user_id, expires_on FROM api_keys WHERE hash = ?")
            .bind(hash)
            .fetch_optional(db)
            .await?,
    )
}

/// The OAuth client with that id.
pub async fn client(db: &mut Db, id: &str) -> Result<Option<Client>> {
    let row: Option<(String, i64, String, String, String)> = sqlx::query_as(
        "SELECT id, owner_id, secret_hash, redirect_uris, scopes FROM oauth_clients WHERE id = ?",
    )
    .bind(id)
    .fetch_optional(db)
    .await?;
    let Some((id, owner_id, secret_hash, redirect_uris, scopes)) = row else {
        return Ok(None);
    };
    Ok(Some(Client {
        id,
        owner_id,
        secret_hash,
        redirect_uris: serde_json::from_str(&redirect_uris)?,
        scopes: serde_json::from_str(&scopes)?,
    }))
}

/// The token with that hash.
pub async fn token(db: &mut Db, kind: TokenKind, hash: &str) -> Result<Option<KnownToken>> {
    Ok(sqlx::query_as(
        "SELECT oauth_client_id, user_id, expires_ms FROM oauth_tokens WHERE hash = ? AND kind = ?",
    )
    .bind(hash)
    .bind(kind.as_str())
    .fetch_optional(db)
    .await?)
}

/// Remembers a token.
pub async fn insert_token(
    db: &mut Db,
    kind: TokenKind,
    hash: &str,
    token: &KnownToken,
) -> Result<()> {
    sqlx::query(
        "INSERT INTO oauth_tokens (hash, kind, oauth_client_id, user_id, expires_ms) VALUES (?, ?, ?, ?, ?)",
    )
    .bind(hash)
    .bind(kind.as_str())
    .bind(&token.oauth_client_id)
    .bind(token.user_id)
    .bind(token.expires_ms)
    .execute(db)
    .await?;
    Ok(())
}

/// Forgets a token. False if it was not there: somebody else used it first.
pub async fn delete_token(db: &mut Db, kind: TokenKind, hash: &str) -> Result<bool> {
    let done = sqlx::query("DELETE FROM oauth_tokens WHERE hash = ? AND kind = ?")
        .bind(hash)
        .bind(kind.as_str())
        .execute(db)
        .await?;
    Ok(done.rows_affected() == 1)
}

/// Forgets tokens that expired before `before_ms`. A token keeps its row for a while after its
/// expiry, so that its holder hears "expired" and not "unknown".
pub async fn forget_expired_tokens(db: &mut Db, before_ms: i64) -> Result<()> {
    sqlx::query("DELETE FROM oauth_tokens WHERE expires_ms < ?")
        .bind(before_ms)
        .execute(db)
        .await?;
    Ok(())
}

/// An API key as its owner may know it again.
#[derive(Clone, Debug, sqlx::FromRow)]
pub struct ListedKey {
    /// SHA-256 of the key.
    pub hash: String,
    /// What it is for.
    pub label: String,
    /// User name of its owner.
    pub username: String,
    /// Epoch milliseconds.
    pub created_ms: i64,
    /// The last day on which it is good.
    pub expires_on: Option<String>,
}

/// All API keys, oldest first.
pub async fn api_keys(db: &mut Db) -> Result<Vec<ListedKey>> {
    Ok(sqlx::query_as(
        "SELECT k.hash, k.label, u.username, k.created_ms, k.expires_on
         FROM api_keys k JOIN users u ON u.id = k.user_id ORDER BY k.created_ms, k.hash",
    )
    .fetch_all(db)
    .await?)
}

/// Stores an API key.
pub async fn insert_api_key(
    db: &mut Db,
    hash: &str,
    user_id: i64,
    label: &str,
    created_ms: i64,
    expires_on: Option<&str>,
) -> Result<()> {
    sqlx::query(
        "INSERT INTO api_keys (hash, user_id, label, created_ms, expires_on) VALUES (?, ?, ?, ?, ?)",
    )
    .bind(hash)
    .bind(user_id)
    .bind(label)
    .bind(created_ms)
    .bind(expires_on)
    .execute(db)
    .await?;
    Ok(())
}

/// Forgets an API key.
pub async fn delete_api_key(db: &mut Db, hash: &str) -> Result<()> {
    sqlx::query("DELETE FROM api_keys WHERE hash = ?")
        .bind(hash)
        .execute(db)
        .await?;
    Ok(())
}

/// Stores an OAuth client.
pub async fn insert_client(
    db: &mut Db,
    client: &Client,
    name: &str,
    created_ms: i64,
) -> Result<()> {
    sqlx::query(
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

/// Replaces a client's secret. False if there is no such client.
pub async fn replace_secret(db: &mut Db, client_id: &str, secret_hash: &str) -> Result<bool> {
    let done = sqlx::query("UPDATE oauth_clients SET secret_hash = ? WHERE id = ?")
        .bind(secret_hash)
        .bind(client_id)
        .execute(db)
        .await?;
    Ok(done.rows_affected() == 1)
}

/// Forgets every token of a user.
pub async fn delete_tokens_of(db: &mut Db, user_id: i64) -> Result<()> {
    sqlx::query("DELETE FROM oauth_tokens WHERE user_id = ?")
        .bind(user_id)
        .execute(db)
        .await?;
    Ok(())
}
