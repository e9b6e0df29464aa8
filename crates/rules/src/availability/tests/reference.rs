//! A second implementation of availability, slow and simple: it checks each minute for free hosts,
//! and converts local times by searching the minute at which a clock shows them. It shares only
//! data types with the first implementation, no arithmetic on ranges.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::sync::{Arc, LazyLock, Mutex};

use booking_zones::Zone;
use chrono::{Datelike, NaiveDate, NaiveDateTime, TimeDelta, Timelike, Weekday};

use super::*;
use crate::BookingWindow;

/// Starts by date, and the segments for which the result is unknown, in minutes.
pub(super) type OfferedDays = (BTreeMap<NaiveDate, Vec<i64>>, Vec<(i64, i64)>);

/// Local time of a zone for each minute of some days.
pub(super) struct ClockTable {
    /// Minutes since the epoch of the first entry.
    start: i64,
    local_times: Vec<NaiveDateTime>,
    first: HashMap<NaiveDateTime, i64>,
}

/// Days before and after the center in the table.
const BEFORE: i64 = 5;

const AFTER: i64 = 6;

impl ClockTable {
    /// Table for `zone` around the minute `center_minute`.
    pub(super) fn around(center_minute: i64, zone: &Zone) -> Arc<Self> {
        type Tables = HashMap<(i64, Zone), Arc<ClockTable>>;
        static TABLES: LazyLock<Mutex<Tables>> = LazyLock::new(Mutex::default);
        let mut tables = TABLES.lock().unwrap();
        tables
            .entry((center_minute, zone.clone()))
            .or_insert_with(|| {
                let start = center_minute - BEFORE * 1440;
                let local_times: Vec<NaiveDateTime> = (start..center_minute + AFTER * 1440)
                    .map(|minute| zone.local(Instant(minute * MINUTE)).unwrap())
                    .collect();
                let mut first = HashMap::new();
                for (minute, local) in (start..).zip(&local_times) {
                    first.entry(*local).or_insert(minute);
                }
                Arc::new(Self {
                    start,
                    local_times,
                    first,
                })
            })
            .clone()
    }

    fn minutes(&self) -> std::ops::Range<i64> {
        self.start..self.start + self.local_times.len() as i64
    }

    fn at(&self, minute: i64) -> NaiveDateTime {
        self.local_times[usize::try_from(minute - self.start).unwrap()]
    }

    /// The first minute at which the clock shows `local`. A local time inside a gap moves forward
    /// by the gap.
    pub(super) fn minute_of(&self, local: NaiveDateTime) -> Option<i64> {
        if let Some(minute) = self.first.get(&local) {
            return Some(*minute);
        }
        let jump = self
            .local_times
            .windows(2)
            .find(|pair| pair[0] < local && local < pair[1])?;
        let gap = jump[1] - jump[0] - TimeDelta::minutes(1);
        self.first.get(&(local + gap)).copied()
    }

    fn dates(&self) -> BTreeSet<NaiveDate> {
        let (first, last) = (
            self.local_times[0].date(),
            self.local_times[self.local_times.len() - 1].date(),
        );
        first.iter_days().take_while(|date| *date <= last).collect()
    }
}

/// Flags for the minutes of the table.
type Minutes = Vec<bool>;

pub(super) struct Reference<'a> {
    pub(super) rules: &'a Rules,
    pub(super) calendar: &'a Calendar,
    pub(super) zone: &'a Zone,
    pub(super) now: i64,
    pub(super) center_minute: i64,
    working: Vec<Minutes>,
    free: Vec<Minutes>,
    start: i64,
}

impl<'a> Reference<'a> {
    pub(super) fn new(search: SlotSearch<'a>, center_minute: i64) -> Self {
        let mut reference = Self {
            rules: search.rules,
            calendar: search.calendar,
            zone: search.zone,
            now: search.now,
            center_minute,
            working: Vec::new(),
            free: Vec::new(),
            start: center_minute - BEFORE * 1440,
        };
        for host in &search.calendar.hosts {
            let working = reference.working(host);
            let mut free = working.clone();
            reference.take_meetings(host, &mut free);
            reference.take_full_periods(host, &mut free);
            reference.working.push(working);
            reference.free.push(free);
        }
        reference
    }

