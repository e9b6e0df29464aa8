//! The log on standard error, and its filter.

use std::io::{self, IsTerminal};
use std::path::{Path, PathBuf};

use opentelemetry_sdk::trace::Tracer;
use tracing_subscriber::filter::filter_fn;
use tracing_subscriber::layer::SubscriberExt;
use tracing_subscriber::util::SubscriberInitExt;
use tracing_subscriber::{EnvFilter, Layer, Registry, fmt, reload};

use super::args::LogFormat;
use super::env_file;
use crate::monitoring::traces::TARGET;

/// Filter without `RUST_LOG`.
const DEFAULT_FILTER: &str =
    "warn,booking_service=info,booking_smtp=info,booking_store_engine=info";

/// Filter of the log, which can be replaced.
#[derive(Clone, Debug)]
pub struct LogFilter(reload::Handle<EnvFilter, Registry>);

/// Starts logging to standard error; `RUST_LOG` sets the filter. Spans of traces go to `tracer` only.
pub fn init(format: LogFormat, tracer: Option<Tracer>) -> LogFilter {
    let text = std::env::var(EnvFilter::DEFAULT_ENV).unwrap_or_default();
    let (filter, problem) = match filter(&text) {
        Ok(filter) => (filter, None),
        Err(problem) => (EnvFilter::new(DEFAULT_FILTER), Some(problem)),
    };
    let (filter, handle) = reload::Layer::new(filter);
    let log = fmt::layer().with_writer(io::stderr);
    let log = match format {
        LogFormat::Text => log.with_ansi(io::stderr().is_terminal()).boxed(),
        LogFormat::Json => log.json().flatten_event(true).boxed(),
    };
    let traces = tracer.map(|tracer| {
        let is_traced = filter_fn(|metadata| metadata.is_span() && metadata.target() == TARGET);
        let layer = tracing_opentelemetry::layer().with_tracer(tracer);
        let layer = layer.with_location(false).with_threads(false);
        let layer = layer.with_level(false).with_target(false);
        layer.with_tracked_inactivity(false).with_filter(is_traced)
    });
    let subscriber = tracing_subscriber::registry().with(log.with_filter(filter));
    let _ = subscriber.with(traces).try_init();
    if let Some(problem) = problem {
        tracing::warn!(%problem, "RUST_LOG is not a log filter: {DEFAULT_FILTER} is used");
    }
    // The message of a panic may contain data of a request, so only its location is logged.
    std::panic::set_hook(Box::new(|panic| {
        let location = panic.location().map(ToString::to_string);
        tracing::error!(place = location.unwrap_or_default(), "panicked");
    }));
    LogFilter(handle)
}

/// Parses a filter; the default one if the text is empty.
fn filter(text: &str) -> Result<EnvFilter, tracing_subscriber::filter::ParseError> {
    match text {
        "" => Ok(EnvFilter::new(DEFAULT_FILTER)),
        text => EnvFilter::try_new(text),
    }
}

impl LogFilter {
    /// Sets the filter to `RUST_LOG` of the environment file at each SIGHUP; without that line, to the default. Without a
    /// file, SIGHUP ends the process, as when a terminal is closed.
    #[cfg(unix)]
    pub fn follow_file(self, env_file: Option<PathBuf>) {
        use tokio::signal::unix::{SignalKind, signal};
        let Some(env_file) = env_file else {
            return;
        };
        let mut signals = match signal(SignalKind::hangup()) {
            Ok(signals) => signals,
            Err(cause) => {
                tracing::warn!(%cause, "the log filter cannot be changed: no signal can be listened to");
                return;
            }
        };
        tokio::spawn(async move {
            while signals.recv().await.is_some() {
                self.read(&env_file);
            }
        });
    }

    /// Does nothing: there is no such signal.
    #[cfg(not(unix))]
    pub fn follow_file(self, _env_file: Option<PathBuf>) {}

    fn read(&self, env_file: &Path) {
        let text = match env_file::value(env_file, EnvFilter::DEFAULT_ENV) {
            Ok(text) => text.unwrap_or_default(),
            Err(cause) => {
                tracing::warn!(%cause, file = %env_file.display(), "the log filter stays: the file cannot be read");
                return;
            }
        };
        let filter = match filter(&text) {
            Ok(filter) => filter,
            Err(problem) => {
                tracing::warn!(%problem, "the log filter stays: RUST_LOG is not a log filter");
                return;
            }
        };
        let displayed = filter.to_string();
        match self.0.reload(filter) {
            // At a level that most filters let through.
            Ok(()) => tracing::warn!(filter = displayed, "the log filter was changed"),
            Err(cause) => tracing::warn!(%cause, "the log filter stays"),
        }
    }
}
