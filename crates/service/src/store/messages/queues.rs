//! State of the queues of messages, for metrics: messages that wait, whatever the size of the history.

use booking_store_engine::connection::Db;
use booking_store_engine::sql;

use super::deliveries::with_queued_webhooks;

/// Messages that are counted at most: a longer queue costs no more. Codes are counted apart.
pub const MAX_COUNTED: i64 = 1_000;

/// Messages of a channel that wait.
#[derive(Clone, Copy, Debug, PartialEq, Eq, sqlx::FromRow)]
pub struct Queue {
    /// Number of messages; see [`MAX_COUNTED`].
    pub waiting: i64,
    /// Time since which the oldest one is due.
    pub oldest_due_ms: Option<i64>,
}

/// Reads the queue of e-mail messages. Codes have an index of their own. An event is due until its messages are made.
pub const MAIL_QUEUE: &str = "SELECT
    (SELECT count(*) FROM (SELECT 1 FROM mail_messages
         WHERE status = 'waiting' AND kind <> 'verification_code' LIMIT ?1) AS messages)
    + (SELECT count(*) FROM (SELECT 1 FROM mail_messages
         WHERE status = 'waiting' AND kind = 'verification_code' LIMIT ?1) AS codes) AS waiting,
    (SELECT min(due_ms) FROM (
         SELECT min(due_ms) AS due_ms FROM mail_messages WHERE status = 'waiting' AND kind <> 'verification_code'
         UNION ALL SELECT min(due_ms) FROM mail_messages WHERE status = 'waiting' AND kind = 'verification_code'
         UNION ALL SELECT min(created_ms) FROM (
             SELECT created_ms FROM mail_events WHERE expanded = 0 ORDER BY id LIMIT 1) AS event) AS oldest) AS oldest_due_ms";

/// Reads the queue of webhook deliveries. Those of inactive webhooks are not due.
pub const WEBHOOK_QUEUE: &str = with_queued_webhooks!(
    "SELECT
    (SELECT count(*) FROM (SELECT 1 FROM webhook_deliveries WHERE status = 'waiting' LIMIT ?) AS deliveries) AS waiting,
    (SELECT min((SELECT min(d.due_ms) FROM webhook_deliveries d WHERE d.webhook_id = w.id AND d.status = 'waiting'))
     FROM queued JOIN webhooks w ON w.id = queued.webhook_id WHERE w.active = 1) AS oldest_due_ms"
);

/// Returns the queue of a statement.
pub async fn read(db: &mut Db, statement: &'static str) -> Result<Queue, sqlx::Error> {
    sql::query_as(statement)
        .bind(MAX_COUNTED)
        .fetch_one(db)
        .await
}
