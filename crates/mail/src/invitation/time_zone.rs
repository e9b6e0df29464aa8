//! Time zones of calendar files (RFC 5545, VTIMEZONE), made from the transitions of the IANA database.
//!
//! Many calendars look up the TZID, an IANA name, and ignore the rest. The others need the transitions: as yearly rules if
//! the zone has regular ones (old calendars know nothing else), otherwise one by one, because not all calendars read lists
//! of dates.

use std::ops::Range;

use booking_wire::Instant;
use booking_wire::calendar::CalendarFile;
use booking_wire::formats::in_range;
use chrono::{DateTime, Datelike, NaiveDate, NaiveDateTime, NaiveTime, Offset, TimeZone, Weekday};
use chrono_tz::{OffsetComponents, OffsetName, Tz, TzOffset};

/// The database has no transitions from this year on.
const LAST_YEAR: i32 = 2100;

/// Years that are compared before a zone counts as regular. In so many years, the last Sunday of a month is both its
/// fourth and its fifth.
const COMPARED_YEARS: i32 = 12;

/// Longest year.
const YEAR_S: i64 = 366 * 86_400;

/// Seconds between two looks at the offset: less than between two transitions.
const STEP_S: i64 = 7 * 86_400;

/// A time zone other than UTC.
pub(super) struct Zone(Tz);

impl Zone {
    /// Returns the zone with an IANA name; none for UTC and unknown names.
    pub(super) fn named(name: &str) -> Option<Self> {
        let zone: Tz = name.trim().parse().ok()?;
        (!matches!(zone, Tz::UTC | Tz::Etc__UTC)).then_some(Self(zone))
    }

    /// Returns the IANA name.
    pub(super) fn name(&self) -> &'static str {
        self.0.name()
    }

    /// Returns the local time of an instant; none outside the years 1970 to 9999.
    pub(super) fn local(&self, instant: Instant) -> Option<NaiveDateTime> {
        let utc = instant.utc().filter(|_| in_range(instant))?;
        Some(utc.with_timezone(&self.0).naive_local())
    }

    /// Returns the instant of a local time; none if clocks skip it or show it twice.
    pub(super) fn instant(&self, local: NaiveDateTime) -> Option<Instant> {
        let found = self.0.from_local_datetime(&local).single()?;
        Some(Instant(found.timestamp_millis()))
    }

    /// Returns the local time of an instant as calendar files have it; none if clocks show this time twice, which
    /// calendars read as its first occurrence or not at all.
    pub(super) fn stamp(&self, instant: Instant) -> Option<String> {
        let local = self.local(instant)?;
        self.instant(local)?;
        Some(stamp(local))
    }

    /// Writes the zone with all transitions from a year before `first` until a year after `last`.
    pub(super) fn write(&self, file: &mut CalendarFile, first: Instant, last: Instant) {
        file.property("BEGIN", &[], "VTIMEZONE");
        file.property("TZID", &[], self.name());
        let years = [first, last].map(|instant| self.local(instant).map_or(1970, |at| at.year()));
        let [first_year, last_year] = years.map(|year| year.min(LAST_YEAR));
        let from = first_year - 1;
        let transitions = self.transitions(from..(last_year + 2).max(from + COMPARED_YEARS));
        match yearly(&transitions) {
            Some(rules) if last_year + 2 < LAST_YEAR => {
                for (transition, rule) in rules {
                    transition.write(file, Some(&rule));
                }
            }
            _ => self.write_each(file, &transitions, first.0 / 1_000, last.0 / 1_000),
        }
        file.property("END", &[], "VTIMEZONE");
    }

    /// Writes each transition from a year before `first` until a year after `last`, in seconds.
    fn write_each(&self, file: &mut CalendarFile, all: &[Transition], first: i64, last: i64) {
        let range = first - YEAR_S..=last + YEAR_S;
        let near = all.iter().filter(|one| range.contains(&one.at));
        let earliest = near.clone().next().map(|transition| transition.at);
        if earliest.is_none_or(|earliest| earliest > first) {
            // The offset before the first of them, or of all times, since 1970.
            let observance = self.observance(earliest.map_or(first, |earliest| earliest - 1));
            let since = Transition {
                at: -observance.offset_s,
                before: observance.clone(),
                after: observance,
            };
            since.write(file, None);
        }
        for transition in near {
            transition.write(file, None);
        }
    }

    /// Returns the transitions of the years in a range, ascending.
    fn transitions(&self, years: Range<i32>) -> Vec<Transition> {
        let start_of = |year: i32| {
            let day = NaiveDate::from_ymd_opt(year.min(LAST_YEAR), 1, 1).unwrap_or_default();
            day.and_time(NaiveTime::MIN).and_utc().timestamp()
        };
        let (mut at, end) = (start_of(years.start), start_of(years.end));
        let mut transitions = Vec::new();
        while at < end {
            let before = self.offset_s(at);
            if self.offset_s(at + STEP_S) != before {
                // The first second with another offset.
                let (mut low, mut high) = (at, at + STEP_S);
                while low + 1 < high {
                    let middle = low + (high - low) / 2;
                    if self.offset_s(middle) == before {
                        low = middle;
                    } else {
                        high = middle;
                    }
                }
                transitions.push(Transition {
                    at: high,
                    before: self.observance(low),
                    after: self.observance(high),
                });
            }
            at += STEP_S;
        }
        transitions
    }

    fn offset_s(&self, at: i64) -> i64 {
        self.offset(at).fix().local_minus_utc().into()
    }

    fn offset(&self, at: i64) -> TzOffset {
        let utc = DateTime::from_timestamp(at, 0).unwrap_or_default();
        self.0.offset_from_utc_datetime(&utc.naive_utc())
    }

    fn observance(&self, at: i64) -> Observance {
        let offset = self.offset(at);
        Observance {
            offset_s: self.offset_s(at),
            has_dst: !offset.dst_offset().is_zero(),
            name: offset.abbreviation().unwrap_or_default().to_owned(),
        }
    }
}

