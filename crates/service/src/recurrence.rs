//! When the meetings of a series take place (contract 6.2). Pure.

use booking_wire::Instant;
use booking_wire::event_type::Recurrence;
use chrono::{Days, Months, NaiveDate, TimeZone, Timelike};
use chrono_tz::Tz;

use crate::availability::schedule::instant_of;
use crate::validate::in_range;

/// The starts of `count` meetings, the first of them at `first`.
///
/// They keep their time on the clock of `zone`. A month that lacks the day has the meeting on its
/// last one, and the next month on the day of the first meeting again. None if the frequency is
/// unknown or the series would leave the calendar.
pub fn starts(
    first: Instant,
    zone: Tz,
    recurrence: &Recurrence,
    count: i64,
) -> Option<Vec<Instant>> {
    let local = zone.from_utc_datetime(&first.utc()?.naive_utc());
    let date = local.date_naive();
    let minute = i64::from(local.hour() * 60 + local.minute());
    let mut starts = vec![first];
    for number in 1..count {
        let units = u32::try_from(number.checked_mul(recurrence.interval)?).ok()?;
        let start = Instant(instant_of(
            later(date, &recurrence.frequency, units)?,
            minute,
            zone,
        ));
        starts.push(Some(start).filter(|start| in_range(*start))?);
    }
    Some(starts)
}

fn later(date: NaiveDate, frequency: &str, units: u32) -> Option<NaiveDate> {
    match frequency {
        "weekly" => date.checked_add_days(Days::new(u64::from(units) * 7)),
        "monthly" => date.checked_add_months(Months::new(units)),
        "yearly" => date.checked_add_months(Months::new(units.checked_mul(12)?)),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(first: &str, zone: Tz, every: (i64, &str), expected: &[&str]) {
        let recurrence = Recurrence {
            interval: every.0,
            occurrences: 100,
            frequency: every.1.to_owned(),
        };
        let count = i64::try_from(expected.len()).unwrap();
        let found = starts(Instant::parse(first).unwrap(), zone, &recurrence, count).unwrap();
        let expected: Vec<Instant> = expected
            .iter()
            .map(|text| Instant::parse(text).unwrap())
            .collect();
        assert_eq!(found, expected);
    }

    #[test]
    fn meetings_keep_their_time_on_the_attendees_clock() {
        // Berlin's clocks go forward on 2027-03-28, New York's on 2027-03-14.
        check(
            "2027-03-08T14:00:00Z",
            Tz::Europe__Berlin,
            (1, "weekly"),
            &[
                "2027-03-08T15:00:00+01:00",
                "2027-03-15T15:00:00+01:00",
                "2027-03-22T15:00:00+01:00",
                "2027-03-29T15:00:00+02:00",
            ],
        );
        check(
            "2027-03-08T14:00:00Z",
            Tz::America__New_York,
            (2, "weekly"),
            &["2027-03-08T09:00:00-05:00", "2027-03-22T09:00:00-04:00"],
        );
    }

    #[test]
    fn a_month_without_the_day_has_the_meeting_on_its_last() {
        check(
            "2027-01-31T09:00:00Z",
            Tz::UTC,
            (1, "monthly"),
            &[
                "2027-01-31T09:00:00Z",
                "2027-02-28T09:00:00Z",
                "2027-03-31T09:00:00Z",
                "2027-04-30T09:00:00Z",
            ],
        );
        check(
            "2028-02-29T09:00:00Z",
            Tz::UTC,
            (1, "yearly"),
            &[
                "2028-02-29T09:00:00Z",
                "2029-02-28T09:00:00Z",
                "2030-02-28T09:00:00Z",
            ],
        );
    }

    #[test]
    fn a_time_inside_a_gap_moves_forward_and_an_ambiguous_one_is_its_first() {
        check(
            "2027-03-21T02:30:00+01:00",
            Tz::Europe__Berlin,
            (1, "weekly"),
            &[
                "2027-03-21T02:30:00+01:00",
                "2027-03-28T03:30:00+02:00",
                "2027-04-04T02:30:00+02:00",
            ],
        );
        // The first meeting is in the second half past two of the longest night.
        check(
            "2027-10-31T02:30:00+01:00",
            Tz::Europe__Berlin,
            (1, "weekly"),
            &["2027-10-31T02:30:00+01:00", "2027-11-07T02:30:00+01:00"],
        );
        check(
            "2027-10-24T02:30:00+02:00",
            Tz::Europe__Berlin,
            (1, "weekly"),
            &["2027-10-24T02:30:00+02:00", "2027-10-31T02:30:00+02:00"],
        );
    }

    #[test]
    fn the_date_is_that_of_the_attendees_calendar() {
        // Already the 1st in Auckland.
        check(
            "2027-01-31T20:00:00Z",
            Tz::Pacific__Auckland,
            (1, "monthly"),
            &["2027-01-31T20:00:00Z", "2027-02-28T20:00:00Z"],
        );
    }

    #[test]
    fn a_series_that_leaves_the_calendar_or_has_an_odd_frequency_is_none() {
        let first = Instant::parse("2027-01-31T20:00:00Z").unwrap();
        for (interval, frequency) in [(1, "daily"), (9_000, "yearly"), (i64::MAX, "weekly")] {
            let recurrence = Recurrence {
                interval,
                occurrences: 3,
                frequency: frequency.to_owned(),
            };
            assert_eq!(starts(first, Tz::UTC, &recurrence, 3), None, "{frequency}");
        }
    }
}
