//! Pool of idle browsers: starting one takes longer than most tests.
//!
//! Tests must not share state. A browser is reused only if its test passed and sent no command with a
//! lasting effect; its windows are replaced by a new one and its cookies deleted. Everything else that
//! browsers store belongs to an origin, port included, and no other test gets the same port (see
//! `listener`).

use std::ops::Deref;
use std::sync::{Mutex, MutexGuard, Once, PoisonError};
use std::thread;

use serde_json::json;

use super::webdriver::{BrowserOptions, Engine, Session, WebDriverError};

/// Maximum number of tests per browser: limits its growth in memory.
const MAX_TESTS: usize = 30;

/// Maximum number of idle browsers.
const MAX_IDLE: usize = 4;

static IDLE: Mutex<Vec<Session>> = Mutex::new(Vec::new());

fn idle() -> MutexGuard<'static, Vec<Session>> {
    IDLE.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Browser in use by one test.
pub(crate) struct PooledSession(Option<Session>);

impl PooledSession {
    /// Takes an idle browser, or starts a new one.
    pub(crate) fn take(options: &BrowserOptions) -> PooledSession {
        let idle_browser = if *options == BrowserOptions::default() {
            idle().pop()
        } else {
            None
        };
        PooledSession(Some(
            idle_browser.unwrap_or_else(|| Session::start(options)),
        ))
    }
}

impl Deref for PooledSession {
    type Target = Session;

    fn deref(&self) -> &Session {
        self.0.as_ref().expect("a browser until the end")
    }
}

impl Drop for PooledSession {
    fn drop(&mut self) {
        let Some(session) = self.0.take() else { return };
        session.tests_run.set(session.tests_run.get() + 1);
        let is_reusable = !thread::panicking()
            && session.options == BrowserOptions::default()
            && !session.is_changed.get()
            && session.tests_run.get() < MAX_TESTS;
        if !is_reusable || reset(&session).is_err() {
            return;
        }
        static AT_EXIT: Once = Once::new();
        AT_EXIT.call_once(close_browsers_at_exit);
        let mut idle = idle();
        if idle.len() < MAX_IDLE {
            idle.push(session);
        }
    }
}

/// Resets a browser to the state of a new one.
fn reset(session: &Session) -> Result<(), WebDriverError> {
    // Usually an error: no alert is open.
    let _ = session.post("/alert/dismiss", &json!({}));
    session.delete("/actions")?;
    let windows = session.get("/window/handles")?;
    let new_window = session.post("/window/new", &json!({ "type": "tab" }))?;
    for window in windows.as_array().into_iter().flatten() {
        session.post("/window", &json!({ "handle": window }))?;
        // An error on pages without a URL.
        let _ = session.delete("/cookie");
        session.delete("/window")?;
    }
    session.post("/window", &json!({ "handle": new_window["handle"] }))?;
    if session.engine == Engine::Chromium {
        session.post("/se/log", &json!({ "type": "browser" }))?;
        // Unlike the first window of a browser, later ones do not have the focus, and their pages get no
        // focus events.
        let focus = json!({
            "cmd": "Emulation.setFocusEmulationEnabled",
            "params": { "enabled": true },
        });
        session.post("/goog/cdp/execute", &focus)?;
    }
    for file in session.downloads().read_dir().into_iter().flatten() {
        let _ = file.and_then(|file| std::fs::remove_file(file.path()));
    }
    Ok(())
}

/// Closes idle browsers when the process exits: the test harness has no hook for that, and statics are
/// never dropped.
#[allow(unsafe_code)]
fn close_browsers_at_exit() {
    unsafe extern "C" {
        fn atexit(close: extern "C" fn()) -> i32;
    }
    extern "C" fn close() {
        // Thread-locals of the main thread are destroyed by now; a new thread has its own.
        let closing = thread::spawn(|| {
            let all = std::mem::take(&mut *idle());
            let all: Vec<_> = all
                .into_iter()
                .map(|session| thread::spawn(|| drop(session)))
                .collect();
            for each in all {
                let _ = each.join();
            }
        });
        let _ = closing.join();
    }
    // SAFETY: `atexit` is from the C library; `close` does not unwind and uses only statics.
    unsafe {
        atexit(close);
    }
}
