//! Availabilities of version 1: weekdays that were stored together with the same working hours, or
//! one date.

use booking_store_engine::connection::{Database, Db};
use booking_store_engine::sql::{self, QueryBuilder};
use booking_wire::schedule::Weekday;

use crate::error::Result;
use crate::store::hours::schedules::{Day, Hours, MAX_HOURS};
use crate::store::rows;

/// Working hours of several weekdays or of one date, stored together.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AvailabilityRow {
    /// Identifier.
    pub id: i64,
    /// Id of its schedule.
    pub schedule_id: i64,
    /// 0 is Sunday, ascending; empty for a date.
    pub days: Vec<i64>,
    /// ISO 8601.
    pub date: Option<String>,
    /// First minute of the day.
    pub from: i64,
    /// Minute after the last; 23:59 means midnight.
    pub to: i64,
}

impl AvailabilityRow {
    /// Returns its hours, one entry per day.
    pub fn hours(&self) -> Vec<Hours> {
        let hours = |day| Hours {
            day,
            from: self.from,
            to: self.to,
        };
        match &self.date {
            Some(date) => vec![hours(Day::Date(date.clone()))],
            None => Weekday::NAMES
                .iter()
                .filter(|(_, day)| self.days.contains(&day.from_sunday()))
                .map(|(_, day)| hours(Day::Weekday(*day)))
                .collect(),
        }
    }
}

#[derive(sqlx::FromRow)]
struct Row {
    line_id: i64,
    schedule_id: i64,
    weekday: Option<i64>,
    on_date: Option<String>,
    from_minute: i64,
    to_minute: i64,
}

/// Lists the availabilities of schedules, weekdays first, then dates.
pub async fn of_schedules(db: &mut Db, schedule_ids: &[i64]) -> Result<Vec<AvailabilityRow>> {
    let mut query = select(db.database());
    query.push("schedule_id IN (SELECT value FROM json_each(");
    query.push_bind(serde_json::json!(schedule_ids).to_string());
    query.push("))");
    fetch(db, query).await
}

/// Returns one availability.
pub async fn get(db: &mut Db, id: i64) -> Result<Option<AvailabilityRow>> {
    let mut query = select(db.database());
    query.push("coalesce(line_id, id) = ").push_bind(id);
    Ok(fetch(db, query).await?.pop())
}

fn select(database: Database) -> QueryBuilder<'static> {
    QueryBuilder::new(
        database,
        "SELECT coalesce(line_id, id) AS line_id, schedule_id, weekday, on_date, from_minute, to_minute
         FROM schedule_hours WHERE ",
    )
}

async fn fetch(db: &mut Db, mut query: QueryBuilder<'_>) -> Result<Vec<AvailabilityRow>> {
    query.push(" ORDER BY schedule_id, on_date IS NOT NULL, on_date, 1, weekday");
    let rows: Vec<Row> = rows::unpaged(db, query, MAX_HOURS).await?;
    let mut availabilities: Vec<AvailabilityRow> = Vec::new();
    for row in rows {
        match availabilities
            .last_mut()
            .filter(|last| (last.schedule_id, last.id) == (row.schedule_id, row.line_id))
        {
            Some(last) => last.days.extend(row.weekday),
            None => availabilities.push(AvailabilityRow {
                id: row.line_id,
                schedule_id: row.schedule_id,
                days: row.weekday.into_iter().collect(),
                date: row.on_date,
                from: row.from_minute,
                to: row.to_minute,
            }),
        }
    }
    Ok(availabilities)
}

/// Deletes an availability.
pub async fn delete(db: &mut Db, availability: &AvailabilityRow) -> Result<()> {
    sql::query("DELETE FROM schedule_hours WHERE coalesce(line_id, id) = ? AND schedule_id = ?")
        .bind(availability.id)
        .bind(availability.schedule_id)
        .execute(db)
        .await?;
    Ok(())
}

/// Changes the id of an availability from `from_id`, the id of its first row, to `to_id`: an update
/// stores new rows and keeps the previous id.
pub async fn set_id(db: &mut Db, schedule_id: i64, from_id: i64, to_id: i64) -> Result<()> {
    sql::query(
        "UPDATE schedule_hours SET line_id = ? WHERE coalesce(line_id, id) = ? AND schedule_id = ?",
    )
    .bind(to_id)
    .bind(from_id)
    .bind(schedule_id)
    .execute(db)
    .await?;
    Ok(())
}
