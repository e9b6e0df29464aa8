//! What is known about the time of an event type's hosts.

use chrono::NaiveDate;
use chrono_tz::Tz;

use super::limits::full_periods;
use super::rules::Rules;
use super::schedule::{Schedule, instant_of};
use super::span::{Span, merge, subtract};
use super::units::{DAY, MINUTE};

const SECOND: i64 = 1000;

/// Everything that decides about an event type's starts, apart from its own rules.
#[derive(Clone, Debug, Default)]
pub struct Calendar {
    /// Who hosts it.
    pub hosts: Vec<Host>,
    /// Meetings of a seated event type that visitors can join, by start.
    pub sessions: Vec<Session>,
    /// What counts towards the event type's limits: its accepted bookings and live reservations.
    pub booked: Vec<Span>,
}

/// One host with what is known about their time.
#[derive(Clone, Debug)]
pub struct Host {
    /// User id.
    pub id: i64,
    /// Takes part in every meeting of a round-robin type.
    pub fixed: bool,
    /// The zone in which days, weeks, months and years are counted for limits.
    pub zone: Tz,
    /// When the host works.
    pub schedule: Schedule,
    /// When the host is out of office.
    pub away: Vec<Away>,
    /// When the host is taken.
    pub busy: Vec<Busy>,
}

/// When a host is out of office.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Away {
    /// Whole days in the zone of the host's schedule, both ends included.
    Days {
        /// First day.
        from: NaiveDate,
        /// Last day.
        to: NaiveDate,
    },
    /// From one instant to another.
    Instants(Span),
}

impl Away {
    /// Reads an absence, whose ends are stored as instants. Whole days in UTC, from one midnight to
    /// another or to the last second of a day, are meant as the host's days.
    pub fn noted(start: i64, end: i64) -> Option<Self> {
        let day = |instant: i64| {
            chrono::DateTime::from_timestamp_millis(instant).map(|at| at.date_naive())
        };
        let ends_with_day = end.rem_euclid(DAY) == 0 || end.rem_euclid(DAY) >= DAY - SECOND;
        if start.rem_euclid(DAY) != 0 || !ends_with_day {
            return Some(Self::Instants(Span::new(start, end)));
        }
        Some(Self::Days {
            from: day(start)?,
            to: day(end.saturating_sub(1).max(start))?,
        })
    }

    fn span(self, zone: Tz) -> Span {
        match self {
            Self::Days { from, to } => {
                let end = to
                    .succ_opt()
                    .map_or(i64::MAX, |day| instant_of(day, 0, zone));
                Span::new(instant_of(from, 0, zone), end)
            }
            Self::Instants(span) => span,
        }
    }
}

/// A time at which a host is taken, with the padding its own event type asks for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Busy {
    /// The meeting itself.
    pub span: Span,
    /// Minutes to keep free before it.
    pub before: i64,
    /// Minutes to keep free after it.
    pub after: i64,
    /// Whether it is one of the [`Calendar::sessions`], which its own visitors can join.
    pub shared: bool,
}

impl Busy {
    /// The span no meeting under `rules` may touch (contract 6.1, step 4).
    pub fn padded(&self, rules: &Rules) -> Span {
        Span::new(
            self.span.start - (self.before + rules.after) * MINUTE,
            self.span.end + (self.after + rules.before) * MINUTE,
        )
    }
}

/// A meeting that visitors share, or the reservations that are going to be one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Session {
    /// When it takes place.
    pub span: Span,
    /// The booking to join; none if there are only reservations.
    pub uid: Option<String>,
    /// Who hosts it.
    pub host_ids: Vec<i64>,
    /// Seats that are booked.
    pub booked: i64,
    /// Seats that live reservations hold.
    pub reserved: i64,
    /// All its seats.
    pub seats: i64,
}

impl Session {
    /// Seats that nobody has taken.
    pub fn seats_left(&self) -> i64 {
        (self.seats - self.booked - self.reserved).max(0)
    }
}

impl Calendar {
    /// The session that starts then.
    pub fn session_at(&self, start: i64) -> Option<&Session> {
        self.sessions
            .binary_search_by_key(&start, |session| session.span.start)
            .ok()
            .and_then(|index| self.sessions.get(index))
    }

    /// What stands in the way of every new meeting because a limit is reached, host by host.
    pub(super) fn full(&self, rules: &Rules) -> Vec<Vec<Span>> {
        let mut known: Vec<(Tz, Vec<Span>)> = Vec::new();
        self.hosts
            .iter()
            .map(|host| {
                if let Some((_, full)) = known.iter().find(|(zone, _)| *zone == host.zone) {
                    return full.clone();
                }
                let full = full_periods(&rules.limits, rules.length, &self.booked, host.zone);
                known.push((host.zone, full.clone()));
                full
            })
            .collect()
    }
}

impl Host {
    /// When the host works, around `window`: working hours without the days out of office.
    pub(super) fn working(&self, window: Span) -> Vec<Span> {
        let spans = self.schedule.spans(window);
        if self.away.is_empty() {
            return spans;
        }
        let away = self.away.iter().map(|away| away.span(self.schedule.zone));
        subtract(&spans, away.collect())
    }

    /// What is left of `working` beside the host's meetings.
    pub(super) fn free(&self, working: &[Span], rules: &Rules) -> Vec<Span> {
        subtract(
            working,
            self.busy.iter().map(|busy| busy.padded(rules)).collect(),
        )
    }

    /// Whether the host works during a meeting and has the time that `rules` ask for around it.
    pub fn could_take(&self, meeting: Span, rules: &Rules) -> bool {
        let around = Span::new(meeting.start - DAY, meeting.end + DAY);
        super::span::any_holds(&self.free(&self.working(around), rules), meeting)
    }

    /// Whether nothing else takes the host during a meeting, whether or not they work then.
    pub fn is_idle(&self, meeting: Span) -> bool {
        !self.busy.iter().any(|busy| busy.span.overlaps(meeting))
    }
}

/// A host's time as it matters to sessions that visitors join, so that one more visitor of one of
/// many sessions costs no look at all the others.
pub(super) struct HostTime {
    /// Merged.
    working: Vec<Span>,
    /// Padded meetings by start; those that are sessions with the span of the session itself.
    taken: Vec<(Span, Option<Span>)>,
    /// The longest padded meeting, in milliseconds.
    longest: i64,
}

impl HostTime {
    pub(super) fn of(host: &Host, working: Vec<Span>, rules: &Rules) -> Self {
        let mut taken: Vec<(Span, Option<Span>)> = host
            .busy
            .iter()
            .map(|busy| (busy.padded(rules), busy.shared.then_some(busy.span)))
            .collect();
        taken.sort_unstable();
        let lengths = taken.iter().map(|(span, _)| span.end - span.start);
        Self {
            working,
            longest: lengths.max().unwrap_or(0),
            taken,
        }
    }

    /// Returns true if the host can take part in a session again for one more visitor: they work then, and
    /// nothing but the session itself stands in its way.
    pub(super) fn can_host(&self, session: Span) -> bool {
        let first = self
            .taken
            .partition_point(|(span, _)| span.start < session.start - self.longest);
        super::span::any_holds(&self.working, session)
            && !self
                .taken
                .iter()
                .skip(first)
                .take_while(|(span, _)| span.start < session.end)
                .any(|(span, shared)| *shared != Some(session) && span.overlaps(session))
    }
}

/// Joins spans of several hosts.
pub(super) fn union(spans: &[&[Span]]) -> Vec<Span> {
    merge(spans.concat())
}
