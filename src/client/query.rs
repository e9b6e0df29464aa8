//! Reads that follow a changing query: the newest query wins.

use std::future::Future;
use std::pin::Pin;
use std::rc::Rc;
use std::task::{Context, Waker};
use std::time::Duration;

use booking_ui::prelude::*;

use crate::client::{Abort, ApiError, DeclineReason};

/// Timeout of a read.
pub const READ_TIMEOUT_MS: u64 = 20_000;

/// Time after which a pending read counts as slow.
pub const SLOW_MS: u64 = 4_000;

/// State of a read.
#[derive(Clone, Debug, PartialEq)]
pub enum Load<T> {
    /// No response yet.
    Pending,
    /// The response.
    Ready(T),
    /// The read failed.
    Failed(ApiError),
}

impl<T> Load<T> {
    /// Returns the response, if there is one.
    pub fn ready(&self) -> Option<&T> {
        match self {
            Self::Ready(value) => Some(value),
            _ => None,
        }
    }

    /// Returns the error, if the read failed.
    fn error(&self) -> Option<&ApiError> {
        match self {
            Self::Failed(error) => Some(error),
            _ => None,
        }
    }

    /// True if it failed for lack of credentials.
    pub(super) fn lacks_credentials(&self) -> bool {
        self.error().is_some_and(lacks_credentials)
    }
}

fn lacks_credentials(error: &ApiError) -> bool {
    error.is_session_error() || *error == ApiError::Declined(DeclineReason::NotPublic)
}

/// Calls `report` with the error code each time that a read fails.
pub fn on_failure<T>(state: ReadSignal<Load<T>>, report: impl Fn(&'static str) + 'static) {
    effect(move || {
        let code = state.with(|state| state.error().map(ApiError::code));
        // After the value is no longer borrowed: the page may call back.
        if let Some(code) = code {
            report(code);
        }
    });
}

/// Signals new credentials: reads that failed for lack of them are repeated.
#[derive(Clone, Copy)]
pub struct Resumed(pub Trigger);

/// The response to a query that may change.
pub struct Latest<T: 'static> {
    pub(super) value: RwSignal<Load<T>>,
    pub(super) requests: RequestSequence,
}

impl<T: 'static> Clone for Latest<T> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<T: 'static> Copy for Latest<T> {}

impl<T: 'static> Latest<T> {
    /// Returns the current state.
    pub fn signal(self) -> ReadSignal<Load<T>> {
        self.value.read_only()
    }

    /// True while a request is pending, also if an older response is still shown.
    pub fn is_busy(self) -> ReadSignal<bool> {
        self.requests.is_busy.read_only()
    }

    /// True while a request takes longer than people expect.
    pub fn is_slow(self) -> ReadSignal<bool> {
        self.requests.is_slow.read_only()
    }

    /// Repeats the query. The old response stays until the new one arrives.
    pub fn reload(self) {
        self.requests.reload();
    }

    /// Sets `handler`, which is called after a renewal of the session in place of a reload that failed without it: an
    /// automatic repeat must not render again the rows that people work in.
    pub fn on_missed_reload(self, handler: impl Fn() + 'static) {
        let handler: Rc<dyn Fn()> = Rc::new(handler);
        self.requests
            .change(|request| request.on_missed_reload = Some(handler));
    }
}

/// Calls `fetch` whenever `query` changes, and shows a response only while its query is current: requests
/// of older queries and of disposed views are aborted. Without a query, there is no request.
///
/// `LocalResource` does not do this: it completes the old request before it sends the new one.
pub fn latest<Q, T, F>(
    query: impl Fn() -> Option<Q> + 'static,
    fetch: impl Fn(Q, Abort) -> F + 'static,
) -> Latest<T>
where
    Q: Clone + PartialEq + 'static,
    T: 'static,
    F: Future<Output = Result<T, ApiError>> + 'static,
{
    let value = RwSignal::new(Load::Pending);
    let requests = RequestSequence::new();
    let mut before = None;

    requests.run(Box::new(move |is_reload| {
        let query = query();
        let is_first = before.is_none();
        let is_same = before.as_ref() == Some(&query);
        // Of the last response: true if credentials were missing.
        let failure = value.with_untracked(|value| value.error().map(lacks_credentials));
        if !requests.is_due(is_same, is_reload || failure == Some(true)) {
            return;
        }
        before = Some(query.clone());
        // A response stays during a reload; an error is replaced by the pending state.
        if failure.is_some() || !(is_first || is_same) {
            value.set(Load::Pending);
        }
        requests.stop();
        let Some(query) = query else { return };
        let (generation, abort) = requests.start();
        let response = fetch(query, abort);
        spawn(Box::pin(async move {
            let response = response.await;
            if requests.settle(generation) {
                let is_shown = || value.with_untracked(|value| value.ready().is_some());
                value.set(match response {
                    Ok(response) => Load::Ready(response),
                    // The old response stays; the session's notice says that it may be out of date.
                    Err(ApiError::Declined(DeclineReason::NotRenewed)) if is_shown() => {
                        return requests.set_missed();
                    }
                    Err(error) => Load::Failed(error),
                });
            }
        }));
    }));
    Latest { value, requests }
}

