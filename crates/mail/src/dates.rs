//! Dates, times and names of time zones in the language of a recipient (CLDR, by ICU4X).

use booking_wire::Instant;
use booking_wire::formats::text_language::locale_for;
use booking_wire::has_24_hours as has_24_hours_in;
use booking_zones::Zone;
use chrono::{Datelike, NaiveDate, NaiveDateTime, Timelike};
use icu_calendar::Gregorian;
use icu_datetime::fieldsets::{T, YMDE, zone};
use icu_datetime::input::{Date, Time, TimeZone, TimeZoneInfo, UtcOffset};
use icu_datetime::options::Length;
use icu_datetime::{
    DateTimeFormatterPreferences, FixedCalendarDateTimeFormatter, NoCalendarFormatter,
};
use icu_locale_core::preferences::extensions::unicode::keywords::HourCycle;
use icu_locale_core::{Locale, locale};
use icu_time::zone::ZoneNameTimestamp;
use icu_time::zone::models::AtTime;

/// Date and time of day in a time zone.
struct Local {
    instant: Instant,
    clock: NaiveDateTime,
    /// Seconds east of UTC.
    offset_s: i64,
}

/// Formats of one language and time zone.
pub(crate) struct Dates {
    zone: Zone,
    preferences: DateTimeFormatterPreferences,
    /// Those of long dates.
    long_preferences: DateTimeFormatterPreferences,
}

/// A time range in words.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Range {
    /// Within one day: the date, and the times of day.
    OneDay {
        /// Long date.
        day: String,
        /// Start and end.
        times: String,
    },
    /// Over midnight: date and time of the start and of the end.
    Days {
        /// Day and time.
        start: (String, String),
        /// Day and time.
        end: (String, String),
    },
}

impl Dates {
    /// Creates formats. `tag` is the recipient's BCP 47 tag. Its region, or else the country of the time zone, decides on
    /// the order of day and month and on the hour cycle, unless the person or the tag chooses one. An unknown time zone
    /// is UTC.
    pub(crate) fn new(
        language: &str,
        tag: &str,
        time_zone: &str,
        has_24_hours: Option<bool>,
    ) -> Self {
        let locale: Locale = locale_in_zone(language, tag, time_zone)
            .parse()
            .unwrap_or(Locale::UNKNOWN);
        let mut preferences = DateTimeFormatterPreferences::from(&locale);
        let has_24_hours = has_24_hours.or_else(|| has_24_hours_in(tag));
        preferences.hour_cycle = has_24_hours.map(|is_24| {
            if is_24 {
                HourCycle::H23
            } else {
                HourCycle::H12
            }
        });
        let zone = Zone::named(time_zone).unwrap_or_else(Zone::utc);
        // The long date of ICU4X has no name of the month in Portuguese outside Brazil, whose names are the same.
        let long_preferences = match language {
            "pt-BR" => locale!("pt-BR").into(),
            _ => preferences,
        };
        Self {
            zone,
            preferences,
            long_preferences,
        }
    }

    /// Returns the same formats for another time zone.
    pub(crate) fn with_zone(&self, name: &str) -> Self {
        Self {
            zone: Zone::named(name).unwrap_or_else(Zone::utc),
            ..*self
        }
    }

    /// Offset at an instant, in seconds.
    pub(crate) fn offset_s(&self, instant: Instant) -> i64 {
        self.zone.offset_s(instant)
    }

    /// Short date: `Tue, Mar 4, 2027`.
    pub(crate) fn short_day(&self, instant: Instant) -> String {
        self.day(&self.local(instant), Length::Medium)
    }

    /// Long date: `Tuesday, March 4, 2027`.
    pub(crate) fn long_day(&self, instant: Instant) -> String {
        self.day(&self.local(instant), Length::Long)
    }

    /// Time of day: `09:30` or `9:30 AM`.
    pub(crate) fn time(&self, instant: Instant) -> String {
        self.time_of(&self.local(instant))
    }

