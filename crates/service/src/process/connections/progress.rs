//! Stage of one connection, shared by its task and the accept loop.

use std::pin::Pin;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::{Context, Poll};
use std::time::Duration;

use axum::body::{Body, Bytes};
use hyper::body::{Frame, SizeHint};
use tokio::time::Instant;

/// Stage of a connection.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Stage {
    /// Waiting for complete request headers since this instant.
    Waiting(Instant),
    /// A request is processed, or its response is written.
    Responding,
    /// The response is complete, but may not be flushed to the socket.
    Flushing,
    /// The connection is closed in favour of another one.
    Evicted,
}

#[derive(Debug)]
struct State {
    stage: Stage,
    /// Requests that have begun.
    requests: u64,
}

/// Time within which a request is expected after a connection or a response.
const EXPECTED_WAIT: Duration = Duration::from_secs(1);

/// A connection without a complete request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Idle {
    /// True if it has sent a request before.
    has_sent_request: bool,
    /// Start of the wait.
    since: Instant,
}

impl Idle {
    /// Eviction order, the least first: connections that have waited longer than expected without
    /// any request, then others that have waited as long, then the rest; within each group, the
    /// longest wait first.
    pub(super) fn rank(self, now: Instant) -> (u8, Instant) {
        let is_expected = now.saturating_duration_since(self.since) < EXPECTED_WAIT;
        let group = match (is_expected, self.has_sent_request) {
            (false, false) => 0,
            (false, true) => 1,
            (true, _) => 2,
        };
        (group, self.since)
    }
}

/// Progress of one connection.
#[derive(Debug)]
pub(super) struct Progress(Mutex<State>);

impl Progress {
    pub(super) fn new() -> Self {
        Self(Mutex::new(State {
            stage: Stage::Waiting(Instant::now()),
            requests: 0,
        }))
    }

    /// Records that request headers are complete. Returns false if the connection was evicted.
    pub(super) fn begin(&self) -> bool {
        let mut state = self.state();
        if state.stage == Stage::Evicted {
            return false;
        }
        state.stage = Stage::Responding;
        state.requests += 1;
        true
    }

    /// Records that the response is complete.
    fn complete(&self) {
        let mut state = self.state();
        if state.stage == Stage::Responding {
            state.stage = Stage::Flushing;
        }
    }

    /// Records that all written data is flushed to the socket.
    pub(super) fn flushed(&self) {
        let mut state = self.state();
        if state.stage == Stage::Flushing {
            state.stage = Stage::Waiting(Instant::now());
        }
    }

    /// Index of the request whose headers are awaited; `None` while a request is in progress.
    pub(super) fn awaited_request(&self) -> Option<u64> {
        let state = self.state();
        matches!(state.stage, Stage::Waiting(_)).then_some(state.requests)
    }

    /// The wait for a request; `None` while a request is in progress.
    pub(super) fn idle(&self) -> Option<Idle> {
        let state = self.state();
        match state.stage {
            Stage::Waiting(since) => Some(Idle {
                has_sent_request: state.requests > 0,
                since,
            }),
            _ => None,
        }
    }

    /// Marks the connection as evicted. Returns false if a request has begun in the meantime.
    pub(super) fn evict(&self) -> bool {
        let mut state = self.state();
        let is_waiting = matches!(state.stage, Stage::Waiting(_));
        if is_waiting {
            state.stage = Stage::Evicted;
        }
        is_waiting
    }

    fn state(&self) -> MutexGuard<'_, State> {
        // A panic cannot leave the state half-written, so poisoning is ignored.
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A response body that records its end.
pub(super) struct TrackedBody {
    body: Body,
    progress: Arc<Progress>,
}

impl TrackedBody {
    pub(super) fn new(body: Body, progress: Arc<Progress>) -> Self {
        Self { body, progress }
    }
}

impl hyper::body::Body for TrackedBody {
    type Data = Bytes;
    type Error = axum::Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, axum::Error>>> {
        Pin::new(&mut self.body).poll_frame(context)
    }

    fn is_end_stream(&self) -> bool {
        self.body.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.body.size_hint()
    }
}

impl Drop for TrackedBody {
    fn drop(&mut self) {
        self.progress.complete();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn connection_is_idle_until_a_request_and_after_its_response_was_flushed() {
        let progress = Arc::new(Progress::new());
        assert!(progress.idle().is_some_and(|idle| !idle.has_sent_request));
        assert_eq!(progress.awaited_request(), Some(0));
        assert!(progress.begin());
        let body = TrackedBody::new(Body::empty(), progress.clone());
        progress.flushed();
        assert_eq!((progress.idle(), progress.awaited_request()), (None, None));
        drop(body);
        assert_eq!(progress.idle(), None);
        assert!(!progress.evict());
        progress.flushed();
        assert!(progress.idle().is_some_and(|idle| idle.has_sent_request));
        assert_eq!(progress.awaited_request(), Some(1));
    }

    #[test]
    fn connection_without_requests_is_evicted_first_after_the_expected_wait() {
        let start = Instant::now();
        let idle = |has_sent_request, after_ms| Idle {
            has_sent_request,
            since: start + Duration::from_millis(after_ms),
        };
        let [old, silent, fresh, fresh_answered] = [
            idle(true, 0),
            idle(false, 10),
            idle(false, 2_000),
            idle(true, 1_900),
        ];
        let mut idle = [fresh, fresh_answered, old, silent];
        idle.sort_by_key(|idle| idle.rank(start + Duration::from_millis(2_001)));
        assert_eq!(idle, [silent, old, fresh_answered, fresh]);
    }

    #[test]
    fn evicted_connection_begins_no_request() {
        let progress = Progress::new();
        assert!(progress.evict());
        assert!(!progress.evict());
        assert!(!progress.begin());
        assert_eq!(progress.idle(), None);
    }
}
