//! Clock of a root, corrected by the service's.

use booking_ui::prelude::*;
use booking_wire::Instant;

/// Clock error that is not corrected, because responses take a while to arrive.
const CLOCK_SLACK_MS: i64 = 3_600_000;

/// Clock. A value, so that tests can replace it.
#[derive(Clone, Copy)]
pub struct Clock {
    read: fn() -> Instant,
    /// Milliseconds by which `read` is ahead.
    ahead_ms: RwSignal<i64>,
}

impl Clock {
    /// Returns the browser's clock.
    pub fn browser() -> Self {
        Self::of(|| Instant(js_sys::Date::now() as i64))
    }

    /// Creates a clock that reads `now`.
    pub fn of(now: fn() -> Instant) -> Self {
        Self {
            read: now,
            ahead_ms: RwSignal::new(0),
        }
    }

    /// Returns the current instant.
    pub fn now(self) -> Instant {
        let ahead_ms = self.ahead_ms.try_get_untracked().unwrap_or_default();
        Instant((self.read)().0.saturating_sub(ahead_ms))
    }

    /// True for an instant that is in the past even if the clock is a little wrong.
    pub fn is_past(self, instant: Instant) -> bool {
        instant.0 < self.now().0.saturating_sub(CLOCK_SLACK_MS)
    }

    /// Corrects the clock to `now` if it is far off. Returns true in that case.
    pub fn correct(self, now: Instant) -> bool {
        let ahead_ms = self.now().0.saturating_sub(now.0);
        let is_off = ahead_ms.saturating_abs() > CLOCK_SLACK_MS;
        if is_off {
            let known_ms = self.ahead_ms.try_get_untracked().unwrap_or_default();
            self.ahead_ms.set(known_ms.saturating_add(ahead_ms));
        }
        is_off
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn correct_clock_far_off_is_set_small_difference_is_kept() {
        let noon = || Instant::parse("2027-03-11T12:00:00Z").unwrap();
        for (server_time, expected) in [
            ("2027-03-09T12:00:00Z", "2027-03-09T12:00:00.000Z"),
            ("2027-03-13T11:00:00Z", "2027-03-13T11:00:00.000Z"),
            ("2027-03-11T11:30:00Z", "2027-03-11T12:00:00.000Z"),
        ] {
            let clock = Clock::of(noon);
            let is_off = clock.correct(Instant::parse(server_time).unwrap());
            assert_eq!(clock.now().to_string(), expected, "{server_time}");
            assert_eq!(is_off, clock.now() != noon(), "{server_time}");
        }
    }
}
