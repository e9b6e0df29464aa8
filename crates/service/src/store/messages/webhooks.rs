//! Webhooks: subscriptions, those that an event concerns, their failures, and data for payloads.

use booking_store_engine::connection::Db;
use booking_store_engine::sql::{self, QueryBuilder};
use booking_wire::{Attendee, Host, Instant, Read, Trigger, Webhook};
use serde_json::{Value, json};

use crate::error::Result;
use crate::input_limits::MAX_LIST_ENTRIES;
use crate::store::rows;
use crate::store::user_filter::UserFilter;

/// Owner of a webhook.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum WebhookOwner {
    /// A user.
    User(i64),
    /// An event type.
    EventType(i64),
    /// An organisation.
    Organization(i64),
    /// An OAuth client.
    OauthClient(String),
}

impl WebhookOwner {
    /// Adds the condition that the webhook has this owner.
    fn push_condition(&self, query: &mut QueryBuilder<'_>) {
        match self {
            Self::User(id) => query.push("user_id = ").push_bind(*id),
            Self::EventType(id) => query.push("event_type_id = ").push_bind(*id),
            Self::Organization(id) => query.push("organization_id = ").push_bind(*id),
            Self::OauthClient(id) => query.push("oauth_client_id = ").push_bind(id.clone()),
        };
    }
}

/// A stored webhook.
#[derive(Clone, Debug)]
pub struct StoredWebhook {
    /// The webhook without its secret.
    pub webhook: Webhook,
    /// Secret, sealed for the webhook's id.
    pub sealed: Option<Vec<u8>>,
}

#[derive(sqlx::FromRow)]
struct Row {
    id: String,
    user_id: Option<i64>,
    event_type_id: Option<i64>,
    organization_id: Option<i64>,
    oauth_client_id: Option<String>,
    subscriber_url: String,
    triggers: String,
    active: i64,
    payload_template: Option<String>,
    secret: Option<Vec<u8>>,
    version: String,
    last_problem: Option<String>,
}

const COLUMNS: &str =
    "SELECT id, user_id, event_type_id, organization_id, oauth_client_id, subscriber_url, triggers,
     active, payload_template, secret, version, last_problem FROM webhooks WHERE ";

/// Lists an owner's webhooks, oldest first.
pub async fn list(
    db: &mut Db,
    owner: &WebhookOwner,
    take: i64,
    skip: i64,
) -> Result<Vec<StoredWebhook>> {
    let mut query = QueryBuilder::new(db.database(), COLUMNS);
    owner.push_condition(&mut query);
    query
        .push(" ORDER BY created_ms, id LIMIT ")
        .push_bind(take);
    query.push(" OFFSET ").push_bind(skip);
    let rows: Vec<Row> = query.build_query_as().fetch_all(db).await?;
    rows.into_iter().map(stored_webhook).collect()
}

/// Returns the owner's webhook with that id.
pub async fn get(db: &mut Db, owner: &WebhookOwner, id: &str) -> Result<Option<StoredWebhook>> {
    let mut query = QueryBuilder::new(db.database(), COLUMNS);
    owner.push_condition(&mut query);
    query.push(" AND id = ").push_bind(id.to_owned());
    let row: Option<Row> = query.build_query_as().fetch_optional(db).await?;
    row.map(stored_webhook).transpose()
}

/// Returns the user's or event type's webhook with that id.
pub async fn by_id(db: &mut Db, id: &str) -> Result<Option<StoredWebhook>> {
    let mut query = QueryBuilder::new(db.database(), COLUMNS);
    query.push("(user_id IS NOT NULL OR event_type_id IS NOT NULL) AND id = ");
    query.push_bind(id.to_owned());
    let row: Option<Row> = query.build_query_as().fetch_optional(db).await?;
    row.map(stored_webhook).transpose()
}

/// Lists the webhooks of users and of their event types, oldest first.
pub async fn of_users(db: &mut Db, users: &UserFilter) -> Result<Vec<StoredWebhook>> {
    let mut query = QueryBuilder::new(db.database(), COLUMNS);
    query.push("((user_id IS NOT NULL AND ");
    users.push_user_condition(&mut query, "user_id");
    query.push(") OR event_type_id IN (SELECT id FROM event_types WHERE ");
    users.push_user_condition(&mut query, "owner_id");
    query.push(")) ORDER BY created_ms, id");
    let rows: Vec<Row> = rows::unpaged(db, query, MAX_LIST_ENTRIES).await?;
    rows.into_iter().map(stored_webhook).collect()
}

/// Counts the webhooks of an owner.
pub async fn count(db: &mut Db, owner: &WebhookOwner) -> Result<i64> {
    let mut query = QueryBuilder::new(db.database(), "SELECT count(*) FROM webhooks WHERE ");
    owner.push_condition(&mut query);
    Ok(query.build_query_scalar().fetch_one(db).await?)
}

