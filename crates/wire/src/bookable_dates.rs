//! Bookable dates of an event type, derived from its settings.

use chrono::Datelike;
use serde_json::Value;

use crate::instant::CivilDate;
use crate::instant::parse_date;
use crate::read::Fields;

/// Maximum number of days in a rolling `bookingWindow`.
pub const MAX_ROLLING_DAYS: i64 = 61;

/// Windows of more days count as unlimited.
pub const MAX_DAYS: i64 = 3660;

const MINUTES_PER_DAY: i64 = 1440;

/// Bookable dates of an event type, derived from its settings. Days within may still have no free
/// slots.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct BookableDates {
    /// Minimum notice in whole days.
    pub notice_days: i64,
    /// End of the booking window.
    pub window_limit: WindowLimit,
}

/// End of the booking window.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum WindowLimit {
    /// No known end.
    #[default]
    Open,
    /// A number of days after the current one.
    Days(i64),
    /// A number of days after the current one, counting Monday to Friday.
    BusinessDays(i64),
    /// First and last date in the schedule's zone, both included.
    Range(CivilDate, CivilDate),
}

impl BookableDates {
    pub(crate) fn of(fields: Fields<'_>) -> Self {
        Self {
            notice_days: fields.integer("minimumBookingNotice").max(0) / MINUTES_PER_DAY,
            window_limit: fields
                .value("bookingWindow")
                .and_then(window_limit)
                .unwrap_or_default(),
        }
    }

    /// Returns the first bookable day and the last, if there is one, as of `today`.
    pub fn date_range(self, today: CivilDate) -> (CivilDate, Option<CivilDate>) {
        let earliest = plus_days(today, self.notice_days.min(MAX_DAYS));
        match self.window_limit {
            WindowLimit::Open => (earliest, None),
            WindowLimit::Days(count) => (earliest, Some(plus_days(today, count))),
            WindowLimit::BusinessDays(count) => (earliest, Some(plus_business_days(today, count))),
            // A day in the schedule's zone may be the previous or next day in the zone of the
            // viewer.
            WindowLimit::Range(first, last) => {
                (earliest.max(plus_days(first, -1)), Some(plus_days(last, 1)))
            }
        }
    }
}

/// Parses a booking window; `None` if it is switched off, contradictory or unknown.
fn window_limit(value: &Value) -> Option<WindowLimit> {
    // The published schema has a list.
    let value = match value.as_array() {
        Some(list) => list.first()?,
        None => value,
    };
    let fields = Fields::of(value).filter(|fields| !fields.flag("disabled"))?;
    let kind = fields.text("type");
    if kind == "range" {
        let ends: Vec<String> = fields.list("value");
        let day = |index: usize| parse_date(ends.get(index)?.get(..10)?);
        let (first, last) = day(0).zip(day(1))?;
        return (first <= last).then_some(WindowLimit::Range(first, last));
    }
    let count = fields.get::<i64>("value")?;
    let count = (0..=MAX_DAYS).contains(&count).then_some(count)?;
    match kind.as_str() {
        "businessDays" | "calendarDays" if fields.flag("rolling") => {
            Some(WindowLimit::Days(MAX_ROLLING_DAYS))
        }
        "businessDays" => Some(WindowLimit::BusinessDays(count)),
        "calendarDays" => Some(WindowLimit::Days(count)),
        _ => None,
    }
}

/// Computes in whole days, as [`Instant::day`](crate::instant::Instant::day) does: smaller than
/// chrono's arithmetic.
fn plus_days(day: CivilDate, count: i64) -> CivilDate {
    let days = i64::from(day.num_days_from_ce()) + count;
    let days = i32::try_from(days).ok();
    days.and_then(CivilDate::from_num_days_from_ce_opt)
        .unwrap_or(day)
}

fn plus_business_days(today: CivilDate, count: i64) -> CivilDate {
    let (mut day, mut remaining) = (today, count);
    while remaining > 0 {
        day = plus_days(day, 1);
        // Day 1 was a Monday.
        let is_business_day = (day.num_days_from_ce() - 1).rem_euclid(7) < 5;
        remaining -= i64::from(is_business_day);
    }
    day
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn date_range(settings: &Value) -> (String, Option<String>) {
        let today = parse_date("2027-03-05").unwrap();
        let (first, last) = BookableDates::of(Fields::of(settings).unwrap()).date_range(today);
        (first.to_string(), last.map(|last| last.to_string()))
    }

    #[test]
    fn booking_window_of_every_form_has_its_last_day() {
        for (window_limit, first, last) in [
            (json!(null), "2027-03-05", None),
            (json!({"disabled": true}), "2027-03-05", None),
            (
                json!({"type": "calendarDays", "value": 3, "rolling": false}),
                "2027-03-05",
                Some("2027-03-08"),
            ),
            (
                json!([{"type": "calendarDays", "value": "3"}]),
                "2027-03-05",
                Some("2027-03-08"),
            ),
            // 5 March 2027 is a Friday.
            (
                json!({"type": "businessDays", "value": 3.0}),
                "2027-03-05",
                Some("2027-03-10"),
            ),
            (
                json!({"type": "businessDays", "value": 0}),
                "2027-03-05",
                Some("2027-03-05"),
            ),
            (
                json!({"type": "businessDays", "value": 5, "rolling": true}),
                "2027-03-05",
                Some("2027-05-05"),
            ),
            (
                json!({"type": "range", "value": ["2027-04-01", "2027-04-09T00:00:00.000Z"]}),
                "2027-03-31",
                Some("2027-04-10"),
            ),
            (
                json!({"type": "range", "value": ["2027-01-01", "2027-02-01"]}),
                "2027-03-05",
                Some("2027-02-02"),
            ),
            // Contradictory and unknown windows have no limit.
            (
                json!({"type": "range", "value": ["2027-04-09", "2027-04-01"]}),
                "2027-03-05",
                None,
            ),
            (
                json!({"type": "range", "value": ["soon"]}),
                "2027-03-05",
                None,
            ),
            (
                json!({"type": "calendarDays", "value": 3, "disabled": true}),
                "2027-03-05",
                None,
            ),
            (
                json!({"type": "calendarDays", "value": -3}),
                "2027-03-05",
                None,
            ),
            (json!({"type": "moons", "value": 3}), "2027-03-05", None),
            (json!("soon"), "2027-03-05", None),
        ] {
            let expected = (first.to_owned(), last.map(str::to_owned));
            assert_eq!(
                date_range(&json!({"bookingWindow": window_limit})),
                expected,
                "{window_limit}"
            );
        }
    }

    #[test]
    fn notice_of_days_shifts_the_first_day() {
        for (notice, first) in [
            (json!(120), "2027-03-05"),
            (json!(3 * 1440 + 1439), "2027-03-08"),
            (json!(-5), "2027-03-05"),
            (json!(null), "2027-03-05"),
        ] {
            let settings = json!({"minimumBookingNotice": notice});
            assert_eq!(date_range(&settings), (first.to_owned(), None), "{notice}");
        }
    }
}
