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

/// Expression of the server's current instant in epoch milliseconds.
macro_rules! server_now {
    () => {
        "CAST(extract(epoch FROM clock_timestamp()) * 1000 AS BIGINT)"
    };
}
pub(crate) use server_now;

/// The last difference. Clones share it.
#[derive(Clone, Debug, Default)]
pub(crate) struct ClockCheck(Arc<AtomicI64>);

impl ClockCheck {
    /// Compares the clocks, given the server's time and this machine's before the question. Returns the difference if it
    /// is too large: positive if this machine is ahead.
    pub(crate) fn compare(&self, before_ms: i64, server_ms: i64) -> Option<i64> {
        let difference = difference(before_ms, server_ms, now());
        let previous = self.0.swap(difference, Ordering::Relaxed);
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

    /// Returns the last difference if it was too large.
    pub(crate) fn difference(&self) -> Option<i64> {
        Some(self.0.load(Ordering::Relaxed)).filter(|difference| *difference != 0)
    }
}

/// This machine's current instant in epoch milliseconds, also in tests with a clock of their own.
pub(crate) fn now() -> i64 {
    Utc::now().timestamp_millis()
}

/// Returns the smallest difference that explains the three instants; 0 if it is accepted. The server's lies between the
/// others, however long the request waited for it.
fn difference(before_ms: i64, server_ms: i64, after_ms: i64) -> i64 {
    let ahead = before_ms.saturating_sub(server_ms);
    let behind = server_ms.saturating_sub(after_ms);
    if ahead > MAX_CLOCK_DIFFERENCE_MS {
        ahead
    } else if behind > MAX_CLOCK_DIFFERENCE_MS {
        -behind
    } else {
        0
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
            assert_eq!(difference(before, server, after), expected, "{server}");
        }
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
