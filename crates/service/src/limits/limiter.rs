//! Rate limiter (contract 8).
//!
//! Counts requests by a hash of the client's key in bounded memory. A restart loses the counts, and
//! processes do not share them. `governor` has neither blocks that outlast the window nor a bound on keys.

use std::collections::HashMap;
use std::fmt;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use booking_wire::Instant;
use sha2::{Digest, Sha256};

use crate::clock::Clock;
use crate::error::{Error, Result};

/// Calls per minute that a caller has unless configured otherwise.
pub const DEFAULT_RATE: u32 = 120;
/// The same where somebody tries the service out: one person, several windows, impatient.
pub const DEMO_RATE: u32 = 6_000;

/// Callers remembered at most. Each takes less than a hundred bytes.
const MOST_WINDOWS: usize = 100_000;
/// Credentials whose owner is remembered at most.
const MOST_GENUINE: usize = 50_000;
/// Time for which the owner of a credential is remembered after it was looked up.
const GENUINE_MS: i64 = 10 * 60_000;
/// Time between two removals of entries that have expired, in milliseconds.
const SWEEP_MS: i64 = 30_000;

/// So many calls in so much time, and for how long a caller is not heard who exceeds it.
#[derive(Clone, Copy, Debug)]
pub struct Rule {
    /// Tells the rule's counts from those of other rules.
    pub name: &'static str,
    /// Calls that are allowed.
    pub count: u32,
    /// The time they are counted in, from the first of them.
    pub per: Duration,
    /// For how long a caller is refused who exceeds the count; zero: until the time is over.
    pub block: Duration,
}

/// Remaining requests of a caller.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Usage {
    /// Calls that are allowed.
    pub limit: u32,
    /// Calls left until the time is over.
    pub remaining: u32,
    /// Seconds until the count starts again.
    pub reset_s: u64,
    /// True if this request exceeds the limit.
    pub exceeded: bool,
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

/// A caller under a rule: half of a SHA-256, so that no credential is kept in memory.
type Key = [u8; 16];

#[derive(Default)]
struct Counts {
    windows: HashMap<Key, Window>,
    /// Owner of a credential, and until when (epoch milliseconds) that is taken for true.
    genuine: HashMap<Key, (String, i64)>,
    swept_ms: i64,
}

/// The calls of one caller under one rule.
struct Window {
    started_ms: i64,
    ends_ms: i64,
    count: u32,
    blocked: bool,
}

impl Window {
    /// A window that starts in the future was made before the clock was set back.
    fn holds_at(&self, now: i64) -> bool {
        self.started_ms <= now && now < self.ends_ms
    }
}

impl Limiter {
    /// Counts in the time of `clock`.
    pub fn new(clock: Clock) -> Self {
        Self {
            clock,
            counts: Arc::default(),
        }
    }

    /// Counts a call of `key` under the rule `name`, which allows `count` calls in `per` from the
    /// first of them, and refuses it if it is one too many.
    pub fn check(&self, name: &'static str, key: &str, count: u32, per: Duration) -> Result<Usage> {
        let usage = self.count(
            &Rule {
                name,
                count,
                per,
                block: Duration::ZERO,
            },
            key,
        );
        if usage.exceeded {
            Err(Error::TooManyRequests {
                retry_after_s: usage.reset_s,
            })
        } else {
            Ok(usage)
        }
    }

    /// Counts a call of `key` and says what is left.
    pub fn count(&self, rule: &Rule, key: &str) -> Usage {
        self.count_many(rule, key, 1)
    }

    /// Counts `number` calls of `key` at once and says what is left.
    pub fn count_many(&self, rule: &Rule, key: &str, number: u32) -> Usage {
        let now = self.clock.now();
        let mut counts = self.counts();
        counts.sweep(now);
        let window = counts
            .windows
            .entry(hashed(rule.name, key))
            .or_insert(Window {
                started_ms: now.0,
                ends_ms: i64::MIN,
                count: 0,
                blocked: false,
            });
        if !window.holds_at(now.0) {
            *window = Window {
                started_ms: now.0,
                ends_ms: now.0.saturating_add(millis(rule.per)),
                count: 0,
                blocked: false,
            };
        }
        window.count = window.count.saturating_add(number);
        let exceeded = window.count > rule.count;
        if exceeded && !window.blocked {
            window.blocked = true;
            if !rule.block.is_zero() {
                window.ends_ms = now.0.saturating_add(millis(rule.block));
            }
        }
        let left_ms = window.ends_ms.saturating_sub(now.0).max(0);
        Usage {
            limit: rule.count,
            remaining: rule.count.saturating_sub(window.count),
            reset_s: u64::try_from(left_ms).unwrap_or(0).div_ceil(1000),
            exceeded,
        }
    }

    /// Returns true if `key` has exceeded `rule` and is refused. Counts nothing.
    pub fn is_blocked(&self, rule: &Rule, key: &str) -> bool {
        let now = self.clock.now().0;
        let counts = self.counts();
        let window = counts.windows.get(&hashed(rule.name, key));
        window.is_some_and(|window| window.holds_at(now) && window.count >= rule.count)
    }

    /// Owner that `credential` had a short while ago.
    pub fn known(&self, credential: &str) -> Option<String> {
        let now = self.clock.now().0;
        let counts = self.counts();
        let (caller, until) = counts.genuine.get(&hashed("", credential))?;
        let is_fresh = now < *until && *until <= now.saturating_add(GENUINE_MS);
        is_fresh.then(|| caller.clone())
    }

