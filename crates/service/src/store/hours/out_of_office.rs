//! Out-of-office entries.

use booking_store_engine::connection::Db;
use booking_store_engine::sql::{self, QueryBuilder};
use booking_wire::schedule::{AbsenceReason, OutOfOffice};
use booking_wire::{Instant, Read, SortOrder};

use crate::error::Result;

/// Scope of a list of entries.
#[derive(Clone, Copy, Debug)]
pub enum OutOfOfficeScope {
    /// Entries of a user.
    User(i64),
    /// Entries of all members of an organisation.
    Organization(i64),
}

#[derive(sqlx::FromRow)]
struct Row {
    id: i64,
    uuid: String,
    user_id: i64,
    to_user_id: Option<i64>,
    start_ms: i64,
    end_ms: i64,
    notes: Option<String>,
    reason: String,
}

impl From<Row> for OutOfOffice {
    fn from(row: Row) -> Self {
        Self {
            id: row.id,
            uuid: row.uuid,
            user_id: row.user_id,
            to_user_id: row.to_user_id,
            start: Instant(row.start_ms),
            end: Instant(row.end_ms),
            notes: row.notes,
            reason: AbsenceReason::read(&row.reason.into()).unwrap_or_default(),
        }
    }
}

const COLUMNS: &str =
    "SELECT id, uuid, user_id, to_user_id, start_ms, end_ms, notes, reason FROM out_of_office";

/// Filter, sort order and page of a list of entries.
#[derive(Clone, Debug)]
pub struct ListQuery {
    /// Only entries of the user with this e-mail address.
    pub email: Option<String>,
    /// Sort order by start, which precedes `sort_end`; earliest first if neither is given.
    pub sort_start: Option<SortOrder>,
    /// Sort order by end.
    pub sort_end: Option<SortOrder>,
    /// Largest number of entries.
    pub take: i64,
    /// Number of entries to skip.
    pub skip: i64,
}

/// Lists entries.
pub async fn find(
    db: &mut Db,
    scope: OutOfOfficeScope,
    list: &ListQuery,
) -> Result<Vec<OutOfOffice>> {
    let mut query = QueryBuilder::new(db.database(), COLUMNS);
    match scope {
        OutOfOfficeScope::User(id) => query.push(" WHERE user_id = ").push_bind(id),
        OutOfOfficeScope::Organization(id) => query
            .push(" WHERE user_id IN (SELECT user_id FROM organization_members WHERE organization_id = ")
            .push_bind(id)
            .push(")"),
    };
    if let Some(email) = &list.email {
        query
            .push(" AND user_id IN (SELECT id FROM users WHERE lower(email) = ")
            .push_bind(email.to_lowercase())
            .push(")");
    }
    query.push(" ORDER BY ");
    for (column, order) in [("start_ms", list.sort_start), ("end_ms", list.sort_end)] {
        match order {
            Some(SortOrder::Asc) => query.push(column).push(", "),
            Some(SortOrder::Desc) => query.push(column).push(" DESC, "),
            None => continue,
        };
    }
    query.push("start_ms, id LIMIT ").push_bind(list.take);
    query.push(" OFFSET ").push_bind(list.skip);
    let rows: Vec<Row> = query.build_query_as().fetch_all(db).await?;
    Ok(rows.into_iter().map(OutOfOffice::from).collect())
}

/// Returns one entry.
pub async fn get(db: &mut Db, id: i64) -> Result<Option<OutOfOffice>> {
    let row: Option<Row> = sql::query_as(format!("{COLUMNS} WHERE id = ?"))
        .bind(id)
        .fetch_optional(db)
        .await?;
    Ok(row.map(OutOfOffice::from))
}

/// Returns the id of another entry of the same user that overlaps `entry`.
pub async fn overlapping(db: &mut Db, entry: &OutOfOffice) -> Result<Option<i64>> {
    Ok(sql::query_scalar(
        "SELECT id FROM out_of_office
         WHERE user_id = ? AND id <> ? AND start_ms < ? AND end_ms > ? ORDER BY start_ms LIMIT 1",
    )
    .bind(entry.user_id)
    .bind(entry.id)
    .bind(entry.end.0)
    .bind(entry.start.0)
    .fetch_optional(db)
    .await?)
}

/// Stores a new entry and returns its id.
pub async fn insert(db: &mut Db, now: Instant, entry: &OutOfOffice) -> Result<i64> {
    Ok(sql::query_scalar(
        "INSERT INTO out_of_office (uuid, user_id, to_user_id, start_ms, end_ms, notes, reason, created_ms)
         VALUES (?, ?, ?, ?, ?, ?, ?, ?) RETURNING id",
    )
    .bind(&entry.uuid)
    .bind(entry.user_id)
    .bind(entry.to_user_id)
    .bind(entry.start.0)
    .bind(entry.end.0)
    .bind(&entry.notes)
    .bind(entry.reason.as_str())
    .bind(now.0)
    .fetch_one(db)
    .await?)
}

/// Updates an entry.
pub async fn update(db: &mut Db, entry: &OutOfOffice) -> Result<()> {
    sql::query(
        "UPDATE out_of_office SET to_user_id = ?, start_ms = ?, end_ms = ?, notes = ?, reason = ? WHERE id = ?",
    )
    .bind(entry.to_user_id)
    .bind(entry.start.0)
    .bind(entry.end.0)
    .bind(&entry.notes)
    .bind(entry.reason.as_str())
    .bind(entry.id)
    .execute(db)
    .await?;
    Ok(())
}

/// Deletes an entry.
pub async fn delete(db: &mut Db, id: i64) -> Result<()> {
    sql::query("DELETE FROM out_of_office WHERE id = ?")
        .bind(id)
        .execute(db)
        .await?;
    Ok(())
}
