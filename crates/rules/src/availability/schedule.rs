//! Converts a host's working hours on the clock of a zone to time ranges.

use booking_wire::Instant;
use booking_zones::Zone;
use chrono::{Datelike, Duration, NaiveDate, NaiveTime, TimeDelta};

use super::time_range::{TimeRange, merge};

/// Minute of the day that means midnight as the end of a rule: `23:59`.
const LAST_MINUTE: i64 = 23 * 60 + 59;

/// Weekly working hours in one zone, with date overrides.
#[derive(Clone, Debug)]
pub struct Schedule {
    /// Time zone of the rules.
    pub zone: Zone,
    /// Rules of the week.
    pub week: Vec<DayRule>,
    /// Overrides, which replace the hours of their dates; sorted by date.
    pub overrides: Vec<Override>,
}

/// Working hours of one weekday, in minutes since midnight on the clock.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DayRule {
    /// 0 is Sunday, 6 is Saturday.
    pub weekday: i64,
    /// First minute.
    pub from: i64,
    /// Minute after the last; 23:59 means midnight.
    pub to: i64,
}

/// Working hours of one date; equal ends mean a day off.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Override {
    /// The date in the schedule's zone.
    pub date: NaiveDate,
    /// First minute.
    pub from: i64,
    /// Minute after the last; 23:59 means midnight.
    pub to: i64,
}

impl Schedule {
    /// The working hours that touch `window`, merged, not clipped to it.
    ///
    /// They are not clipped, so that the starts of a day do not depend on the requested range.
    pub fn ranges(&self, window: TimeRange) -> Vec<TimeRange> {
        let (Some(first), Some(last)) = (
            local_date(window.start, &self.zone),
            local_date(window.end, &self.zone),
        ) else {
            return Vec::new();
        };
        let mut ranges = Vec::new();
        // A day before and after: a range may start before the window's first midnight.
        let mut date = first - Duration::days(1);
        while date <= last + Duration::days(1) {
            self.push_day(date, &mut ranges);
            let Some(next) = date.succ_opt() else { break };
            date = next;
        }
        merge(ranges)
    }

    fn push_day(&self, date: NaiveDate, ranges: &mut Vec<TimeRange>) {
        // A schedule may have 1,000 overrides, so they are not searched one by one.
        let first = self.overrides.partition_point(|hours| hours.date < date);
        let overrides = self.overrides.iter().skip(first);
        let mut replaced = false;
        for hours in overrides.take_while(|hours| hours.date == date) {
            replaced = true;
            self.push_hours(date, hours.from, hours.to, ranges);
        }
        if replaced {
            return;
        }
        let weekday = i64::from(date.weekday().num_days_from_sunday());
        for rule in self.week.iter().filter(|rule| rule.weekday == weekday) {
            self.push_hours(date, rule.from, rule.to, ranges);
        }
    }

    fn push_hours(&self, date: NaiveDate, from: i64, to: i64, ranges: &mut Vec<TimeRange>) {
        if from == to {
            return;
        }
        let to = if to == LAST_MINUTE { 24 * 60 } else { to };
        let range = TimeRange::new(
            instant_of(date, from, &self.zone),
            instant_of(date, to, &self.zone),
        );
        if !range.is_empty() {
            ranges.push(range);
        }
    }
}

/// The instant at which the clock of `zone` shows `minute` of `date`.
///
/// A time inside a spring gap moves forward by the gap; an ambiguous time means its first occurrence.
pub fn instant_of(date: NaiveDate, minute: i64, zone: &Zone) -> i64 {
    let local = date.and_time(NaiveTime::MIN) + TimeDelta::minutes(minute);
    zone.instants(local).first().0
}

/// Date at `instant` in `zone`; `None` outside the range of dates.
pub fn local_date(instant: i64, zone: &Zone) -> Option<NaiveDate> {
    zone.date(Instant(instant))
}

/// Offset of `zone` from UTC at `instant`, in milliseconds.
pub fn offset_at(instant: i64, zone: &Zone) -> i64 {
    zone.offset_s(Instant(instant)) * 1000
}
