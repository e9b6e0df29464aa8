//! Starts of the meetings of a series, in the attendee's time zone, and the slots on their days.

use std::collections::BTreeMap;

use booking_rules::BookingWindow;
use booking_rules::availability::schedule::{instant_of, local_date};
use booking_rules::availability::{self, Calendar, Candidate, Rules, SlotSearch};
use booking_rules::recurrence;
use booking_wire::Instant;
use booking_wire::event_type::Recurrence;
use booking_zones::Zone;
use chrono::{Days, NaiveDate};
use serde_json::json;

use crate::validate::Checks;

/// Returns the starts of the first `count` meetings of a series, of all by default. Reports a count that the event type
/// does not allow, and returns none then.
pub fn counted_starts(
    first: Instant,
    zone: &Zone,
    series: &Recurrence,
    count: Option<i64>,
    checks: &mut Checks,
) -> Vec<Instant> {
    let max_count = series.occurrences.max(1);
    let count = count.unwrap_or(max_count);
    let message = match count > max_count {
        true => format!("must not be greater than {max_count}"),
        false => match starts(first, zone, series, count) {
            Some(starts) => return starts,
            None => "leads out of the calendar".to_owned(),
        },
    };
    checks.report("recurrenceCount", &json!(count), "max", &message);
    Vec::new()
}

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

/// Returns the rules for the later meetings of a series: minimum notice, booking window and the limit to the first slot of
/// a day apply to the first meeting only.
pub fn later_rules(rules: &Rules) -> Rules {
    Rules {
        notice: 0,
        window: BookingWindow::Open,
        only_first: false,
        ..rules.clone()
    }
}

/// Returns the starts that are free on the days of the later meetings of a series with these `starts`, by date: those of
/// the series, as far as they are free, and the other slots. `search` has the rules of the event type.
pub fn later_days(search: SlotSearch<'_>, starts: &[Instant]) -> BTreeMap<NaiveDate, Vec<i64>> {
    let rules = later_rules(search.rules);
    let mut calendar: Calendar = search.calendar.clone();
    let mut days = BTreeMap::new();
    for (index, start) in starts.iter().enumerate() {
        let search = SlotSearch {
            rules: &rules,
            calendar: &calendar,
            ..search
        };
        let candidate = Candidate {
            start: start.0,
            has_reservation: true,
            from_any_zone: false,
        };
        let decision = availability::decide(search, candidate).ok();
        if index > 0
            && let Some(date) = local_date(start.0, search.zone)
            && let Some(next) = date.checked_add_days(Days::new(1))
        {
            let [from, to] = [date, next].map(|date| instant_of(date, 0, search.zone));
            let mut slots = availability::days(search, from, to - 1)
                .remove(&date)
                .unwrap_or_default();
            if decision.is_some()
                && let Err(position) = slots.binary_search(&start.0)
            {
                slots.insert(position, start.0);
            }
            if !slots.is_empty() {
                days.insert(date, slots);
            }
        }
        if decision.is_some_and(|decision| decision.joined_uid.is_none()) {
            // It counts towards the booking limits of the following meetings.
            calendar.booked.push(rules.meeting(start.0));
        }
    }
    days
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
