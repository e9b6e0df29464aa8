//! Versions of the IANA time zone database.

use std::fmt;
use std::str::FromStr;

/// IANA version: a year and letters that count the releases of that year. Later releases are greater.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Version {
    year: u16,
    /// `a` to `z`, then `za`.
    letters: String,
}

impl FromStr for Version {
    type Err = ();

    /// Reads a version at the start of a text: distributors append to it, as in `2026f-dirty`.
    fn from_str(text: &str) -> Result<Self, ()> {
        let (year, rest) = text.split_at_checked(4).ok_or(())?;
        if !year.bytes().all(|byte| byte.is_ascii_digit()) {
            return Err(());
        }
        let letters: String = rest.chars().take_while(char::is_ascii_lowercase).collect();
        if !(1..=2).contains(&letters.len()) {
            return Err(());
        }
        let year = year.parse().map_err(|_| ())?;
        Ok(Self { year, letters })
    }
}

impl fmt::Display for Version {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:04}{}", self.year, self.letters)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn versions_are_ordered_by_release() {
        let ordered = ["1996l", "2025b", "2026a", "2026f", "2026za", "2027a"];
        let versions: Vec<Version> = ordered.iter().map(|text| text.parse().unwrap()).collect();
        assert!(versions.is_sorted());
        for (text, version) in ordered.iter().zip(versions) {
            assert_eq!(version.to_string(), *text);
        }
        assert_eq!("2026f-dirty".parse(), "2026f".parse::<Version>());
    }

    #[test]
    fn text_without_a_version_is_refused() {
        for text in [
            "", "2026", "2026F", "26f", "2026-f", "2026fghi", "20é6f", "é",
        ] {
            assert_eq!(text.parse::<Version>(), Err(()), "{text}");
        }
    }
}
