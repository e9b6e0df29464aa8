//! From hosts and rules to the starts that are offered.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use chrono::NaiveDate;
use chrono_tz::Tz;

use super::calendar::{Calendar, HostTime, Session, union};
use super::layout;
use super::layout::{Clock, Stretch};
use super::rules::{Combine, Rules};
use super::schedule::{instant_of, local_date};
use super::span::{Span, any_holds, intersect, subtract};
use super::units::DAY;
use super::window::LOOK_AHEAD_DAYS;

/// What is asked: which starts, seen from which zone, at which moment.
#[derive(Clone, Copy, Debug)]
pub struct Offer<'a> {
    /// The event type's rules.
    pub rules: &'a Rules,
    /// Its hosts and their time.
    pub calendar: &'a Calendar,
    /// The zone of the request: decides dates and the hour grid.
    pub zone: Tz,
    /// The present moment.
    pub now: i64,
}

/// Time of each host by id, as it matters to sessions that visitors join.
pub(super) struct SeatedTime(HashMap<i64, HostTime>);

/// The starts offered inside `[from, to]`, by date in the request's zone.
pub fn days(offer: Offer<'_>, from: i64, to: i64) -> BTreeMap<NaiveDate, Vec<i64>> {
    // The first start of a date may lie before the range.
    let seen_from = match local_date(from, offer.zone) {
        Some(date) if offer.rules.only_first => instant_of(date, 0, offer.zone),
        _ => from,
    };
    let starts = if offer.rules.window.is_rolling() {
        rolling(offer, seen_from, to)
    } else {
        offer.starts(seen_from, to)
    };
    let mut days: BTreeMap<NaiveDate, Vec<i64>> = BTreeMap::new();
    let mut last_date = None;
    for start in starts {
        let Some(date) = local_date(start, offer.zone) else {
            continue;
        };
        let is_first = last_date.replace(date) != Some(date);
        if start >= from && (is_first || !offer.rules.only_first) {
            days.entry(date).or_default().push(start);
        }
    }
    days
}

fn rolling(offer: Offer<'_>, from: i64, to: i64) -> Vec<i64> {
    let Some(today) = local_date(offer.now, offer.zone) else {
        return Vec::new();
    };
    let horizon = instant_of(today, 0, offer.zone) + (LOOK_AHEAD_DAYS + 2) * DAY;
    let starts = offer.starts(offer.now, horizon);
    let free_days: BTreeSet<NaiveDate> = starts
        .iter()
        .filter_map(|start| local_date(*start, offer.zone))
        .collect();
    let last = offer.rules.window.last_rolling_day(&free_days);
    starts
        .into_iter()
        .filter(|start| (from..=to).contains(start))
        .filter(|start| match (last, local_date(*start, offer.zone)) {
            (Some(last), Some(date)) => date <= last,
            _ => true,
        })
        .collect()
}

impl<'a> Offer<'a> {
    /// The same question asked from another zone.
    pub(super) fn seen_from(self, zone: Tz) -> Self {
        Self { zone, ..self }
    }

    /// When each host works around `[from, to]`.
    pub(super) fn working(&self, from: i64, to: i64) -> Vec<Vec<Span>> {
        let around = Span::new(from.saturating_sub(DAY), to.saturating_add(DAY));
        self.calendar
            .hosts
            .iter()
            .map(|host| host.working(around))
            .collect()
    }

    /// What is left of that beside meetings and within the limits.
    pub(super) fn free(&self, working: &[Vec<Span>]) -> Vec<Vec<Span>> {
        let full = self.calendar.full(self.rules);
        self.calendar
            .hosts
            .iter()
            .zip(working)
            .zip(full)
            .map(|((host, working), full)| {
                let free = host.free(working, self.rules);
                if full.is_empty() {
                    free
                } else {
                    subtract(&free, full)
                }
            })
            .collect()
    }

    /// The instants `[from, to)` in which the booking window lets a start lie.
    pub(super) fn bounds(&self) -> (i64, i64) {
        self.rules
            .window
            .bounds(self.now, self.zone, self.schedule_zone())
    }

    /// The zone of the hosts' schedule; of several hosts, that of the first.
    fn schedule_zone(&self) -> Tz {
        let first = self.calendar.hosts.first();
        first.map_or(self.zone, |host| host.schedule.zone)
    }

