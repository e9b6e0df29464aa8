//! The days on which an event type can be booked, as far as its settings tell (contract 3.3, 6.1).

use chrono::Datelike;
use serde_json::Value;

use crate::instant::CivilDate;
use crate::instant::parse_date;
use crate::read::Fields;

/// How many days a rolling window looks ahead at most (contract 6.1, step 10).
const LOOK_AHEAD_DAYS: i64 = 61;

/// More days ahead than these are no limit that anybody would meet.
const MOST_DAYS: i64 = 3660;

/// Minutes of a day.
const DAY: i64 = 1440;

/// The days on which an event type can be booked, as far as that is known beforehand. What lies
/// within has free times only if the service says so.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Horizon {
    /// Whole days that pass before a booking is taken.
    pub notice_days: i64,
    /// Until when bookings are taken.
    pub window: Window,
}

/// Until when bookings are taken.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Window {
    /// No end is known.
    #[default]
    Open,
    /// Up to so many days after the current one.
    Days(i64),
    /// The same; only Monday to Friday count.
    BusinessDays(i64),
    /// Whole days of the schedule's zone, both included.
    Range(CivilDate, CivilDate),
}

impl Horizon {
    pub(crate) fn of(fields: Fields<'_>) -> Self {
        Self {
            notice_days: fields.integer("minimumBookingNotice").max(0) / DAY,
            window: fields
                .value("bookingWindow")
                .and_then(window)
                .unwrap_or_default(),
        }
    }

    /// The first day and the last, if there is one, as they are on the day `today`.
    pub fn around(self, today: CivilDate) -> (CivilDate, Option<CivilDate>) {
        let soonest = later(today, self.notice_days.min(MOST_DAYS));
        match self.window {
            Window::Open => (soonest, None),
            Window::Days(count) => (soonest, Some(later(today, count))),
            Window::BusinessDays(count) => (soonest, Some(business_days_later(today, count))),
            // What is one day in the schedule's zone may be the next one, or the one before, in the
            // zone that times are shown in.
            Window::Range(first, last) => (soonest.max(later(first, -1)), Some(later(last, 1))),
        }
    }
}

/// `None` for what is switched off, contradicts itself or is not known.
fn window(said: &Value) -> Option<Window> {
    // The published schema says a list of them.
    let said = match said.as_array() {
        Some(list) => list.first()?,
        None => said,
    };
    let fields = Fields::of(said).filter(|fields| !fields.flag("disabled"))?;
    let kind = fields.text("type");
    if kind == "range" {
        let ends: Vec<String> = fields.list("value");
        let day = |index: usize| parse_date(ends.get(index)?.get(..10)?);
        let (first, last) = day(0).zip(day(1))?;
        return (first <= last).then_some(Window::Range(first, last));
    }
    let count = fields.get::<i64>("value")?;
    let count = (0..=MOST_DAYS).contains(&count).then_some(count)?;
    match kind.as_str() {
        "businessDays" | "calendarDays" if fields.flag("rolling") => {
            Some(Window::Days(LOOK_AHEAD_DAYS))
        }
        "businessDays" => Some(Window::BusinessDays(count)),
        "calendarDays" => Some(Window::Days(count)),
        _ => None,
    }
}

/// In whole days, as in [`Instant::day`](crate::instant::Instant::day): chrono's own sums cost more.
fn later(day: CivilDate, count: i64) -> CivilDate {
    let days = i64::from(day.num_days_from_ce()) + count;
    let moved = i32::try_from(days).ok();
    moved
        .and_then(CivilDate::from_num_days_from_ce_opt)
        .unwrap_or(day)
}

fn business_days_later(today: CivilDate, count: i64) -> CivilDate {
    let (mut day, mut left) = (today, count);
    while left > 0 {
        day = later(day, 1);
        // Day 1 was a Monday.
        let is_business_day = (day.num_days_from_ce() - 1).rem_euclid(7) < 5;
        left -= i64::from(is_business_day);
    }
    day
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn around(settings: &Value) -> (String, Option<String>) {
        let today = parse_date("2027-03-05").unwrap();
        let (first, last) = Horizon::of(Fields::of(settings).unwrap()).around(today);
        (first.to_string(), last.map(|last| last.to_string()))
    }

    #[test]
    fn every_form_of_a_booking_window_has_its_last_day() {
        for (window, first, last) in [
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
            // What contradicts itself or is not known limits nothing.
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
                around(&json!({"bookingWindow": window})),
                expected,
                "{window}"
            );
        }
    }

    #[test]
    fn a_notice_of_days_moves_the_first_day() {
        for (notice, first) in [
            (json!(120), "2027-03-05"),
            (json!(3 * 1440 + 1439), "2027-03-08"),
            (json!(-5), "2027-03-05"),
            (json!(null), "2027-03-05"),
        ] {
            let settings = json!({"minimumBookingNotice": notice});
            assert_eq!(around(&settings), (first.to_owned(), None), "{notice}");
        }
    }
}
