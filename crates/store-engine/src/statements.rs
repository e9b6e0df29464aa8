//! Log and count of slow statements.

use std::fmt;
use std::panic::Location;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

/// Duration from which on a statement is slow, with the time that it waits for locks.
const SLOW: Duration = Duration::from_millis(500);

/// Slow statements of this process.
static SLOW_STATEMENTS: AtomicU64 = AtomicU64::new(0);

/// Returns the number of slow statements since the start of this process.
pub fn slow_statements() -> u64 {
    SLOW_STATEMENTS.load(Ordering::Relaxed)
}

/// Name of a statement: its place in the source code, such as `service/src/store/bookings.rs:120`.
#[derive(Clone, Copy, Debug)]
pub(crate) struct StatementName(&'static Location<'static>);

impl StatementName {
    /// Returns the place of the caller.
    #[track_caller]
    pub(crate) fn of_caller() -> Self {
        Self(Location::caller())
    }
}

impl fmt::Display for StatementName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let file = self.0.file();
        let file = file.rsplit_once("crates/").map_or(file, |(_, file)| file);
        write!(f, "{file}:{}", self.0.line())
    }
}

/// Runs a statement. Logs and counts it if it is slow, also if its caller gives up.
pub(crate) async fn observe<T>(name: StatementName, statement: impl Future<Output = T>) -> T {
    let _timer = Timer {
        name,
        began: Instant::now(),
    };
    statement.await
}

/// Time of a statement that runs.
struct Timer {
    name: StatementName,
    began: Instant,
}

impl Drop for Timer {
    fn drop(&mut self) {
        let elapsed = self.began.elapsed();
        if elapsed >= SLOW {
            SLOW_STATEMENTS.fetch_add(1, Ordering::Relaxed);
            let elapsed_ms = u64::try_from(elapsed.as_millis()).unwrap_or(u64::MAX);
            tracing::warn!(statement = %self.name, elapsed_ms, "slow statement");
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn only_slow_statement_is_counted() {
        let count = slow_statements();
        observe(StatementName::of_caller(), async {}).await;
        assert_eq!(slow_statements(), count);
        let timer = |began| Timer {
            name: StatementName::of_caller(),
            began,
        };
        let now = Instant::now();
        drop(timer(now.checked_sub(SLOW).unwrap_or(now)));
        assert_eq!(slow_statements(), count + 1);
    }

    #[test]
    fn name_is_the_place_of_the_caller() {
        let name = StatementName::of_caller().to_string();
        assert!(
            name.starts_with("store-engine/src/statements.rs:"),
            "{name}"
        );
    }
}
