//! Text of instants, dates, zones, prices and names of countries, and the first day of the week, by the browser's
//! `Intl`. Its only user.

use std::cell::{Cell, OnceCell, RefCell};
use std::rc::Rc;

use booking_ui::prelude::*;
use js_sys::{Array, Function, JsString, Object, Reflect};

use wasm_bindgen::{JsCast, JsValue};

use super::civil::add_days;
use super::civil::{DateRange, Weekday};
use super::clock::Clock;
use super::corrections::Corrections;
use super::zone::Zone;
use super::zone::{NamedZone, PlaceNames, offset_text, parse_offset};
use super::zone_places::place_of;
use booking_wire::{CivilDate, Instant, SlotDays};

/// Formats of one locale. Cheap to copy; formatters are created once for each zone and style.
#[derive(Clone, Copy)]
pub struct Formats {
    inner: StoredValue<Rc<Inner>>,
    clock: Clock,
    corrections: StoredValue<Corrections>,
    corrected: Trigger,
}

struct Inner {
    locale: String,
    /// First day of the week set by the page.
    week_start: Cell<Option<Weekday>>,
    /// First day of the week in the locale's region, asked for by many views.
    week_start_of_locale: OnceCell<Option<Weekday>>,
    // Cache of the styles below times the zones that a visitor looks at; cleared when it exceeds what one
    // visitor can need.
    formatters: RefCell<Vec<((Style, String), Function)>>,
}

const MAX_FORMATTERS: usize = 200;

const HALF_YEAR_MS: u64 = 183 * 24 * 60 * 60 * 1000;

/// Options of a date range.
const DAYS: [(&str, &str); 3] = [("year", "numeric"), ("month", "short"), ("day", "numeric")];

/// Style of a formatter.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
enum Style {
    Time { hour12: bool },
    LongDay,
    LongDayOfYear,
    MediumDay,
    BriefDay,
    ShortDay,
    MonthTitle,
    ShortMonth,
    WeekdayLong,
    Year,
    WeekdayShort,
    WeekdayNarrow,
    ShortOffset,
    LongOffset,
    ZoneName,
    ShortZoneName,
    PlainDay,
}

impl Style {
    fn options(self) -> &'static [(&'static str, &'static str)] {
        match self {
            Self::Time { hour12: true } => &[
                ("hour", "numeric"),
                ("minute", "2-digit"),
                ("hourCycle", "h12"),
            ],
            Self::Time { hour12: false } => &[
                ("hour", "2-digit"),
                ("minute", "2-digit"),
                ("hourCycle", "h23"),
            ],
            Self::LongDay => &[
                ("weekday", "long"),
                ("year", "numeric"),
                ("month", "long"),
                ("day", "numeric"),
            ],
            Self::LongDayOfYear => &[("weekday", "long"), ("month", "long"), ("day", "numeric")],
            Self::MediumDay => &[("weekday", "short"), ("month", "long"), ("day", "numeric")],
            Self::BriefDay => &[("weekday", "short"), ("month", "short"), ("day", "numeric")],
            Self::ShortDay => &[
                ("weekday", "short"),
                ("year", "numeric"),
                ("month", "short"),
                ("day", "numeric"),
            ],
            Self::MonthTitle => &[("year", "numeric"), ("month", "long")],
            Self::ShortMonth => &[("month", "short")],
            Self::WeekdayLong => &[("weekday", "long")],
            Self::Year => &[("year", "numeric")],
            Self::WeekdayShort => &[("weekday", "short")],
            Self::WeekdayNarrow => &[("weekday", "narrow")],
            Self::ShortOffset => &[("timeZoneName", "shortOffset")],
            Self::LongOffset => &[("timeZoneName", "longOffset")],
            Self::ZoneName => &[("timeZoneName", "longGeneric")],
            Self::ShortZoneName => &[("timeZoneName", "shortGeneric")],
            Self::PlainDay => &[
                ("year", "numeric"),
                ("month", "2-digit"),
                ("day", "2-digit"),
            ],
        }
    }

    /// True if only the zone's name or offset is used.
    fn is_zone_text(self) -> bool {
        self.is_zone_name() || matches!(self, Self::ShortOffset | Self::LongOffset)
    }

    /// True if only the zone's name is used.
    fn is_zone_name(self) -> bool {
        matches!(self, Self::ZoneName | Self::ShortZoneName)
    }

    /// Returns the locale, which is fixed for styles that are parsed.
    fn locale(self, locale: &str) -> &str {
        match self {
            Self::LongOffset | Self::PlainDay => "en-US",
            _ => locale,
        }
    }
}

