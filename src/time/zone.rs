//! Time zones by id. Their rules are the browser's.

use std::fmt;

/// An IANA time zone id, such as `Europe/Rome`.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Zone(pub String);

impl Zone {
    /// Coordinated Universal Time.
    pub fn utc() -> Self {
        Self("UTC".to_owned())
    }

    /// Returns the id for display: `America/New_York` becomes `America/New York`.
    pub fn display_name(&self) -> String {
        self.0.replace('_', " ")
    }

    /// Returns the city of the id for display: `America/New_York` becomes `New York`. Ids of offsets stay as they
    /// are, because `Etc/GMT+5` is five hours behind.
    pub fn city(&self) -> String {
        if let Some((_, city)) = RENAMED.iter().find(|(id, _)| *id == self.0) {
            return (*city).to_owned();
        }
        if self.0.starts_with("Etc/") {
            return self.display_name();
        }
        self.0.split('/').fold("", |_, part| part).replace('_', " ")
    }
}

impl fmt::Display for Zone {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// Outdated ids that browsers still use, with the current names of the cities.
const RENAMED: [(&str, &str); 9] = [
    ("Asia/Calcutta", "Kolkata"),
    ("Asia/Katmandu", "Kathmandu"),
    ("Asia/Rangoon", "Yangon"),
    ("Asia/Saigon", "Ho Chi Minh City"),
    ("Atlantic/Faeroe", "Faroe"),
    ("America/Godthab", "Nuuk"),
    ("America/Buenos_Aires", "Buenos Aires"),
    ("Europe/Kiev", "Kyiv"),
    ("Pacific/Truk", "Chuuk"),
];

/// A zone with its names for the search.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NamedZone {
    /// The zone.
    pub zone: Zone,
    /// City, such as `New York`.
    pub city: String,
    /// Name in the reader's language, such as `Eastern Time`.
    pub name: String,
    /// Offset in minutes east of UTC.
    pub offset: i64,
    /// Offset at present, which differs from `offset` if the clocks change in between.
    pub current_offset: i64,
    /// Name of its country in the reader's language; empty if it has none.
    pub country: String,
    /// True if it is listed before other zones that match as well.
    is_main: bool,
    /// Search words in lower case.
    words: String,
}

/// Country of a zone, for people.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PlaceNames {
    /// Name of the country in the reader's language.
    pub country: String,
    /// Other names to search by: of the country, and of large cities.
    pub others: String,
    /// True for the main zone of a country.
    pub is_main: bool,
}

impl NamedZone {
    /// Creates the entry. `short_name` is another name. `fold` converts to lower case without accents, which browsers
    /// can do in all scripts.
    pub fn new(
        zone: Zone,
        name: String,
        short_name: &str,
        place: PlaceNames,
        offset: i64,
        fold: fn(&str) -> String,
    ) -> Self {
        let city = zone.city();
        let id = zone.0.replace(['_', '/'], " ");
        let mut words = String::new();
        for word in [
            &*city,
            &*id,
            &*name,
            short_name,
            &*place.country,
            &*place.others,
        ] {
            words.push_str(&fold(word));
            words.push(' ');
        }
        Self {
            zone,
            city,
            name,
            offset,
            current_offset: offset,
            country: place.country,
            is_main: place.is_main,
            words,
        }
    }

    /// Offset as text: `GMT+5:30`.
    pub fn offset_text(&self) -> String {
        offset_text(self.offset)
    }

    /// Rank for typed text in lower case without accents, 0 best; `None` without a match. Of zones that match as well,
    /// main zones are first: New York for the United States.
    pub fn rank(&self, typed: &str) -> Option<u8> {
        let rank = self.rank_of_match(typed)?;
        Some(rank * 2 + u8::from(!self.is_main))
    }

    fn rank_of_match(&self, typed: &str) -> Option<u8> {
        let typed = typed.trim().replace(['_', '/'], " ");
        if let Some((minutes, is_whole)) = parse_shift(&typed) {
            let apart = (self.offset - minutes).abs();
            return match apart {
                0 => Some(0),
                // `+5` may be the beginning of `+5:30`.
                1..60 if is_whole && self.offset / 60 == minutes / 60 => Some(1),
                _ => None,
            };
        }
        let has_word = |names: &str, fits: &dyn Fn(&str) -> bool| {
            let mut words =
                names.split(|letter: char| letter.is_ascii() && !letter.is_ascii_alphanumeric());
            words.any(fits)
        };
        let is_in = |names: &str| {
            typed
                .split_whitespace()
                .all(|part| has_word(names, &|word| word == part))
        };
        let starts_a_word = |part: &str| has_word(&self.words, &|word| word.starts_with(part));
        // The city is the first of the words.
        let city = self.words.get(..self.city.len()).unwrap_or_default();
        // Whole words first: New York before Chicago with New Orleans, and India before Indiana.
        if city == typed || is_in(city) {
            Some(0)
        } else if is_in(&self.words) {
            Some(1)
        } else if self.words.starts_with(&typed) {
            Some(2)
        } else {
            let fits = typed.split_whitespace().all(starts_a_word);
            fits.then_some(3)
        }
    }
}

