//! Computes free slots from rules, busy times and the current instant.
//!
//! Everything here is pure. Times are epoch milliseconds in UTC; wall-clock times exist only inside
//! [`schedule`], which converts a host's weekly rules to time ranges.

pub mod booking_limits;
pub mod calendar;
pub mod decide;
pub mod grid;
pub mod rules;
pub mod schedule;
pub mod search;
#[cfg(test)]
mod tests;
pub mod time_off;
pub mod time_range;
pub mod units;
pub mod window_bounds;

pub use booking_limits::{Limit, LimitKind, Period};
pub use calendar::{BusyTime, Calendar, Host, SeatedMeeting};
pub use decide::{Candidate, Decision, UnavailableReason, decide};
pub use rules::{Rules, SchedulingType};
pub use schedule::{DayRule, Override, Schedule};
pub use search::{SlotSearch, days};
pub use time_off::TimeOff;
pub use time_range::TimeRange;
pub use units::{DAY, MINUTE};
