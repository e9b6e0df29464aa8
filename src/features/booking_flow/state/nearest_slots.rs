//! Alternatives to a lost slot, without DOM.

use booking_wire::{Slot, SlotDays};

use crate::time::Instant;

/// Number of slots offered in place of a lost one.
const ALTERNATIVES: usize = 3;

/// Free slots nearest to a lost one, ascending. Of two that are equally near the later one is nearer, because people
/// make plans forward.
pub(crate) fn nearest_slots(days: &SlotDays, lost_slot: Instant) -> Vec<Slot> {
    let distance = |slot: &Slot| {
        let apart = slot.start.0 - lost_slot.0;
        (apart.abs(), apart < 0)
    };
    let mut found = Vec::<Slot>::with_capacity(ALTERNATIVES + 1);
    for slot in days.0.iter().flat_map(|(_, slots)| slots) {
        if slot.start == lost_slot {
            continue;
        }
        let index = found.partition_point(|known| distance(known) <= distance(slot));
        if index < ALTERNATIVES {
            found.insert(index, slot.clone());
            found.truncate(ALTERNATIVES);
        }
    }
    // Three elements: swapping neighbours is less code than a sort.
    for _ in 1..found.len() {
        for right in 1..found.len() {
            let starts = |at: usize| found.get(at).map(|slot| slot.start);
            if starts(right - 1) > starts(right) {
                found.swap(right - 1, right);
            }
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::time::CivilDate;

    fn at(text: &str) -> Instant {
        Instant::parse(text).unwrap()
    }

    fn days(starts: &[&str]) -> SlotDays {
        let mut days = SlotDays::default();
        for start in starts {
            let day: CivilDate = start[..10].parse().unwrap();
            let slot = Slot::new(at(start));
            match days.0.last_mut() {
                Some((known, slots)) if *known == day => slots.push(slot),
                _ => days.0.push((day, vec![slot])),
            }
        }
        days
    }

    #[test]
    fn nearest_slots_tie_goes_to_later_slot() {
        for (free, lost_slot, expected) in [
            (
                &[
                    "2027-03-09T15:00:00Z",
                    "2027-03-10T08:00:00Z",
                    "2027-03-10T10:00:00Z",
                    "2027-03-10T12:00:00Z",
                    "2027-03-11T09:00:00Z",
                ][..],
                "2027-03-10T09:00:00Z",
                &[
                    "2027-03-10T08:00:00Z",
                    "2027-03-10T10:00:00Z",
                    "2027-03-10T12:00:00Z",
                ][..],
            ),
            // Of two equally distant ones for the last position, the later one wins.
            (
                &[
                    "2027-03-10T07:00:00Z",
                    "2027-03-10T08:30:00Z",
                    "2027-03-10T09:30:00Z",
                    "2027-03-10T11:00:00Z",
                ],
                "2027-03-10T09:00:00Z",
                &[
                    "2027-03-10T08:30:00Z",
                    "2027-03-10T09:30:00Z",
                    "2027-03-10T11:00:00Z",
                ],
            ),
            (
                &["2027-03-01T09:00:00Z", "2027-03-20T09:00:00Z"],
                "2027-03-10T09:00:00Z",
                &["2027-03-01T09:00:00Z", "2027-03-20T09:00:00Z"],
            ),
            // A lost slot is no alternative, even if the response still lists it.
            (&["2027-03-10T09:00:00Z"], "2027-03-10T09:00:00Z", &[]),
            (&[], "2027-03-10T09:00:00Z", &[]),
        ] {
            let found: Vec<Instant> = nearest_slots(&days(free), at(lost_slot))
                .into_iter()
                .map(|slot| slot.start)
                .collect();
            let expected: Vec<Instant> = expected.iter().map(|text| at(text)).collect();
            assert_eq!(found, expected, "{lost_slot}");
        }
    }
}
