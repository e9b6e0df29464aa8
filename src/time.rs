//! Months, zones and clocks. Text for people is made in [`mod@format`] alone.

pub mod civil;
pub mod format;
pub mod zone;

pub use booking_wire::{CivilDate, Instant};
pub use civil::{Month, MonthGrid, Span, Weekday};
pub use format::Formats;
pub use zone::Zone;

/// Tells the current moment. A value, so that tests can stop it.
#[derive(Clone, Copy, Debug)]
pub struct Clock(fn() -> Instant);

impl Clock {
    /// The browser's clock.
    pub fn browser() -> Self {
        Self(|| Instant(js_sys::Date::now() as i64))
    }

    /// A clock of the test's own.
    pub fn of(now: fn() -> Instant) -> Self {
        Self(now)
    }

    /// The current moment.
    pub fn now(self) -> Instant {
        (self.0)()
    }
}