impl Formats {
    /// Creates formats of `locale`, a BCP 47 tag; an invalid tag falls back to the browser's language. Dates within half a
    /// year of `clock` have no year.
    pub fn new(locale: &str, clock: Clock) -> Self {
        Self {
            inner: StoredValue::new(Rc::new(Inner::new(locale))),
            clock,
            corrections: StoredValue::default(),
            corrected: Trigger::new(),
        }
    }

    /// Changes the locale.
    pub fn set_locale(self, locale: &str) {
        let inner = Inner::new(locale);
        let from_page = self.inner.try_with_value(|before| before.week_start.get());
        inner.week_start.set(from_page.flatten());
        self.inner.set_value(Rc::new(inner));
    }

    /// Sets the first day of the week.
    pub fn set_week_start(self, first: Option<Weekday>) {
        self.inner.with_value(|inner| inner.week_start.set(first));
    }

    /// Uses the offsets with which the service sent the slots of a zone.
    pub fn learn_offsets(self, zone: &Zone, days: &SlotDays) {
        let mut has_new = false;
        for (_, slots) in &days.0 {
            // What is between them is on the same day.
            for slot in [slots.first(), slots.last()].into_iter().flatten() {
                let of_browser = self.browser_offset(slot.start, zone);
                if let (Some(of_service), Some(of_browser)) = (slot.offset_minutes, of_browser) {
                    let minutes = of_service - of_browser;
                    self.corrections
                        .update_value(|known| has_new |= known.add(zone, slot.start, minutes));
                }
            }
        }
        if has_new {
            self.corrected.notify();
        }
    }

    /// True if the service has other offsets of a zone than the browser. Subscribes.
    pub fn has_corrections(self, zone: &Zone) -> bool {
        self.corrected.track();
        self.corrections
            .with_value(|corrections| corrections.has(zone))
    }

    /// Returns the locale.
    pub fn locale(self) -> String {
        self.inner
            .try_with_value(|inner| inner.locale.clone())
            .unwrap_or_default()
    }

    /// Time: `09:30` or `9:30 AM`.
    pub fn time(self, instant: Instant, zone: &Zone, hour12: bool) -> String {
        self.format(Style::Time { hour12 }, instant, zone)
    }

    /// Long date for names of controls: `Tuesday, 4 March 2027`.
    pub fn long_day(self, day: CivilDate) -> String {
        self.format_day(Style::LongDay, day)
    }

    /// Title of a day: `Tuesday, 4 March`, with the year unless it is near.
    pub fn day_title(self, day: CivilDate) -> String {
        match self.is_near(day) {
            true => self.format_day(Style::LongDayOfYear, day),
            false => self.long_day(day),
        }
    }

    /// Medium date: `Tue, 4 March`.
    pub fn medium_day(self, day: CivilDate) -> String {
        self.format_day(Style::MediumDay, day)
    }

    /// Date of this or the next months: `Tue, 4 Mar`.
    pub fn brief_day(self, day: CivilDate) -> String {
        self.format_day(Style::BriefDay, day)
    }

    /// Short date: `Tue, 4 Mar`, with the year unless it is near.
    pub fn short_day(self, day: CivilDate) -> String {
        match self.is_near(day) {
            true => self.brief_day(day),
            false => self.format_day(Style::ShortDay, day),
        }
    }

    /// True if the day is less than half a year away.
    fn is_near(self, day: CivilDate) -> bool {
        let distance_ms = noon_of(day).0.abs_diff(self.clock.now().0);
        distance_ms < HALF_YEAR_MS
    }

    /// Month: `March 2027`.
    pub fn month(self, day: CivilDate) -> String {
        self.format_day(Style::MonthTitle, day)
    }

    /// Short month: `Dec`.
    pub fn short_month(self, day: CivilDate) -> String {
        self.format_day(Style::ShortMonth, day)
    }

    /// Weekday: `Tue`.
    pub fn weekday(self, day: CivilDate) -> String {
        self.format_day(Style::WeekdayShort, day)
    }

