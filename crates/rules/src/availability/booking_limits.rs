//! Limits on bookings of an event type per day, week, month or year.

use std::collections::BTreeMap;

use booking_zones::Zone;
use chrono::{Datelike, Days, Months, NaiveDate, Weekday};
use serde_json::Value;

use super::schedule::{instant_of, local_date};
use super::time_range::TimeRange;
use super::units::MINUTE;

/// One limit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limit {
    /// Period to which the limit applies.
    pub period: Period,
    /// Kind and value of the limit.
    pub kind: LimitKind,
}

/// Kind and value of a limit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LimitKind {
    /// Most meetings.
    Meetings(i64),
    /// Most minutes of all meetings together.
    Minutes(i64),
}

/// A period of the calendar.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Period {
    /// From midnight to midnight.
    Day,
    /// From this day on.
    Week(Weekday),
    /// A calendar month.
    Month,
    /// A calendar year.
    Year,
}

impl Period {
    /// Periods by their names in the settings.
    fn named(week_start: Weekday) -> [(&'static str, Self); 4] {
        [
            ("day", Self::Day),
            ("week", Self::Week(week_start)),
            ("month", Self::Month),
            ("year", Self::Year),
        ]
    }

    /// Most days of a period.
    pub fn days(self) -> i64 {
        match self {
            Self::Day => 1,
            Self::Week(_) => 7,
            Self::Month => 31,
            Self::Year => 366,
        }
    }

    /// The first day of the period that contains `date`.
    fn first_day(self, date: NaiveDate) -> NaiveDate {
        let first = match self {
            Self::Day => Some(date),
            Self::Week(start) => {
                date.checked_sub_days(Days::new(date.weekday().days_since(start).into()))
            }
            Self::Month => date.with_day(1),
            Self::Year => NaiveDate::from_ymd_opt(date.year(), 1, 1),
        };
        first.unwrap_or(date)
    }

    /// The first day of the period after the one that starts on `first`.
    fn next(self, first: NaiveDate) -> NaiveDate {
        let next = match self {
            Self::Day => first.checked_add_days(Days::new(1)),
            Self::Week(_) => first.checked_add_days(Days::new(7)),
            Self::Month => first.checked_add_months(Months::new(1)),
            Self::Year => first.checked_add_months(Months::new(12)),
        };
        next.unwrap_or(NaiveDate::MAX)
    }
}

impl Limit {
    /// Reads the settings of an event type, `bookingLimitsCount` and `bookingLimitsDuration`. `week_start` is the first day of
    /// the week of its owner.
    pub fn read(settings: &Value, week_start: Weekday) -> Vec<Self> {
        let mut limits = Vec::new();
        for (key, to_kind) in [
            (
                "bookingLimitsCount",
                LimitKind::Meetings as fn(i64) -> LimitKind,
            ),
            ("bookingLimitsDuration", LimitKind::Minutes),
        ] {
            let Some(limits_of_kind) = settings.get(key) else {
                continue;
            };
            if limits_of_kind.get("disabled").and_then(Value::as_bool) == Some(true) {
                continue;
            }
            for (name, period) in Period::named(week_start) {
                if let Some(number) = limits_of_kind.get(name).and_then(Value::as_i64) {
                    limits.push(Self {
                        period,
                        kind: to_kind(number),
                    });
                }
            }
        }
        limits
    }

    /// Returns true if a period in which `meetings` take `taken` milliseconds has no room for
    /// another meeting of `length` minutes.
    fn is_reached(self, meetings: i64, taken: i64, length: i64) -> bool {
        match self.kind {
            LimitKind::Meetings(max) => meetings >= max,
            LimitKind::Minutes(max) => taken + length * MINUTE > max * MINUTE,
        }
    }
}

/// The periods in which no meeting of `length` minutes may be added to those `booked`. A meeting
/// counts in the period of its start, in the calendar of `zone`.
pub fn full_periods(
    limits: &[Limit],
    length: i64,
    booked: &[TimeRange],
    zone: &Zone,
) -> Vec<TimeRange> {
    let mut full = Vec::new();
    for limit in limits {
        if limit.is_reached(0, 0, length) {
            return vec![TimeRange::new(i64::MIN, i64::MAX)];
        }
        let mut tally: BTreeMap<NaiveDate, (i64, i64)> = BTreeMap::new();
        for meeting in booked {
            if let Some(date) = local_date(meeting.start, zone) {
                let (meetings, taken) = tally.entry(limit.period.first_day(date)).or_default();
                *meetings += 1;
                *taken += meeting.end - meeting.start;
            }
        }
        for (first, (meetings, taken)) in tally {
            if limit.is_reached(meetings, taken, length) {
                let next = limit.period.next(first);
                full.push(TimeRange::new(
                    instant_of(first, 0, zone),
                    instant_of(next, 0, zone),
                ));
            }
        }
    }
    full
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn limits_are_read_from_settings_unless_switched_off() {
        let settings = json!({
            "bookingLimitsCount": {"day": 2, "year": 50},
            "bookingLimitsDuration": {"disabled": true, "week": 60},
        });
        assert_eq!(
            Limit::read(&settings, Weekday::Sun),
            [
                Limit {
                    period: Period::Day,
                    kind: LimitKind::Meetings(2)
                },
                Limit {
                    period: Period::Year,
                    kind: LimitKind::Meetings(50)
                },
            ]
        );
        assert_eq!(Limit::read(&json!({}), Weekday::Sun), []);
    }

    #[test]
    fn periods_start_on_calendar_boundaries() {
        // 2027-03-17 is a Wednesday.
        let date: NaiveDate = "2027-03-17".parse().unwrap();
        for (period, first, next) in [
            (Period::Day, "2027-03-17", "2027-03-18"),
            (Period::Week(Weekday::Sun), "2027-03-14", "2027-03-21"),
            (Period::Week(Weekday::Mon), "2027-03-15", "2027-03-22"),
            (Period::Week(Weekday::Wed), "2027-03-17", "2027-03-24"),
            (Period::Week(Weekday::Thu), "2027-03-11", "2027-03-18"),
            (Period::Month, "2027-03-01", "2027-04-01"),
            (Period::Year, "2027-01-01", "2028-01-01"),
        ] {
            let begins = period.first_day(date);
            assert_eq!(begins.to_string(), first, "{period:?}");
            assert_eq!(period.next(begins).to_string(), next, "{period:?}");
        }
    }
}
