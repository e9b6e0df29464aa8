//! A second implementation of contract 6.1, slow and obvious: it asks of every single minute who
//! is free, and reads clocks by looking for the minute at which they show a time. It shares the
//! data types with the first one, and no arithmetic on spans.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::sync::{Arc, LazyLock, Mutex};

use chrono::{DateTime, Datelike, NaiveDate, NaiveDateTime, TimeDelta, Timelike, Weekday};
use chrono_tz::Tz;

use super::*;

/// Starts by date, and the stretches about which nothing is said, in minutes.
pub(super) type Answers = (BTreeMap<NaiveDate, Vec<i64>>, Vec<(i64, i64)>);

/// What a zone's clock shows in each minute of some days.
pub(super) struct ClockTable {
    /// Minutes since the epoch of the first entry.
    start: i64,
    shown: Vec<NaiveDateTime>,
    first: HashMap<NaiveDateTime, i64>,
}

/// Days before and after the anchor that are tabulated.
const BEFORE: i64 = 5;
const AFTER: i64 = 6;

impl ClockTable {
    /// The clock of `zone` around the minute `anchor`.
    pub(super) fn around(anchor: i64, zone: Tz) -> Arc<Self> {
        type Known = HashMap<(i64, Tz), Arc<ClockTable>>;
        static KNOWN: LazyLock<Mutex<Known>> = LazyLock::new(Mutex::default);
        let mut known = KNOWN.lock().unwrap();
        known
            .entry((anchor, zone))
            .or_insert_with(|| {
                let start = anchor - BEFORE * 1440;
                let shown: Vec<NaiveDateTime> = (start..anchor + AFTER * 1440)
                    .map(|minute| {
                        DateTime::from_timestamp(minute * 60, 0)
                            .unwrap()
                            .with_timezone(&zone)
                            .naive_local()
                    })
                    .collect();
                let mut first = HashMap::new();
                for (minute, local) in (start..).zip(&shown) {
                    first.entry(*local).or_insert(minute);
                }
                Arc::new(Self {
                    start,
                    shown,
                    first,
                })
            })
            .clone()
    }

    fn minutes(&self) -> std::ops::Range<i64> {
        self.start..self.start + self.shown.len() as i64
    }

    fn at(&self, minute: i64) -> NaiveDateTime {
        self.shown[usize::try_from(minute - self.start).unwrap()]
    }

    /// The first minute at which the clock shows `local`. If it never does, the clock jumps over
    /// it, and it moves forward by as much as the clock does.
    pub(super) fn minute_of(&self, local: NaiveDateTime) -> Option<i64> {
        if let Some(minute) = self.first.get(&local) {
            return Some(*minute);
        }
        let jump = self
            .shown
            .windows(2)
            .find(|pair| pair[0] < local && local < pair[1])?;
        let gap = jump[1] - jump[0] - TimeDelta::minutes(1);
        self.first.get(&(local + gap)).copied()
    }

    fn dates(&self) -> BTreeSet<NaiveDate> {
        let (first, last) = (
            self.shown[0].date(),
            self.shown[self.shown.len() - 1].date(),
        );
        first.iter_days().take_while(|date| *date <= last).collect()
    }
}

/// Which minutes of the table are free, one flag each.
type Minutes = Vec<bool>;

pub(super) struct Reference<'a> {
    pub(super) rules: &'a Rules,
    pub(super) calendar: &'a Calendar,
    pub(super) zone: Tz,
    pub(super) now: i64,
    pub(super) anchor: i64,
    works: Vec<Minutes>,
    free: Vec<Minutes>,
    start: i64,
}

impl<'a> Reference<'a> {
    pub(super) fn new(offer: Offer<'a>, anchor: i64) -> Self {
        let mut reference = Self {
            rules: offer.rules,
            calendar: offer.calendar,
            zone: offer.zone,
            now: offer.now,
            anchor,
            works: Vec::new(),
            free: Vec::new(),
            start: anchor - BEFORE * 1440,
        };
        for host in &offer.calendar.hosts {
            let works = reference.works(host);
            let mut free = works.clone();
            reference.take_meetings(host, &mut free);
            reference.take_full_periods(host, &mut free);
            reference.works.push(works);
            reference.free.push(free);
        }
        reference
    }

