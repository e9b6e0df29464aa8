//! Webhook deliveries: one payload per event, one delivery per webhook.

use booking_store_engine::connection::Db;
use booking_store_engine::lease::Lease;
use booking_store_engine::sql::{self, QueryBuilder};
use booking_store_engine::statements::current_span;
use booking_wire::formats::instant::DAY_MS;
use booking_wire::{Instant, Trigger};

use crate::error::Result;
use crate::store::messages::claims::is_unclaimed;
use crate::store::old_rows::OldRows;

/// Webhooks per INSERT: the database limits bound values per statement.
const ROWS_PER_INSERT: usize = 500;

/// An event that webhooks are notified of.
#[derive(Clone, Copy, Debug)]
pub struct NewEvent<'a> {
    /// Name of the event.
    pub trigger: Trigger,
    /// Uid of the booking or absence.
    pub about: &'a str,
    /// Uid of the booking that this one replaces: its deliveries are sent first.
    pub follows: Option<&'a str>,
    /// JSON object.
    pub payload: &'a str,
    /// Time of the event.
    pub now: Instant,
}

/// Stores an event once and a delivery for each webhook: due at once, or without a due time while
/// an earlier delivery with its order key waits.
pub async fn insert(db: &mut Db, event: &NewEvent<'_>, webhook_ids: &[String]) -> Result<()> {
    let mut key = order_key(db, event.about).await?;
    if let (None, Some(earlier)) = (&key, event.follows) {
        key = order_key(db, earlier).await?;
    }
    let order_key = key.unwrap_or_else(|| event.about.to_owned());
    let event_id: i64 = sql::query_scalar(
        "INSERT INTO webhook_events (trigger_name, about, order_key, payload, created_ms, trace_parent)
         VALUES (?, ?, ?, ?, ?, ?) RETURNING id",
    )
    .bind(event.trigger.as_str())
    .bind(event.about)
    .bind(&order_key)
    .bind(event.payload)
    .bind(event.now.0)
    .bind(current_span())
    .fetch_one(&mut *db)
    .await?;
    for webhook_ids in webhook_ids.chunks(ROWS_PER_INSERT) {
        let mut query = QueryBuilder::new(db.database(),
            "INSERT INTO webhook_deliveries (webhook_id, organization_id, event_id, trigger_name, about, body,
                 content_type, created_ms, due_ms)
             SELECT w.id, coalesce(w.organization_id, t.organization_id, u.organization_id), ",
        );
        query.push_bind(event_id);
        query.push(", ").push_bind(event.trigger.as_str());
        query.push(", ").push_bind(&order_key);
        query.push(", '', '', ").push_bind(event.now.0);
        query
            .push(
                ", CASE WHEN EXISTS (SELECT 1 FROM webhook_deliveries e
                     WHERE e.webhook_id = w.id AND e.status = 'waiting' AND e.about = ",
            )
            .push_bind(&order_key);
        query.push(") THEN NULL ELSE ").push_bind(event.now.0);
        query.push(
            " END FROM webhooks w
             LEFT JOIN oauth_clients c ON c.id = w.oauth_client_id
             LEFT JOIN event_types t_e ON t_e.id = w.event_type_id
             LEFT JOIN teams t ON t.id = t_e.team_id
             LEFT JOIN users u ON u.id = coalesce(w.user_id, t_e.owner_id, c.owner_id)
             WHERE w.id IN (",
        );
        let mut list = query.separated(", ");
        for id in webhook_ids {
            list.push_bind(id);
        }
        query.push(")");
        query.build().execute(&mut *db).await?;
    }
    Ok(())
}

/// Returns the order key of the latest event about a booking that a delivery still needs. A booking
/// that replaces another one takes over its key, so that a chain of reschedules stays in order.
async fn order_key(db: &mut Db, about: &str) -> Result<Option<String>> {
    Ok(sql::query_scalar(
        "SELECT order_key FROM webhook_events WHERE about = ? ORDER BY id DESC LIMIT 1",
    )
    .bind(about)
    .fetch_optional(db)
    .await?)
}

/// Owner of a webhook that a concurrency limit applies to: the user or team of an event type, not
/// the event type.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum QueueOwner {
    /// A user.
    User(i64),
    /// A team.
    Team(i64),
    /// An organisation.
    Organization(i64),
    /// An OAuth client.
    OauthClient(String),
    /// Unknown owner.
    Unknown,
}

/// A webhook with due deliveries.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DueWebhook {
    /// Id.
    pub id: String,
    /// Shares its concurrency limit.
    pub owner: QueueOwner,
    /// Address of the receiver.
    pub subscriber_url: String,
}

