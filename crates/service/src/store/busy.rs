//! Reads working hours and busy times of the hosts of an event type. Which bookings block time is
//! decided in [`crate::lifecycle`].

use std::collections::{HashMap, HashSet};

use chrono_tz::Tz;
use serde::Deserialize;

use crate::availability::{
    BusyTime, Calendar, DAY, DayRule, Host, Override, Rules, Schedule, SeatedMeeting, TimeOff,
    TimeRange,
};
use crate::error::Result;
use crate::store::connection::Db;
use crate::store::event_types::StoredEventType;
use crate::store::rows::{json_rows, push_ids};
use crate::store::sql::{self, QueryBuilder};

/// Query of the hosts' working hours and busy times.
#[derive(Clone, Copy, Debug)]
pub struct BusyQuery<'a> {
    /// Range of the starts.
    pub window: TimeRange,
    /// Current instant in epoch milliseconds: expired reservations are ignored.
    pub now: i64,
    /// Uid of a booking, or of a seat, whose time counts as free because it is about to be
    /// rescheduled. An unknown uid changes nothing.
    pub rescheduled_uid: Option<&'a str>,
}

/// Reads the hosts of an event type with their working hours and busy times, as far as starts
/// inside the window need them.
pub async fn calendar(
    db: &mut Db,
    stored: &StoredEventType,
    rules: &Rules,
    query: BusyQuery<'_>,
) -> Result<Calendar> {
    let rescheduled_id = match query.rescheduled_uid {
        Some(uid) => rescheduled_booking_id(db, uid).await?,
        None => None,
    };
    let scope = Scope {
        event_type_id: stored.wire.id,
        // A range may start a day before the window, and buffers extend over midnight.
        from: query.window.start.saturating_sub(2 * DAY),
        to: query.window.end.saturating_add(2 * DAY),
        now: query.now,
        // No booking has this id.
        rescheduled_id: rescheduled_id.unwrap_or(0),
    };
    let mut hosts = hosts(db, stored, scope).await?;
    if hosts.is_empty() {
        return Ok(Calendar::default());
    }
    add_busy_times(db, &mut hosts, scope).await?;
    let seated_meetings = if rules.seated {
        seated_meetings(db, stored, scope).await?
    } else {
        Vec::new()
    };
    let booked = if rules.limits.is_empty() {
        Vec::new()
    } else {
        booked(db, rules, scope, &seated_meetings).await?
    };
    Ok(Calendar {
        hosts,
        seated_meetings,
        booked,
    })
}

/// Bounds of the rows to read.
#[derive(Clone, Copy)]
struct Scope {
    event_type_id: i64,
    from: i64,
    to: i64,
    now: i64,
    rescheduled_id: i64,
}

/// Returns the id of the booking with that uid or seat. A booking in which others have seats is not
/// rescheduled itself.
async fn rescheduled_booking_id(db: &mut Db, uid: &str) -> Result<Option<i64>> {
    Ok(sql::query_scalar(
        "SELECT b.id FROM bookings b
         WHERE (b.uid = ? OR b.id = (SELECT booking_id FROM attendees WHERE seat_uid = ?))
           AND (b.seated = 0 OR (SELECT count(*) FROM attendees WHERE booking_id = b.id AND seat_uid IS NOT NULL) <= 1)",
    )
    .bind(uid)
    .bind(uid)
    .fetch_optional(db)
    .await?)
}

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

