//! Waits in sight while a service wants to be left alone or cannot be reached, and lets itself be
//! stopped.

use std::cell::{Cell, RefCell};
use std::rc::Rc;

use crate::api::client::LocalFuture;
use crate::api::{Abort, ApiError, Refusal};
use crate::signal::{ReadSignal, RwSignal};
use crate::time::sleep;

/// How often a read is asked again that had no answer, and after how long each time.
const PAUSES_MS: [i64; 3] = [500, 1_500, 4_500];

/// How long a service is left alone that had enough and does not say for how long (contract 8).
const USUAL_PAUSE_MS: i64 = 60_000;

/// Nobody waits longer than this in front of a page.
const LONGEST_PAUSE_MS: i64 = 600_000;

/// What is on the screen of the time that is left changes this often.
const TICK_MS: i64 = 250;

/// Several calls that wait for each other and are stopped together. Cheap to clone.
#[derive(Clone)]
pub struct Patience(Rc<State>);

struct State {
    /// Seconds until it goes on.
    left_s: RwSignal<Option<i64>>,
    is_stopped: Cell<bool>,
    /// Those on their way.
    aborts: RefCell<Vec<(u32, Abort)>>,
    count: Cell<u32>,
    /// When it goes on, in milliseconds since the epoch.
    until_ms: Cell<i64>,
}

/// How long to wait before the same is asked again; `None` if that would not help or takes too long.
/// `tries` counts those without an answer.
pub fn pause_ms(error: &ApiError, tries: usize) -> Option<i64> {
    match error {
        ApiError::Declined(Refusal::TooMany { wait_s }) => {
            let wait_ms = wait_s.map_or(USUAL_PAUSE_MS, |wait_s| wait_s.saturating_mul(1_000));
            // What is told in whole seconds may be told too short.
            Some(wait_ms.max(1_000)).filter(|wait_ms| *wait_ms <= LONGEST_PAUSE_MS)
        }
        error if error.is_worth_a_retry() => PAUSES_MS.get(tries).copied(),
        _ => None,
    }
}

impl Default for Patience {
    fn default() -> Self {
        Self::telling(RwSignal::new(None))
    }
}

impl Patience {
    /// Tells `left_s` the seconds until it goes on, while it waits.
    pub fn telling(left_s: RwSignal<Option<i64>>) -> Self {
        left_s.set(None);
        Self(Rc::new(State {
            left_s,
            is_stopped: Cell::new(false),
            aborts: RefCell::default(),
            count: Cell::new(0),
            until_ms: Cell::new(0),
        }))
    }

    /// Seconds until it goes on, while it waits.
    pub fn waiting(&self) -> ReadSignal<Option<i64>> {
        self.0.left_s.read_only()
    }

    /// Whether it was stopped.
    pub fn is_stopped(&self) -> bool {
        self.0.is_stopped.get()
    }

    /// Ends what is on its way and whatever waits, for good.
    pub fn stop(&self) {
        self.0.is_stopped.set(true);
        self.0.left_s.set(None);
        // Taken out first: who is aborted may come back here.
        let aborts = self.0.aborts.take();
        for (_, abort) in aborts {
            abort.abort();
        }
    }

    /// Asks, and asks again where that helps. `None` once it was stopped.
    pub async fn read<T>(
        &self,
        timeout_ms: u64,
        ask: &dyn Fn(Abort) -> LocalFuture<Result<T, ApiError>>,
    ) -> Option<Result<T, ApiError>> {
        let mut tries = 0;
        loop {
            // Another call of these may have been told to wait.
            if !self.rest().await {
                return None;
            }
            let answer = self.once(timeout_ms, ask).await?;
            let Err(error) = answer else {
                return Some(answer);
            };
            let Some(pause_ms) = pause_ms(&error, tries) else {
                return Some(Err(error));
            };
            if !matches!(error, ApiError::Declined(_)) {
                tries += 1;
            }
            self.wait(pause_ms);
        }
    }

    /// Asks once. `None` if it was stopped meanwhile.
    pub async fn once<T>(
        &self,
        timeout_ms: u64,
        ask: &dyn Fn(Abort) -> LocalFuture<Result<T, ApiError>>,
    ) -> Option<Result<T, ApiError>> {
        if self.is_stopped() {
            return None;
        }
        // Retried in sight, by the caller.
        let abort = Abort::after(timeout_ms).without_retries();
        let number = self.0.count.get();
        self.0.count.set(number.wrapping_add(1));
        self.0.aborts.borrow_mut().push((number, abort.clone()));
        let answer = ask(abort).await;
        self.0
            .aborts
            .borrow_mut()
            .retain(|(known, _)| *known != number);
        (!self.is_stopped()).then_some(answer)
    }

    /// From here on, all wait for so long: see [`Patience::rest`].
    pub fn wait(&self, pause_ms: i64) {
        let until_ms = now_ms().saturating_add(pause_ms);
        self.0.until_ms.set(self.0.until_ms.get().max(until_ms));
    }

    /// Waits for as long as was said. Says whether it may go on: not if it was stopped.
    pub async fn rest(&self) -> bool {
        loop {
            if self.is_stopped() {
                return false;
            }
            let left_ms = self.0.until_ms.get() - now_ms();
            if left_ms <= 0 {
                break;
            }
            self.tell(Some((left_ms + 999) / 1_000));
            sleep(left_ms.min(TICK_MS)).await;
        }
        self.tell(None);
        true
    }

    fn tell(&self, left_s: Option<i64>) {
        if self.0.left_s.try_get_untracked() != Some(left_s) {
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
    fn it_waits_as_told_and_asks_again_a_few_times() {
        let enough = |wait_s| ApiError::Declined(Refusal::TooMany { wait_s });
        let odd = |status| ApiError::Unexpected {
            status,
            request_id: None,
        };
        for (error, tries, pause) in [
            (enough(Some(12)), 0, Some(12_000)),
            (enough(Some(12)), 9, Some(12_000)),
            (enough(Some(0)), 0, Some(1_000)),
            (enough(None), 0, Some(60_000)),
            (enough(Some(86_400)), 0, None),
            (ApiError::Unreachable, 0, Some(500)),
            (ApiError::Unreachable, 2, Some(4_500)),
            (ApiError::Unreachable, 3, None),
            (odd(503), 1, Some(1_500)),
            (odd(418), 0, None),
            (ApiError::Declined(Refusal::Forbidden), 0, None),
        ] {
            assert_eq!(pause_ms(&error, tries), pause, "{error} after {tries}");
        }
    }
}
