//! Cancellable retry with a visible countdown, for 429 responses and network errors.

use std::cell::{Cell, RefCell};
use std::rc::Rc;

use booking_ui::prelude::*;

use crate::client::http::LocalFuture;
use crate::client::{Abort, ApiError, DeclineReason};
use crate::time::sleep;

/// Delays before the retries of a failed read.
const DELAYS_MS: [i64; 3] = [500, 1_500, 4_500];

/// Retry delay after a 429 response that does not specify one.
const DEFAULT_DELAY_MS: i64 = 60_000;

/// Maximum retry delay; beyond it, the error is returned.
const MAX_DELAY_MS: i64 = 600_000;

/// Interval of countdown updates.
const TICK_MS: i64 = 250;

/// Retry policy of several calls, which wait and are stopped together. Cheap to clone.
#[derive(Clone)]
pub struct RetryPolicy(Rc<RetryState>);

struct RetryState {
    /// Seconds until the next attempt.
    left_s: RwSignal<Option<i64>>,
    is_stopped: Cell<bool>,
    /// Requests in progress.
    aborts: RefCell<Vec<(u32, Abort)>>,
    count: Cell<u32>,
    /// End of the wait, in milliseconds since the epoch.
    until_ms: Cell<i64>,
}

/// Delay before a retry; `None` if a retry would not help or the delay is too long. `tries` counts
/// failed attempts, excluding declined ones.
pub fn retry_delay_ms(error: &ApiError, tries: usize) -> Option<i64> {
    match error {
        ApiError::Declined(DeclineReason::TooMany { wait_s }) => {
            let wait_ms = wait_s.map_or(DEFAULT_DELAY_MS, |wait_s| wait_s.saturating_mul(1_000));
            // Whole seconds may be rounded down.
            Some(wait_ms.max(1_000)).filter(|wait_ms| *wait_ms <= MAX_DELAY_MS)
        }
        error if error.is_retryable() => DELAYS_MS.get(tries).copied(),
        _ => None,
    }
}

impl Default for RetryPolicy {
    fn default() -> Self {
        Self::with_countdown(RwSignal::new(None))
    }
}

impl RetryPolicy {
    /// Writes the remaining seconds of each wait to `left_s`.
    pub fn with_countdown(left_s: RwSignal<Option<i64>>) -> Self {
        left_s.set(None);
        Self(Rc::new(RetryState {
            left_s,
            is_stopped: Cell::new(false),
            aborts: RefCell::default(),
            count: Cell::new(0),
            until_ms: Cell::new(0),
        }))
    }

    /// Remaining seconds of the wait, if any.
    pub fn countdown(&self) -> ReadSignal<Option<i64>> {
        self.0.left_s.read_only()
    }

    /// True after [`RetryPolicy::stop`].
    pub fn is_stopped(&self) -> bool {
        self.0.is_stopped.get()
    }

    /// Aborts all requests and ends all waits permanently.
    pub fn stop(&self) {
        self.0.is_stopped.set(true);
        self.0.left_s.set(None);
        // Emptied first: an aborted request may call this again.
        let aborts = self.0.aborts.take();
        for (_, abort) in aborts {
            abort.abort();
        }
    }

    /// Sends a request and retries where that helps. `None` once stopped.
    pub async fn read<T>(
        &self,
        timeout_ms: u64,
        send: &dyn Fn(Abort) -> LocalFuture<Result<T, ApiError>>,
    ) -> Option<Result<T, ApiError>> {
        let mut tries = 0;
        loop {
            // Another call may have started a wait.
            if !self.ready().await {
                return None;
            }
            let response = self.once(timeout_ms, send).await?;
            let Err(error) = response else {
                return Some(response);
            };
            let Some(delay_ms) = retry_delay_ms(&error, tries) else {
                return Some(Err(error));
            };
            if !matches!(error, ApiError::Declined(_)) {
                tries += 1;
            }
            self.wait(delay_ms);
        }
    }

    /// Sends a request once. `None` if stopped.
    pub async fn once<T>(
        &self,
        timeout_ms: u64,
        send: &dyn Fn(Abort) -> LocalFuture<Result<T, ApiError>>,
    ) -> Option<Result<T, ApiError>> {
        if self.is_stopped() {
            return None;
        }
        // The caller retries, with a countdown.
        let abort = Abort::after(timeout_ms).without_retries();
        let id = self.0.count.get();
        self.0.count.set(id.wrapping_add(1));
        self.0.aborts.borrow_mut().push((id, abort.clone()));
        let response = send(abort).await;
        self.0.aborts.borrow_mut().retain(|(other, _)| *other != id);
        (!self.is_stopped()).then_some(response)
    }

    /// Makes all calls wait from now on: see [`RetryPolicy::ready`].
    pub fn wait(&self, delay_ms: i64) {
        let until_ms = now_ms().saturating_add(delay_ms);
        self.0.until_ms.set(self.0.until_ms.get().max(until_ms));
    }

    /// Waits for the remaining delay. Returns false if stopped.
    pub async fn ready(&self) -> bool {
        loop {
            if self.is_stopped() {
                return false;
            }
            let left_ms = self.0.until_ms.get() - now_ms();
            if left_ms <= 0 {
                break;
            }
            self.set_countdown(Some((left_ms + 999) / 1_000));
            sleep(left_ms.min(TICK_MS)).await;
        }
        self.set_countdown(None);
        true
    }

    fn set_countdown(&self, left_s: Option<i64>) {
        if self.0.left_s.get_untracked() != left_s {
            self.0.left_s.set(left_s);
        }
    }
}

fn now_ms() -> i64 {
    js_sys::Date::now() as i64
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn retry_delay_depends_on_error_and_tries() {
        let too_many = |wait_s| ApiError::Declined(DeclineReason::TooMany { wait_s });
        let unexpected = |status| ApiError::Unexpected {
            status,
            request_id: None,
        };
        for (error, tries, delay) in [
            (too_many(Some(12)), 0, Some(12_000)),
            (too_many(Some(12)), 9, Some(12_000)),
            (too_many(Some(0)), 0, Some(1_000)),
            (too_many(None), 0, Some(60_000)),
            (too_many(Some(86_400)), 0, None),
            (ApiError::Unreachable, 0, Some(500)),
            (ApiError::Unreachable, 2, Some(4_500)),
            (ApiError::Unreachable, 3, None),
            (unexpected(503), 1, Some(1_500)),
            (unexpected(418), 0, None),
            (ApiError::Declined(DeclineReason::Forbidden), 0, None),
        ] {
            assert_eq!(
                retry_delay_ms(&error, tries),
                delay,
                "{error} after {tries}"
            );
        }
    }
}
