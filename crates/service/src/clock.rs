//! The present moment as a value, so that tests can stop and move it.

use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};

use booking_wire::Instant;
use chrono::Utc;

/// Tells the time. Clones share one clock.
#[derive(Clone, Debug)]
pub struct Clock(Arc<Source>);

#[derive(Debug)]
enum Source {
    /// The system's time, shifted by so many milliseconds.
    Running(i64),
    /// Stands still at so many epoch milliseconds.
    Stopped(AtomicI64),
}

impl Clock {
    /// The system's time.
    pub fn system() -> Self {
        Self(Arc::new(Source::Running(0)))
    }

    /// Starts at `start` and runs on from there.
    pub fn starting_at(start: Instant) -> Self {
        Self(Arc::new(Source::Running(
            start.0 - Utc::now().timestamp_millis(),
        )))
    }

    /// Stands still until it is moved.
    pub fn stopped_at(instant: Instant) -> Self {
        Self(Arc::new(Source::Stopped(AtomicI64::new(instant.0))))
    }

    /// The present moment.
    pub fn now(&self) -> Instant {
        Instant(match self.0.as_ref() {
            Source::Running(shift) => Utc::now().timestamp_millis() + shift,
            Source::Stopped(at) => at.load(Ordering::Relaxed),
        })
    }

    /// Moves a stopped clock; a running one stays as it is.
    pub fn advance_minutes(&self, minutes: i64) {
        if let Source::Stopped(at) = self.0.as_ref() {
            at.fetch_add(minutes * 60_000, Ordering::Relaxed);
        }
    }
}