/// Beginning of a statement: webhooks with waiting deliveries.
///
/// The recursion steps from webhook to webhook in the index of waiting deliveries. The cost
/// depends on the number of webhooks with waiting deliveries, not on the number of deliveries.
macro_rules! with_queued_webhooks {
    ($rest:literal) => {
        concat!(
            "WITH RECURSIVE queued (webhook_id) AS (
    SELECT min(webhook_id) FROM webhook_deliveries WHERE status = 'waiting'
    UNION ALL
    SELECT (SELECT min(d.webhook_id) FROM webhook_deliveries d
            WHERE d.status = 'waiting' AND d.webhook_id > queued.webhook_id)
    FROM queued WHERE queued.webhook_id IS NOT NULL
)
",
            $rest
        )
    };
}
pub(super) use with_queued_webhooks;

/// Finds the active webhooks that a waiting delivery is due for.
pub const DUE_WEBHOOKS: &str = with_queued_webhooks!(
    "SELECT w.id, w.subscriber_url, coalesce(w.user_id, e.owner_id) AS user_id, e.team_id, w.organization_id, w.oauth_client_id
FROM queued JOIN webhooks w ON w.id = queued.webhook_id LEFT JOIN event_types e ON e.id = w.event_type_id
WHERE w.active = 1 AND EXISTS (
    SELECT 1 FROM webhook_deliveries d WHERE d.webhook_id = w.id AND d.status = 'waiting' AND d.due_ms <= ?)"
);

/// Lists the active webhooks that a waiting delivery is due for.
pub async fn due_webhooks(db: &mut Db, now: Instant) -> Result<Vec<DueWebhook>> {
    #[derive(sqlx::FromRow)]
    struct Row {
        id: String,
        subscriber_url: String,
        user_id: Option<i64>,
        team_id: Option<i64>,
        organization_id: Option<i64>,
        oauth_client_id: Option<String>,
    }
    let rows: Vec<Row> = sql::query_as(DUE_WEBHOOKS)
        .bind(now.0)
        .fetch_all(db)
        .await?;
    let due_webhook = |row: Row| DueWebhook {
        owner: row
            .user_id
            .map(QueueOwner::User)
            .or(row.team_id.map(QueueOwner::Team))
            .or(row.organization_id.map(QueueOwner::Organization))
            .or(row.oauth_client_id.map(QueueOwner::OauthClient))
            .unwrap_or(QueueOwner::Unknown),
        id: row.id,
        subscriber_url: row.subscriber_url,
    };
    Ok(rows.into_iter().map(due_webhook).collect())
}

/// A due delivery with everything that an attempt needs.
#[derive(Clone, Debug, sqlx::FromRow)]
pub struct DueDelivery {
    /// Id.
    pub id: i64,
    /// The webhook.
    pub webhook_id: String,
    /// Name of the event.
    pub trigger_name: String,
    /// Time of the event.
    pub created_ms: i64,
    /// Time since which it is due.
    pub due_ms: i64,
    /// Attempts so far.
    pub attempts: i64,
    /// JSON object; none for a delivery with a finished body.
    pub payload: Option<String>,
    /// Finished body of a delivery made by an earlier version.
    pub body: String,
    /// Content type of the finished body.
    pub content_type: String,
    /// Address of the receiver.
    pub subscriber_url: String,
    /// Template of the body.
    pub payload_template: Option<String>,
    /// Sealed for the webhook.
    pub secret: Option<Vec<u8>>,
    /// Version of the payload.
    pub version: String,
    /// Span of the event ([`current_span`]).
    pub trace_parent: Option<String>,
}

/// Reads a webhook's oldest due delivery. Conditions are added before [`NEXT_ORDER`].
pub const NEXT_DUE: &str =
    "SELECT d.id, d.webhook_id, d.trigger_name, d.created_ms, d.due_ms, d.attempts, v.payload, d.body, d.content_type,
    w.subscriber_url, w.payload_template, w.secret, w.version,
    v.trace_parent
FROM webhook_deliveries d JOIN webhooks w ON w.id = d.webhook_id LEFT JOIN webhook_events v ON v.id = d.event_id
WHERE d.webhook_id = ? AND d.status = 'waiting' AND d.due_ms <= ? AND w.active = 1
    AND NOT EXISTS (
        SELECT 1 FROM webhook_deliveries e
        WHERE e.webhook_id = d.webhook_id AND e.about = d.about AND e.status = 'waiting' AND e.id < d.id)";

/// End of [`NEXT_DUE`].
pub const NEXT_ORDER: &str = " ORDER BY d.due_ms, d.id LIMIT 1";

/// Reads the oldest due delivery of a webhook that is not among `in_flight`, and that no other replica than that of `lease`
/// has claimed. Of the deliveries with one order key only the first is sent.
pub async fn next_due(
    db: &mut Db,
    webhook_id: &str,
    now: Instant,
    in_flight: &[i64],
    lease: &Lease,
) -> Result<Option<DueDelivery>> {
    let mut sql = NEXT_DUE.to_owned();
    for _ in in_flight {
        sql.push_str(" AND d.id <> ?");
    }
    sql.push_str(is_unclaimed(lease));
    sql.push_str(NEXT_ORDER);
    let mut query = sql::query_as(sql).bind(webhook_id).bind(now.0);
    for id in in_flight {
        query = query.bind(*id);
    }
    if let Some(replica_id) = lease.replica_id() {
        query = query.bind(replica_id);
    }
    Ok(query.fetch_optional(db).await?)
}

