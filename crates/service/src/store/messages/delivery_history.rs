//! Deliveries as operators and owners of webhooks see them, without payloads.

use booking_store_engine::connection::Db;
use booking_store_engine::sql;
use booking_wire::{DeliveryStatus, Instant};

use crate::error::Result;

/// A delivery without its payload.
#[derive(Clone, Debug, sqlx::FromRow)]
pub struct ListedDelivery {
    /// Id.
    pub id: i64,
    /// The webhook.
    pub webhook_id: String,
    /// Name of the event.
    pub trigger_name: String,
    /// Name of a [`DeliveryStatus`].
    pub status: String,
    /// Attempts so far.
    pub attempts: i64,
    /// Time of the event.
    pub created_ms: i64,
    /// Time of the next attempt.
    pub due_ms: Option<i64>,
    /// Status of the last response.
    pub last_status: Option<i64>,
    /// Cause of the last failure.
    pub last_problem: Option<String>,
    /// Time at which it was delivered or given up.
    pub settled_ms: Option<i64>,
}

const COLUMNS: &str = "id, webhook_id, trigger_name, status, attempts, created_ms, due_ms, last_status, last_problem, settled_ms";

/// Lists failed deliveries of all webhooks, and unless `failed_only` also those that wait or that
/// arrived with a problem; oldest first.
pub async fn of_all(db: &mut Db, failed_only: bool) -> Result<Vec<ListedDelivery>> {
    let condition = if failed_only {
        "status = 'failed'"
    } else {
        "status IN ('waiting', 'failed') OR last_problem IS NOT NULL"
    };
    let sql = format!("SELECT {COLUMNS} FROM webhook_deliveries WHERE {condition} ORDER BY id");
    Ok(sql::query_as(sql).fetch_all(db).await?)
}

/// Statement that lists deliveries of a webhook, newest first. Parameters: the webhook, the end of the page, its length and
/// the entries before it.
///
/// Each status is a range of an index in this order, of which the entries up to the end of the page are read. (PostgreSQL
/// would read whole ranges if only the union had a limit.)
pub fn list_statement(status: Option<DeliveryStatus>) -> String {
    let statuses = match &status {
        Some(status) => std::slice::from_ref(status),
        None => &DeliveryStatus::ALL,
    };
    let ranges: Vec<String> = statuses
        .iter()
        .map(|status| {
            let status = status.as_str();
            format!(
                "SELECT {COLUMNS} FROM (
                     SELECT {COLUMNS} FROM webhook_deliveries WHERE webhook_id = ?1 AND status = '{status}'
                     ORDER BY id DESC LIMIT ?2) AS {status}"
            )
        })
        .collect();
    let ranges = ranges.join(" UNION ALL ");
    format!("{ranges} ORDER BY id DESC LIMIT ?3 OFFSET ?4")
}

/// Lists deliveries of a webhook, newest first.
pub async fn of_webhook(
    db: &mut Db,
    webhook_id: &str,
    status: Option<DeliveryStatus>,
    take: i64,
    skip: i64,
) -> Result<Vec<ListedDelivery>> {
    Ok(sql::query_as(list_statement(status))
        .bind(webhook_id)
        .bind(take.saturating_add(skip))
        .bind(take)
        .bind(skip)
        .fetch_all(db)
        .await?)
}

/// Returns a delivery of a webhook.
pub async fn get(db: &mut Db, webhook_id: &str, id: i64) -> Result<Option<ListedDelivery>> {
    let sql = format!("SELECT {COLUMNS} FROM webhook_deliveries WHERE webhook_id = ? AND id = ?");
    Ok(sql::query_as(sql)
        .bind(webhook_id)
        .bind(id)
        .fetch_optional(db)
        .await?)
}

/// Makes a delivery due at once and resets its attempts. Its order stays: it waits for earlier deliveries with its order
/// key, and later ones wait for it. Returns false if no delivery with that id waits or has failed.
pub async fn retry(db: &mut Db, id: i64, now: Instant) -> Result<bool> {
    let result = sql::query(
        "UPDATE webhook_deliveries SET status = 'waiting', attempts = 0, settled_ms = NULL,
             due_ms = CASE WHEN EXISTS (
                 SELECT 1 FROM webhook_deliveries e
                 WHERE e.webhook_id = webhook_deliveries.webhook_id AND e.about = webhook_deliveries.about
                     AND e.status = 'waiting' AND e.id < webhook_deliveries.id) THEN NULL ELSE ?1 END
         WHERE id = ?2 AND status IN ('waiting', 'failed')",
    )
    .bind(now.0)
    .bind(id)
    .execute(&mut *db)
    .await?;
    // Only the first one with an order key has a due time: those that wait for it are not overdue.
    sql::query(
        "UPDATE webhook_deliveries SET due_ms = NULL WHERE id IN (
             SELECT later.id FROM webhook_deliveries first JOIN webhook_deliveries later
                 ON later.webhook_id = first.webhook_id AND later.about = first.about AND later.status = 'waiting'
                     AND later.id > first.id
             WHERE first.id = ? AND first.status = 'waiting' AND later.due_ms IS NOT NULL)",
    )
    .bind(id)
    .execute(db)
    .await?;
    Ok(result.rows_affected() == 1)
}