async fn hosts(db: &mut Db, stored: &StoredEventType, scope: Scope) -> Result<Vec<Host>> {
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
    query.push_bind(date_text(scope.from - DAY));
    query.push(" AND ").push_bind(date_text(scope.to + DAY));
    query.push(") AS dates FROM users u");
    if !stored.is_group() {
        query
            .push(" JOIN event_type_hosts h ON h.user_id = u.id AND h.event_type_id = ")
            .push_bind(stored.wire.id);
    }
    // An event type's own schedule replaces the default ones of its hosts (contract 6.1, step 2).
    query
        .push(" LEFT JOIN schedules s ON s.id = coalesce(")
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
    let user_zone = zone(Some(&row.time_zone)).unwrap_or(Tz::UTC);
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
        zone: user_zone,
        schedule: Schedule {
            zone: zone(row.schedule_zone.as_deref()).unwrap_or(user_zone),
            week: week
                .into_iter()
                .map(|(weekday, from, to)| DayRule { weekday, from, to })
                .collect(),
            overrides,
        },
        time_off: Vec::new(),
        busy: Vec::new(),
    })
}

fn zone(name: Option<&str>) -> Option<Tz> {
    name.and_then(|name| name.parse().ok())
}

/// Returns the date in UTC as it is stored; a maximum for instants outside of the calendar.
fn date_text(instant: i64) -> String {
    booking_wire::Instant(instant)
        .day()
        .map_or_else(|| "9999-12-31".to_owned(), |day| day.to_string())
}

/// [`crate::lifecycle::blocks_time`] as a condition on a booking `b` and its event type `e`, for
/// attendees, whose rows have no `holds`.
const BLOCKS_TIME: &str =
    "(b.status = 'accepted' OR (b.status = 'pending' AND e.blocks_unconfirmed = 1))";

/// Time of a booking, reservation or absence; in SQL, a JSON array in the order of the fields.
/// Flags are 0 or 1.
#[derive(Deserialize)]
struct BusyRow {
    user_id: i64,
    start_ms: i64,
    end_ms: i64,
    /// Buffers in minutes.
    before_minutes: i64,
    after_minutes: i64,
    /// A seated meeting of the queried event type, which others can join.
    is_shared: i64,
    is_absence: i64,
}