    /// Remembers for a while whose `credential` is.
    pub fn remember(&self, credential: &str, caller: String) {
        let now = self.clock.now();
        let mut counts = self.counts();
        counts.sweep(now);
        let until = now.0.saturating_add(GENUINE_MS);
        counts
            .genuine
            .insert(hashed("", credential), (caller, until));
    }

    fn counts(&self) -> MutexGuard<'_, Counts> {
        // Nothing that holds the lock can leave the counts half-written.
        self.counts.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Counts {
    /// Drops what is over, now and then or when there is too much.
    fn sweep(&mut self, now: Instant) {
        let due = now.0 < self.swept_ms || now.0 >= self.swept_ms.saturating_add(SWEEP_MS);
        let full = self.windows.len() >= MOST_WINDOWS || self.genuine.len() >= MOST_GENUINE;
        if !due && !full {
            return;
        }
        self.swept_ms = now.0;
        self.windows.retain(|_, window| window.holds_at(now.0));
        self.genuine.retain(|_, (_, until)| now.0 < *until);
        if self.windows.len() >= MOST_WINDOWS {
            // Somebody calls from very many addresses. Those who are refused stay refused.
            self.windows.retain(|_, window| window.blocked);
            if self.windows.len() >= MOST_WINDOWS / 2 {
                self.windows.clear();
            }
        }
        if self.genuine.len() >= MOST_GENUINE {
            self.genuine.clear();
        }
    }
}

fn hashed(name: &str, key: &str) -> Key {
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

    const MINUTE: Duration = Duration::from_secs(60);

    fn limiter() -> (Clock, Limiter) {
        let clock = Clock::stopped_at(Instant(1_000_000_000));
        (clock.clone(), Limiter::new(clock))
    }

    #[test]
    fn the_call_after_the_last_allowed_one_is_refused_until_the_time_is_over() {
        let (clock, limiter) = limiter();
        for left in [2, 1, 0] {
            let usage = limiter.check("guests", "ada", 3, MINUTE).unwrap();
            assert_eq!((usage.remaining, usage.reset_s), (left, 60));
        }
        let refused = limiter.check("guests", "ada", 3, MINUTE).unwrap_err();
        assert_eq!(refused.retry_after_s(), Some(60));
        assert!(limiter.check("guests", "bob", 3, MINUTE).is_ok());
        assert!(limiter.check("other", "ada", 3, MINUTE).is_ok());
        clock.advance_minutes(1);
        assert!(limiter.check("guests", "ada", 3, MINUTE).is_ok());
    }

    #[test]
    fn who_exceeds_a_rule_with_a_block_waits_from_that_moment_on() {
        let (clock, limiter) = limiter();
        let rule = Rule {
            name: "default",
            count: 1,
            per: 2 * MINUTE,
            block: 5 * MINUTE,
        };
        assert!(!limiter.count(&rule, "ada").exceeded);
        clock.advance_minutes(1);
        assert_eq!(limiter.count(&rule, "ada").reset_s, 300);
        clock.advance_minutes(4);
        // Calling on does not make the wait longer.
        let usage = limiter.count(&rule, "ada");
        assert!(usage.exceeded);
        assert_eq!(usage.reset_s, 60);
        clock.advance_minutes(1);
        assert!(!limiter.count(&rule, "ada").exceeded);
    }

    #[test]
    fn a_clock_that_is_set_back_locks_nobody_out() {
        let (clock, limiter) = limiter();
        assert!(limiter.check("x", "ada", 1, MINUTE).is_ok());
        assert!(limiter.check("x", "ada", 1, MINUTE).is_err());
        clock.advance_minutes(-60);
        assert!(limiter.check("x", "ada", 1, MINUTE).is_ok());
    }

    #[test]
    fn very_many_callers_take_bounded_memory_and_free_nobody_who_is_refused() {
        let (_, limiter) = limiter();
        assert!(limiter.check("x", "loud", 1, MINUTE).is_ok());
        assert!(limiter.check("x", "loud", 1, MINUTE).is_err());
        for caller in 0..MOST_WINDOWS + 10 {
            limiter.check("x", &caller.to_string(), 1, MINUTE).unwrap();
            limiter.remember(&caller.to_string(), "user 1".to_owned());
        }
        assert!(limiter.counts().windows.len() <= MOST_WINDOWS);
        assert!(limiter.counts().genuine.len() <= MOST_GENUINE);
        assert!(limiter.check("x", "loud", 1, MINUTE).is_err());
    }

    #[test]
    fn what_is_over_is_dropped() {
        let (clock, limiter) = limiter();
        for caller in 0..1000 {
            limiter.check("x", &caller.to_string(), 1, MINUTE).unwrap();
            limiter.remember(&caller.to_string(), "user 1".to_owned());
        }
        assert_eq!(limiter.known("7").as_deref(), Some("user 1"));
        clock.advance_minutes(11);
        assert_eq!(limiter.known("7"), None);
        limiter.check("x", "last", 1, MINUTE).unwrap();
        assert_eq!(limiter.counts().windows.len(), 1);
        assert_eq!(limiter.counts().genuine.len(), 0);
    }
}