/// Stores a new webhook. Fails if the owner has one with the same address (see
/// [`crate::store::is_duplicate`]).
pub async fn insert(db: &mut Db, stored: &StoredWebhook, now: Instant) -> Result<(), sqlx::Error> {
    let webhook = &stored.webhook;
    sql::query(
        "INSERT INTO webhooks (id, user_id, event_type_id, organization_id, oauth_client_id, subscriber_url, triggers,
             active, payload_template, secret, version, created_ms)
         VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
    )
    .bind(&webhook.id)
    .bind(webhook.user_id)
    .bind(webhook.event_type_id)
    .bind(webhook.organization_id)
    .bind(&webhook.oauth_client_id)
    .bind(&webhook.subscriber_url)
    .bind(json!(webhook.triggers).to_string())
    .bind(i64::from(webhook.active))
    .bind(&webhook.payload_template)
    .bind(&stored.sealed)
    .bind(&webhook.version)
    .bind(now.0)
    .execute(db)
    .await?;
    Ok(())
}

/// Updates a webhook.
pub async fn update(db: &mut Db, stored: &StoredWebhook) -> Result<(), sqlx::Error> {
    let webhook = &stored.webhook;
    sql::query(
        "UPDATE webhooks SET subscriber_url = ?, triggers = ?, active = ?, payload_template = ?, secret = ?, version = ?
         WHERE id = ?",
    )
    .bind(&webhook.subscriber_url)
    .bind(json!(webhook.triggers).to_string())
    .bind(i64::from(webhook.active))
    .bind(&webhook.payload_template)
    .bind(&stored.sealed)
    .bind(&webhook.version)
    .bind(&webhook.id)
    .execute(db)
    .await?;
    Ok(())
}

/// Deletes a webhook and its deliveries.
pub async fn delete(db: &mut Db, id: &str) -> Result<()> {
    sql::query("DELETE FROM webhooks WHERE id = ?")
        .bind(id)
        .execute(db)
        .await?;
    Ok(())
}

/// Deletes all webhooks of an owner and returns their number.
pub async fn delete_all(db: &mut Db, owner: &WebhookOwner) -> Result<u64> {
    let mut query = QueryBuilder::new(db.database(), "DELETE FROM webhooks WHERE ");
    owner.push_condition(&mut query);
    Ok(query.build().execute(db).await?.rows_affected())
}

fn stored_webhook(row: Row) -> Result<StoredWebhook> {
    let triggers: Value = serde_json::from_str(&row.triggers)?;
    Ok(StoredWebhook {
        webhook: Webhook {
            id: row.id,
            user_id: row.user_id,
            event_type_id: row.event_type_id,
            organization_id: row.organization_id,
            team_id: row.organization_id,
            oauth_client_id: row.oauth_client_id,
            subscriber_url: row.subscriber_url,
            triggers: Vec::read(&triggers).unwrap_or_default(),
            active: row.active == 1,
            payload_template: row.payload_template,
            secret: None,
            version: row.version,
            last_problem: row.last_problem,
        },
        sealed: row.secret,
    })
}

/// Resets the failures of a webhook after a delivery. `note`: difference from the webhook's
/// settings.
pub async fn record_delivery(db: &mut Db, id: &str, note: Option<&str>) -> Result<()> {
    sql::query(
        "UPDATE webhooks SET given_up = 0, failing_since_ms = NULL, last_problem = ?1
         WHERE id = ?2 AND active = 1 AND (given_up > 0 OR last_problem IS DISTINCT FROM ?1)",
    )
    .bind(note)
    .bind(id)
    .execute(db)
    .await?;
    Ok(())
}

/// Records why an attempt failed that is followed by another one.
pub async fn record_problem(db: &mut Db, id: &str, problem: &str) -> Result<()> {
    sql::query(
        "UPDATE webhooks SET last_problem = ?1
         WHERE id = ?2 AND active = 1 AND last_problem IS DISTINCT FROM ?1",
    )
    .bind(problem)
    .bind(id)
    .execute(db)
    .await?;
    Ok(())
}

/// Consecutive failed deliveries.
#[derive(Clone, Copy, Debug, PartialEq, Eq, sqlx::FromRow)]
pub struct Failures {
    /// Number of failures.
    pub given_up: i64,
    /// Time of the first failure, in epoch milliseconds.
    pub failing_since_ms: i64,
}

