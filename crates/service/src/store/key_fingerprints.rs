//! Fingerprints of the keys that all replicas need.

use crate::store::connection::Db;
use crate::store::sql;

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
