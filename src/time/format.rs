//! The only user of the browser's `Intl`: instants and days as people read them.

use std::cell::RefCell;
use std::rc::Rc;

use js_sys::{Array, Function, Object, Reflect};
use leptos::prelude::{LocalStorage, SetValue, StoredValue, WithValue};
use wasm_bindgen::{JsCast, JsValue};

use super::civil::add_days;
use super::zone::parse_offset;
use super::{CivilDate, Instant, Weekday, Zone};

/// Formats for one language. Cheap to copy; formatters are made once for each zone and style.
#[derive(Clone, Copy)]
pub struct Formats {
    inner: StoredValue<Rc<Inner>, LocalStorage>,
}

struct Inner {
    locale: String,
    // Bounded by the styles below times the zones that a visitor looks at; cleared when it grows
    // past what one visitor can need.
    formatters: RefCell<Vec<((Style, String), Function)>>,
}

const MOST_FORMATTERS: usize = 200;

/// What a formatter writes.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
enum Style {
    Time { hour12: bool },
    LongDay,
    MediumDay,
    ShortDay,
    MonthTitle,
    WeekdayLong,
    WeekdayNarrow,
    ShortOffset,
    LongOffset,
    ZoneName,
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
            Self::MediumDay => &[("weekday", "short"), ("month", "long"), ("day", "numeric")],
            Self::ShortDay => &[
                ("weekday", "short"),
                ("year", "numeric"),
                ("month", "short"),
                ("day", "numeric"),
            ],
            Self::MonthTitle => &[("year", "numeric"), ("month", "long")],
            Self::WeekdayLong => &[("weekday", "long")],
            Self::WeekdayNarrow => &[("weekday", "short")],
            Self::ShortOffset => &[("timeZoneName", "shortOffset")],
            Self::LongOffset => &[("timeZoneName", "longOffset")],
            Self::ZoneName => &[("timeZoneName", "longGeneric")],
            Self::PlainDay => &[
                ("year", "numeric"),
                ("month", "2-digit"),
                ("day", "2-digit"),
            ],
        }
    }

    /// Styles that are parsed back are written in a fixed language.
    fn locale(self, locale: &str) -> &str {
        match self {
            Self::LongOffset | Self::PlainDay => "en-US",
            _ => locale,
        }
    }
}

impl Formats {
    /// Formats in `locale`, a BCP 47 tag; an unusable tag falls back to the browser's language.
    pub fn new(locale: &str) -> Self {
        Self {
            inner: StoredValue::new_local(Rc::new(Inner::new(locale))),
        }
    }

    /// Writes in another language from now on.
    pub fn speak(self, locale: &str) {
        self.inner.set_value(Rc::new(Inner::new(locale)));
    }

    /// The language tag.
    pub fn locale(self) -> String {
        self.inner
            .try_with_value(|inner| inner.locale.clone())
            .unwrap_or_default()
    }

    /// `09:30` or `9:30 AM`.
    pub fn time(self, instant: Instant, zone: &Zone, hour12: bool) -> String {
        self.write(Style::Time { hour12 }, instant, zone)
    }

    /// `Tuesday, 4 March 2027`.
    pub fn long_day(self, day: CivilDate) -> String {
        self.write_day(Style::LongDay, day)
    }

    /// `Tue, 4 March`.
    pub fn medium_day(self, day: CivilDate) -> String {
        self.write_day(Style::MediumDay, day)
    }

    /// `Tue, 4 Mar 2027`.
    pub fn short_day(self, day: CivilDate) -> String {
        self.write_day(Style::ShortDay, day)
    }

    /// `March 2027`.
    pub fn month(self, day: CivilDate) -> String {
        self.write_day(Style::MonthTitle, day)
    }

    /// Full and short names of the days of the week, from `first` on.
    pub fn weekdays(self, first: Weekday) -> Vec<(String, String)> {
        // 2024-01-01 was a Monday.
        let monday = CivilDate::from_ymd_opt(2024, 1, 1).unwrap_or_default();
        (0..7)
            .map(|index| add_days(monday, i64::from(first.num_days_from_monday()) + index))
            .map(|day| {
                (
                    self.write_day(Style::WeekdayLong, day),
                    self.write_day(Style::WeekdayNarrow, day),
                )
            })
            .collect()
    }