/// Counts a failed delivery. Returns none if the webhook was deleted or is not active.
pub async fn record_failure(
    db: &mut Db,
    id: &str,
    problem: &str,
    at: Instant,
) -> Result<Option<Failures>> {
    Ok(sql::query_as(
        "UPDATE webhooks SET given_up = given_up + 1, failing_since_ms = coalesce(failing_since_ms, ?), last_problem = ?
         WHERE id = ? AND active = 1 RETURNING given_up, failing_since_ms",
    )
    .bind(at.0)
    .bind(problem)
    .bind(id)
    .fetch_optional(db)
    .await?)
}

/// Deactivates a webhook because of `problem`.
pub async fn deactivate(db: &mut Db, id: &str, problem: &str) -> Result<()> {
    sql::query("UPDATE webhooks SET active = 0, last_problem = ? WHERE id = ?")
        .bind(problem)
        .bind(id)
        .execute(db)
        .await?;
    Ok(())
}

/// Resets the failures of a webhook.
pub async fn reset_failures(db: &mut Db, id: &str) -> Result<()> {
    sql::query(
        "UPDATE webhooks SET given_up = 0, failing_since_ms = NULL, last_problem = NULL WHERE id = ?",
    )
    .bind(id)
    .execute(db)
    .await?;
    Ok(())
}

/// Returns the `LIKE` pattern of a trigger in the JSON array of a webhook's triggers.
pub(crate) fn pattern(trigger: Trigger) -> String {
    // An underscore matches any character, but no two names differ only there.
    format!("%\"{}\"%", trigger.as_str())
}

/// Lists the ids of the webhooks that are notified of a booking: webhooks of its hosts (while it
/// waits for a host, of its possible hosts), of its event type and the managed parent, of their
/// organisation and OAuth client.
pub async fn subscribers_to_booking(
    db: &mut Db,
    trigger: Trigger,
    booking_id: i64,
) -> Result<Vec<String>> {
    // Each kind of owner has an index; a condition with OR would read all webhooks.
    Ok(sql::query_scalar(
        "SELECT w.id FROM webhooks w
         WHERE w.active = 1 AND w.triggers LIKE ?2 AND w.id IN (
             SELECT o.id FROM booking_hosts h JOIN webhooks o ON o.user_id = h.user_id WHERE h.booking_id = ?1
             UNION SELECT o.id FROM bookings b JOIN event_type_hosts p ON p.event_type_id = b.event_type_id
             JOIN webhooks o ON o.user_id = p.user_id WHERE b.id = ?1 AND b.status = 'awaiting_host'
             UNION SELECT o.id FROM bookings b JOIN webhooks o ON o.event_type_id = b.event_type_id WHERE b.id = ?1
             UNION SELECT o.id FROM bookings b JOIN event_types e ON e.id = b.event_type_id
             JOIN webhooks o ON o.event_type_id = e.parent_id WHERE b.id = ?1
             UNION SELECT o.id FROM booking_hosts h JOIN users u ON u.id = h.user_id
             JOIN webhooks o ON o.organization_id = u.organization_id WHERE h.booking_id = ?1
             UNION SELECT o.id FROM bookings b JOIN teams t ON t.id = b.team_id
             JOIN webhooks o ON o.organization_id = t.organization_id WHERE b.id = ?1
             UNION SELECT o.id FROM booking_hosts h JOIN users u ON u.id = h.user_id
             JOIN webhooks o ON o.oauth_client_id = u.oauth_client_id WHERE h.booking_id = ?1)
         ORDER BY w.created_ms, w.id",
    )
    .bind(booking_id)
    .bind(pattern(trigger))
    .fetch_all(db)
    .await?)
}

/// Lists the ids of the webhooks that are notified of an absence: webhooks of the absent user, of
/// their organisation and OAuth client.
pub async fn subscribers_to_absence(db: &mut Db, ooo_id: i64) -> Result<Vec<String>> {
    Ok(sql::query_scalar(
        "SELECT w.id FROM out_of_office o JOIN users u ON u.id = o.user_id
         JOIN webhooks w ON w.user_id = u.id OR w.organization_id = u.organization_id
             OR w.oauth_client_id = u.oauth_client_id
         WHERE o.id = ? AND w.active = 1 AND w.triggers LIKE ?
         ORDER BY w.created_ms, w.id",
    )
    .bind(ooo_id)
    .bind(pattern(Trigger::OooCreated))
    .fetch_all(db)
    .await?)
}

/// An out-of-office entry for payloads.
#[derive(Clone, Debug)]
pub struct Absence {
    /// Public identifier.
    pub uuid: String,
    /// Start.
    pub start: Instant,
    /// End.
    pub end: Instant,
    /// Creation.
    pub created: Instant,
    /// Notes, free text.
    pub notes: Option<String>,
    /// Reason as on the wire.
    pub reason: String,
    /// The absent user.
    pub user: Host,
    /// The substitute.
    pub to_user: Option<Host>,
}

