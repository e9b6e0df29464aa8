//! Takes what is in the outbox to its subscribers.
//!
//! A message stays in the outbox until it is known what came of it, so what was under way when
//! the service stopped is sent again: receivers tell repetitions by `triggerEvent`, `uid` and
//! `createdAt` (contract 7). Requests are never waited on and wait for nothing here but the turn
//! of a short transaction.

use std::collections::HashMap;
use std::future::Future;
use std::pin::pin;
use std::time::Duration;

use booking_wire::Instant;
use reqwest::header::CONTENT_TYPE;
use reqwest::{Client, Url};
use tokio::task::JoinSet;
use tokio::time::{self, sleep, timeout};

use super::meetings;
use super::network::{self, Reach};
use super::signature::{self, signature};
use crate::auth::seal::SealingKey;
use crate::error::Result;
use crate::router::App;
use crate::store::deliveries::{self, Attempt, Due};

/// How long a receiver may take to answer.
pub const PATIENCE: Duration = Duration::from_secs(10);
/// Pauses before the three repetitions of an attempt that failed.
const PAUSES_MS: [i64; 3] = [1_000, 10_000, 60_000];
/// How many messages are under way at a time, and how many of them to one webhook: a slow receiver
/// holds up nobody but itself.
const AT_ONCE: usize = 64;
const AT_ONCE_TO_ONE: usize = 4;
/// How often is looked for what has become due.
const LOOK_EVERY: Duration = Duration::from_millis(500);
/// A pause after something was written, so that many writes cost one look.
const GATHER: Duration = Duration::from_millis(20);
/// How long messages under way may take when the service stops.
const STOPPING: Duration = Duration::from_secs(3);
/// How long is remembered what was delivered, and what was given up.
const DELIVERED_KEPT_MS: i64 = 7 * DAY_MS;
const FAILED_KEPT_MS: i64 = 30 * DAY_MS;
const DAY_MS: i64 = 86_400_000;
/// How often the outbox is swept.
const SWEEP_EVERY_MS: i64 = 3_600_000;

/// Sends messages.
#[derive(Clone, Debug)]
pub struct Courier {
    app: App,
    http: Client,
    reach: Reach,
}

/// What is being sent, and what came of it but is not noted yet.
#[derive(Default)]
struct UnderWay {
    tasks: JoinSet<Attempt>,
    /// The webhook of each message; a message stays until what came of its attempt is noted.
    taken: HashMap<i64, String>,
    over: Vec<Attempt>,
}

impl UnderWay {
    fn busy(&self) -> Vec<&str> {
        let mut counts: HashMap<&str, usize> = HashMap::new();
        for webhook in self.taken.values() {
            *counts.entry(webhook).or_default() += 1;
        }
        let is_busy = |(webhook, count)| (count >= AT_ONCE_TO_ONE).then_some(webhook);
        counts.into_iter().filter_map(is_busy).collect()
    }

    fn is_full_for(&self, webhook_id: &str) -> bool {
        let same = |webhook: &&String| webhook.as_str() == webhook_id;
        self.taken.values().filter(same).count() >= AT_ONCE_TO_ONE
    }
}

impl Courier {
    /// A courier that goes as far as `reach` and waits as long as `patience` for each answer.
    pub fn new(app: App, reach: Reach, patience: Duration) -> Result<Self> {
        Ok(Self {
            app,
            http: network::client(reach, patience)?,
            reach,
        })
    }

    /// Sends what becomes due until `stop` resolves; then waits a little for what is under way.
    pub async fn run(&self, stop: impl Future<Output = ()>) {
        let mut stop = pin!(stop);
        let mut under_way = UnderWay::default();
        let mut next_look = time::Instant::now();
        let mut swept = Instant(i64::MIN);
        loop {
            if time::Instant::now() >= next_look {
                next_look = time::Instant::now() + LOOK_EVERY;
                logged(meetings::tell(&self.app).await);
                logged(self.sweep(&mut swept).await);
            }
            logged(self.note(&mut under_way).await);
            let began = time::Instant::now();
            logged(self.start(&mut under_way).await.map(|_| ()));
            let took = began.elapsed();
            tokio::select! {
                () = &mut stop => break,
                Some(ended) = under_way.tasks.join_next() => under_way.over.extend(ended.ok()),
                // A look at a long outbox takes long: a tenth of the time at most.
                () = self.app.store.written() => sleep((took * 9).clamp(GATHER, LOOK_EVERY)).await,
                () = time::sleep_until(next_look) => {}
            }
        }
        let finish = async {
            while let Some(ended) = under_way.tasks.join_next().await {
                under_way.over.extend(ended.ok());
            }
        };
        if timeout(STOPPING, finish).await.is_err() {
            tracing::info!("webhook messages under way are sent again at the next start");
        }
        logged(self.note(&mut under_way).await);
    }

    /// Sends all that is due and waits for what comes of it. Gives the number of attempts.
    pub async fn round(&self) -> Result<usize> {
        meetings::tell(&self.app).await?;
        let mut under_way = UnderWay::default();
        let mut attempts = 0;
        loop {
            attempts += self.start(&mut under_way).await?;
            let Some(ended) = under_way.tasks.join_next().await else {
                return Ok(attempts);
            };
            under_way.over.extend(ended.ok());
            self.note(&mut under_way).await?;
        }
    }

