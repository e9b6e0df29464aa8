//! Metrics in the text format of Prometheus.
//!
//! Labels contain route patterns and values from short lists, nothing that a client can choose: no
//! personal data, no secrets, and a bounded number of series.

mod channel;
pub mod gauges;

use std::fmt;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use axum::http::{Method, StatusCode};
use booking_store_engine::lease::Lease;
pub use channel::{Channel, MessageOutcome};
use gauges::{GaugeFamilies, Gauges};
use prometheus::core::Collector;
#[cfg(target_os = "linux")]
use prometheus::process_collector::ProcessCollector;
use prometheus::{
    Encoder, HistogramVec, IntCounterVec, IntGauge, Registry, TextEncoder,
    register_histogram_vec_with_registry, register_int_counter_vec_with_registry,
    register_int_gauge_vec_with_registry, register_int_gauge_with_registry,
};

use crate::error::{Error, Result};

/// Upper bounds of the buckets of durations, in seconds.
const DURATIONS: [f64; 14] = [
    0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 30.0,
];

/// Upper bounds of the buckets of delays of messages, in seconds.
const DELAYS: [f64; 12] = [
    0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 30.0, 60.0, 300.0, 900.0, 3600.0,
];

/// Limits of one client's reservations and bookings.
const LIMITS: [&str; 4] = [
    "reservations",
    "reserved_minutes",
    "bookings",
    "verification_codes",
];

/// Groups of rate limits.
const RATE_LIMIT_GROUPS: [&str; 5] = [
    "default",
    "version_one",
    "searches",
    "reservations",
    "bookings",
];

/// Routes that create bookings.
const BOOKING_ROUTES: [&str; 2] = ["/v2/bookings", "/v1/bookings"];

/// Metrics of the service. Clones share them.
#[derive(Clone)]
pub struct Metrics(Arc<Counters>);

struct Counters {
    registry: Registry,
    requests: IntCounterVec,
    durations: HistogramVec,
    in_flight: IntGauge,
    rate_limited: IntCounterVec,
    limit_refusals: IntCounterVec,
    bookings: IntCounterVec,
    messages: IntCounterVec,
    message_delays: HistogramVec,
    leads: IntGauge,
    /// Lease with which this replica leads. It can end without a step of the worker.
    lease: Mutex<Option<Lease>>,
    /// Locked from setting to rendering: scrapes can be concurrent.
    gauges: Mutex<GaugeFamilies>,
}

impl fmt::Debug for Metrics {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Metrics(..)")
    }
}

impl Metrics {
    /// New metrics, all zero, and those of another module.
    pub fn new(others: impl IntoIterator<Item = Box<dyn Collector>>) -> Result<Self> {
        let counters = Counters::new().map_err(Error::internal)?;
        for collector in others {
            let registered = counters.registry.register(collector);
            registered.map_err(Error::internal)?;
        }
        Ok(Self(Arc::new(counters)))
    }

    /// Counts a request as in flight until the returned guard is dropped.
    pub fn open_request(&self) -> OpenRequest {
        self.0.in_flight.inc();
        OpenRequest(self.0.in_flight.clone())
    }

    /// Counts a response. `route` is the pattern of its path.
    pub fn record_response(
        &self,
        method: &Method,
        route: &str,
        status: StatusCode,
        took: Duration,
    ) {
        let class = match status.as_u16() / 100 {
            1 => "1xx",
            2 => "2xx",
            3 => "3xx",
            4 => "4xx",
            _ => "5xx",
        };
        let labels = [method_name(method), route, class];
        self.0.requests.with_label_values(&labels).inc();
        let durations = self.0.durations.with_label_values(&[route]);
        durations.observe(took.as_secs_f64());
        if BOOKING_ROUTES.contains(&route) && method == Method::POST {
            let outcome = match status.as_u16() {
                200..300 => "made",
                409 => "conflict",
                400..500 => "refused",
                _ => "failed",
            };
            self.0.bookings.with_label_values(&[outcome]).inc();
        }
    }

    /// Counts a request that exceeds the rate limit; `group` is one of `RATE_LIMIT_GROUPS`.
    pub fn record_rate_limited(&self, group: &str) {
        self.0.rate_limited.with_label_values(&[group]).inc();
    }

    /// Counts a request that exceeds a limit of one client; `limit` is one of `LIMITS`.
    pub fn record_limit_refusal(&self, limit: &str) {
        self.0.limit_refusals.with_label_values(&[limit]).inc();
    }

    /// Counts messages.
    pub fn record_messages(&self, channel: Channel, outcome: MessageOutcome, count: u64) {
        let labels = [channel.name(), outcome.name()];
        self.0.messages.with_label_values(&labels).inc_by(count);
    }

    /// Counts a sent message, and its delay since it was due.
    pub fn record_sent(&self, channel: Channel, delay_ms: i64) {
        self.record_messages(channel, MessageOutcome::Sent, 1);
        let delays = self.0.message_delays.with_label_values(&[channel.name()]);
        delays.observe(gauges::seconds(delay_ms.max(0)));
    }

    /// Stores the lease with which this replica leads; none if it does not.
    pub fn set_lease(&self, lease: Option<Lease>) {
        *lock(&self.0.lease) = lease;
    }

