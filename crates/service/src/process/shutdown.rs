//! Signals that stop the service, and the phases of the shutdown.

use std::time::Duration;

use tokio::sync::watch;
use tokio::time::sleep;

use crate::monitoring::health::Health;

/// Phase of the process.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Phase {
    /// Normal work.
    Running,
    /// `/readyz` returns `stopping`; connections are still accepted, so that a load balancer can
    /// react.
    Draining,
    /// No new connection is accepted; open requests are finished.
    Stopping,
}

/// Resolves when the phase is [`Phase::Stopping`], or its sender is gone.
pub async fn stopping(mut phase: watch::Receiver<Phase>) {
    // The returned guard is a lock, which must not be kept.
    let _ = phase
        .wait_for(|phase| *phase == Phase::Stopping)
        .await
        .is_ok();
}

/// Listens to the signals of the process. SIGTERM drains for `drain`, which another signal ends
/// early; SIGINT (Ctrl-C in a terminal) stops at once.
pub fn follow_signals(drain: Duration, health: Health) -> watch::Receiver<Phase> {
    let mut signals = Signals::listen();
    let (sender, receiver) = watch::channel(Phase::Running);
    tokio::spawn(async move {
        let drains = signals.next().await == Signal::Terminate && !drain.is_zero();
        if drains {
            // Before `/readyz` says so: from then on, responses close their connections.
            sender.send_replace(Phase::Draining);
        }
        health.stop();
        if drains {
            tracing::info!(
                seconds = drain.as_secs(),
                "draining: connections are accepted until the time is over or another signal comes"
            );
            tokio::select! {
                () = sleep(drain) => {}
                _ = signals.next() => {}
            }
        }
        tracing::info!("stopping: open requests are finished first");
        sender.send_replace(Phase::Stopping);
    });
    receiver
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Signal {
    Terminate,
    Interrupt,
}

/// Signals that stop the process. Once listened to, they no longer end it by default.
#[cfg(unix)]
struct Signals {
    terminate: Option<tokio::signal::unix::Signal>,
    interrupt: Option<tokio::signal::unix::Signal>,
}

#[cfg(unix)]
impl Signals {
    fn listen() -> Self {
        use tokio::signal::unix::{SignalKind, signal};
        let listen = |kind| {
            signal(kind)
                .inspect_err(|cause| tracing::warn!(%cause, "a signal cannot be listened to"))
                .ok()
        };
        Self {
            terminate: listen(SignalKind::terminate()),
            interrupt: listen(SignalKind::interrupt()),
        }
    }

    async fn next(&mut self) -> Signal {
        async fn received(signal: &mut Option<tokio::signal::unix::Signal>) {
            match signal {
                Some(signal) => {
                    signal.recv().await;
                }
                None => std::future::pending().await,
            }
        }
        tokio::select! {
            () = received(&mut self.terminate) => Signal::Terminate,
            () = received(&mut self.interrupt) => Signal::Interrupt,
        }
    }
}

/// Ctrl-C, the only supported signal.
#[cfg(not(unix))]
struct Signals;

#[cfg(not(unix))]
impl Signals {
    fn listen() -> Self {
        Self
    }

    async fn next(&mut self) -> Signal {
        if tokio::signal::ctrl_c().await.is_err() {
            std::future::pending::<()>().await;
        }
        Signal::Interrupt
    }
}
