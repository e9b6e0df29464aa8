//! Notifications to systemd: ready, stopping, and the watchdog's.

use std::io;
use std::time::Duration;

use reqwest::Client;
use tokio::sync::watch;
use tokio::time::sleep;

use super::shutdown::Phase;
use crate::messages::webhooks::http_client;

/// Notifications in the time after which systemd's watchdog ends the process.
const PINGS: u32 = 3;

/// Notifies systemd that requests are accepted, later that the process stops, and its watchdog as long as the service at
/// `base_url` responds. Does nothing without systemd.
pub fn follow(base_url: &str, mut phase: watch::Receiver<Phase>) {
    notify(State::Ready);
    tokio::spawn(async move {
        // The returned guard is a lock, which must not be kept.
        let _ = phase
            .wait_for(|phase| *phase > Phase::Running)
            .await
            .is_ok();
        notify(State::Stopping);
    });
    let Some(timeout) = watchdog_timeout() else {
        return;
    };
    let interval = timeout / PINGS;
    match client(interval) {
        Ok(client) => {
            tokio::spawn(feed_watchdog(
                client,
                format!("{base_url}/healthz"),
                interval,
            ));
        }
        Err(cause) => tracing::error!(%cause, "systemd's watchdog is not notified"),
    }
}

/// Returns a client that connects again for each request: the watchdog is for the listener, too.
fn client(timeout: Duration) -> io::Result<Client> {
    let builder = http_client::builder()?.timeout(timeout);
    let client = builder.pool_max_idle_per_host(0).build();
    client.map_err(io::Error::other)
}

/// Notifies the watchdog after each response: a process whose listener, runtime or router hangs has none.
async fn feed_watchdog(client: Client, url: String, interval: Duration) {
    loop {
        if responds(&client, &url).await {
            notify(State::Alive);
        } else {
            tracing::warn!(
                "the service does not respond to itself: systemd's watchdog is not notified"
            );
        }
        sleep(interval).await;
    }
}

async fn responds(client: &Client, url: &str) -> bool {
    let response = client.get(url).send().await;
    response.is_ok_and(|response| response.status().is_success())
}

#[derive(Clone, Copy, Debug)]
enum State {
    Ready,
    Alive,
    Stopping,
}

fn notify(state: State) {
    if let Err(cause) = send(state) {
        tracing::warn!(%cause, ?state, "systemd was not notified");
    }
}

#[cfg(unix)]
fn send(state: State) -> io::Result<()> {
    use sd_notify::NotifyState;
    sd_notify::notify(&[match state {
        State::Ready => NotifyState::Ready,
        State::Alive => NotifyState::Watchdog,
        State::Stopping => NotifyState::Stopping,
    }])
}

#[cfg(unix)]
fn watchdog_timeout() -> Option<Duration> {
    sd_notify::watchdog_enabled()
}

#[cfg(not(unix))]
fn send(_state: State) -> io::Result<()> {
    Ok(())
}

#[cfg(not(unix))]
fn watchdog_timeout() -> Option<Duration> {
    None
}

#[cfg(test)]
mod tests {
    use tokio::net::TcpListener;

    use super::*;

    #[tokio::test]
    async fn service_that_accepts_connections_only_does_not_respond() {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let url = format!("http://{}/healthz", listener.local_addr().unwrap());
        let client = client(Duration::from_millis(100)).unwrap();
        assert!(!responds(&client, &url).await);
    }
}
