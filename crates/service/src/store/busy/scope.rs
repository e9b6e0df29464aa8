//! Query of a calendar, and what it selects of the rows that were read.

use booking_rules::availability::{DAY, Rules, TimeRange};
use booking_store_engine::connection::Db;
use booking_store_engine::sql;

use crate::error::Result;
use crate::store::event_types::StoredEventType;

/// Query of the hosts' working hours and busy times.
#[derive(Clone, Copy, Debug)]
pub struct BusyQuery<'a> {
    /// Range of the starts.
    pub window: TimeRange,
    /// Current instant in epoch milliseconds: expired reservations are ignored.
    pub now: i64,
    /// The booking that another time is wanted for.
    pub moved: Option<&'a MovedBooking>,
}

/// A booking that is about to be moved, or of which a seat is.
#[derive(Clone, Debug, Default)]
pub struct MovedBooking {
    /// Its id, if its time counts as free: unless others keep their seats in it.
    pub free_id: Option<i64>,
    /// Its hosts who can still host meetings: they stay, if the event type requires it.
    pub host_ids: Vec<i64>,
    /// True if a meeting with seats is moved with all of them: it joins no other.
    pub has_all_seats: bool,
}

impl MovedBooking {
    /// Finds the booking with that uid, or seat. Of a booking in which several have seats, the uid stands for all of them only
    /// if `may_move_all`.
    pub async fn find(db: &mut Db, uid: &str, may_move_all: bool) -> Result<Option<Self>> {
        let found: Option<(i64, i64, i64, i64)> = sql::query_as(
            "SELECT b.id, CAST(CASE WHEN b.uid = ? THEN 1 ELSE 0 END AS BIGINT), b.seated,
                    (SELECT count(*) FROM attendees WHERE booking_id = b.id AND seat_uid IS NOT NULL)
             FROM bookings b
             WHERE b.uid = ? OR b.id = (SELECT booking_id FROM attendees WHERE seat_uid = ?)",
        )
        .bind(uid)
        .bind(uid)
        .bind(uid)
        .fetch_optional(&mut *db)
        .await?;
        let Some((id, is_booking, is_seated, seats)) = found else {
            return Ok(None);
        };
        let has_all_seats = may_move_all && is_booking == 1 && is_seated == 1;
        let is_free = has_all_seats || is_seated == 0 || seats <= 1;
        Ok(Some(Self {
            free_id: is_free.then_some(id),
            host_ids: Self::hosts(db, id).await?,
            has_all_seats,
        }))
    }

    /// Returns the hosts of a booking who can still host meetings.
    pub async fn hosts(db: &mut Db, booking_id: i64) -> Result<Vec<i64>> {
        Ok(sql::query_scalar(
            "SELECT u.id FROM booking_hosts h JOIN users u ON u.id = h.user_id
             WHERE h.booking_id = ? AND u.disabled_ms IS NULL ORDER BY u.id",
        )
        .bind(booking_id)
        .fetch_all(db)
        .await?)
    }
}

/// Selection of a query among the rows that were read.
#[derive(Clone, Copy, Debug)]
pub struct Scope {
    /// Id of the event type.
    pub event_type_id: i64,
    /// Range of the starts of bookings that can matter.
    pub range: TimeRange,
    /// Current instant in epoch milliseconds.
    pub now: i64,
    /// Id of the booking whose time counts as free.
    free_id: Option<i64>,
}

impl Scope {
    /// Returns the scope of a query.
    pub fn of(stored: &StoredEventType, query: BusyQuery<'_>) -> Self {
        Self {
            event_type_id: stored.wire.id,
            // A range may start a day before the window, and buffers extend over midnight.
            range: TimeRange::new(
                query.window.start.saturating_sub(2 * DAY),
                query.window.end.saturating_add(2 * DAY),
            ),
            now: query.now,
            free_id: query.moved.and_then(|moved| moved.free_id),
        }
    }

    /// Returns the range of the meetings that count towards the limits; none without limits.
    pub fn counted_range(&self, rules: &Rules) -> Option<TimeRange> {
        let longest = rules.limits.iter().map(|limit| limit.period.days()).max()?;
        let margin = (longest + 1) * DAY;
        Some(TimeRange::new(
            self.range.start.saturating_sub(margin),
            self.range.end.saturating_add(margin),
        ))
    }

    /// Returns true unless it is the booking whose time counts as free, or a reservation that has expired.
    pub(super) fn includes(&self, booking_id: Option<i64>, until_ms: Option<i64>) -> bool {
        (booking_id.is_none() || booking_id != self.free_id)
            && until_ms.is_none_or(|until| until > self.now)
    }
}