    /// The zone's shift at `instant` as people write it, `GMT+5:30`.
    pub fn offset_text(self, instant: Instant, zone: &Zone) -> String {
        last_word(self.write(Style::ShortOffset, instant, zone))
    }

    /// The zone's name at `instant` in the reader's language, such as `Central European Time`.
    pub fn zone_name(self, instant: Instant, zone: &Zone) -> String {
        let text = self.write(Style::ZoneName, instant, zone);
        // The name follows the date and a comma in every language asked for.
        text.split_once(", ")
            .map_or_else(|| text.clone(), |(_, name)| name.to_owned())
    }

    /// Minutes by which `zone` is ahead of UTC at `instant`.
    pub fn offset(self, instant: Instant, zone: &Zone) -> i64 {
        parse_offset(&last_word(self.write(Style::LongOffset, instant, zone))).unwrap_or(0)
    }

    /// The calendar day of `instant` in `zone`.
    pub fn day_of(self, instant: Instant, zone: &Zone) -> CivilDate {
        let written = self.write(Style::PlainDay, instant, zone);
        parse_day(&written)
            .or_else(|| instant.day())
            .unwrap_or_default()
    }

    /// The first moment of `day` in `zone`. Where midnight is skipped, the moment after the gap.
    pub fn start_of_day(self, day: CivilDate, zone: &Zone) -> Instant {
        let utc = Instant::start_of(day);
        let near = utc.plus_minutes(-self.offset(utc, zone));
        // The shift at midnight decides, not the one half a day off.
        let start = utc.plus_minutes(-self.offset(near, zone));
        if self.day_of(start, zone) < day {
            // Midnight is skipped, and the shift after it leads to the evening before.
            near
        } else {
            start
        }
    }

    /// Whether the language writes hours with a.m. and p.m.
    pub fn prefers_12_hours(self) -> bool {
        resolved(&locales(&self.locale()), &[("hour", "numeric")], "hour12")
            .and_then(|hour12| hour12.as_bool())
            .unwrap_or(false)
    }

    /// The day that weeks begin with where the language is spoken; Monday if the browser does not
    /// say.
    pub fn week_start(self) -> Weekday {
        week_start_of(&self.locale()).unwrap_or(Weekday::Mon)
    }

    fn write_day(self, style: Style, day: CivilDate) -> String {
        // Noon in UTC lies in the same day wherever UTC is the formatter's zone.
        let noon = Instant::start_of(day).plus_minutes(12 * 60);
        self.write(style, noon, &Zone::utc())
    }

    fn write(self, style: Style, instant: Instant, zone: &Zone) -> String {
        self.inner
            .try_with_value(|inner| inner.write(style, instant, zone))
            .unwrap_or_default()
    }
}

impl Inner {
    fn new(locale: &str) -> Self {
        Self {
            locale: locale.to_owned(),
            formatters: RefCell::default(),
        }
    }

    fn write(&self, style: Style, instant: Instant, zone: &Zone) -> String {
        let key = (style, zone.0.clone());
        let known = self
            .formatters
            .borrow()
            .iter()
            .find(|(known, _)| *known == key)
            .map(|(_, format)| format.clone());
        let format = known.or_else(|| {
            let format = formatter(style, &self.locale, zone)?;
            let mut formatters = self.formatters.borrow_mut();
            if formatters.len() >= MOST_FORMATTERS {
                formatters.clear();
            }
            formatters.push((key, format.clone()));
            Some(format)
        });
        format
            .and_then(|format| {
                format
                    .call1(&JsValue::UNDEFINED, &JsValue::from_f64(instant.0 as f64))
                    .ok()
            })
            .and_then(|text| text.as_string())
            // Narrow no-break spaces before AM and PM look like a typing error in some fonts.
            .map(|text| text.replace('\u{202f}', "\u{a0}"))
            .unwrap_or_default()
    }
}

/// `Intl.DateTimeFormat` throws on unknown zones and languages, so it is constructed with care.
fn formatter(style: Style, locale: &str, zone: &Zone) -> Option<Function> {
    let options = options(style.options());
    Reflect::set(&options, &"timeZone".into(), &JsValue::from_str(&zone.0)).ok()?;
    let constructor = intl("DateTimeFormat")?;
    let arguments = Array::of2(&locales(style.locale(locale)), &options);
    let made = Reflect::construct(&constructor, &arguments)
        .or_else(|_| Reflect::construct(&constructor, &Array::of2(&JsValue::UNDEFINED, &options)))
        .ok()?;
    Reflect::get(&made, &"format".into()).ok()?.dyn_into().ok()
}

