//! What there is to choose from, without a document.

use booking_wire::{BookingUid, EventTypeKey, Slot, SlotDays, SlotsQuery};

use crate::time::civil::{add_days, week_start};
use crate::time::{CivilDate, Instant, Month, Weekday, Zone};

/// A question for free times: all that the answer depends on.
#[derive(Clone, Debug, PartialEq)]
pub struct Question {
    /// Whose times.
    pub event_type_id: i64,
    /// The month shown.
    pub month: Month,
    /// Where weeks begin, and so which days of the next month are shown too.
    pub week_begins: Weekday,
    /// Zone whose days group the times.
    pub zone: Zone,
    /// Minutes, if the event type offers several lengths.
    pub duration: Option<i64>,
    /// The first day that can have times.
    pub today: CivilDate,
    /// The booking that is to be moved, if there is one: its own time counts as free.
    pub moved: Option<BookingUid>,
}

impl Question {
    /// The first and the last day asked for.
    pub fn days(&self) -> (CivilDate, CivilDate) {
        let grid = week_start(self.month.first(), self.week_begins);
        (self.month.first().max(self.today), add_days(grid, 41))
    }

    /// The query, given the first moment of a day in the zone.
    pub fn query(&self, start_of_day: impl Fn(CivilDate) -> Instant) -> SlotsQuery {
        let (first, last) = self.days();
        SlotsQuery {
            event_type: EventTypeKey::Id(self.event_type_id),
            start: start_of_day(first),
            // The end is inclusive, and exactly midnight would mean the whole next day.
            end: Instant(start_of_day(add_days(last, 1)).0 - 1),
            time_zone: self.zone.0.clone(),
            duration: self.duration,
            moved: self.moved.clone(),
        }
    }
}

/// How many times each day has.
pub fn counts(days: &SlotDays) -> Vec<(CivilDate, usize)> {
    days.0
        .iter()
        .map(|(day, slots)| (*day, slots.len()))
        .collect()
}

/// The day to show by itself: the chosen one while it has times, else the first of the month that
/// has any, else the first after it.
pub fn day_to_show(days: &SlotDays, month: Month, chosen: Option<CivilDate>) -> Option<CivilDate> {
    chosen
        .filter(|day| !days.on(*day).is_empty())
        .or_else(|| days.first_from(month.first()))
}

/// Whether another start of the same day reads like `start` on the clock, as on the day when clocks
/// go back: then its offset has to be told.
pub fn is_ambiguous(start: Instant, slots: &[Slot], wall_time: impl Fn(Instant) -> String) -> bool {
    let written = wall_time(start);
    // Only a start within the few hours that clocks are ever turned can read the same.
    slots.iter().any(|other| {
        let apart = other.start.minutes_since(start).abs();
        apart > 0 && apart <= 180 && wall_time(other.start) == written
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn day(text: &str) -> CivilDate {
        text.parse().unwrap()
    }

    fn slot(text: &str) -> Slot {
        Slot {
            start: Instant::parse(text).unwrap(),
            seats_remaining: None,
        }
    }

    #[test]
    fn a_month_is_asked_for_from_today_to_the_end_of_its_grid() {
        let question = Question {
            event_type_id: 41,
            month: Month::of(day("2027-03-09")),
            week_begins: Weekday::Mon,
            zone: Zone("Europe/Rome".into()),
            duration: None,
            today: day("2027-03-09"),
            moved: None,
        };
        assert_eq!(question.days(), (day("2027-03-09"), day("2027-04-11")));
        // Rome is one hour ahead in winter and two after 28 March.
        let query = question.query(|date| {
            let offset = if date > day("2027-03-28") { 2 } else { 1 };
            Instant::parse(&format!("{date}T00:00:00+0{offset}:00")).unwrap()
        });
        assert_eq!(query.start.to_string(), "2027-03-08T23:00:00.000Z");
        assert_eq!(query.end.to_string(), "2027-04-11T21:59:59.999Z");
    }

    #[test]
    fn the_chosen_day_is_kept_only_while_it_has_times() {
        let days = SlotDays(Vec::from([
            (day("2027-03-11"), vec![slot("2027-03-11T09:00:00Z")]),
            (day("2027-03-15"), vec![slot("2027-03-15T09:00:00Z")]),
        ]));
        let march = Month::of(day("2027-03-01"));
        assert_eq!(day_to_show(&days, march, None), Some(day("2027-03-11")));
        assert_eq!(
            day_to_show(&days, march, Some(day("2027-03-15"))),
            Some(day("2027-03-15"))
        );
        assert_eq!(
            day_to_show(&days, march, Some(day("2027-03-12"))),
            Some(day("2027-03-11"))
        );
        assert_eq!(day_to_show(&SlotDays::default(), march, None), None);
    }

    #[test]
    fn only_times_that_read_the_same_need_their_offset() {
        // Rome, 31 October 2027: 02:30 comes twice.
        let slots = [
            slot("2027-10-31T00:30:00Z"),
            slot("2027-10-31T01:30:00Z"),
            slot("2027-10-31T02:30:00Z"),
        ];
        let wall_time = |instant: Instant| match instant.to_string().as_str() {
            "2027-10-31T00:30:00.000Z" | "2027-10-31T01:30:00.000Z" => "02:30".to_owned(),
            _ => "03:30".to_owned(),
        };
        let told = slots
            .iter()
            .map(|slot| is_ambiguous(slot.start, &slots, wall_time));
        assert_eq!(told.collect::<Vec<_>>(), [true, true, false]);
    }
}