/// Offset of a zone for some time.
#[derive(Clone, PartialEq, Eq)]
struct Observance {
    /// Seconds east of UTC.
    offset_s: i64,
    /// True if this is not the standard time of the zone. In Ireland and Morocco that is the time in winter.
    has_dst: bool,
    /// Abbreviation such as `CET`; may be empty.
    name: String,
}

/// Change of clocks.
struct Transition {
    /// Seconds since 1970 of the first instant with the new offset.
    at: i64,
    before: Observance,
    after: Observance,
}

impl Transition {
    /// Returns the time that clocks would show without the change.
    fn local(&self) -> NaiveDateTime {
        let at = DateTime::from_timestamp(self.at + self.before.offset_s, 0);
        at.unwrap_or_default().naive_utc()
    }

    /// Returns true for the start of summer time. In zones whose standard time is that of the summer, too: calendars
    /// expect clocks to be ahead during DAYLIGHT.
    fn is_daylight(&self) -> bool {
        (self.before.has_dst || self.after.has_dst) && self.after.offset_s > self.before.offset_s
    }

    /// Writes the transition with a rule that repeats it.
    fn write(&self, file: &mut CalendarFile, rule: Option<&str>) {
        let component = if self.is_daylight() {
            "DAYLIGHT"
        } else {
            "STANDARD"
        };
        file.property("BEGIN", &[], component);
        file.property("DTSTART", &[], &stamp(self.local()));
        if let Some(rule) = rule {
            file.property("RRULE", &[], rule);
        }
        file.property("TZOFFSETFROM", &[], &offset(self.before.offset_s));
        file.property("TZOFFSETTO", &[], &offset(self.after.offset_s));
        file.text("TZNAME", &self.after.name);
        file.property("END", &[], component);
    }
}

/// Returns the first transition to summer time and the first one back, each with the rule that repeats it every year;
/// none unless all transitions follow the two rules.
fn yearly(transitions: &[Transition]) -> Option<[(&Transition, String); 2]> {
    let (forward, back): (Vec<_>, Vec<_>) = transitions.iter().partition(|one| one.is_daylight());
    let is_regular = forward.len() == back.len() && forward.len() as i32 >= COMPARED_YEARS;
    if !is_regular {
        return None;
    }
    Some([
        (*forward.first()?, rule(&forward)?),
        (*back.first()?, rule(&back)?),
    ])
}

