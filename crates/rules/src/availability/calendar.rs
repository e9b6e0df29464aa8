//! Working hours, absences and busy times of an event type's hosts, and their free times.

use booking_zones::Zone;

use super::booking_limits::full_periods;
use super::rules::Rules;
use super::schedule::Schedule;
use super::time_off::TimeOff;
use super::time_range::{TimeRange, merge, subtract};
use super::units::{DAY, MINUTE};

/// Input of the slot computation apart from the event type's rules.
#[derive(Clone, Debug, Default)]
pub struct Calendar {
    /// Hosts of the event type.
    pub hosts: Vec<Host>,
    /// Meetings of a seated event type that attendees can join, sorted by start.
    pub seated_meetings: Vec<SeatedMeeting>,
    /// Times that count towards the event type's limits: accepted bookings and active reservations.
    pub booked: Vec<TimeRange>,
}

/// One host with working hours, absences and busy times.
#[derive(Clone, Debug)]
pub struct Host {
    /// User id.
    pub id: i64,
    /// True if the host takes part in every meeting of a round-robin type.
    pub fixed: bool,
    /// The zone in which days, weeks, months and years are counted for limits.
    pub zone: Zone,
    /// Working hours.
    pub schedule: Schedule,
    /// Absences.
    pub time_off: Vec<TimeOff>,
    /// Busy times.
    pub busy: Vec<BusyTime>,
}

/// A busy time of a host, with the buffers of its event type.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BusyTime {
    /// Time of the meeting.
    pub range: TimeRange,
    /// Minutes to keep free before it.
    pub buffer_before: i64,
    /// Minutes to keep free after it.
    pub buffer_after: i64,
    /// True if it is one of the [`Calendar::seated_meetings`], which attendees can join.
    pub is_shared: bool,
}

impl BusyTime {
    /// The range that no meeting with `rules` may overlap, with the buffers of both.
    pub fn padded(&self, rules: &Rules) -> TimeRange {
        TimeRange::new(
            self.range.start - (self.buffer_before + rules.buffer_after) * MINUTE,
            self.range.end + (self.buffer_after + rules.buffer_before) * MINUTE,
        )
    }
}

/// A meeting with seats, or the reservations of seats in a future one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SeatedMeeting {
    /// Time of the meeting.
    pub range: TimeRange,
    /// Uid of the booking to join; `None` if there are only reservations.
    pub uid: Option<String>,
    /// Ids of the hosts.
    pub host_ids: Vec<i64>,
    /// Booked seats.
    pub booked: i64,
    /// Reserved seats.
    pub reserved: i64,
    /// Total number of seats.
    pub seats: i64,
}

impl SeatedMeeting {
    /// Free seats.
    pub fn seats_left(&self) -> i64 {
        (self.seats - self.booked - self.reserved).max(0)
    }
}

impl Calendar {
    /// The seated meeting that starts at `start`.
    pub fn seated_meeting_at(&self, start: i64) -> Option<&SeatedMeeting> {
        self.seated_meetings
            .binary_search_by_key(&start, |meeting| meeting.range.start)
            .ok()
            .and_then(|index| self.seated_meetings.get(index))
    }

    /// Removes the other rotating hosts if one of these is there.
    pub fn keep_rotating_hosts(&mut self, ids: &[i64]) {
        let is_kept = |host: &Host| !host.fixed && ids.contains(&host.id);
        if self.hosts.iter().any(is_kept) {
            self.hosts.retain(|host| host.fixed || is_kept(host));
        }
    }

    /// Makes the meetings with seats full: nobody can join them.
    pub fn close_seated_meetings(&mut self) {
        for meeting in &mut self.seated_meetings {
            meeting.seats = meeting.booked + meeting.reserved;
        }
    }

    /// Periods in which a limit is reached, for each host.
    pub(super) fn full_periods(&self, rules: &Rules) -> Vec<Vec<TimeRange>> {
        let mut computed: Vec<(&Zone, Vec<TimeRange>)> = Vec::new();
        self.hosts
            .iter()
            .map(|host| {
                if let Some((_, full)) = computed.iter().find(|(zone, _)| **zone == host.zone) {
                    return full.clone();
                }
                let full = full_periods(&rules.limits, rules.length, &self.booked, &host.zone);
                computed.push((&host.zone, full.clone()));
                full
            })
            .collect()
    }
}

impl Host {
    /// Working hours of the host around `window`, without absences.
    pub(super) fn working_hours(&self, window: TimeRange) -> Vec<TimeRange> {
        let ranges = self.schedule.ranges(window);
        if self.time_off.is_empty() {
            return ranges;
        }
        let time_off = self
            .time_off
            .iter()
            .map(|time_off| time_off.range(&self.schedule.zone));
        subtract(&ranges, time_off.collect())
    }

    /// The parts of `working` without the host's meetings and their buffers.
    pub(super) fn free_times(&self, working: &[TimeRange], rules: &Rules) -> Vec<TimeRange> {
        subtract(
            working,
            self.busy.iter().map(|busy| busy.padded(rules)).collect(),
        )
    }

    /// Returns true if the host works during a meeting and is free, including the buffers of
    /// `rules`.
    pub fn is_available_for(&self, meeting: TimeRange, rules: &Rules) -> bool {
        let around = TimeRange::new(meeting.start - DAY, meeting.end + DAY);
        super::time_range::any_contains(
            &self.free_times(&self.working_hours(around), rules),
            meeting,
        )
    }

    /// Returns true if the host has no other meeting at that time, regardless of working hours.
    pub fn has_no_conflict(&self, meeting: TimeRange) -> bool {
        !self.busy.iter().any(|busy| busy.range.overlaps(meeting))
    }
}

/// A host's time, indexed for joining seated meetings: checking one of many meetings does not
/// require a scan of all others.
pub(super) struct HostTime {
    /// Working hours, merged.
    working: Vec<TimeRange>,
    /// Padded meetings, sorted by start; seated meetings also with their own range.
    taken: Vec<(TimeRange, Option<TimeRange>)>,
    /// The longest padded meeting, in milliseconds.
    longest_ms: i64,
}

impl HostTime {
    pub(super) fn of(host: &Host, working: Vec<TimeRange>, rules: &Rules) -> Self {
        let mut taken: Vec<(TimeRange, Option<TimeRange>)> = host
            .busy
            .iter()
            .map(|busy| (busy.padded(rules), busy.is_shared.then_some(busy.range)))
            .collect();
        taken.sort_unstable();
        let lengths = taken.iter().map(|(range, _)| range.end - range.start);
        Self {
            working,
            longest_ms: lengths.max().unwrap_or(0),
            taken,
        }
    }

    /// Returns true if one more attendee can join the meeting: the host works then, and has no
    /// other meeting.
    pub(super) fn can_host(&self, seated_meeting: TimeRange) -> bool {
        let first = self
            .taken
            .partition_point(|(range, _)| range.start < seated_meeting.start - self.longest_ms);
        super::time_range::any_contains(&self.working, seated_meeting)
            && !self
                .taken
                .iter()
                .skip(first)
                .take_while(|(range, _)| range.start < seated_meeting.end)
                .any(|(range, shared_range)| {
                    *shared_range != Some(seated_meeting) && range.overlaps(seated_meeting)
                })
    }
}

/// Union of the ranges of several hosts.
pub(super) fn union(ranges: &[&[TimeRange]]) -> Vec<TimeRange> {
    merge(ranges.concat())
}