    /// Renders all metrics, with the current `gauges`.
    pub fn render(&self, gauges: &Gauges) -> Result<Vec<u8>> {
        let families = lock(&self.0.gauges);
        families.set(gauges);
        let leads = lock(&self.0.lease).as_ref().is_some_and(Lease::is_current);
        self.0.leads.set(i64::from(leads));
        let mut text = Vec::new();
        TextEncoder::new()
            .encode(&self.0.registry.gather(), &mut text)
            .map_err(Error::internal)?;
        drop(families);
        Ok(text)
    }
}

fn lock<T>(value: &Mutex<T>) -> std::sync::MutexGuard<'_, T> {
    value.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Counters {
    fn new() -> prometheus::Result<Self> {
        let registry = Registry::new();
        let build = register_int_gauge_vec_with_registry!(
            "booking_build_info",
            "Always 1; the label has the version",
            &["version"],
            registry
        )?;
        build.with_label_values(&[env!("CARGO_PKG_VERSION")]).set(1);
        let counters = Self {
            requests: register_int_counter_vec_with_registry!(
                "booking_http_requests_total",
                "Requests with a response",
                &["method", "route", "status"],
                registry
            )?,
            durations: register_histogram_vec_with_registry!(
                "booking_http_request_duration_seconds",
                "From the end of a request's headers to its response",
                &["route"],
                DURATIONS.to_vec(),
                registry
            )?,
            in_flight: register_int_gauge_with_registry!(
                "booking_http_requests_in_flight",
                "Requests in flight",
                registry
            )?,
            rate_limited: register_int_counter_vec_with_registry!(
                "booking_rate_limited_total",
                "Requests rejected by a rate limit, by the group of requests that it counts",
                &["group"],
                registry
            )?,
            limit_refusals: register_int_counter_vec_with_registry!(
                "booking_client_limit_refusals_total",
                "Reservations and bookings rejected by a limit of one client",
                &["limit"],
                registry
            )?,
            bookings: register_int_counter_vec_with_registry!(
                "booking_booking_requests_total",
                "Booking requests by outcome",
                &["outcome"],
                registry
            )?,
            messages: register_int_counter_vec_with_registry!(
                "booking_messages_total",
                "Attempts to send messages by outcome, and e-mail messages that are not sent: kept without a mail server, suppressed by a limit",
                &["channel", "outcome"],
                registry
            )?,
            message_delays: register_histogram_vec_with_registry!(
                "booking_message_delay_seconds",
                "From the time when a message was due to that when it was sent; of one that is retried, since its last delay",
                &["channel"],
                DELAYS.to_vec(),
                registry
            )?,
            leads: register_int_gauge_with_registry!(
                "booking_leader",
                "1 if this replica leads: it makes the messages of all",
                registry
            )?,
            lease: Mutex::new(None),
            gauges: Mutex::new(GaugeFamilies::new(&registry)?),
            registry,
        };
        #[cfg(target_os = "linux")]
        counters
            .registry
            .register(Box::new(ProcessCollector::for_self()))?;
        // Series exist from the start, so that rates include the first event.
        for outcome in ["made", "conflict", "refused", "failed"] {
            counters.bookings.with_label_values(&[outcome]);
        }
        for limit in LIMITS {
            counters.limit_refusals.with_label_values(&[limit]);
        }
        for group in RATE_LIMIT_GROUPS {
            counters.rate_limited.with_label_values(&[group]);
        }
        for channel in Channel::ALL {
            for outcome in channel.outcomes() {
                let labels = [channel.name(), outcome.name()];
                counters.messages.with_label_values(&labels);
            }
            let delays = &counters.message_delays;
            delays.with_label_values(&[channel.name()]);
        }
        Ok(counters)
    }
}

/// Guard of a request in flight; dropped with the response, or when the client disconnects.
#[derive(Debug)]
pub struct OpenRequest(IntGauge);

impl Drop for OpenRequest {
    fn drop(&mut self) {
        self.0.dec();
    }
}

/// Label of a method; `other` for methods that are not in HTTP, which clients can invent.
pub fn method_name(method: &Method) -> &'static str {
    const KNOWN: [(&Method, &str); 7] = [
        (&Method::GET, "GET"),
        (&Method::HEAD, "HEAD"),
        (&Method::POST, "POST"),
        (&Method::PUT, "PUT"),
        (&Method::PATCH, "PATCH"),
        (&Method::DELETE, "DELETE"),
        (&Method::OPTIONS, "OPTIONS"),
    ];
    KNOWN
        .into_iter()
        .find(|(known, _)| *known == method)
        .map_or("other", |(_, name)| name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn invented_method_has_no_label() {
        let invented = Method::from_bytes(b"ZOE").unwrap();
        assert_eq!(method_name(&invented), "other");
        assert_eq!(method_name(&Method::PATCH), "PATCH");
    }

    #[test]
    fn request_is_in_flight_until_guard_is_dropped() {
        let metrics = Metrics::new([]).unwrap();
        let open = metrics.open_request();
        assert_eq!(metrics.0.in_flight.get(), 1);
        drop(open);
        assert_eq!(metrics.0.in_flight.get(), 0);
    }
}
