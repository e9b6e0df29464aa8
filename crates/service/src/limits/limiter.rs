//! Rate limiter.
//!
//! Counts requests by a hash of the client's key in bounded memory. A restart loses the counts, and
//! processes do not share them. The crate `governor` supports neither blocks longer than the window
//! nor a limit on the number of keys.

use std::collections::HashMap;
use std::fmt;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use booking_wire::Instant;
use sha2::{Digest, Sha256};

use crate::clock::Clock;
use crate::error::{Error, Result};

/// Window of limits per minute.
pub const MINUTE: Duration = Duration::from_secs(60);

/// Window of limits per hour.
pub const HOUR: Duration = Duration::from_secs(60 * 60);

/// Default number of calls per minute and caller.
pub const DEFAULT_RATE: u32 = 120;

/// Default number of calls per minute in a private demo.
pub const DEMO_RATE: u32 = 6_000;

/// Most windows in memory. Each takes less than a hundred bytes.
const MAX_WINDOWS: usize = 100_000;

/// Most credentials whose owner is cached.
const MAX_CREDENTIALS: usize = 50_000;

/// Time for which the owner of a credential is cached, in milliseconds.
const CREDENTIAL_TTL_MS: i64 = 10 * 60_000;

/// Time between two removals of expired entries, in milliseconds.
const CLEANUP_INTERVAL_MS: i64 = 30_000;

/// A rate limit: the most calls per window, and the block after exceeding it.
#[derive(Clone, Copy, Debug)]
pub struct RateLimit {
    /// Name, which separates the counts from those of other limits.
    pub name: &'static str,
    /// Most calls per window.
    pub count: u32,
    /// Length of the window, which starts with the first call.
    pub per: Duration,
    /// Duration of the block after exceeding the limit; zero: until the end of the window.
    pub block: Duration,
}

impl RateLimit {
    /// Returns a limit without a block.
    pub fn new(name: &'static str, count: u32, per: Duration) -> Self {
        Self {
            name,
            count,
            per,
            block: Duration::ZERO,
        }
    }
}

/// Remaining calls of a caller.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Usage {
    /// Most calls per window.
    pub limit: u32,
    /// Calls left in the window.
    pub remaining: u32,
    /// Seconds until the end of the window or block.
    pub reset_s: u64,
    /// True if this call exceeds the limit.
    pub is_exceeded: bool,
}

/// Counts calls. Clones share the counts.
#[derive(Clone)]
pub struct Limiter {
    clock: Clock,
    counts: Arc<Mutex<Counts>>,
}

impl fmt::Debug for Limiter {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Limiter(..)")
    }
}

/// Hash of a limit's name and a caller's key: half of a SHA-256, so that no credential stays in
/// memory.
type Key = [u8; 16];

#[derive(Default)]
struct Counts {
    windows: HashMap<Key, Window>,
    /// Owner of a credential and the expiry of this entry in epoch milliseconds.
    credential_owners: HashMap<Key, (String, i64)>,
    cleaned_up_ms: i64,
}

/// The calls of one caller under one limit.
struct Window {
    started_ms: i64,
    ends_ms: i64,
    count: u32,
    is_blocked: bool,
}

impl Window {
    /// A window that starts in the future is invalid: the clock was set back since.
    fn is_active_at(&self, now: i64) -> bool {
        self.started_ms <= now && now < self.ends_ms
    }
}

impl Limiter {
    /// Returns a limiter without counts.
    pub fn new(clock: Clock) -> Self {
        Self {
            clock,
            counts: Arc::default(),
        }
    }

    /// Counts a call of `key` under the limit `name` of `count` calls in `per`.
    ///
    /// # Errors
    ///
    /// [`Error::TooManyRequests`] if the call exceeds the limit.
    pub fn check(&self, name: &'static str, key: &str, count: u32, per: Duration) -> Result<Usage> {
        let usage = self.count(&RateLimit::new(name, count, per), key);
        if usage.is_exceeded {
            Err(Error::TooManyRequests {
                retry_after_s: usage.reset_s,
            })
        } else {
            Ok(usage)
        }
    }