    /// All starts inside `[from, to]`, ascending.
    pub(super) fn starts(&self, from: i64, to: i64) -> Vec<i64> {
        match self.clipped(from, to) {
            Some((from, to)) => self.starts_of(&self.free(&self.working(from, to)), from, to),
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

    /// The same, given the free times of the hosts around it.
    pub(super) fn starts_of(&self, free: &[Vec<Span>], from: i64, to: i64) -> Vec<i64> {
        let Some((from, to)) = self.clipped(from, to) else {
            return Vec::new();
        };
        let earliest = self.rules.earliest(self.now);
        let mut starts = self.starts_in(free, earliest, (from, to));
        if self.rules.seated {
            // A start that has a session is that session's own matter.
            starts.retain(|start| self.calendar.session_at(*start).is_none());
            let time = self.seated_time(from, to);
            let joinable = self.calendar.sessions.iter().filter(|session| {
                (from..=to).contains(&session.span.start) && self.can_join(session, &time)
            });
            starts.extend(joinable.map(|session| session.span.start));
            starts.sort_unstable();
        }
        starts
    }

    /// The starts laid out in the free times of the hosts, ascending.
    pub(super) fn starts_in(
        &self,
        free: &[Vec<Span>],
        earliest: i64,
        within: (i64, i64),
    ) -> Vec<i64> {
        let mut starts: Vec<i64> = self
            .stretches(free)
            .flat_map(|stretch| {
                layout::starts(self.rules, Clock::Of(self.zone), stretch, earliest, within)
            })
            .filter(|start| self.can_take(free, self.rules.meeting(*start)))
            .collect();
        starts.sort_unstable();
        starts.dedup();
        starts
    }

    /// The stretches in which starts are laid out, given the free times of the hosts.
    pub(super) fn stretches(&self, free: &[Vec<Span>]) -> impl Iterator<Item = Stretch> + use<> {
        let zone = self.schedule_zone();
        self.combined(free)
            .into_iter()
            .flat_map(move |range| layout::stretches(range, zone))
    }

    /// The hosts' time around `[from, to]`, to see which sessions there can be joined.
    pub(super) fn seated_time(&self, from: i64, to: i64) -> SeatedTime {
        let working = self.working(from, to);
        let hosts = self.calendar.hosts.iter().zip(working);
        let hosts = hosts.map(|(host, working)| (host.id, HostTime::of(host, working, self.rules)));
        SeatedTime(hosts.collect())
    }

    /// Whether one more visitor can take a seat. The limits count meetings, so they do not
    /// concern whoever joins one.
    pub(super) fn can_join(&self, session: &Session, time: &SeatedTime) -> bool {
        session.seats_left() > 0
            && session.span == self.rules.meeting(session.span.start)
            && !session.host_ids.is_empty()
            && session.host_ids.iter().all(|id| {
                let time = time.0.get(id);
                time.is_some_and(|time| time.can_host(session.span))
            })
    }

    /// Whether this host has to take part in every meeting.
    pub(super) fn is_needed(&self, fixed: bool) -> bool {
        fixed || self.rules.combine == Combine::Everyone
    }

    /// The ranges in which starts are laid out (contract 6.1, step 6).
    fn combined(&self, free: &[Vec<Span>]) -> Vec<Span> {
        if let [only] = free {
            return only.clone();
        }
        let mut common: Option<Vec<Span>> = None;
        let mut any: Vec<&[Span]> = Vec::new();
        for (host, spans) in self.calendar.hosts.iter().zip(free) {
            if self.is_needed(host.fixed) {
                common = Some(match common {
                    Some(common) => intersect(&common, spans),
                    None => spans.clone(),
                });
            } else {
                any.push(spans);
            }
        }
        match common {
            Some(common) if any.is_empty() => common,
            Some(common) => intersect(&common, &union(&any)),
            None => union(&any),
        }
    }

    /// Returns true if one of the rotating hosts, if there are any, can take `meeting`. A union of two hosts'
    /// hours may be long enough for a meeting that neither of them can take alone. Those who have to
    /// take part can: the meeting is laid out in the time that they have in common.
    fn can_take(&self, free: &[Vec<Span>], meeting: Span) -> bool {
        let hosts = self.calendar.hosts.iter().zip(free);
        let mut rotating = hosts
            .filter(|(host, _)| !self.is_needed(host.fixed))
            .peekable();
        rotating.peek().is_none() || rotating.any(|(_, spans)| any_holds(spans, meeting))
    }
}
