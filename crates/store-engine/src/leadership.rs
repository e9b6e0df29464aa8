//! Election of the replica that leads, heartbeats of replicas and their rights to send messages.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use sqlx::ConnectOptions;
use sqlx::postgres::PgConnectOptions;
use tokio::sync::{oneshot, watch};
use tokio::task::JoinHandle;
use tokio::time::{Instant, MissedTickBehavior, interval, timeout};

use crate::clock_check;
use crate::connection::Db;
use crate::database::Store;
use crate::error::{Error, Result};
use crate::lease::{self, Lease};
use crate::reachability::answer_within;
use crate::replicas::{self, Replica};
use crate::sql;
use crate::write_notifications::WriteListener;

/// Key of the advisory lock of running replicas, which they share. Any number that other programs with the same database do
/// not use.
const REPLICAS_LOCK: i64 = 0x626f_6f6b_696e_6701;

/// Name of the connection, for `pg_stat_activity`.
const APPLICATION_NAME: &str = "booking-service leadership";

/// Time between two polls of the lease.
const CHECK_INTERVAL: Duration = Duration::from_millis(500);

/// Time between two renewals, and between two heartbeats.
const REPORT_INTERVAL: Duration = Duration::from_secs(2);

/// Longest time of one round of statements.
const ANSWER_TIMEOUT: Duration = Duration::from_secs(3);

/// Longest time between two steps of a worker: some statements, which the server ends after a minute each. This is for a
/// worker that hangs; a frozen process renews nothing.
const PROGRESS_LIMIT: Duration = Duration::from_secs(180);

/// Keeps replicas from working until the connection to PostgreSQL ends. Returns false if one is running.
pub async fn try_lock(db: &mut Db) -> Result<bool, sqlx::Error> {
    sql::query_scalar("SELECT pg_try_advisory_lock(?)")
        .bind(REPLICAS_LOCK)
        .fetch_one(db)
        .await
}

/// The right to do what one replica does at a time, such as making messages and cleaning up, and the right to send them,
/// which all replicas have.
///
/// With PostgreSQL, a task holds the [`Lease`] as long as the worker makes progress, and takes it if no other replica does.
/// A replica whose clock differs from the server's does not lead, nor one that may not use the schema any more. The leader
/// listens for the writes of the others. SQLite has one process, which leads.
#[derive(Debug)]
pub struct Leadership {
    lease: watch::Receiver<Option<Lease>>,
    sending: watch::Receiver<Option<Lease>>,
    progress: Progress,
    task: Option<(oneshot::Sender<()>, JoinHandle<()>)>,
}

/// Last step of the worker. Clones share it.
#[derive(Clone, Debug)]
struct Progress(Arc<Mutex<Instant>>);

impl Progress {
    fn record(&self) {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = Instant::now();
    }

    fn is_recent(&self) -> bool {
        let last = *self.0.lock().unwrap_or_else(PoisonError::into_inner);
        last.elapsed() < PROGRESS_LIMIT
    }
}

impl Leadership {
    /// Starts to lead as soon as no other replica does. `name` is that of this replica, for people.
    pub fn start(store: &Store, name: Option<&str>) -> Self {
        let progress = Progress(Arc::new(Mutex::new(Instant::now())));
        let Some(pool) = store.postgres() else {
            return Self {
                // Without a sender, it never changes.
                lease: watch::channel(Some(Lease::permanent())).1,
                sending: watch::channel(Some(Lease::permanent())).1,
                progress,
                task: None,
            };
        };
        let (sender, lease) = watch::channel(None);
        let (sending_sender, sending) = watch::channel(None);
        let (stop, stopped) = oneshot::channel();
        let candidate = Candidate {
            options: pool
                .session_options()
                .clone()
                .application_name(APPLICATION_NAME),
            store: store.clone(),
            replica: Replica::new(name),
            progress: progress.clone(),
            connection: None,
            has_lock: false,
            lease: sender,
            sending: sending_sender,
            listener: None,
            next_report: Instant::now(),
            is_stuck: false,
            is_failing: false,
        };
        let task = tokio::spawn(candidate.run(stopped));
        Self {
            lease,
            sending,
            progress,
            task: Some((stop, task)),
        }
    }

