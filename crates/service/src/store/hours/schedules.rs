//! Schedules. Times of day are minutes since midnight in the schedule's time zone.

use std::collections::HashMap;

use booking_store_engine::connection::Db;
use booking_store_engine::sql::{self, QueryBuilder};
use booking_wire::schedule::{Availability, Schedule, ScheduleOverride, Weekday};

use crate::error::{Error, Result};
use crate::input_limits::MAX_LIST_ENTRIES;
use crate::store::rows::{self, json_rows};
use crate::store::user_filter::UserFilter;

/// Working hours of one weekday or one date.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Hours {
    /// Weekday or date.
    pub day: Day,
    /// First minute.
    pub from: i64,
    /// Minute after the last; 23:59 means midnight.
    pub to: i64,
}

/// Day of working hours.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Day {
    /// A weekday.
    Weekday(Weekday),
    /// A date, ISO 8601.
    Date(String),
}

/// Filter of schedules.
#[derive(Clone, Copy, Debug)]
pub enum ScheduleFilter<'a> {
    /// The schedule with this id.
    Id(i64),
    /// Schedules of a user.
    OfUser(i64),
    /// Default schedule of a user.
    DefaultOf(i64),
    /// Schedules of the accepted members of a team.
    OfTeam(i64),
    /// Schedules of several users.
    OfUsers(&'a UserFilter),
}

#[derive(sqlx::FromRow)]
struct Row {
    id: i64,
    owner_id: i64,
    name: String,
    time_zone: String,
    is_default: i64,
}

/// Largest number of working hours, of weekdays and dates, in one list of schedules.
pub(crate) const MAX_HOURS: usize = 100_000;

struct HoursRow {
    weekday: Option<i64>,
    on_date: Option<String>,
    from_minute: i64,
    to_minute: i64,
}

/// Lists schedules by owner, oldest first.
pub async fn find(
    db: &mut Db,
    filter: ScheduleFilter<'_>,
    take: i64,
    skip: i64,
) -> Result<Vec<Schedule>> {
    let mut query = QueryBuilder::new(db.database(),
        "SELECT s.id, s.owner_id, s.name, s.time_zone,
                CAST(CASE WHEN u.default_schedule_id = s.id THEN 1 ELSE 0 END AS BIGINT) AS is_default
         FROM schedules s JOIN users u ON u.id = s.owner_id WHERE ",
    );
    match filter {
        ScheduleFilter::Id(id) => query.push("s.id = ").push_bind(id),
        ScheduleFilter::OfUser(user_id) => query.push("s.owner_id = ").push_bind(user_id),
        ScheduleFilter::DefaultOf(user_id) => query
            .push("u.default_schedule_id = s.id AND u.id = ")
            .push_bind(user_id),
        ScheduleFilter::OfTeam(team_id) => query
            .push(
                "s.owner_id IN (SELECT user_id FROM memberships WHERE accepted = 1 AND team_id = ",
            )
            .push_bind(team_id)
            .push(")"),
        ScheduleFilter::OfUsers(users) => {
            users.push_user_condition(&mut query, "s.owner_id");
            &mut query
        }
    };
    let max_rows = i64::try_from(MAX_LIST_ENTRIES).unwrap_or(i64::MAX);
    query
        .push(" ORDER BY s.owner_id, s.id LIMIT ")
        .push_bind(take.min(max_rows + 1));
    query.push(" OFFSET ").push_bind(skip);
    let rows: Vec<Row> = query.build_query_as().fetch_all(&mut *db).await?;
    if rows.len() > MAX_LIST_ENTRIES {
        return Err(Error::list_too_long(MAX_LIST_ENTRIES));
    }
    let ids: Vec<i64> = rows.iter().map(|row| row.id).collect();
    let mut hours = hours(db, &ids).await?;
    Ok(rows
        .into_iter()
        .map(|row| {
            let (availability, overrides) = to_wire(&hours.remove(&row.id).unwrap_or_default());
            Schedule {
                id: row.id,
                owner_id: row.owner_id,
                name: row.name,
                time_zone: row.time_zone,
                availability,
                is_default: row.is_default == 1,
                overrides,
            }
        })
        .collect())
}

/// Returns one schedule.
pub async fn get(db: &mut Db, id: i64) -> Result<Option<Schedule>> {
    Ok(find(db, ScheduleFilter::Id(id), 1, 0).await?.pop())
}

