//! Captured log lines of the service.

use std::io;
use std::sync::{Arc, Mutex};

use tracing_subscriber::EnvFilter;
use tracing_subscriber::fmt::MakeWriter;

use super::fixture::Canaries;

/// Captured log output of all levels.
#[derive(Clone, Default)]
pub struct Log(Arc<Mutex<Vec<u8>>>);

impl Log {
    /// Captures the log of this thread until the guard is dropped.
    pub fn capture(&self) -> tracing::subscriber::DefaultGuard {
        let filter = EnvFilter::new(
            "booking_service=trace,booking_smtp=trace,booking_store_engine=trace,booking_mail=trace,axum=trace,tower_http=trace",
        );
        let subscriber = tracing_subscriber::fmt()
            .with_env_filter(filter)
            .with_ansi(false)
            // A timestamp could contain a canary.
            .without_time()
            .with_writer(self.clone())
            .finish();
        tracing::subscriber::set_default(subscriber)
    }

    pub fn text(&self) -> String {
        String::from_utf8(self.0.lock().unwrap().clone()).unwrap()
    }

    /// Asserts that the log is not empty and contains no canary.
    pub fn assert_free_of(&self, canaries: &Canaries) {
        let text = self.text();
        assert!(text.contains("answered"), "nothing was logged");
        for line in text.lines() {
            let found: Vec<_> = canaries.found_in(line).collect();
            assert!(found.is_empty(), "{found:?} in {line}");
        }
    }
}

impl io::Write for Log {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.lock().unwrap().extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl<'a> MakeWriter<'a> for Log {
    type Writer = Self;

    fn make_writer(&'a self) -> Self {
        self.clone()
    }
}
