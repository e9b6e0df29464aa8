//! Stage of one connection, known to its own task and to the accept loop.

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
    /// No complete request headers have arrived since then.
    Waiting(Instant),
    /// A request is worked on, or its response is being written.
    Responding,
    /// The response is complete, but not all of it may have been taken by the system.
    Flushing,
    /// The connection has to make room for another one.
    Evicted,
}

#[derive(Debug)]
struct State {
    stage: Stage,
    /// Requests that have begun.
    requests: u64,
}

/// Time in which a request is expected to follow a connection, or another one a response.
const USUAL: Duration = Duration::from_secs(1);

/// A connection without a complete request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Idle {
    /// True if it has been answered before.
    has_asked: bool,
    /// Begin of the wait.
    since: Instant,
}

impl Idle {
    /// Order in which connections make room for others, the least first: those that have waited
    /// for an unusual time without ever asking for anything, then others that have waited so long,
    /// then the rest; within each group, the longest wait first.
    pub(super) fn rank(self, now: Instant) -> (u8, Instant) {
        let is_usual = now.saturating_duration_since(self.since) < USUAL;
        let group = match (is_usual, self.has_asked) {
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

    /// Notes that a request's headers are complete. False if the connection has been evicted.
    pub(super) fn begin(&self) -> bool {
        let mut state = self.state();
        if state.stage == Stage::Evicted {
            return false;
        }
        state.stage = Stage::Responding;
        state.requests += 1;
        true
    }

    /// Notes that all of the response was handed over.
    fn complete(&self) {
        let mut state = self.state();
        if state.stage == Stage::Responding {
            state.stage = Stage::Flushing;
        }
    }

    /// Notes that the system has taken all that was written.
    pub(super) fn flushed(&self) {
        let mut state = self.state();
        if state.stage == Stage::Flushing {
            state.stage = Stage::Waiting(Instant::now());
        }
    }

    /// The number of the request whose headers are awaited; none while one is answered.
    pub(super) fn awaited_request(&self) -> Option<u64> {
        let state = self.state();
        matches!(state.stage, Stage::Waiting(_)).then_some(state.requests)
    }

    /// The wait for a request; none while one is answered.
    pub(super) fn idle(&self) -> Option<Idle> {
        let state = self.state();
        match state.stage {
            Stage::Waiting(since) => Some(Idle {
                has_asked: state.requests > 0,
                since,
            }),
            _ => None,
        }
    }

    /// Has the connection make room. False if a request has begun in the meantime.
    pub(super) fn evict(&self) -> bool {
        let mut state = self.state();
        let is_waiting = matches!(state.stage, Stage::Waiting(_));
        if is_waiting {
            state.stage = Stage::Evicted;
        }
        is_waiting
    }

    fn state(&self) -> MutexGuard<'_, State> {
        // Nothing that holds the lock can leave it half-written.
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A response's body that notes its end.
pub(super) struct Tracked {
    body: Body,
    progress: Arc<Progress>,
}

impl Tracked {
    pub(super) fn new(body: Body, progress: Arc<Progress>) -> Self {
        Self { body, progress }
    }
}

impl hyper::body::Body for Tracked {
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

impl Drop for Tracked {
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
        assert!(progress.idle().is_some_and(|idle| !idle.has_asked));
        assert_eq!(progress.awaited_request(), Some(0));
        assert!(progress.begin());
        let body = Tracked::new(Body::empty(), progress.clone());
        progress.flushed();
        assert_eq!((progress.idle(), progress.awaited_request()), (None, None));
        drop(body);
        assert_eq!(progress.idle(), None);
        assert!(!progress.evict());
        progress.flushed();
        assert!(progress.idle().is_some_and(|idle| idle.has_asked));
        assert_eq!(progress.awaited_request(), Some(1));
    }

    #[test]
    fn connection_that_never_asked_makes_room_first_once_that_is_unusual() {
        let start = Instant::now();
        let idle = |has_asked, after_ms| Idle {
            has_asked,
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
