//! Instants between which a booking window allows starts.

use std::collections::BTreeSet;

use booking_zones::Zone;
use chrono::{Duration, NaiveDate};

use super::schedule::{instant_of, local_date};
use crate::bookable_dates::{BookingWindow, MAX_ROLLING_DAYS, days_ahead, is_business_day};

impl BookingWindow {
    /// The instants `[from, to)` between which starts are possible. For a rolling window an upper
    /// bound, because its end depends on the days with free times.
    pub fn bounds(&self, now: i64, zone: &Zone, schedule_zone: &Zone) -> (i64, i64) {
        match self {
            Self::Open => (i64::MIN, i64::MAX),
            Self::Ahead { days, business } => (
                i64::MIN,
                local_date(now, zone).map_or(i64::MAX, |today| {
                    end_of(days_ahead(today, *days, *business), zone)
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

fn end_of(day: NaiveDate, zone: &Zone) -> i64 {
    day.succ_opt()
        .map_or(i64::MAX, |next| instant_of(next, 0, zone))
}
