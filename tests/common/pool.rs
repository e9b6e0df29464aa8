//! Browsers that wait for the next journey: to start one takes longer than most of what it is asked.
//!
//! What one journey leaves behind, the next must not find. A browser is kept only if the journey ended
//! well and asked for nothing that stays; its windows are closed for a fresh one and the cookies
//! deleted, and everything else that browsers store belongs to an address with a port, which no other
//! journey gets (see `listener`).

use std::ops::Deref;
use std::sync::{Mutex, MutexGuard, Once, PoisonError};
use std::thread;

use serde_json::json;

use super::driver::{Engine, Refusal, Session, Setup};

/// So many journeys share a browser: what it gathers, such as memory, stays little.
const JOURNEYS: usize = 30;

/// So many wait at most.
const WAITING: usize = 4;

static IDLE: Mutex<Vec<Session>> = Mutex::new(Vec::new());

fn idle() -> MutexGuard<'static, Vec<Session>> {
    IDLE.lock().unwrap_or_else(PoisonError::into_inner)
}

/// A browser of one journey.
pub(crate) struct Lent(Option<Session>);

impl Lent {
    /// One that waits, or a new one.
    pub(crate) fn take(setup: &Setup) -> Lent {
        let waiting = if *setup == Setup::default() {
            idle().pop()
        } else {
            None
        };
        Lent(Some(waiting.unwrap_or_else(|| Session::start(setup))))
    }
}

impl Deref for Lent {
    type Target = Session;

    fn deref(&self) -> &Session {
        self.0.as_ref().expect("a browser until the end")
    }
}

impl Drop for Lent {
    fn drop(&mut self) {
        let Some(session) = self.0.take() else { return };
        session.journeys.set(session.journeys.get() + 1);
        let is_good = !thread::panicking()
            && session.setup == Setup::default()
            && !session.is_changed.get()
            && session.journeys.get() < JOURNEYS;
        if !is_good || tidy(&session).is_err() {
            return;
        }
        static ENDS: Once = Once::new();
        ENDS.call_once(end_with_the_program);
        let mut idle = idle();
        if idle.len() < WAITING {
            idle.push(session);
        }
    }
}

/// Makes a browser look as if it had been started a moment ago.
fn tidy(session: &Session) -> Result<(), Refusal> {
    // Mostly there is none, which is an error.
    let _ = session.post("/alert/dismiss", &json!({}));
    session.delete("/actions")?;
    let windows = session.get("/window/handles")?;
    let fresh = session.post("/window/new", &json!({ "type": "tab" }))?;
    for window in windows.as_array().into_iter().flatten() {
        session.post("/window", &json!({ "handle": window }))?;
        // A page without an address has none.
        let _ = session.delete("/cookie");
        session.delete("/window")?;
    }
    session.post("/window", &json!({ "handle": fresh["handle"] }))?;
    if session.engine == Engine::Chromium {
        session.post("/se/log", &json!({ "type": "browser" }))?;
        // Unlike the first window of a browser, those opened later do not have the focus, and nothing in
        // them is told that it gets it.
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

/// The test program gives no other hint that its last journey is over, and what is static is never
/// dropped.
#[allow(unsafe_code)]
fn end_with_the_program() {
    unsafe extern "C" {
        fn atexit(end: extern "C" fn()) -> i32;
    }
    extern "C" fn end() {
        // The main thread has lost what belongs to it; a new one has everything.
        let ending = thread::spawn(|| {
            let all = std::mem::take(&mut *idle());
            let all: Vec<_> = all
                .into_iter()
                .map(|session| thread::spawn(|| drop(session)))
                .collect();
            for each in all {
                let _ = each.join();
            }
        });
        let _ = ending.join();
    }
    // SAFETY: `atexit` is the C library's, and `end` neither unwinds nor needs anything to be alive.
    unsafe {
        atexit(end);
    }
}
