//! The worker: sends due webhook and e-mail messages. That of the replica that leads also makes e-mail messages, and
//! records events that no request causes.
//!
//! A message stays waiting until the outcome of its attempt is stored, so messages that were in
//! flight when the service stopped are sent again: receivers recognise duplicates by
//! `triggerEvent`, `uid` and `createdAt`. Requests never wait for attempts, only for a short
//! transaction.

use std::future::Future;
use std::pin::pin;
use std::time::Duration;

use booking_store_engine::leadership::Leadership;
use booking_store_engine::lease::Lease;
use booking_wire::Instant;
use booking_zones::current;
use tokio::task::JoinSet;
use tokio::time::{self, sleep, timeout, timeout_at};

use crate::app::AppState;
use crate::domain::zone_review;
use crate::error::Result;
use crate::messages::mail::outbox::Outbox;
use crate::messages::mail::reminders;
use crate::messages::webhooks::attempt::{Finished, Sender};
use crate::messages::webhooks::concurrency::Concurrency;
use crate::messages::webhooks::http_client::Reach;
use crate::messages::webhooks::meetings;
use crate::messages::webhooks::switch_off::{check_backlogs, count_failure};
use crate::monitoring::metrics::{Channel, MessageOutcome, Metrics};
use crate::store::Subject;
use crate::store::messages::claims::{self, Queue};
use crate::store::messages::deliveries::{self, Attempt, Outcome};

/// Longest time between two queries for due deliveries.
const POLL_INTERVAL: Duration = Duration::from_millis(500);

/// Time between two notifications of the replica that leads: many writes cause one.
const NOTIFY_INTERVAL: Duration = Duration::from_millis(50);

/// Delay after a write: many writes cause one query.
const DEBOUNCE: Duration = Duration::from_millis(20);

/// Time for attempts in flight to end when the service stops.
const STOP_TIMEOUT: Duration = Duration::from_secs(3);

/// Time between two checks for webhooks with too many waiting messages, in milliseconds.
const CHECK_INTERVAL_MS: i64 = 60_000;

/// Time between two queries for due reminders, in milliseconds.
const REMINDER_INTERVAL_MS: i64 = 10_000;

/// Time between two cleanups, in milliseconds.
const CLEANUP_INTERVAL_MS: i64 = 3_600_000;

/// Time between two reviews of time zones, in milliseconds.
const ZONE_REVIEW_INTERVAL_MS: i64 = 3_600_000;

/// Sends due messages.
#[derive(Clone, Debug)]
pub struct Worker {
    app: AppState,
    sender: Sender,
    poll_interval: Duration,
    /// Name of this replica, for people.
    name: Option<String>,
}

/// Attempts in flight, and finished ones that are not stored yet.
#[derive(Default)]
struct State {
    /// None of an attempt that ended with the lease.
    tasks: JoinSet<Option<Finished>>,
    /// A delivery stays claimed until the outcome of its attempt is stored.
    concurrency: Concurrency,
    finished: Vec<Attempt>,
}

impl State {
    fn finish(&mut self, finished: Result<Option<Finished>, tokio::task::JoinError>) {
        match finished {
            Ok(Some(Finished { attempt, duration })) => {
                self.concurrency.adapt(&attempt.webhook_id, duration);
                self.finished.push(attempt);
            }
            // The delivery stays claimed until [`Self::abort`].
            Ok(None) => {}
            // The delivery stays claimed, so that it is not tried again before the next start.
            Err(error) => tracing::error!(%error, "an attempt to send a webhook message ended"),
        }
    }

    /// Ends attempts in flight. Outcomes that could not be stored are kept.
    fn abort(&mut self) {
        self.tasks.abort_all();
        self.tasks = JoinSet::new();
        self.concurrency = self.concurrency.ended();
    }
}

/// Review of upcoming bookings after a change of law, beside the other work: it reads all of them.
#[derive(Default)]
struct ZoneReview {
    task: JoinSet<()>,
    /// Time of the last one, and number of the data at that time.
    last: Option<(Instant, u64)>,
}

