//! Slot search: offered starts from hosts and rules.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use booking_wire::Instant;
use booking_zones::Zone;
use chrono::NaiveDate;

use super::calendar::{Calendar, HostTime, SeatedMeeting, union};
use super::grid::{self, RoundingClock, Segment};
use super::rules::{Rules, SchedulingType};
use super::schedule::{instant_of, local_date};
use super::time_range::{TimeRange, any_contains, intersect, subtract};
use super::units::DAY;
use crate::bookable_dates::MAX_ROLLING_DAYS;

/// Parameters of a slot search.
#[derive(Clone, Copy, Debug)]
pub struct SlotSearch<'a> {
    /// The event type's rules.
    pub rules: &'a Rules,
    /// The hosts and their times.
    pub calendar: &'a Calendar,
    /// Zone of the request: determines dates and the hour grid.
    pub zone: &'a Zone,
    /// The current instant.
    pub now: i64,
}

/// Time of each host by id, for joining seated meetings.
pub(super) struct SeatedTime(HashMap<i64, HostTime>);

/// The starts offered inside `[from, to]`, by date in the request's zone.
pub fn days(search: SlotSearch<'_>, from: i64, to: i64) -> BTreeMap<NaiveDate, Vec<i64>> {
    // The first start of a date may be before the range.
    let search_from = match local_date(from, search.zone) {
        Some(date) if search.rules.only_first => instant_of(date, 0, search.zone),
        _ => from,
    };
    let starts = if search.rules.window.is_rolling() {
        rolling_starts(search, search_from, to)
    } else {
        search.starts(search_from, to)
    };
    let mut days: BTreeMap<NaiveDate, Vec<i64>> = BTreeMap::new();
    let mut last_date = None;
    let offsets = search.zone.offsets();
    for start in starts {
        let Some(date) = offsets.date(Instant(start)) else {
            continue;
        };
        let is_first = last_date.replace(date) != Some(date);
        if start >= from && (is_first || !search.rules.only_first) {
            days.entry(date).or_default().push(start);
        }
    }
    days
}

fn rolling_starts(search: SlotSearch<'_>, from: i64, to: i64) -> Vec<i64> {
    let Some(today) = local_date(search.now, search.zone) else {
        return Vec::new();
    };
    let horizon = instant_of(today, 0, search.zone) + (MAX_ROLLING_DAYS + 2) * DAY;
    let starts = search.starts(search.now, horizon);
    let offsets = search.zone.offsets();
    let free_days: BTreeSet<NaiveDate> = starts
        .iter()
        .filter_map(|start| offsets.date(Instant(*start)))
        .collect();
    let last = search.rules.window.last_rolling_day(&free_days);
    starts
        .into_iter()
        .filter(|start| (from..=to).contains(start))
        .filter(|start| match (last, offsets.date(Instant(*start))) {
            (Some(last), Some(date)) => date <= last,
            _ => true,
        })
        .collect()
}

impl<'a> SlotSearch<'a> {
    /// The same search in another zone.
    pub(super) fn in_zone(self, zone: &'a Zone) -> Self {
        Self { zone, ..self }
    }

    /// Working hours of each host around `[from, to]`.
    pub(super) fn working_hours(&self, from: i64, to: i64) -> Vec<Vec<TimeRange>> {
        let around = TimeRange::new(from.saturating_sub(DAY), to.saturating_add(DAY));
        self.calendar
            .hosts
            .iter()
            .map(|host| host.working_hours(around))
            .collect()
    }

    /// Free times of each host: `working_hours` without meetings and full periods.
    pub(super) fn free_times(&self, working_hours: &[Vec<TimeRange>]) -> Vec<Vec<TimeRange>> {
        let full_periods = self.calendar.full_periods(self.rules);
        self.calendar
            .hosts
            .iter()
            .zip(working_hours)
            .zip(full_periods)
            .map(|((host, working_hours), full_periods)| {
                let free_times = host.free_times(working_hours, self.rules);
                if full_periods.is_empty() {
                    free_times
                } else {
                    subtract(&free_times, full_periods)
                }
            })
            .collect()
    }

    /// The instants `[from, to)` between which the booking window allows starts.
    pub(super) fn bounds(&self) -> (i64, i64) {
        self.rules
            .window
            .bounds(self.now, self.zone, self.schedule_zone())
    }