    /// Year: `2026`, or as it is written in a date.
    pub fn year(self, day: CivilDate) -> String {
        self.format_day(Style::Year, day)
    }

    /// Date range: `23 – 29 Nov 2026`.
    pub fn days(self, range: DateRange) -> String {
        self.range(range, &DAYS)
    }

    /// Date range without the year: `23 – 29 Nov`.
    pub fn days_of_year(self, range: DateRange) -> String {
        self.range(range, DAYS.get(1..).unwrap_or(&DAYS))
    }

    /// Range of months: `Nov – Dec 2026`.
    pub fn months(self, range: DateRange) -> String {
        self.range(range, DAYS.get(..2).unwrap_or(&DAYS))
    }

    fn range(self, range: DateRange, pairs: &[(&str, &str)]) -> String {
        let [first, last] =
            [range.first, range.last].map(|day| JsValue::from_f64(noon_of(day).0 as f64));
        let options = options(pairs);
        // A fresh plain object takes every key.
        let _ = Reflect::set(&options, &"timeZone".into(), &"UTC".into());
        let arguments = Array::of2(&locales(&self.locale()), &options);
        let text = intl("DateTimeFormat")
            .and_then(|constructor| Reflect::construct(&constructor, &arguments).ok())
            .and_then(|formatter| {
                let method = Reflect::get(&formatter, &"formatRange".into()).ok()?;
                let method: Function = method.dyn_into().ok()?;
                method.call2(&formatter, &first, &last).ok()?.as_string()
            });
        // Some older engines have no `formatRange`.
        text.unwrap_or_else(|| self.month(range.first))
    }

    /// Full, short and narrow names of the weekdays, from `first` on.
    pub fn weekdays(self, first: Weekday) -> Vec<[String; 3]> {
        // 2024-01-01 was a Monday.
        let monday = CivilDate::from_ymd_opt(2024, 1, 1).unwrap_or_default();
        (0..7)
            .map(|index| add_days(monday, i64::from(first.num_days_from_monday()) + index))
            .map(|day| {
                [
                    Style::WeekdayLong,
                    Style::WeekdayShort,
                    Style::WeekdayNarrow,
                ]
                .map(|style| self.format_day(style, day))
            })
            .collect()
    }

    /// Offset of the zone at `instant` as text: `GMT+5:30`.
    pub fn offset_text(self, instant: Instant, zone: &Zone) -> String {
        self.format(Style::ShortOffset, instant, zone)
    }

    /// Name of the zone at `instant` in the reader's language, such as `Central European Time`.
    pub fn zone_name(self, instant: Instant, zone: &Zone) -> String {
        self.format(Style::ZoneName, instant, zone)
    }

    /// Offset of `zone` from UTC at `instant` in minutes.
    pub fn offset(self, instant: Instant, zone: &Zone) -> i64 {
        self.browser_offset(instant, zone).unwrap_or(0) + self.correction(instant, zone)
    }

    fn browser_offset(self, instant: Instant, zone: &Zone) -> Option<i64> {
        parse_offset(&self.format_by_browser(Style::LongOffset, instant, zone))
    }

    /// Minutes to add to the browser's offset.
    fn correction(self, instant: Instant, zone: &Zone) -> i64 {
        let minutes = |corrections: &Corrections| corrections.minutes(instant, zone);
        self.corrections.try_with_value(minutes).unwrap_or(0)
    }

    /// Returns the names of a zone for the search, and its offsets at `instant` and at `now`. Its formatters are
    /// not cached: there are hundreds of zones.
    pub fn describe(
        self,
        instant: Instant,
        now: Instant,
        zone: Zone,
        countries: &CountryNames,
    ) -> NamedZone {
        let format = |style| {
            let inner = self.inner.try_with_value(Rc::clone)?;
            formatter(style, &inner.locale, &zone)
        };
        let text = |format: Option<&Function>, instant| {
            let text = format.and_then(|format| apply(format, instant));
            text.unwrap_or_default()
        };
        let name = text(format(Style::ZoneName).as_ref(), instant);
        let short_name = text(format(Style::ShortZoneName).as_ref(), instant);
        let offset_format = format(Style::LongOffset);
        let offset = |instant| parse_offset(&text(offset_format.as_ref(), instant)).unwrap_or(0);
        let place = countries.place_names(&zone);
        let offset_then = offset(instant);
        let mut named = NamedZone::new(zone.clone(), name, &short_name, place, offset_then, fold);
        named.current_offset = offset(now);
        named
    }

