//! Instants and calendar days, without time zones.

use std::fmt;

use chrono::{DateTime, Datelike, Utc};
use serde::de::{self, Deserialize, Deserializer};
use serde::{Serialize, Serializer};
use serde_json::Value;

use crate::read::Read;

/// A calendar day without a zone.
pub use chrono::NaiveDate as CivilDate;

/// 1970-01-01 in chrono's day count.
const FIRST_DAY: i32 = 719_163;

/// Milliseconds in a minute.
pub const MINUTE_MS: i64 = 60_000;

/// Milliseconds in twenty-four hours; never used to mean "tomorrow".
pub const DAY_MS: i64 = 24 * 60 * MINUTE_MS;

/// A point in time: milliseconds since 1970-01-01T00:00:00Z.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Instant(pub i64);

impl Instant {
    /// Parses ISO 8601 with `Z` or a numeric offset, with or without fractional seconds. A text
    /// without offset is read as UTC, a bare date as its first instant in UTC.
    pub fn parse(text: &str) -> Option<Self> {
        Self::parse_with_offset(text).map(|(instant, _)| instant)
    }

    /// Parses a text like [`Self::parse`], and returns its numeric offset in minutes, if it has one.
    pub fn parse_with_offset(text: &str) -> Option<(Self, Option<i64>)> {
        let text = text.trim();
        let date = parse_date(text.get(..10)?)?;
        let rest = text.get(10..)?;
        let (clock, offset) = rest.split_at(rest.find(['Z', 'z', '+', '-']).unwrap_or(rest.len()));
        let offset_minutes = match offset {
            "" | "Z" | "z" => None,
            numeric => Some(parse_offset(numeric)?),
        };
        let millis = match clock.strip_prefix(['T', 't', ' ']) {
            Some(clock) => parse_clock(clock)?,
            None if clock.is_empty() => 0,
            None => return None,
        };
        let shown = Self::start_of(date).0 + millis;
        let instant = Self(shown - offset_minutes.unwrap_or(0) * MINUTE_MS);
        Some((instant, offset_minutes))
    }

    /// Returns the first instant of `day` in UTC.
    pub fn start_of(day: CivilDate) -> Self {
        Self(i64::from(day.num_days_from_ce() - FIRST_DAY) * DAY_MS)
    }

    /// Returns the day in UTC; `None` outside the years that `CivilDate` supports.
    ///
    /// Like parsing and formatting, this uses whole days and milliseconds, because chrono's
    /// date-times cost kilobytes in WebAssembly.
    pub fn day(self) -> Option<CivilDate> {
        let days = i32::try_from(self.0.div_euclid(DAY_MS)).ok()?;
        CivilDate::from_num_days_from_ce_opt(days.checked_add(FIRST_DAY)?)
    }

    /// Milliseconds since the epoch.
    pub fn millis(self) -> i64 {
        self.0
    }

    /// Returns this instant plus a number of minutes, which may be negative.
    pub fn plus_minutes(self, minutes: i64) -> Self {
        Self(self.0.saturating_add(minutes.saturating_mul(MINUTE_MS)))
    }

    /// Returns the whole minutes from `earlier` until this instant.
    pub fn minutes_since(self, earlier: Self) -> i64 {
        (self.0 - earlier.0) / MINUTE_MS
    }

    /// Converts to chrono's type; `None` outside the years that it supports.
    pub fn utc(self) -> Option<DateTime<Utc>> {
        DateTime::from_timestamp_millis(self.0)
    }
}

/// Parses `2027-03-29`.
///
/// Written by hand, as is [`Instant::parse`], because chrono's parser costs kilobytes in
/// WebAssembly.
pub fn parse_date(text: &str) -> Option<CivilDate> {
    let mut parts = text.split('-');
    let (year, month, day) = (parts.next()?, parts.next()?, parts.next()?);
    if year.len() != 4 || month.len() != 2 || day.len() != 2 || parts.next().is_some() {
        return None;
    }
    CivilDate::from_ymd_opt(
        digits(year)? as i32,
        digits(month)? as u32,
        digits(day)? as u32,
    )
}