impl ZoneReview {
    /// Starts a review each hour, and once there are new data.
    fn advance(&mut self, app: &AppState) {
        let now = app.clock.now();
        let generation = current::generation();
        let is_due = self.last.is_none_or(|(at, reviewed)| {
            reviewed != generation || now.0.saturating_sub(at.0) >= ZONE_REVIEW_INTERVAL_MS
        });
        let is_running = !self.task.is_empty() && self.task.try_join_next().is_none();
        if !is_due || is_running {
            return;
        }
        self.last = Some((now, generation));
        let app = app.clone();
        self.task.spawn(async move {
            if let Err(error) = zone_review::run(&app).await {
                tracing::warn!(%error, "bookings could not be reviewed, retrying in an hour");
            }
        });
    }
}

impl Worker {
    /// Returns a worker that sends as far as `reach`, with `timeout` for each response.
    pub fn new(app: AppState, reach: Reach, timeout: Duration) -> Result<Self> {
        let sender = Sender::new(
            reach,
            timeout,
            app.sealing_key.clone(),
            app.clock.clone(),
            app.settings.base_url.clone(),
        )?;
        Ok(Self {
            app,
            sender,
            poll_interval: POLL_INTERVAL,
            name: None,
        })
    }

    /// Sets the name of this replica, for people.
    #[must_use]
    pub fn named(self, name: String) -> Self {
        Self {
            name: Some(name),
            ..self
        }
    }

    /// Sets the longest time between two queries for due deliveries.
    #[must_use]
    pub fn polling_every(self, poll_interval: Duration) -> Self {
        Self {
            poll_interval,
            ..self
        }
    }

    /// Sends due messages until `stop` resolves; then waits up to `STOP_TIMEOUT` for attempts
    /// in flight.
    pub async fn run(&self, stop: impl Future<Output = ()>) {
        let mut stop = pin!(stop);
        let mut state = self.state();
        let mut mail = Outbox::new(self.app.clone());
        let mut leadership = Leadership::start(&self.app.store, self.name.as_deref());
        let mut lease: Option<Lease> = None;
        let mut next_poll = time::Instant::now();
        let mut next_check = next_poll;
        let mut checked = Instant(i64::MIN);
        let mut reminded = Instant(i64::MIN);
        let mut forgotten = Instant(i64::MIN);
        let mut zone_review = ZoneReview::default();
        loop {
            if time::Instant::now() >= next_poll {
                next_poll = time::Instant::now() + self.poll_interval;
            }
            leadership.record_progress();
            let leading = leadership.lease();
            let leads = leading.is_some();
            self.app.metrics.set_lease(leading);
            let held = leadership.sending();
            let ended =
                lease.is_some() && !(held.iter().zip(&lease)).any(|(held, last)| held.is(last));
            if held.is_none() || ended {
                // Outcomes are stored also by a replica that no longer sends. Attempts in flight end: another one
                // sends these messages.
                log_error(self.store(&mut state).await);
                state.abort();
                log_error(mail.store().await);
                mail.abort();
            }
            lease = held;
            let Some(lease) = &lease else {
                tokio::select! {
                    () = &mut stop => return leadership.end().await,
                    () = leadership.changed() => continue,
                    () = self.notify_leader() => continue,
                    () = time::sleep_until(next_poll) => continue,
                }
            };
            let now = self.app.clock.now();
            if is_time(&mut forgotten, CLEANUP_INTERVAL_MS, now) {
                state.concurrency.clean_up();
            }
            if leads && time::Instant::now() >= next_check {
                next_check = next_poll;
                log_error(meetings::record_due_events(&self.app).await);
                leadership.record_progress();
                if is_time(&mut reminded, REMINDER_INTERVAL_MS, now) {
                    log_error(reminders::record_due(&self.app).await);
                    log_error(release_stuck(&self.app).await);
                }
                if is_time(&mut checked, CHECK_INTERVAL_MS, now) {
                    log_error(check_backlogs(&self.app).await);
                }
                leadership.record_progress();
                zone_review.advance(&self.app);
            }
            log_error(self.store(&mut state).await);
            let began = time::Instant::now();
            log_error(self.start(&mut state, lease).await.map(|_| ()));
            // Without the time that e-mail messages take to make: webhook messages do not wait for it.
            let elapsed = began.elapsed();
            leadership.record_progress();
            log_error(mail.advance(lease, leads).await);
            tokio::select! {
                () = &mut stop => break,
                () = leadership.changed() => {}
                Some(finished) = state.tasks.join_next() => state.finish(finished),
                () = mail.wait_for_work() => {}
                // Queries take a tenth of the time at most.
                () = self.app.store.wait_for_write() => {
                    if !leads {
                        self.notify_leader_once().await;
                    }
                    self.pause((elapsed * 9).clamp(DEBOUNCE, POLL_INTERVAL), &mut mail).await;
                }
                () = time::sleep_until(next_poll) => {}
            }
        }
        let finish = async {
            while let Some(finished) = state.tasks.join_next().await {
                state.finish(finished);
            }
            while mail.wait().await {}
        };
        if timeout(STOP_TIMEOUT, finish).await.is_err() {
            tracing::info!("messages in flight are sent again at the next start");
        }
        log_error(self.store(&mut state).await);
        log_error(mail.store().await);
        leadership.end().await;
    }

