//! Comparison of this machine's clock with that of the database server.
//!
//! Replicas read the current instant from their own machines. One whose clock is wrong would book times that are past
//! or too soon, and let reservations expire early. Each write transaction therefore also reads the server's clock.

use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};

use chrono::Utc;

/// Largest difference that is accepted, in milliseconds. The rules of the service count minutes, and machines with NTP
/// differ by milliseconds.
const MAX_CLOCK_DIFFERENCE_MS: i64 = 5_000;

/// Longest comparison that counts as a measurement, in milliseconds: one that waited for locks says little.
const MAX_MEASUREMENT_MS: i64 = 1_000;

/// No comparison has been made.
const NOT_MEASURED: i64 = i64::MIN;

/// Expression of the server's current instant in epoch milliseconds.
macro_rules! server_now {
    () => {
        "CAST(extract(epoch FROM clock_timestamp()) * 1000 AS BIGINT)"
    };
}
pub(crate) use server_now;

/// The last difference. Clones share it.
#[derive(Clone, Debug, Default)]
pub(crate) struct ClockCheck(Arc<Differences>);

#[derive(Debug)]
struct Differences {
    /// The last one if it was too large, else 0.
    rejected: AtomicI64,
    /// The last one that was measured in a short time, also if it was accepted.
    measured: AtomicI64,
}

impl Default for Differences {
    fn default() -> Self {
        Self {
            rejected: AtomicI64::new(0),
            measured: AtomicI64::new(NOT_MEASURED),
        }
    }
}

impl ClockCheck {
    /// Compares the clocks, given the server's time and this machine's before the question. Returns the difference if it
    /// is too large: positive if this machine is ahead.
    pub(crate) fn compare(&self, before_ms: i64, server_ms: i64) -> Option<i64> {
        let after_ms = now();
        let least = least_difference(before_ms, server_ms, after_ms);
        if after_ms.saturating_sub(before_ms) <= MAX_MEASUREMENT_MS {
            self.0.measured.store(least, Ordering::Relaxed);
        }
        let difference = too_large(least);
        let previous = self.0.rejected.swap(difference, Ordering::Relaxed);
        if difference != 0 && previous == 0 {
            tracing::warn!(
                difference_ms = difference,
                "this machine's clock differs from the database server's: the replica is not ready and writes nothing"
            );
        } else if difference == 0 && previous != 0 {
            tracing::info!("this machine's clock agrees with the database server's again");
        }
        Some(difference).filter(|difference| *difference != 0)
    }

    /// Returns the last measured difference: the least that explains the measurement. None before the first one.
    pub(crate) fn measured(&self) -> Option<i64> {
        let measured = self.0.measured.load(Ordering::Relaxed);
        Some(measured).filter(|measured| *measured != NOT_MEASURED)
    }

    /// Returns the last difference if it was too large.
    pub(crate) fn difference(&self) -> Option<i64> {
        Some(self.0.rejected.load(Ordering::Relaxed)).filter(|difference| *difference != 0)
    }
}

/// This machine's current instant in epoch milliseconds, also in tests with a clock of their own.
pub(crate) fn now() -> i64 {
    Utc::now().timestamp_millis()
}

/// Returns the smallest difference that explains the three instants. The server's lies between the others, however long the
/// request waited for it.
fn least_difference(before_ms: i64, server_ms: i64, after_ms: i64) -> i64 {
    let ahead = before_ms.saturating_sub(server_ms);
    let behind = server_ms.saturating_sub(after_ms);
    if ahead > 0 { ahead } else { -behind.max(0) }
}

/// Returns a difference, or 0 if it is accepted.
fn too_large(difference: i64) -> i64 {
    match difference.saturating_abs() > MAX_CLOCK_DIFFERENCE_MS {
        true => difference,
        false => 0,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn difference_is_zero_while_clocks_agree_however_long_the_question_takes() {
        for (before, server, after, expected) in [
            (0, 0, 0, 0),
            (0, 100, 200, 0),
            (0, 60_000, 60_001, 0),
            (0, 1, 60_000, 0),
            (5_000, 0, 5_010, 0),
            (0, 5_010, 10, 0),
            (5_001, 0, 5_010, 5_001),
            (0, 5_011, 10, -5_001),
            (600_000, 0, 660_000, 600_000),
        ] {
            let least = least_difference(before, server, after);
            assert_eq!(too_large(least), expected, "{server}");
        }
        assert_eq!(least_difference(5_000, 0, 5_010), 5_000);
        assert_eq!(least_difference(0, 5_010, 10), -5_000);
    }

    #[test]
    fn comparison_that_took_long_is_no_measurement() {
        let check = ClockCheck::default();
        check.compare(now() - 60_000, now() - 30_000);
        assert_eq!(check.measured(), None);
        check.compare(now(), now() - 2_000);
        let measured = check.measured();
        let is_right = measured.is_some_and(|measured| (1_900..=2_000).contains(&measured));
        assert!(is_right, "{measured:?}");
    }

    #[test]
    fn difference_of_corrected_clock_is_forgotten() {
        let check = ClockCheck::default();
        assert_eq!(check.difference(), None);
        assert!(check.compare(now(), now() + 600_000).is_some());
        assert!(
            check
                .difference()
                .is_some_and(|difference| difference < -500_000)
        );
        assert_eq!(check.compare(now(), now()), None);
        assert_eq!(check.difference(), None);
    }
}
