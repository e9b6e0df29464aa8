//! Dates, times and names of time zones in the language of a recipient (CLDR, by ICU4X).

use booking_wire::Instant;
use booking_wire::text_language::locale_for;
use chrono::{DateTime, Datelike, NaiveDate, Offset, Timelike, Utc};
use chrono_tz::Tz;
use icu_calendar::Gregorian;
use icu_datetime::fieldsets::{T, YMDE, zone};
use icu_datetime::input::{Date, Time, TimeZone, TimeZoneInfo, UtcOffset};
use icu_datetime::options::Length;
use icu_datetime::{
    DateTimeFormatterPreferences, FixedCalendarDateTimeFormatter, NoCalendarFormatter,
};
use icu_locale_core::Locale;
use icu_locale_core::preferences::extensions::unicode::keywords::HourCycle;
use icu_time::zone::ZoneNameTimestamp;
use icu_time::zone::models::AtTime;

/// Date and time of day in a time zone.
type Local = DateTime<Tz>;

/// Formats of one language and time zone.
pub(crate) struct Dates {
    zone: Tz,
    preferences: DateTimeFormatterPreferences,
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
    /// Creates formats. `tag` is the recipient's BCP 47 tag, whose region decides on the order of day and month and on
    /// the hour cycle, if its language is `language`. An unknown time zone is UTC.
    pub(crate) fn new(
        language: &str,
        tag: &str,
        time_zone: &str,
        has_24_hours: Option<bool>,
    ) -> Self {
        let locale: Locale = locale_for(language, tag, "")
            .parse()
            .unwrap_or(Locale::UNKNOWN);
        let mut preferences = DateTimeFormatterPreferences::from(&locale);
        preferences.hour_cycle = has_24_hours.map(|is_24| {
            if is_24 {
                HourCycle::H23
            } else {
                HourCycle::Clock12
            }
        });
        let zone = time_zone.parse().unwrap_or(Tz::UTC);
        Self { zone, preferences }
    }

    /// Short date: `Tue, Mar 4, 2027`.
    pub(crate) fn short_day(&self, instant: Instant) -> String {
        self.day(&self.local(instant), Length::Medium)
    }

    /// Time of day: `09:30` or `9:30 AM`.
    pub(crate) fn time(&self, instant: Instant) -> String {
        self.time_of(&self.local(instant))
    }

    /// Time range. Each time has its offset if the clock changes in between.
    pub(crate) fn range(&self, start: Instant, end: Instant) -> Range {
        let (first, last) = (self.local(start), self.local(end));
        let mut times = [self.time_of(&first), self.time_of(&last)];
        if offset_of(&first) != offset_of(&last) {
            for (time, local) in times.iter_mut().zip([&first, &last]) {
                *time = format!("{time} ({})", self.offset_text(local));
            }
        }
        let [from, to] = times;
        // A meeting until midnight is within its day.
        let last_moment = self.local(Instant(end.0.saturating_sub(1).max(start.0)));
        if first.date_naive() == last_moment.date_naive() {
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
        let city = NoCalendarFormatter::try_new(self.preferences, zone::ExemplarCity)
            .map(|formatter| formatter.format(&info).to_string())
            .unwrap_or_default();
        let mut offset = self.offset_text(&local);
        // Names of some zones contain the city; `Etc/UTC` has none.
        let has_city = self.zone.name().contains('/') && !self.zone.name().starts_with("Etc/");
        if !has_city {
            if name == offset {
                offset.clear();
            }
            return (name, offset);
        }
        if name.contains(&city) {
            return (name, offset);
        }
        // Zones without a name are shown as an offset.
        let is_offset = self.is_offset(&name, &offset);
        let text = format!("{name} ({city})");
        (text, if is_offset { String::new() } else { offset })
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
        let utc: DateTime<Utc> = instant.utc().unwrap_or_default();
        utc.with_timezone(&self.zone)
    }

    fn day(&self, local: &Local, length: Length) -> String {
        let date = local.date_naive();
        self.try_day(date, length)
            .unwrap_or_else(|| date.to_string())
    }

    fn try_day(&self, date: NaiveDate, length: Length) -> Option<String> {
        let month = u8::try_from(date.month()).ok()?;
        let day = u8::try_from(date.day()).ok()?;
        let date = Date::try_new_gregorian(date.year(), month, day).ok()?;
        let fields = YMDE::for_length(length);
        let formatter =
            FixedCalendarDateTimeFormatter::<Gregorian, _>::try_new(self.preferences, fields)
                .ok()?;
        Some(formatter.format(&date).to_string())
    }

    fn time_of(&self, local: &Local) -> String {
        let part = |value: u32| u8::try_from(value).unwrap_or_default();
        let time = Time::try_new(part(local.hour()), part(local.minute()), 0, 0).ok();
        let formatter = NoCalendarFormatter::try_new(self.preferences, T::hm()).ok();
        match (time, formatter) {
            (Some(time), Some(formatter)) => formatter.format(&time).to_string(),
            _ => local.format("%H:%M").to_string(),
        }
    }

    fn offset_text(&self, local: &Local) -> String {
        let fields = zone::LocalizedOffsetShort;
        NoCalendarFormatter::try_new(self.preferences, fields)
            .map(|formatter| formatter.format(&self.zone_info(local)).to_string())
            .unwrap_or_else(|_| local.offset().fix().to_string())
    }

    fn zone_info(&self, local: &Local) -> TimeZoneInfo<AtTime> {
        TimeZone::from_iana_id(self.zone.name())
            .with_offset(UtcOffset::try_from_seconds(offset_of(local)).ok())
            .with_zone_name_timestamp(ZoneNameTimestamp::from_epoch_seconds(local.timestamp()))
    }
}

/// Seconds east of UTC.
fn offset_of(local: &Local) -> i32 {
    local.offset().fix().local_minus_utc()
}