/// Parses `09:30`, `09:30:00` or `09:30:00.5` to milliseconds since midnight.
fn parse_clock(text: &str) -> Option<i64> {
    let (clock, fraction) = text.split_once('.').unwrap_or((text, "0"));
    let mut parts = clock.split(':');
    let hours = digits(parts.next()?).filter(|hours| *hours < 24)?;
    let minutes = digits(parts.next()?).filter(|minutes| *minutes < 60)?;
    // A leap second is read as the second before it.
    let seconds = parts
        .next()
        .map_or(Some(0), digits)
        .filter(|seconds| *seconds <= 60)?
        .min(59);
    if parts.next().is_some() {
        return None;
    }
    digits(fraction)?;
    let millis = fraction
        .bytes()
        .chain(*b"000")
        .take(3)
        .fold(0, |sum, digit| sum * 10 + i64::from(digit - b'0'));
    Some(((hours * 60 + minutes) * 60 + seconds) * 1000 + millis)
}

/// Parses `Z`, `+05:30`, `-0800` or `+02` to minutes east of UTC.
fn parse_offset(text: &str) -> Option<i64> {
    let sign = if text.starts_with('-') { -1 } else { 1 };
    let rest = text.get(1..)?;
    let (hours, minutes) = match rest.split_once(':') {
        Some(parts) => parts,
        None => (rest.get(..2)?, rest.get(2..)?),
    };
    let minutes = if minutes.is_empty() {
        0
    } else {
        digits(minutes)?
    };
    let hours = digits(hours)?;
    (hours < 24 && minutes < 60).then(|| sign * (hours * 60 + minutes))
}

/// Parses an integer of ASCII digits only: no sign, no space.
fn digits(text: &str) -> Option<i64> {
    let is_plain = !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    is_plain.then(|| text.parse().ok()).flatten()
}

/// ISO 8601 in UTC with milliseconds: the form of every timestamp on the wire.
impl fmt::Display for Instant {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let day = self.day().unwrap_or_default();
        let millis = self.0.rem_euclid(DAY_MS);
        let seconds = millis / 1000;
        write!(
            f,
            "{:04}-{:02}-{:02}T{:02}:{:02}:{:02}.{:03}Z",
            day.year(),
            day.month(),
            day.day(),
            seconds / 3600,
            seconds / 60 % 60,
            seconds % 60,
            millis % 1000,
        )
    }
}

impl Serialize for Instant {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for Instant {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = String::deserialize(deserializer)?;
        Self::parse(&text).ok_or_else(|| de::Error::custom("no instant in RFC 3339"))
    }
}

impl Read for Instant {
    fn read(value: &Value) -> Option<Self> {
        value.as_str().and_then(Self::parse)
    }
}

impl Read for CivilDate {
    fn read(value: &Value) -> Option<Self> {
        value.as_str().and_then(parse_date)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_iso_form_of_an_instant_parses_to_the_same_value() {
        let instant = Instant(1_806_303_600_000);
        for text in [
            "2027-03-29T07:00:00Z",
            "2027-03-29T07:00:00.000Z",
            "2027-03-29T09:00:00.000+02:00",
            "2027-03-29T12:30:00+05:30",
            "2027-03-29T07:00:00",
        ] {
            assert_eq!(Instant::parse(text), Some(instant), "{text}");
        }
        assert_eq!(instant.to_string(), "2027-03-29T07:00:00.000Z");
        assert_eq!(
            Instant::parse("2027-03-29").map(|day| day.0),
            Some(1_806_278_400_000)
        );
        for text in [
            "",
            "tomorrow",
            "2027-02-29",
            "2027-3-29",
            "2027-03-29T",
            "2027-03-29T24:00",
            "2027-03-29T07:60Z",
            "2027-03-29T07:00:00+25:00",
            "2027-03-29T07:00:00+9223372036854775807:00",
            "2027-03-29T9223372036854775807:00Z",
            "2027-03-29T07:00:00.Z",
            "2027-03-29 x",
            "+027-03-29",
            "２０２７-03-29",
        ] {
            assert_eq!(Instant::parse(text), None, "{text}");
        }
    }

    #[test]
    fn fractions_and_short_offsets_are_parsed() {
        let midnight = Instant::parse("2027-03-29").unwrap().0;
        for (text, millis) in [
            ("2027-03-29T00:00:00.5Z", 500),
            ("2027-03-29T00:00:00.123456Z", 123),
            ("2027-03-29T00:01Z", 60_000),
            ("2027-03-29T00:00:00-0130", 5_400_000),
            ("2027-03-29 02:00+02", 0),
        ] {
            assert_eq!(
                Instant::parse(text),
                Some(Instant(midnight + millis)),
                "{text}"
            );
        }
    }
}