    /// Returns the civil date of `instant` in `zone`.
    pub fn day_of(self, instant: Instant, zone: &Zone) -> CivilDate {
        let text = self.format(Style::PlainDay, instant, zone);
        parse_day(&text)
            .or_else(|| instant.day())
            .unwrap_or_default()
    }

    /// Returns the first instant of `day` in `zone`: the end of the gap, if midnight is skipped.
    pub fn start_of_day(self, day: CivilDate, zone: &Zone) -> Instant {
        let utc = Instant::start_of(day);
        let near = utc.plus_minutes(-self.offset(utc, zone));
        // The offset at local midnight counts, not at UTC midnight.
        let start = utc.plus_minutes(-self.offset(near, zone));
        if self.day_of(start, zone) < day {
            // Midnight is skipped, and the offset after it leads to the evening before.
            near
        } else {
            start
        }
    }

    /// Price: `€25.00`. `minor` is in the smallest unit of `currency`, an ISO 4217 code, whose decimal places the
    /// browser knows.
    pub fn money(self, minor: i64, currency: &str) -> String {
        money(&self.locale(), minor, currency).unwrap_or_default()
    }

    /// True if the locale uses the 12-hour clock.
    pub fn prefers_12_hours(self) -> bool {
        resolved(&locales(&self.locale()), &[("hour", "numeric")], "hour12")
            .and_then(|hour12| hour12.as_bool())
            .unwrap_or(false)
    }

    /// Returns the first day of the week: as set by the page, else of the locale, else Monday.
    pub fn week_start(self) -> Weekday {
        let from_page = self.inner.try_with_value(|inner| inner.week_start.get());
        from_page
            .flatten()
            .or_else(|| {
                let of_locale = |inner: &Rc<Inner>| inner.week_start_of_locale();
                self.inner.try_with_value(of_locale).flatten()
            })
            .unwrap_or(Weekday::Mon)
    }

    /// Returns country codes with names in the reader's language, in its alphabetical order. A country unknown to
    /// the browser has its code as its name.
    pub fn countries(
        self,
        codes: impl Iterator<Item = &'static str>,
    ) -> Vec<(&'static str, String)> {
        let locale = self.locale();
        let names = display_names(&locale, "region");
        let name = |code: &'static str| (code, name_of(names.as_ref(), code));
        let mut named: Vec<_> = codes.map(name).collect();
        let order = locales(&locale);
        let options = Object::new();
        named.sort_by(|(_, one), (_, other)| {
            js_sys::JsString::from(one.as_str())
                .locale_compare(other, &order, &options)
                .cmp(&0)
        });
        named
    }

    /// Returns the names of countries for [`Self::describe`].
    pub fn country_names(self) -> CountryNames {
        CountryNames {
            own: display_names(&self.locale(), "region"),
            english: display_names("en", "region"),
        }
    }

    /// Returns the name of a language such as `pt-BR` in the reader's language; `code` itself if the browser does not
    /// know it.
    pub fn language_name(self, code: &str) -> String {
        name_of(display_names(&self.locale(), "language").as_ref(), code)
    }

    fn format_day(self, style: Style, day: CivilDate) -> String {
        self.format(style, noon_of(day), &Zone::utc())
    }

    fn format(self, style: Style, instant: Instant, zone: &Zone) -> String {
        if self.correction(instant, zone) == 0 || style.is_zone_name() {
            return self.format_by_browser(style, instant, zone);
        }
        let offset = self.offset(instant, zone);
        if style.is_zone_text() {
            return offset_text(offset);
        }
        // UTC shows what clocks in the zone show.
        self.format_by_browser(style, instant.plus_minutes(offset), &Zone::utc())
    }

    fn format_by_browser(self, style: Style, instant: Instant, zone: &Zone) -> String {
        self.inner
            .try_with_value(|inner| inner.format(style, instant, zone))
            .unwrap_or_default()
    }
}

impl Inner {
    fn new(locale: &str) -> Self {
        Self {
            locale: locale.to_owned(),
            week_start: Cell::default(),
            week_start_of_locale: OnceCell::new(),
            formatters: RefCell::default(),
        }
    }