    /// Steps 2 and 3.
    fn working(&self, host: &Host) -> Minutes {
        let clock = ClockTable::around(self.center_minute, &host.schedule.zone);
        let mut working = vec![false; clock.local_times.len()];
        for date in clock.dates() {
            let replaced = host.schedule.overrides.iter().any(|day| day.date == date);
            let weekday = i64::from(date.weekday().num_days_from_sunday());
            let overrides = host.schedule.overrides.iter();
            let hours: Vec<(i64, i64)> = if replaced {
                overrides
                    .filter(|day| day.date == date)
                    .map(|day| (day.from, day.to))
                    .collect()
            } else {
                let week = host.schedule.week.iter();
                week.filter(|rule| rule.weekday == weekday)
                    .map(|rule| (rule.from, rule.to))
                    .collect()
            };
            for (from, to) in hours {
                let to = if to == 1439 { 1440 } else { to };
                let midnight = date.and_hms_opt(0, 0, 0).unwrap();
                let ends = (
                    clock.minute_of(midnight + TimeDelta::minutes(from)),
                    clock.minute_of(midnight + TimeDelta::minutes(to)),
                );
                if let (Some(from), Some(to)) = ends {
                    for minute in from..to {
                        working[(minute - self.start) as usize] = true;
                    }
                }
            }
        }
        let minutes = if host.time_off.is_empty() {
            0..0
        } else {
            clock.minutes()
        };
        for minute in minutes {
            let date = clock.at(minute).date();
            let is_away = |time_off: &TimeOff| match time_off {
                TimeOff::Days { from, to } => *from <= date && date <= *to,
                TimeOff::Instants(range) => {
                    range.start < (minute + 1) * MINUTE && minute * MINUTE < range.end
                }
            };
            if host.time_off.iter().any(is_away) {
                working[(minute - self.start) as usize] = false;
            }
        }
        working
    }

    /// The minutes that `busy` blocks (step 4).
    fn padded(&self, busy: &BusyTime) -> (i64, i64) {
        let from = busy.range.start / MINUTE - busy.buffer_before - self.rules.buffer_after;
        let to = busy.range.end / MINUTE + busy.buffer_after + self.rules.buffer_before;
        (from, to)
    }

    fn take_meetings(&self, host: &Host, free: &mut Minutes) {
        for busy in &host.busy {
            let (from, to) = self.padded(busy);
            for minute in from.max(self.start)..to.min(self.start + free.len() as i64) {
                free[(minute - self.start) as usize] = false;
            }
        }
    }

    /// Step 5.
    fn take_full_periods(&self, host: &Host, free: &mut Minutes) {
        if self.rules.limits.is_empty() {
            return;
        }
        let clock = ClockTable::around(self.center_minute, &host.zone);
        let period = |limit: &Limit, date: NaiveDate| match limit.period {
            Period::Day => (date.year(), date.ordinal()),
            // A week is identified by its first day.
            Period::Week(start) => {
                let mut first = date;
                while first.weekday() != start {
                    first = first.pred_opt().unwrap();
                }
                (first.year(), first.ordinal())
            }
            Period::Month => (date.year(), date.month()),
            Period::Year => (date.year(), 0),
        };
        let local_date = |instant: i64| host.zone.local(Instant(instant)).unwrap().date();
        let mut is_full: BTreeMap<NaiveDate, bool> = BTreeMap::new();
        for (index, free) in free.iter_mut().enumerate() {
            let date = clock.local_times[index].date();
            let full = *is_full.entry(date).or_insert_with(|| {
                self.rules.limits.iter().any(|limit| {
                    let meetings: Vec<&TimeRange> = self
                        .calendar
                        .booked
                        .iter()
                        .filter(|meeting| {
                            period(limit, local_date(meeting.start)) == period(limit, date)
                        })
                        .collect();
                    match limit.kind {
                        LimitKind::Meetings(max) => meetings.len() as i64 >= max,
                        LimitKind::Minutes(max) => {
                            let taken: i64 = meetings
                                .iter()
                                .map(|meeting| (meeting.end - meeting.start) / MINUTE)
                                .sum();
                            taken + self.rules.length > max
                        }
                    }
                })
            });
            *free = *free && !full;
        }
    }

    fn all(&self, minutes: &Minutes, from: i64, length: i64) -> bool {
        (from..from + length).all(|minute| {
            usize::try_from(minute - self.start)
                .ok()
                .and_then(|index| minutes.get(index))
                .copied()
                .unwrap_or(false)
        })
    }

    fn is_required(&self, host: &Host) -> bool {
        host.fixed || self.rules.scheduling_type == SchedulingType::Everyone
    }

