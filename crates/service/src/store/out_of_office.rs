//! Times in which people do not work.

use booking_wire::schedule::{AbsenceReason, OutOfOffice};
use booking_wire::{Instant, Read};
use sqlx::QueryBuilder;

use super::Db;
use crate::error::Result;

/// Whose entries are wanted.
#[derive(Clone, Copy, Debug)]
pub enum Whose {
    /// One person's.
    User(i64),
    /// Of everybody in an organisation.
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

/// Reads entries, earliest start first.
pub async fn find(db: &mut Db, whose: Whose, take: i64, skip: i64) -> Result<Vec<OutOfOffice>> {
    let mut query = QueryBuilder::new(COLUMNS);
    match whose {
        Whose::User(id) => query.push(" WHERE user_id = ").push_bind(id),
        Whose::Organization(id) => query
            .push(" WHERE user_id IN (SELECT user_id FROM organization_members WHERE organization_id = ")
            .push_bind(id)
            .push(")"),
    };
    query.push(" ORDER BY start_ms, id LIMIT ").push_bind(take);
    query.push(" OFFSET ").push_bind(skip);
    let rows: Vec<Row> = query.build_query_as().fetch_all(db).await?;
    Ok(rows.into_iter().map(OutOfOffice::from).collect())
}

/// Reads one entry.
pub async fn get(db: &mut Db, id: i64) -> Result<Option<OutOfOffice>> {
    let row: Option<Row> = sqlx::query_as(&format!("{COLUMNS} WHERE id = ?"))
        .bind(id)
        .fetch_optional(db)
        .await?;
    Ok(row.map(OutOfOffice::from))
}

/// An entry of the same person, other than itself, that overlaps `entry`.
pub async fn overlapping(db: &mut Db, entry: &OutOfOffice) -> Result<Option<i64>> {
    Ok(sqlx::query_scalar(
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

/// Stores a new entry and tells its id.
pub async fn insert(db: &mut Db, now: Instant, entry: &OutOfOffice) -> Result<i64> {
    Ok(sqlx::query_scalar(
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

/// Stores what an entry has become.
pub async fn update(db: &mut Db, entry: &OutOfOffice) -> Result<()> {
    sqlx::query(
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
    sqlx::query("DELETE FROM out_of_office WHERE id = ?")
        .bind(id)
        .execute(db)
        .await?;
    Ok(())
}
