//! Months, zones and clocks. Text for people is made in [`mod@format`] alone.

pub mod civil;
pub mod format;
pub mod zone;

use std::time::Duration;

use js_sys::Promise;
use leptos::prelude::set_timeout;
use wasm_bindgen_futures::JsFuture;

pub use booking_wire::{CivilDate, Instant};
pub use civil::{Month, MonthGrid, Span, Weekday};
pub use format::Formats;
pub use zone::Zone;

use crate::signal::RwSignal;

/// By how much a clock may be wrong and is taken as it is: answers are on their way for a while.
const CLOCK_SLACK_MS: i64 = 3_600_000;

/// Tells the current moment. A value, so that tests can stop it.
#[derive(Clone, Copy)]
pub struct Clock {
    read: fn() -> Instant,
    /// By how many milliseconds what it reads is ahead.
    ahead_ms: RwSignal<i64>,
}

impl Clock {
    /// The browser's clock.
    pub fn browser() -> Self {
        Self::of(|| Instant(js_sys::Date::now() as i64))
    }

    /// A clock of the test's own.
    pub fn of(now: fn() -> Instant) -> Self {
        Self {
            read: now,
            ahead_ms: RwSignal::new(0),
        }
    }

    /// The current moment.
    pub fn now(self) -> Instant {
        let ahead_ms = self.ahead_ms.try_get_untracked().unwrap_or_default();
        Instant((self.read)().0.saturating_sub(ahead_ms))
    }

    /// Goes on from what somebody says who knows better. Says whether it was far off.
    pub fn put_right(self, now: Instant) -> bool {
        let ahead_ms = self.now().0.saturating_sub(now.0);
        let is_off = ahead_ms.saturating_abs() > CLOCK_SLACK_MS;
        if is_off {
            let known_ms = self.ahead_ms.try_get_untracked().unwrap_or_default();
            self.ahead_ms.set(known_ms.saturating_add(ahead_ms));
        }
        is_off
    }
}

/// Waits for so many milliseconds.
pub async fn sleep(ms: i64) {
    let pause = Promise::new(&mut |done, _| {
        let ms = u64::try_from(ms).unwrap_or_default();
        let go_on = move || {
            // A promise takes its value whatever it is.
            let _ = done.call0(&wasm_bindgen::JsValue::UNDEFINED);
        };
        set_timeout(go_on, Duration::from_millis(ms));
    });
    // It is never refused.
    let _ = JsFuture::from(pause).await;
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_clock_that_is_far_off_is_put_right_and_a_little_is_left_alone() {
        let noon = || Instant::parse("2027-03-11T12:00:00Z").unwrap();
        for (said, expected) in [
            ("2027-03-09T12:00:00Z", "2027-03-09T12:00:00.000Z"),
            ("2027-03-13T11:00:00Z", "2027-03-13T11:00:00.000Z"),
            ("2027-03-11T11:30:00Z", "2027-03-11T12:00:00.000Z"),
        ] {
            let clock = Clock::of(noon);
            let is_off = clock.put_right(Instant::parse(said).unwrap());
            assert_eq!(clock.now().to_string(), expected, "{said}");
            assert_eq!(is_off, clock.now() != noon(), "{said}");
        }
    }
}