/// Returns the indices of `zones` from `start` on, those nearest to `offset` first, each offset by city.
pub fn by_distance(zones: &[NamedZone], start: usize, offset: i64) -> Vec<usize> {
    let key = |index: usize| {
        let zone = zones.get(index)?;
        Some((
            (zone.offset - offset).abs(),
            zone.offset,
            zone.city.as_str(),
        ))
    };
    let mut sorted: Vec<usize> = Vec::new();
    for index in start..zones.len() {
        let place = sorted.partition_point(|other| key(*other) <= key(index));
        sorted.insert(place, index);
    }
    sorted
}

/// Parses an offset typed as `gmt+5`, `UTC-3:30`, `+05:30` or `-0800` into minutes, and true if it has hours
/// only.
fn parse_shift(typed: &str) -> Option<(i64, bool)> {
    let bare = typed
        .strip_prefix("gmt")
        .or_else(|| typed.strip_prefix("utc"));
    let bare = bare.unwrap_or(typed).trim();
    let digits = bare.strip_prefix(['+', '-', '\u{2212}'])?;
    let is_west = !bare.starts_with('+');
    let (hours, minutes) = match digits.split_once([':', '.']) {
        Some(parts) => parts,
        None if digits.len() > 2 && digits.is_ascii() => digits.split_at(digits.len() - 2),
        None => (digits, ""),
    };
    let hours: i64 = hours.parse().ok()?;
    let is_whole = minutes.is_empty();
    let minutes: i64 = if is_whole { 0 } else { minutes.parse().ok()? };
    let shift = hours * 60 + minutes;
    Some((if is_west { -shift } else { shift }, is_whole))
}

/// Writes an offset in minutes east of UTC: `GMT+5:30`.
pub fn offset_text(offset: i64) -> String {
    let mut text = "GMT".to_owned();
    if offset != 0 {
        text.push(if offset < 0 { '-' } else { '+' });
        text.push_str(&(offset.abs() / 60).to_string());
    }
    let minutes = offset.abs() % 60;
    if minutes != 0 {
        text.push_str(if minutes < 10 { ":0" } else { ":" });
        text.push_str(&minutes.to_string());
    }
    text
}