    fn week_start_of_locale(&self) -> Option<Weekday> {
        let week_start = || week_start_of(&self.locale);
        *self.week_start_of_locale.get_or_init(week_start)
    }

    fn format(&self, style: Style, instant: Instant, zone: &Zone) -> String {
        let key = (style, zone.0.clone());
        let cached = self
            .formatters
            .borrow()
            .iter()
            .find(|(cached, _)| *cached == key)
            .map(|(_, format)| format.clone());
        let format = cached.or_else(|| {
            let format = formatter(style, &self.locale, zone)?;
            let mut formatters = self.formatters.borrow_mut();
            if formatters.len() >= MAX_FORMATTERS {
                formatters.clear();
            }
            formatters.push((key, format.clone()));
            Some(format)
        });
        format
            .and_then(|format| apply(&format, instant))
            .unwrap_or_default()
    }
}

/// Formats an instant. Returns the zone's name if the formatter returns parts.
fn apply(format: &Function, instant: Instant) -> Option<String> {
    let result = format.call1(&JsValue::UNDEFINED, &JsValue::from_f64(instant.0 as f64));
    let result = result.ok()?;
    let text = result.as_string().or_else(|| {
        let parts: Array = result.dyn_into().ok()?;
        let get = |part: &JsValue, key: &str| Reflect::get(part, &key.into()).ok()?.as_string();
        parts
            .iter()
            .find(|part| get(part, "type").as_deref() == Some("timeZoneName"))
            .and_then(|part| get(&part, "value"))
    });
    // Narrow no-break spaces before AM and PM look like a mistake in some fonts.
    text.map(|text| text.replace('\u{202f}', "\u{a0}"))
}

/// Returns noon in UTC, which is on the same date in the formatters' zone UTC.
fn noon_of(day: CivilDate) -> Instant {
    Instant::start_of(day).plus_minutes(12 * 60)
}

/// Creates a formatter, in the browser's language if the locale is invalid; `None` for an unknown zone.
fn formatter(style: Style, locale: &str, zone: &Zone) -> Option<Function> {
    let options = options(style.options());
    Reflect::set(&options, &"timeZone".into(), &JsValue::from_str(&zone.0)).ok()?;
    let constructor = intl("DateTimeFormat")?;
    let arguments = Array::of2(&locales(style.locale(locale)), &options);
    let formatter = Reflect::construct(&constructor, &arguments)
        .or_else(|_| Reflect::construct(&constructor, &Array::of2(&JsValue::UNDEFINED, &options)))
        .ok()?;
    if style.is_zone_text() {
        let method = Reflect::get(&formatter, &"formatToParts".into()).ok()?;
        Some(method.dyn_into::<Function>().ok()?.bind0(&formatter))
    } else {
        Reflect::get(&formatter, &"format".into())
            .ok()?
            .dyn_into()
            .ok()
    }
}

fn intl(name: &str) -> Option<Function> {
    let intl = Reflect::get(&js_sys::global(), &"Intl".into()).ok()?;
    Reflect::get(&intl, &name.into()).ok()?.dyn_into().ok()
}

/// Function of `Intl` from whole numbers to text in one locale.
pub struct NumberFormatter {
    formatter: JsValue,
    method: Function,
}

impl NumberFormatter {
    /// Formats numbers with grouping and digits of `locale`.
    pub fn decimal(locale: &str) -> Option<Self> {
        Self::new("NumberFormat", "format", locale, &[])
    }

    /// Returns plural categories of `locale`, such as `one` or `few`.
    pub fn plural_category(locale: &str) -> Option<Self> {
        Self::new("PluralRules", "select", locale, &[])
    }

    fn new(kind: &str, method: &str, locale: &str, pairs: &[(&str, &str)]) -> Option<Self> {
        let arguments = Array::of2(&locales(locale), &options(pairs));
        let formatter = Reflect::construct(&intl(kind)?, &arguments).ok()?;
        let method = Reflect::get(&formatter, &method.into());
        let method = method.ok()?.dyn_into().ok()?;
        Some(Self { formatter, method })
    }

    /// Returns the text for `number`.
    pub fn format(&self, number: i64) -> Option<String> {
        let text = self
            .method
            .call1(&self.formatter, &JsValue::from_f64(number as f64));
        text.ok()?.as_string()
    }
}

/// Distance of days in one locale, such as `tomorrow` or `in 2 days`.
pub struct RelativeDays(Option<NumberFormatter>);

