//! Cached reads: a repeated query is answered from the cache.

use std::future::Future;
use std::pin::Pin;
use std::rc::Rc;

use booking_ui::prelude::*;

use super::query::{Latest, Load, READ_TIMEOUT_MS, RequestSequence, spawn};
use crate::client::{Abort, ApiError};
use crate::time::{Clock, Instant};

/// Cache size, more than a visitor views in turn; the oldest entry is dropped.
const MAX_ENTRIES: usize = 8;

type ResponseFuture<T> = Pin<Box<dyn Future<Output = Result<T, ApiError>>>>;

/// Result of a changing query, with a cache of earlier results.
pub struct CachedResource<Q: 'static, T: 'static> {
    latest: Latest<T>,
    cache: StoredValue<Cache<Q, T>>,
}

impl<Q, T> Clone for CachedResource<Q, T> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<Q, T> Copy for CachedResource<Q, T> {}

struct Cache<Q, T> {
    fetch: Rc<dyn Fn(Q, Abort) -> ResponseFuture<T>>,
    clock: Clock,
    fresh_ms: i64,
    /// Oldest first.
    entries: Vec<CacheEntry<Q, T>>,
    /// Current query.
    query: Option<Q>,
    /// Prefetched query, which will probably be the next.
    prefetch: Option<(Q, Abort)>,
    /// True if the data shown stays when a reload fails.
    is_quiet: bool,
}

struct CacheEntry<Q, T> {
    query: Q,
    response: T,
    at: Instant,
}

impl<Q: Clone + PartialEq, T: Clone> Cache<Q, T> {
    /// Returns the cached data of `query`, and true if it is fresh.
    fn cached(&self, query: &Q) -> Option<(T, bool)> {
        let entry = self.entries.iter().find(|entry| entry.query == *query)?;
        Some((entry.response.clone(), self.age_ms(entry) < self.fresh_ms))
    }

    /// Returns the age, never negative: a clock may be set back.
    fn age_ms(&self, entry: &CacheEntry<Q, T>) -> i64 {
        (self.clock.now().0 - entry.at.0).abs()
    }

    fn insert(&mut self, query: Q, response: T) {
        self.entries.retain(|entry| entry.query != query);
        if self.entries.len() >= MAX_ENTRIES {
            self.entries.remove(0);
        }
        let at = self.clock.now();
        self.entries.push(CacheEntry {
            query,
            response,
            at,
        });
    }
}

/// Variant of [`latest`](super::query::latest) with a cache: data younger than `fresh_ms` is not requested again,
/// older data is shown during the reload.
pub fn cached<Q, T, F>(
    query: impl Fn() -> Option<Q> + 'static,
    fetch: impl Fn(Q, Abort) -> F + 'static,
    clock: Clock,
    fresh_ms: i64,
) -> CachedResource<Q, T>
where
    Q: Clone + PartialEq + 'static,
    T: Clone + 'static,
    F: Future<Output = Result<T, ApiError>> + 'static,
{
    let resource = CachedResource {
        latest: Latest {
            value: RwSignal::new(Load::Pending),
            requests: RequestSequence::new(),
        },
        cache: StoredValue::new(Cache {
            fetch: Rc::new(move |query, abort| Box::pin(fetch(query, abort))),
            clock,
            fresh_ms,
            entries: Vec::new(),
            query: None,
            prefetch: None,
            is_quiet: false,
        }),
    };
    on_cleanup(move || resource.abort_prefetch());
    let requests = resource.latest.requests;
    requests.run(Box::new(move |is_reload| {
        resource.follow(query(), is_reload);
    }));
    resource
}

