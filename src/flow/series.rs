//! When the meetings of a series take place (contract 6.2), told before they are booked. No
//! document.

use booking_wire::event_type::Recurrence;
use chrono::Months;

use crate::time::civil::add_days;
use crate::time::{CivilDate, Instant};

/// Longer series are not listed: nobody reads so many dates.
pub(super) const MOST_LISTED: i64 = 52;

const DAY_MS: i64 = 86_400_000;

/// The starts of `count` meetings, the first of them at `first`. They keep their time on the clock
/// of the zone whose shift at a moment `offset` tells, in minutes. Fewer if the frequency is
/// unknown or the calendar ends.
pub(super) fn starts(
    first: Instant,
    series: &Recurrence,
    count: i64,
    offset: impl Fn(Instant) -> i64,
) -> Vec<Instant> {
    let mut starts = vec![first];
    let on_the_clock = first.plus_minutes(offset(first));
    let Some(day) = on_the_clock.day() else {
        return starts;
    };
    let clock_ms = on_the_clock.0 - Instant::start_of(day).0;
    for number in 1..count.min(MOST_LISTED) {
        let Some(day) = later(
            day,
            &series.frequency,
            number.saturating_mul(series.interval),
        ) else {
            break;
        };
        starts.push(moment(day, clock_ms, &offset));
    }
    starts
}

fn later(day: CivilDate, frequency: &str, units: i64) -> Option<CivilDate> {
    let months = |count: i64| day.checked_add_months(Months::new(u32::try_from(count).ok()?));
    match frequency {
        "weekly" => Some(add_days(day, units.checked_mul(7)?)),
        // A month that lacks the day has the meeting on its last one.
        "monthly" => months(units),
        "yearly" => months(units.checked_mul(12)?),
        _ => None,
    }
}

/// The moment at which the clock shows that time. What a clock skips comes as much later; what it
/// shows twice is meant the first time.
fn moment(day: CivilDate, clock_ms: i64, offset: &impl Fn(Instant) -> i64) -> Instant {
    let shown = Instant(Instant::start_of(day).0 + clock_ms);
    let at = |minutes: i64| shown.plus_minutes(-minutes);
    // Clocks are turned by far less than a day, so these are the shifts before and after a change.
    let before = offset(Instant(shown.0 - DAY_MS));
    let after = offset(Instant(shown.0 + DAY_MS));
    let holds = |minutes: i64| offset(at(minutes)) == minutes;
    if holds(before) || !holds(after) {
        at(before)
    } else {
        at(after)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(text: &str) -> Instant {
        Instant::parse(text).unwrap()
    }

    /// Berlin's clock around both changes of 2027.
    fn berlin(instant: Instant) -> i64 {
        let is_summer =
            instant >= at("2027-03-28T01:00:00Z") && instant < at("2027-10-31T01:00:00Z");
        if is_summer { 120 } else { 60 }
    }

    #[track_caller]
    fn check(first: &str, every: (i64, &str), expected: &[&str]) {
        let series = Recurrence {
            interval: every.0,
            occurrences: 100,
            frequency: every.1.to_owned(),
        };
        let found = starts(at(first), &series, expected.len() as i64, berlin);
        let expected: Vec<Instant> = expected.iter().map(|text| at(text)).collect();
        assert_eq!(found, expected);
    }

    #[test]
    fn meetings_keep_their_time_on_the_visitors_clock() {
        check(
            "2027-03-08T14:00:00Z",
            (2, "weekly"),
            &[
                "2027-03-08T15:00:00+01:00",
                "2027-03-22T15:00:00+01:00",
                "2027-04-05T15:00:00+02:00",
            ],
        );
    }

    #[test]
    fn a_time_inside_a_gap_moves_forward_and_an_ambiguous_one_is_its_first() {
        check(
            "2027-03-21T02:30:00+01:00",
            (1, "weekly"),
            &[
                "2027-03-21T02:30:00+01:00",
                "2027-03-28T03:30:00+02:00",
                "2027-04-04T02:30:00+02:00",
            ],
        );
        check(
            "2027-10-24T02:30:00+02:00",
            (1, "weekly"),
            &[
                "2027-10-24T02:30:00+02:00",
                "2027-10-31T02:30:00+02:00",
                "2027-11-07T02:30:00+01:00",
            ],
        );
    }

    #[test]
    fn a_month_without_the_day_has_the_meeting_on_its_last() {
        check(
            "2027-01-31T09:00:00+01:00",
            (1, "monthly"),
            &[
                "2027-01-31T09:00:00+01:00",
                "2027-02-28T09:00:00+01:00",
                "2027-03-31T09:00:00+02:00",
            ],
        );
    }

    #[test]
    fn an_unknown_frequency_tells_the_first_meeting_only() {
        let series = Recurrence {
            interval: 1,
            occurrences: 3,
            frequency: "lunar".into(),
        };
        let first = at("2027-01-31T09:00:00Z");
        assert_eq!(starts(first, &series, 3, berlin), [first]);
    }
}
