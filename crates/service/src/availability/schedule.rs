//! A host's working hours on the clock of their zone, turned into spans of time.

use chrono::offset::LocalResult;
use chrono::{
    Datelike, Duration, NaiveDate, NaiveDateTime, NaiveTime, Offset, TimeDelta, TimeZone,
};
use chrono_tz::Tz;

use super::span::{Span, merge};

/// Minute of the day that means "until midnight" when it ends a rule (contract 6.1, step 2).
const LAST_MINUTE: i64 = 23 * 60 + 59;

/// Weekly working hours in one zone, with dates that differ.
#[derive(Clone, Debug)]
pub struct Schedule {
    /// The zone whose clock the rules are read on.
    pub zone: Tz,
    /// The ordinary week.
    pub week: Vec<DayRule>,
    /// Dates whose hours replace those of the week.
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
    /// They stay unclipped so that the starts of a day do not depend on the range asked for.
    pub fn spans(&self, window: Span) -> Vec<Span> {
        let (Some(first), Some(last)) = (
            local_date(window.start, self.zone),
            local_date(window.end, self.zone),
        ) else {
            return Vec::new();
        };
        let mut spans = Vec::new();
        // A day before and after: a range may begin before the window's first midnight.
        let mut date = first - Duration::days(1);
        while date <= last + Duration::days(1) {
            self.push_day(date, &mut spans);
            let Some(next) = date.succ_opt() else { break };
            date = next;
        }
        merge(spans)
    }

    fn push_day(&self, date: NaiveDate, spans: &mut Vec<Span>) {
        let mut replaced = false;
        for hours in self.overrides.iter().filter(|hours| hours.date == date) {
            replaced = true;
            self.push_hours(date, hours.from, hours.to, spans);
        }
        if replaced {
            return;
        }
        let weekday = i64::from(date.weekday().num_days_from_sunday());
        for rule in self.week.iter().filter(|rule| rule.weekday == weekday) {
            self.push_hours(date, rule.from, rule.to, spans);
        }
    }

    fn push_hours(&self, date: NaiveDate, from: i64, to: i64, spans: &mut Vec<Span>) {
        if from == to {
            return;
        }
        let to = if to == LAST_MINUTE { 24 * 60 } else { to };
        let span = Span::new(
            instant_of(date, from, self.zone),
            instant_of(date, to, self.zone),
        );
        if !span.is_empty() {
            spans.push(span);
        }
    }
}

/// The instant at which the clock of `zone` shows `minute` of `date`.
///
/// A time inside a spring gap moves forward by the gap; an ambiguous one means its first
/// occurrence (contract 6.2).
pub fn instant_of(date: NaiveDate, minute: i64, zone: Tz) -> i64 {
    resolve(
        date.and_time(NaiveTime::MIN) + TimeDelta::minutes(minute),
        zone,
    )
}

fn resolve(local: NaiveDateTime, zone: Tz) -> i64 {
    match zone.from_local_datetime(&local) {
        LocalResult::Single(at) | LocalResult::Ambiguous(at, _) => at.timestamp_millis(),
        LocalResult::None => {
            // Read with the offset that held before the gap, the time lands as far behind the
            // gap as it lay inside it. A day earlier is before every gap known, also Apia's.
            let before = match zone.offset_from_local_datetime(&(local - TimeDelta::days(1))) {
                LocalResult::Single(offset) | LocalResult::Ambiguous(_, offset) => offset.fix(),
                LocalResult::None => zone.offset_from_utc_datetime(&local).fix(),
            };
            local.and_utc().timestamp_millis() - i64::from(before.local_minus_utc()) * 1000
        }
    }
}

/// The date that the calendar of `zone` shows at `instant`; none outside chrono's range.
pub fn local_date(instant: i64, zone: Tz) -> Option<NaiveDate> {
    chrono::DateTime::from_timestamp_millis(instant).map(|at| at.with_timezone(&zone).date_naive())
}

/// Offset of `zone` from UTC at `instant`, in milliseconds.
pub fn offset_at(instant: i64, zone: Tz) -> i64 {
    chrono::DateTime::from_timestamp_millis(instant).map_or(0, |at| {
        i64::from(
            zone.offset_from_utc_datetime(&at.naive_utc())
                .fix()
                .local_minus_utc(),
        ) * 1000
    })
}