/// Outcome of an attempt.
#[derive(Clone, Debug)]
pub struct Attempt {
    /// The delivery.
    pub delivery_id: i64,
    /// Its webhook.
    pub webhook_id: String,
    /// Status of the response, if there was one.
    pub status: Option<u16>,
    /// State of the delivery afterwards.
    pub outcome: Outcome,
    /// End of the attempt.
    pub at: Instant,
}

/// State of a delivery after an attempt.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// Delivered, possibly with a difference from the webhook's settings.
    Delivered {
        /// Difference from the webhook's settings.
        note: Option<String>,
    },
    /// Waits for another attempt.
    Retry {
        /// Cause of the failure.
        problem: String,
        /// Time of the next attempt.
        due: Instant,
    },
    /// Failed, without another attempt.
    GivenUp {
        /// Cause of the failure.
        problem: String,
    },
}

/// Stores the outcome of an attempt. A delivered message keeps no payload. The next delivery with
/// the order key of a settled one becomes due. Returns false if it does not wait any more.
pub async fn settle(db: &mut Db, attempt: &Attempt) -> Result<bool> {
    let (status, problem, due, settled) = match &attempt.outcome {
        Outcome::Delivered { note } => ("delivered", note.as_ref(), None, Some(attempt.at.0)),
        Outcome::Retry { problem, due } => ("waiting", Some(problem), Some(due.0), None),
        Outcome::GivenUp { problem } => ("failed", Some(problem), None, Some(attempt.at.0)),
    };
    let delivered = i64::from(status == "delivered");
    let result = sql::query(
        "UPDATE webhook_deliveries SET attempts = attempts + 1, status = ?, due_ms = ?, last_status = ?,
             last_problem = ?, settled_ms = ?, claimed_by = NULL, body = CASE ? WHEN 1 THEN '' ELSE body END,
             event_id = CASE ? WHEN 1 THEN NULL ELSE event_id END
         WHERE id = ? AND status = 'waiting'",
    )
    .bind(status)
    .bind(due)
    .bind(attempt.status.map(i64::from))
    .bind(problem)
    .bind(settled)
    .bind(delivered)
    .bind(delivered)
    .bind(attempt.delivery_id)
    .execute(&mut *db)
    .await?;
    if settled.is_some() {
        sql::query(
            "UPDATE webhook_deliveries SET due_ms = ? WHERE due_ms IS NULL AND id = (
                 SELECT next.id FROM webhook_deliveries done JOIN webhook_deliveries next
                     ON next.webhook_id = done.webhook_id AND next.about = done.about AND next.status = 'waiting'
                 WHERE done.id = ? ORDER BY next.id LIMIT 1)",
        )
        .bind(attempt.at.0)
        .bind(attempt.delivery_id)
        .execute(db)
        .await?;
    }
    Ok(result.rows_affected() == 1)
}

/// Makes waiting deliveries due that lack a due time without an earlier one to wait for.
pub async fn release_stuck(db: &mut Db, now: Instant) -> Result<u64> {
    let result = sql::query(
        "UPDATE webhook_deliveries SET due_ms = ? WHERE status = 'waiting' AND due_ms IS NULL AND NOT EXISTS (
             SELECT 1 FROM webhook_deliveries e
             WHERE e.webhook_id = webhook_deliveries.webhook_id AND e.about = webhook_deliveries.about
                 AND e.status = 'waiting' AND e.id < webhook_deliveries.id)",
    )
    .bind(now.0)
    .execute(db)
    .await?;
    Ok(result.rows_affected())
}

/// Lists the ids of the active webhooks that more than `limit` deliveries wait for.
pub async fn overfull_webhooks(db: &mut Db, limit: i64) -> Result<Vec<String>> {
    Ok(sql::query_scalar(
        "SELECT w.id FROM webhooks w JOIN (
             SELECT webhook_id FROM webhook_deliveries WHERE status = 'waiting'
             GROUP BY webhook_id HAVING count(*) > ?) backlog ON backlog.webhook_id = w.id
         WHERE w.active = 1",
    )
    .bind(limit)
    .fetch_all(db)
    .await?)
}

/// Age at which settled messages are deleted, in milliseconds. Payloads are deleted with the last message of their event.
pub const RETENTION_MS: i64 = 7 * DAY_MS;

/// Waiting messages of webhooks that are switched off: there can be many.
pub fn dropped() -> OldRows {
    OldRows {
        table: "webhook_deliveries",
        key: "id",
        condition: "status = 'waiting' AND created_ms <= ?1
                AND webhook_id IN (SELECT id FROM webhooks WHERE active = 0)"
            .to_owned(),
        order: "webhook_id",
    }
}

/// Messages that were delivered or given up long ago.
pub fn settled() -> OldRows {
    OldRows {
        table: "webhook_deliveries",
        key: "id",
        condition: format!("status <> 'waiting' AND settled_ms < ?1 - {RETENTION_MS}"),
        order: "settled_ms",
    }
}
