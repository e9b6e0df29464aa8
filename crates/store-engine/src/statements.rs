//! Spans of statements in traces; log and count of slow ones.

use std::fmt;
use std::panic::Location;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use opentelemetry::Context;
use opentelemetry::trace::TraceContextExt;
use tracing::field::Empty;
use tracing::{Instrument, Level, Span};

use crate::connection::Database;

/// Target of the spans of traces, which are no part of the log.
pub const TRACE_TARGET: &str = "booking_trace";

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

/// Returns the current span as the header `traceparent` has it, for storage; none without one.
pub fn current_span() -> Option<String> {
    Context::map_current(|context| {
        let span = context.span().span_context().clone();
        let (trace, id, flags) = (span.trace_id(), span.span_id(), span.trace_flags());
        span.is_valid()
            .then(|| format!("00-{trace}-{id}-{:02x}", flags.to_u8()))
    })
}

/// Returns the span of a statement, with its first word and no values. Outside of a trace, as in the polls of the worker, a
/// statement has none.
pub(crate) fn span(name: StatementName, sql: &str, database: Database) -> Span {
    let is_traced = || Context::map_current(TraceContextExt::has_active_span);
    if !tracing::span_enabled!(target: TRACE_TARGET, Level::TRACE) || !is_traced() {
        return Span::none();
    }
    let operation = sql.split_whitespace().next().unwrap_or_default();
    tracing::trace_span!(
        target: TRACE_TARGET,
        "statement",
        otel.name = %format_args!("{operation} {name}"),
        otel.kind = "client",
        otel.status_code = Empty,
        db.system.name = match database {
            Database::Sqlite => "sqlite",
            Database::Postgres => "postgresql",
        },
        db.operation.name = operation,
    )
}

/// Runs a statement in its span. Logs and counts it if it is slow, also if its caller gives up.
pub(crate) async fn observe<T, E>(
    name: StatementName,
    span: Span,
    statement: impl Future<Output = Result<T, E>>,
) -> Result<T, E> {
    let _timer = Timer {
        name,
        began: Instant::now(),
    };
    let result = statement.instrument(span.clone()).await;
    if result.is_err() {
        span.record("otel.status_code", "ERROR");
    }
    result
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
        let statement = async { Ok::<_, ()>(()) };
        let done = observe(StatementName::of_caller(), Span::none(), statement).await;
        assert_eq!(done, Ok(()));
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