impl RelativeDays {
    /// Formats distances in the language of `locale`.
    pub fn new(locale: &str) -> Self {
        let pairs = [("numeric", "auto")];
        Self(NumberFormatter::new(
            "RelativeTimeFormat",
            "format",
            locale,
            &pairs,
        ))
    }

    /// Returns the text for a day `days` after today; empty if the browser has none.
    pub fn format(&self, days: i64) -> String {
        let text = || {
            let NumberFormatter { formatter, method } = self.0.as_ref()?;
            let days = JsValue::from_f64(days as f64);
            let text = method.call2(formatter, &days, &"day".into()).ok()?;
            text.as_string()
        };
        text().unwrap_or_default()
    }
}

/// Names of countries in the reader's language and in English, which zones are found by.
pub struct CountryNames {
    own: Option<Function>,
    english: Option<Function>,
}

impl CountryNames {
    fn place_names(&self, zone: &Zone) -> PlaceNames {
        let Some(place) = place_of(zone) else {
            return PlaceNames::default();
        };
        let mut others = name_of(self.english.as_ref(), place.country);
        for names in [place.country_names, place.names] {
            others.push(' ');
            others.push_str(&names.replace(['_', ','], " "));
        }
        PlaceNames {
            country: name_of(self.own.as_ref(), place.country),
            others,
            is_main: place.is_main,
        }
    }
}

/// Returns a function from codes of a kind, `region` or `language`, to names.
fn display_names(locale: &str, kind: &'static str) -> Option<Function> {
    let arguments = Array::of2(&locales(locale), &options(&[("type", kind)]));
    let names = Reflect::construct(&intl("DisplayNames")?, &arguments).ok()?;
    let of: Function = Reflect::get(&names, &"of".into()).ok()?.dyn_into().ok()?;
    Some(of.bind0(&names))
}

/// Returns the name of `code`, or else `code`: invalid ones throw an error.
fn name_of(names: Option<&Function>, code: &str) -> String {
    let name = names.and_then(|names| names.call1(&JsValue::UNDEFINED, &code.into()).ok());
    let name = name.and_then(|name| name.as_string());
    name.unwrap_or_else(|| code.to_owned())
}

/// True if `zone` is used in `country`, a two-letter code. Always false in older browsers.
pub fn is_zone_of(zone: &Zone, country: &str) -> bool {
    let zones = || {
        let mut tag = String::from("und-");
        tag.push_str(country);
        let locale = Reflect::construct(&intl("Locale")?, &Array::of1(&tag.into())).ok()?;
        let get: Function = Reflect::get(&locale, &"getTimeZones".into())
            .ok()?
            .dyn_into()
            .ok()?;
        get.call0(&locale).ok()?.dyn_into::<Array>().ok()
    };
    zones().is_some_and(|zones| zones.includes(&JsValue::from_str(&zone.0), 0))
}

fn money(locale: &str, minor: i64, currency: &str) -> Option<String> {
    let options = options(&[("style", "currency"), ("currency", currency)]);
    let arguments = Array::of2(&locales(locale), &options);
    let formatter = Reflect::construct(&intl("NumberFormat")?, &arguments).ok()?;
    let method = |name: &str| {
        Reflect::get(&formatter, &name.into())
            .ok()?
            .dyn_into::<Function>()
            .ok()
    };
    let resolved = method("resolvedOptions")?.call0(&formatter).ok()?;
    let digits = Reflect::get(&resolved, &"maximumFractionDigits".into()).ok()?;
    let mut amount = minor as f64;
    for _ in 0..digits.as_f64()? as u8 {
        amount /= 10.0;
    }
    let format = method("format")?;
    format
        .call1(&formatter, &JsValue::from_f64(amount))
        .ok()?
        .as_string()
}

/// Returns an option of a formatter as the browser resolved it.
fn resolved(locales: &JsValue, pairs: &[(&str, &str)], key: &str) -> Option<JsValue> {
    let arguments = Array::of2(locales, &options(pairs));
    let formatter = Reflect::construct(&intl("DateTimeFormat")?, &arguments).ok()?;
    let method: Function = Reflect::get(&formatter, &"resolvedOptions".into())
        .ok()?
        .dyn_into()
        .ok()?;
    Reflect::get(&method.call0(&formatter).ok()?, &key.into()).ok()
}

