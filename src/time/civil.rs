//! Calendar arithmetic on days without a zone.

use chrono::{Datelike, Months};

use super::CivilDate;

pub use chrono::Weekday;

/// A month of a year.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Month {
    first: CivilDate,
}

impl Month {
    /// The month that `day` lies in.
    pub fn of(day: CivilDate) -> Self {
        Self {
            first: day.with_day(1).unwrap_or(day),
        }
    }

    /// Its first day.
    pub fn first(self) -> CivilDate {
        self.first
    }

    /// Its last day.
    pub fn last(self) -> CivilDate {
        self.next().first.pred_opt().unwrap_or(self.first)
    }

    /// The month after it.
    pub fn next(self) -> Self {
        Self {
            first: add_months(self.first, 1),
        }
    }

    /// The month before it.
    pub fn previous(self) -> Self {
        Self {
            first: add_months(self.first, -1),
        }
    }

    /// Whether `day` lies in it.
    pub fn contains(self, day: CivilDate) -> bool {
        Self::of(day) == self
    }

    /// Six whole weeks that cover it, so that its height never changes.
    pub fn weeks(self, week_start: Weekday) -> Vec<[CivilDate; 7]> {
        let lead = self.first.weekday().days_since(week_start);
        let start = add_days(self.first, -i64::from(lead));
        (0..6)
            .map(|week| std::array::from_fn(|day| add_days(start, week * 7 + day as i64)))
            .collect()
    }
}

/// `day` moved by a number of days; stays where it is at the end of the calendar.
pub fn add_days(day: CivilDate, count: i64) -> CivilDate {
    let moved = i64::from(day.num_days_from_ce()).checked_add(count);
    moved
        .and_then(|days| CivilDate::from_num_days_from_ce_opt(i32::try_from(days).ok()?))
        .unwrap_or(day)
}

/// `day` moved by a number of months; the last of a month stays within the shorter one.
pub fn add_months(day: CivilDate, count: i32) -> CivilDate {
    let step = Months::new(count.unsigned_abs());
    let moved = if count < 0 {
        day.checked_sub_months(step)
    } else {
        day.checked_add_months(step)
    };
    moved.unwrap_or(day)
}

/// The first day of the week that `day` lies in.
pub fn week_start(day: CivilDate, first: Weekday) -> CivilDate {
    add_days(day, -i64::from(day.weekday().days_since(first)))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn day(text: &str) -> CivilDate {
        text.parse().unwrap()
    }

    #[test]
    fn a_month_always_fills_six_weeks_that_contain_it() {
        for (any, start, first_cell, last_cell) in [
            ("2027-02-14", Weekday::Mon, "2027-02-01", "2027-03-14"),
            ("2027-02-14", Weekday::Sun, "2027-01-31", "2027-03-13"),
            ("2026-08-31", Weekday::Mon, "2026-07-27", "2026-09-06"),
            ("2028-02-29", Weekday::Sat, "2028-01-29", "2028-03-10"),
        ] {
            let month = Month::of(day(any));
            let weeks = month.weeks(start);
            assert_eq!(weeks.len(), 6);
            assert_eq!(weeks[0][0], day(first_cell), "{any} {start}");
            assert_eq!(weeks[5][6], day(last_cell), "{any} {start}");
            assert!(
                weeks.concat().contains(&month.first()) && weeks.concat().contains(&month.last())
            );
        }
    }

    #[test]
    fn moving_by_months_stays_within_the_shorter_month() {
        assert_eq!(add_months(day("2027-01-31"), 1), day("2027-02-28"));
        assert_eq!(add_months(day("2027-03-31"), -1), day("2027-02-28"));
        assert_eq!(
            Month::of(day("2027-12-09")).next().first(),
            day("2028-01-01")
        );
        assert_eq!(Month::of(day("2027-02-09")).last(), day("2027-02-28"));
    }
}
