//! Days and slots to choose from, without DOM.

use booking_wire::{BookingUid, EventTypeKey, Layout, Slot, SlotDays, SlotsQuery};
use chrono::Datelike;

use crate::time::civil::{add_days, add_months, week_start};
use crate::time::{CivilDate, DateRange, Instant, Month, MonthGrid, Weekday, Zone};

/// Slots query: everything that its response depends on.
#[derive(Clone, Debug, PartialEq)]
pub struct SlotQuery {
    /// Event type.
    pub event_type_id: i64,
    /// Queried days.
    pub days: DateRange,
    /// Zone whose days group the slots.
    pub zone: Zone,
    /// Minutes, if the event type has several durations.
    pub duration: Option<i64>,
    /// Booking to reschedule, if there is one: its own slot counts as free.
    pub rescheduled_uid: Option<BookingUid>,
}

impl SlotQuery {
    /// Request, given the start of a day in the zone.
    pub fn request(&self, start_of_day: impl Fn(CivilDate) -> Instant) -> SlotsQuery {
        SlotsQuery {
            event_type: EventTypeKey::Id(self.event_type_id),
            start: start_of_day(self.days.first),
            // The end is inclusive, and exactly midnight would mean the whole next day.
            end: Instant(start_of_day(add_days(self.days.last, 1)).0 - 1),
            time_zone: self.zone.0.clone(),
            duration: self.duration,
            rescheduled_uid: self.rescheduled_uid.clone(),
            recurrence_count: None,
        }
    }
}

/// Number of days with slots in the column layout.
pub const COLUMNS: usize = 5;

/// Days queried before the first one that can have slots.
const DAYS_BEFORE: i64 = 3;

/// Minimum number of days ahead in a column query.
const COLUMNS_AHEAD: i64 = 20;

/// The days in view.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct VisibleDays {
    /// Layout of the days.
    pub layout: Layout,
    /// A day of the month or week, or the first day that can be a column.
    pub from: CivilDate,
    /// First day that can have slots, as far as the browser's clock is right.
    pub earliest: CivilDate,
    /// Last day that can have slots, if there is one.
    pub latest: Option<CivilDate>,
    /// Start of the week.
    pub week_begins: Weekday,
}

impl VisibleDays {
    /// Month in view, in the month layout.
    pub fn grid(self) -> MonthGrid {
        MonthGrid::of(Month::of(self.from), self.earliest, self.week_begins)
    }

    /// Months in view, in the month layout: the next one too, if the first weeks of this one are over.
    pub fn months(self) -> DateRange {
        let grid = self.grid();
        let is_rolled = grid.first > grid.month.first();
        DateRange {
            first: grid.month.first(),
            last: if is_rolled {
                grid.month.next().first()
            } else {
                grid.month.first()
            },
        }
    }

    /// True if `days` are in the year of the first day that can have slots: the title needs no year.
    pub fn is_this_year(self, days: DateRange) -> bool {
        [days.first, days.last]
            .iter()
            .all(|day| day.year() == self.earliest.year())
    }

    /// Week in view, in the week layout.
    pub fn week(self) -> DateRange {
        DateRange::of(week_start(self.from, self.week_begins), 7)
    }

    /// Days in view; for columns, up to the end of the query.
    pub fn in_view(self) -> DateRange {
        match self.layout {
            Layout::Month => self.grid().range(),
            Layout::Week => self.week(),
            Layout::Column => DateRange {
                first: self.from,
                last: self.queried_days().last,
            },
        }
    }

    /// Days to query. Layouts query whole months, so that one response serves them all.
    pub fn queried_days(self) -> DateRange {
        let grid = match self.layout {
            Layout::Month => self.grid(),
            Layout::Week => self.grid_of(self.week().first),
            Layout::Column => {
                let grid = self.grid_of(self.from);
                if add_days(self.from, COLUMNS_AHEAD) > grid.range().last {
                    let first = week_start(self.from, self.week_begins);
                    MonthGrid { first, ..grid }
                } else {
                    grid
                }
            }
        };
        // The clock may be ahead: a few days before are queried too.
        let before = add_days(self.earliest, -DAYS_BEFORE);
        let first = if grid.first <= self.earliest && grid.month.contains(self.earliest) {
            before
        } else {
            grid.first.max(grid.month.first()).max(before)
        };
        let last = grid.range().last;
        DateRange {
            first,
            last: self
                .latest
                .map_or(last, |latest| last.min(latest).max(first)),
        }
    }

