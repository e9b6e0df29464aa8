//! Time zones of calendar files (RFC 5545, VTIMEZONE), made from the transitions of the IANA database.
//!
//! Many calendars look up the TZID, an IANA name, and ignore the rest. The others need the transitions: as yearly rules if
//! the zone has regular ones (old calendars know nothing else), otherwise one by one, because not all calendars read lists
//! of dates.

use booking_calendar::CalendarFile;
use booking_wire::Instant;
use booking_wire::formats::in_range;
use booking_zones::{Observance, Transition};
use chrono::{Datelike, NaiveDate, NaiveDateTime, Weekday};

/// Years that are compared before a zone counts as regular. In so many years, the last Sunday of a month is both its
/// fourth and its fifth.
const COMPARED_YEARS: i32 = 12;

/// Most years whose transitions are read, however long a series is.
const MAX_YEARS: i32 = 100;

/// Longest year.
const YEAR_MS: i64 = 366 * 86_400_000;

/// A time zone other than UTC.
pub(super) struct Zone(booking_zones::Zone);

impl Zone {
    /// Returns the zone with an IANA name; none for UTC and unknown names.
    pub(super) fn named(name: &str) -> Option<Self> {
        let zone = booking_zones::Zone::named(name.trim())?;
        (!zone.is_utc()).then_some(Self(zone))
    }

    /// Returns the IANA name.
    pub(super) fn name(&self) -> &str {
        self.0.name()
    }

    /// Returns the local time of an instant; none outside the years 1970 to 9999.
    pub(super) fn local(&self, instant: Instant) -> Option<NaiveDateTime> {
        self.0.local(Some(instant).filter(|at| in_range(*at))?)
    }

    /// Returns the instant of a local time; none if clocks skip it or show it twice.
    pub(super) fn instant(&self, local: NaiveDateTime) -> Option<Instant> {
        self.0.instants(local).single()
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
        let [first_year, last_year] =
            [first, last].map(|instant| self.local(instant).map_or(1970, |at| at.year()));
        let from = first_year - 1;
        let until = (last_year + 2).clamp(from + COMPARED_YEARS, from + MAX_YEARS);
        let transitions = self.transitions(from, until);
        match yearly(&transitions) {
            Some(rules) => {
                for (transition, rule) in rules {
                    write(transition, file, Some(&rule));
                }
            }
            None => self.write_each(file, &transitions, first.0, last.0),
        }
        file.property("END", &[], "VTIMEZONE");
    }

    /// Writes each transition from a year before `first` until a year after `last`, in milliseconds.
    fn write_each(&self, file: &mut CalendarFile, all: &[Transition], first: i64, last: i64) {
        let range = first.saturating_sub(YEAR_MS)..=last.saturating_add(YEAR_MS);
        let near = all.iter().filter(|one| range.contains(&one.at.0));
        let earliest = near.clone().next().map(|transition| transition.at.0);
        if earliest.is_none_or(|earliest| earliest > first) {
            // The offset before the first of them, or of all times, since 1970.
            let at = earliest.map_or(first, |earliest| earliest - 1);
            let observance = self.0.observance(Instant(at));
            let since = Transition {
                at: Instant(-observance.offset_s * 1_000),
                before: observance.clone(),
                after: observance,
            };
            write(&since, file, None);
        }
        for transition in near {
            write(transition, file, None);
        }
    }

    /// Returns the transitions of years, ascending, without those of `until`.
    fn transitions(&self, from: i32, until: i32) -> Vec<Transition> {
        let start_of = |year| NaiveDate::from_ymd_opt(year, 1, 1).map(Instant::start_of);
        let (Some(start), Some(end)) = (start_of(from), start_of(until)) else {
            return Vec::new();
        };
        let transitions = self.0.transitions_after(start);
        transitions.take_while(|one| one.at < end).collect()
    }
}

/// Returns the time that clocks would show at a transition without the change.
fn local(transition: &Transition) -> NaiveDateTime {
    let at = Instant(transition.at.0 + transition.before.offset_s * 1_000);
    at.utc().unwrap_or_default().naive_utc()
}

/// Returns true for the start of summer time. In zones whose standard time is that of the summer, too: calendars expect
/// clocks to be ahead during DAYLIGHT.
fn is_daylight(Transition { before, after, .. }: &Transition) -> bool {
    (before.is_dst || after.is_dst) && after.offset_s > before.offset_s
}

/// Writes a transition with a rule that repeats it.
fn write(transition: &Transition, file: &mut CalendarFile, rule: Option<&str>) {
    let component = if is_daylight(transition) {
        "DAYLIGHT"
    } else {
        "STANDARD"
    };
    file.property("BEGIN", &[], component);
    file.property("DTSTART", &[], &stamp(local(transition)));
    if let Some(rule) = rule {
        file.property("RRULE", &[], rule);
    }
    let Observance {
        offset_s,
        abbreviation,
        ..
    } = &transition.after;
    file.property("TZOFFSETFROM", &[], &offset(transition.before.offset_s));
    file.property("TZOFFSETTO", &[], &offset(*offset_s));
    file.text("TZNAME", abbreviation);
    file.property("END", &[], component);
}

/// Returns the first transition to summer time and the first one back, each with the rule that repeats it every year;
/// none unless all transitions follow the two rules.
fn yearly(transitions: &[Transition]) -> Option<[(&Transition, String); 2]> {
    let (forward, back): (Vec<_>, Vec<_>) = transitions.iter().partition(|one| is_daylight(one));
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
    let start = local(first);
    let follows = |(years, transition): (i32, &&Transition)| {
        let at = local(transition);
        transition.before.offset_s == first.before.offset_s
            && transition.after == first.after
            && at.year() == start.year() + years
            && at.month() == start.month()
            && at.weekday() == start.weekday()
            && at.time() == start.time()
    };
    if !(0..).zip(transitions).all(follows) {
        return None;
    }
    let days = || {
        transitions
            .iter()
            .map(|transition| local(transition).date())
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
        // Morocco had UTC in Ramadan, and for good since September 2026.
        let found = written(
            "Africa/Casablanca",
            "2026-02-01T08:00:00Z",
            "2027-02-01T08:30:00Z",
        );
        assert!(!found.contains("RRULE"), "{found}");
        for line in ["20260215T030000", "20260322T020000", "20260920T020000"] {
            assert!(found.contains(&format!("DTSTART:{line}\n")), "{found}");
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
        let far = written(
            "Europe/Berlin",
            "9990-03-26T08:00:00Z",
            "9999-03-26T08:30:00Z",
        );
        assert!(far.matches("BEGIN:").count() < 30, "{far}");
        let irregular = written(
            "America/Nuuk",
            "2027-03-26T08:00:00Z",
            "9999-03-26T08:30:00Z",
        );
        assert!(irregular.matches("BEGIN:").count() <= 201, "{irregular}");
    }
}
