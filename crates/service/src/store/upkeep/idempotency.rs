//! Responses of requests that carried an `Idempotency-Key`.

use booking_store_engine::connection::Db;
use booking_store_engine::sql;
use booking_wire::Instant;
use booking_wire::formats::instant::DAY_MS;

use crate::error::Result;
use crate::store::old_rows::OldRows;

/// Retention of responses, in milliseconds: 24 hours.
const RETENTION_MS: i64 = DAY_MS;

/// A stored response.
#[derive(Clone, Debug, PartialEq, Eq, sqlx::FromRow)]
pub struct StoredResponse {
    /// Hash of the request.
    pub request_hash: String,
    /// HTTP status.
    pub status: i64,
    /// Body, JSON.
    pub body: String,
}

/// Returns the response to the first request with the key of that hash.
pub async fn find(db: &mut Db, hash: &str, now: Instant) -> Result<Option<StoredResponse>> {
    Ok(sql::query_as(
        "SELECT request_hash, status, body FROM idempotency_keys WHERE hash = ? AND created_ms > ?",
    )
    .bind(hash)
    .bind(now.0 - RETENTION_MS)
    .fetch_optional(db)
    .await?)
}

/// Stores a response, in the transaction of the write that it reports.
pub async fn insert(
    db: &mut Db,
    hash: &str,
    response: &StoredResponse,
    now: Instant,
) -> Result<()> {
    // Replaces an expired response.
    sql::query(
        "INSERT INTO idempotency_keys (hash, request_hash, status, body, created_ms)
         VALUES (?, ?, ?, ?, ?)
         ON CONFLICT (hash) DO UPDATE SET request_hash = excluded.request_hash, status = excluded.status,
             body = excluded.body, created_ms = excluded.created_ms",
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

/// Expired responses.
pub fn expired() -> OldRows {
    OldRows {
        table: "idempotency_keys",
        key: "hash",
        condition: format!("created_ms <= ?1 - {RETENTION_MS}"),
        order: "created_ms",
    }
}