    fn grid_of(self, day: CivilDate) -> MonthGrid {
        MonthGrid::of(
            Month::of(day.max(self.earliest)),
            self.earliest,
            self.week_begins,
        )
    }

    /// The next or previous page of the layout. `columns` are the days shown as columns.
    pub fn adjacent_page(self, is_forward: bool, columns: &[CivilDate]) -> Self {
        let from = match (self.layout, is_forward) {
            // At the end of a month its weeks can be those of the next one.
            (Layout::Month, true) => {
                let next = Month::of(self.from).next();
                let is_same = self.grid_of(next.first()).first == self.grid().first;
                if is_same { next.next() } else { next }.first()
            }
            (Layout::Month, false) => {
                let previous = Month::of(self.from).previous().first();
                let is_earliest = self.from_day(previous).is_first();
                if is_earliest { self.earliest } else { previous }
            }
            (Layout::Week, true) => add_days(self.from, 7),
            (Layout::Week, false) => add_days(self.from, -7),
            (Layout::Column, true) => match columns.last() {
                Some(last) => add_days(*last, 1),
                None => add_days(self.queried_days().last, 1),
            },
            (Layout::Column, false) => add_days(self.from, -7),
        };
        Self {
            from: from.max(self.earliest),
            ..self
        }
    }

    /// True if no later day can be booked. `columns` are the days shown as columns.
    pub fn is_last(self, columns: &[CivilDate]) -> bool {
        let next = match self.layout {
            Layout::Week => add_days(self.week().last, 1),
            _ => self.adjacent_page(true, columns).from,
        };
        self.latest.is_some_and(|latest| next > latest)
    }

    /// True if no earlier day can be booked.
    pub fn is_first(self) -> bool {
        match self.layout {
            Layout::Month => self.grid().first <= self.grid_of(self.earliest).first,
            Layout::Week => self.week().first <= self.earliest,
            Layout::Column => self.from <= self.earliest,
        }
    }

    /// The same layout with `day` in view.
    pub fn from_day(self, day: CivilDate) -> Self {
        Self { from: day, ..self }
    }

    /// True if no day in view has slots.
    pub fn is_empty(self, days: &SlotDays) -> bool {
        match self.layout {
            Layout::Month => days.0.is_empty(),
            Layout::Week => {
                let week = self.week();
                !days.0.iter().any(|(day, _)| week.contains(*day))
            }
            Layout::Column => columns(days, self.from).is_empty(),
        }
    }

    /// First day with slots, if it is after the days that the title names.
    pub fn first_later(self, days: &SlotDays) -> Option<CivilDate> {
        let last = match self.layout {
            Layout::Month => Month::of(self.months().last).last(),
            // Days before the week may have slots, by a clock that is ahead.
            Layout::Week if self.is_empty(days) => return self.next_known(days),
            Layout::Week | Layout::Column => return None,
        };
        let (first, _) = days.0.first()?;
        (*first > last).then_some(*first)
    }

    /// First day with slots after those in view, within the response.
    pub fn next_known(self, days: &SlotDays) -> Option<CivilDate> {
        match self.layout {
            Layout::Week => days.first_from(add_days(self.week().last, 1)),
            Layout::Month | Layout::Column => None,
        }
    }
}

/// Days shown as columns: the next ones that have slots.
pub fn columns(days: &SlotDays, from: CivilDate) -> Vec<CivilDate> {
    let known = days.0.iter().map(|(day, _)| *day);
    known.filter(|day| *day >= from).take(COLUMNS).collect()
}

/// Part of the day that a time belongs to, in the order of the list: the night comes last.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DayPart {
    /// From 7:00.
    Morning,
    /// From 12:00.
    Afternoon,
    /// From 17:00.
    Evening,
    /// From 22:00, and before 7:00.
    Night,
}

