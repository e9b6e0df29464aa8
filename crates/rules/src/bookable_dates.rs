//! Bookable dates of an event type: minimum notice and booking window.

use booking_wire::formats::instant::{CivilDate, parse_date};
use booking_wire::{Fields, PublicEventType, Read};
use chrono::Datelike;
use serde_json::Value;

/// Maximum number of days in a rolling `bookingWindow`.
pub const MAX_ROLLING_DAYS: i64 = 61;

/// Windows of more days count as unlimited.
pub const MAX_DAYS: i64 = 3660;

const MINUTES_PER_DAY: i64 = 1440;

/// Booking window of an event type (`bookingWindow`).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum BookingWindow {
    /// No limit.
    #[default]
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
        from: CivilDate,
        /// Last day.
        to: CivilDate,
    },
}

/// Reads a window; `None` if it is switched off, contradictory or unknown, which means that there is no limit.
impl Read for BookingWindow {
    fn read(value: &Value) -> Option<Self> {
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
            let (from, to) = day(0).zip(day(1))?;
            return (from <= to).then_some(Self::Between { from, to });
        }
        let business = kind == "businessDays";
        if !business && kind != "calendarDays" {
            return None;
        }
        let days = fields.get::<i64>("value")?;
        let days = (0..=MAX_DAYS).contains(&days).then_some(days)?;
        Some(match fields.flag("rolling") {
            true => Self::Rolling { days, business },
            false => Self::Ahead { days, business },
        })
    }

    fn absent() -> Option<Self> {
        Some(Self::Open)
    }
}

/// Dates that the minimum notice and the booking window leave. They may still have no free slots.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct BookableDates {
    notice_days: i64,
    window: BookingWindow,
}

impl BookableDates {
    /// Returns the dates of an event type as visitors see it.
    pub fn of(event_type: &PublicEventType) -> Self {
        Self::of_settings(event_type.booking_settings.value())
    }

    fn of_settings(settings: &Value) -> Self {
        let fields = Fields::of(settings);
        let notice = fields.map_or(0, |fields| fields.integer("minimumBookingNotice"));
        Self {
            notice_days: notice.max(0) / MINUTES_PER_DAY,
            window: fields
                .and_then(|fields| fields.get("bookingWindow"))
                .unwrap_or_default(),
        }
    }

    /// Returns the first bookable day and the last, if there is one, as of `today`.
    pub fn date_range(self, today: CivilDate) -> (CivilDate, Option<CivilDate>) {
        let earliest = plus_days(today, self.notice_days.min(MAX_DAYS));
        match self.window {
            BookingWindow::Open => (earliest, None),
            BookingWindow::Ahead { days, business } => {
                (earliest, Some(days_ahead(today, days, business)))
            }
            BookingWindow::Rolling { .. } => (earliest, Some(plus_days(today, MAX_ROLLING_DAYS))),
            // A day in the schedule's zone may be the previous or next day in the zone of the
            // viewer.
            BookingWindow::Between { from, to } => {
                (earliest.max(plus_days(from, -1)), Some(plus_days(to, 1)))
            }
        }
    }
}

/// Returns the last day of a window of `days` days after `today`.
pub fn days_ahead(today: CivilDate, days: i64, business: bool) -> CivilDate {
    if !business {
        return plus_days(today, days);
    }
    let (mut day, mut remaining) = (today, days);
    while remaining > 0 {
        day = plus_days(day, 1);
        remaining -= i64::from(is_business_day(day));
    }
    day
}

/// Returns true from Monday to Friday.
pub fn is_business_day(day: CivilDate) -> bool {
    // Day 1 was a Monday.
    (day.num_days_from_ce() - 1).rem_euclid(7) < 5
}

/// Computes in whole days, as [`Instant::day`](booking_wire::Instant::day) does: smaller than
/// chrono's arithmetic.
fn plus_days(day: CivilDate, count: i64) -> CivilDate {
    let days = i64::from(day.num_days_from_ce()) + count;
    let days = i32::try_from(days).ok();
    days.and_then(CivilDate::from_num_days_from_ce_opt)
        .unwrap_or(day)
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn date_range(settings: &Value) -> (String, Option<String>) {
        let today = parse_date("2027-03-05").unwrap();
        let (first, last) = BookableDates::of_settings(settings).date_range(today);
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