impl<Q, T> CachedResource<Q, T>
where
    Q: Clone + PartialEq + 'static,
    T: Clone + 'static,
{
    /// Returns the current state.
    pub fn signal(self) -> ReadSignal<Load<T>> {
        self.latest.signal()
    }

    /// Signal that is true while a request is in progress, even if older data is shown.
    pub fn is_busy(self) -> ReadSignal<bool> {
        self.latest.is_busy()
    }

    /// Signal that is true once a request takes longer than people expect.
    pub fn is_slow(self) -> ReadSignal<bool> {
        self.latest.is_slow()
    }

    /// Reloads the current query and clears the cache, after a change that may affect all entries. The old
    /// data stays until the response.
    pub fn reload(self) {
        self.change(|cache| {
            cache.entries.clear();
            cache.is_quiet = false;
        });
        self.abort_prefetch();
        self.latest.reload();
    }

    /// Reloads the current query in the background: if that fails, the old data stays.
    pub fn refresh(self) {
        if self.latest.requests.is_busy.try_get_untracked() == Some(false) {
            self.change(|cache| cache.is_quiet = true);
            self.latest.reload();
        }
    }

    /// Returns the age of the data shown, in milliseconds.
    pub fn age_ms(self) -> Option<i64> {
        self.change(|cache| {
            let query = cache.query.as_ref()?;
            let entry = cache.entries.iter().find(|entry| entry.query == *query)?;
            Some(cache.age_ms(entry))
        })
        .flatten()
    }

    /// Prefetches a query that will probably be the next.
    pub fn prefetch(self, query: Q) {
        let task = self.change(|cache| {
            let is_cached = cache.cached(&query).is_some_and(|(_, is_fresh)| is_fresh);
            // Nor is a prefetch aborted that has become the current query.
            let is_busy = cache.query.as_ref() == Some(&query)
                || matches!(&cache.prefetch, Some((queried, _))
                    if *queried == query || cache.query.as_ref() == Some(queried));
            if is_cached || is_busy {
                return None;
            }
            let abort = Abort::after(READ_TIMEOUT_MS);
            let before = cache.prefetch.replace((query.clone(), abort.clone()));
            Some((before, Rc::clone(&cache.fetch), abort))
        });
        let Some((before, fetch, abort)) = task.flatten() else {
            return;
        };
        if let Some((_, before)) = before {
            before.abort();
        }
        let response = fetch(query.clone(), abort);
        spawn(Box::pin(async move {
            let response = response.await;
            self.finish_prefetch(query, response);
        }));
    }

    /// Shows the cached data of `query`, and requests it if it is missing or stale.
    fn follow(self, query: Option<Q>, is_reload: bool) {
        let Latest { value, requests } = self.latest;
        let is_reload = is_reload || value.with_untracked(Load::lacks_credentials);
        let before = self.change(|cache| {
            let before = std::mem::replace(&mut cache.query, query.clone());
            let cached = query.as_ref().and_then(|query| cache.cached(query));
            let is_prefetching = matches!(
                (&cache.prefetch, &query),
                (Some((ahead, _)), Some(query)) if ahead == query
            );
            (before, cached, is_prefetching)
        });
        let Some((before, cached, is_prefetching)) = before else {
            return;
        };
        let is_same = before == query;
        if is_same && !is_reload {
            return;
        }
        let is_fresh = cached.as_ref().is_some_and(|(_, is_fresh)| *is_fresh);
        let has_failed = value.with_untracked(|value| matches!(value, Load::Failed(_)));
        match cached {
            Some((response, _)) if !is_same => value.set(Load::Ready(response)),
            None if before.is_some() && !is_same || has_failed => value.set(Load::Pending),
            _ => {}
        }
        if !is_same {
            // If the reload of stale data fails, the stale data stays.
            self.change(|cache| cache.is_quiet = true);
        }
        requests.stop();
        let Some(query) = query else { return };
        if is_fresh && !is_reload {
            return;
        }
        let (generation, abort) = requests.start();
        if is_prefetching {
            // The prefetch is already in progress.
            return;
        }
        let Some(fetch) = self.change(|cache| Rc::clone(&cache.fetch)) else {
            return;
        };
        let response = fetch(query.clone(), abort);
        spawn(Box::pin(async move {
            let response = response.await;
            if requests.settle(generation) {
                self.settle(query, response);
            }
        }));
    }

    fn settle(self, query: Q, response: Result<T, ApiError>) {
        let value = self.latest.value;
        match response {
            Ok(response) => {
                self.change(|cache| cache.insert(query, response.clone()));
                value.set(Load::Ready(response));
            }
            Err(error) => {
                let is_quiet = self.change(|cache| cache.is_quiet).unwrap_or(false);
                let has_answer = value.with_untracked(|value| value.ready().is_some());
                if !(is_quiet && has_answer) {
                    value.set(Load::Failed(error));
                }
            }
        }
    }

    fn finish_prefetch(self, query: Q, response: Result<T, ApiError>) {
        let is_current = self.change(|cache| {
            // Another prefetch may have replaced it, or the cache was cleared.
            let is_wanted = matches!(&cache.prefetch, Some((queried, _)) if *queried == query);
            if !is_wanted {
                return false;
            }
            cache.prefetch = None;
            if let Ok(response) = &response {
                cache.insert(query.clone(), response.clone());
            }
            cache.query.as_ref() == Some(&query)
        });
        if is_current != Some(true) {
            return;
        }
        if response.is_ok() {
            self.latest.requests.stop();
            self.settle(query, response);
        } else {
            self.latest.reload();
        }
    }

    fn abort_prefetch(self) {
        let ahead = self.change(|cache| cache.prefetch.take());
        if let Some((_, abort)) = ahead.flatten() {
            abort.abort();
        }
    }

    /// Changes the cache; `None` after disposal.
    fn change<R>(self, change: impl FnOnce(&mut Cache<Q, T>) -> R) -> Option<R> {
        self.cache.try_update_value(change)
    }
}