    /// Steps 2 and 3.
    fn works(&self, host: &Host) -> Minutes {
        let clock = ClockTable::around(self.anchor, host.schedule.zone);
        let mut works = vec![false; clock.shown.len()];
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
                        works[(minute - self.start) as usize] = true;
                    }
                }
            }
        }
        let minutes = if host.away.is_empty() {
            0..0
        } else {
            clock.minutes()
        };
        for minute in minutes {
            let date = clock.at(minute).date();
            let is_away = |away: &Away| match away {
                Away::Days { from, to } => *from <= date && date <= *to,
                Away::Instants(span) => {
                    span.start < (minute + 1) * MINUTE && minute * MINUTE < span.end
                }
            };
            if host.away.iter().any(is_away) {
                works[(minute - self.start) as usize] = false;
            }
        }
        works
    }

    /// The minutes in which `busy` keeps a host from a meeting (step 4).
    fn padded(&self, busy: &Busy) -> (i64, i64) {
        let from = busy.span.start / MINUTE - busy.before - self.rules.after;
        let to = busy.span.end / MINUTE + busy.after + self.rules.before;
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
        let clock = ClockTable::around(self.anchor, host.zone);
        let period = |limit: &Limit, date: NaiveDate| match limit.period {
            Period::Day => (date.year(), date.ordinal()),
            // The week of the next Saturday: weeks end with it.
            Period::Week => {
                let mut saturday = date;
                while saturday.weekday() != Weekday::Sat {
                    saturday = saturday.succ_opt().unwrap();
                }
                (saturday.year(), saturday.ordinal())
            }
            Period::Month => (date.year(), date.month()),
            Period::Year => (date.year(), 0),
        };
        let local_date = |instant: i64| {
            DateTime::from_timestamp_millis(instant)
                .unwrap()
                .with_timezone(&host.zone)
                .date_naive()
        };
        let mut is_full: BTreeMap<NaiveDate, bool> = BTreeMap::new();
        for (index, free) in free.iter_mut().enumerate() {
            let date = clock.shown[index].date();
            let full = *is_full.entry(date).or_insert_with(|| {
                self.rules.limits.iter().any(|limit| {
                    let meetings: Vec<&Span> = self
                        .calendar
                        .booked
                        .iter()
                        .filter(|meeting| {
                            period(limit, local_date(meeting.start)) == period(limit, date)
                        })
                        .collect();
                    match limit.most {
                        Most::Meetings(most) => meetings.len() as i64 >= most,
                        Most::Minutes(most) => {
                            let taken: i64 = meetings
                                .iter()
                                .map(|meeting| (meeting.end - meeting.start) / MINUTE)
                                .sum();
                            taken + self.rules.length > most
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

    fn needs(&self, host: &Host) -> bool {
        host.fixed || self.rules.combine == Combine::Everyone
    }

    /// Step 6, for stretches of any length.
    fn has_hosts(&self, times: &[Minutes], from: i64, length: i64) -> bool {
        let hosts = || self.calendar.hosts.iter().zip(times);
        let everyone_needed = hosts()
            .filter(|(host, _)| self.needs(host))
            .all(|(_, free)| self.all(free, from, length));
        let rotates = hosts().any(|(host, _)| !self.needs(host));
        let one_of_them =
            hosts().any(|(host, free)| !self.needs(host) && self.all(free, from, length));
        !times.is_empty() && everyone_needed && (!rotates || one_of_them)
    }

    /// Whether there are hosts who are wholly free for a meeting that starts in this minute.
    pub(super) fn is_free(&self, minute: i64) -> bool {
        match self.session(minute) {
            Some(session) => self.can_join(session),
            None => self.has_hosts(&self.free, minute, self.rules.length),
        }
    }

    /// Stretches in which hosts are free at every minute, as `(first, after the last)`.
    fn ranges(&self) -> Vec<(i64, i64)> {
        let mut everyone_needed = vec![true; self.free[0].len()];
        let mut one_of_them = vec![false; self.free[0].len()];
        let mut rotates = false;
        for (host, free) in self.calendar.hosts.iter().zip(&self.free) {
            let needed = self.needs(host);
            rotates |= !needed;
            for (index, free) in free.iter().enumerate() {
                if needed {
                    everyone_needed[index] &= free;
                } else {
                    one_of_them[index] |= free;
                }
            }
        }
        let mut ranges: Vec<(i64, i64)> = Vec::new();
        for (minute, (all, one)) in (self.start..).zip(everyone_needed.into_iter().zip(one_of_them))
        {
            if !all || (rotates && !one) {
                continue;
            }
            match ranges.last_mut() {
                Some(last) if last.1 == minute => last.1 += 1,
                _ => ranges.push((minute, minute + 1)),
            }
        }
        ranges
    }

    /// First minute, end of the free time, and first minute of the next stretch.
    fn stretches(&self) -> Vec<(i64, i64, i64)> {
        let zone = self.calendar.hosts[0].schedule.zone;
        let clock = ClockTable::around(self.anchor, zone);
        let midnights: Vec<i64> = clock
            .dates()
            .into_iter()
            .filter_map(|date| clock.minute_of(date.and_hms_opt(0, 0, 0).unwrap()))
            .collect();
        let mut stretches = Vec::new();
        for (first, end) in self.ranges() {
            let mut starts = vec![first];
            if end - first > 1440 {
                starts.extend(midnights.iter().filter(|at| first < **at && **at < end));
            }
            for (index, start) in starts.iter().enumerate() {
                let until = starts.get(index + 1).copied().unwrap_or(end);
                stretches.push((*start, end, until));
            }
        }
        stretches
    }

    /// Step 7. Ranges of more than a day begin again at each midnight of the first host's
    /// schedule. What begins before the table does is told apart.
    fn laid_out(&self, from: i64, to: i64) -> (Vec<i64>, Vec<(i64, i64)>) {
        let rules = self.rules;
        let from = if rules.window.is_rolling() {
            self.earliest()
        } else {
            from
        };
        let matters = if rules.only_first { from - 1500 } else { from };
        let clock = ClockTable::around(self.anchor, self.zone);
        let step = rules.interval.unwrap_or(rules.length);
        let grid = [60, 30, 20, 15, 10, 5, 1]
            .into_iter()
            .find(|grid| step % grid == 0)
            .unwrap();
        let mut starts = Vec::new();
        let mut unknown = Vec::new();
        for (first, end, until) in self.stretches() {
            if until <= matters || first > to {
                continue;
            }
            if first == self.start {
                unknown.push((first, until));
                continue;
            }
            let at = first.max(self.earliest());
            let walk = |first: i64| -> Vec<i64> {
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
                    .find(|first| walk(*first).len() == walk(at).len())
                    .unwrap_or(at)
            } else {
                rounded(grid as u32)
            };
            starts.extend(walk(chosen));
        }
        starts.retain(|start| self.has_hosts(&self.free, *start, rules.length));
        (starts, unknown)
    }

    /// The first minute that the notice allows (step 1).
    fn earliest(&self) -> i64 {
        (self.now + self.rules.notice.max(1) * MINUTE).div_euclid(MINUTE)
    }

    fn session(&self, minute: i64) -> Option<&Session> {
        self.calendar
            .sessions
            .iter()
            .find(|session| self.rules.seated && session.span.start == minute * MINUTE)
    }

    /// Steps 4 and 8 for seated types.
    fn can_join(&self, session: &Session) -> bool {
        let start = session.span.start / MINUTE;
        session.booked + session.reserved < session.seats
            && session.span.end == session.span.start + self.rules.length * MINUTE
            && session.host_ids.iter().all(|id| {
                let found = self
                    .calendar
                    .hosts
                    .iter()
                    .zip(&self.works)
                    .find(|(host, _)| host.id == *id);
                found.is_some_and(|(host, works)| {
                    let others = || {
                        host.busy
                            .iter()
                            .filter(|busy| !(busy.shared && busy.span == session.span))
                    };
                    self.all(works, start, self.rules.length)
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
    fn window_holds(&self, minute: i64) -> bool {
        let date_in = |zone: Tz, instant: i64| {
            DateTime::from_timestamp_millis(instant)
                .unwrap()
                .with_timezone(&zone)
                .date_naive()
        };
        match self.rules.window {
            Window::Ahead { days, business } => {
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
            Window::Between { from, to } => {
                let date = date_in(self.calendar.hosts[0].schedule.zone, minute * MINUTE);
                from <= date && date <= to
            }
            Window::Open | Window::Rolling { .. } => true,
        }
    }

    /// The starts offered in `[from, to]` by date, in minutes, and the stretches about which
    /// nothing is said.
    pub(super) fn days(&self, from: i64, to: i64) -> Answers {
        let clock = ClockTable::around(self.anchor, self.zone);
        let (laid_out, unknown) = self.laid_out(from, to);
        let mut starts: BTreeSet<i64> = laid_out
            .into_iter()
            .filter(|start| self.session(*start).is_none())
            .collect();
        for session in &self.calendar.sessions {
            let start = session.span.start / MINUTE;
            if self.session(start).is_some() && self.can_join(session) {
                starts.insert(start);
            }
        }
        let mut days: BTreeMap<NaiveDate, Vec<i64>> = BTreeMap::new();
        for start in starts {
            if start >= self.earliest()
                && self.window_holds(start)
                && clock.minutes().contains(&start)
            {
                days.entry(clock.at(start).date()).or_default().push(start);
            }
        }
        if let Window::Rolling {
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
