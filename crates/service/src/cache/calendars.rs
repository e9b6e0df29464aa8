//! Cache of what slots are computed from: event types, working hours and busy times of hosts.
//!
//! Most visitors ask for other slots than the last one, but of the same hosts. Each part is valid for
//! a version in the database, which every write changes in its own transaction
//! ([`crate::store::busy::versions`]): one small query per request tells which parts are current, also
//! with several replicas. A part gets the version that was read before it, so that it can be newer
//! than its version but never older.
//!
//! Versions and parts are read with one connection. If it is that of a read replica, which is behind, both are older, and
//! still a part is never older than its version. As versions are random numbers that do not come back, a part is valid for
//! every reader of its version, from the replica or from the primary server, whichever it came from. Versions of the
//! primary server with parts of the replica would not do: an old part would get a new version.
//!
//! Busy times of what is about to be booked are always read in the transaction of the booking, without this cache.
//! Event types and working hours come from it; the transaction reads the version of these again.

use std::sync::Arc;

use booking_rules::availability::{Calendar, DAY, Host, Rules, TimeRange};
use quick_cache::Weighter;
use quick_cache::sync::Cache;

use crate::error::Result;
use crate::store::Db;
use crate::store::busy::{
    self, BusyQuery, CalendarVersions, CountedMeetings, HostBusyTimes, KnownHosts, Scope,
    SeatedRows,
};
use crate::store::event_types::StoredEventType;

/// Approximate size in bytes of each kind of part that stays in memory.
const MAX_BYTES: u64 = 12 * 1024 * 1024;

/// Number of parts to make room for at the start.
const EXPECTED_PARTS: usize = 256;

/// Approximate size in bytes of an event type or a host.
const RECORD_BYTES: usize = 1024;

/// Approximate size in bytes of a busy time, a meeting or the hours of a day.
const TIME_BYTES: usize = 96;

/// Lengths in days that queries have: a day, a month, or the longest range that can be requested, each
/// with the days around it.
const QUERY_DAYS: [i64; 3] = [8, 40, 112];

/// An event type and the versions that were current before it was read.
#[derive(Clone, Debug)]
pub struct CurrentEventType {
    /// The event type.
    pub stored: Arc<StoredEventType>,
    versions: CalendarVersions,
}

impl CurrentEventType {
    /// Returns the version of what the event type was read from.
    pub fn setup(&self) -> i64 {
        self.versions.setup
    }
}

/// Event type, or the user ids of a group.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct HostsKey {
    event_type_id: i64,
    group: Vec<i64>,
    range: TimeRange,
    /// Generation of the time zone data that the working hours were read with.
    zones: u64,
}

/// Id of a user or of an event type, and the range that was read.
type RangeKey = (i64, TimeRange);

/// Parts of one kind with their versions; the most used of them stay.
type Parts<K, V, T> = Cache<K, (V, Arc<T>), PartSize>;

/// Cached parts. Clones share them.
#[derive(Clone, Debug)]
pub struct CalendarCache(Arc<CachedParts>);

#[derive(Debug)]
struct CachedParts {
    /// By a text that identifies the event type in a request.
    event_types: Parts<String, i64, StoredEventType>,
    hosts: Parts<HostsKey, i64, Vec<Host>>,
    busy_times: Parts<RangeKey, i64, HostBusyTimes>,
    seated: Parts<RangeKey, i64, SeatedRows>,
    counted: Parts<RangeKey, i64, CountedMeetings>,
}

impl Default for CalendarCache {
    fn default() -> Self {
        Self(Arc::new(CachedParts {
            event_types: parts(),
            hosts: parts(),
            busy_times: parts(),
            seated: parts(),
            counted: parts(),
        }))
    }
}

fn parts<K: Eq + std::hash::Hash, V: Clone, T: Size>() -> Parts<K, V, T> {
    Cache::with_weighter(EXPECTED_PARTS, MAX_BYTES, PartSize)
}

impl CalendarCache {
    /// Returns a cached event type if it is current.
    pub async fn event_type(&self, db: &mut Db, key: &str) -> Result<Option<CurrentEventType>> {
        let Some((version, stored)) = self.0.event_types.get(key) else {
            return Ok(None);
        };
        let versions = busy::versions(db, &stored).await?;
        let is_current = versions.setup == version;
        Ok(is_current.then_some(CurrentEventType { stored, versions }))
    }

