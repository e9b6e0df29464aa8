//! Fingerprints of the keys in the data directory: the database can be used with these only.

use booking_store_engine::connection::Db;
use booking_store_engine::sql;

/// Returns the stored fingerprint of a key.
pub async fn find(db: &mut Db, name: &str) -> Result<Option<String>, sqlx::Error> {
    sql::query_scalar("SELECT fingerprint FROM key_fingerprints WHERE name = ?")
        .bind(name)
        .fetch_optional(db)
        .await
}

/// Stores the fingerprint of a key, if there is none of that name. Returns true if the stored one is the same.
pub async fn agree(db: &mut Db, name: &str, fingerprint: &str) -> Result<bool, sqlx::Error> {
    sql::query(
        "INSERT INTO key_fingerprints (name, fingerprint) VALUES (?, ?) ON CONFLICT (name) DO NOTHING",
    )
    .bind(name)
    .bind(fingerprint)
    .execute(&mut *db)
    .await?;
    let stored: String =
        sql::query_scalar("SELECT fingerprint FROM key_fingerprints WHERE name = ?")
            .bind(name)
            .fetch_one(db)
            .await?;
    Ok(stored == fingerprint)
}

/// Returns the names and fingerprints of all keys.
pub async fn all(db: &mut Db) -> Result<Vec<(String, String)>, sqlx::Error> {
    sql::query_as("SELECT name, fingerprint FROM key_fingerprints ORDER BY name")
        .fetch_all(db)
        .await
}

/// Returns true if there are tokens, which the signing key has signed.
pub async fn has_tokens(db: &mut Db) -> Result<bool, sqlx::Error> {
    sql::query_scalar("SELECT EXISTS (SELECT 1 FROM oauth_tokens)")
        .fetch_one(db)
        .await
}

/// Returns true if there are values that the sealing key has encrypted.
pub async fn has_sealed_values(db: &mut Db) -> Result<bool, sqlx::Error> {
    sql::query_scalar(
        "SELECT EXISTS (SELECT 1 FROM webhooks WHERE secret IS NOT NULL)
             OR EXISTS (SELECT 1 FROM app_credentials)",
    )
    .fetch_one(db)
    .await
}

/// Stores the fingerprint of a key in place of the former one.
pub async fn replace(db: &mut Db, name: &str, fingerprint: &str) -> Result<(), sqlx::Error> {
    sql::query("DELETE FROM key_fingerprints WHERE name = ?")
        .bind(name)
        .execute(&mut *db)
        .await?;
    agree(db, name, fingerprint).await?;
    Ok(())
}
