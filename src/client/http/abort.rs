//! Aborts requests: on demand or after a timeout.

use std::time::Duration;

use booking_ui::prelude::*;
use js_sys::Promise;
use send_wrapper::SendWrapper;
use wasm_bindgen_futures::JsFuture;
use web_sys::{AbortController, AbortSignal};

/// Aborts a request on demand or after a timeout. Dropping it does not abort.
#[derive(Clone)]
pub struct Abort {
    controller: SendWrapper<Option<AbortController>>,
    timer: Option<TimeoutHandle>,
    pub(crate) allows_retries: bool,
}

impl Abort {
    /// Creates a handle with a timeout, which counts as no response.
    pub fn after(timeout_ms: u64) -> Self {
        let controller = AbortController::new().ok();
        let timed_out = controller.clone();
        let timer = set_timeout_with_handle(
            move || {
                if let Some(controller) = timed_out {
                    controller.abort();
                }
            },
            Duration::from_millis(timeout_ms),
        );
        Self {
            controller: SendWrapper::new(controller),
            timer: timer.ok(),
            allows_retries: true,
        }
    }

    /// Disables the client's retries of reads, for callers with their own.
    pub fn without_retries(self) -> Self {
        Self {
            allows_retries: false,
            ..self
        }
    }

    /// Returns the signal for the request.
    pub fn signal(&self) -> Option<AbortSignal> {
        self.controller.as_ref().map(AbortController::signal)
    }

    /// Aborts the request.
    pub fn abort(&self) {
        self.settle();
        if let Some(controller) = self.controller.as_ref() {
            controller.abort();
        }
    }

    /// Waits for `delay_ms` or until the abort. Returns true if the request may continue.
    pub(crate) async fn wait(&self, delay_ms: i32) -> bool {
        let signal = self.signal();
        let may_continue = || signal.as_ref().is_none_or(|signal| !signal.aborted());
        if !may_continue() {
            return false;
        }
        let delay = Promise::new(&mut |done, _| {
            // Fails only where there is no page.
            let _ = window().set_timeout_with_callback_and_timeout_and_arguments_0(&done, delay_ms);
            if let Some(signal) = &signal {
                signal.set_onabort(Some(&done));
            }
        });
        // The promise never rejects.
        let _ = JsFuture::from(delay).await;
        may_continue()
    }

    /// Clears the timeout after the response.
    pub fn settle(&self) {
        if let Some(timer) = &self.timer {
            timer.clear();
        }
    }
}