/// Returns the rule of transitions of successive years; none if they follow no rule.
fn rule(transitions: &[&Transition]) -> Option<String> {
    let first = *transitions.first()?;
    let start = first.local();
    let follows = |(years, transition): (i32, &&Transition)| {
        let local = transition.local();
        transition.before.offset_s == first.before.offset_s
            && transition.after == first.after
            && local.year() == start.year() + years
            && local.month() == start.month()
            && local.weekday() == start.weekday()
            && local.time() == start.time()
    };
    if !(0..).zip(transitions).all(follows) {
        return None;
    }
    let days = || {
        transitions
            .iter()
            .map(|transition| transition.local().date())
    };
    let week = |day: NaiveDate| day.day0() / 7 + 1;
    let is_last = |day: NaiveDate| day.day() + 7 > u32::from(day.num_days_in_month());
    let number = if days().all(|day| week(day) == week(start.date())) {
        week(start.date()).to_string()
    } else if days().all(is_last) {
        "-1".to_owned()
    } else {
        return None;
    };
    let weekday = weekday(start.weekday());
    Some(format!(
        "FREQ=YEARLY;BYMONTH={};BYDAY={number}{weekday}",
        start.month()
    ))
}

fn weekday(day: Weekday) -> &'static str {
    match day {
        Weekday::Mon => "MO",
        Weekday::Tue => "TU",
        Weekday::Wed => "WE",
        Weekday::Thu => "TH",
        Weekday::Fri => "FR",
        Weekday::Sat => "SA",
        Weekday::Sun => "SU",
    }
}

/// `20270329T090000`.
fn stamp(local: NaiveDateTime) -> String {
    local.format("%Y%m%dT%H%M%S").to_string()
}

