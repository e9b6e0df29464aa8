//! Cache of slot responses: many visitors request the same month at the same time.
//!
//! A response is valid for the second of the clock, the database version and the time zone data with which it was built,
//! so that every request after a booking sees the booking. Writes of another process, such as an
//! administrator's command, are visible within that second.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use axum::body::Bytes;
use booking_wire::Instant;

/// Maximum number of cached responses.
const MAX_RESPONSES: usize = 256;

/// Maximum size of a cached response, in bytes.
const MAX_RESPONSE_BYTES: usize = 256 * 1024;

/// Version of the cache: a second of the clock, the write version of the database, and the time zone data.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct CacheVersion {
    second: i64,
    write_version: u64,
    zones: u64,
}

impl CacheVersion {
    /// Version at `now`; `write_version` is from [`booking_store_engine::database::Store::write_version`].
    pub fn new(now: Instant, write_version: u64) -> Self {
        Self {
            second: now.0.div_euclid(1000),
            write_version,
            zones: booking_zones::current::generation(),
        }
    }
}

/// Responses by query string, all of one version. Clones share the cache.
#[derive(Clone, Debug, Default)]
pub struct SlotCache(Arc<Mutex<CachedResponses>>);

#[derive(Debug, Default)]
struct CachedResponses {
    cache_version: CacheVersion,
    by_query: HashMap<String, Bytes>,
}

impl SlotCache {
    /// Returns the response to `query` if it is of this version.
    pub fn get(&self, cache_version: CacheVersion, query: &str) -> Option<Bytes> {
        let responses = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let found = responses.by_query.get(query)?;
        (responses.cache_version == cache_version).then(|| found.clone())
    }

    /// Inserts a response. The caller must read `cache_version` before the response is built and
    /// again afterwards: if they differ, the response may be outdated.
    pub fn insert(&self, cache_version: CacheVersion, query: &str, body: &Bytes) {
        if body.len() > MAX_RESPONSE_BYTES {
            return;
        }
        let mut responses = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if responses.cache_version != cache_version {
            responses.by_query.clear();
            responses.cache_version = cache_version;
        }
        if responses.by_query.len() < MAX_RESPONSES {
            responses.by_query.insert(query.to_owned(), body.clone());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn response_is_valid_for_its_version_only() {
        let slot_cache = SlotCache::default();
        let cache_version = |ms, state| CacheVersion::new(Instant(ms), state);
        slot_cache.insert(cache_version(10_100, 1), "a", &Bytes::from_static(b"A"));
        assert_eq!(slot_cache.get(cache_version(10_900, 1), "a").unwrap(), "A");
        assert_eq!(slot_cache.get(cache_version(10_900, 1), "b"), None);
        assert_eq!(slot_cache.get(cache_version(11_000, 1), "a"), None);
        assert_eq!(slot_cache.get(cache_version(10_900, 2), "a"), None);
        slot_cache.insert(cache_version(11_000, 1), "b", &Bytes::from_static(b"B"));
        assert_eq!(slot_cache.get(cache_version(10_100, 1), "a"), None);
    }

    #[test]
    fn number_and_size_of_responses_are_limited() {
        let slot_cache = SlotCache::default();
        let cache_version = CacheVersion::default();
        for query in 0..2 * MAX_RESPONSES {
            slot_cache.insert(cache_version, &query.to_string(), &Bytes::new());
        }
        assert!(slot_cache.get(cache_version, "0").is_some());
        assert!(
            slot_cache
                .get(cache_version, &MAX_RESPONSES.to_string())
                .is_none()
        );
        slot_cache.insert(
            CacheVersion::new(Instant(5000), 0),
            "large",
            &vec![0; MAX_RESPONSE_BYTES + 1].into(),
        );
        assert_eq!(
            slot_cache.get(CacheVersion::new(Instant(5000), 0), "large"),
            None
        );
    }
}
