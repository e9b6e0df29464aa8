//! The outbox: what is still to be told, and what could not be.

use booking_wire::{Instant, Trigger};
use sqlx::QueryBuilder;

use super::Db;
use crate::error::Result;

/// Something to be told.
#[derive(Clone, Copy, Debug)]
pub struct NewDelivery<'a> {
    /// To whom.
    pub webhook_id: &'a str,
    /// What happened.
    pub trigger: Trigger,
    /// The uid of what it happened to.
    pub about: &'a str,
    /// As it is sent.
    pub body: &'a str,
    /// Of the body.
    pub content_type: &'a str,
    /// When it happened.
    pub now: Instant,
}

/// Puts something into the outbox, to be sent at once.
pub async fn insert(db: &mut Db, delivery: &NewDelivery<'_>) -> Result<()> {
    sqlx::query(
        "INSERT INTO webhook_deliveries (webhook_id, trigger_name, about, body, content_type, created_ms, due_ms)
         VALUES (?, ?, ?, ?, ?, ?, ?)",
    )
    .bind(delivery.webhook_id)
    .bind(delivery.trigger.as_str())
    .bind(delivery.about)
    .bind(delivery.body)
    .bind(delivery.content_type)
    .bind(delivery.now.0)
    .bind(delivery.now.0)
    .execute(db)
    .await?;
    Ok(())
}

/// Forgets what waits to be told to a webhook.
pub async fn drop_waiting(db: &mut Db, webhook_id: &str) -> Result<()> {
    sqlx::query("DELETE FROM webhook_deliveries WHERE webhook_id = ? AND status = 'waiting'")
        .bind(webhook_id)
        .execute(db)
        .await?;
    Ok(())
}

/// A message that is due.
#[derive(Clone, Debug, sqlx::FromRow)]
pub struct Due {
    /// Its number in the outbox.
    pub id: i64,
    /// To whom.
    pub webhook_id: String,
    /// As it is sent.
    pub body: String,
    /// Of the body.
    pub content_type: String,
    /// How often it was tried.
    pub attempts: i64,
    /// Where to.
    pub subscriber_url: String,
    /// Signs it, sealed for the webhook.
    pub secret: Option<Vec<u8>>,
    /// The form of the payload.
    pub version: String,
}

/// At most `limit` messages that are due, those that wait longest first, without those in `taken`
/// and those to the webhooks in `busy`. Of the messages about one thing to one webhook only the
/// first is due, so that they arrive in order.
pub async fn due(
    db: &mut Db,
    now: Instant,
    taken: &[i64],
    busy: &[&str],
    limit: usize,
) -> Result<Vec<Due>> {
    let mut query = QueryBuilder::new(
        "SELECT d.id, d.webhook_id, d.body, d.content_type, d.attempts, w.subscriber_url, w.secret, w.version
         FROM webhook_deliveries d JOIN webhooks w ON w.id = d.webhook_id
         WHERE d.status = 'waiting' AND w.active = 1 AND d.due_ms <= ",
    );
    query.push_bind(now.0);
    query.push(
        " AND NOT EXISTS (SELECT 1 FROM webhook_deliveries e WHERE e.webhook_id = d.webhook_id AND e.about = d.about
             AND e.status = 'waiting' AND e.id < d.id) AND d.id NOT IN (",
    );
    let mut list = query.separated(", ");
    for id in taken {
        list.push_bind(*id);
    }
    query.push(") AND d.webhook_id NOT IN (");
    let mut list = query.separated(", ");
    for id in busy {
        list.push_bind((*id).to_owned());
    }
    query
        .push(") ORDER BY d.due_ms, d.id LIMIT ")
        .push_bind(i64::try_from(limit).unwrap_or(i64::MAX));
    Ok(query.build_query_as().fetch_all(db).await?)
}

/// What came of an attempt.
#[derive(Clone, Debug)]
pub struct Attempt {
    /// Which message.
    pub delivery_id: i64,
    /// The answer's status, if there was one.
    pub status: Option<u16>,
    /// Why it was no success.
    pub problem: Option<String>,
    /// When to try again; none if it succeeded or is given up.
    pub again: Option<Instant>,
    /// When it was over.
    pub at: Instant,
}

/// Notes what came of an attempt. What was delivered is forgotten but for the fact.
pub async fn settle(db: &mut Db, attempt: &Attempt) -> Result<()> {
    let (status, settled) = match (&attempt.problem, attempt.again) {
        (None, _) => ("delivered", Some(attempt.at.0)),
        (Some(_), None) => ("failed", Some(attempt.at.0)),
        (Some(_), Some(_)) => ("waiting", None),
    };
    sqlx::query(
        "UPDATE webhook_deliveries SET attempts = attempts + 1, status = ?1, due_ms = ?2, last_status = ?3,
             last_problem = ?4, settled_ms = ?5, body = CASE ?1 WHEN 'delivered' THEN '' ELSE body END
         WHERE id = ?6 AND status = 'waiting'",
    )
    .bind(status)
    .bind(attempt.again.map(|again| again.0))
    .bind(attempt.status.map(i64::from))
    .bind(&attempt.problem)
    .bind(settled)
    .bind(attempt.delivery_id)
    .execute(db)
    .await?;
    Ok(())
}

/// Forgets what was delivered or given up before those moments.
pub async fn sweep(db: &mut Db, delivered_before: Instant, failed_before: Instant) -> Result<u64> {
    let swept = sqlx::query(
        "DELETE FROM webhook_deliveries
         WHERE status = 'delivered' AND settled_ms < ? OR status = 'failed' AND settled_ms < ?",
    )
    .bind(delivered_before.0)
    .bind(failed_before.0)
    .execute(db)
    .await?;
    Ok(swept.rows_affected())
}

/// A message as whoever runs the service sees it: nothing of what it says.
#[derive(Clone, Debug, sqlx::FromRow)]
pub struct Listed {
    /// Its number in the outbox.
    pub id: i64,
    /// To whom.
    pub webhook_id: String,
    /// What happened.
    pub trigger_name: String,
    /// `waiting` or `failed`.
    pub status: String,
    /// How often it was tried.
    pub attempts: i64,
    /// When it happened.
    pub created_ms: i64,
    /// When it is tried again.
    pub due_ms: Option<i64>,
    /// Status of the last answer.
    pub last_status: Option<i64>,
    /// Why the last attempt was no success.
    pub last_problem: Option<String>,
}

/// What waits and, or only, what was given up; oldest first.
pub async fn list(db: &mut Db, failed_only: bool) -> Result<Vec<Listed>> {
    let narrowed = if failed_only {
        "status = 'failed'"
    } else {
        "status IN ('waiting', 'failed')"
    };
    let sql = format!(
        "SELECT id, webhook_id, trigger_name, status, attempts, created_ms, due_ms, last_status, last_problem
         FROM webhook_deliveries WHERE {narrowed} ORDER BY id"
    );
    Ok(sqlx::query_as(&sql).fetch_all(db).await?)
}

/// Makes a message due at once, with all of its attempts. False if nothing of that number waits
/// or was given up.
pub async fn retry(db: &mut Db, id: i64, now: Instant) -> Result<bool> {
    let done = sqlx::query(
        "UPDATE webhook_deliveries SET status = 'waiting', due_ms = ?, attempts = 0, settled_ms = NULL
         WHERE id = ? AND status IN ('waiting', 'failed')",
    )
    .bind(now.0)
    .bind(id)
    .execute(db)
    .await?;
    Ok(done.rows_affected() == 1)
}
