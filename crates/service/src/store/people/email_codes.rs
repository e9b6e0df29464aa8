//! Codes that were sent to e-mail addresses.

use booking_store_engine::connection::Db;
use booking_store_engine::sql;
use booking_wire::Instant;
use booking_wire::formats::instant::DAY_MS;

use crate::error::Result;
use crate::store::old_rows::OldRows;

/// Retention of codes, in milliseconds: longer than any is valid, as one that was used still replaces the earlier ones.
pub const RETENTION_MS: i64 = DAY_MS;

/// A code.
#[derive(Clone, Debug, PartialEq, Eq, sqlx::FromRow)]
pub struct StoredCode {
    /// Identifier.
    pub id: i64,
    /// Keyed hash of address and code.
    pub code_hash: Vec<u8>,
    /// Wrong codes that were entered instead.
    pub attempts: i64,
    /// Expiry in epoch milliseconds.
    pub expires_ms: i64,
}

/// Returns the latest code of an address, the only one that counts, even if it has expired.
pub async fn latest(db: &mut Db, email: &str) -> Result<Option<StoredCode>> {
    Ok(sql::query_as(
        "SELECT id, code_hash, attempts, expires_ms FROM email_verification_codes
         WHERE email = ? ORDER BY created_ms DESC, id DESC LIMIT 1",
    )
    .bind(email)
    .fetch_optional(db)
    .await?)
}

/// Stores a code.
pub async fn insert(
    db: &mut Db,
    email: &str,
    code_hash: &[u8],
    now: Instant,
    valid_ms: i64,
) -> Result<()> {
    sql::query(
        "INSERT INTO email_verification_codes (email, code_hash, attempts, created_ms, expires_ms)
         VALUES (?, ?, 0, ?, ?)",
    )
    .bind(email)
    .bind(code_hash)
    .bind(now.0)
    .bind(now.0 + valid_ms)
    .execute(db)
    .await?;
    Ok(())
}

/// Counts a wrong code.
pub async fn count_attempt(db: &mut Db, id: i64) -> Result<()> {
    sql::query("UPDATE email_verification_codes SET attempts = attempts + 1 WHERE id = ?")
        .bind(id)
        .execute(db)
        .await?;
    Ok(())
}

/// Makes a code expire, because it was used.
pub async fn expire(db: &mut Db, id: i64, now: Instant) -> Result<()> {
    sql::query("UPDATE email_verification_codes SET expires_ms = ? WHERE id = ?")
        .bind(now.0)
        .bind(id)
        .execute(db)
        .await?;
    Ok(())
}

/// Codes whose retention has ended.
pub fn expired() -> OldRows {
    OldRows {
        table: "email_verification_codes",
        key: "id",
        condition: format!("expires_ms <= ?1 AND created_ms <= ?1 - {RETENTION_MS}"),
        order: "expires_ms",
    }
}
