//! Values that are read for each scrape.

use std::time::Duration;

use prometheus::{
    GaugeVec, IntCounter, IntGauge, IntGaugeVec, Registry, register_gauge_vec_with_registry,
    register_int_counter_with_registry, register_int_gauge_vec_with_registry,
    register_int_gauge_with_registry,
};

use super::channel::Channel;

/// Values that are read for each scrape.
#[derive(Clone, Debug)]
pub struct Gauges {
    /// Database pools.
    pub pools: Vec<PoolGauges>,
    /// Values from the database; none if it does not respond.
    pub database: Option<DatabaseGauges>,
    /// Free bytes on its disk; none if unknown.
    pub disk_free_bytes: Option<u64>,
    /// Lag of the read replica, none if it is not used; none without one.
    pub read_replica: Option<Option<Duration>>,
    /// Milliseconds by which this machine's clock is ahead of the database server's; none if not measured.
    pub clock_difference_ms: Option<i64>,
    /// Version of this program's newest migration.
    pub known_schema: i64,
    /// False if this program may not use the schema any more.
    pub may_use_schema: bool,
    /// Slow statements since the start.
    pub slow_statements: u64,
    /// Days since the release of the time zone data.
    pub zone_data_age_days: i64,
}

/// Connections of a pool.
#[derive(Clone, Copy, Debug)]
pub struct PoolGauges {
    /// Name.
    pub name: &'static str,
    /// Open connections.
    pub open: u32,
    /// Open connections that are not in use.
    pub idle: usize,
    /// Most open connections.
    pub max: u32,
}

/// Values from the database.
#[derive(Clone, Copy, Debug)]
pub struct DatabaseGauges {
    /// Messages that wait in each channel.
    pub queues: [(Channel, QueueGauges); 2],
    /// Live reservations.
    pub reservations_live: i64,
    /// Size of the database, in bytes.
    pub bytes: i64,
    /// Version of the newest migration that has run.
    pub schema: i64,
}

/// Messages of a channel that wait.
#[derive(Clone, Copy, Debug)]
pub struct QueueGauges {
    /// Number of messages.
    pub waiting: i64,
    /// Milliseconds for which the oldest one is due.
    pub oldest_age_ms: i64,
}

/// Families of the values. Those of vectors without labels have no series while the value is unknown.
pub(super) struct GaugeFamilies {
    connections: IntGaugeVec,
    max_connections: IntGaugeVec,
    messages_waiting: IntGaugeVec,
    oldest_message_age: GaugeVec,
    reservations_live: IntGaugeVec,
    database_bytes: IntGaugeVec,
    schema_version: IntGaugeVec,
    known_schema: IntGauge,
    may_use_schema: IntGauge,
    slow_statements: IntCounter,
    clock_difference: GaugeVec,
    disk_free_bytes: IntGauge,
    read_replica_used: IntGaugeVec,
    read_replica_lag: GaugeVec,
    zone_data: IntGaugeVec,
    zone_data_age_days: IntGauge,
}