    /// Step 6, for ranges of any length.
    fn has_hosts(&self, times: &[Minutes], from: i64, length: i64) -> bool {
        let hosts = || self.calendar.hosts.iter().zip(times);
        let required_free = hosts()
            .filter(|(host, _)| self.is_required(host))
            .all(|(_, free)| self.all(free, from, length));
        let has_rotating_hosts = hosts().any(|(host, _)| !self.is_required(host));
        let any_rotating_free =
            hosts().any(|(host, free)| !self.is_required(host) && self.all(free, from, length));
        !times.is_empty() && required_free && (!has_rotating_hosts || any_rotating_free)
    }

    /// Returns true if hosts are free for a whole meeting that starts in this minute.
    pub(super) fn is_free(&self, minute: i64) -> bool {
        match self.seated_meeting(minute) {
            Some(seated_meeting) => self.can_join(seated_meeting),
            None => self.has_hosts(&self.free, minute, self.rules.length),
        }
    }

    /// Ranges in which hosts are free at every minute, as `(first, end)`.
    fn ranges(&self) -> Vec<(i64, i64)> {
        let mut required_free = vec![true; self.free[0].len()];
        let mut any_rotating_free = vec![false; self.free[0].len()];
        let mut has_rotating_hosts = false;
        for (host, free) in self.calendar.hosts.iter().zip(&self.free) {
            let needed = self.is_required(host);
            has_rotating_hosts |= !needed;
            for (index, free) in free.iter().enumerate() {
                if needed {
                    required_free[index] &= free;
                } else {
                    any_rotating_free[index] |= free;
                }
            }
        }
        let mut ranges: Vec<(i64, i64)> = Vec::new();
        for (minute, (all, one)) in
            (self.start..).zip(required_free.into_iter().zip(any_rotating_free))
        {
            if !all || (has_rotating_hosts && !one) {
                continue;
            }
            match ranges.last_mut() {
                Some(last) if last.1 == minute => last.1 += 1,
                _ => ranges.push((minute, minute + 1)),
            }
        }
        ranges
    }

    /// Segments: first minute, end of the free time, and first minute of the next segment.
    fn segments(&self) -> Vec<(i64, i64, i64)> {
        let zone = &self.calendar.hosts[0].schedule.zone;
        let clock = ClockTable::around(self.center_minute, zone);
        let midnights: Vec<i64> = clock
            .dates()
            .into_iter()
            .filter_map(|date| clock.minute_of(date.and_hms_opt(0, 0, 0).unwrap()))
            .collect();
        let mut segments = Vec::new();
        for (first, end) in self.ranges() {
            let mut starts = vec![first];
            if end - first > 1440 {
                starts.extend(midnights.iter().filter(|at| first < **at && **at < end));
            }
            for (index, start) in starts.iter().enumerate() {
                let until = starts.get(index + 1).copied().unwrap_or(end);
                segments.push((*start, end, until));
            }
        }
        segments
    }

    /// Step 7. In ranges of more than a day the grid restarts at each midnight of the first host's
    /// schedule. Segments that start before the table are returned separately.
    fn grid_starts(&self, from: i64, to: i64) -> (Vec<i64>, Vec<(i64, i64)>) {
        let rules = self.rules;
        let from = if rules.window.is_rolling() {
            self.earliest()
        } else {
            from
        };
        let relevant_from = if rules.only_first { from - 1500 } else { from };
        let clock = ClockTable::around(self.center_minute, self.zone);
        let step = rules.interval.unwrap_or(rules.length);
        let grid = [60, 30, 20, 15, 10, 5, 1]
            .into_iter()
            .find(|grid| step % grid == 0)
            .unwrap();
        let mut starts = Vec::new();
        let mut unknown = Vec::new();
        for (first, end, until) in self.segments() {
            if until <= relevant_from || first > to {
                continue;
            }
            if first == self.start {
                unknown.push((first, until));
                continue;
            }
            let at = first.max(self.earliest());
            let starts_from = |first: i64| -> Vec<i64> {
                let mut starts = Vec::new();
                let mut start = first + rules.offset_start;
                while start + rules.length <= end && start < until {
                    starts.push(start);
                    start += step + rules.offset_start;
                }
                starts
            };
            let rounded = |grid: u32| {
                let local = clock.at(at.clamp(clock.start, clock.minutes().end - 1));
                let past = local.minute() % grid;
                if past == 0 {
                    at
                } else {
                    at + i64::from(grid - past)
                }
            };
            let chosen = if rules.optimized {
                [grid as u32, 15, 5]
                    .into_iter()
                    .map(rounded)
                    .find(|first| starts_from(*first).len() == starts_from(at).len())
                    .unwrap_or(at)
            } else {
                rounded(grid as u32)
            };
            starts.extend(starts_from(chosen));
        }
        starts.retain(|start| self.has_hosts(&self.free, *start, rules.length));
        (starts, unknown)
    }