    /// Caches an event type, with its versions before it was read.
    pub fn add_event_type(
        &self,
        key: String,
        stored: StoredEventType,
        versions: CalendarVersions,
    ) -> CurrentEventType {
        let stored = add(&self.0.event_types, key, versions.setup, stored);
        CurrentEventType { stored, versions }
    }

    /// Returns the same as [`busy::calendar`], from parts that are current.
    pub async fn calendar(
        &self,
        db: &mut Db,
        current: &CurrentEventType,
        rules: &Rules,
        query: BusyQuery<'_>,
    ) -> Result<Calendar> {
        let stored = current.stored.as_ref();
        let scope = Scope::of(stored, query);
        let mut hosts = self.hosts(db, current, scope).await?;
        if hosts.is_empty() {
            return Ok(Calendar::default());
        }
        self.add_busy_times(db, current, scope, &mut hosts).await?;
        let seated = match rules.seated {
            true => Some(self.seated(db, current, scope).await?),
            false => None,
        };
        let counted = match scope.counted_range(rules) {
            Some(range) => Some(self.counted(db, current, scope, range).await?),
            None => None,
        };
        Ok(busy::assemble(
            query,
            stored,
            hosts,
            seated.as_deref(),
            counted.as_deref(),
        ))
    }

    /// Returns the hosts and their working hours for a query.
    pub async fn known_hosts(
        &self,
        db: &mut Db,
        current: &CurrentEventType,
        query: BusyQuery<'_>,
    ) -> Result<KnownHosts> {
        let scope = Scope::of(&current.stored, query);
        Ok(KnownHosts {
            hosts: self.hosts(db, current, scope).await?,
            range: covering(scope.range),
            setup: current.setup(),
        })
    }

    async fn hosts(
        &self,
        db: &mut Db,
        current: &CurrentEventType,
        scope: Scope,
    ) -> Result<Vec<Host>> {
        let stored = current.stored.as_ref();
        let key = HostsKey {
            event_type_id: scope.event_type_id,
            group: if stored.is_group() {
                stored.host_ids()
            } else {
                Vec::new()
            },
            range: covering(scope.range),
            zones: booking_zones::current::generation(),
        };
        let version = current.versions.setup;
        if let Some(hosts) = current_part(&self.0.hosts, &key, version) {
            return Ok(hosts.as_ref().clone());
        }
        let hosts = busy::working_hours(db, stored, key.range).await?;
        add(&self.0.hosts, key, version, hosts.clone());
        Ok(hosts)
    }

    async fn add_busy_times(
        &self,
        db: &mut Db,
        current: &CurrentEventType,
        scope: Scope,
        hosts: &mut [Host],
    ) -> Result<()> {
        let range = covering(scope.range);
        let version = |id| current.versions.host(id);
        let mut missing = Vec::new();
        for host in hosts.iter_mut() {
            match current_part(&self.0.busy_times, &(host.id, range), version(host.id)) {
                Some(times) => times.add_to(host, scope),
                None => missing.push(host.id),
            }
        }
        if missing.is_empty() {
            return Ok(());
        }
        let (mut read, _) = busy::busy_times(db, &missing, range, scope.now, None).await?;
        for host in hosts.iter_mut().filter(|host| missing.contains(&host.id)) {
            let times = read.remove(&host.id).unwrap_or_default();
            times.add_to(host, scope);
            add(
                &self.0.busy_times,
                (host.id, range),
                version(host.id),
                times,
            );
        }
        Ok(())
    }

    async fn seated(
        &self,
        db: &mut Db,
        current: &CurrentEventType,
        scope: Scope,
    ) -> Result<Arc<SeatedRows>> {
        let key = (scope.event_type_id, covering(scope.range));
        let version = current.versions.event_type;
        if let Some(rows) = current_part(&self.0.seated, &key, version) {
            return Ok(rows);
        }
        let rows = busy::seated_rows(db, key.0, key.1, scope.now).await?;
        Ok(add(&self.0.seated, key, version, rows))
    }