    /// Starts to send what is due and gives how much that was.
    async fn start(&self, under_way: &mut UnderWay) -> Result<usize> {
        let mut started = 0;
        loop {
            let free = AT_ONCE.saturating_sub(under_way.taken.len());
            if free == 0 {
                return Ok(started);
            }
            let taken: Vec<i64> = under_way.taken.keys().copied().collect();
            let mut db = self.app.store.read().await?;
            let due = deliveries::due(
                &mut db,
                self.app.clock.now(),
                &taken,
                &under_way.busy(),
                free,
            )
            .await?;
            drop(db);
            // If one webhook had all of the places in this list, others may be found in the next.
            let is_last = due.len() < free;
            for due in due {
                if under_way.is_full_for(&due.webhook_id) {
                    continue;
                }
                under_way.taken.insert(due.id, due.webhook_id.clone());
                let (http, reach) = (self.http.clone(), self.reach);
                let (key, clock) = (self.app.sealing_key.clone(), self.app.clock.clone());
                under_way.tasks.spawn(async move {
                    let sent = send(&http, reach, &key, &due).await;
                    attempt(&due, sent, clock.now())
                });
                started += 1;
            }
            if is_last {
                return Ok(started);
            }
        }
    }

    /// Notes what came of attempts. What cannot be noted now is noted later, and not sent again
    /// meanwhile.
    async fn note(&self, under_way: &mut UnderWay) -> Result<()> {
        while let Some(ended) = under_way.tasks.try_join_next() {
            under_way.over.extend(ended.ok());
        }
        if under_way.over.is_empty() {
            return Ok(());
        }
        let mut transaction = self.app.store.begin().await?;
        for attempt in &under_way.over {
            deliveries::settle(&mut transaction, attempt).await?;
        }
        transaction.commit().await?;
        for attempt in under_way.over.drain(..) {
            under_way.taken.remove(&attempt.delivery_id);
        }
        Ok(())
    }

    async fn sweep(&self, swept: &mut Instant) -> Result<()> {
        let now = self.app.clock.now();
        if now.0.saturating_sub(swept.0) < SWEEP_EVERY_MS {
            return Ok(());
        }
        sweep(&self.app).await?;
        *swept = now;
        Ok(())
    }
}

/// Forgets what was delivered a week ago or given up a month ago.
pub async fn sweep(app: &App) -> Result<u64> {
    let now = app.clock.now().0;
    let mut transaction = app.store.begin().await?;
    let swept = deliveries::sweep(
        &mut transaction,
        Instant(now - DELIVERED_KEPT_MS),
        Instant(now - FAILED_KEPT_MS),
    )
    .await?;
    transaction.commit().await?;
    Ok(swept)
}

/// The status of an answer, and why it was no success.
type Sent = (Option<u16>, Option<String>);

async fn send(http: &Client, reach: Reach, key: &SealingKey, due: &Due) -> Sent {
    let failed = |problem: &str| (None, Some(problem.to_owned()));
    let Ok(url) = Url::parse(&due.subscriber_url) else {
        return failed("the address cannot be read");
    };
    if let Err(refused) = network::check(&url, reach) {
        return failed(&refused.to_string());
    }
    let secret = due
        .secret
        .as_deref()
        .map(|sealed| key.unseal(sealed, &due.webhook_id))
        .transpose();
    let Ok(signed) = secret.and_then(|secret| signature(secret.as_deref(), &due.body)) else {
        return failed("the secret cannot be opened");
    };
    let sent = http
        .post(url)
        .header(CONTENT_TYPE, &due.content_type)
        .header(signature::HEADER, signed)
        .header("x-svc-webhook-version", &due.version)
        .body(due.body.clone())
        .send()
        .await;
    match sent {
        // What an answer says is of no interest: it is not read.
        Ok(answer) if answer.status().is_success() => (Some(answer.status().as_u16()), None),
        Ok(answer) => {
            let status = answer.status().as_u16();
            (Some(status), Some(format!("answered {status}")))
        }
        Err(error) => failed(&network::problem(&error)),
    }
}

fn attempt(due: &Due, (status, problem): Sent, at: Instant) -> Attempt {
    let pause = usize::try_from(due.attempts)
        .ok()
        .and_then(|failed| PAUSES_MS.get(failed));
    let again = pause
        .filter(|_| problem.is_some())
        .map(|pause| Instant(at.0 + pause));
    if let (Some(problem), None) = (&problem, again) {
        tracing::warn!(
            delivery = due.id,
            webhook = due.webhook_id,
            problem,
            "a webhook message was given up"
        );
    }
    Attempt {
        delivery_id: due.id,
        status,
        problem,
        again,
        at,
    }
}

/// What goes wrong here has been logged where it did; it is tried again at the next look.
fn logged(outcome: Result<()>) {
    if let Err(error) = outcome {
        tracing::warn!(%error, "webhook messages have to wait");
    }
}