    /// The first minute that the notice allows (step 1).
    fn earliest(&self) -> i64 {
        (self.now + self.rules.notice.max(1) * MINUTE).div_euclid(MINUTE)
    }

    fn seated_meeting(&self, minute: i64) -> Option<&SeatedMeeting> {
        self.calendar.seated_meetings.iter().find(|seated_meeting| {
            self.rules.seated && seated_meeting.range.start == minute * MINUTE
        })
    }

    /// Steps 4 and 8 for seated types.
    fn can_join(&self, seated_meeting: &SeatedMeeting) -> bool {
        let start = seated_meeting.range.start / MINUTE;
        seated_meeting.booked + seated_meeting.reserved < seated_meeting.seats
            && seated_meeting.range.end == seated_meeting.range.start + self.rules.length * MINUTE
            && seated_meeting.host_ids.iter().all(|id| {
                let found = self
                    .calendar
                    .hosts
                    .iter()
                    .zip(&self.working)
                    .find(|(host, _)| host.id == *id);
                found.is_some_and(|(host, working)| {
                    let others = || {
                        host.busy
                            .iter()
                            .filter(|busy| !(busy.is_shared && busy.range == seated_meeting.range))
                    };
                    self.all(working, start, self.rules.length)
                        && (start..start + self.rules.length).all(|minute| {
                            !others().any(|busy| {
                                let (from, to) = self.padded(busy);
                                (from..to).contains(&minute)
                            })
                        })
                })
            })
    }

    /// Step 10, apart from rolling windows.
    fn is_in_window(&self, minute: i64) -> bool {
        let date_in = |zone: &Zone, instant| zone.local(Instant(instant)).unwrap().date();
        match self.rules.window {
            BookingWindow::Ahead { days, business } => {
                let mut last = date_in(self.zone, self.now);
                let mut left = days;
                while left > 0 {
                    last = last.succ_opt().unwrap();
                    if !business || !matches!(last.weekday(), Weekday::Sat | Weekday::Sun) {
                        left -= 1;
                    }
                }
                date_in(self.zone, minute * MINUTE) <= last
            }
            BookingWindow::Between { from, to } => {
                let date = date_in(&self.calendar.hosts[0].schedule.zone, minute * MINUTE);
                from <= date && date <= to
            }
            BookingWindow::Open | BookingWindow::Rolling { .. } => true,
        }
    }

    /// The starts offered in `[from, to]` by date, in minutes, and the segments for which the
    /// result is unknown.
    pub(super) fn days(&self, from: i64, to: i64) -> OfferedDays {
        let clock = ClockTable::around(self.center_minute, self.zone);
        let (grid_starts, unknown) = self.grid_starts(from, to);
        let mut starts: BTreeSet<i64> = grid_starts
            .into_iter()
            .filter(|start| self.seated_meeting(*start).is_none())
            .collect();
        for seated_meeting in &self.calendar.seated_meetings {
            let start = seated_meeting.range.start / MINUTE;
            if self.seated_meeting(start).is_some() && self.can_join(seated_meeting) {
                starts.insert(start);
            }
        }
        let mut days: BTreeMap<NaiveDate, Vec<i64>> = BTreeMap::new();
        for start in starts {
            if start >= self.earliest()
                && self.is_in_window(start)
                && clock.minutes().contains(&start)
            {
                days.entry(clock.at(start).date()).or_default().push(start);
            }
        }
        if let BookingWindow::Rolling {
            days: count,
            business,
        } = self.rules.window
        {
            let mut left = count;
            days.retain(|date, _| {
                let counts = !business || !matches!(date.weekday(), Weekday::Sat | Weekday::Sun);
                let inside = left > 0;
                if counts {
                    left -= 1;
                }
                inside
            });
        }
        if self.rules.only_first {
            days.values_mut().for_each(|starts| starts.truncate(1));
        }
        for starts in days.values_mut() {
            starts.retain(|start| (from..=to).contains(start));
        }
        days.retain(|_, starts| !starts.is_empty());
        (days, unknown)
    }
}
