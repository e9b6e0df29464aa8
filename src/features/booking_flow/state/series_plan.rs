//! Dates of a series before it is booked, without DOM: which are free, and what takes the place of the others.

use booking_wire::{Slot, SlotDays};

use super::nearest_slots::nearest_slots;
use crate::time::{CivilDate, Instant};

/// The visitor's decision about a date.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum DateChange {
    /// Not booked.
    Skipped,
    /// Booked at another time of the day.
    At(Instant),
}

/// Decisions of the visitor, by the start that the rule of the series gives a date.
pub(crate) type DateChanges = Vec<(Instant, DateChange)>;

/// A date of a series.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct SeriesDate {
    /// Start by the rule.
    pub(crate) rule: Instant,
    /// Start to book; `None` if the date is skipped.
    pub(crate) start: Option<Instant>,
    /// True if the rule's start is free, as far as known.
    pub(crate) is_free: bool,
    /// Free starts of the day; empty if they are unknown.
    pub(crate) free: Vec<Instant>,
}

/// Dates of the series with these starts by the rule. `days` are the free slots, if they are known; `lost` was free then,
/// but is taken now. The first start is the selected slot.
pub(crate) fn series_dates(
    starts: &[Instant],
    days: Option<&SlotDays>,
    day_of: impl Fn(Instant) -> CivilDate,
    lost: Option<Instant>,
    changes: &DateChanges,
) -> Vec<SeriesDate> {
    let date = |(index, rule): (usize, &Instant)| {
        let day = day_of(*rule);
        let slots = days.filter(|_| index > 0).map(|days| days.on(day));
        let slots = slots.unwrap_or_default();
        let free: Vec<Slot> = slots
            .iter()
            .filter(|slot| Some(slot.start) != lost)
            .cloned()
            .collect();
        let has = |start: Instant| free.iter().any(|slot| slot.start == start);
        let is_unchecked = days.is_none() && Some(*rule) != lost;
        let is_free = index == 0 || is_unchecked || has(*rule);
        let change = changes.iter().find(|(known, _)| known == rule);
        let start = match change {
            Some((_, DateChange::Skipped)) => None,
            Some((_, DateChange::At(start))) if has(*start) => Some(*start),
            _ if is_free => Some(*rule),
            _ => nearest_start(day, &free, *rule),
        };
        SeriesDate {
            rule: *rule,
            start,
            is_free,
            free: free.iter().map(|slot| slot.start).collect(),
        }
    };
    starts.iter().enumerate().map(date).collect()
}

/// Free start of the day that is nearest to `rule`.
fn nearest_start(day: CivilDate, free: &[Slot], rule: Instant) -> Option<Instant> {
    let found = nearest_slots(&SlotDays(vec![(day, free.to_vec())]), rule);
    let distance = |slot: &&Slot| (slot.start.0 - rule.0).abs();
    // Of two that are equally near, the later one.
    found
        .iter()
        .rev()
        .min_by_key(distance)
        .map(|slot| slot.start)
}

/// Number of dates to book.
pub(crate) fn session_count(dates: &[SeriesDate]) -> usize {
    dates.iter().filter(|date| date.start.is_some()).count()
}

/// Starts to book; `None` if they are those of the rule, whose number says it all.
pub(crate) fn chosen_starts(dates: &[SeriesDate]) -> Option<Vec<Instant>> {
    let is_by_rule = dates.iter().all(|date| date.start == Some(date.rule));
    (!is_by_rule).then(|| dates.iter().filter_map(|date| date.start).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(text: &str) -> Instant {
        Instant::parse(text).unwrap()
    }

    fn day_of(start: Instant) -> CivilDate {
        start.to_string()[..10].parse().unwrap()
    }

    const STARTS: [&str; 4] = [
        "2026-11-30T11:15:00Z",
        "2026-12-07T11:15:00Z",
        "2026-12-14T11:15:00Z",
        "2026-12-21T11:15:00Z",
    ];

    /// The third date is taken, the fourth day is full.
    fn days() -> SlotDays {
        let day = |starts: &[&str]| {
            let slots: Vec<Slot> = starts.iter().map(|start| Slot::new(at(start))).collect();
            (day_of(slots[0].start), slots)
        };
        SlotDays(vec![
            day(&["2026-12-07T10:30:00Z", "2026-12-07T11:15:00Z"]),
            day(&[
                "2026-12-14T09:00:00Z",
                "2026-12-14T12:00:00Z",
                "2026-12-14T12:45:00Z",
            ]),
        ])
    }

    #[track_caller]
    fn check(
        days: Option<&SlotDays>,
        lost: Option<&str>,
        changes: &[(&str, DateChange)],
        expected: [Option<&str>; 4],
    ) {
        let starts = STARTS.map(at);
        let changes = changes.iter().map(|(rule, change)| (at(rule), *change));
        let dates = series_dates(&starts, days, day_of, lost.map(at), &changes.collect());
        let found: Vec<Option<Instant>> = dates.iter().map(|date| date.start).collect();
        assert_eq!(found, expected.map(|start| start.map(at)));
        let chosen: Vec<Instant> = found.into_iter().flatten().collect();
        let is_by_rule = chosen == starts;
        assert_eq!(chosen_starts(&dates), (!is_by_rule).then_some(chosen));
    }

    #[test]
    fn taken_date_gets_the_nearest_slot_of_its_day_or_is_skipped() {
        let [first, second, third, fourth] = STARTS;
        let noon = Some("2026-12-14T12:00:00Z");
        check(
            Some(&days()),
            None,
            &[],
            [Some(first), Some(second), noon, None],
        );
        // Not checked yet.
        check(None, None, &[], STARTS.map(Some));
        // Lost while booking, although the response still lists it; without a response, nothing replaces it.
        let other = Some("2026-12-07T10:30:00Z");
        check(
            Some(&days()),
            Some(second),
            &[],
            [Some(first), other, noon, None],
        );
        check(
            None,
            Some(second),
            &[],
            [Some(first), None, Some(third), Some(fourth)],
        );
        let lost = Some("2026-12-14T12:45:00Z");
        check(
            Some(&days()),
            noon,
            &[],
            [Some(first), Some(second), lost, None],
        );
    }

    #[test]
    fn decisions_of_the_visitor_hold_as_long_as_the_slot_is_free() {
        let [first, second, third, fourth] = STARTS;
        let late = "2026-12-14T12:45:00Z";
        let changes = [
            (second, DateChange::Skipped),
            (third, DateChange::At(at(late))),
            (fourth, DateChange::At(at(fourth))),
        ];
        check(
            Some(&days()),
            None,
            &changes,
            [Some(first), None, Some(late), None],
        );
        let noon = Some("2026-12-14T12:00:00Z");
        check(
            Some(&days()),
            Some(late),
            &changes,
            [Some(first), None, noon, None],
        );
    }
}
