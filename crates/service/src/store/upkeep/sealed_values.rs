//! Values that the sealing key has encrypted.

use booking_store_engine::connection::Db;
use booking_store_engine::sql;

/// A secret of a webhook.
#[derive(Clone, Debug, sqlx::FromRow)]
pub struct WebhookSecret {
    /// Id of the webhook.
    pub id: String,
    /// Encrypted secret.
    pub secret: Vec<u8>,
}

/// A key of a connected app.
#[derive(Clone, Debug, sqlx::FromRow)]
pub struct AppKey {
    /// Id of the credential.
    pub id: i64,
    /// Its user.
    pub user_id: i64,
    /// The app.
    pub app_slug: String,
    /// Encrypted key.
    pub sealed_key: Vec<u8>,
}

/// Returns secrets of webhooks in the order of their ids, after one of them.
pub async fn webhook_secrets(
    db: &mut Db,
    after: &str,
    limit: i64,
) -> Result<Vec<WebhookSecret>, sqlx::Error> {
    sql::query_as(
        "SELECT id, secret FROM webhooks WHERE secret IS NOT NULL AND id > ? ORDER BY id LIMIT ?",
    )
    .bind(after)
    .bind(limit)
    .fetch_all(db)
    .await
}

/// Replaces a secret, unless it has been changed.
pub async fn replace_webhook_secret(
    db: &mut Db,
    former: &WebhookSecret,
    sealed: &[u8],
) -> Result<(), sqlx::Error> {
    sql::query("UPDATE webhooks SET secret = ? WHERE id = ? AND secret = ?")
        .bind(sealed)
        .bind(&former.id)
        .bind(&former.secret)
        .execute(db)
        .await?;
    Ok(())
}

/// Returns keys of connected apps in the order of their ids, after one of them.
pub async fn app_keys(db: &mut Db, after: i64, limit: i64) -> Result<Vec<AppKey>, sqlx::Error> {
    sql::query_as(
        "SELECT id, user_id, app_slug, sealed_key FROM app_credentials WHERE id > ? ORDER BY id LIMIT ?",
    )
    .bind(after)
    .bind(limit)
    .fetch_all(db)
    .await
}

/// Replaces a key, unless it has been changed.
pub async fn replace_app_key(
    db: &mut Db,
    former: &AppKey,
    sealed: &[u8],
) -> Result<(), sqlx::Error> {
    sql::query("UPDATE app_credentials SET sealed_key = ? WHERE id = ? AND sealed_key = ?")
        .bind(sealed)
        .bind(former.id)
        .bind(&former.sealed_key)
        .execute(db)
        .await?;
    Ok(())
}