/// `+0530`.
fn offset(seconds: i64) -> String {
    let sign = if seconds < 0 { '-' } else { '+' };
    let seconds = seconds.abs();
    let (hours, minutes) = (seconds / 3_600, seconds / 60 % 60);
    match seconds % 60 {
        0 => format!("{sign}{hours:02}{minutes:02}"),
        seconds => format!("{sign}{hours:02}{minutes:02}{seconds:02}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(text: &str) -> Instant {
        Instant::parse(text).unwrap()
    }

    fn written(zone: &str, first: &str, last: &str) -> String {
        let mut file = CalendarFile::default();
        Zone::named(zone)
            .unwrap()
            .write(&mut file, at(first), at(last));
        file.take().replace("\r\n", "\n")
    }

    #[test]
    fn regular_zone_has_yearly_rules() {
        assert_eq!(
            written(
                "Europe/Berlin",
                "2027-03-26T08:00:00Z",
                "2027-03-26T08:30:00Z"
            ),
            "BEGIN:VTIMEZONE\nTZID:Europe/Berlin\n\
             BEGIN:DAYLIGHT\nDTSTART:20260329T020000\nRRULE:FREQ=YEARLY;BYMONTH=3;BYDAY=-1SU\n\
             TZOFFSETFROM:+0100\nTZOFFSETTO:+0200\nTZNAME:CEST\nEND:DAYLIGHT\n\
             BEGIN:STANDARD\nDTSTART:20261025T030000\nRRULE:FREQ=YEARLY;BYMONTH=10;BYDAY=-1SU\n\
             TZOFFSETFROM:+0200\nTZOFFSETTO:+0100\nTZNAME:CET\nEND:STANDARD\n\
             END:VTIMEZONE\n"
        );
        for (zone, rules) in [
            (
                "America/New_York",
                ["BYMONTH=3;BYDAY=2SU", "BYMONTH=11;BYDAY=1SU"],
            ),
            (
                "Europe/Dublin",
                ["BYMONTH=3;BYDAY=-1SU", "BYMONTH=10;BYDAY=-1SU"],
            ),
            (
                "Australia/Lord_Howe",
                ["BYMONTH=10;BYDAY=1SU", "BYMONTH=4;BYDAY=1SU"],
            ),
        ] {
            let found = written(zone, "2027-03-26T08:00:00Z", "2037-03-26T08:30:00Z");
            assert_eq!(found.matches("RRULE:").count(), 2, "{found}");
            for rule in rules {
                assert!(
                    found.contains(&format!("RRULE:FREQ=YEARLY;{rule}\n")),
                    "{found}"
                );
            }
            assert_eq!(found.matches("BEGIN:DAYLIGHT").count(), 1, "{found}");
        }
    }

    #[test]
    fn zone_without_summer_time_has_one_offset() {
        for (zone, offset) in [
            ("Asia/Kolkata", "+0530"),
            ("America/Sao_Paulo", "-0300"),
            ("Pacific/Marquesas", "-0930"),
        ] {
            let found = written(zone, "2027-03-26T08:00:00Z", "2029-03-26T08:30:00Z");
            let lines = format!(
                "BEGIN:STANDARD\nDTSTART:19700101T000000\nTZOFFSETFROM:{offset}\nTZOFFSETTO:{offset}\n"
            );
            assert!(found.contains(&lines), "{found}");
            assert_eq!(found.matches("BEGIN:").count(), 2, "{found}");
        }
    }

    #[test]
    fn irregular_zone_lists_its_transitions() {
        let found = written(
            "Africa/Casablanca",
            "2027-02-01T08:00:00Z",
            "2027-02-01T08:30:00Z",
        );
        assert!(!found.contains("RRULE"), "{found}");
        // Ramadan of 2027 is from 8 February to 9 March.
        for line in ["20270207T030000", "20270314T020000"] {
            assert!(found.contains(line), "{found}");
        }
        // 01:00 UTC is 23:00 on the day before the last Sunday, which is not always the last Saturday.
        let found = written(
            "America/Nuuk",
            "2027-02-01T08:00:00Z",
            "2027-02-01T08:30:00Z",
        );
        assert!(!found.contains("RRULE"), "{found}");
        assert!(found.contains("DTSTART:20270327T230000\n"), "{found}");
    }

    #[test]
    fn change_of_standard_time_is_no_summer_time() {
        // Kazakhstan has one offset since March 2024.
        let found = written(
            "Asia/Almaty",
            "2024-02-01T08:00:00Z",
            "2024-04-01T08:30:00Z",
        );
        assert!(!found.contains("DAYLIGHT"), "{found}");
        assert!(
            found.contains("TZOFFSETFROM:+0600\nTZOFFSETTO:+0500\n"),
            "{found}"
        );
    }

    #[test]
    fn offset_of_each_written_transition_is_that_of_the_zone() {
        for zone in chrono_tz::TZ_VARIANTS {
            let zone = Zone(zone);
            for transition in zone.transitions(2024..2030) {
                let (before, after) = (transition.at - 1, transition.at);
                assert!(zone.observance(before).offset_s == transition.before.offset_s);
                assert!(
                    zone.observance(after) == transition.after,
                    "{}",
                    zone.name()
                );
            }
        }
    }

    #[test]
    fn time_that_clocks_show_twice_has_no_local_form() {
        let berlin = Zone::named("Europe/Berlin").unwrap();
        for (instant, local) in [
            ("2027-03-28T00:59:00Z", Some("20270328T015900")),
            ("2027-03-28T01:00:00Z", Some("20270328T030000")),
            ("2027-10-31T00:30:00Z", None),
            ("2027-10-31T01:30:00Z", None),
            ("2027-10-31T02:00:00Z", Some("20271031T030000")),
        ] {
            assert_eq!(berlin.stamp(at(instant)).as_deref(), local, "{instant}");
        }
        assert_eq!(berlin.stamp(Instant(i64::MAX)), None);
    }

    #[test]
    fn utc_and_unknown_names_are_no_zones() {
        for name in ["", "UTC", "Etc/UTC", "Mars/Base", "Europe/Berlin\r\nX:y"] {
            assert!(Zone::named(name).is_none(), "{name}");
        }
    }

    #[test]
    fn far_years_and_long_series_are_bounded() {
        let found = written(
            "Europe/Berlin",
            "2090-03-26T08:00:00Z",
            "9999-03-26T08:30:00Z",
        );
        assert!(found.matches("BEGIN:").count() < 30, "{found}");
        assert!(!found.contains("RRULE"), "{found}");
        let far = written(
            "Europe/Berlin",
            "9990-03-26T08:00:00Z",
            "9999-03-26T08:30:00Z",
        );
        assert_eq!(far.matches("BEGIN:").count(), 2, "{far}");
    }
}
