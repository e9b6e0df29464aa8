//! Reads meetings with seats, and meetings that count towards the limits of an event type.

use std::collections::{HashMap, HashSet};

use booking_rules::availability::{SeatedMeeting, TimeRange};
use booking_store_engine::connection::Db;
use booking_store_engine::sql;
use serde::Deserialize;

use crate::error::Result;
use crate::store::busy::scope::Scope;
use crate::store::event_types::StoredEventType;
use crate::store::rows::json_rows;

/// A host of a seated meeting, or of a reservation for it; in SQL, a JSON array in the order of the
/// fields.
#[derive(Clone, Debug, Deserialize)]
struct SeatedRow {
    /// None of a reservation.
    uid: Option<String>,
    start_ms: i64,
    end_ms: i64,
    /// Number of seats; 0 of a reservation.
    seats: i64,
    /// Number of booked seats.
    booked: i64,
    /// None of a reservation.
    booking_id: Option<i64>,
    /// None of a booking.
    reservation_id: Option<i64>,
    /// End of a reservation.
    until_ms: Option<i64>,
    host_id: Option<i64>,
}

/// Hosts of the meetings of a seated event type, and of reservations for them.
#[derive(Clone, Debug, Default)]
pub struct SeatedRows(Vec<SeatedRow>);

impl SeatedRows {
    /// Returns the meetings in the scope, sorted by start. Reservations for a start without a booking
    /// form a meeting, too.
    pub(super) fn meetings(&self, stored: &StoredEventType, scope: Scope) -> Vec<SeatedMeeting> {
        let rows = self.0.iter().filter(|row| {
            (scope.range.start..scope.range.end).contains(&row.start_ms)
                && scope.includes(row.booking_id, row.until_ms)
        });
        let mut seated_meetings: HashMap<i64, SeatedMeeting> = HashMap::new();
        let mut counted = HashSet::new();
        for row in rows {
            let is_reservation = row.uid.is_none();
            let seated_meeting =
                seated_meetings
                    .entry(row.start_ms)
                    .or_insert_with(|| SeatedMeeting {
                        range: TimeRange::new(row.start_ms, row.end_ms),
                        uid: row.uid.clone(),
                        host_ids: Vec::new(),
                        booked: row.booked,
                        reserved: 0,
                        // A meeting has as many seats as the event type had then, or fewer now: who has one keeps it.
                        seats: match stored.seats() {
                            Some(seats) if is_reservation => seats,
                            Some(seats) => row.seats.min(seats.max(row.booked)),
                            None => row.seats.max(1),
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
        seated_meetings
    }

    /// Returns the number of rows.
    pub fn count(&self) -> usize {
        self.0.len()
    }
}

/// Reads the meetings of a seated event type that start in `range`. Those with bookings come first.
pub async fn seated_rows(
    db: &mut Db,
    event_type_id: i64,
    range: TimeRange,
    now: i64,
) -> Result<SeatedRows> {
    // In one row: see `super::rows`.
    let text: String = sql::query_scalar(json_rows!(
        "uid, start_ms, end_ms, seats, booked, booking_id, reservation_id, until_ms, host_id",
        "FROM (
         SELECT b.uid, b.start_ms, b.end_ms, coalesce(b.seats, 1) AS seats,
                (SELECT count(*) FROM attendees a WHERE a.booking_id = b.id AND a.seat_uid IS NOT NULL) AS booked,
                b.id AS booking_id, CAST(NULL AS BIGINT) AS reservation_id, CAST(NULL AS BIGINT) AS until_ms,
                h.user_id AS host_id
         FROM bookings b LEFT JOIN booking_hosts h ON h.booking_id = b.id
         WHERE b.event_type_id = ? AND b.start_ms >= ? AND b.start_ms < ? AND b.seated = 1
           AND b.status IN ('accepted', 'pending')
         UNION ALL
         SELECT NULL, r.start_ms, r.end_ms, 0, 0, NULL, r.id, r.until_ms, h.user_id
         FROM reservations r LEFT JOIN reservation_hosts h ON h.reservation_id = r.id
         WHERE r.event_type_id = ? AND r.start_ms >= ? AND r.start_ms < ? AND r.seated = 1 AND r.until_ms > ?) AS meetings"
    ))
    .bind(event_type_id)
    .bind(range.start)
    .bind(range.end)
    .bind(event_type_id)
    .bind(range.start)
    .bind(range.end)
    .bind(now)
    .fetch_one(db)
    .await?;
    Ok(SeatedRows(serde_json::from_str(&text)?))
}

/// A meeting that counts towards limits; in SQL, a JSON array in the order of the fields.
#[derive(Clone, Debug, Deserialize)]
struct CountedRow {
    start_ms: i64,
    end_ms: i64,
    /// None of a reservation.
    booking_id: Option<i64>,
    /// End of a reservation.
    until_ms: Option<i64>,
}

/// Accepted bookings and reservations that count towards the limits of an event type, without
/// reservations of seats.
#[derive(Clone, Debug, Default)]
pub struct CountedMeetings(Vec<CountedRow>);

impl CountedMeetings {
    /// Returns the ranges that count, with those of seated meetings that are only reserved.
    pub(super) fn ranges(&self, scope: Scope, seated_meetings: &[SeatedMeeting]) -> Vec<TimeRange> {
        let rows = self.0.iter();
        let rows = rows.filter(|row| scope.includes(row.booking_id, row.until_ms));
        let reserved = seated_meetings
            .iter()
            .filter(|seated_meeting| seated_meeting.uid.is_none());
        rows.map(|row| TimeRange::new(row.start_ms, row.end_ms))
            .chain(reserved.map(|seated_meeting| seated_meeting.range))
            .collect()
    }

    /// Returns the number of meetings.
    pub fn count(&self) -> usize {
        self.0.len()
    }
}

/// Reads the meetings that start in `range` and count towards the limits of the event type.
pub async fn counted_meetings(
    db: &mut Db,
    event_type_id: i64,
    range: TimeRange,
    now: i64,
) -> Result<CountedMeetings> {
    // In one row: see `super::rows`.
    let text: String = sql::query_scalar(json_rows!(
        "start_ms, end_ms, booking_id, until_ms",
        "FROM (
         SELECT start_ms, end_ms, id AS booking_id, CAST(NULL AS BIGINT) AS until_ms FROM bookings
         WHERE event_type_id = ? AND start_ms >= ? AND start_ms < ? AND status = 'accepted'
         UNION ALL
         SELECT start_ms, end_ms, NULL, until_ms FROM reservations
         WHERE event_type_id = ? AND start_ms >= ? AND start_ms < ? AND seated = 0 AND until_ms > ?) AS booked"
    ))
    .bind(event_type_id)
    .bind(range.start)
    .bind(range.end)
    .bind(event_type_id)
    .bind(range.start)
    .bind(range.end)
    .bind(now)
    .fetch_one(db)
    .await?;
    Ok(CountedMeetings(serde_json::from_str(&text)?))
}
