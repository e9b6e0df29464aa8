//! Ending a request: on demand, or when it takes too long.

use std::time::Duration;

use leptos::prelude::{TimeoutHandle, set_timeout_with_handle};
use send_wrapper::SendWrapper;
use web_sys::{AbortController, AbortSignal};

/// Aborts a request when told to, or after a time. Dropping it leaves the request alone.
#[derive(Clone)]
pub struct Abort {
    controller: SendWrapper<Option<AbortController>>,
    timer: Option<TimeoutHandle>,
}

impl Abort {
    /// A request that may take `timeout_ms`. No answer by then counts as none at all.
    pub fn after(timeout_ms: u64) -> Self {
        let controller = AbortController::new().ok();
        let timed = controller.clone();
        let timer = set_timeout_with_handle(
            move || {
                if let Some(controller) = timed {
                    controller.abort();
                }
            },
            Duration::from_millis(timeout_ms),
        );
        Self {
            controller: SendWrapper::new(controller),
            timer: timer.ok(),
        }
    }

    /// What the request listens to.
    pub fn signal(&self) -> Option<AbortSignal> {
        self.controller.as_ref().map(AbortController::signal)
    }

    /// Ends the request.
    pub fn abort(&self) {
        self.settle();
        if let Some(controller) = self.controller.as_ref() {
            controller.abort();
        }
    }

    /// The answer is there: the clock stops.
    pub fn settle(&self) {
        if let Some(timer) = &self.timer {
            timer.clear();
        }
    }
}
