//! Reads hosts and their working hours.

use booking_rules::availability::{DAY, DayRule, Host, Override, Schedule, TimeRange};
use booking_store_engine::connection::Db;
use booking_store_engine::sql::QueryBuilder;
use booking_zones::Zone;

use crate::error::Result;
use crate::store::event_types::StoredEventType;
use crate::store::rows::{json_rows, push_ids};

/// A host with their working hours, which are JSON arrays of arrays; empty without a schedule.
#[derive(sqlx::FromRow)]
struct HostRow {
    id: i64,
    fixed: i64,
    time_zone: String,
    schedule_zone: Option<String>,
    /// Weekday, first and last minute.
    week: String,
    /// Date, first and last minute.
    dates: String,
}

/// Reads the hosts of an event type with their working hours, and those of dates in `range`.
pub async fn working_hours(
    db: &mut Db,
    stored: &StoredEventType,
    range: TimeRange,
) -> Result<Vec<Host>> {
    let mut query = QueryBuilder::new(db.database(), "SELECT u.id, ");
    if stored.is_group() {
        query.push("CAST(0 AS BIGINT) AS fixed");
    } else {
        query.push("h.fixed");
    }
    // One row for each host: fetching row by row costs more than finding the rows, and an event
    // type may have 250 hosts with 100 working hours and 1,000 dates each.
    query.push(", u.time_zone, s.time_zone AS schedule_zone, (");
    query.push_sql(&json_rows!(
        "weekday, from_minute, to_minute",
        "FROM schedule_hours WHERE schedule_id = s.id AND on_date IS NULL"
    ));
    query.push(") AS week, (");
    query.push_sql(&json_rows!(
        "on_date, from_minute, to_minute",
        "FROM schedule_hours WHERE schedule_id = s.id AND on_date BETWEEN "
    ));
    query.push_bind(date_text(range.start.saturating_sub(DAY)));
    query
        .push(" AND ")
        .push_bind(date_text(range.end.saturating_add(DAY)));
    query.push(") AS dates FROM users u");
    if !stored.is_group() {
        query
            .push(" JOIN event_type_hosts h ON h.user_id = u.id AND h.event_type_id = ")
            .push_bind(stored.wire.id);
    }
    // An event type's own schedule replaces the default ones of its hosts. Disabled users do not work.
    query
        .push(" LEFT JOIN schedules s ON u.disabled_ms IS NULL AND s.id = coalesce(")
        .push_bind(stored.wire.schedule_id)
        .push(", u.default_schedule_id)");
    if stored.is_group() {
        query.push(" WHERE u.id IN (");
        push_ids(&mut query, &stored.host_ids());
        query.push(")");
    }
    query.push(" ORDER BY u.id");
    let rows: Vec<HostRow> = query.build_query_as().fetch_all(db).await?;
    rows.into_iter().map(host).collect()
}

fn host(row: HostRow) -> Result<Host> {
    let user_zone = Zone::named(&row.time_zone).unwrap_or_else(Zone::utc);
    let schedule_zone = row.schedule_zone.as_deref().and_then(Zone::named);
    let week: Vec<(i64, i64, i64)> = serde_json::from_str(&row.week)?;
    let dates: Vec<(&str, i64, i64)> = serde_json::from_str(&row.dates)?;
    let mut overrides: Vec<Override> = dates
        .into_iter()
        .filter_map(|(date, from, to)| {
            let date = date.parse().ok()?;
            Some(Override { date, from, to })
        })
        .collect();
    overrides.sort_by_key(|hours| hours.date);
    Ok(Host {
        id: row.id,
        fixed: row.fixed == 1,
        schedule: Schedule {
            zone: schedule_zone.unwrap_or_else(|| user_zone.clone()),
            week: week
                .into_iter()
                .map(|(weekday, from, to)| DayRule { weekday, from, to })
                .collect(),
            overrides,
        },
        zone: user_zone,
        time_off: Vec::new(),
        busy: Vec::new(),
    })
}

/// Returns the date in UTC as it is stored; a maximum for instants outside of the calendar.
fn date_text(instant: i64) -> String {
    booking_wire::Instant(instant)
        .day()
        .map_or_else(|| "9999-12-31".to_owned(), |day| day.to_string())
}
