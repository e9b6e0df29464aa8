//! Starts of the meetings of a series, in the attendee's time zone (contract 6.2).

use booking_wire::event_type::Recurrence;
use booking_wire::{Instant, recurrence};
use booking_zones::Zone;

/// Returns the starts of `count` meetings from `first` on, at the same local time in `zone`; none
/// if the frequency is unknown or a start is out of range.
pub fn starts(
    first: Instant,
    zone: &Zone,
    series: &Recurrence,
    count: i64,
) -> Option<Vec<Instant>> {
    let offset = |instant: Instant| zone.offset_s(instant) / 60;
    let starts = recurrence::starts(first, series, count, offset);
    (i64::try_from(starts.len()) == Ok(count.max(1))).then_some(starts)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(first: &str, zone: &str, interval: (i64, &str), expected: &[&str]) {
        let zone = Zone::named(zone).unwrap();
        let recurrence = Recurrence {
            interval: interval.0,
            occurrences: 100,
            frequency: interval.1.to_owned(),
        };
        let count = i64::try_from(expected.len()).unwrap();
        let found = starts(Instant::parse(first).unwrap(), &zone, &recurrence, count).unwrap();
        let expected: Vec<Instant> = expected
            .iter()
            .map(|text| Instant::parse(text).unwrap())
            .collect();
        assert_eq!(found, expected);
    }

    #[test]
    fn meetings_keep_local_time_of_the_attendee() {
        // Berlin's clocks go forward on 2027-03-28, New York's on 2027-03-14.
        check(
            "2027-03-08T14:00:00Z",
            "Europe/Berlin",
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
            "America/New_York",
            (2, "weekly"),
            &["2027-03-08T09:00:00-05:00", "2027-03-22T09:00:00-04:00"],
        );
    }

    #[test]
    fn month_without_the_day_uses_its_last_day() {
        check(
            "2027-01-31T09:00:00Z",
            "UTC",
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
            "UTC",
            (1, "yearly"),
            &[
                "2028-02-29T09:00:00Z",
                "2029-02-28T09:00:00Z",
                "2030-02-28T09:00:00Z",
            ],
        );
    }

    #[test]
    fn time_in_gap_moves_forward_and_ambiguous_time_is_the_first() {
        check(
            "2027-03-21T02:30:00+01:00",
            "Europe/Berlin",
            (1, "weekly"),
            &[
                "2027-03-21T02:30:00+01:00",
                "2027-03-28T03:30:00+02:00",
                "2027-04-04T02:30:00+02:00",
            ],
        );
        // The first meeting is at the second 02:30 of the night with 25 hours.
        check(
            "2027-10-31T02:30:00+01:00",
            "Europe/Berlin",
            (1, "weekly"),
            &["2027-10-31T02:30:00+01:00", "2027-11-07T02:30:00+01:00"],
        );
        check(
            "2027-10-24T02:30:00+02:00",
            "Europe/Berlin",
            (1, "weekly"),
            &["2027-10-24T02:30:00+02:00", "2027-10-31T02:30:00+02:00"],
        );
    }

    #[test]
    fn date_is_that_of_the_attendee() {
        // Already the 1st in Auckland.
        check(
            "2027-01-31T20:00:00Z",
            "Pacific/Auckland",
            (1, "monthly"),
            &["2027-01-31T20:00:00Z", "2027-02-28T20:00:00Z"],
        );
    }

    #[test]
    fn series_out_of_range_or_with_unknown_frequency_is_none() {
        let first = Instant::parse("2027-01-31T20:00:00Z").unwrap();
        for (interval, frequency) in [(1, "daily"), (9_000, "yearly"), (i64::MAX, "weekly")] {
            let recurrence = Recurrence {
                interval,
                occurrences: 3,
                frequency: frequency.to_owned(),
            };
            assert_eq!(
                starts(first, &Zone::utc(), &recurrence, 3),
                None,
                "{frequency}"
            );
        }
    }
}