/// Returns an absence.
pub async fn absence(db: &mut Db, ooo_id: i64) -> Result<Option<Absence>> {
    #[derive(sqlx::FromRow)]
    struct Row {
        uuid: String,
        start_ms: i64,
        end_ms: i64,
        created_ms: i64,
        notes: Option<String>,
        reason: String,
        user_id: i64,
        to_user_id: Option<i64>,
    }
    let row: Option<Row> = sql::query_as(
        "SELECT uuid, start_ms, end_ms, created_ms, notes, reason, user_id, to_user_id
         FROM out_of_office WHERE id = ?",
    )
    .bind(ooo_id)
    .fetch_optional(&mut *db)
    .await?;
    let Some(row) = row else { return Ok(None) };
    let Some(user) = host(db, row.user_id).await? else {
        return Ok(None);
    };
    let to_user = match row.to_user_id {
        Some(id) => host(db, id).await?,
        None => None,
    };
    Ok(Some(Absence {
        uuid: row.uuid,
        start: Instant(row.start_ms),
        end: Instant(row.end_ms),
        created: Instant(row.created_ms),
        notes: row.notes,
        reason: row.reason,
        user,
        to_user,
    }))
}

async fn host(db: &mut Db, user_id: i64) -> Result<Option<Host>> {
    let row: Option<(i64, Option<String>, String, String, String)> =
        sql::query_as("SELECT id, name, email, username, time_zone FROM users WHERE id = ?")
            .bind(user_id)
            .fetch_optional(db)
            .await?;
    Ok(row.map(|(id, name, email, username, time_zone)| Host {
        id: id.to_string(),
        name: name.unwrap_or_default(),
        display_email: email.clone(),
        email,
        username,
        time_zone,
    }))
}

/// A host's settings that payloads show.
#[derive(Clone, Debug, sqlx::FromRow)]
pub struct HostSettings {
    /// Id of the user.
    pub id: i64,
    /// Language code.
    pub locale: Option<String>,
    /// Hours of the clock, 12 or 24.
    pub time_format: i64,
}

/// Lists the settings of a booking's hosts.
pub async fn host_settings(db: &mut Db, booking_id: i64) -> Result<Vec<HostSettings>> {
    Ok(sql::query_as(
        "SELECT u.id, u.locale, u.time_format FROM booking_hosts h JOIN users u ON u.id = h.user_id
         WHERE h.booking_id = ? ORDER BY u.id",
    )
    .bind(booking_id)
    .fetch_all(db)
    .await?)
}

/// Returns the organisation of a booking: that of its team, else that of its first host.
pub async fn organization(db: &mut Db, booking_id: i64) -> Result<Option<i64>> {
    let found: Option<Option<i64>> = sql::query_scalar(
        "SELECT coalesce(t.organization_id,
             (SELECT u.organization_id FROM booking_hosts h JOIN users u ON u.id = h.user_id
              WHERE h.booking_id = b.id ORDER BY u.id LIMIT 1))
         FROM bookings b LEFT JOIN teams t ON t.id = b.team_id WHERE b.id = ?",
    )
    .bind(booking_id)
    .fetch_optional(db)
    .await?;
    Ok(found.flatten())
}

/// Lists the guests of a booking as attendees.
pub async fn guests(db: &mut Db, booking_id: i64) -> Result<Vec<Attendee>> {
    type Row = (String, String, Option<String>, String, Option<String>);
    let rows: Vec<Row> = sql::query_as(
        "SELECT name, email, phone_number, time_zone, language FROM attendees
         WHERE booking_id = ? AND guest = 1 ORDER BY id",
    )
    .bind(booking_id)
    .fetch_all(db)
    .await?;
    let guest = |(name, email, phone_number, time_zone, language): Row| Attendee {
        name,
        display_email: email.clone(),
        email,
        phone_number,
        time_zone,
        language,
        ..Attendee::default()
    };
    Ok(rows.into_iter().map(guest).collect())
}

/// Returns the video call of a booking.
pub async fn video_call(db: &mut Db, booking_id: i64) -> Result<Option<Value>> {
    #[derive(sqlx::FromRow)]
    struct Row {
        r#type: String,
        uid: String,
        meeting_id: Option<String>,
        meeting_password: Option<String>,
        meeting_url: String,
    }
    let row: Option<Row> = sql::query_as(
        "SELECT type, uid, meeting_id, meeting_password, meeting_url FROM booking_references
         WHERE booking_id = ? AND deleted = 0 AND meeting_url IS NOT NULL ORDER BY id LIMIT 1",
    )
    .bind(booking_id)
    .fetch_optional(db)
    .await?;
    Ok(row.map(|row| {
        json!({
            "type": row.r#type,
            "id": row.meeting_id.unwrap_or(row.uid),
            "url": row.meeting_url,
            "password": row.meeting_password,
        })
    }))
}
