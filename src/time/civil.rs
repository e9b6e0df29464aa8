//! Calendar arithmetic on civil dates.

use chrono::{Datelike, Months};

use booking_wire::CivilDate;

pub use chrono::Weekday;

/// A month of a year.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Month {
    first: CivilDate,
}

impl Month {
    /// Returns the month of `day`.
    pub fn of(day: CivilDate) -> Self {
        Self {
            first: day.with_day(1).unwrap_or(day),
        }
    }

    /// Returns its first day.
    pub fn first(self) -> CivilDate {
        self.first
    }

    /// Returns its last day.
    pub fn last(self) -> CivilDate {
        self.next().first.pred_opt().unwrap_or(self.first)
    }

    /// Returns the next month.
    pub fn next(self) -> Self {
        Self {
            first: add_months(self.first, 1),
        }
    }

    /// Returns the previous month.
    pub fn previous(self) -> Self {
        Self {
            first: add_months(self.first, -1),
        }
    }

    /// True if `day` is in it.
    pub fn contains(self, day: CivilDate) -> bool {
        Self::of(day) == self
    }
}

/// Date range, including both ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DateRange {
    /// First date.
    pub first: CivilDate,
    /// Last date.
    pub last: CivilDate,
}

impl DateRange {
    /// Creates a range of `count` dates from `first`.
    pub fn of(first: CivilDate, count: i64) -> Self {
        Self {
            first,
            last: add_days(first, count - 1),
        }
    }

    /// True if `day` is in the range.
    pub fn contains(self, day: CivilDate) -> bool {
        (self.first..=self.last).contains(&day)
    }

    /// Returns its dates.
    pub fn days(self) -> impl Iterator<Item = CivilDate> {
        let count = self.last.num_days_from_ce() - self.first.num_days_from_ce() + 1;
        (0..i64::from(count)).map(move |index| add_days(self.first, index))
    }
}

/// Six whole weeks that show a month, so that the height never changes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MonthGrid {
    /// Shown month.
    pub month: Month,
    /// Date of the first cell.
    pub first: CivilDate,
}

/// With fewer days left than these, the current month is shown with the weeks after it.
const LATE_DAYS: i64 = 14;

const GRID_DAYS: i64 = 42;

impl MonthGrid {
    /// Returns the weeks of `month`. Late in the current month they begin with the current week and continue into
    /// the next month, so that the grid is never nearly empty.
    pub fn of(month: Month, today: CivilDate, week_begins: Weekday) -> Self {
        let is_late = month.contains(today) && add_days(today, LATE_DAYS) > month.last();
        let within = if is_late { today } else { month.first() };
        Self {
            month,
            first: week_start(within, week_begins),
        }
    }

    /// Returns the dates of its cells.
    pub fn range(self) -> DateRange {
        DateRange::of(self.first, GRID_DAYS)
    }

    /// Returns its dates by week.
    pub fn weeks(self) -> impl Iterator<Item = [CivilDate; 7]> {
        let first = self.first;
        (0..6).map(move |week| std::array::from_fn(|day| add_days(first, week * 7 + day as i64)))
    }
}

/// Adds a number of days; returns `day` if the result is out of range.
pub fn add_days(day: CivilDate, count: i64) -> CivilDate {
    let moved = i64::from(day.num_days_from_ce()).checked_add(count);
    moved
        .and_then(|days| CivilDate::from_num_days_from_ce_opt(i32::try_from(days).ok()?))
        .unwrap_or(day)
}

/// Returns the number of days from `first` to `second`, negative if that is before it.
pub fn days_between(first: CivilDate, second: CivilDate) -> i64 {
    i64::from(second.num_days_from_ce()) - i64::from(first.num_days_from_ce())
}

/// Adds a number of months, up to the last day of a shorter month.
pub fn add_months(day: CivilDate, count: i32) -> CivilDate {
    let step = Months::new(count.unsigned_abs());
    let moved = if count < 0 {
        day.checked_sub_months(step)
    } else {
        day.checked_add_months(step)
    };
    moved.unwrap_or(day)
}

/// Returns the first day of the week of `day`.
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
    fn month_grid_any_month_has_six_weeks() {
        for (any, start, first_cell, last_cell) in [
            ("2027-02-14", Weekday::Mon, "2027-02-01", "2027-03-14"),
            ("2027-02-14", Weekday::Sun, "2027-01-31", "2027-03-13"),
            ("2026-08-31", Weekday::Mon, "2026-07-27", "2026-09-06"),
            ("2028-02-29", Weekday::Sat, "2028-01-29", "2028-03-10"),
        ] {
            let month = Month::of(day(any));
            let grid = MonthGrid::of(month, day("2026-01-01"), start);
            let weeks: Vec<_> = grid.weeks().collect();
            assert_eq!(weeks.len(), 6);
            assert_eq!(weeks[0][0], day(first_cell), "{any} {start}");
            assert_eq!(weeks[5][6], day(last_cell), "{any} {start}");
            assert_eq!(grid.range().last, day(last_cell));
            assert!(grid.range().contains(month.first()) && grid.range().contains(month.last()));
        }
    }

    #[test]
    fn month_grid_late_in_current_month_continues_into_next() {
        for (today, first_cell) in [
            ("2027-03-01", "2027-03-01"),
            ("2027-03-17", "2027-03-01"),
            // Fewer than two weeks are left.
            ("2027-03-18", "2027-03-15"),
            ("2027-03-31", "2027-03-29"),
            ("2027-02-14", "2027-02-01"),
            ("2027-02-15", "2027-02-15"),
        ] {
            let today = day(today);
            let grid = MonthGrid::of(Month::of(today), today, Weekday::Mon);
            assert_eq!(grid.first, day(first_cell), "{today}");
            assert!(grid.range().contains(grid.month.last()), "{today}");
        }
        let april = Month::of(day("2027-04-01"));
        let grid = MonthGrid::of(april, day("2027-03-31"), Weekday::Mon);
        assert_eq!(
            grid.first,
            day("2027-03-29"),
            "another month is shown whole"
        );
    }

    #[test]
    fn date_range_contains_both_ends() {
        let range = DateRange::of(day("2027-02-27"), 3);
        let days: Vec<_> = range.days().collect();
        assert_eq!(days, ["2027-02-27", "2027-02-28", "2027-03-01"].map(day));
        assert!(range.contains(days[2]) && !range.contains(day("2027-03-02")));
    }

    #[test]
    fn add_months_to_shorter_month_returns_last_day() {
        assert_eq!(add_months(day("2027-01-31"), 1), day("2027-02-28"));
        assert_eq!(add_months(day("2027-03-31"), -1), day("2027-02-28"));
        assert_eq!(
            Month::of(day("2027-12-09")).next().first(),
            day("2028-01-01")
        );
        assert_eq!(Month::of(day("2027-02-09")).last(), day("2027-02-28"));
    }
}