    /// Counts a call of `key` and returns the remaining calls.
    pub fn count(&self, limit: &RateLimit, key: &str) -> Usage {
        let now = self.clock.now();
        let mut counts = self.counts();
        counts.remove_expired(now);
        let window = counts
            .windows
            .entry(hash_key(limit.name, key))
            .or_insert(Window {
                started_ms: now.0,
                ends_ms: i64::MIN,
                count: 0,
                is_blocked: false,
            });
        if !window.is_active_at(now.0) {
            *window = Window {
                started_ms: now.0,
                ends_ms: now.0.saturating_add(millis(limit.per)),
                count: 0,
                is_blocked: false,
            };
        }
        window.count = window.count.saturating_add(1);
        let is_exceeded = window.count > limit.count;
        if is_exceeded && !window.is_blocked {
            window.is_blocked = true;
            if !limit.block.is_zero() {
                window.ends_ms = now.0.saturating_add(millis(limit.block));
            }
        }
        let remaining_ms = window.ends_ms.saturating_sub(now.0).max(0);
        Usage {
            limit: limit.count,
            remaining: limit.count.saturating_sub(window.count),
            reset_s: u64::try_from(remaining_ms).unwrap_or(0).div_ceil(1000),
            is_exceeded,
        }
    }

    /// Returns true if `key` has reached the limit of `limit`. Counts nothing.
    pub fn is_blocked(&self, limit: &RateLimit, key: &str) -> bool {
        let now = self.clock.now().0;
        let counts = self.counts();
        let window = counts.windows.get(&hash_key(limit.name, key));
        window.is_some_and(|window| window.is_active_at(now) && window.count >= limit.count)
    }

    /// Cached owner of `credential`.
    pub fn credential_owner(&self, credential: &str) -> Option<String> {
        let now = self.clock.now().0;
        let counts = self.counts();
        let (caller, until) = counts.credential_owners.get(&hash_key("", credential))?;
        let is_fresh = now < *until && *until <= now.saturating_add(CREDENTIAL_TTL_MS);
        is_fresh.then(|| caller.clone())
    }

    /// Caches the owner of `credential`.
    pub fn cache_credential_owner(&self, credential: &str, caller: String) {
        let now = self.clock.now();
        let mut counts = self.counts();
        counts.remove_expired(now);
        let until = now.0.saturating_add(CREDENTIAL_TTL_MS);
        counts
            .credential_owners
            .insert(hash_key("", credential), (caller, until));
    }

