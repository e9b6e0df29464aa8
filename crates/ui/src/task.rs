//! Tasks and timers. Same as those of Leptos, but compiled once: each compiles a closure for JavaScript. And they can
//! read the values of a view that is disposed after they began (`retention.rs`).

use std::future::{Future, poll_fn};
use std::pin::Pin;
use std::time::Duration;

use js_sys::Promise;
use leptos::prelude::on_cleanup;
use wasm_bindgen::JsValue;
use wasm_bindgen_futures::future_to_promise;

use super::retention::Section;

/// Runs `task` in the background. It does not end with the view.
pub fn spawn_local(task: impl Future<Output = ()> + 'static) {
    spawn_boxed(Box::pin(task));
}

/// Runs `task` as [`spawn_local`]. The promise is resolved at its end.
pub fn spawn_with_promise(task: impl Future<Output = ()> + 'static) -> Promise {
    let task = in_section(Box::pin(task));
    future_to_promise(async {
        task.await;
        Ok(JsValue::UNDEFINED)
    })
}

type Task = Pin<Box<dyn Future<Output = ()>>>;

fn spawn_boxed(task: Task) {
    leptos::task::spawn_local(in_section(task));
}

fn in_section(mut task: Task) -> impl Future<Output = ()> {
    let section = Section::begin();
    poll_fn(move |context| {
        let state = section.run(|| task.as_mut().poll(context));
        if state.is_ready() {
            section.end();
        }
        state
    })
}

/// Handle of a timer.
#[derive(Clone, Copy)]
pub struct TimeoutHandle(leptos::prelude::TimeoutHandle, Section);

impl TimeoutHandle {
    /// Clears the timer. No effect if it has run.
    pub fn clear(&self) {
        self.0.clear();
        self.1.end();
    }
}

/// Calls `run` after `delay`.
pub fn set_timeout(run: impl FnOnce() + 'static, delay: Duration) {
    // Fails only outside of a window.
    let _ = timeout(Box::new(run), delay);
}

/// Calls `run` after `delay`, unless the handle is cleared before.
pub fn set_timeout_with_handle(
    run: impl FnOnce() + 'static,
    delay: Duration,
) -> Result<TimeoutHandle, JsValue> {
    timeout(Box::new(run), delay)
}

fn timeout(run: Box<dyn FnOnce()>, delay: Duration) -> Result<TimeoutHandle, JsValue> {
    let section = Section::begin();
    let timer = leptos::prelude::set_timeout_with_handle(move || section.run_once(run), delay);
    match timer {
        Ok(timer) => Ok(TimeoutHandle(timer, section)),
        Err(error) => {
            section.end();
            Err(error)
        }
    }
}

/// Calls `run` after `delay`, unless the view is disposed or its effect runs again before.
pub fn set_scoped_timeout(run: impl FnOnce() + 'static, delay: Duration) {
    // Fails only outside of a window.
    if let Ok(timer) = timeout(Box::new(run), delay) {
        on_cleanup(move || timer.clear());
    }
}

/// Calls `run` at each interval, until the view is disposed.
pub fn set_interval(run: impl Fn() + 'static, interval: Duration) {
    repeat(Box::new(run), interval);
}

fn repeat(run: Box<dyn Fn()>, interval: Duration) {
    // Fails only outside of a window.
    if let Ok(timer) = leptos::prelude::set_interval_with_handle(run, interval) {
        on_cleanup(move || timer.clear());
    }
}

/// Calls `run` before the next paint.
pub fn request_animation_frame(run: impl FnOnce() + 'static) {
    next_frame(Box::new(run));
}

fn next_frame(run: Box<dyn FnOnce()>) {
    let section = Section::begin();
    leptos::prelude::request_animation_frame(move || section.run_once(run));
}