    /// Waits before the next queries. Outcomes of e-mail messages are stored in that time: if the service is killed,
    /// messages without one are sent again.
    async fn pause(&self, duration: Duration, mail: &mut Outbox) {
        let end = time::Instant::now() + duration;
        while timeout_at(end, mail.wait_for_outcome()).await.is_ok() {
            // Outcomes of the same moment are stored together.
            sleep(DEBOUNCE).await;
            log_error(mail.store().await);
        }
    }

    /// Notifies the replica that leads of this one's writes, until it is dropped.
    async fn notify_leader(&self) {
        loop {
            self.app.store.wait_for_write().await;
            self.notify_leader_once().await;
            sleep(NOTIFY_INTERVAL).await;
        }
    }

    async fn notify_leader_once(&self) {
        if let Err(error) = self.app.store.notify_leader().await {
            tracing::debug!(%error, "the replica that leads finds writes by polling");
        }
    }

    /// Sends all due e-mail messages and waits for the outcomes. Returns the number of attempts.
    pub async fn mail_round(&self) -> Result<usize> {
        reminders::record_due(&self.app).await?;
        Outbox::new(self.app.clone()).round().await
    }

    /// Sends all due deliveries and waits for the outcomes. Returns the number of attempts.
    pub async fn round(&self) -> Result<usize> {
        meetings::record_due_events(&self.app).await?;
        let mut state = self.state();
        let mut attempts = 0;
        loop {
            attempts += self.start(&mut state, &Lease::permanent()).await?;
            let Some(finished) = state.tasks.join_next().await else {
                return Ok(attempts);
            };
            state.finish(finished);
            self.store(&mut state).await?;
        }
    }

    fn state(&self) -> State {
        State {
            concurrency: Concurrency::new(self.app.settings.concurrency.webhooks),
            ..State::default()
        }
    }

