//! The verdict on one start, asked for when it is about to be booked or reserved.

use std::collections::BTreeSet;

use chrono::NaiveDate;
use chrono_tz::Tz;

use super::calendar::Session;
use super::layout::Dial;
use super::schedule::{instant_of, local_date};
use super::span::{Span, any_holds};
use super::{DAY, MINUTE, Offer, layout};

/// For so long, a start that was laid out from the edge of the notice stays good.
const GRACE: std::ops::RangeInclusive<i64> = 0..=10;

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

/// Decides whether `start` can be booked, and by whom.
///
/// Besides the starts offered at this moment, every start on the event type's grid that is
/// wholly free is accepted: an offer that was shown a minute ago stays good although the rows
/// between two bookings have moved meanwhile. So does one that was shown in another zone than
/// the attendee's: its grid may be another one. Where dates matter - for the booking window and
/// for event types that offer the first start of a day only - they are taken from the zones in
/// which a client may have asked: the attendee's, the hosts' and UTC.
pub fn decide(offer: Offer<'_>, start: i64) -> Result<Decision, Refusal> {
    if start <= offer.now {
        return Err(Refusal::Past);
    }
    if start < offer.rules.earliest(offer.now) {
        return Err(Refusal::TooSoon);
    }
    let zones: Vec<Tz> = offer
        .zones_of_askers()
        .into_iter()
        .filter(|zone| offer.seen_from(*zone).window_allows(start))
        .collect();
    if zones.is_empty() {
        return Err(Refusal::OutsideWindow);
    }
    let decision = match offer.calendar.session_at(start) {
        Some(session) if offer.rules.seated => offer.join(session)?,
        _ => offer.host_anew(start)?,
    };
    let is_first = |zone: &Tz| offer.seen_from(*zone).is_first_of_its_date(start);
    if offer.rules.only_first && !zones.iter().any(is_first) {
        return Err(Refusal::NotOffered);
    }
    Ok(decision)
}

impl Offer<'_> {
    fn zones_of_askers(&self) -> Vec<Tz> {
        let mut zones = vec![self.zone];
        let hosts = self.calendar.hosts.iter().map(|host| host.schedule.zone);
        for zone in hosts.chain([Tz::UTC]) {
            if !zones.contains(&zone) {
                zones.push(zone);
            }
        }
        zones
    }

    fn window_allows(&self, start: i64) -> bool {
        let (from, to) = self.bounds();
        if start < from || start >= to {
            return false;
        }
        if !self.rules.window.is_rolling() {
            return true;
        }
        // The start's own day counts as bookable, or the start would not be asked for.
        let Some(date) = local_date(start, self.zone) else {
            return false;
        };
        let today = instant_of(date, 0, self.zone);
        let mut free_days: BTreeSet<NaiveDate> = self
            .starts(self.now, today)
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
        if self.can_join(session) {
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

    fn host_anew(&self, start: i64) -> Result<Decision, Refusal> {
        let meeting = self.rules.meeting(start);
        let working = self.working(start - DAY, start + DAY);
        let free = self.free(&working);
        if let Some(decision) = self.who(&free, meeting)
            && self.lies_well(&free, start)
        {
            return Ok(decision);
        }
        if self.who(&working, meeting).is_none() || !self.lies_well(&working, start) {
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

    /// Whether the start is one of the event type's, given these times of the hosts.
    fn lies_well(&self, spans: &[Vec<Span>], start: i64) -> bool {
        if layout::on_grid(self.rules, start) {
            return true;
        }
        let earliest = self.rules.earliest(self.now);
        let edges = if self.rules.optimized { GRACE } else { 0..=0 };
        edges
            .map(|minutes| earliest - minutes * MINUTE)
            .any(|edge| {
                Dial::ALL
                    .into_iter()
                    .any(|dial| !self.starts_in(spans, dial, edge, (start, start)).is_empty())
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