    /// Returns the lease if this replica leads.
    pub fn lease(&self) -> Option<Lease> {
        self.lease.borrow().clone().filter(Lease::is_current)
    }

    /// Returns the right to send messages if this replica has it, as all have whose clock is right.
    pub fn sending(&self) -> Option<Lease> {
        self.sending.borrow().clone().filter(Lease::is_current)
    }

    /// Waits until this replica may have begun or ceased to lead or to send.
    pub async fn changed(&mut self) {
        let changed = tokio::select! {
            changed = self.lease.changed() => changed,
            changed = self.sending.changed() => changed,
        };
        if changed.is_err() {
            std::future::pending::<()>().await;
        }
    }

    /// Records that the worker has taken a step.
    pub fn record_progress(&self) {
        self.progress.record();
    }

    /// Lets another replica lead at once.
    pub async fn end(mut self) {
        if let Some((stop, task)) = self.task.take() {
            drop(stop);
            if task.await.is_err() {
                tracing::error!("the election of the replica that leads panicked");
            }
        }
    }
}

impl Drop for Leadership {
    fn drop(&mut self) {
        // The lease is free once the server notices that the connection has ended.
        if let Some((_, task)) = &self.task {
            task.abort();
        }
    }
}

/// A replica that leads, or would.
struct Candidate {
    options: PgConnectOptions,
    store: Store,
    replica: Replica,
    progress: Progress,
    /// Not of the pool: under load, others wait for its connections, and a pooler shares sessions.
    connection: Option<Db>,
    has_lock: bool,
    lease: watch::Sender<Option<Lease>>,
    /// The right to send messages.
    sending: watch::Sender<Option<Lease>>,
    listener: Option<WriteListener>,
    next_report: Instant,
    is_stuck: bool,
    is_failing: bool,
}

impl Candidate {
    async fn run(mut self, mut stopped: oneshot::Receiver<()>) {
        let mut ticks = interval(CHECK_INTERVAL);
        ticks.set_missed_tick_behavior(MissedTickBehavior::Delay);
        loop {
            tokio::select! {
                biased;
                _ = &mut stopped => break,
                _ = ticks.tick() => {}
            }
            match answer_within(ANSWER_TIMEOUT, self.check()).await {
                Ok(()) => self.is_failing = false,
                Err(error) => {
                    // The lease may still be this replica's: the next connection tells.
                    self.connection = None;
                    if !std::mem::replace(&mut self.is_failing, true) {
                        tracing::warn!(%error, "cannot tell which replica leads, retrying");
                    }
                }
            }
            self.drop_ended_lease();
        }
        if timeout(ANSWER_TIMEOUT, self.stop()).await.is_err() {
            tracing::info!("the lease was not released: another replica leads when it ends");
        }
    }

    /// Looks at the lease, renews or takes it, and stores a heartbeat.
    async fn check(&mut self) -> Result<()> {
        let mut db = match self.connection.take() {
            Some(db) => db,
            None => {
                self.has_lock = false;
                // The lease names the session.
                self.next_report = Instant::now();
                Db::from(self.options.connect().await?)
            }
        };
        let result = self.check_with(&mut db).await;
        // After an error, the session may be lost.
        if result.is_ok() {
            self.connection = Some(db);
        }
        result
    }