fn intl(name: &str) -> Option<Function> {
    let intl = Reflect::get(&js_sys::global(), &"Intl".into()).ok()?;
    Reflect::get(&intl, &name.into()).ok()?.dyn_into().ok()
}

/// Writes whole numbers as `locale` does: grouped, and in its digits.
pub fn number_writer(locale: &str) -> Option<Teller> {
    Teller::new("NumberFormat", "format", locale)
}

/// Tells the kind of a number, such as `one` or `few`, that decides the form of words in `locale`.
pub fn plural_chooser(locale: &str) -> Option<Teller> {
    Teller::new("PluralRules", "select", locale)
}

/// Says something about numbers in one language.
pub struct Teller {
    made: JsValue,
    method: Function,
}

impl Teller {
    fn new(kind: &str, method: &str, locale: &str) -> Option<Self> {
        let made = Reflect::construct(&intl(kind)?, &Array::of1(&locales(locale))).ok()?;
        let method = Reflect::get(&made, &method.into()).ok()?.dyn_into().ok()?;
        Some(Self { made, method })
    }

    /// What there is to say about `number`.
    pub fn tell(&self, number: i64) -> Option<String> {
        let told = self
            .method
            .call1(&self.made, &JsValue::from_f64(number as f64));
        told.ok()?.as_string()
    }
}

/// What a formatter made of its options and the browser's defaults.
fn resolved(locales: &JsValue, pairs: &[(&str, &str)], key: &str) -> Option<JsValue> {
    let arguments = Array::of2(locales, &options(pairs));
    let made = Reflect::construct(&intl("DateTimeFormat")?, &arguments).ok()?;
    let method: Function = Reflect::get(&made, &"resolvedOptions".into())
        .ok()?
        .dyn_into()
        .ok()?;
    Reflect::get(&method.call0(&made).ok()?, &key.into()).ok()
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

/// The day of `11/24/2026`. Every engine writes American dates so; which other language it writes
/// with the year first differs between engines.
fn parse_day(text: &str) -> Option<CivilDate> {
    let mut parts = text.split('/');
    let month = parts.next()?.parse().ok()?;
    let day = parts.next()?.parse().ok()?;
    CivilDate::from_ymd_opt(parts.next()?.parse().ok()?, month, day)
}

fn last_word(text: String) -> String {
    text.rsplit([' ', '\u{a0}'])
        .next()
        .unwrap_or_default()
        .to_owned()
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

/// The visitor's own zone; UTC if the browser does not say.
pub fn browser_zone() -> Zone {
    resolved(&JsValue::UNDEFINED, &[], "timeZone")
        .and_then(|zone| zone.as_string())
        .map_or_else(Zone::utc, Zone)
}

/// Whether the browser knows `zone`.
pub fn is_known(zone: &Zone) -> bool {
    resolved(&JsValue::UNDEFINED, &[("timeZone", &zone.0)], "timeZone").is_some()
}

/// All zones that the browser knows, by id. Older browsers name none.
pub fn known_zones() -> Vec<Zone> {
    let Some(list) = intl("supportedValuesOf") else {
        return Vec::new();
    };
    list.call1(&JsValue::UNDEFINED, &"timeZone".into())
        .ok()
        .and_then(|list| list.dyn_into::<Array>().ok())
        .map(|list| {
            list.iter()
                .filter_map(|zone| zone.as_string())
                .map(Zone)
                .collect()
        })
        .unwrap_or_default()
}

/// The visitor's languages, the preferred first.
pub fn browser_locales() -> Vec<String> {
    let languages = web_sys::window().map(|window| window.navigator().languages());
    let languages = languages.unwrap_or_default();
    languages.iter().filter_map(|tag| tag.as_string()).collect()
}

/// The visitor's preferred language.
pub fn browser_locale() -> String {
    web_sys::window()
        .and_then(|window| window.navigator().language())
        .unwrap_or_else(|| "en".to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn american_dates_are_read_and_nothing_else() {
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
