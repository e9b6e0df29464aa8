//! Absences of hosts: the days or the time that they cover.

use booking_zones::Zone;
use chrono::NaiveDate;

use super::schedule::instant_of;
use super::time_range::TimeRange;
use super::units::DAY;

const SECOND: i64 = 1000;

/// An absence (out of office).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TimeOff {
    /// Whole days in the zone of the host's schedule, including both ends.
    Days {
        /// First day.
        from: NaiveDate,
        /// Last day.
        to: NaiveDate,
    },
    /// A time range.
    Instants(TimeRange),
}

impl TimeOff {
    /// Converts a stored absence, in epoch milliseconds. Whole days in UTC, from a midnight to
    /// another one or to the last second of a day, mean days of the host's calendar.
    pub fn from_stored(start: i64, end: i64) -> Option<Self> {
        let day = |instant: i64| {
            chrono::DateTime::from_timestamp_millis(instant).map(|at| at.date_naive())
        };
        let ends_with_day = end.rem_euclid(DAY) == 0 || end.rem_euclid(DAY) >= DAY - SECOND;
        if start.rem_euclid(DAY) != 0 || !ends_with_day {
            return Some(Self::Instants(TimeRange::new(start, end)));
        }
        Some(Self::Days {
            from: day(start)?,
            to: day(end.saturating_sub(1).max(start))?,
        })
    }

    /// Time of the absence; whole days are those of `zone`.
    pub(super) fn range(self, zone: &Zone) -> TimeRange {
        match self {
            Self::Days { from, to } => {
                let end = to
                    .succ_opt()
                    .map_or(i64::MAX, |day| instant_of(day, 0, zone));
                TimeRange::new(instant_of(from, 0, zone), end)
            }
            Self::Instants(range) => range,
        }
    }
}