impl GaugeFamilies {
    pub(super) fn new(registry: &Registry) -> prometheus::Result<Self> {
        Ok(Self {
            connections: register_int_gauge_vec_with_registry!(
                "booking_database_connections",
                "Connections to the database",
                &["pool", "state"],
                registry
            )?,
            max_connections: register_int_gauge_vec_with_registry!(
                "booking_database_connections_max",
                "Largest number of connections of a pool",
                &["pool"],
                registry
            )?,
            messages_waiting: register_int_gauge_vec_with_registry!(
                "booking_messages_waiting",
                "Messages that are due or will be retried, of which 1,000 are counted; from the database, so all replicas have the same value",
                &["channel"],
                registry
            )?,
            oldest_message_age: register_gauge_vec_with_registry!(
                "booking_oldest_message_age_seconds",
                "Time for which the oldest waiting message is due; from the database, so all replicas have the same value",
                &["channel"],
                registry
            )?,
            reservations_live: register_int_gauge_vec_with_registry!(
                "booking_reservations_live",
                "Live reservations; from the database, so all replicas have the same value",
                &[],
                registry
            )?,
            database_bytes: register_int_gauge_vec_with_registry!(
                "booking_database_bytes",
                "Size of the database without its log; all replicas have the same value",
                &[],
                registry
            )?,
            schema_version: register_int_gauge_vec_with_registry!(
                "booking_schema_version",
                "Newest migration of the database; all replicas have the same value",
                &[],
                registry
            )?,
            known_schema: register_int_gauge_with_registry!(
                "booking_schema_version_known",
                "Newest migration that this program knows",
                registry
            )?,
            may_use_schema: register_int_gauge_with_registry!(
                "booking_schema_usable",
                "1 if this program may use the database, 0 after a newer version has excluded it",
                registry
            )?,
            slow_statements: register_int_counter_with_registry!(
                "booking_slow_statements_total",
                "SQL statements that took half a second or longer, with waiting for locks; the log names them",
                registry
            )?,
            clock_difference: register_gauge_vec_with_registry!(
                "booking_clock_difference_seconds",
                "Time by which this machine's clock is ahead of the database server's at least; none with SQLite",
                &[],
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
        })
    }

    pub(super) fn set(&self, gauges: &Gauges) {
        for pool in &gauges.pools {
            let idle = i64::try_from(pool.idle).unwrap_or(0);
            let gauge = |state| self.connections.with_label_values(&[pool.name, state]);
            gauge("used").set(i64::from(pool.open) - idle);
            gauge("idle").set(idle);
            let max = self.max_connections.with_label_values(&[pool.name]);
            max.set(i64::from(pool.max));
        }
        self.set_database(gauges.database);
        if let Some(bytes) = gauges.disk_free_bytes {
            let bytes = i64::try_from(bytes).unwrap_or(i64::MAX);
            self.disk_free_bytes.set(bytes);
        }
        if let Some(lag) = gauges.read_replica {
            set(&self.read_replica_used, &[], Some(i64::from(lag.is_some())));
            let lag = lag.map(|lag| lag.as_secs_f64());
            set_float(&self.read_replica_lag, &[], lag);
        }
        let difference = gauges.clock_difference_ms.map(seconds);
        set_float(&self.clock_difference, &[], difference);
        self.known_schema.set(gauges.known_schema);
        self.may_use_schema.set(i64::from(gauges.may_use_schema));
        let counted = self.slow_statements.get();
        let more = gauges.slow_statements.saturating_sub(counted);
        self.slow_statements.inc_by(more);
        let zones = booking_zones::current::data();
        self.zone_data.reset();
        let labels = [&*zones.version().to_string(), &*zones.source().to_string()];
        set(&self.zone_data, &labels, Some(1));
        self.zone_data_age_days.set(gauges.zone_data_age_days);
    }

    fn set_database(&self, database: Option<DatabaseGauges>) {
        for channel in Channel::ALL {
            let queues = database.map(|database| database.queues);
            let queue = queues.and_then(|queues| queues.into_iter().find(|(it, _)| *it == channel));
            let labels = [channel.name()];
            let waiting = queue.map(|(_, queue)| queue.waiting);
            set(&self.messages_waiting, &labels, waiting);
            let age = queue.map(|(_, queue)| seconds(queue.oldest_age_ms));
            set_float(&self.oldest_message_age, &labels, age);
        }
        let reservations = database.map(|database| database.reservations_live);
        set(&self.reservations_live, &[], reservations);
        let bytes = database.map(|database| database.bytes);
        set(&self.database_bytes, &[], bytes);
        let schema = database.map(|database| database.schema);
        set(&self.schema_version, &[], schema);
    }
}

/// Sets a value; removes the series of an unknown one.
fn set(family: &IntGaugeVec, labels: &[&str], value: Option<i64>) {
    match value {
        Some(value) => family.with_label_values(labels).set(value),
        // Fails if there is no such series.
        None => drop(family.remove_label_values(labels)),
    }
}

/// Sets a value; removes the series of an unknown one.
fn set_float(family: &GaugeVec, labels: &[&str], value: Option<f64>) {
    match value {
        Some(value) => family.with_label_values(labels).set(value),
        // Fails if there is no such series.
        None => drop(family.remove_label_values(labels)),
    }
}

/// Converts milliseconds.
#[expect(
    clippy::cast_precision_loss,
    reason = "milliseconds of this century are exact"
)]
pub(super) fn seconds(milliseconds: i64) -> f64 {
    milliseconds as f64 / 1000.0
}