    /// Time range. Each time has its offset if the clock changes in between.
    pub(crate) fn range(&self, start: Instant, end: Instant) -> Range {
        let (first, last) = (self.local(start), self.local(end));
        let mut times = [self.time_of(&first), self.time_of(&last)];
        if first.offset_s != last.offset_s {
            for (time, local) in times.iter_mut().zip([&first, &last]) {
                *time = format!("{time} ({})", self.offset_text(local));
            }
        }
        let [from, to] = times;
        // A meeting until midnight is within its day.
        let last_moment = self.local(Instant(end.0.saturating_sub(1).max(start.0)));
        if first.clock.date() == last_moment.clock.date() {
            let day = self.day(&first, Length::Long);
            let times = if start == end {
                from
            } else {
                format!("{from} – {to}")
            };
            return Range::OneDay { day, times };
        }
        Range::Days {
            start: (self.day(&first, Length::Medium), from),
            end: (self.day(&last, Length::Medium), to),
        }
    }

    /// Time zone with its city, and its offset at an instant: `Central European Time (Berlin)` and `GMT+1`. The offset is
    /// empty if it is the name of the zone.
    pub(crate) fn zone(&self, instant: Instant) -> (String, String) {
        let local = self.local(instant);
        let info = self.zone_info(&local);
        let name = NoCalendarFormatter::try_new(self.preferences, zone::GenericLong)
            .map(|formatter| formatter.format(&info).to_string())
            .unwrap_or_else(|_| self.zone.name().to_owned());
        let mut offset = self.offset_text(&local);
        // Names of some zones contain the city.
        let Some(city) = self.city(instant) else {
            if name == offset {
                offset.clear();
            }
            return (name, offset);
        };
        if name.contains(&city) {
            return (name, offset);
        }
        // Zones without a name are shown as an offset.
        let is_offset = self.is_offset(&name, &offset);
        let text = format!("{name} ({city})");
        (text, if is_offset { String::new() } else { offset })
    }

    /// City of the time zone; none for zones that are no place.
    pub(crate) fn city(&self, instant: Instant) -> Option<String> {
        let name = self.zone.name();
        if !name.contains('/') || name.starts_with("Etc/") {
            return None;
        }
        let formatter = NoCalendarFormatter::try_new(self.preferences, zone::ExemplarCity).ok()?;
        let info = self.zone_info(&self.local(instant));
        Some(formatter.format(&info).to_string())
    }

    /// True for an offset, which is written with minutes as the name of a zone.
    fn is_offset(&self, name: &str, offset: &str) -> bool {
        let sign = |text: &str| {
            text.find(['+', '-', '\u{2212}'])
                .map(|index| text[..index].to_owned())
        };
        sign(name).is_some_and(|prefix| sign(offset) == Some(prefix))
    }

    fn local(&self, instant: Instant) -> Local {
        // Outside the calendar, 1970 is shown.
        let clock = self.zone.local(instant);
        let instant = clock.map_or_else(Instant::default, |_| instant);
        Local {
            instant,
            clock: clock.unwrap_or_default(),
            offset_s: self.offset_s(instant),
        }
    }

    fn day(&self, local: &Local, length: Length) -> String {
        let date = local.clock.date();
        self.try_day(date, length)
            .unwrap_or_else(|| date.to_string())
    }

    fn try_day(&self, date: NaiveDate, length: Length) -> Option<String> {
        let month = u8::try_from(date.month()).ok()?;
        let day = u8::try_from(date.day()).ok()?;
        let date = Date::try_new_gregorian(date.year(), month, day).ok()?;
        let fields = YMDE::for_length(length);
        let preferences = match length {
            Length::Long => self.long_preferences,
            _ => self.preferences,
        };
        let formatter =
            FixedCalendarDateTimeFormatter::<Gregorian, _>::try_new(preferences, fields).ok()?;
        Some(formatter.format(&date).to_string())
    }

    fn time_of(&self, local: &Local) -> String {
        let part = |value: u32| u8::try_from(value).unwrap_or_default();
        let time = Time::try_new(part(local.clock.hour()), part(local.clock.minute()), 0, 0).ok();
        let formatter = NoCalendarFormatter::try_new(self.preferences, T::hm()).ok();
        match (time, formatter) {
            (Some(time), Some(formatter)) => formatter.format(&time).to_string(),
            _ => local.clock.format("%H:%M").to_string(),
        }
    }

    fn offset_text(&self, local: &Local) -> String {
        let fields = zone::LocalizedOffsetShort;
        NoCalendarFormatter::try_new(self.preferences, fields)
            .map(|formatter| formatter.format(&self.zone_info(local)).to_string())
            .unwrap_or_default()
    }

