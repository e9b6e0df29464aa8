//! Lengths of time in milliseconds.

pub use booking_wire::formats::instant::{DAY_MS as DAY, MINUTE_MS as MINUTE};
