//! Conversions between instants and the local times of a zone.

use std::cell::Cell;
use std::fmt;
use std::hash::{Hash, Hasher};

use booking_wire::{CivilDate, Instant};
use chrono::{Datelike, NaiveDateTime, NaiveTime, TimeDelta, Timelike};
use jiff::Timestamp;
use jiff::civil::DateTime;
use jiff::tz::{AmbiguousOffset, Offset, TimeZone};

/// A time zone with the rules of the data that it was taken from. Cheap to clone; equal if the names are.
#[derive(Clone)]
pub struct Zone(TimeZone);

/// UTC.
pub static UTC: Zone = Zone(TimeZone::UTC);

/// Instants at which a clock shows a local time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LocalInstants {
    /// Once.
    One(Instant),
    /// Never, as the clock is set forward over it: the instant that is as far after the gap as the local time is inside
    /// it.
    Skipped(Instant),
    /// Twice, as the clock is set back: the first and the second instant.
    Repeated(Instant, Instant),
}

impl LocalInstants {
    /// Returns the only or first instant; that after the gap for a time that is skipped.
    pub fn first(self) -> Instant {
        match self {
            Self::One(at) | Self::Skipped(at) | Self::Repeated(at, _) => at,
        }
    }

    /// Returns the instant of a local time that the clock shows exactly once.
    pub fn single(self) -> Option<Instant> {
        match self {
            Self::One(at) => Some(at),
            Self::Skipped(_) | Self::Repeated(..) => None,
        }
    }
}

/// Offset of a zone for some time.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Observance {
    /// Seconds east of UTC.
    pub offset_s: i64,
    /// True for summer time.
    pub is_dst: bool,
    /// Abbreviation such as `CET`; an offset such as `+03` where there is none.
    pub abbreviation: String,
}

/// Change of a zone's offset.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Transition {
    /// First instant with the new offset.
    pub at: Instant,
    /// Until then.
    pub before: Observance,
    /// From then on.
    pub after: Observance,
}

impl Zone {
    /// Returns UTC.
    pub fn utc() -> Self {
        UTC.clone()
    }

    /// Reads the content of a file in TZif format.
    pub(crate) fn read(name: &str, content: &[u8]) -> Option<Self> {
        TimeZone::tzif(name, content).ok().map(Self)
    }

    /// Returns a zone without a name that has one rule, in the form of POSIX: `PST8PDT,M3.2.0,M11.1.0`.
    pub fn from_rule(rule: &str) -> Option<Self> {
        TimeZone::posix(rule).ok().map(Self)
    }

    /// Returns the IANA name.
    pub fn name(&self) -> &str {
        self.0.iana_name().unwrap_or("UTC")
    }

    /// Returns true for the zones whose clock shows UTC by that name.
    pub fn is_utc(&self) -> bool {
        matches!(self.name(), "UTC" | "Etc/UTC")
    }

    /// Returns the offset at an instant, in seconds east of UTC. Instants outside the years -9999 to 9999 have that of
    /// the nearest one inside.
    pub fn offset_s(&self, instant: Instant) -> i64 {
        self.0.to_offset(timestamp(instant)).seconds().into()
    }