/// Sequence of requests, independent of their type: separate from [`latest`], which is compiled for each
/// type of response.
#[derive(Clone, Copy)]
pub(super) struct RequestSequence {
    pub(super) is_busy: RwSignal<bool>,
    is_slow: RwSignal<bool>,
    reloads: Trigger,
    resumed: Option<Resumed>,
    request: StoredValue<Request>,
}

/// The newest request.
#[derive(Default)]
struct Request {
    /// Distinguishes its response from those of older requests.
    generation: u32,
    /// True if the same query is to be sent again.
    is_reload: bool,
    /// True if the last reload failed because the session could not be renewed.
    has_missed: bool,
    on_missed_reload: Option<Rc<dyn Fn()>>,
    abort: Option<Abort>,
    /// Marks it as slow.
    slow_timer: Option<TimeoutHandle>,
}

impl RequestSequence {
    pub(super) fn new() -> Self {
        let requests = Self {
            is_busy: RwSignal::new(false),
            is_slow: RwSignal::new(false),
            reloads: Trigger::new(),
            resumed: use_context(),
            request: StoredValue::new(Request::default()),
        };
        on_cleanup(move || requests.abort_pending());
        requests
    }

    /// Calls `send` now, whenever a signal that it read changes, and on each reload: then with true.
    pub(super) fn run(self, mut send: Box<dyn FnMut(bool)>) {
        render_effect(Box::new(move || {
            self.reloads.track();
            if let Some(Resumed(resumed)) = self.resumed {
                resumed.track();
            }
            let is_reload = self.change(|request| std::mem::take(&mut request.is_reload));
            send(is_reload.unwrap_or(false));
        }));
    }

    fn reload(self) {
        self.change(|request| request.is_reload = true);
        self.reloads.notify();
    }

    /// Records that a reload is due once the session is renewed.
    fn set_missed(self) {
        self.change(|request| request.has_missed = true);
    }

    /// True if a request has to be sent. A reload that was missed is repeated, unless the caller's handler takes its
    /// place.
    fn is_due(self, is_same_query: bool, is_reload: bool) -> bool {
        let has_missed = self.change(|request| std::mem::take(&mut request.has_missed));
        if has_missed != Some(true) || !is_same_query || is_reload {
            return !is_same_query || is_reload;
        }
        let instead = self.change(|request| request.on_missed_reload.clone());
        match instead.flatten() {
            Some(instead) => {
                instead();
                false
            }
            None => true,
        }
    }

    /// Aborts the pending request and clears the busy state.
    pub(super) fn stop(self) {
        self.abort_pending();
        self.is_busy.set(false);
        self.is_slow.set(false);
    }

    pub(super) fn start(self) -> (u32, Abort) {
        let abort = Abort::after(READ_TIMEOUT_MS);
        let generation = self.change(|request| {
            request.abort = Some(abort.clone());
            request.generation
        });
        let generation = generation.unwrap_or_default();
        self.is_busy.set(true);
        let mark_slow = move || {
            if self.is_newest(generation) {
                self.is_slow.set(self.is_busy.get_untracked());
            }
        };
        let timer = set_timeout_with_handle(mark_slow, Duration::from_millis(SLOW_MS));
        self.change(|request| request.slow_timer = timer.ok());
        (generation, abort)
    }

    /// Ends the busy state after a response. True if its request is the newest.
    pub(super) fn settle(self, generation: u32) -> bool {
        let is_newest = self.is_newest(generation);
        if is_newest {
            self.clear_slow_timer();
            self.is_busy.set(false);
            self.is_slow.set(false);
        }
        is_newest
    }

    /// Aborts the pending request; its response is ignored.
    fn abort_pending(self) {
        self.clear_slow_timer();
        let abort = self.change(|request| {
            request.generation = request.generation.wrapping_add(1);
            request.abort.take()
        });
        if let Some(abort) = abort.flatten() {
            abort.abort();
        }
    }

    fn clear_slow_timer(self) {
        let timer = self.change(|request| request.slow_timer.take());
        if let Some(timer) = timer.flatten() {
            timer.clear();
        }
    }

    fn is_newest(self, generation: u32) -> bool {
        self.request.try_with_value(|request| request.generation) == Some(generation)
    }

    /// Returns `None` once the view is disposed.
    fn change<R>(self, change: impl FnOnce(&mut Request) -> R) -> Option<R> {
        self.request.try_update_value(change)
    }
}

/// Runs `task` up to its first wait now, and the rest later: data that the page's script has already loaded is part of
/// the first rendering.
pub(super) fn spawn(mut task: Pin<Box<dyn Future<Output = ()>>>) {
    // The task is polled again below, with the waker of its executor.
    let mut context = Context::from_waker(Waker::noop());
    // What a task reads must not become a dependency of the effect that starts it.
    if untrack(|| task.as_mut().poll(&mut context)).is_pending() {
        spawn_local(task);
    }
}
