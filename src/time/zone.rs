//! Time zones by name. Their rules belong to the browser.

use std::fmt;

/// An IANA time zone id, such as `Europe/Rome`.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Zone(pub String);

impl Zone {
    /// Coordinated Universal Time.
    pub fn utc() -> Self {
        Self("UTC".to_owned())
    }

    /// The id as people read it: `America/New_York` becomes `America/New York`.
    pub fn spoken(&self) -> String {
        self.0.replace('_', " ")
    }
}

impl fmt::Display for Zone {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// Minutes east of UTC in a text such as `GMT+05:30`; `GMT` alone is 0.
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

    #[test]
    fn offsets_are_read_in_every_form_that_browsers_write() {
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
