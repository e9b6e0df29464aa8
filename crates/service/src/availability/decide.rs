//! The verdict on one start, asked for when it is about to be booked or reserved.

use std::collections::BTreeSet;

use chrono::NaiveDate;
use chrono_tz::Tz;

use super::calendar::Session;
use super::layout;
use super::layout::Clock;
use super::offer::Offer;
use super::schedule::{instant_of, local_date};
use super::span::{Span, any_holds};
use super::units::{DAY, MINUTE};

/// For so many minutes, a start that was laid out from the edge of the notice stays good.
const GRACE: std::ops::RangeInclusive<i64> = 0..=10;

/// Zones in which a start may have been offered.
const MAX_ZONES: usize = 5;

/// Who would host a start that can be booked.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Decision {
    /// Hosts that take part in any case.
    pub fixed: Vec<i64>,
    /// Hosts of whom one takes part; empty when everyone in `fixed` is meant.
    pub rotating: Vec<i64>,
    /// The seated booking to join; none if a new one has to be made.
    pub joins: Option<String>,
}

impl Decision {
    /// Who hosts the meeting: of the rotating hosts the one in `preferred`, such as those of the
    /// visitor's own reservation, else the one with the least `turn`; of several always the same.
    pub fn hosts<T: Ord>(&self, preferred: &[i64], turn: impl Fn(i64) -> T) -> Vec<i64> {
        let chosen = self
            .rotating
            .iter()
            .min_by_key(|id| (!preferred.contains(id), turn(**id), **id));
        self.fixed.iter().chain(chosen).copied().collect()
    }
}

/// Why a start cannot be booked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Refusal {
    /// It lies in the past.
    Past,
    /// It lies nearer than the notice allows.
    TooSoon,
    /// It lies outside the booking window.
    OutsideWindow,
    /// The hosts do not work then, or it is no start of this event type.
    NotOffered,
    /// The event type has been booked as often or as long as it may be in that period.
    LimitReached,
    /// It would be offered, were it not for other bookings and reservations.
    Taken,
    /// All its seats are taken.
    Full,
}

/// A start that is to be decided about.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Candidate {
    /// Epoch milliseconds.
    pub start: i64,
    /// True if the visitor holds it: then it was offered when the reservation was made.
    pub is_held: bool,
    /// True if it may have been asked for in any zone: reservations and moves name none, and people
    /// move bookings from wherever they are.
    pub from_any_zone: bool,
}

/// Decides whether a start can be booked, and by whom: exactly the starts that [`super::days`]
/// offers at this moment in the zone of the offer, in UTC, which is what clients ask in that do not
/// say otherwise, or in those of the hosts, as far as these are a few.
///
/// One more kind of start is accepted: one that was offered up to ten minutes ago, before the notice
/// has moved the starts of today. Not where the event type leaves more time between starts
/// than meetings take, because it would give that away.
pub fn decide(offer: Offer<'_>, candidate: Candidate) -> Result<Decision, Refusal> {
    let Candidate { start, is_held, .. } = candidate;
    if start <= offer.now {
        return Err(Refusal::Past);
    }
    if !is_held && start < offer.rules.earliest(offer.now) {
        return Err(Refusal::TooSoon);
    }
    let mut seen: Vec<Offer<'_>> = offer
        .zones_of_callers()
        .into_iter()
        .map(|zone| offer.seen_from(zone))
        .filter(|offer| offer.is_within_bounds(start))
        .collect();
    if !is_held && seen.is_empty() {
        return Err(Refusal::OutsideWindow);
    }
    let session = offer
        .calendar
        .session_at(start)
        .filter(|_| offer.rules.seated);
    let decision = match session {
        Some(session) => offer.join(session)?,
        None => offer.assign_hosts(candidate, &mut seen)?,
    };
    if is_held {
        return Ok(decision);
    }
    if offer.rules.window.is_rolling() {
        let free = offer.free(&offer.working(offer.now, start + DAY));
        seen.retain(|offer| offer.rolling_window_allows(start, &free));
    }
    if seen.is_empty() {
        return Err(Refusal::OutsideWindow);
    }
    if offer.rules.only_first && !seen.iter().any(|offer| offer.is_first_of_its_date(start)) {
        return Err(Refusal::NotOffered);
    }
    Ok(decision)
}