    /// Returns a reader of the offset at many instants.
    pub fn offsets(&self) -> Offsets<'_> {
        Offsets {
            zone: self,
            last: Cell::default(),
        }
    }

    /// Returns the local time of an instant; `None` outside the years that chrono supports.
    pub fn local(&self, instant: Instant) -> Option<NaiveDateTime> {
        let utc = instant.utc()?.naive_utc();
        utc.checked_add_signed(TimeDelta::seconds(self.offset_s(instant)))
    }

    /// Returns the local date of an instant; `None` outside the years that chrono supports.
    pub fn date(&self, instant: Instant) -> Option<CivilDate> {
        Instant(instant.0.checked_add(self.offset_s(instant) * 1000)?).day()
    }

    /// Returns the instants at which the clock shows a local time.
    pub fn instants(&self, local: NaiveDateTime) -> LocalInstants {
        let at = |offset: Offset| {
            Instant(local.and_utc().timestamp_millis() - i64::from(offset.seconds()) * 1000)
        };
        let Some(civil) = civil(local) else {
            return LocalInstants::One(at(Offset::UTC));
        };
        match self.0.to_ambiguous_timestamp(civil).offset() {
            AmbiguousOffset::Unambiguous { offset } => LocalInstants::One(at(offset)),
            AmbiguousOffset::Gap { before, .. } => LocalInstants::Skipped(at(before)),
            AmbiguousOffset::Fold { before, after } => {
                LocalInstants::Repeated(at(before), at(after))
            }
        }
    }

    /// Returns the first instant of a day: midnight, or the end of the gap that midnight is inside.
    pub fn start_of(&self, date: CivilDate) -> Instant {
        self.instants(date.and_time(NaiveTime::MIN)).first()
    }

    /// Returns the offset and its name at an instant.
    pub fn observance(&self, instant: Instant) -> Observance {
        let info = self.0.to_offset_info(timestamp(instant));
        Observance {
            offset_s: info.offset().seconds().into(),
            is_dst: info.dst().is_dst(),
            abbreviation: info.abbreviation().to_owned(),
        }
    }

    /// Lists the changes of the offset after an instant, ascending; zones with yearly changes have them until 9999.
    pub fn transitions_after(&self, instant: Instant) -> impl Iterator<Item = Transition> + '_ {
        self.0
            .following(timestamp(instant))
            .map(|change| {
                let at = Instant(change.timestamp().as_millisecond());
                Transition {
                    at,
                    before: self.observance(Instant(at.0 - 1)),
                    after: self.observance(at),
                }
            })
            .filter(|change| change.before.offset_s != change.after.offset_s)
    }
}

/// Returns the nearest instant that `jiff` supports.
fn timestamp(instant: Instant) -> Timestamp {
    Timestamp::from_millisecond(instant.0).unwrap_or(if instant.0 < 0 {
        Timestamp::MIN
    } else {
        Timestamp::MAX
    })
}

/// `None` outside the years -9999 to 9999.
fn civil(local: NaiveDateTime) -> Option<DateTime> {
    let small = |part: u32| i8::try_from(part).ok();
    DateTime::new(
        i16::try_from(local.year()).ok()?,
        small(local.month())?,
        small(local.day())?,
        small(local.hour())?,
        small(local.minute())?,
        small(local.second())?,
        i32::try_from(local.nanosecond().min(999_999_999)).ok()?,
    )
    .ok()
}

/// Reads the offset of a zone at ascending instants: the rules are applied once between two changes, not for each of the
/// thousand slots of a month.
#[derive(Debug)]
pub struct Offsets<'a> {
    zone: &'a Zone,
    last: Cell<Span>,
}

/// Time with one offset; empty by default.
#[derive(Clone, Copy, Debug)]
struct Span {
    from: Instant,
    until: Instant,
    offset_s: i64,
}

impl Default for Span {
    fn default() -> Self {
        Self {
            from: Instant(i64::MAX),
            until: Instant(i64::MAX),
            offset_s: 0,
        }
    }
}

impl Offsets<'_> {
    /// Returns [`Zone::offset_s`].
    pub fn at(&self, instant: Instant) -> i64 {
        let last = self.last.get();
        if (last.from..last.until).contains(&instant) {
            return last.offset_s;
        }
        let next = self.zone.0.following(timestamp(instant)).next();
        let span = Span {
            from: instant,
            until: next.map_or(Instant(i64::MAX), |change| {
                Instant(change.timestamp().as_millisecond())
            }),
            offset_s: self.zone.offset_s(instant),
        };
        self.last.set(span);
        span.offset_s
    }

    /// Returns [`Zone::date`].
    pub fn date(&self, instant: Instant) -> Option<CivilDate> {
        Instant(instant.0.checked_add(self.at(instant) * 1000)?).day()
    }
}

impl PartialEq for Zone {
    fn eq(&self, other: &Self) -> bool {
        self.name() == other.name()
    }
}

impl Eq for Zone {}

impl Hash for Zone {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.name().hash(state);
    }
}

