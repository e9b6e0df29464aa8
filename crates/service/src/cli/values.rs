//! Parsers of option values.

use booking_wire::Instant;

/// Parses an instant.
pub(super) fn parse_instant(text: &str) -> Result<Instant, String> {
    Instant::parse(text).ok_or_else(|| "must be like 2027-03-01T09:00:00Z".to_owned())
}
