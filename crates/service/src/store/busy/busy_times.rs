//! Reads busy times and absences of hosts.

use std::collections::HashMap;

use booking_rules::availability::{BusyTime, Host, TimeOff, TimeRange};
use booking_store_engine::connection::Db;
use booking_store_engine::sql::QueryBuilder;
use serde::Deserialize;

use super::versions::push_setup_version;
use crate::error::Result;
use crate::store::busy::scope::Scope;
use crate::store::event_types::StoredEventType;
use crate::store::rows::{json_rows, push_ids};

/// [`booking_rules::transitions::blocks_time`] as a condition on a booking `b` and its event type `e`, for
/// attendees, whose rows have no `holds`.
const BLOCKS_TIME: &str =
    "(b.status = 'accepted' OR (b.status = 'pending' AND e.blocks_unconfirmed = 1))";

/// Time of a booking, reservation or absence; in SQL, a JSON array in the order of the fields.
#[derive(Deserialize)]
struct Row {
    user_id: i64,
    start_ms: i64,
    end_ms: i64,
    /// Buffers in minutes.
    before_minutes: i64,
    after_minutes: i64,
    /// Event type of a meeting with seats.
    seated_type_id: Option<i64>,
    booking_id: Option<i64>,
    /// End of a reservation.
    until_ms: Option<i64>,
    /// 0 or 1.
    is_absence: i64,
}

/// Busy times and absences of one host.
#[derive(Clone, Debug, Default)]
pub struct HostBusyTimes {
    /// Sorted by start.
    times: Vec<StoredBusyTime>,
    /// Start and end in epoch milliseconds.
    absences: Vec<TimeRange>,
}

#[derive(Clone, Debug)]
struct StoredBusyTime {
    range: TimeRange,
    buffer_before: i64,
    buffer_after: i64,
    seated_type_id: Option<i64>,
    booking_id: Option<i64>,
    until_ms: Option<i64>,
}

impl HostBusyTimes {
    /// Adds what is in the scope to the host, to whom it belongs.
    pub fn add_to(&self, host: &mut Host, scope: Scope) {
        let from = scope.range.start;
        let first = self.times.partition_point(|time| time.range.start < from);
        let times = self.times.iter().skip(first);
        let times = times.take_while(|time| time.range.start < scope.range.end);
        let times = times.filter(|time| scope.includes(time.booking_id, time.until_ms));
        host.busy.extend(times.map(|time| BusyTime {
            range: time.range,
            buffer_before: time.buffer_before,
            buffer_after: time.buffer_after,
            is_shared: time.seated_type_id == Some(scope.event_type_id),
        }));
        // An absence can have any length.
        let absences = self
            .absences
            .iter()
            .filter(|absence| absence.end > scope.range.start && absence.start < scope.range.end);
        host.time_off.extend(
            absences.filter_map(|absence| TimeOff::from_stored(absence.start, absence.end)),
        );
    }

    /// Returns the number of busy times and absences.
    pub fn count(&self) -> usize {
        self.times.len() + self.absences.len()
    }

    fn add(&mut self, row: &Row) {
        let range = TimeRange::new(row.start_ms, row.end_ms);
        if row.is_absence == 1 {
            self.absences.push(range);
        } else {
            self.times.push(StoredBusyTime {
                range,
                buffer_before: row.before_minutes,
                buffer_after: row.after_minutes,
                seated_type_id: row.seated_type_id,
                booking_id: row.booking_id,
                until_ms: row.until_ms,
            });
        }
    }
}