    /// Zone of the first host's schedule.
    fn schedule_zone(&self) -> &'a Zone {
        let first = self.calendar.hosts.first();
        first.map_or(self.zone, |host| &host.schedule.zone)
    }

    /// All starts inside `[from, to]`, ascending.
    pub(super) fn starts(&self, from: i64, to: i64) -> Vec<i64> {
        match self.clipped(from, to) {
            Some((from, to)) => {
                self.starts_within(&self.free_times(&self.working_hours(from, to)), from, to)
            }
            None => Vec::new(),
        }
    }

    /// The part of `[from, to]` in which there can be starts.
    fn clipped(&self, from: i64, to: i64) -> Option<(i64, i64)> {
        let (window_from, window_to) = self.bounds();
        let from = from.max(self.rules.earliest(self.now)).max(window_from);
        let to = to.min(window_to.saturating_sub(1));
        (from <= to).then_some((from, to))
    }

    /// All starts inside `[from, to]`, ascending, given the free times of the hosts around it.
    pub(super) fn starts_within(
        &self,
        free_times: &[Vec<TimeRange>],
        from: i64,
        to: i64,
    ) -> Vec<i64> {
        let Some((from, to)) = self.clipped(from, to) else {
            return Vec::new();
        };
        let earliest = self.rules.earliest(self.now);
        let mut starts = self.grid_starts(free_times, earliest, (from, to));
        if self.rules.seated {
            // A start with a seated meeting is only offered for joining it.
            starts.retain(|start| self.calendar.seated_meeting_at(*start).is_none());
            let time = self.seated_time(from, to);
            let joinable = self.calendar.seated_meetings.iter().filter(|meeting| {
                (from..=to).contains(&meeting.range.start) && self.can_join(meeting, &time)
            });
            starts.extend(joinable.map(|meeting| meeting.range.start));
            starts.sort_unstable();
        }
        starts
    }

    /// The grid starts in the free times of the hosts, ascending.
    pub(super) fn grid_starts(
        &self,
        free_times: &[Vec<TimeRange>],
        earliest: i64,
        within: (i64, i64),
    ) -> Vec<i64> {
        let mut starts: Vec<i64> = self
            .segments(free_times)
            .flat_map(|segment| {
                grid::starts(
                    self.rules,
                    RoundingClock::Zone(self.zone),
                    segment,
                    earliest,
                    within,
                )
            })
            .filter(|start| self.can_take(free_times, self.rules.meeting(*start)))
            .collect();
        starts.sort_unstable();
        starts.dedup();
        starts
    }

    /// The grid segments in the free times of the hosts.
    pub(super) fn segments(
        &self,
        free_times: &[Vec<TimeRange>],
    ) -> impl Iterator<Item = Segment> + use<'a> {
        let zone = self.schedule_zone();
        self.combined(free_times)
            .into_iter()
            .flat_map(move |range| grid::segments(range, zone))
    }

    /// The hosts' times around `[from, to]`, for joining seated meetings.
    pub(super) fn seated_time(&self, from: i64, to: i64) -> SeatedTime {
        let working_hours = self.working_hours(from, to);
        let hosts = self.calendar.hosts.iter().zip(working_hours);
        let hosts = hosts
            .map(|(host, working_hours)| (host.id, HostTime::of(host, working_hours, self.rules)));
        SeatedTime(hosts.collect())
    }

    /// Returns true if one more attendee can take a seat. Limits count meetings, so they do not
    /// apply to joining one.
    pub(super) fn can_join(&self, meeting: &SeatedMeeting, time: &SeatedTime) -> bool {
        meeting.seats_left() > 0
            && meeting.range == self.rules.meeting(meeting.range.start)
            && !meeting.host_ids.is_empty()
            && meeting.host_ids.iter().all(|id| {
                let time = time.0.get(id);
                time.is_some_and(|time| time.can_host(meeting.range))
            })
    }

    /// Returns true if a host has to take part in every meeting.
    pub(super) fn is_required(&self, fixed: bool) -> bool {
        fixed || self.rules.scheduling_type == SchedulingType::Everyone
    }

    /// Combined free ranges of the hosts.
    fn combined(&self, free_times: &[Vec<TimeRange>]) -> Vec<TimeRange> {
        if let [only] = free_times {
            return only.clone();
        }
        let mut common: Option<Vec<TimeRange>> = None;
        let mut any: Vec<&[TimeRange]> = Vec::new();
        for (host, ranges) in self.calendar.hosts.iter().zip(free_times) {
            if self.is_required(host.fixed) {
                common = Some(match common {
                    Some(common) => intersect(&common, ranges),
                    None => ranges.clone(),
                });
            } else {
                any.push(ranges);
            }
        }
        match common {
            Some(common) if any.is_empty() => common,
            Some(common) => intersect(&common, &union(&any)),
            None => union(&any),
        }
    }

    /// Returns true if one of the rotating hosts, if there are any, is free for `meeting`. The
    /// union of two hosts' times may contain a meeting that neither of them can take alone. The
    /// required hosts are free, because their common time contains the meeting.
    fn can_take(&self, free_times: &[Vec<TimeRange>], meeting: TimeRange) -> bool {
        let hosts = self.calendar.hosts.iter().zip(free_times);
        let mut rotating = hosts
            .filter(|(host, _)| !self.is_required(host.fixed))
            .peekable();
        rotating.peek().is_none() || rotating.any(|(_, ranges)| any_contains(ranges, meeting))
    }
}