fn options(pairs: &[(&str, &str)]) -> Object {
    let options = Object::new();
    for (name, value) in pairs {
        // Setting a key of a fresh plain object cannot fail.
        let _ = Reflect::set(&options, &(*name).into(), &(*value).into());
    }
    options
}

fn locales(locale: &str) -> Array {
    if locale.is_empty() {
        Array::new()
    } else {
        Array::of1(&JsValue::from_str(locale))
    }
}

/// Parses a date such as `11/24/2026`. All engines format American dates like this; they differ in the
/// languages that they format with the year first.
fn parse_day(text: &str) -> Option<CivilDate> {
    let mut parts = text.split('/');
    let month = parts.next()?.parse().ok()?;
    let day = parts.next()?.parse().ok()?;
    CivilDate::from_ymd_opt(parts.next()?.parse().ok()?, month, day)
}

fn week_start_of(locale: &str) -> Option<Weekday> {
    let constructor = intl("Locale")?;
    let locale = Reflect::construct(&constructor, &Array::of1(&locale.into())).ok()?;
    // A method in newer engines, a property in older ones, absent in some.
    let info = match Reflect::get(&locale, &"getWeekInfo".into())
        .ok()?
        .dyn_into::<Function>()
    {
        Ok(method) => method.call0(&locale).ok()?,
        Err(_) => Reflect::get(&locale, &"weekInfo".into()).ok()?,
    };
    let first_day = Reflect::get(&info, &"firstDay".into()).ok()?.as_f64()?;
    // 1 is Monday, 7 is Sunday.
    Weekday::try_from((first_day as u8).checked_sub(1)?).ok()
}

/// Converts `text` to lower case, in any script.
pub fn lower_case(text: &str) -> String {
    JsString::from(text).to_lower_case().into()
}

/// Converts `text` to lower case and removes accents, for a search.
pub fn fold(text: &str) -> String {
    let text = String::from(JsString::from(text).to_lower_case().normalize("NFD"));
    let letters = text.chars().filter_map(|letter| match letter {
        // Combining marks.
        '\u{300}'..='\u{36f}' => None,
        'ł' => Some('l'),
        'ø' => Some('o'),
        'ı' => Some('i'),
        letter => Some(letter),
    });
    letters.collect()
}

/// Returns the browser's time zone; UTC if unknown.
pub fn browser_zone() -> Zone {
    resolved(&JsValue::UNDEFINED, &[], "timeZone")
        .and_then(|zone| zone.as_string())
        .map_or_else(Zone::utc, Zone)
}

/// True if the browser knows `zone`.
pub fn is_known(zone: &Zone) -> bool {
    resolved(&JsValue::UNDEFINED, &[("timeZone", &zone.0)], "timeZone").is_some()
}

/// Returns all zones that the browser knows; only UTC in older browsers.
pub fn known_zones() -> Vec<Zone> {
    let Some(list) = intl("supportedValuesOf") else {
        return vec![Zone::utc()];
    };
    let mut zones: Vec<Zone> = list
        .call1(&JsValue::UNDEFINED, &"timeZone".into())
        .ok()
        .and_then(|list| list.dyn_into::<Array>().ok())
        .map(|list| {
            list.iter()
                .filter_map(|zone| zone.as_string())
                .map(Zone)
                .collect()
        })
        .unwrap_or_default();
    // Some browsers omit it, because it has no region.
    if !zones.contains(&Zone::utc()) {
        zones.push(Zone::utc());
    }
    zones
}

/// Returns the visitor's languages, the preferred first.
pub fn browser_locales() -> Vec<String> {
    let languages = web_sys::window().map(|window| window.navigator().languages());
    let languages = languages.unwrap_or_default();
    languages.iter().filter_map(|tag| tag.as_string()).collect()
}

/// Returns the visitor's preferred language.
pub fn browser_locale() -> String {
    web_sys::window()
        .and_then(|window| window.navigator().language())
        .unwrap_or_else(|| "en".to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parse_day_other_format_returns_none() {
        let day = CivilDate::from_ymd_opt(2026, 11, 24);
        for (text, read) in [
            ("11/24/2026", day),
            ("2026-11-24", None),
            ("24/11/2026", None),
            ("11/24", None),
            ("", None),
        ] {
            assert_eq!(parse_day(text), read, "{text}");
        }
    }
}
