//! The log on standard error.

use std::io::IsTerminal;

use tracing_subscriber::EnvFilter;

use super::args::LogFormat;

/// Filter without `RUST_LOG`.
const DEFAULT_FILTER: &str =
    "warn,booking_service=info,booking_smtp=info,booking_store_engine=info";

/// Starts logging to standard error; `RUST_LOG` sets the filter.
pub fn init(format: LogFormat) {
    let text = std::env::var(EnvFilter::DEFAULT_ENV).unwrap_or_default();
    let named = (!text.is_empty()).then(|| EnvFilter::try_new(&text));
    let (filter, problem) = match named {
        Some(Ok(filter)) => (filter, None),
        Some(Err(problem)) => (EnvFilter::new(DEFAULT_FILTER), Some(problem)),
        None => (EnvFilter::new(DEFAULT_FILTER), None),
    };
    let log = tracing_subscriber::fmt()
        .with_env_filter(filter)
        .with_writer(std::io::stderr);
    let _ = match format {
        LogFormat::Text => log.with_ansi(std::io::stderr().is_terminal()).try_init(),
        LogFormat::Json => log.json().flatten_event(true).try_init(),
    };
    if let Some(problem) = problem {
        tracing::warn!(%problem, "RUST_LOG is not a log filter: {DEFAULT_FILTER} is used");
    }
    // The message of a panic may contain data of a request, so only its location is logged.
    std::panic::set_hook(Box::new(|panic| {
        let location = panic.location().map(ToString::to_string);
        tracing::error!(place = location.unwrap_or_default(), "panicked");
    }));
}
