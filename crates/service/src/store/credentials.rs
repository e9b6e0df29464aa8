//! API keys, OAuth clients and tokens. Secrets are here as SHA-256 only.

use crate::error::Result;
use crate::store::connection::Db;

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

/// Time for which a used refresh token is remembered.
const USED_KEPT_MS: i64 = 30 * 86_400_000;

/// Used refresh tokens of one family that are remembered.
const USED_KEPT: i64 = 1000;

/// A token that is known and not revoked.
#[derive(Clone, Debug, sqlx::FromRow)]
pub struct KnownToken {
    /// The client it was made for.
    pub oauth_client_id: String,
    /// The user it belongs to.
    pub user_id: i64,
    /// Epoch milliseconds.
    pub expires_ms: i64,
    /// Id shared by all tokens that come from one another by refreshing.
    pub family: Option<String>,
    /// When a refresh token was used: epoch milliseconds.
    pub used_ms: Option<i64>,
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

/// An API key as far as it decides about calls.
#[derive(Clone, Debug)]
pub struct ApiKey {
    /// Its owner.
    pub user_id: i64,
    /// The last day on which it is good.
    pub expires_on: Option<String>,
    /// Scopes; none means everything its owner may do.
    pub scopes: Option<Vec<String>>,
    /// When it was used, as far as that has been written: epoch milliseconds.
    pub last_used_ms: Option<i64>,
}

/// The API key with that hash, unless its owner is disabled.
pub async fn api_key(db: &mut Db, hash: &str) -> Result<Option<ApiKey>> {
    #[derive(sqlx::FromRow)]
    struct Row {
        user_id: i64,
        expires_on: Option<String>,
        scopes: Option<String>,
        last_used_ms: Option<i64>,
    }
    let row: Option<Row> = sqlx::query_as(
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

/// Writes when an API key was used.
pub async fn note_use(db: &mut Db, hash: &str, at_ms: i64) -> Result<()> {
    sqlx::query("UPDATE api_keys SET last_used_ms = ? WHERE hash = ?")
        .bind(at_ms)
        .bind(hash)
        .execute(db)
        .await?;
    Ok(())
}

/// The OAuth client with that id, unless its owner is disabled or gone.
pub async fn client(db: &mut Db, id: &str) -> Result<Option<Client>> {
    let row: Option<(String, i64, String, String, String)> = sqlx::query_as(
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
    Ok(Some(Client {
        id,
        owner_id,
        secret_hash,
        redirect_uris: serde_json::from_str(&redirect_uris)?,
        scopes: serde_json::from_str(&scopes)?,
    }))
}

/// The token with that hash, unless its user is disabled.
pub async fn token(db: &mut Db, kind: TokenKind, hash: &str) -> Result<Option<KnownToken>> {
    Ok(sqlx::query_as(
        "SELECT t.oauth_client_id, t.user_id, t.expires_ms, t.family, t.used_ms
         FROM oauth_tokens t JOIN users u ON u.id = t.user_id
         WHERE t.hash = ? AND t.kind = ? AND u.disabled_ms IS NULL",
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

/// Uses up the refresh token with that hash. It is remembered for a while, and only so many of a
/// family are: a holder of one could otherwise fill the database.
pub async fn use_up(db: &mut Db, hash: &str, family: Option<&str>, now_ms: i64) -> Result<()> {
    sqlx::query(
        "UPDATE oauth_tokens SET used_ms = ?1, expires_ms = min(expires_ms, ?2) WHERE hash = ?3",
    )
    .bind(now_ms)
    .bind(now_ms + USED_KEPT_MS)
    .bind(hash)
    .execute(&mut *db)
    .await?;
    sqlx::query(
        "DELETE FROM oauth_tokens WHERE family = ?1 AND used_ms < (
             SELECT used_ms FROM oauth_tokens WHERE family = ?1 AND used_ms IS NOT NULL
             ORDER BY used_ms DESC LIMIT 1 OFFSET ?2)",
    )
    .bind(family)
    .bind(USED_KEPT - 1)
    .execute(db)
    .await?;
    Ok(())
}

/// Forgets every token of a family.
pub async fn delete_family(db: &mut Db, family: &str) -> Result<()> {
    sqlx::query("DELETE FROM oauth_tokens WHERE family = ?")
        .bind(family)
        .execute(db)
        .await?;
    Ok(())
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
    /// Label given by its owner.
    pub label: String,
    /// User name of its owner.
    pub username: String,
    /// Epoch milliseconds.
    pub created_ms: i64,
    /// The last day on which it is good.
    pub expires_on: Option<String>,
    /// When it was used, to the hour: epoch milliseconds.
    pub last_used_ms: Option<i64>,
    /// JSON array of what it may do; none means everything its owner may do.
    pub scopes: Option<String>,
}

/// All API keys, oldest first.
pub async fn api_keys(db: &mut Db) -> Result<Vec<ListedKey>> {
    Ok(sqlx::query_as(
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
    /// Its owner.
    pub user_id: i64,
    /// Label given by its owner.
    pub label: String,
    /// Epoch milliseconds.
    pub created_ms: i64,
    /// The last day on which it is good.
    pub expires_on: Option<String>,
    /// Scopes; none means everything its owner may do.
    pub scopes: Option<Vec<String>>,
}

/// Stores an API key.
pub async fn insert_api_key(db: &mut Db, key: &NewApiKey) -> Result<(), sqlx::Error> {
    let scopes = key
        .scopes
        .as_ref()
        .map(|scopes| serde_json::json!(scopes).to_string());
    sqlx::query(
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

/// Forgets every token of a user. Returns the number of those that could still be used.
pub async fn delete_tokens_of(db: &mut Db, user_id: i64) -> Result<i64> {
    let usable = sqlx::query_scalar(
        "SELECT count(*) FROM oauth_tokens WHERE user_id = ? AND used_ms IS NULL",
    )
    .bind(user_id)
    .fetch_one(&mut *db)
    .await?;
    sqlx::query("DELETE FROM oauth_tokens WHERE user_id = ?")
        .bind(user_id)
        .execute(db)
        .await?;
    Ok(usable)
}

/// Forgets every token of a client's users. Returns the number of those that could still be used.
pub async fn delete_tokens_of_client(db: &mut Db, client_id: &str) -> Result<i64> {
    let usable = sqlx::query_scalar(
        "SELECT count(*) FROM oauth_tokens WHERE oauth_client_id = ? AND used_ms IS NULL",
    )
    .bind(client_id)
    .fetch_one(&mut *db)
    .await?;
    sqlx::query("DELETE FROM oauth_tokens WHERE oauth_client_id = ?")
        .bind(client_id)
        .execute(db)
        .await?;
    Ok(usable)
}

/// An OAuth client in the operator's list.
#[derive(Clone, Debug, sqlx::FromRow)]
pub struct ListedClient {
    /// Identifier.
    pub id: String,
    /// Name of the platform.
    pub name: String,
    /// User name of its owner; none if that person is gone.
    pub owner: Option<String>,
    /// Epoch milliseconds.
    pub created_ms: i64,
    /// Number of users whom it manages.
    pub users: i64,
    /// JSON array of what their tokens may do.
    pub scopes: String,
}

/// All OAuth clients, oldest first.
pub async fn clients(db: &mut Db) -> Result<Vec<ListedClient>> {
    Ok(sqlx::query_as(
        "SELECT c.id, c.name, u.username AS owner, c.created_ms, c.scopes,
                (SELECT count(*) FROM users m WHERE m.oauth_client_id = c.id) AS users
         FROM oauth_clients c LEFT JOIN users u ON u.id = c.owner_id ORDER BY c.created_ms, c.id",
    )
    .fetch_all(db)
    .await?)
}

/// Returns true if there is an OAuth client with that id, even one that cannot be used.
pub async fn client_exists(db: &mut Db, id: &str) -> Result<bool> {
    let found: Option<i64> = sqlx::query_scalar("SELECT 1 FROM oauth_clients WHERE id = ?")
        .bind(id)
        .fetch_optional(db)
        .await?;
    Ok(found.is_some())
}

/// Ids of the OAuth clients that a person owns.
pub async fn clients_of(db: &mut Db, owner_id: i64) -> Result<Vec<String>> {
    Ok(
        sqlx::query_scalar("SELECT id FROM oauth_clients WHERE owner_id = ? ORDER BY id")
            .bind(owner_id)
            .fetch_all(db)
            .await?,
    )
}

/// Ids of the users whom an OAuth client manages.
pub async fn users_of_client(db: &mut Db, client_id: &str) -> Result<Vec<i64>> {
    Ok(
        sqlx::query_scalar("SELECT id FROM users WHERE oauth_client_id = ? ORDER BY id")
            .bind(client_id)
            .fetch_all(db)
            .await?,
    )
}

/// Gives an OAuth client another owner. False if there is no such client.
pub async fn set_client_owner(db: &mut Db, client_id: &str, owner_id: i64) -> Result<bool> {
    let done = sqlx::query("UPDATE oauth_clients SET owner_id = ? WHERE id = ?")
        .bind(owner_id)
        .bind(client_id)
        .execute(db)
        .await?;
    Ok(done.rows_affected() == 1)
}

/// Deletes an OAuth client with its tokens and webhooks. False if there is no such client.
pub async fn delete_client(db: &mut Db, client_id: &str) -> Result<bool> {
    let done = sqlx::query("DELETE FROM oauth_clients WHERE id = ?")
        .bind(client_id)
        .execute(db)
        .await?;
    Ok(done.rows_affected() == 1)
}