impl DayPart {
    /// In the order of the list.
    pub const ALL: [Self; 4] = [Self::Morning, Self::Afternoon, Self::Evening, Self::Night];

    /// Part of an instant, given the offset of its zone in minutes.
    pub fn of(start: Instant, offset_minutes: i64) -> Self {
        match hour(start, offset_minutes) {
            7..12 => Self::Morning,
            12..17 => Self::Afternoon,
            17..22 => Self::Evening,
            _ => Self::Night,
        }
    }
}

/// Hour of an instant, given the offset of its zone in minutes.
pub fn hour(start: Instant, offset_minutes: i64) -> i64 {
    let minutes = start.0.div_euclid(60_000) + offset_minutes;
    minutes.div_euclid(60).rem_euclid(24)
}

/// Slots that suit different visitors, of the first ones: the first of all, one in another half of a day, and one on
/// another day; without the `excluded` starts, and without those at night if there are others. `offset` is that of a
/// start in the displayed zone, in minutes.
pub fn soonest(
    days: &SlotDays,
    excluded: [Option<Instant>; 2],
    offset: impl Fn(Instant) -> i64,
) -> Vec<Slot> {
    let is_night = |slot: &Slot| DayPart::of(slot.start, offset(slot.start)) == DayPart::Night;
    let only_nights = !days
        .0
        .iter()
        .flat_map(|(_, slots)| slots)
        .any(|slot| !is_night(slot));
    let mut found: Vec<(CivilDate, bool)> = Vec::new();
    let mut slots = Vec::new();
    for (day, of_day) in &days.0 {
        for slot in of_day.iter().filter(|slot| only_nights || !is_night(slot)) {
            let half = (*day, hour(slot.start, offset(slot.start)) >= 12);
            let is_wanted = match found.as_slice() {
                [] => true,
                [first] => *first != half,
                [first, second] => first.0 != *day && *second != half,
                _ => return slots,
            };
            if is_wanted && !excluded.contains(&Some(slot.start)) {
                found.push(half);
                slots.push(slot.clone());
            }
        }
    }
    slots
}

/// Number of slots per day.
pub fn slot_counts(days: &SlotDays) -> Vec<(CivilDate, usize)> {
    days.0
        .iter()
        .map(|(day, slots)| (*day, slots.len()))
        .collect()
}

/// Day to show by default: the selected one while it has slots, else the first from `from` on that has any, else the
/// first of all.
pub fn default_day(
    days: &SlotDays,
    from: CivilDate,
    selected: Option<CivilDate>,
) -> Option<CivilDate> {
    selected
        .filter(|day| !days.on(*day).is_empty())
        .or_else(|| days.first_from(from))
        .or_else(|| days.0.first().map(|(day, _)| *day))
}

/// Groups slots by the days that they belong to. Services do so; wrong groups are corrected.
/// `day_of` is the day of an instant in the displayed zone.
pub fn by_day(days: SlotDays, day_of: impl Fn(Instant) -> CivilDate) -> SlotDays {
    let is_right = |(day, slots): &(CivilDate, Vec<Slot>)| {
        // What is between them is on the same day.
        let mut ends = slots.first().into_iter().chain(slots.last());
        ends.all(|slot| day_of(slot.start) == *day)
    };
    if days.0.iter().all(is_right) {
        return days;
    }
    let mut right = SlotDays::default();
    for (_, slots) in days.0 {
        for slot in slots {
            let day = day_of(slot.start);
            let position = right.0.partition_point(|(known, _)| *known < day);
            match right.0.get_mut(position) {
                Some((known, slots)) if *known == day => {
                    let position = slots.partition_point(|other| other.start < slot.start);
                    if slots
                        .get(position)
                        .is_none_or(|other| other.start != slot.start)
                    {
                        slots.insert(position, slot);
                    }
                }
                _ => right.0.insert(position, (day, vec![slot])),
            }
        }
    }
    right
}

/// Date ranges to search, in order, for the next slot after `day`: a year in few queries, and nothing after `latest`.
/// Services return a hundred days at most.
pub fn search_ranges(day: CivilDate, latest: Option<CivilDate>) -> impl Iterator<Item = DateRange> {
    let start = add_days(day, 1);
    [0, 3, 6, 9].into_iter().filter_map(move |months| {
        let first = add_months(start, months);
        let last = add_days(add_months(start, months + 3), -1);
        let last = latest.map_or(last, |latest| last.min(latest));
        (first <= last).then_some(DateRange { first, last })
    })
}

