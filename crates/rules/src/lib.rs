//! Rules of bookings that the service decides by, and that the widget and messages show.
//!
//! Everything here is pure: settings, a booking and the current instant in, a decision out.
//!
//! | Module | Contents |
//! |---|---|
//! | [`policy`] | settings of an event type for its bookings |
//! | [`transitions`] | actions on a booking: whether they are allowed, and its status after them |
//! | [`bookable_dates`] | dates that the booking window and the minimum notice leave |
//! | [`recurrence`] | starts of the meetings of a series |
//! | [`limits`] | limits of requests that services apply and clients respect |
//! | [`action_cases`] | the actions that each status, policy and time allows, for tests of those who decide or show them |
//! | [`availability`] | slots from schedules, busy times and settings (feature `availability`) |

pub mod action_cases;
#[cfg(feature = "availability")]
pub mod availability;
pub mod bookable_dates;
pub mod limits;
pub mod policy;
pub mod recurrence;
pub mod transitions;

pub use bookable_dates::{BookableDates, BookingWindow};
pub use policy::{Confirmation, Policy, Restriction};
pub use transitions::{Actor, BookingContext, Transition, TransitionError};