    async fn check_with(&mut self, db: &mut Db) -> Result<()> {
        let before_ms = clock_check::now();
        let state = lease::read(db, &self.replica.id).await?;
        let clocks_agree = (self.store.clock())
            .compare(before_ms, state.now_ms)
            .is_none();
        let schema = self.store.schema_watch();
        schema.record_oldest_version(state.oldest_version);
        let is_usable = schema.is_usable();
        let is_stuck = !self.progress.is_recent();
        if is_stuck && !self.is_stuck {
            tracing::error!("the worker of messages makes no progress: this replica does not lead");
        }
        self.is_stuck = is_stuck;
        // Also if it does not lead: data are not moved while it runs.
        let has_lock = self.shares_lock(db).await?;
        let may_lead = clocks_agree && is_usable && !is_stuck;
        let lease = self.lease.borrow().clone();
        let is_due = Instant::now() >= self.next_report;
        match lease {
            Some(lease) if !may_lead => {
                lease::release(db, &self.replica.id, &lease).await?;
            }
            Some(lease) if !lease.is_current() => {}
            Some(lease) => {
                let is_held = state.holder.as_ref() == Some(&self.replica.id)
                    && (!is_due || has_lock && lease::renew(db, &self.replica.id, &lease).await?);
                if !is_held {
                    lease.end();
                }
            }
            None if may_lead && state.is_free => {
                if has_lock && let Some(lease) = lease::take(db, &self.replica.id).await? {
                    tracing::info!(
                        replica = self.replica.name,
                        fencing = lease.fencing(),
                        "this replica leads"
                    );
                    self.listener = self.store.listen_for_writes();
                    self.lease.send_replace(Some(lease));
                }
            }
            None => {}
        }
        let may_send = may_lead && has_lock;
        if !may_send && let Some(sending) = &*self.sending.borrow() {
            sending.end();
        }
        let mut others = None;
        if is_due && is_usable {
            let deadline = lease::deadline();
            replicas::report(db, &self.replica, may_send).await?;
            if may_send {
                self.renew_sending(deadline);
            }
            others = Some(replicas::read_others(db, &self.replica.id).await?);
            self.next_report = Instant::now() + REPORT_INTERVAL;
        }
        self.store.replica_watch().record(others, state.leader());
        Ok(())
    }

    /// Renews the right to send, which was stored just now, or begins it.
    fn renew_sending(&self, deadline: Duration) {
        let is_renewed =
            (self.sending.borrow().as_ref()).is_some_and(|sending| sending.extend(deadline));
        if !is_renewed {
            let sending = Lease::to_send(&self.replica.id, deadline);
            self.sending.send_replace(Some(sending));
        }
    }

    /// Takes the lock that replicas share, unless the session has it. Returns false while data are moved, or a replica of an
    /// earlier version leads: both lock it for themselves alone.
    async fn shares_lock(&mut self, db: &mut Db) -> Result<bool> {
        if !self.has_lock {
            self.has_lock = sql::query_scalar("SELECT pg_try_advisory_lock_shared(?)")
                .bind(REPLICAS_LOCK)
                .fetch_one(db)
                .await?;
        }
        Ok(self.has_lock)
    }

    /// Tells the worker that a lease has ended.
    fn drop_ended_lease(&mut self) {
        self.sending.send_if_modified(|sending| {
            let has_ended = sending
                .as_ref()
                .is_some_and(|sending| !sending.is_current());
            if has_ended {
                *sending = None;
            }
            has_ended
        });
        let has_ended = (self.lease.borrow().as_ref()).is_some_and(|lease| !lease.is_current());
        if has_ended {
            tracing::warn!(
                replica = self.replica.name,
                "this replica does not lead any more"
            );
            self.listener = None;
            self.lease.send_replace(None);
        }
    }

    /// Lets another replica lead, and deletes the row of this one.
    async fn stop(mut self) {
        let lease = self.lease.borrow().clone();
        if let Some(sending) = &*self.sending.borrow() {
            sending.end();
        }
        let Some(mut db) = self.connection.take() else {
            return;
        };
        let stopped = async {
            if let Some(lease) = lease {
                lease::release(&mut db, &self.replica.id, &lease).await?;
            }
            replicas::delete(&mut db, &self.replica).await?;
            db.close().await?;
            Ok::<_, Error>(())
        };
        if let Err(error) = stopped.await {
            tracing::info!(%error, "the lease was not released: another replica leads when it ends");
        }
    }
}
