//! Lengths of time in milliseconds.

/// Milliseconds in a minute.
pub const MINUTE: i64 = 60_000;
/// Milliseconds in twenty-four hours; never used to mean "tomorrow".
pub const DAY: i64 = 24 * 60 * MINUTE;