/// Returns the owner of a schedule; none if there is no such schedule.
pub async fn owner(db: &mut Db, schedule_id: i64) -> Result<Option<i64>> {
    Ok(
        sql::query_scalar("SELECT owner_id FROM schedules WHERE id = ?")
            .bind(schedule_id)
            .fetch_optional(db)
            .await?,
    )
}

/// Stores a new schedule without working hours and returns its id.
pub async fn insert(
    db: &mut Db,
    owner_id: i64,
    name: &str,
    time_zone: &str,
) -> Result<i64, sqlx::Error> {
    sql::query_scalar(
        "INSERT INTO schedules (owner_id, name, time_zone) VALUES (?, ?, ?) RETURNING id",
    )
    .bind(owner_id)
    .bind(name)
    .bind(time_zone)
    .fetch_one(db)
    .await
}

/// Updates the name and the time zone of a schedule.
pub async fn update(db: &mut Db, id: i64, name: &str, time_zone: &str) -> Result<()> {
    sql::query("UPDATE schedules SET name = ?, time_zone = ? WHERE id = ?")
        .bind(name)
        .bind(time_zone)
        .bind(id)
        .execute(db)
        .await?;
    Ok(())
}

/// Replaces the working hours of the weekdays.
pub async fn set_week(db: &mut Db, id: i64, hours: &[Hours]) -> Result<()> {
    sql::query("DELETE FROM schedule_hours WHERE schedule_id = ? AND weekday IS NOT NULL")
        .bind(id)
        .execute(&mut *db)
        .await?;
    insert_hours(db, id, hours).await?;
    Ok(())
}

/// Replaces the overrides of dates.
pub async fn set_overrides(db: &mut Db, id: i64, hours: &[Hours]) -> Result<()> {
    sql::query("DELETE FROM schedule_hours WHERE schedule_id = ? AND on_date IS NOT NULL")
        .bind(id)
        .execute(&mut *db)
        .await?;
    insert_hours(db, id, hours).await?;
    Ok(())
}

/// Adds working hours; weekdays with the same hours become one availability. Returns the id of the
/// first one.
pub async fn insert_hours(
    db: &mut Db,
    id: i64,
    hours: &[Hours],
) -> Result<Option<i64>, sqlx::Error> {
    let mut first = None;
    let mut first_ids: HashMap<(i64, i64), i64> = HashMap::new();
    for hours in hours {
        let (weekday, date) = match &hours.day {
            Day::Weekday(weekday) => (Some(weekday.from_sunday()), None),
            Day::Date(date) => (None, Some(date)),
        };
        let range = (hours.from, hours.to);
        let first_id = weekday.and_then(|_| first_ids.get(&range)).copied();
        let row: i64 = sql::query_scalar(
            "INSERT INTO schedule_hours (schedule_id, weekday, on_date, from_minute, to_minute, line_id)
             VALUES (?, ?, ?, ?, ?, ?) RETURNING id",
        )
        .bind(id)
        .bind(weekday)
        .bind(date)
        .bind(hours.from)
        .bind(hours.to)
        .bind(first_id)
        .fetch_one(&mut *db)
        .await?;
        if weekday.is_some() {
            first_ids.entry(range).or_insert(row);
        }
        first = first.or(Some(row));
    }
    Ok(first)
}

/// Workdays of a new schedule: Monday to Friday.
const WORKDAYS: usize = 5;

/// Working hours of a new schedule, in minutes of the day: 09:00 to 17:00.
const OFFICE_HOURS: std::ops::Range<i64> = 9 * 60..17 * 60;

/// Returns Monday to Friday, 09:00 to 17:00.
pub fn office_hours() -> Vec<Hours> {
    let workdays = Weekday::NAMES.iter().take(WORKDAYS);
    workdays
        .map(|(_, day)| Hours {
            day: Day::Weekday(*day),
            from: OFFICE_HOURS.start,
            to: OFFICE_HOURS.end,
        })
        .collect()
}

/// Makes a schedule the default of its owner: event types without a schedule use it.
pub async fn make_default(db: &mut Db, owner_id: i64, id: i64) -> Result<(), sqlx::Error> {
    sql::query("UPDATE users SET default_schedule_id = ? WHERE id = ?")
        .bind(id)
        .bind(owner_id)
        .execute(db)
        .await?;
    Ok(())
}

