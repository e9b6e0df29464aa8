//! Working hours line by line, as version 1 knows them: days of the week that have the same hours
//! because they were given together, or one date.

use booking_wire::schedule::Weekday;
use sqlx::QueryBuilder;

use crate::error::Result;
use crate::store::connection::Db;
use crate::store::rows;
use crate::store::schedules::{Day, Hours, MAX_HOURS};

/// Hours that were given together.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Line {
    /// Identifier.
    pub id: i64,
    /// The schedule it belongs to.
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

impl Line {
    /// Its hours, day by day.
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

/// The lines of schedules, weeks first, then dates.
pub async fn of_schedules(db: &mut Db, schedule_ids: &[i64]) -> Result<Vec<Line>> {
    let mut query = select();
    query.push("schedule_id IN (SELECT value FROM json_each(");
    query.push_bind(serde_json::json!(schedule_ids).to_string());
    query.push("))");
    lines(db, query).await
}

/// One line.
pub async fn get(db: &mut Db, id: i64) -> Result<Option<Line>> {
    let mut query = select();
    query.push("coalesce(line_id, id) = ").push_bind(id);
    Ok(lines(db, query).await?.pop())
}

fn select() -> QueryBuilder<'static, sqlx::Sqlite> {
    QueryBuilder::new(
        "SELECT coalesce(line_id, id) AS line_id, schedule_id, weekday, on_date, from_minute, to_minute
         FROM schedule_hours WHERE ",
    )
}

async fn lines(db: &mut Db, mut query: QueryBuilder<'_, sqlx::Sqlite>) -> Result<Vec<Line>> {
    query.push(" ORDER BY schedule_id, on_date IS NOT NULL, on_date, 1, weekday");
    let rows: Vec<Row> = rows::unpaged(db, query, MAX_HOURS).await?;
    let mut lines: Vec<Line> = Vec::new();
    for row in rows {
        match lines
            .last_mut()
            .filter(|line| (line.schedule_id, line.id) == (row.schedule_id, row.line_id))
        {
            Some(line) => line.days.extend(row.weekday),
            None => lines.push(Line {
                id: row.line_id,
                schedule_id: row.schedule_id,
                days: row.weekday.into_iter().collect(),
                date: row.on_date,
                from: row.from_minute,
                to: row.to_minute,
            }),
        }
    }
    Ok(lines)
}

/// Deletes a line.
pub async fn delete(db: &mut Db, line: &Line) -> Result<()> {
    sqlx::query("DELETE FROM schedule_hours WHERE coalesce(line_id, id) = ? AND schedule_id = ?")
        .bind(line.id)
        .bind(line.schedule_id)
        .execute(db)
        .await?;
    Ok(())
}

/// Gives the line whose rows were stored last, by the id of the first of them, another id: the one
/// that it had before it was changed.
pub async fn rename(db: &mut Db, schedule_id: i64, from_id: i64, to_id: i64) -> Result<()> {
    sqlx::query(
        "UPDATE schedule_hours SET line_id = ? WHERE coalesce(line_id, id) = ? AND schedule_id = ?",
    )
    .bind(to_id)
    .bind(from_id)
    .bind(schedule_id)
    .execute(db)
    .await?;
    Ok(())
}
