//! Metrics of write transactions.

use std::time::Duration;

use prometheus::core::Collector;
use prometheus::{Histogram, HistogramOpts, HistogramVec};

/// Upper bounds of the buckets of waiting times, in seconds.
const WAITS: [f64; 10] = [0.001, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 1.0, 5.0, 30.0];

/// Upper bounds of the buckets of writes per commit.
const WRITES: [f64; 7] = [1.0, 2.0, 4.0, 8.0, 16.0, 32.0, 64.0];

/// Metrics of write transactions. Clones share them.
#[derive(Clone, Debug)]
pub struct WriteMetrics {
    waits: HistogramVec,
    writes: Histogram,
}

impl WriteMetrics {
    pub(crate) fn new() -> Result<Self, sqlx::Error> {
        Self::try_new().map_err(|cause| sqlx::Error::Configuration(cause.into()))
    }

    fn try_new() -> prometheus::Result<Self> {
        let waits = HistogramOpts::new(
            "booking_write_wait_seconds",
            "Wait of a write transaction: for a connection, SQLite's writer, or locks by the kind of the first resource",
        );
        let writes = HistogramOpts::new(
            "booking_writes_per_commit",
            "Writes that share a commit, without those of transactions of their own",
        );
        Ok(Self {
            waits: HistogramVec::new(waits.buckets(WAITS.to_vec()), &["for"])?,
            writes: Histogram::with_opts(writes.buckets(WRITES.to_vec()))?,
        })
    }

    /// Returns the metrics for a registry.
    pub fn collectors(&self) -> [Box<dyn Collector>; 2] {
        [Box::new(self.waits.clone()), Box::new(self.writes.clone())]
    }

    /// Records that a transaction waited for `what`.
    pub(crate) fn record_wait(&self, what: &str, wait: Duration) {
        let waits = self.waits.with_label_values(&[what]);
        waits.observe(wait.as_secs_f64());
    }

    /// Records that `writes` writes were committed together.
    pub(crate) fn record_commit(&self, writes: usize) {
        let writes = u32::try_from(writes).unwrap_or(u32::MAX);
        self.writes.observe(writes.into());
    }
}
