//! Booking window (`bookingWindow`): how far ahead an event type can be booked.

use std::collections::BTreeSet;

use booking_wire::bookable_dates::{MAX_DAYS, MAX_ROLLING_DAYS};
use booking_zones::Zone;
use chrono::{Datelike, Duration, NaiveDate, Weekday};

use super::schedule::{instant_of, local_date};

/// The booking window of an event type.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum BookingWindow {
    /// No limit.
    Open,
    /// Up to the end of the day `days` after today, in the zone of the request.
    Ahead {
        /// Number of days.
        days: i64,
        /// True if only Monday to Friday count.
        business: bool,
    },
    /// Until `days` days with free times have been found.
    Rolling {
        /// Number of days with free times.
        days: i64,
        /// True if only Monday to Friday count.
        business: bool,
    },
    /// Whole days in the schedule's zone, including both ends.
    Between {
        /// First day.
        from: NaiveDate,
        /// Last day.
        to: NaiveDate,
    },
}

impl BookingWindow {
    /// The instants `[from, to)` between which starts are possible. For a rolling window an upper
    /// bound, because its end depends on the days with free times.
    pub fn bounds(&self, now: i64, zone: &Zone, schedule_zone: &Zone) -> (i64, i64) {
        match self {
            Self::Open => (i64::MIN, i64::MAX),
            Self::Ahead { days, business } => (
                i64::MIN,
                local_date(now, zone).map_or(i64::MAX, |today| {
                    end_of(ahead(today, *days, *business), zone)
                }),
            ),
            Self::Rolling { .. } => (
                i64::MIN,
                local_date(now, zone).map_or(i64::MAX, |today| {
                    end_of(today + Duration::days(MAX_ROLLING_DAYS), zone)
                }),
            ),
            Self::Between { from, to } => (
                instant_of(*from, 0, schedule_zone),
                end_of(*to, schedule_zone),
            ),
        }
    }

    /// Returns true if the end of the window depends on the days with free times.
    pub fn is_rolling(&self) -> bool {
        matches!(self, Self::Rolling { .. })
    }

    /// The last day of a rolling window, given the days with free times.
    pub fn last_rolling_day(&self, free_days: &BTreeSet<NaiveDate>) -> Option<NaiveDate> {
        let Self::Rolling { days, business } = self else {
            return None;
        };
        let count = usize::try_from(*days).unwrap_or(0);
        if count == 0 {
            return Some(NaiveDate::MIN);
        }
        free_days
            .iter()
            .filter(|day| !business || is_business_day(**day))
            .nth(count - 1)
            .copied()
    }
}

fn ahead(today: NaiveDate, days: i64, business: bool) -> NaiveDate {
    if !business {
        return today
            .checked_add_signed(Duration::try_days(days).unwrap_or_default())
            .unwrap_or(NaiveDate::MAX);
    }
    let mut day = today;
    let mut left = days.min(MAX_DAYS);
    while left > 0 {
        let Some(next) = day.succ_opt() else {
            return day;
        };
        day = next;
        if is_business_day(day) {
            left -= 1;
        }
    }
    day
}

fn is_business_day(day: NaiveDate) -> bool {
    !matches!(day.weekday(), Weekday::Sat | Weekday::Sun)
}

fn end_of(day: NaiveDate, zone: &Zone) -> i64 {
    day.succ_opt()
        .map_or(i64::MAX, |next| instant_of(next, 0, zone))
}