    fn zone_info(&self, local: &Local) -> TimeZoneInfo<AtTime> {
        let offset = i32::try_from(local.offset_s).ok();
        let seconds = local.instant.0.div_euclid(1000);
        TimeZone::from_iana_id(self.zone.name())
            .with_offset(offset.and_then(|offset| UtcOffset::try_from_seconds(offset).ok()))
            .with_zone_name_timestamp(ZoneNameTimestamp::from_epoch_seconds(seconds))
    }
}

/// Returns the locale of dates for a recipient's tag and time zone, whose country is the region of a tag that has none.
fn locale_in_zone(language: &str, tag: &str, time_zone: &str) -> String {
    let primary = language.split('-').next().unwrap_or(language);
    let in_zone = country_of(time_zone).map(|country| format!("{primary}-{country}"));
    locale_for(language, tag, in_zone.as_deref().unwrap_or_default())
}

/// Returns the country of a time zone: the first two letters of its identifier in the CLDR, but for some exceptions.
fn country_of(time_zone: &str) -> Option<String> {
    let zone = TimeZone::from_iana_id(time_zone);
    match zone.as_str() {
        "jeruslm" => Some("IL".to_owned()),
        id if id.len() == 5 && !id.starts_with("utc") => Some(id.get(..2)?.to_ascii_uppercase()),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use std::io::Write as _;
    use std::process::{Command, Stdio};

    use super::*;
    use booking_wire::formats::text_language::LANGUAGES;

    fn at(text: &str) -> Instant {
        Instant::parse(text).unwrap()
    }

    fn one_day(zone: &str, start: &str, end: &str) -> String {
        let dates = Dates::new("en", "en-GB", zone, None);
        match dates.range(at(start), at(end)) {
            Range::OneDay { day, times } => format!("{day}, {times}"),
            Range::Days { start, end } => format!("{} {} – {} {}", start.0, start.1, end.0, end.1),
        }
    }

    #[test]
    fn local_times_are_right_on_both_sides_of_clock_changes() {
        for (zone, start, end, text) in [
            (
                "Europe/Berlin",
                "2027-03-28T00:30:00Z",
                "2027-03-28T00:45:00Z",
                "Sunday, 28 March 2027, 01:30 – 01:45",
            ),
            (
                "Europe/Berlin",
                "2027-03-28T01:30:00Z",
                "2027-03-28T02:00:00Z",
                "Sunday, 28 March 2027, 03:30 – 04:00",
            ),
            (
                "Europe/Berlin",
                "2027-03-28T00:30:00Z",
                "2027-03-28T01:30:00Z",
                "Sunday, 28 March 2027, 01:30 (GMT+1) – 03:30 (GMT+2)",
            ),
            (
                "Europe/Berlin",
                "2027-10-31T00:30:00Z",
                "2027-10-31T01:15:00Z",
                "Sunday, 31 October 2027, 02:30 (GMT+2) – 02:15 (GMT+1)",
            ),
            (
                "Europe/Berlin",
                "2027-10-31T01:30:00Z",
                "2027-10-31T02:00:00Z",
                "Sunday, 31 October 2027, 02:30 – 03:00",
            ),
            (
                "America/New_York",
                "2027-03-14T06:30:00Z",
                "2027-03-14T06:45:00Z",
                "Sunday, 14 March 2027, 01:30 – 01:45",
            ),
            (
                "America/New_York",
                "2027-03-14T07:00:00Z",
                "2027-03-14T07:30:00Z",
                "Sunday, 14 March 2027, 03:00 – 03:30",
            ),
            (
                "Australia/Lord_Howe",
                "2027-04-03T15:00:00Z",
                "2027-04-03T15:30:00Z",
                "Sunday, 4 April 2027, 01:30 – 02:00",
            ),
            (
                "Asia/Kolkata",
                "2027-03-09T18:00:00Z",
                "2027-03-09T18:30:00Z",
                "Tuesday, 9 March 2027, 23:30 – 00:00",
            ),
            (
                "Asia/Kolkata",
                "2027-03-09T18:00:00Z",
                "2027-03-09T19:00:00Z",
                "Tue, 9 Mar 2027 23:30 – Wed, 10 Mar 2027 00:30",
            ),
            (
                "Pacific/Kiritimati",
                "2027-03-09T11:00:00Z",
                "2027-03-09T12:00:00Z",
                "Wednesday, 10 March 2027, 01:00 – 02:00",
            ),
            (
                "Nowhere/Else",
                "2027-03-09T11:00:00Z",
                "2027-03-09T11:00:00Z",
                "Tuesday, 9 March 2027, 11:00",
            ),
        ] {
            assert_eq!(one_day(zone, start, end), text, "{zone} {start}");
        }
    }

    #[test]
    fn zone_has_name_city_and_offset() {
        let winter = at("2027-01-09T11:00:00Z");
        for (language, zone, name, offset) in [
            (
                "en",
                "Europe/Berlin",
                "Central European Time (Berlin)",
                "GMT+1",
            ),
            (
                "de",
                "Europe/Berlin",
                "Mitteleuropäische Zeit (Berlin)",
                "GMT+1",
            ),
            (
                "en",
                "Asia/Kolkata",
                "India Standard Time (Kolkata)",
                "GMT+5:30",
            ),
            ("en", "UTC", "Coordinated Universal Time", "GMT+0"),
            ("en", "Etc/UTC", "Coordinated Universal Time", "GMT+0"),
        ] {
            let dates = Dates::new(language, language, zone, None);
            assert_eq!(
                dates.zone(winter),
                (name.to_owned(), offset.to_owned()),
                "{zone}"
            );
        }
    }

    #[test]
    fn extreme_instants_do_not_panic() {
        let dates = Dates::new("en", "", "Europe/Berlin", None);
        for instant in [
            i64::MIN,
            -62_135_596_800_001,
            0,
            253_402_300_800_000,
            8_000_000_000_000_000,
            i64::MAX,
        ] {
            for end in [i64::MIN, instant, i64::MAX] {
                dates.range(Instant(instant), Instant(end));
            }
            dates.zone(Instant(instant));
            dates.short_day(Instant(instant));
        }
    }

    /// Removes what differs between versions of the CLDR: kinds of spaces, marks of direction, signs, a comma before
    /// years in Hindi, and a word of a zone in American Spanish.
    fn normalized(text: &str) -> String {
        let text = text
            .replace(['\u{200e}', '\u{200f}', ','], "")
            .replace('\u{2212}', "-")
            .replace("hora estándar de la India", "hora de India");
        text.split_whitespace().collect::<Vec<_>>().join(" ")
    }

    /// Parts of a time or offset, sorted: the place of AM in Turkish and of GMT in Portuguese, and a zero before hours
    /// below ten, differ between versions of the CLDR, as does the case of AM in India.
    fn parts(text: &str) -> Vec<String> {
        let text = normalized(text)
            .to_lowercase()
            .replace('-', " -")
            .replace('+', " +");
        let mut parts: Vec<String> = text
            .split_whitespace()
            .map(|part| match part.strip_prefix('0') {
                Some(rest) if rest.starts_with(|next: char| next.is_ascii_digit()) => {
                    rest.to_owned()
                }
                _ => part.to_owned(),
            })
            .collect();
        parts.sort();
        parts
    }

    /// Three regions of each language.
    const REGIONS: [[&str; 3]; 13] = [
        ["ar-EG", "ar-SA", "ar-MA"],
        ["de-DE", "de-AT", "de-CH"],
        ["en-US", "en-GB", "en-IN"],
        ["es-ES", "es-MX", "es-PE"],
        ["fr-FR", "fr-CA", "fr-CH"],
        ["he-IL", "he-US", "he-GB"],
        ["hi-IN", "hi-US", "hi-GB"],
        ["ja-JP", "ja-US", "ja-GB"],
        ["nl-NL", "nl-BE", "nl-SR"],
        ["pl-PL", "pl-DE", "pl-GB"],
        ["pt-BR", "pt-PT", "pt-AO"],
        ["tr-TR", "tr-CY", "tr-DE"],
        ["zh-CN", "zh-SG", "zh-MY"],
    ];

    #[test]
    fn region_is_that_of_the_tag_or_of_the_zone() {
        for (language, tag, zone, locale) in [
            ("en", "en", "Europe/Paris", "en-FR"),
            ("en", "en", "America/New_York", "en-US"),
            ("en", "en-GB", "America/New_York", "en-GB"),
            ("en", "en-GB-u-hc-h12", "Europe/Paris", "en-GB"),
            ("en", "", "Europe/London", "en-GB"),
            ("en", "sv", "Europe/Stockholm", "en-SE"),
            ("de", "de", "Europe/Vienna", "de-AT"),
            ("he", "he", "Asia/Jerusalem", "he-IL"),
            ("zh-CN", "zh-CN", "Asia/Taipei", "zh-CN"),
            ("en", "en", "Asia/Kolkata", "en-IN"),
            ("en", "en", "Asia/Gaza", "en"),
            ("en", "en", "UTC", "en"),
            ("en", "en", "Etc/GMT+5", "en"),
            ("en", "en", "Nowhere/Else", "en"),
        ] {
            assert_eq!(locale_in_zone(language, tag, zone), locale, "{tag} {zone}");
        }
    }

    #[test]
    fn clock_is_that_of_the_person_or_of_the_tag_or_of_the_region() {
        let noon = at("2027-01-09T11:00:00Z");
        for (tag, has_24_hours, time) in [
            ("en", None, "12:00"),
            ("en-US", None, "12:00\u{202f}PM"),
            ("en-US-u-hc-h23", None, "12:00"),
            ("en-GB-u-hc-h12", None, "12:00\u{202f}pm"),
            ("en-US-u-hc-h12", Some(true), "12:00"),
            ("ja-JP-u-hc-h12", None, "午後12:00"),
        ] {
            let language = booking_wire::formats::text_language::language_of(tag).unwrap();
            let dates = Dates::new(language, tag, "Europe/Berlin", has_24_hours);
            assert_eq!(dates.time(noon), time, "{tag}");
        }
    }

    #[test]
    fn dates_are_those_of_intl() {
        let instants = [
            "2027-03-09T08:30:00Z",
            "2027-05-01T21:05:00Z",
            "2027-12-31T23:30:00Z",
            "2028-02-29T00:00:00Z",
            // Noon and midnight in the zones below.
            "2027-01-09T11:00:00Z",
            "2027-01-09T05:00:00Z",
            "2027-01-09T17:00:00Z",
            "2027-01-09T06:30:00Z",
            "2027-01-09T18:30:00Z",
        ];
        let tags = LANGUAGES.into_iter().chain(["en"]).chain(REGIONS.concat());
        let mut requests = String::new();
        let mut cases = Vec::new();
        for tag in tags {
            let language = booking_wire::formats::text_language::language_of(tag).unwrap();
            for (zone, has_24_hours) in [
                ("Europe/Berlin", None),
                ("America/New_York", Some(false)),
                ("Asia/Kolkata", Some(true)),
            ] {
                let locale = locale_in_zone(language, tag, zone);
                for instant in instants.map(at) {
                    let hour12 =
                        has_24_hours.map_or("null".to_owned(), |is_24: bool| (!is_24).to_string());
                    requests.push_str(&format!(
                        "[\"{locale}\",\"{zone}\",{hour12},{}]\n",
                        instant.0
                    ));
                    cases.push((tag, Dates::new(language, tag, zone, has_24_hours), instant));
                }
            }
        }
        let script = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/intl.js");
        let mut node = Command::new("node")
            .arg(script)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .expect("node is installed");
        let mut stdin = node.stdin.take().unwrap();
        let writer = std::thread::spawn(move || stdin.write_all(requests.as_bytes()));
        let output = node.wait_with_output().unwrap();
        writer.join().unwrap().unwrap();
        let output = String::from_utf8(output.stdout).unwrap();
        assert_eq!(output.lines().count(), cases.len());
        let mut different = Vec::new();
        for (line, (tag, dates, instant)) in output.lines().zip(cases) {
            let expected: [String; 7] = serde_json::from_str(line).unwrap();
            let [long_day, short_day, weekday, medium, time, zone, offset] =
                expected.map(|text| normalized(&text));
            let local = dates.local(instant);
            let mut check = |found: &str, is_expected: &dyn Fn(&str) -> bool, expected: &str| {
                let found = normalized(found);
                if !is_expected(&found) {
                    different.push(format!("{tag}: {found:?}, Intl {expected:?}"));
                }
            };
            check(
                &dates.day(&local, Length::Long),
                &|found| found == long_day,
                &long_day,
            );
            check(
                &dates.short_day(instant),
                // Most languages have the medium date in it.
                &|found| found == short_day || found.contains(&weekday) && found.contains(&medium),
                &short_day,
            );
            check(
                &dates.time(instant),
                &|found| parts(found) == parts(&time),
                &time,
            );
            // The name is followed by the city.
            check(
                &dates.zone(instant).0,
                &|found| found.starts_with(&zone),
                &zone,
            );
            check(
                &dates.offset_text(&local),
                &|found| parts(found) == parts(&offset),
                &offset,
            );
        }
        different.sort();
        different.dedup();
        assert!(different.is_empty(), "{}", different.join("\n"));
    }
}
