//! Clock as a value, so that tests can stop and advance it.

use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};

use booking_wire::Instant;
use booking_wire::formats::instant::MINUTE_MS;
use chrono::Utc;

/// Source of the current instant. Clones share one clock.
#[derive(Clone, Debug)]
pub struct Clock(Arc<Source>);

#[derive(Debug)]
enum Source {
    /// The system's time, shifted by this many milliseconds.
    Running(i64),
    /// Stopped at these epoch milliseconds.
    Stopped(AtomicI64),
}

impl Clock {
    /// The system's time.
    pub fn system() -> Self {
        Self(Arc::new(Source::Running(0)))
    }

    /// A running clock that starts at `start`.
    pub fn starting_at(start: Instant) -> Self {
        Self(Arc::new(Source::Running(
            start.0 - Utc::now().timestamp_millis(),
        )))
    }

    /// A stopped clock.
    pub fn stopped_at(instant: Instant) -> Self {
        Self(Arc::new(Source::Stopped(AtomicI64::new(instant.0))))
    }

    /// The current instant.
    pub fn now(&self) -> Instant {
        Instant(match self.0.as_ref() {
            Source::Running(shift) => Utc::now().timestamp_millis() + shift,
            Source::Stopped(at) => at.load(Ordering::Relaxed),
        })
    }

    /// Advances a stopped clock; has no effect on a running one.
    pub fn advance_minutes(&self, minutes: i64) {
        if let Source::Stopped(at) = self.0.as_ref() {
            at.fetch_add(minutes * MINUTE_MS, Ordering::Relaxed);
        }
    }
}