/// Parses a text such as `GMT+05:30` into minutes east of UTC; `GMT` alone is 0.
pub fn parse_offset(text: &str) -> Option<i64> {
    let rest = text
        .strip_prefix("GMT")
        .or_else(|| text.strip_prefix("UTC"))?;
    if rest.is_empty() {
        return Some(0);
    }
    // Some engines write the minus sign as U+2212.
    let (sign, rest) = match rest.strip_prefix('+') {
        Some(rest) => (1, rest),
        None => (
            -1,
            rest.strip_prefix('-')
                .or_else(|| rest.strip_prefix('\u{2212}'))?,
        ),
    };
    let mut parts = rest.split(':');
    let hours: i64 = parts.next()?.parse().ok()?;
    let minutes: i64 = parts.next().map_or(Ok(0), str::parse).ok()?;
    Some(sign * (hours * 60 + minutes))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn named(id: &str, name: &str, short_name: &str, offset: i64) -> NamedZone {
        NamedZone::new(
            Zone(id.into()),
            name.into(),
            short_name,
            PlaceNames::default(),
            offset,
            str::to_lowercase,
        )
    }

    #[test]
    fn rank_country_or_large_city_matches_main_zones_first() {
        let zone = |id: &str, country: &str, others: &str, is_main| {
            let place = PlaceNames {
                country: country.into(),
                others: others.into(),
                is_main,
            };
            let zone = Zone(id.into());
            NamedZone::new(zone, String::new(), "", place, 60, str::to_lowercase)
        };
        let berlin = zone(
            "Europe/Berlin",
            "Deutschland",
            "Germany Munich Munchen",
            true,
        );
        let busingen = zone("Europe/Busingen", "Deutschland", "Germany", false);
        for (typed, is_found) in [
            ("germany", true),
            ("deutschland", true),
            ("munich", true),
            ("munchen", true),
            ("germany munich", true),
            ("wien", false),
        ] {
            assert_eq!(berlin.rank(typed).is_some(), is_found, "{typed}");
        }
        assert!(berlin.rank("germany") < busingen.rank("germany"));
        let jerusalem = zone(
            "Asia/Jerusalem",
            "",
            "Tel Aviv תל אביב ירושלים القاهرة",
            true,
        );
        for typed in ["תל אביב", "אביב", "ירוש", "القاهرة"] {
            assert!(jerusalem.rank(typed).is_some(), "{typed}");
        }
        // A better match counts more than a main zone.
        assert!(busingen.rank("busingen") < zone("Asia/Busingena", "", "", true).rank("busingen"));
        // The zone's own city counts more than another one.
        let chicago = zone("America/Chicago", "United States", "New Orleans", true);
        let new_york = zone("America/New_York", "United States", "Boston", true);
        assert!(new_york.rank("new") < chicago.rank("new"));
        assert_eq!(berlin.country, "Deutschland");
    }

    #[test]
    fn rank_city_country_name_or_offset_matches() {
        let new_york = named("America/New_York", "Eastern Time", "ET", -300);
        let kolkata = named("Asia/Calcutta", "India Standard Time", "India Time", 330);
        let berlin = named("Europe/Berlin", "Central European Time", "Germany Time", 60);
        let karachi = named(
            "Asia/Karachi",
            "Pakistan Standard Time",
            "Pakistan Time",
            300,
        );
        for (typed, zone, is_found) in [
            ("new york", &new_york, true),
            ("new_york", &new_york, true),
            ("york new", &new_york, true),
            ("america/new", &new_york, true),
            ("eastern", &new_york, true),
            ("york", &new_york, true),
            ("ork", &new_york, false),
            ("india", &kolkata, true),
            ("kolkata", &kolkata, true),
            ("calcutta", &kolkata, true),
            ("germany", &berlin, true),
            ("new york", &berlin, false),
            ("gmt+5", &karachi, true),
            ("gmt+5", &kolkata, true),
            ("gmt +5", &karachi, true),
            ("+05:30", &kolkata, true),
            ("+05:30", &karachi, false),
            ("+0530", &kolkata, true),
            ("utc-5", &new_york, true),
            ("\u{2212}5", &new_york, true),
            ("-5", &karachi, false),
            ("+1", &berlin, true),
            ("+x", &berlin, false),
        ] {
            assert_eq!(
                zone.rank(typed).is_some(),
                is_found,
                "{typed} {}",
                zone.zone
            );
        }
        assert!(
            karachi.rank("+5") < kolkata.rank("+5"),
            "whole hours come first"
        );
        assert_eq!(kolkata.offset_text(), "GMT+5:30");
        assert_eq!(new_york.offset_text(), "GMT-5");
        let knox = named("America/Indiana/Knox", "Central Time", "CT", -360);
        assert!(kolkata.rank("india") < knox.rank("india"));
        assert!(berlin.rank("berl") < berlin.rank("euro"));
    }

    #[test]
    fn city_of_any_id_is_the_place_that_people_know() {
        for (id, city) in [
            ("Europe/Berlin", "Berlin"),
            ("America/New_York", "New York"),
            ("America/Argentina/Buenos_Aires", "Buenos Aires"),
            ("Asia/Calcutta", "Kolkata"),
            ("Etc/GMT+5", "Etc/GMT+5"),
            ("UTC", "UTC"),
        ] {
            assert_eq!(Zone(id.into()).city(), city);
        }
    }

    #[test]
    fn zones_by_distance_start_with_the_own_offset() {
        let zone = |city: &str, offset| named(city, "", "", offset);
        let zones = [
            zone("First", 0),
            zone("Tokyo", 540),
            zone("Athens", 120),
            zone("London", 0),
            zone("Paris", 60),
            zone("Berlin", 60),
        ];
        let sorted = by_distance(&zones, 1, 60);
        let cities: Vec<_> = sorted.iter().map(|index| &*zones[*index].city).collect();
        assert_eq!(cities, ["Berlin", "Paris", "London", "Athens", "Tokyo"]);
    }

    #[test]
    fn parse_offset_any_browser_format_returns_minutes() {
        for (text, minutes) in [
            ("GMT", Some(0)),
            ("UTC", Some(0)),
            ("GMT+01:00", Some(60)),
            ("GMT+5:30", Some(330)),
            ("GMT-09:30", Some(-570)),
            ("GMT\u{2212}8", Some(-480)),
            ("GMT+14:00", Some(840)),
            ("CET", None),
            ("GMT+x", None),
        ] {
            assert_eq!(parse_offset(text), minutes, "{text}");
        }
    }
}