/// Deletes a schedule. Its event types then use their hosts' default schedules; if it was a default
/// schedule, its owner's oldest other schedule becomes the default.
pub async fn delete(db: &mut Db, id: i64) -> Result<()> {
    sql::query(
        "UPDATE users SET default_schedule_id =
             (SELECT min(s.id) FROM schedules s WHERE s.owner_id = users.id AND s.id <> ?)
         WHERE default_schedule_id = ?",
    )
    .bind(id)
    .bind(id)
    .execute(&mut *db)
    .await?;
    sql::query("DELETE FROM schedules WHERE id = ?")
        .bind(id)
        .execute(db)
        .await?;
    Ok(())
}

/// Returns the number of a user's schedules, and true if one of them is the default.
pub async fn count(db: &mut Db, owner_id: i64) -> Result<(usize, bool)> {
    let (count, has_default): (i64, i64) = sql::query_as(
        "SELECT count(*), count(*) FILTER (WHERE s.id = u.default_schedule_id)
         FROM schedules s JOIN users u ON u.id = s.owner_id WHERE s.owner_id = ?",
    )
    .bind(owner_id)
    .fetch_one(db)
    .await?;
    Ok((
        usize::try_from(count).unwrap_or(usize::MAX),
        has_default == 1,
    ))
}

/// Schedule, weekday, date, first and last minute.
type HoursTuple = (i64, Option<i64>, Option<String>, i64, i64);

async fn hours(db: &mut Db, schedule_ids: &[i64]) -> Result<HashMap<i64, Vec<HoursRow>>> {
    let mut found: HashMap<i64, Vec<HoursRow>> = HashMap::new();
    if schedule_ids.is_empty() {
        return Ok(found);
    }
    let ids = serde_json::json!(schedule_ids).to_string();
    let count: i64 = sql::query_scalar(
        "SELECT count(*) FROM schedule_hours WHERE schedule_id IN (SELECT value FROM json_each(?))",
    )
    .bind(&ids)
    .fetch_one(&mut *db)
    .await?;
    if usize::try_from(count).unwrap_or(usize::MAX) > MAX_HOURS {
        return Err(Error::response_too_large());
    }
    let rows: Vec<HoursTuple> = rows::read_rows(
        db,
        json_rows!(
            "schedule_id, weekday, on_date, from_minute, to_minute",
            " ORDER BY on_date, from_minute, to_minute, id",
            "FROM schedule_hours WHERE schedule_id IN (SELECT value FROM json_each(?))"
        ),
        &ids,
    )
    .await?;
    for (schedule_id, weekday, on_date, from_minute, to_minute) in rows {
        found.entry(schedule_id).or_default().push(HoursRow {
            weekday,
            on_date,
            from_minute,
            to_minute,
        });
    }
    Ok(found)
}

/// Converts rows to wire types; weekdays with the same hours are one availability, from Monday on.
fn to_wire(rows: &[HoursRow]) -> (Vec<Availability>, Vec<ScheduleOverride>) {
    let mut week: Vec<Availability> = Vec::new();
    let mut overrides = Vec::new();
    // Monday to Sunday, so that the days of each availability are in order.
    for (_, day) in Weekday::NAMES {
        for row in rows
            .iter()
            .filter(|row| row.weekday == Some(day.from_sunday()))
        {
            let (start_time, end_time) = (format_time(row.from_minute), format_time(row.to_minute));
            let existing = week
                .iter_mut()
                .find(|entry| entry.start_time == start_time && entry.end_time == end_time);
            match existing {
                Some(entry) if entry.days.contains(&day) => {}
                Some(entry) => entry.days.push(day),
                None => week.push(Availability {
                    days: vec![day],
                    start_time,
                    end_time,
                }),
            }
        }
    }
    for row in rows {
        if let Some(date) = &row.on_date {
            overrides.push(ScheduleOverride {
                date: date.clone(),
                start_time: format_time(row.from_minute),
                end_time: format_time(row.to_minute),
            });
        }
    }
    (week, overrides)
}

/// Formats a time of day as `HH:MM`.
fn format_time(minute: i64) -> String {
    format!("{:02}:{:02}", minute / 60, minute % 60)
}