/// Slots of a day, with the taken one in its position among them.
pub fn with_taken(mut slots: Vec<Slot>, taken: Option<Instant>) -> Vec<Slot> {
    if let Some(start) = taken {
        let position = slots.partition_point(|slot| slot.start < start);
        if slots.get(position).is_none_or(|slot| slot.start != start) {
            slots.insert(position, Slot::new(start));
        }
    }
    slots
}

/// True if another time on the list reads the same, as on the day when clocks go back: its offset must be shown.
/// `times` are the times of one day, in order.
pub fn is_ambiguous(times: &[String], index: usize) -> bool {
    let Some(text) = times.get(index) else {
        return false;
    };
    let other = |(position, other): (usize, &String)| position != index && other == text;
    times.iter().enumerate().any(other)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn day(text: &str) -> CivilDate {
        text.parse().unwrap()
    }

    fn slot(text: &str) -> Slot {
        Slot::new(Instant::parse(text).unwrap())
    }

    fn visible(layout: Layout, from: &str, today: &str) -> VisibleDays {
        VisibleDays {
            layout,
            from: day(from),
            earliest: day(today),
            latest: None,
            week_begins: Weekday::Mon,
        }
    }

    #[test]
    fn soonest_slots_are_in_different_halves_and_days() {
        for (slots, expected) in [
            (&[][..], &[][..]),
            (&["02T11", "02T11:30"], &["02T11"]),
            (
                &["02T11", "02T11:30", "02T14", "02T15", "03T09", "03T10"],
                &["02T11", "02T14", "03T09"],
            ),
            // No half of the first day is left.
            (
                &["02T14", "02T15", "03T09", "03T14", "04T09"],
                &["02T14", "03T09", "03T14"],
            ),
            (
                &["02T09", "03T09", "04T09", "05T09"],
                &["02T09", "03T09", "04T09"],
            ),
            // At night only if there is nothing else.
            (&["02T00", "02T09", "03T00", "03T22", "04T23"], &["02T09"]),
            (&["02T00", "02T23"], &["02T00", "02T23"]),
        ] {
            let mut days = SlotDays::default();
            for text in slots {
                let slot = slot(&format!("2027-03-{}Z", with_minutes(text)));
                let date = day(&format!("2027-03-{}", &text[..2]));
                match days.0.last_mut() {
                    Some((last, slots)) if *last == date => slots.push(slot),
                    _ => days.0.push((date, vec![slot])),
                }
            }
            let found = soonest(&days, [None; 2], |_| 0);
            let expected: Vec<_> = expected
                .iter()
                .map(|text| slot(&format!("2027-03-{}Z", with_minutes(text))))
                .collect();
            assert_eq!(found, expected, "{slots:?}");
        }
    }

    fn with_minutes(text: &str) -> String {
        match text.len() {
            5 => format!("{text}:00"),
            _ => text.to_owned(),
        }
    }

    #[test]
    fn part_of_the_day_follows_the_offset() {
        for (start, offset, expected) in [
            ("2027-03-09T07:00Z", 0, DayPart::Morning),
            ("2027-03-09T06:59Z", 0, DayPart::Night),
            ("2027-03-09T06:30Z", 30, DayPart::Morning),
            ("2027-03-09T06:30Z", 330, DayPart::Afternoon),
            ("2027-03-09T22:00Z", -300, DayPart::Evening),
            ("2027-03-09T22:00Z", 0, DayPart::Night),
            ("2027-03-09T01:00Z", -480, DayPart::Evening),
            ("1969-12-31T16:59Z", 0, DayPart::Afternoon),
        ] {
            let part = DayPart::of(Instant::parse(start).unwrap(), offset);
            assert_eq!(part, expected, "{start} {offset}");
        }
    }

    #[test]
    fn months_of_rolled_grid_include_the_next() {
        for (from, today, first, last) in [
            ("2027-03-09", "2027-03-09", "2027-03-01", "2027-03-01"),
            ("2027-03-29", "2027-03-29", "2027-03-01", "2027-04-01"),
            ("2026-12-29", "2026-12-29", "2026-12-01", "2027-01-01"),
            ("2027-05-01", "2027-03-29", "2027-05-01", "2027-05-01"),
        ] {
            let months = visible(Layout::Month, from, today).months();
            assert_eq!(
                (months.first, months.last),
                (day(first), day(last)),
                "{from}"
            );
        }
    }

    #[test]
    fn first_later_is_after_the_days_of_the_title() {
        use Layout::{Column, Month, Week};
        for (layout, today, first, expected) in [
            (Month, "2027-03-09", "2027-03-31", false),
            (Month, "2027-03-09", "2027-04-01", true),
            // The title names April too.
            (Month, "2027-03-29", "2027-04-30", false),
            (Month, "2027-03-29", "2027-05-01", true),
            (Week, "2027-03-09", "2027-03-14", false),
            (Week, "2027-03-09", "2027-03-15", true),
            (Column, "2027-03-09", "2027-04-01", false),
        ] {
            let days = SlotDays(Vec::from([(day(first), Vec::new())]));
            let found = visible(layout, today, today).first_later(&days);
            assert_eq!(
                found,
                expected.then_some(day(first)),
                "{layout:?} {today} {first}"
            );
        }
        let days = ["2027-03-06", "2027-03-16"].map(|first| (day(first), Vec::new()));
        let found = visible(Week, "2027-03-09", "2027-03-09").first_later(&SlotDays(days.into()));
        assert_eq!(found, Some(day("2027-03-16")), "a slot before the week");
        let none = visible(Month, "2027-03-09", "2027-03-09").first_later(&SlotDays::default());
        assert_eq!(none, None);
    }

    #[test]
    fn is_this_year_compares_both_ends_with_today() {
        let visible = visible(Layout::Week, "2026-12-29", "2026-12-01");
        for (first, last, expected) in [
            ("2026-12-21", "2026-12-27", true),
            ("2026-12-28", "2027-01-03", false),
            ("2027-01-04", "2027-01-10", false),
        ] {
            let days = DateRange {
                first: day(first),
                last: day(last),
            };
            assert_eq!(visible.is_this_year(days), expected, "{first}");
        }
    }

    #[test]
    fn queried_days_are_whole_months_in_every_layout() {
        use Layout::{Column, Month, Week};
        for (layout, from, today, first, last) in [
            (
                Month,
                "2027-03-09",
                "2027-03-09",
                "2027-03-06",
                "2027-04-11",
            ),
            (Week, "2027-03-09", "2027-03-09", "2027-03-06", "2027-04-11"),
            (Week, "2027-03-31", "2027-03-09", "2027-03-06", "2027-04-11"),
            (
                Column,
                "2027-03-09",
                "2027-03-09",
                "2027-03-06",
                "2027-04-11",
            ),
            // Another month, from its first day.
            (
                Month,
                "2027-04-01",
                "2027-03-09",
                "2027-04-01",
                "2027-05-09",
            ),
            (Week, "2027-04-06", "2027-03-09", "2027-04-01", "2027-05-09"),
            // Late in a month the grid shifts.
            (
                Month,
                "2027-03-25",
                "2027-03-25",
                "2027-03-22",
                "2027-05-02",
            ),
            (Week, "2027-03-31", "2027-03-25", "2027-03-22", "2027-05-02"),
            // The end of the response would have too few columns.
            (
                Column,
                "2027-03-25",
                "2027-03-09",
                "2027-03-22",
                "2027-05-02",
            ),
            // First day of a month, by a clock that may be ahead.
            (
                Month,
                "2027-03-01",
                "2027-03-01",
                "2027-02-26",
                "2027-04-11",
            ),
        ] {
            let queried = visible(layout, from, today).queried_days();
            let expected = DateRange {
                first: day(first),
                last: day(last),
            };
            assert_eq!(queried, expected, "{layout:?} {from} {today}");
        }
    }

    #[test]
    fn request_starts_and_ends_with_days_of_the_zone() {
        let query = SlotQuery {
            event_type_id: 41,
            days: DateRange {
                first: day("2027-03-09"),
                last: day("2027-04-11"),
            },
            zone: Zone("Europe/Rome".into()),
            duration: None,
            rescheduled_uid: None,
        };
        // Rome is one hour ahead in winter and two after 28 March.
        let query = query.request(|date| {
            let offset = if date > day("2027-03-28") { 2 } else { 1 };
            Instant::parse(&format!("{date}T00:00:00+0{offset}:00")).unwrap()
        });
        assert_eq!(query.start.to_string(), "2027-03-08T23:00:00.000Z");
        assert_eq!(query.end.to_string(), "2027-04-11T21:59:59.999Z");
    }

    #[test]
    fn adjacent_page_never_starts_in_the_past() {
        use Layout::{Column, Month, Week};
        let columns = ["2027-03-11", "2027-03-15"].map(day);
        for (layout, from, is_forward, expected) in [
            (Month, "2027-03-09", true, "2027-04-01"),
            (Month, "2027-04-01", false, "2027-03-09"),
            (Month, "2027-05-01", false, "2027-04-01"),
            (Week, "2027-03-09", true, "2027-03-16"),
            (Week, "2027-03-12", false, "2027-03-09"),
            (Column, "2027-03-11", true, "2027-03-16"),
            (Column, "2027-03-16", false, "2027-03-09"),
        ] {
            let adjacent_page =
                visible(layout, from, "2027-03-09").adjacent_page(is_forward, &columns);
            assert_eq!(
                adjacent_page.from,
                day(expected),
                "{layout:?} {from} {is_forward}"
            );
        }
        assert!(visible(Month, "2027-03-31", "2027-03-09").is_first());
        assert!(visible(Week, "2027-03-14", "2027-03-09").is_first());
        assert!(!visible(Week, "2027-03-15", "2027-03-09").is_first());
        // Without columns the next page starts after the queried days.
        let empty = visible(Column, "2027-03-09", "2027-03-09").adjacent_page(true, &[]);
        assert_eq!(empty.from, day("2027-04-12"));
    }

    #[test]
    fn adjacent_page_at_the_end_of_a_month_has_other_weeks() {
        for (today, week_begins, next) in [
            // The week of 29 November is the first one of December.
            ("2026-11-29", Weekday::Sun, "2027-01-01"),
            ("2026-11-30", Weekday::Mon, "2027-01-01"),
            ("2026-11-29", Weekday::Mon, "2026-12-01"),
            ("2026-11-28", Weekday::Sun, "2026-12-01"),
        ] {
            let first = VisibleDays {
                week_begins,
                ..visible(Layout::Month, today, today)
            };
            let page = first.adjacent_page(true, &[]);
            assert_eq!(page.from, day(next), "{today}");
            assert_ne!(page.in_view(), first.in_view(), "{today}");
            let back = page.adjacent_page(false, &[]);
            assert_eq!(back.from, day(today), "{today}");
            assert!(first.is_first() && !page.is_first(), "{today}");
        }
    }

    #[test]
    fn default_day_is_selected_day_while_it_has_slots() {
        let days = SlotDays(Vec::from([
            (day("2027-03-11"), vec![slot("2027-03-11T09:00:00Z")]),
            (day("2027-03-15"), vec![slot("2027-03-15T09:00:00Z")]),
        ]));
        for (from, selected, expected) in [
            ("2027-03-01", None, "2027-03-11"),
            ("2027-03-01", Some("2027-03-15"), "2027-03-15"),
            ("2027-03-01", Some("2027-03-12"), "2027-03-11"),
            ("2027-03-12", None, "2027-03-15"),
            // By a clock that is ahead, every day may be before today.
            ("2027-03-16", None, "2027-03-11"),
        ] {
            let visible = default_day(&days, day(from), selected.map(day));
            assert_eq!(visible, Some(day(expected)), "{from} {selected:?}");
        }
        assert_eq!(
            default_day(&SlotDays::default(), day("2027-03-01"), None),
            None
        );
    }

    #[test]
    fn by_day_corrects_wrong_groups() {
        // Days of Rome, grouped as if they were days of UTC.
        let day_of = |instant: Instant| Instant(instant.0 + 3_600_000).day().unwrap();
        let days = SlotDays(Vec::from([
            (
                day("2027-03-11"),
                vec![slot("2027-03-11T09:00:00Z"), slot("2027-03-11T23:00:00Z")],
            ),
            (
                day("2027-03-12"),
                vec![slot("2027-03-12T00:30:00Z"), slot("2027-03-12T23:30:00Z")],
            ),
        ]));
        let right = by_day(days, day_of);
        assert_eq!(
            slot_counts(&right),
            [
                (day("2027-03-11"), 1),
                (day("2027-03-12"), 2),
                (day("2027-03-13"), 1)
            ]
        );
        let again = by_day(right.clone(), day_of);
        assert_eq!(again, right);
    }

    #[test]
    fn search_ranges_cover_a_year_without_gaps() {
        let steps: Vec<DateRange> = search_ranges(day("2027-01-31"), None).collect();
        assert_eq!(steps[0].first, day("2027-02-01"));
        assert_eq!(steps[3].last, day("2028-01-31"));
        for pair in steps.windows(2) {
            assert_eq!(pair[1].first, add_days(pair[0].last, 1));
        }
        assert!(steps.iter().all(|step| step.days().count() <= 100));
        // No range starts after `latest`.
        let near: Vec<DateRange> =
            search_ranges(day("2027-01-31"), Some(day("2027-05-10"))).collect();
        assert_eq!(near.len(), 2);
        assert_eq!(near[1].last, day("2027-05-10"));
        let over = search_ranges(day("2027-01-31"), Some(day("2027-01-31")));
        assert_eq!(over.count(), 0);
    }

    #[test]
    fn queried_days_end_with_booking_window() {
        use Layout::{Column, Month, Week};
        let columns = ["2027-03-11", "2027-03-15"].map(day);
        for (layout, from, latest, last, is_last) in [
            (Month, "2027-03-09", "2027-03-20", "2027-03-20", true),
            (Month, "2027-03-09", "2027-03-31", "2027-03-31", true),
            (Month, "2027-03-09", "2027-04-01", "2027-04-01", false),
            (Month, "2027-03-09", "2027-09-01", "2027-04-11", false),
            (Week, "2027-03-10", "2027-03-14", "2027-03-14", true),
            (Week, "2027-03-10", "2027-03-15", "2027-03-15", false),
            (Column, "2027-03-09", "2027-03-15", "2027-03-15", true),
            (Column, "2027-03-09", "2027-03-16", "2027-03-16", false),
            // A past booking window leaves one day to query.
            (Month, "2027-03-09", "2027-02-01", "2027-03-06", true),
        ] {
            let visible = VisibleDays {
                latest: Some(day(latest)),
                ..visible(layout, from, "2027-03-09")
            };
            let found = (visible.queried_days().last, visible.is_last(&columns));
            assert_eq!(found, (day(last), is_last), "{layout:?} {from} {latest}");
        }
        assert!(!visible(Month, "2027-03-09", "2027-03-09").is_last(&[]));
    }

    #[test]
    fn with_taken_keeps_order() {
        let slots = ["09:00", "09:30"].map(|time| slot(&format!("2027-03-11T{time}:00Z")));
        for (taken, expected) in [
            (None, 2),
            (Some("2027-03-11T09:30:00Z"), 2),
            (Some("2027-03-11T09:15:00Z"), 3),
            (Some("2027-03-11T08:00:00Z"), 3),
        ] {
            let taken = taken.and_then(Instant::parse);
            let all = with_taken(slots.to_vec(), taken);
            assert_eq!(all.len(), expected, "{taken:?}");
            assert!(all.is_sorted_by_key(|slot| slot.start), "{taken:?}");
        }
    }

    #[test]
    fn is_ambiguous_repeated_times_only() {
        // Rome, 31 October 2027: 02:30 twice.
        let times = ["02:30", "02:30", "03:30"].map(str::to_owned);
        let found = (0..3).map(|index| is_ambiguous(&times, index));
        assert_eq!(found.collect::<Vec<_>>(), [true, true, false]);
    }
}
