//! Event types for writes: one document of wire fields, some of which are stored in columns.

use std::collections::HashMap;

use booking_store_engine::connection::Db;
use booking_store_engine::sql;
use booking_wire::{Instant, JsonMap};
use serde_json::Value;

use crate::error::{Error, Result};
use crate::input_limits::MAX_EVENT_TYPES_BYTES;

/// Owner of an event type.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Owner {
    /// A user.
    User(i64),
    /// A team.
    Team(i64),
}

impl Owner {
    fn columns(self) -> (Option<i64>, Option<i64>) {
        match self {
            Self::User(id) => (Some(id), None),
            Self::Team(id) => (None, Some(id)),
        }
    }
}

/// An event type to be stored.
#[derive(Clone, Debug)]
pub struct Record {
    /// Identifier; 0 before it is stored.
    pub id: i64,
    /// Owner.
    pub owner: Owner,
    /// Id of the managed event type that it is a child of.
    pub parent_id: Option<i64>,
    /// `roundRobin`, `collective` or `managed`; only of a team's event type.
    pub scheduling_type: Option<String>,
    /// True if all team members are hosts.
    pub assign_all: bool,
    /// Wire fields. Absent fields have their default.
    pub document: JsonMap,
}

impl Record {
    /// Returns true if it is a template of other event types.
    pub fn is_managed(&self) -> bool {
        self.scheduling_type.as_deref() == Some("managed")
    }

    /// Returns true if it is not in lists. Errors about changes do not reveal that it exists.
    pub fn is_hidden(&self) -> bool {
        self.document.get("hidden") == Some(&Value::Bool(true))
    }

    /// Returns the slug.
    pub fn slug(&self) -> &str {
        self.document
            .get("slug")
            .and_then(Value::as_str)
            .unwrap_or_default()
    }
}

/// A host of an event type.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HostAssignment {
    /// Id of the user.
    pub user_id: i64,
    /// True if the host takes part in every booking.
    pub fixed: bool,
    /// Round-robin priority.
    pub priority: String,
}

#[derive(sqlx::FromRow)]
struct Row {
    id: i64,
    owner_id: Option<i64>,
    team_id: Option<i64>,
    parent_id: Option<i64>,
    scheduling_type: Option<String>,
    assign_all: i64,
    slug: String,
    hidden: i64,
    schedule_id: Option<i64>,
    before_minutes: i64,
    after_minutes: i64,
    settings: String,
}

const COLUMNS: &str = "SELECT id, owner_id, team_id, parent_id, scheduling_type, assign_all, slug, \
     hidden, schedule_id, before_minutes, after_minutes, settings FROM event_types";

/// Returns the event type with this id.
pub async fn get(db: &mut Db, id: i64) -> Result<Option<Record>> {
    let row: Option<Row> = sql::query_as(format!("{COLUMNS} WHERE id = ?"))
        .bind(id)
        .fetch_optional(db)
        .await?;
    row.map(record).transpose()
}

/// Returns the event types with these ids, by id.
pub async fn with_ids(db: &mut Db, ids: &[i64]) -> Result<HashMap<i64, Record>> {
    let sql = format!("{COLUMNS} WHERE id IN (SELECT value FROM json_each(?))");
    let rows: Vec<Row> = sql::query_as(sql)
        .bind(Value::from(ids).to_string())
        .fetch_all(db)
        .await?;
    rows.into_iter()
        .map(|row| record(row).map(|record| (record.id, record)))
        .collect()
}

/// Lists the children of the managed event type `parent_id`.
pub async fn children(db: &mut Db, parent_id: i64) -> Result<Vec<Record>> {
    let rows: Vec<Row> = sql::query_as(format!("{COLUMNS} WHERE parent_id = ? ORDER BY id"))
        .bind(parent_id)
        .fetch_all(db)
        .await?;
    rows.into_iter().map(record).collect()
}

fn record(row: Row) -> Result<Record> {
    let mut document: JsonMap = serde_json::from_str(&row.settings)?;
    document.insert("slug".into(), row.slug.into());
    document.insert("hidden".into(), (row.hidden == 1).into());
    document.insert("beforeEventBuffer".into(), row.before_minutes.into());
    document.insert("afterEventBuffer".into(), row.after_minutes.into());
    if let Some(id) = row.schedule_id {
        document.insert("scheduleId".into(), id.into());
    }
    Ok(Record {
        id: row.id,
        owner: match (row.owner_id, row.team_id) {
            (Some(id), _) => Owner::User(id),
            (None, team_id) => Owner::Team(team_id.unwrap_or_default()),
        },
        parent_id: row.parent_id,
        scheduling_type: row.scheduling_type,
        assign_all: row.assign_all == 1,
        document,
    })
}

/// Columns and remaining settings of a document.
struct StoredColumns {
    slug: String,
    hidden: bool,
    schedule_id: Option<i64>,
    before: i64,
    after: i64,
    /// [`booking_rules::Policy::pending_blocks_time`].
    blocks_unconfirmed: bool,
    settings: String,
}

impl StoredColumns {
    fn of(document: &JsonMap) -> Self {
        let mut rest = document.clone();
        let mut take = |key: &str| rest.remove(key).unwrap_or_default();
        let (slug, hidden) = (take("slug"), take("hidden"));
        let [schedule_id, before, after] =
            ["scheduleId", "beforeEventBuffer", "afterEventBuffer"].map(|key| take(key).as_i64());
        let is_closed = rest.get("closed") == Some(&Value::Bool(true));
        let policy = rest.get("confirmationPolicy").unwrap_or(&Value::Null);
        Self {
            slug: slug.as_str().unwrap_or_default().to_owned(),
            hidden: is_closed || hidden == true,
            schedule_id,
            before: before.unwrap_or(0),
            after: after.unwrap_or(0),
            blocks_unconfirmed: policy["blockUnconfirmedBookingsInBooker"] == true,
            settings: Value::Object(rest).to_string(),
        }
    }
}