    /// Starts attempts for due deliveries and returns their number.
    async fn start(&self, state: &mut State, lease: &Lease) -> Result<usize> {
        if state.concurrency.is_full() {
            return Ok(0);
        }
        let now = self.app.clock.now();
        let mut db = self.app.store.read().await?;
        let due = deliveries::due_webhooks(&mut db, now).await?;
        let mut rotation = state.concurrency.rotation(due);
        let mut chosen = Vec::new();
        while let Some(candidate) = rotation.next(&state.concurrency) {
            let claimed = state.concurrency.claimed(&candidate.webhook_id);
            let webhook_id = &candidate.webhook_id;
            let next = deliveries::next_due(&mut db, webhook_id, now, &claimed, lease).await?;
            let Some(delivery) = next else {
                continue;
            };
            state.concurrency.claim(delivery.id, &candidate);
            chosen.push(delivery);
            rotation.requeue(candidate);
        }
        drop(db);
        let ids: Vec<i64> = chosen.iter().map(|delivery| delivery.id).collect();
        let claimed = claims::claim(&self.app.store, Queue::Webhooks, ids, now, lease).await;
        let is_claimed = |id: &i64| claimed.as_ref().is_ok_and(|claimed| claimed.contains(id));
        let mut started = 0;
        for delivery in chosen {
            if !is_claimed(&delivery.id) {
                // Another replica sends it.
                state.concurrency.release(delivery.id);
                continue;
            }
            let (sender, lease) = (self.sender.clone(), lease.clone());
            let metrics = self.app.metrics.clone();
            let attempt = async move {
                let due_ms = delivery.due_ms;
                let finished = lease.while_current(sender.attempt(delivery)).await;
                if let Some(Finished { attempt, .. }) = &finished {
                    count_attempt(&metrics, attempt, due_ms);
                }
                finished
            };
            state.tasks.spawn(attempt);
            started += 1;
        }
        claimed.map(|_| started)
    }

    /// Stores the outcomes of finished attempts. Outcomes that cannot be stored now are stored
    /// later; their deliveries are not sent again until then.
    async fn store(&self, state: &mut State) -> Result<()> {
        while let Some(finished) = state.tasks.try_join_next() {
            state.finish(finished);
        }
        if state.finished.is_empty() {
            return Ok(());
        }
        // In one order at all replicas, which wait for each other's last message of an event.
        state
            .finished
            .sort_unstable_by_key(|attempt| attempt.delivery_id);
        let mut transaction = self.app.store.begin(&[Subject::Rows]).await?;
        let mut switched_off = Vec::new();
        for attempt in &state.finished {
            let is_first = deliveries::settle(&mut transaction, attempt).await?;
            if is_first && let Some(failures) = count_failure(&mut transaction, attempt).await? {
                switched_off.push((attempt, failures));
            }
        }
        transaction.commit().await?;
        for attempt in &state.finished {
            if let Outcome::GivenUp { problem } = &attempt.outcome {
                tracing::warn!(
                    delivery = attempt.delivery_id,
                    webhook = attempt.webhook_id,
                    problem,
                    "a webhook message was given up"
                );
            }
        }
        for (attempt, failures) in switched_off {
            tracing::warn!(
                webhook = attempt.webhook_id,
                given_up = failures.given_up,
                failing_since = %Instant(failures.failing_since_ms),
                "a webhook was switched off"
            );
        }
        for attempt in state.finished.drain(..) {
            state.concurrency.release(attempt.delivery_id);
        }
        Ok(())
    }
}

fn count_attempt(metrics: &Metrics, attempt: &Attempt, due_ms: i64) {
    let channel = Channel::Webhook;
    match &attempt.outcome {
        Outcome::Delivered { .. } => {
            metrics.record_sent(channel, attempt.at.0.saturating_sub(due_ms));
        }
        Outcome::Retry { .. } => metrics.record_messages(channel, MessageOutcome::Retried, 1),
        Outcome::GivenUp { .. } => metrics.record_messages(channel, MessageOutcome::Failed, 1),
    }
}

/// Returns true once `interval_ms` has passed since `last`, and sets `last` then.
fn is_time(last: &mut Instant, interval_ms: i64, now: Instant) -> bool {
    let is_time = now.0.saturating_sub(last.0) >= interval_ms;
    if is_time {
        *last = now;
    }
    is_time
}

/// Makes messages due that were stored while the one before them was settled.
pub async fn release_stuck(app: &AppState) -> Result<()> {
    let now = app.clock.now();
    let mut transaction = app.store.begin(&[Subject::Rows]).await?;
    deliveries::release_stuck(&mut transaction, now).await?;
    transaction.commit().await?;
    Ok(())
}

/// Logs a failure to read or write; the next poll retries.
fn log_error(outcome: Result<()>) {
    if let Err(error) = outcome {
        tracing::warn!(%error, "messages could not be read or stored, retrying");
    }
}
