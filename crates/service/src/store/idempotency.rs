//! Responses of requests that carried an `Idempotency-Key`.

use booking_wire::Instant;

use crate::error::Result;
use crate::store::connection::Db;

/// Time for which a response is kept: 24 hours.
const KEPT_MS: i64 = 24 * 60 * 60_000;

/// A response as it was sent.
#[derive(Clone, Debug, PartialEq, Eq, sqlx::FromRow)]
pub struct KeptResponse {
    /// Hash of the request that it answers.
    pub request_hash: String,
    /// HTTP status.
    pub status: i64,
    /// JSON.
    pub body: String,
}

/// The response to the first request with the key of that hash.
pub async fn find(db: &mut Db, hash: &str, now: Instant) -> Result<Option<KeptResponse>> {
    Ok(sqlx::query_as(
        "SELECT request_hash, status, body FROM idempotency_keys WHERE hash = ? AND created_ms > ?",
    )
    .bind(hash)
    .bind(now.0 - KEPT_MS)
    .fetch_optional(db)
    .await?)
}

/// Keeps a response, in the transaction of what it reports.
pub async fn insert(db: &mut Db, hash: &str, response: &KeptResponse, now: Instant) -> Result<()> {
    // One that was kept for long enough gives way.
    sqlx::query(
        "INSERT OR REPLACE INTO idempotency_keys (hash, request_hash, status, body, created_ms)
         VALUES (?, ?, ?, ?, ?)",
    )
    .bind(hash)
    .bind(&response.request_hash)
    .bind(response.status)
    .bind(&response.body)
    .bind(now.0)
    .execute(db)
    .await?;
    Ok(())
}

/// Deletes responses that were kept for long enough.
pub async fn delete_old(db: &mut Db, now: Instant) -> Result<()> {
    sqlx::query("DELETE FROM idempotency_keys WHERE created_ms <= ?")
        .bind(now.0 - KEPT_MS)
        .execute(db)
        .await?;
    Ok(())
}

/// Returns true if there is anything to delete.
pub async fn has_old(db: &mut Db, now: Instant) -> Result<bool> {
    Ok(
        sqlx::query_scalar("SELECT EXISTS (SELECT 1 FROM idempotency_keys WHERE created_ms <= ?)")
            .bind(now.0 - KEPT_MS)
            .fetch_one(db)
            .await?,
    )
}
