//! Notifications of writes between replicas with one PostgreSQL database.
//!
//! The replica that leads listens, the others notify it after their commits, so that it looks for due messages at once.
//! Notifications are sent outside of write transactions: PostgreSQL lets transactions that notify commit one at a time
//! only. They may be lost with a connection: what is due is in tables, and the leader polls them, too.

use std::sync::Arc;
use std::time::Duration;

use sqlx::postgres::{PgConnectOptions, PgListener, PgPoolOptions};
use tokio::sync::Notify;
use tokio::task::JoinHandle;
use tokio::time::sleep;

use crate::postgres::Pool;

/// Channel of this database. The notifications have no payload.
const CHANNEL: &str = "booking_writes";

/// Notifies [`CHANNEL`]. It has no parameters: no session has to keep a prepared statement.
const NOTIFY: &str = "NOTIFY booking_writes";

/// Name of the connection that listens, for `pg_stat_activity`.
const APPLICATION_NAME: &str = "booking-service listener";

/// Time between two attempts to connect.
const RETRY_INTERVAL: Duration = Duration::from_secs(1);

/// Notifies the replica that leads of writes.
pub(crate) async fn notify(pool: &Pool) -> Result<(), sqlx::Error> {
    sqlx::raw_sql(NOTIFY)
        .execute(pool.connections())
        .await
        .map(drop)
}

/// Listens for the writes of other replicas until it is dropped.
#[derive(Debug)]
pub(crate) struct WriteListener(JoinHandle<()>);

impl WriteListener {
    /// Notifies `writes` of each write of another replica, and after each time in which notifications may have been lost.
    pub(crate) fn start(pool: &Pool, writes: Arc<Notify>) -> Self {
        let options = pool.session_options().clone();
        let options = options.application_name(APPLICATION_NAME);
        Self(tokio::spawn(async move {
            let mut is_failing = false;
            loop {
                match connect(&options).await {
                    Ok(listener) => {
                        is_failing = false;
                        let end = receive(listener, &writes).await;
                        tracing::debug!(?end, "the connection that listens was lost");
                    }
                    Err(cause) if !is_failing => {
                        is_failing = true;
                        tracing::warn!(%cause, "cannot listen: other replicas' writes are found by polling");
                    }
                    Err(_) => {}
                }
                sleep(RETRY_INTERVAL).await;
            }
        }))
    }
}

impl Drop for WriteListener {
    fn drop(&mut self) {
        self.0.abort();
    }
}

/// Opens a connection that listens.
async fn connect(options: &PgConnectOptions) -> Result<PgListener, sqlx::Error> {
    // A pool for each connection: a lost one may keep its place until the system notices.
    let pool = PgPoolOptions::new()
        .max_connections(1)
        .max_lifetime(None)
        .idle_timeout(None)
        .connect_with(options.clone())
        .await?;
    let mut listener = PgListener::connect_with(&pool).await?;
    listener.eager_reconnect(false);
    listener.listen(CHANNEL).await?;
    Ok(listener)
}

/// Passes notifications on until the connection is lost.
async fn receive(mut listener: PgListener, writes: &Notify) -> Result<(), sqlx::Error> {
    loop {
        // Also at the start, for notifications that were sent before.
        writes.notify_one();
        if listener.try_recv().await?.is_none() {
            return Ok(());
        }
    }
}
