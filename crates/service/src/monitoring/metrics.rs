//! Metrics in the text format of Prometheus.
//!
//! Labels contain route patterns and values from short lists, nothing that a client can choose: no
//! personal data, no secrets, and a bounded number of series.

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use axum::http::{Method, StatusCode};
#[cfg(target_os = "linux")]
use prometheus::process_collector::ProcessCollector;
use prometheus::{
    Encoder, GaugeVec, HistogramVec, IntCounter, IntCounterVec, IntGauge, IntGaugeVec, Registry,
    TextEncoder, register_gauge_vec_with_registry, register_histogram_vec_with_registry,
    register_int_counter_vec_with_registry, register_int_counter_with_registry,
    register_int_gauge_vec_with_registry, register_int_gauge_with_registry,
};

use crate::error::{Error, Result};

/// Upper bounds of the buckets of durations, in seconds.
const DURATIONS: [f64; 14] = [
    0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 30.0,
];

/// Limits of one client's reservations and bookings.
const LIMITS: [&str; 4] = [
    "reservations",
    "reserved_minutes",
    "bookings",
    "verification_codes",
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
    rate_limited: IntCounter,
    limit_refusals: IntCounterVec,
    reservations_live: IntGauge,
    bookings: IntCounterVec,
    connections: IntGaugeVec,
    webhooks_waiting: IntGauge,
    mail_messages: IntGaugeVec,
    database_bytes: IntGauge,
    disk_free_bytes: IntGauge,
    /// Without labels; a vector, so that there is no series without a read replica.
    read_replica_used: IntGaugeVec,
    read_replica_lag: GaugeVec,
    zone_data: IntGaugeVec,
    zone_data_age_days: IntGauge,
}

impl fmt::Debug for Metrics {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Metrics(..)")
    }
}

impl Metrics {
    /// New metrics, all zero.
    pub fn new() -> Result<Self> {
        Counters::new()
            .map(|counters| Self(Arc::new(counters)))
            .map_err(Error::internal)
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

    /// Counts a request that exceeds the rate limit.
    pub fn record_rate_limited(&self) {
        self.0.rate_limited.inc();
    }

    /// Counts a request that exceeds a limit of one client; `limit` is one of `LIMITS`.
    pub fn record_limit_refusal(&self, limit: &str) {
        self.0.limit_refusals.with_label_values(&[limit]).inc();
    }

    /// Renders all metrics, with the current `gauges`.
    pub fn render(&self, gauges: &Gauges) -> Result<Vec<u8>> {
        for &(pool, open, idle) in &gauges.pools {
            let idle = i64::try_from(idle).unwrap_or(0);
            let gauge = |state| self.0.connections.with_label_values(&[pool, state]);
            gauge("used").set(i64::from(open) - idle);
            gauge("idle").set(idle);
        }
        self.0.webhooks_waiting.set(gauges.webhooks_waiting);
        for (status, count) in &gauges.mail_messages {
            self.0
                .mail_messages
                .with_label_values(&[status])
                .set(*count);
        }
        self.0.reservations_live.set(gauges.reservations_live);
        self.0.database_bytes.set(gauges.database_bytes);
        if let Some(bytes) = gauges.disk_free_bytes {
            let bytes = i64::try_from(bytes).unwrap_or(i64::MAX);
            self.0.disk_free_bytes.set(bytes);
        }
        if let Some(lag) = gauges.read_replica {
            let used = self.0.read_replica_used.with_label_values::<&str>(&[]);
            used.set(i64::from(lag.is_some()));
            match lag {
                Some(lag) => {
                    let gauge = self.0.read_replica_lag.with_label_values::<&str>(&[]);
                    gauge.set(lag.as_secs_f64());
                }
                None => self.0.read_replica_lag.reset(),
            }
        }
        let zones = booking_zones::current::data();
        self.0.zone_data.reset();
        let labels = [&*zones.version().to_string(), &*zones.source().to_string()];
        self.0.zone_data.with_label_values(&labels).set(1);
        self.0.zone_data_age_days.set(gauges.zone_data_age_days);
        let mut text = Vec::new();
        TextEncoder::new()
            .encode(&self.0.registry.gather(), &mut text)
            .map_err(Error::internal)?;
        Ok(text)
    }
}

/// Values that are read for each scrape.
#[derive(Clone, Debug)]
pub struct Gauges {
    /// Database pools: name, open and idle connections.
    pub pools: Vec<(&'static str, u32, usize)>,
    /// Webhook deliveries that are due or will be retried.
    pub webhooks_waiting: i64,
    /// E-mail messages in the outbox by status.
    pub mail_messages: Vec<(&'static str, i64)>,
    /// Live reservations.
    pub reservations_live: i64,
    /// Size of the database, in bytes.
    pub database_bytes: i64,
    /// Free bytes on its disk; none if unknown.
    pub disk_free_bytes: Option<u64>,
    /// Lag of the read replica, none if it is not used; none without one.
    pub read_replica: Option<Option<Duration>>,
    /// Days since the release of the time zone data.
    pub zone_data_age_days: i64,
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
            rate_limited: register_int_counter_with_registry!(
                "booking_rate_limited_total",
                "Requests rejected by the rate limit",
                registry
            )?,
            limit_refusals: register_int_counter_vec_with_registry!(
                "booking_client_limit_refusals_total",
                "Reservations and bookings rejected by a limit of one client",
                &["limit"],
                registry
            )?,
            reservations_live: register_int_gauge_with_registry!(
                "booking_reservations_live",
                "Live reservations",
                registry
            )?,
            bookings: register_int_counter_vec_with_registry!(
                "booking_booking_requests_total",
                "Booking requests by outcome",
                &["outcome"],
                registry
            )?,
            connections: register_int_gauge_vec_with_registry!(
                "booking_database_connections",
                "Connections to the database",
                &["pool", "state"],
                registry
            )?,
            webhooks_waiting: register_int_gauge_with_registry!(
                "booking_webhook_deliveries_waiting",
                "Webhook deliveries that are due or will be retried",
                registry
            )?,
            mail_messages: register_int_gauge_vec_with_registry!(
                "booking_mail_messages",
                "E-mail messages in the outbox; those that were sent stay for some days",
                &["status"],
                registry
            )?,
            database_bytes: register_int_gauge_with_registry!(
                "booking_database_bytes",
                "Size of the database without its log",
                registry
            )?,
            disk_free_bytes: register_int_gauge_with_registry!(
                "booking_disk_free_bytes",
                "Free space on the data directory's disk",
                registry
            )?,
            read_replica_used: register_int_gauge_vec_with_registry!(
                "booking_read_replica_used",
                "1 while lists and slots are read from the read replica, 0 while it is unreachable or behind",
                &[],
                registry
            )?,
            read_replica_lag: register_gauge_vec_with_registry!(
                "booking_read_replica_lag_seconds",
                "Time by which the read replica is behind at most, while it is used",
                &[],
                registry
            )?,
            zone_data: register_int_gauge_vec_with_registry!(
                "booking_zone_data_info",
                "Always 1; the labels have version and origin of the time zone data in use",
                &["version", "source"],
                registry
            )?,
            zone_data_age_days: register_int_gauge_with_registry!(
                "booking_zone_data_age_days",
                "Days since the release of the time zone data; laws change several times a year",
                registry
            )?,
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
fn method_name(method: &Method) -> &'static str {
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
        let metrics = Metrics::new().unwrap();
        let open = metrics.open_request();
        assert_eq!(metrics.0.in_flight.get(), 1);
        drop(open);
        assert_eq!(metrics.0.in_flight.get(), 0);
    }
}