impl fmt::Debug for Zone {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Zone").field(&self.name()).finish()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn zone(name: &str) -> Zone {
        Zone::named(name).unwrap()
    }

    fn local(text: &str) -> NaiveDateTime {
        text.parse().unwrap()
    }

    fn at(text: &str) -> Instant {
        Instant::parse(text).unwrap()
    }

    #[test]
    fn local_time_is_shown_once_never_or_twice() {
        use LocalInstants::{One, Repeated, Skipped};
        for (name, text, expected) in [
            (
                "Europe/Berlin",
                "2027-07-01T12:00:00",
                One(at("2027-07-01T10:00Z")),
            ),
            (
                "Europe/Berlin",
                "2027-03-28T02:30:00",
                Skipped(at("2027-03-28T01:30Z")),
            ),
            (
                "Europe/Berlin",
                "2027-10-31T02:30:00",
                Repeated(at("2027-10-31T00:30Z"), at("2027-10-31T01:30Z")),
            ),
            (
                "Australia/Lord_Howe",
                "2027-04-04T01:45:00",
                Repeated(at("2027-04-03T14:45Z"), at("2027-04-03T15:15Z")),
            ),
            // The whole day is left out.
            (
                "Pacific/Apia",
                "2011-12-30T09:00:00",
                Skipped(at("2011-12-30T19:00Z")),
            ),
            ("UTC", "2027-03-28T02:30:00", One(at("2027-03-28T02:30Z"))),
        ] {
            assert_eq!(zone(name).instants(local(text)), expected, "{name} {text}");
        }
    }

    #[test]
    fn zones_follow_the_law_of_2026() {
        // British Columbia, Alberta, Manitoba and the Northwest Territories keep summer time, Morocco UTC.
        for (name, hours) in [
            ("America/Vancouver", -7),
            ("America/Edmonton", -6),
            ("America/Winnipeg", -5),
            ("America/Inuvik", -6),
            ("Africa/Casablanca", 0),
            ("America/Havana", -4),
        ] {
            let winter = at("2027-01-15T12:00Z");
            assert_eq!(zone(name).offset_s(winter), hours * 3600, "{name}");
        }
    }

    #[test]
    fn first_instant_of_a_day_without_midnight_is_after_the_gap() {
        // Beirut skips the hour after midnight.
        let day: CivilDate = "2027-03-28".parse().unwrap();
        assert_eq!(zone("Asia/Beirut").start_of(day), at("2027-03-27T22:00Z"));
    }

    #[test]
    fn transitions_change_the_offset() {
        let zone = zone("Europe/Dublin");
        let found: Vec<(Instant, i64, bool)> = zone
            .transitions_after(at("2027-01-01"))
            .take(2)
            .map(|change| (change.at, change.after.offset_s, change.after.is_dst))
            .collect();
        assert_eq!(
            found,
            [
                (at("2027-03-28T01:00Z"), 3600, true),
                (at("2027-10-31T01:00Z"), 0, false)
            ]
        );
    }

    #[test]
    fn reader_of_offsets_equals_the_zone() {
        for name in [
            "UTC",
            "America/New_York",
            "Australia/Lord_Howe",
            "Africa/Casablanca",
        ] {
            let zone = zone(name);
            let offsets = zone.offsets();
            let start = at("2026-12-01T00:00Z").0;
            let hours = (0..2 * 366 * 24).map(|hour| start + hour * 3_600_000 - hour % 3);
            // Back to the start, and on.
            for instant in hours
                .clone()
                .chain([start - 1, i64::MIN, i64::MAX])
                .chain(hours)
            {
                let instant = Instant(instant);
                assert_eq!(
                    offsets.at(instant),
                    zone.offset_s(instant),
                    "{name} {instant:?}"
                );
                assert_eq!(
                    offsets.date(instant),
                    zone.date(instant),
                    "{name} {instant:?}"
                );
            }
        }
    }

    #[test]
    fn extreme_instants_and_times_do_not_panic() {
        for name in ["UTC", "Europe/Berlin", "Africa/Casablanca"] {
            let zone = zone(name);
            for instant in [i64::MIN, i64::MIN / 2, -1, 0, i64::MAX / 2, i64::MAX].map(Instant) {
                zone.local(instant);
                zone.date(instant);
                zone.observance(instant);
                zone.transitions_after(instant).next();
            }
            for local in [NaiveDateTime::MIN, NaiveDateTime::MAX] {
                zone.instants(local).first();
            }
        }
    }
}