/// Reads the bookings that users organise or attend, reservations of their time, and absences, by
/// user: without an entry, a user has none. Bookings and reservations start in `range`; absences overlap it.
///
/// Returns also the version of what the event type `checked` was read from that is current with them: see
/// [`super::CalendarVersions::setup`].
pub async fn busy_times(
    db: &mut Db,
    user_ids: &[i64],
    range: TimeRange,
    now: i64,
    checked: Option<&StoredEventType>,
) -> Result<(HashMap<i64, HostBusyTimes>, Option<i64>)> {
    // In one row: see `super::rows`.
    let mut query = QueryBuilder::new(
        db.database(),
        "WITH taken (user_id, start_ms, end_ms, before_minutes, after_minutes, seated_type_id, booking_id, until_ms,
                     is_absence) AS (
         SELECT h.user_id, h.start_ms, h.end_ms, coalesce(e.before_minutes, 0), coalesce(e.after_minutes, 0),
                CASE WHEN b.seated = 1 THEN b.event_type_id END, b.id, CAST(NULL AS BIGINT), 0
         FROM booking_hosts h
         JOIN bookings b ON b.id = h.booking_id
         LEFT JOIN event_types e ON e.id = b.event_type_id
         WHERE h.holds = 1 AND h.user_id IN (",
    );
    // `holds`: see `transitions::blocks_time`.
    push_ids(&mut query, user_ids);
    // See `bookings::MAX_LENGTH_MS`.
    query.push(") AND h.start_ms >= ").push_bind(range.start);
    query.push(" AND h.start_ms < ").push_bind(range.end).push(
        // Only bookings that they have made themselves or were added to by a colleague: anyone can
        // enter an address. CROSS JOIN: from the few users to their bookings. SQLite would start
        // with all bookings of the window otherwise.
        " UNION ALL
         SELECT a.user_id, b.start_ms, b.end_ms, coalesce(e.before_minutes, 0), coalesce(e.after_minutes, 0),
                CASE WHEN b.seated = 1 THEN b.event_type_id END, b.id, NULL, 0
         FROM attendees a
         CROSS JOIN bookings b
         LEFT JOIN event_types e ON e.id = b.event_type_id
         WHERE b.id = a.booking_id AND ",
    );
    query.push(BLOCKS_TIME).push(" AND a.user_id IN (");
    push_ids(&mut query, user_ids);
    query.push(") AND b.start_ms >= ").push_bind(range.start);
    query.push(" AND b.start_ms < ").push_bind(range.end).push(
        " UNION ALL
         SELECT h.user_id, r.start_ms, r.end_ms, e.before_minutes, e.after_minutes,
                CASE WHEN r.seated = 1 THEN r.event_type_id END, NULL, r.until_ms, 0
         FROM reservations r
         JOIN reservation_hosts h ON h.reservation_id = r.id
         JOIN event_types e ON e.id = r.event_type_id
         WHERE r.until_ms > ",
    );
    query.push_bind(now).push(" AND h.user_id IN (");
    push_ids(&mut query, user_ids);
    query.push(") AND r.start_ms >= ").push_bind(range.start);
    query.push(" AND r.start_ms < ").push_bind(range.end).push(
        " UNION ALL
         SELECT user_id, start_ms, end_ms, 0, 0, NULL, NULL, NULL, 1 FROM out_of_office WHERE user_id IN (",
    );
    push_ids(&mut query, user_ids);
    query.push(") AND end_ms > ").push_bind(range.start);
    query.push(" AND start_ms < ").push_bind(range.end);
    query.push(") SELECT ");
    match checked {
        Some(stored) => push_setup_version(&mut query, stored),
        None => {
            query.push("CAST(NULL AS BIGINT)");
        }
    }
    query.push(", (");
    query.push_sql(&json_rows!(
        "user_id, start_ms, end_ms, before_minutes, after_minutes, seated_type_id, booking_id, until_ms, is_absence",
        "FROM taken"
    ));
    query.push(")");

    let (setup, text): (Option<i64>, String) = query.build_query_as().fetch_one(db).await?;
    let rows: Vec<Row> = serde_json::from_str(&text)?;
    let mut by_user: HashMap<i64, HostBusyTimes> = HashMap::new();
    for row in &rows {
        by_user.entry(row.user_id).or_default().add(row);
    }
    for times in by_user.values_mut() {
        times.times.sort_by_key(|time| time.range.start);
    }
    Ok((by_user, setup))
}
