//! Query of a calendar, and what it selects of the rows that were read.

use crate::availability::{DAY, Rules, TimeRange};
use crate::error::Result;
use crate::store::connection::Db;
use crate::store::event_types::StoredEventType;
use crate::store::sql;

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

/// What a query selects of the rows that were read.
#[derive(Clone, Copy, Debug)]
pub struct Scope {
    /// Id of the event type.
    pub event_type_id: i64,
    /// Range of the starts of bookings that can matter.
    pub range: TimeRange,
    /// Current instant in epoch milliseconds.
    pub now: i64,
    /// Id of the booking that is about to be rescheduled.
    rescheduled_id: Option<i64>,
}

impl Scope {
    /// Returns the scope of a query.
    pub async fn read(db: &mut Db, stored: &StoredEventType, query: BusyQuery<'_>) -> Result<Self> {
        let rescheduled_id = match query.rescheduled_uid {
            Some(uid) => rescheduled_booking_id(db, uid).await?,
            None => None,
        };
        Ok(Self {
            event_type_id: stored.wire.id,
            // A range may start a day before the window, and buffers extend over midnight.
            range: TimeRange::new(
                query.window.start.saturating_sub(2 * DAY),
                query.window.end.saturating_add(2 * DAY),
            ),
            now: query.now,
            rescheduled_id,
        })
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

    /// Returns true unless it is the booking to reschedule, or a reservation that has expired.
    pub(super) fn includes(&self, booking_id: Option<i64>, until_ms: Option<i64>) -> bool {
        (booking_id.is_none() || booking_id != self.rescheduled_id)
            && until_ms.is_none_or(|until| until > self.now)
    }
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