/// Stores a new event type and returns its id. Fails if the slug is in use (see
/// [`crate::store::is_duplicate`]).
pub async fn insert(db: &mut Db, now: Instant, record: &Record) -> Result<i64, sqlx::Error> {
    let columns = StoredColumns::of(&record.document);
    let (owner_id, team_id) = record.owner.columns();
    sql::query_scalar(
        "INSERT INTO event_types (owner_id, team_id, parent_id, scheduling_type, assign_all, slug, hidden,
             schedule_id, before_minutes, after_minutes, blocks_unconfirmed, settings, created_ms, updated_ms)
         VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?) RETURNING id",
    )
    .bind(owner_id)
    .bind(team_id)
    .bind(record.parent_id)
    .bind(&record.scheduling_type)
    .bind(i64::from(record.assign_all))
    .bind(columns.slug)
    .bind(i64::from(columns.hidden))
    .bind(columns.schedule_id)
    .bind(columns.before)
    .bind(columns.after)
    .bind(i64::from(columns.blocks_unconfirmed))
    .bind(columns.settings)
    .bind(now.0)
    .bind(now.0)
    .fetch_one(db)
    .await
}

/// Updates an event type.
pub async fn update(db: &mut Db, now: Instant, record: &Record) -> Result<(), sqlx::Error> {
    let columns = StoredColumns::of(&record.document);
    sql::query(
        "UPDATE event_types SET scheduling_type = ?, assign_all = ?, slug = ?, hidden = ?, schedule_id = ?,
             before_minutes = ?, after_minutes = ?, blocks_unconfirmed = ?, settings = ?, updated_ms = ?
         WHERE id = ?",
    )
    .bind(&record.scheduling_type)
    .bind(i64::from(record.assign_all))
    .bind(columns.slug)
    .bind(i64::from(columns.hidden))
    .bind(columns.schedule_id)
    .bind(columns.before)
    .bind(columns.after)
    .bind(i64::from(columns.blocks_unconfirmed))
    .bind(columns.settings)
    .bind(now.0)
    .bind(record.id)
    .execute(db)
    .await?;
    Ok(())
}

/// Rejects more event types of an owner than one list can contain.
pub async fn reject_too_many(db: &mut Db, owner: Owner) -> Result<()> {
    let (owner_id, team_id) = owner.columns();
    let bytes: i64 = sql::query_scalar(
        "SELECT CAST(coalesce(sum(octet_length(settings)), 0) AS BIGINT) FROM event_types WHERE owner_id = ? OR team_id = ?",
    )
    .bind(owner_id)
    .bind(team_id)
    .fetch_one(db)
    .await?;
    if usize::try_from(bytes).unwrap_or(usize::MAX) > MAX_EVENT_TYPES_BYTES {
        return Err(Error::BadRequest(format!(
            "the settings of all event types of one owner can have at most {} KiB",
            MAX_EVENT_TYPES_BYTES / 1024
        )));
    }
    Ok(())
}

/// Deletes an event type and its children. Their bookings stay, without an event type.
pub async fn delete(db: &mut Db, id: i64) -> Result<()> {
    sql::query("DELETE FROM event_types WHERE id = ?")
        .bind(id)
        .execute(db)
        .await?;
    Ok(())
}

/// Returns true if the owner has another event type with that slug.
pub async fn slug_is_taken(db: &mut Db, owner: Owner, slug: &str, except_id: i64) -> Result<bool> {
    let (owner_id, team_id) = owner.columns();
    let found: Option<i64> = sql::query_scalar(
        "SELECT id FROM event_types WHERE slug = ? AND id <> ? AND (owner_id = ? OR team_id = ?)",
    )
    .bind(slug)
    .bind(except_id)
    .bind(owner_id)
    .bind(team_id)
    .fetch_optional(db)
    .await?;
    Ok(found.is_some())
}

/// Lists the hosts of an event type.
pub async fn hosts(db: &mut Db, event_type_id: i64) -> Result<Vec<HostAssignment>> {
    let rows: Vec<(i64, i64, String)> = sql::query_as(
        "SELECT user_id, fixed, priority FROM event_type_hosts WHERE event_type_id = ? ORDER BY user_id",
    )
    .bind(event_type_id)
    .fetch_all(db)
    .await?;
    Ok(rows
        .into_iter()
        .map(|(user_id, fixed, priority)| HostAssignment {
            user_id,
            fixed: fixed == 1,
            priority,
        })
        .collect())
}

/// Replaces the hosts of an event type.
pub async fn set_hosts(db: &mut Db, event_type_id: i64, hosts: &[HostAssignment]) -> Result<()> {
    sql::query("DELETE FROM event_type_hosts WHERE event_type_id = ?")
        .bind(event_type_id)
        .execute(&mut *db)
        .await?;
    for host in hosts {
        sql::query(
            "INSERT INTO event_type_hosts (event_type_id, user_id, fixed, priority) VALUES (?, ?, ?, ?)",
        )
        .bind(event_type_id)
        .bind(host.user_id)
        .bind(i64::from(host.fixed))
        .bind(&host.priority)
        .execute(&mut *db)
        .await?;
    }
    Ok(())
}

/// Lists the ids of the accepted members of a team.
pub async fn members(db: &mut Db, team_id: i64) -> Result<Vec<i64>> {
    Ok(sql::query_scalar(
        "SELECT user_id FROM memberships WHERE team_id = ? AND accepted = 1 ORDER BY user_id",
    )
    .bind(team_id)
    .fetch_all(db)
    .await?)
}
