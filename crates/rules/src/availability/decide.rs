//! Decides if one start can be booked or reserved.

use std::collections::BTreeSet;

use booking_zones::{UTC, Zone};
use chrono::NaiveDate;

use super::calendar::SeatedMeeting;
use super::grid::{self, RoundingClock};
use super::schedule::{instant_of, local_date};
use super::search::SlotSearch;
use super::time_range::{TimeRange, any_contains};
use super::units::{DAY, MINUTE};

/// Minutes for which a start that depends on the notice stays valid.
const NOTICE_GRACE: std::ops::RangeInclusive<i64> = 0..=10;

/// Most zones in which a start may have been offered.
const MAX_ZONES: usize = 5;

/// Possible hosts of a start that can be booked.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Decision {
    /// Hosts that take part in any case.
    pub fixed: Vec<i64>,
    /// Hosts of whom one takes part; empty if only those in `fixed` do.
    pub rotating: Vec<i64>,
    /// Uid of the seated booking to join; `None` for a new booking.
    pub joined_uid: Option<String>,
}

impl Decision {
    /// Hosts of the meeting: the fixed hosts and one rotating host, if possible one in `preferred`,
    /// such as the hosts of the visitor's reservation, else the one with the least `load`. The
    /// choice is deterministic.
    pub fn hosts<T: Ord>(&self, preferred: &[i64], load: impl Fn(i64) -> T) -> Vec<i64> {
        let chosen = self
            .rotating
            .iter()
            .min_by_key(|id| (!preferred.contains(id), load(**id), **id));
        self.fixed.iter().chain(chosen).copied().collect()
    }
}

/// Reason why a start cannot be booked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum UnavailableReason {
    /// In the past.
    Past,
    /// Within the minimum notice.
    TooSoon,
    /// Outside of the booking window.
    OutsideWindow,
    /// Outside of the hosts' working hours, or not a start of this event type.
    NotOffered,
    /// A limit on number or duration of bookings in the period is reached.
    LimitReached,
    /// Conflicts with other bookings or reservations.
    Taken,
    /// All its seats are taken.
    Full,
}

/// A start to decide about.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Candidate {
    /// Epoch milliseconds.
    pub start: i64,
    /// True if the visitor has reserved it: then it was offered when the reservation was made.
    pub has_reservation: bool,
    /// True if it may have been offered in any zone: requests to reserve or reschedule contain no
    /// zone.
    pub from_any_zone: bool,
}

/// Decides whether a start can be booked, and returns its possible hosts. Accepts exactly the
/// starts that [`super::days`] currently offers in the zone of the search, in UTC (the default of
/// requests), or in the zones of the first few hosts.
///
/// Also accepts starts that were offered up to ten minutes ago, before the notice moved today's
/// starts; but not if the event type leaves more time between starts than its length, because a
/// moved start would break that interval.
pub fn decide(search: SlotSearch<'_>, candidate: Candidate) -> Result<Decision, UnavailableReason> {
    let Candidate {
        start,
        has_reservation,
        ..
    } = candidate;
    if start <= search.now {
        return Err(UnavailableReason::Past);
    }
    if !has_reservation && start < search.rules.earliest(search.now) {
        return Err(UnavailableReason::TooSoon);
    }
    let mut searches: Vec<SlotSearch<'_>> = search
        .candidate_zones()
        .into_iter()
        .map(|zone| search.in_zone(zone))
        .filter(|search| search.is_within_bounds(start))
        .collect();
    if !has_reservation && searches.is_empty() {
        return Err(UnavailableReason::OutsideWindow);
    }
    let seated_meeting = search
        .calendar
        .seated_meeting_at(start)
        .filter(|_| search.rules.seated);
    let decision = match seated_meeting {
        Some(seated_meeting) => search.join(seated_meeting)?,
        None => search.assign_hosts(candidate, &mut searches)?,
    };
    if has_reservation {
        return Ok(decision);
    }
    if search.rules.window.is_rolling() {
        let free_times = search.free_times(&search.working_hours(search.now, start + DAY));
        searches.retain(|search| search.rolling_window_allows(start, &free_times));
    }
    if searches.is_empty() {
        return Err(UnavailableReason::OutsideWindow);
    }
    if search.rules.only_first
        && !searches
            .iter()
            .any(|search| search.is_first_of_its_date(start))
    {
        return Err(UnavailableReason::NotOffered);
    }
    Ok(decision)
}

