//! Lengths of time in milliseconds.

pub use booking_wire::instant::{DAY_MS as DAY, MINUTE_MS as MINUTE};