/// Adds the bookings that the hosts organise or attend (contract 6.1, step 4), reservations of
/// their time (step 8), and absences (step 3).
async fn add_busy_times(db: &mut Db, hosts: &mut [Host], scope: Scope) -> Result<()> {
    let ids: Vec<i64> = hosts.iter().map(|host| host.id).collect();
    // In one row: see `super::rows`.
    let mut query = QueryBuilder::new(db.database(),
        "WITH taken (user_id, start_ms, end_ms, before_minutes, after_minutes, is_shared, is_absence) AS (
         SELECT h.user_id, h.start_ms, h.end_ms, coalesce(e.before_minutes, 0), coalesce(e.after_minutes, 0),
                CASE WHEN b.seated = 1 AND b.event_type_id = ",
    );
    // `holds`: see `lifecycle::blocks_time`.
    query.push_bind(scope.event_type_id).push(
        " THEN 1 ELSE 0 END, 0 FROM booking_hosts h
         JOIN bookings b ON b.id = h.booking_id
         LEFT JOIN event_types e ON e.id = b.event_type_id
         WHERE h.holds = 1 AND h.user_id IN (",
    );
    push_ids(&mut query, &ids);
    // See `bookings::MAX_LENGTH_MS`.
    query.push(") AND h.start_ms >= ").push_bind(scope.from);
    query.push(" AND h.start_ms < ").push_bind(scope.to);
    query
        .push(" AND h.booking_id <> ")
        .push_bind(scope.rescheduled_id)
        .push(
            " UNION ALL
         SELECT a.user_id, b.start_ms, b.end_ms, coalesce(e.before_minutes, 0), coalesce(e.after_minutes, 0),
                CASE WHEN b.seated = 1 AND b.event_type_id = ",
        );
    query.push_bind(scope.event_type_id).push(
        // Only bookings that they have made themselves or were added to by a colleague: anyone can
        // enter an address. CROSS JOIN: from the few users to their bookings. SQLite would start
        // with all bookings of the window otherwise.
        " THEN 1 ELSE 0 END, 0 FROM attendees a
         CROSS JOIN bookings b
         LEFT JOIN event_types e ON e.id = b.event_type_id
         WHERE b.id = a.booking_id AND ",
    );
    query.push(BLOCKS_TIME).push(" AND a.user_id IN (");
    push_ids(&mut query, &ids);
    query.push(") AND b.start_ms >= ").push_bind(scope.from);
    query.push(" AND b.start_ms < ").push_bind(scope.to);
    query
        .push(" AND b.id <> ")
        .push_bind(scope.rescheduled_id)
        .push(
            " UNION ALL
         SELECT h.user_id, r.start_ms, r.end_ms, e.before_minutes, e.after_minutes,
                CASE WHEN r.seated = 1 AND r.event_type_id = ",
        );
    query.push_bind(scope.event_type_id).push(
        " THEN 1 ELSE 0 END, 0 FROM reservations r
         JOIN reservation_hosts h ON h.reservation_id = r.id
         JOIN event_types e ON e.id = r.event_type_id
         WHERE r.until_ms > ",
    );
    query.push_bind(scope.now).push(" AND h.user_id IN (");
    push_ids(&mut query, &ids);
    query.push(") AND r.start_ms >= ").push_bind(scope.from);
    query.push(" AND r.start_ms < ").push_bind(scope.to).push(
        " UNION ALL
         SELECT user_id, start_ms, end_ms, 0, 0, 0, 1 FROM out_of_office WHERE user_id IN (",
    );
    push_ids(&mut query, &ids);
    // An absence can have any length.
    query.push(") AND end_ms > ").push_bind(scope.from);
    query.push(" AND start_ms < ").push_bind(scope.to);
    query.push(") ");
    query.push_sql(&json_rows!(
        "user_id, start_ms, end_ms, before_minutes, after_minutes, is_shared, is_absence",
        "FROM taken"
    ));

    let text: String = query.build_query_scalar().fetch_one(db).await?;
    let rows: Vec<BusyRow> = serde_json::from_str(&text)?;
    let mut by_id: HashMap<i64, &mut Host> = hosts.iter_mut().map(|host| (host.id, host)).collect();
    for row in rows {
        let Some(host) = by_id.get_mut(&row.user_id) else {
            continue;
        };
        if row.is_absence == 1 {
            host.time_off
                .extend(TimeOff::from_stored(row.start_ms, row.end_ms));
        } else {
            host.busy.push(BusyTime {
                range: TimeRange::new(row.start_ms, row.end_ms),
                buffer_before: row.before_minutes,
                buffer_after: row.after_minutes,
                is_shared: row.is_shared == 1,
            });
        }
    }
    Ok(())
}

/// A host of a seated meeting, or of a reservation for it; in SQL, a JSON array in the order of the
/// fields.
#[derive(Deserialize)]
struct SeatedMeetingRow {
    /// None of a reservation.
    uid: Option<String>,
    start_ms: i64,
    end_ms: i64,
    /// Number of seats; 0 of a reservation.
    seats: i64,
    /// Number of booked seats.
    booked: i64,
    /// 0 of a booking.
    reservation_id: i64,
    host_id: Option<i64>,
}

/// Reads the meetings of a seated event type, sorted by start. Reservations for a start without a
/// booking form a meeting, too.
async fn seated_meetings(
    db: &mut Db,
    stored: &StoredEventType,
    scope: Scope,
) -> Result<Vec<SeatedMeeting>> {
    // In one row: see `super::rows`.
    let text: String = sql::query_scalar(
        json_rows!("uid, start_ms, end_ms, seats, booked, reservation_id, host_id", "FROM (
         SELECT b.uid, b.start_ms, b.end_ms, coalesce(b.seats, 1) AS seats,
                (SELECT count(*) FROM attendees a WHERE a.booking_id = b.id AND a.seat_uid IS NOT NULL) AS booked,
                0 AS reservation_id, h.user_id AS host_id
         FROM bookings b LEFT JOIN booking_hosts h ON h.booking_id = b.id
         WHERE b.event_type_id = ? AND b.start_ms >= ? AND b.start_ms < ? AND b.seated = 1
           AND b.status IN ('accepted', 'pending') AND b.id <> ?
         UNION ALL
         SELECT NULL, r.start_ms, r.end_ms, 0, 0, r.id, h.user_id
         FROM reservations r LEFT JOIN reservation_hosts h ON h.reservation_id = r.id
         WHERE r.event_type_id = ? AND r.start_ms >= ? AND r.start_ms < ? AND r.seated = 1 AND r.until_ms > ?) AS meetings"),
    )
    .bind(scope.event_type_id)
    .bind(scope.from)
    .bind(scope.to)
    .bind(scope.rescheduled_id)
    .bind(scope.event_type_id)
    .bind(scope.from)
    .bind(scope.to)
    .bind(scope.now)
    .fetch_one(db)
    .await?;
    let rows: Vec<SeatedMeetingRow> = serde_json::from_str(&text)?;
    let mut seated_meetings: HashMap<i64, SeatedMeeting> = HashMap::new();
    let mut counted = HashSet::new();
    for row in rows {
        let is_reservation = row.uid.is_none();
        let seated_meeting = seated_meetings
            .entry(row.start_ms)
            .or_insert_with(|| SeatedMeeting {
                range: TimeRange::new(row.start_ms, row.end_ms),
                uid: row.uid,
                host_ids: Vec::new(),
                booked: row.booked,
                reserved: 0,
                seats: if is_reservation {
                    stored.seats().unwrap_or(1)
                } else {
                    row.seats
                },
            });
        if is_reservation && counted.insert(row.reservation_id) {
            seated_meeting.reserved += 1;
        }
        if !is_reservation || seated_meeting.uid.is_none() {
            seated_meeting.host_ids.extend(row.host_id);
        }
    }
    let mut seated_meetings: Vec<SeatedMeeting> = seated_meetings.into_values().collect();
    for seated_meeting in &mut seated_meetings {
        seated_meeting.host_ids.sort_unstable();
        seated_meeting.host_ids.dedup();
    }
    seated_meetings.sort_unstable_by_key(|seated_meeting| seated_meeting.range.start);
    Ok(seated_meetings)
}

/// Reads the ranges that count towards the limits of the event type: accepted bookings and
/// reservations.
async fn booked(
    db: &mut Db,
    rules: &Rules,
    scope: Scope,
    seated_meetings: &[SeatedMeeting],
) -> Result<Vec<TimeRange>> {
    let periods = rules.limits.iter().map(|limit| limit.period.days());
    let margin = (periods.max().unwrap_or(0) + 1) * DAY;
    let (from, to) = (scope.from - margin, scope.to + margin);
    // In one row: see `super::rows`.
    let text: String = sql::query_scalar(
        json_rows!("start_ms, end_ms", "FROM (
         SELECT start_ms, end_ms FROM bookings
         WHERE event_type_id = ? AND start_ms >= ? AND start_ms < ? AND status = 'accepted' AND id <> ?
         UNION ALL
         SELECT start_ms, end_ms FROM reservations
         WHERE event_type_id = ? AND start_ms >= ? AND start_ms < ? AND seated = 0 AND until_ms > ?) AS booked"),
    )
    .bind(scope.event_type_id)
    .bind(from)
    .bind(to)
    .bind(scope.rescheduled_id)
    .bind(scope.event_type_id)
    .bind(from)
    .bind(to)
    .bind(scope.now)
    .fetch_one(db)
    .await?;
    let rows: Vec<(i64, i64)> = serde_json::from_str(&text)?;
    let reserved = seated_meetings
        .iter()
        .filter(|seated_meeting| seated_meeting.uid.is_none());
    Ok(rows
        .into_iter()
        .map(|(start, end)| TimeRange::new(start, end))
        .chain(reserved.map(|seated_meeting| seated_meeting.range))
        .collect())
}