impl<'a> SlotSearch<'a> {
    /// Zones in which the start may have been offered, at most [`MAX_ZONES`]: with a rolling
    /// window, all starts until its end are computed for each of them.
    fn candidate_zones(&self) -> Vec<&'a Zone> {
        let mut zones = vec![self.zone];
        let hosts = self.calendar.hosts.iter().map(|host| &host.schedule.zone);
        for zone in [&UTC].into_iter().chain(hosts) {
            if zones.len() == MAX_ZONES {
                break;
            }
            if !zones.contains(&zone) {
                zones.push(zone);
            }
        }
        zones
    }

    fn is_within_bounds(&self, start: i64) -> bool {
        let (from, to) = self.bounds();
        (from..to).contains(&start)
    }

    /// Returns true if the rolling window includes `start`. `free_times` are those of the hosts
    /// from now to the day of the start.
    fn rolling_window_allows(&self, start: i64, free_times: &[Vec<TimeRange>]) -> bool {
        // The day of the start is known to have a free time: the start itself.
        let Some(date) = local_date(start, self.zone) else {
            return false;
        };
        let today = instant_of(date, 0, self.zone);
        let mut free_days: BTreeSet<NaiveDate> = self
            .starts_within(free_times, self.now, today)
            .iter()
            .filter_map(|start| local_date(*start, self.zone))
            .collect();
        free_days.insert(date);
        self.rules
            .window
            .last_rolling_day(&free_days)
            .is_none_or(|last| date <= last)
    }

    fn is_first_of_its_date(&self, start: i64) -> bool {
        local_date(start, self.zone).is_some_and(|date| {
            let midnight = instant_of(date, 0, self.zone);
            self.starts(midnight, start - 1).is_empty()
        })
    }

    fn join(&self, meeting: &SeatedMeeting) -> Result<Decision, UnavailableReason> {
        let time = self.seated_time(meeting.range.start - DAY, meeting.range.end + DAY);
        if self.can_join(meeting, &time) {
            return Ok(Decision {
                fixed: meeting.host_ids.clone(),
                rotating: Vec::new(),
                joined_uid: meeting.uid.clone(),
            });
        }
        Err(if meeting.seats_left() == 0 {
            UnavailableReason::Full
        } else {
            UnavailableReason::Taken
        })
    }

    /// The possible hosts of a new meeting. Reduces `searches` to those that offer the start.
    fn assign_hosts(
        &self,
        candidate: Candidate,
        searches: &mut Vec<SlotSearch<'a>>,
    ) -> Result<Decision, UnavailableReason> {
        let Candidate {
            start,
            has_reservation,
            ..
        } = candidate;
        let meeting = self.rules.meeting(start);
        let working_hours = self.working_hours(start - DAY, start + DAY);
        let free_times = self.free_times(&working_hours);
        if let Some(decision) = self.available_hosts(&free_times, meeting) {
            let offered: Vec<SlotSearch<'a>> = searches
                .iter()
                .filter(|search| search.is_on_grid(&free_times, candidate))
                .copied()
                .collect();
            if has_reservation || !offered.is_empty() {
                *searches = offered;
                return Ok(decision);
            }
        }
        // Distinguish the reasons: would it be offered without other meetings or without limits?
        let is_offered = has_reservation
            || searches
                .iter()
                .any(|search| search.is_on_grid(&working_hours, candidate));
        if self.available_hosts(&working_hours, meeting).is_none() || !is_offered {
            return Err(UnavailableReason::NotOffered);
        }
        let within_limits: Vec<Vec<TimeRange>> = self
            .calendar
            .full_periods(self.rules)
            .into_iter()
            .zip(&working_hours)
            .map(|(full_periods, working_hours)| {
                super::time_range::subtract(working_hours, full_periods)
            })
            .collect();
        Err(if self.available_hosts(&within_limits, meeting).is_none() {
            UnavailableReason::LimitReached
        } else {
            UnavailableReason::Taken
        })
    }

    /// Returns true if the start is on the grid in these times of the hosts, now or within
    /// [`NOTICE_GRACE`].
    fn is_on_grid(&self, ranges: &[Vec<TimeRange>], candidate: Candidate) -> bool {
        let start = candidate.start;
        let mut clocks = vec![RoundingClock::Zone(self.zone)];
        if candidate.from_any_zone {
            clocks.extend(RoundingClock::ANY);
        }
        let earliest = self.rules.earliest(self.now);
        let has_gaps = self.rules.step() > self.rules.length * MINUTE;
        let grace = if has_gaps || self.rules.only_first {
            0..=0
        } else {
            NOTICE_GRACE
        };
        self.segments(ranges)
            .filter(|segment| (segment.start..segment.next).contains(&start))
            .any(|segment| {
                // The notice only affects the segment in which it ends.
                let edges = if segment.start < earliest {
                    grace.clone()
                } else {
                    0..=0
                };
                edges
                    .map(|minutes| earliest - minutes * MINUTE)
                    .any(|edge| {
                        clocks.iter().any(|clock| {
                            grid::starts(self.rules, *clock, segment, edge, (start, start))
                                .next()
                                .is_some()
                        })
                    })
            })
    }

    /// The hosts who are available for `meeting`; `None` if too few are.
    fn available_hosts(&self, ranges: &[Vec<TimeRange>], meeting: TimeRange) -> Option<Decision> {
        let mut decision = Decision::default();
        let mut has_rotating_hosts = false;
        for (host, ranges) in self.calendar.hosts.iter().zip(ranges) {
            let is_available = any_contains(ranges, meeting);
            if self.is_required(host.fixed) {
                if !is_available {
                    return None;
                }
                decision.fixed.push(host.id);
            } else {
                has_rotating_hosts = true;
                if is_available {
                    decision.rotating.push(host.id);
                }
            }
        }
        let complete = if has_rotating_hosts {
            !decision.rotating.is_empty()
        } else {
            !decision.fixed.is_empty()
        };
        complete.then_some(decision)
    }
}
