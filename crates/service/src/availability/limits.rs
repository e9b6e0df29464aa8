//! How often an event type can be booked within a day, week, month or year (contract 6.1, step 5).

use std::collections::BTreeMap;

use chrono::{Datelike, Days, Months, NaiveDate};
use chrono_tz::Tz;
use serde_json::Value;

use super::schedule::{instant_of, local_date};
use super::span::Span;
use super::units::MINUTE;

/// One limit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limit {
    /// Within what.
    pub period: Period,
    /// How much at most.
    pub most: Most,
}

/// What is limited.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Most {
    /// The number of meetings.
    Meetings(i64),
    /// The minutes of all meetings together.
    Minutes(i64),
}

/// A stretch of the calendar.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Period {
    /// From midnight to midnight.
    Day,
    /// From Sunday on.
    Week,
    /// A calendar month.
    Month,
    /// A calendar year.
    Year,
}

impl Period {
    const NAMES: [(&str, Self); 4] = [
        ("day", Self::Day),
        ("week", Self::Week),
        ("month", Self::Month),
        ("year", Self::Year),
    ];

    /// Days that it lasts at most.
    pub fn days(self) -> i64 {
        match self {
            Self::Day => 1,
            Self::Week => 7,
            Self::Month => 31,
            Self::Year => 366,
        }
    }

    /// The first day of the period that `date` lies in.
    fn first_day(self, date: NaiveDate) -> NaiveDate {
        let first = match self {
            Self::Day => Some(date),
            Self::Week => {
                date.checked_sub_days(Days::new(u64::from(date.weekday().num_days_from_sunday())))
            }
            Self::Month => date.with_day(1),
            Self::Year => NaiveDate::from_ymd_opt(date.year(), 1, 1),
        };
        first.unwrap_or(date)
    }

    /// The first day of the period after the one that begins on `first`.
    fn next(self, first: NaiveDate) -> NaiveDate {
        let next = match self {
            Self::Day => first.checked_add_days(Days::new(1)),
            Self::Week => first.checked_add_days(Days::new(7)),
            Self::Month => first.checked_add_months(Months::new(1)),
            Self::Year => first.checked_add_months(Months::new(12)),
        };
        next.unwrap_or(NaiveDate::MAX)
    }
}

impl Limit {
    /// Reads the settings of an event type, `bookingLimitsCount` and `bookingLimitsDuration`.
    pub fn read(settings: &Value) -> Vec<Self> {
        let mut limits = Vec::new();
        for (key, most) in [
            ("bookingLimitsCount", Most::Meetings as fn(i64) -> Most),
            ("bookingLimitsDuration", Most::Minutes),
        ] {
            let Some(given) = settings.get(key) else {
                continue;
            };
            if given.get("disabled").and_then(Value::as_bool) == Some(true) {
                continue;
            }
            for (name, period) in Period::NAMES {
                if let Some(number) = given.get(name).and_then(Value::as_i64) {
                    limits.push(Self {
                        period,
                        most: most(number),
                    });
                }
            }
        }
        limits
    }

    /// Whether a period in which `meetings` take `taken` milliseconds has no room for another
    /// meeting of `length` minutes.
    fn is_reached(self, meetings: i64, taken: i64, length: i64) -> bool {
        match self.most {
            Most::Meetings(most) => meetings >= most,
            Most::Minutes(most) => taken + length * MINUTE > most * MINUTE,
        }
    }
}

/// The periods in which no meeting of `length` minutes may be added to those `booked`. A meeting
/// counts where it starts, on the calendar of `zone`.
pub fn full_periods(limits: &[Limit], length: i64, booked: &[Span], zone: Tz) -> Vec<Span> {
    let mut full = Vec::new();
    for limit in limits {
        if limit.is_reached(0, 0, length) {
            return vec![Span::new(i64::MIN, i64::MAX)];
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
                full.push(Span::new(
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
            Limit::read(&settings),
            [
                Limit {
                    period: Period::Day,
                    most: Most::Meetings(2)
                },
                Limit {
                    period: Period::Year,
                    most: Most::Meetings(50)
                },
            ]
        );
        assert_eq!(Limit::read(&json!({})), []);
    }

    #[test]
    fn periods_begin_where_the_calendar_says() {
        // 2027-03-17 is a Wednesday.
        let date: NaiveDate = "2027-03-17".parse().unwrap();
        for (period, first, next) in [
            (Period::Day, "2027-03-17", "2027-03-18"),
            (Period::Week, "2027-03-14", "2027-03-21"),
            (Period::Month, "2027-03-01", "2027-04-01"),
            (Period::Year, "2027-01-01", "2028-01-01"),
        ] {
            let begins = period.first_day(date);
            assert_eq!(begins.to_string(), first, "{period:?}");
            assert_eq!(period.next(begins).to_string(), next, "{period:?}");
        }
    }
}
