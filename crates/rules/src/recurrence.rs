//! Starts of the meetings of a series.

use chrono::{Days, Months};

use booking_wire::event_type::Recurrence;
use booking_wire::formats::in_range;
use booking_wire::formats::instant::{CivilDate, DAY_MS, Instant};

/// Returns the starts of `count` meetings, the first of them at `first`.
///
/// They keep their local time in a zone: `offset` returns the zone's offset from UTC in minutes at
/// an instant. In a month without the day of the first meeting, the meeting is on the last day of
/// the month. There are fewer starts if the frequency is unknown or an instant is out of range.
pub fn starts(
    first: Instant,
    recurrence: &Recurrence,
    count: i64,
    offset: impl Fn(Instant) -> i64,
) -> Vec<Instant> {
    let mut starts = vec![first];
    let on_the_clock = first.plus_minutes(offset(first));
    let Some(day) = on_the_clock.day() else {
        return starts;
    };
    let clock_ms = on_the_clock.0 - Instant::start_of(day).0;
    for index in 1..count {
        let start = index
            .checked_mul(recurrence.interval)
            .and_then(|units| later(day, &recurrence.frequency, u32::try_from(units).ok()?))
            .map(|day| instant_of(day, clock_ms, &offset))
            .filter(|start| in_range(*start));
        let Some(start) = start else { break };
        starts.push(start);
    }
    starts
}

fn later(day: CivilDate, frequency: &str, units: u32) -> Option<CivilDate> {
    match frequency {
        "weekly" => day.checked_add_days(Days::new(u64::from(units) * 7)),
        "monthly" => day.checked_add_months(Months::new(units)),
        "yearly" => day.checked_add_months(Months::new(units.checked_mul(12)?)),
        _ => None,
    }
}

/// Instant of a local time. A time inside a gap moves forward by the gap; an ambiguous time means
/// its first occurrence.
fn instant_of(day: CivilDate, clock_ms: i64, offset: &impl Fn(Instant) -> i64) -> Instant {
    let shown = Instant(Instant::start_of(day).0 + clock_ms);
    let at = |minutes: i64| shown.plus_minutes(-minutes);
    // Clocks change by far less than a day, so these are the offsets before and after a change.
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
    fn starts_keep_their_time_on_the_clock_of_the_zone() {
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
    fn time_inside_a_gap_moves_forward_and_an_ambiguous_one_is_its_first() {
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
    fn month_without_the_day_has_the_meeting_on_its_last() {
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
    fn unknown_frequency_has_the_first_start_only() {
        let series = Recurrence {
            interval: 1,
            occurrences: 3,
            frequency: "lunar".into(),
        };
        let first = at("2027-01-31T09:00:00Z");
        assert_eq!(starts(first, &series, 3, berlin), [first]);
    }
}
