//! What operating the database takes: is it current and writable, how large is it.

use std::collections::HashMap;
use std::path::Path;

use super::{Db, MIGRATIONS};

/// Whether exactly this version's migrations have run.
pub async fn is_current(db: &mut Db) -> Result<bool, sqlx::Error> {
    let applied: HashMap<i64, Vec<u8>> =
        sqlx::query_as("SELECT version, checksum FROM _sqlx_migrations WHERE success")
            .fetch_all(db)
            .await?
            .into_iter()
            .collect();
    let mut wanted = 0;
    for migration in MIGRATIONS.iter() {
        wanted += 1;
        if applied
            .get(&migration.version)
            .is_none_or(|checksum| **checksum != *migration.checksum)
        {
            return Ok(false);
        }
    }
    Ok(applied.len() == wanted)
}

/// Version of the newest migration that has run.
pub async fn version(db: &mut Db) -> Result<i64, sqlx::Error> {
    sqlx::query_scalar("SELECT coalesce(max(version), 0) FROM _sqlx_migrations WHERE success")
        .fetch_one(db)
        .await
}

/// Writes to the database what it holds already: the whole way to the disk is taken.
pub async fn touch(db: &mut Db) -> Result<(), sqlx::Error> {
    // A number that SQLite keeps for its users and that this service has no use for.
    sqlx::query("PRAGMA user_version = 0").execute(db).await?;
    Ok(())
}

/// Size of the database in bytes, without its write-ahead log.
pub async fn database_bytes(db: &mut Db) -> Result<i64, sqlx::Error> {
    sqlx::query_scalar("SELECT page_count * page_size FROM pragma_page_count(), pragma_page_size()")
        .fetch_one(db)
        .await
}

/// Webhook deliveries that have still to succeed or to be given up.
pub async fn waiting_deliveries(db: &mut Db) -> Result<i64, sqlx::Error> {
    sqlx::query_scalar("SELECT count(*) FROM webhook_deliveries WHERE status = 'waiting'")
        .fetch_one(db)
        .await
}

/// Copies the database, as it is at this moment, into `file`, which must be empty or not exist.
pub async fn copy_into(db: &mut Db, file: &Path) -> Result<(), sqlx::Error> {
    sqlx::query("VACUUM INTO ?")
        .bind(file.to_string_lossy().into_owned())
        .execute(db)
        .await?;
    Ok(())
}
