//! Tasks and timers. Same as those of Leptos, but compiled once: each compiles a closure for JavaScript.

use std::future::Future;
use std::pin::Pin;
use std::time::Duration;

use leptos::prelude::{IntervalHandle, TimeoutHandle};
use wasm_bindgen::JsValue;

/// Runs `task` in the background. It does not end with the view.
pub fn spawn_local(task: impl Future<Output = ()> + 'static) {
    spawn_boxed(Box::pin(task));
}

fn spawn_boxed(task: Pin<Box<dyn Future<Output = ()>>>) {
    leptos::task::spawn_local(task);
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
    leptos::prelude::set_timeout_with_handle(run, delay)
}

/// Calls `run` at each interval, until the handle is cleared.
pub fn set_interval_with_handle(
    run: impl Fn() + 'static,
    interval: Duration,
) -> Result<IntervalHandle, JsValue> {
    repeat(Box::new(run), interval)
}

fn repeat(run: Box<dyn Fn()>, interval: Duration) -> Result<IntervalHandle, JsValue> {
    leptos::prelude::set_interval_with_handle(run, interval)
}

/// Calls `run` before the next paint.
pub fn request_animation_frame(run: impl FnOnce() + 'static) {
    next_frame(Box::new(run));
}

fn next_frame(run: Box<dyn FnOnce()>) {
    leptos::prelude::request_animation_frame(run);
}