    async fn counted(
        &self,
        db: &mut Db,
        current: &CurrentEventType,
        scope: Scope,
        range: TimeRange,
    ) -> Result<Arc<CountedMeetings>> {
        let key = (scope.event_type_id, covering(range));
        let version = current.versions.event_type;
        if let Some(meetings) = current_part(&self.0.counted, &key, version) {
            return Ok(meetings);
        }
        let meetings = busy::counted_meetings(db, key.0, key.1, scope.now).await?;
        Ok(add(&self.0.counted, key, version, meetings))
    }
}

fn current_part<K, V, T>(parts: &Parts<K, V, T>, key: &K, version: V) -> Option<Arc<T>>
where
    K: Eq + std::hash::Hash,
    V: Clone + PartialEq,
    T: Size,
{
    let (cached, value) = parts.get(key)?;
    (cached == version).then_some(value)
}

fn add<K, V, T>(parts: &Parts<K, V, T>, key: K, version: V, value: T) -> Arc<T>
where
    K: Eq + std::hash::Hash,
    V: Clone,
    T: Size,
{
    let value = Arc::new(value);
    parts.insert(key, (version, value.clone()));
    value
}

/// Returns a range around `range` that queries for about the same range share.
fn covering(range: TimeRange) -> TimeRange {
    let days = range.end.saturating_sub(range.start) / DAY + 1;
    let length = QUERY_DAYS.into_iter().find(|length| *length >= days);
    let length = length.unwrap_or_else(|| days + 1);
    let step = length / 2 * DAY;
    let start = range.start.div_euclid(step).saturating_mul(step);
    // The start of `range` is within the first step of three.
    TimeRange::new(start, start.saturating_add(step.saturating_mul(3)))
}

/// Approximate size in memory.
trait Size {
    fn bytes(&self) -> usize;
}

impl Size for StoredEventType {
    fn bytes(&self) -> usize {
        4 * RECORD_BYTES + self.host_ids().len() * RECORD_BYTES
    }
}

impl Size for Vec<Host> {
    fn bytes(&self) -> usize {
        let hours = |host: &Host| host.schedule.week.len() + host.schedule.overrides.len();
        self.len() * RECORD_BYTES + self.iter().map(hours).sum::<usize>() * TIME_BYTES
    }
}

impl Size for HostBusyTimes {
    fn bytes(&self) -> usize {
        RECORD_BYTES + self.count() * TIME_BYTES
    }
}

impl Size for SeatedRows {
    fn bytes(&self) -> usize {
        RECORD_BYTES + self.count() * 2 * TIME_BYTES
    }
}

impl Size for CountedMeetings {
    fn bytes(&self) -> usize {
        RECORD_BYTES + self.count() * TIME_BYTES
    }
}

/// Weight of a part: its size in bytes.
#[derive(Clone, Debug)]
struct PartSize;

impl<K, V, T: Size> Weighter<K, (V, Arc<T>)> for PartSize {
    fn weight(&self, _: &K, (_, value): &(V, Arc<T>)) -> u64 {
        value.bytes() as u64
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn range_is_covered_and_shared_with_near_ones() {
        let day = |start: i64, days: i64| TimeRange::new(start, start + days * DAY - 1);
        for start in (-400..400).map(|eighth| 1_803_859_200_000 + eighth * DAY / 8) {
            for days in [1, 5, 8, 34, 40, 104, 112, 113, 250] {
                let range = day(start, days);
                let covering = covering(range);
                assert!(covering.start <= range.start && range.end <= covering.end);
                assert!(covering.end - covering.start <= (2 * days).max(168) * DAY);
            }
        }
        let month = covering(day(1_803_859_200_000, 34));
        assert_eq!(covering(day(1_803_859_200_000 + DAY / 2, 33)), month);
    }

    #[test]
    fn range_at_the_ends_of_time_does_not_overflow() {
        for range in [
            TimeRange::new(i64::MIN, i64::MAX),
            TimeRange::new(i64::MAX - 5, i64::MAX),
            TimeRange::new(i64::MIN, i64::MIN + 5),
        ] {
            let _ = covering(range);
        }
    }
}