    fn counts(&self) -> MutexGuard<'_, Counts> {
        // A panic cannot leave the counts half-written, so poisoning is ignored.
        self.counts.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Counts {
    /// Removes expired entries, periodically and when the memory limits are reached.
    fn remove_expired(&mut self, now: Instant) {
        let due = now.0 < self.cleaned_up_ms
            || now.0 >= self.cleaned_up_ms.saturating_add(CLEANUP_INTERVAL_MS);
        let full =
            self.windows.len() >= MAX_WINDOWS || self.credential_owners.len() >= MAX_CREDENTIALS;
        if !due && !full {
            return;
        }
        self.cleaned_up_ms = now.0;
        self.windows.retain(|_, window| window.is_active_at(now.0));
        self.credential_owners
            .retain(|_, (_, until)| now.0 < *until);
        if self.windows.len() >= MAX_WINDOWS {
            // An attack from very many addresses. Blocked callers stay blocked.
            self.windows.retain(|_, window| window.is_blocked);
            if self.windows.len() >= MAX_WINDOWS / 2 {
                self.windows.clear();
            }
        }
        if self.credential_owners.len() >= MAX_CREDENTIALS {
            self.credential_owners.clear();
        }
    }
}

fn hash_key(name: &str, key: &str) -> Key {
    let mut digest = Sha256::new();
    digest.update(name.as_bytes());
    digest.update([0]);
    digest.update(key.as_bytes());
    let digest = digest.finalize();
    let mut short = Key::default();
    for (to, from) in short.iter_mut().zip(digest) {
        *to = from;
    }
    short
}

fn millis(duration: Duration) -> i64 {
    i64::try_from(duration.as_millis()).unwrap_or(i64::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn limiter() -> (Clock, Limiter) {
        let clock = Clock::stopped_at(Instant(1_000_000_000));
        (clock.clone(), Limiter::new(clock))
    }

    #[test]
    fn call_beyond_the_limit_is_rejected_until_the_window_ends() {
        let (clock, limiter) = limiter();
        for left in [2, 1, 0] {
            let usage = limiter.check("guests", "ada", 3, MINUTE).unwrap();
            assert_eq!((usage.remaining, usage.reset_s), (left, 60));
        }
        let error = limiter.check("guests", "ada", 3, MINUTE).unwrap_err();
        assert_eq!(error.retry_after_s(), Some(60));
        assert!(limiter.check("guests", "bob", 3, MINUTE).is_ok());
        assert!(limiter.check("other", "ada", 3, MINUTE).is_ok());
        clock.advance_minutes(1);
        assert!(limiter.check("guests", "ada", 3, MINUTE).is_ok());
    }

    #[test]
    fn caller_who_exceeds_a_limit_with_a_block_is_blocked_from_that_instant() {
        let (clock, limiter) = limiter();
        let limit = RateLimit {
            name: "default",
            count: 1,
            per: 2 * MINUTE,
            block: 5 * MINUTE,
        };
        assert!(!limiter.count(&limit, "ada").is_exceeded);
        clock.advance_minutes(1);
        assert_eq!(limiter.count(&limit, "ada").reset_s, 300);
        clock.advance_minutes(4);
        // Further calls do not extend the block.
        let usage = limiter.count(&limit, "ada");
        assert!(usage.is_exceeded);
        assert_eq!(usage.reset_s, 60);
        clock.advance_minutes(1);
        assert!(!limiter.count(&limit, "ada").is_exceeded);
    }

    #[test]
    fn clock_that_is_set_back_blocks_no_caller() {
        let (clock, limiter) = limiter();
        assert!(limiter.check("x", "ada", 1, MINUTE).is_ok());
        assert!(limiter.check("x", "ada", 1, MINUTE).is_err());
        clock.advance_minutes(-60);
        assert!(limiter.check("x", "ada", 1, MINUTE).is_ok());
    }

    #[test]
    fn very_many_callers_take_bounded_memory_and_unblock_no_caller() {
        let (_, limiter) = limiter();
        assert!(limiter.check("x", "loud", 1, MINUTE).is_ok());
        assert!(limiter.check("x", "loud", 1, MINUTE).is_err());
        for caller in 0..MAX_WINDOWS + 10 {
            limiter.check("x", &caller.to_string(), 1, MINUTE).unwrap();
            limiter.cache_credential_owner(&caller.to_string(), "user 1".to_owned());
        }
        assert!(limiter.counts().windows.len() <= MAX_WINDOWS);
        assert!(limiter.counts().credential_owners.len() <= MAX_CREDENTIALS);
        assert!(limiter.check("x", "loud", 1, MINUTE).is_err());
    }

    #[test]
    fn expired_entries_are_removed() {
        let (clock, limiter) = limiter();
        for caller in 0..1000 {
            limiter.check("x", &caller.to_string(), 1, MINUTE).unwrap();
            limiter.cache_credential_owner(&caller.to_string(), "user 1".to_owned());
        }
        assert_eq!(limiter.credential_owner("7").as_deref(), Some("user 1"));
        clock.advance_minutes(11);
        assert_eq!(limiter.credential_owner("7"), None);
        limiter.check("x", "last", 1, MINUTE).unwrap();
        assert_eq!(limiter.counts().windows.len(), 1);
        assert_eq!(limiter.counts().credential_owners.len(), 0);
    }
}