impl<'a> Offer<'a> {
    /// The zones in which somebody may have asked for times, at most [`MAX_ZONES`]: with a rolling
    /// window, all starts until its end are laid out for each of them.
    fn zones_of_callers(&self) -> Vec<Tz> {
        let mut zones = vec![self.zone];
        let hosts = self.calendar.hosts.iter().map(|host| host.schedule.zone);
        for zone in [Tz::UTC].into_iter().chain(hosts) {
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

    /// `free` are the free times of the hosts from now to the start's day.
    fn rolling_window_allows(&self, start: i64, free: &[Vec<Span>]) -> bool {
        // The start's own day counts as bookable, or the start would not be asked for.
        let Some(date) = local_date(start, self.zone) else {
            return false;
        };
        let today = instant_of(date, 0, self.zone);
        let mut free_days: BTreeSet<NaiveDate> = self
            .starts_of(free, self.now, today)
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

    fn join(&self, session: &Session) -> Result<Decision, Refusal> {
        let time = self.seated_time(session.span.start - DAY, session.span.end + DAY);
        if self.can_join(session, &time) {
            return Ok(Decision {
                fixed: session.host_ids.clone(),
                rotating: Vec::new(),
                joins: session.uid.clone(),
            });
        }
        Err(if session.seats_left() == 0 {
            Refusal::Full
        } else {
            Refusal::Taken
        })
    }

    /// The hosts of a meeting that is still to be made. Keeps of `seen` those to whom the start is
    /// offered.
    fn assign_hosts(
        &self,
        candidate: Candidate,
        seen: &mut Vec<Offer<'a>>,
    ) -> Result<Decision, Refusal> {
        let Candidate { start, is_held, .. } = candidate;
        let meeting = self.rules.meeting(start);
        let working = self.working(start - DAY, start + DAY);
        let free = self.free(&working);
        if let Some(decision) = self.who(&free, meeting) {
            let offered: Vec<Offer<'a>> = seen
                .iter()
                .filter(|offer| offer.lays_out(&free, candidate))
                .copied()
                .collect();
            if is_held || !offered.is_empty() {
                *seen = offered;
                return Ok(decision);
            }
        }
        // Were it not for other meetings, or for the limits.
        let is_start = is_held || seen.iter().any(|offer| offer.lays_out(&working, candidate));
        if self.who(&working, meeting).is_none() || !is_start {
            return Err(Refusal::NotOffered);
        }
        let within_limits: Vec<Vec<Span>> = self
            .calendar
            .full(self.rules)
            .into_iter()
            .zip(&working)
            .map(|(full, working)| super::span::subtract(working, full))
            .collect();
        Err(if self.who(&within_limits, meeting).is_none() {
            Refusal::LimitReached
        } else {
            Refusal::Taken
        })
    }

    /// Returns true if the start is one of those laid out in these times of the hosts, now or within
    /// [`GRACE`].
    fn lays_out(&self, spans: &[Vec<Span>], candidate: Candidate) -> bool {
        let start = candidate.start;
        let mut clocks = vec![Clock::Of(self.zone)];
        if candidate.from_any_zone {
            clocks.extend(Clock::ANY);
        }
        let earliest = self.rules.earliest(self.now);
        let is_lavish = self.rules.step() > self.rules.length * MINUTE;
        let grace = if is_lavish || self.rules.only_first {
            0..=0
        } else {
            GRACE
        };
        self.stretches(spans)
            .filter(|stretch| (stretch.start..stretch.until).contains(&start))
            .any(|stretch| {
                // The notice matters to the stretch that it ends in only.
                let edges = if stretch.start < earliest {
                    grace.clone()
                } else {
                    0..=0
                };
                edges
                    .map(|minutes| earliest - minutes * MINUTE)
                    .any(|edge| {
                        clocks.iter().any(|clock| {
                            layout::starts(self.rules, *clock, stretch, edge, (start, start))
                                .next()
                                .is_some()
                        })
                    })
            })
    }

    /// Who can take `meeting`, if it can be taken at all.
    fn who(&self, spans: &[Vec<Span>], meeting: Span) -> Option<Decision> {
        let mut decision = Decision::default();
        let mut rotates = false;
        for (host, spans) in self.calendar.hosts.iter().zip(spans) {
            let can = any_holds(spans, meeting);
            if self.is_needed(host.fixed) {
                if !can {
                    return None;
                }
                decision.fixed.push(host.id);
            } else {
                rotates = true;
                if can {
                    decision.rotating.push(host.id);
                }
            }
        }
        let complete = if rotates {
            !decision.rotating.is_empty()
        } else {
            !decision.fixed.is_empty()
        };
        complete.then_some(decision)
    }
}
