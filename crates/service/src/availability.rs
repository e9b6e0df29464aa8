//! Decides which times can be booked: rules, busy times and the present moment in, slots out.
//!
//! Everything here is pure. Times are epoch milliseconds in UTC; wall-clock times exist only
//! inside [`schedule`], which turns a host's weekly rules into spans. Reading rules and bookings
//! is left to [`crate::store`], wording a refusal to [`crate::routes`].

pub mod calendar;
pub mod decide;
pub mod layout;
pub mod limits;
pub mod offer;
pub mod rules;
pub mod schedule;
pub mod span;
pub mod units;
pub mod window;

#[cfg(test)]
mod tests;

pub use calendar::{Away, Busy, Calendar, Host, Session};
pub use decide::{Candidate, Decision, Refusal, decide};
pub use limits::{Limit, Most, Period};
pub use offer::{Offer, days};
pub use rules::{Combine, Rules};
pub use schedule::{DayRule, Override, Schedule};
pub use span::Span;
pub use units::{DAY, MINUTE};
pub use window::Window;
