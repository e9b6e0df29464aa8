//! Makes messages from events, sends the due ones and stores the outcomes.
//!
//! A message stays waiting until the outcome of its attempt is stored: one that was in flight when the service was killed
//! is sent again, with the same Message-ID, by which mail programs recognise it.

pub mod content;
mod new_messages;

use std::collections::{HashMap, VecDeque};
use std::time::Duration;

use booking_mail::data::{MessageData, Person};
use booking_mail::message::{Kind, Role};
use booking_smtp::address::Mailbox;
use booking_smtp::mime::Outgoing;
use booking_smtp::transport::{SendError, Transport};
use booking_store_engine::lease::Lease;
use booking_wire::Instant;
use content::content;
use new_messages::make_messages;
use tokio::task::JoinSet;
use tokio::time;
use tracing::Instrument;
use tracing::field::Empty;

use crate::app::AppState;
use crate::error::Result;
use crate::messages::mail::retries_and_limits::{
    EVENTS_PER_TRANSACTION, FREE_FOR_OTHERS, LATE_EVENTS_PER_TRANSACTION, RETRY_DELAYS_MS,
};
use crate::monitoring::metrics::{Channel, MessageOutcome};
use crate::monitoring::traces::{self, TARGET};
use crate::store::Locks;
use crate::store::messages::claims::{self, Queue};
use crate::store::messages::mail::{self, DueMessage, MailAttempt, MailOutcome, StoredMessage};
use crate::store::messages::mail_reminders::reminded_addresses;

/// Messages in flight, and outcomes that are not stored yet.
#[derive(Debug)]
pub struct Outbox {
    app: AppState,
    /// None keeps messages.
    transport: Option<Transport>,
    /// Messages that are sent at the same time.
    concurrency: usize,
    /// None of an attempt that ended with the lease.
    tasks: JoinSet<Option<MailAttempt>>,
    /// With the tenant of each. They stay in flight until the outcome is stored.
    in_flight: HashMap<i64, String>,
    /// Due messages in the order in which they are sent.
    plan: VecDeque<DueMessage>,
    /// Time from which the plan is read again: tenants who have joined since take turns then.
    next_plan: time::Instant,
    finished: Vec<MailAttempt>,
    /// True if events have waited for [`MAX_EVENT_WAIT`].
    are_late: bool,
    /// Earliest time at which messages are made of further events.
    next_batch: time::Instant,
    /// True if there may be events at that time.
    may_have_events: bool,
}

/// Time between two batches of events, as a multiple of the time that one takes: under load, bookings come first.
const BATCH_PAUSE: u32 = 9;

/// The same once events have waited for [`MAX_EVENT_WAIT`]: messages are to be sent within a minute.
const LATE_BATCH_PAUSE: u32 = 1;

/// Time for which events wait for bookings.
const MAX_EVENT_WAIT: Duration = Duration::from_secs(5);

/// Messages of a plan.
const MAX_PLAN: usize = 200;

/// Time for which a plan is followed, as a multiple of the time that it takes to read: it depends on the number of messages
/// that wait.
const PLAN_PAUSE: u32 = 9;

/// Shortest time for which a plan is followed.
const MIN_PLAN_TIME: Duration = Duration::from_millis(100);

/// Longest time for which a plan is followed: a new tenant waits at most this long for its first turn.
const MAX_PLAN_TIME: Duration = Duration::from_secs(1);

/// Longest time between two batches of events, however long one takes.
const MAX_BATCH_PAUSE: Duration = Duration::from_secs(1);

/// Returns the time until the next batch of events after one that took that long.
fn batch_pause(took: Duration, are_late: bool) -> Duration {
    let factor = match are_late {
        true => LATE_BATCH_PAUSE,
        false => BATCH_PAUSE,
    };
    took.saturating_mul(factor).min(MAX_BATCH_PAUSE)
}

impl Outbox {
    /// Returns the outbox, with the mail server of the settings.
    pub fn new(app: AppState) -> Self {
        let smtp = app.settings.mail.smtp.as_ref();
        let concurrency = app.settings.concurrency.mail;
        let transport = smtp.map(|smtp| Transport::new(smtp).keeping(concurrency));
        Self {
            app,
            transport,
            concurrency,
            tasks: JoinSet::new(),
            in_flight: HashMap::new(),
            plan: VecDeque::new(),
            next_plan: time::Instant::now(),
            finished: Vec::new(),
            are_late: false,
            next_batch: time::Instant::now(),
            may_have_events: false,
        }
    }

    /// Ends messages in flight: another replica sends them. Outcomes that could not be stored are kept.
    pub fn abort(&mut self) {
        self.tasks.abort_all();
        self.tasks = JoinSet::new();
        let unstored = |id: &i64| self.finished.iter().any(|attempt| attempt.id == *id);
        self.in_flight.retain(|id, _| unstored(id));
        self.plan.clear();
    }

    /// Stores outcomes and starts to send due messages as long as `lease` is current. The replica that leads also makes
    /// messages from some new events, unless it did so just now.
    pub async fn advance(&mut self, lease: &Lease, leads: bool) -> Result<()> {
        self.may_have_events = false;
        self.store().await?;
        let made = match leads {
            true => self.make_batch().await,
            false => Ok(()),
        };
        // Messages that wait do not depend on new ones.
        self.start(lease).await?;
        made
    }

    async fn make_batch(&mut self) -> Result<()> {
        let began = time::Instant::now();
        if began < self.next_batch {
            self.may_have_events = true;
            return Ok(());
        }
        let max_events = match self.are_late {
            true => LATE_EVENTS_PER_TRANSACTION,
            false => EVENTS_PER_TRANSACTION,
        };
        let made = make_messages(&self.app, self.transport.is_some(), max_events).await;
        self.are_late = matches!(made, Ok(Some(waited)) if waited > MAX_EVENT_WAIT);
        self.next_batch = time::Instant::now() + batch_pause(began.elapsed(), self.are_late);
        self.may_have_events = made?.is_some();
        Ok(())
    }

    /// Waits for an attempt to end; returns false if there is none.
    pub async fn wait(&mut self) -> bool {
        match self.tasks.join_next().await {
            Some(attempt) => {
                self.finish(attempt);
                true
            }
            None => false,
        }
    }

    /// Waits for an attempt to end; forever if there is none.
    pub async fn wait_for_outcome(&mut self) {
        if !self.wait().await {
            std::future::pending::<()>().await;
        }
    }

    /// Waits for an attempt to end, or until messages can be made of further events; forever if there are neither.
    pub async fn wait_for_work(&mut self) {
        let next_batch = self.next_batch;
        tokio::select! {
            true = self.wait() => {}
            () = time::sleep_until(next_batch), if self.may_have_events => {}
            else => std::future::pending().await,
        }
    }

    fn finish(&mut self, attempt: Result<Option<MailAttempt>, tokio::task::JoinError>) {
        match attempt {
            Ok(Some(attempt)) => self.finished.push(attempt),
            // The message stays in flight until [`Self::abort`].
            Ok(None) => {}
            // The message stays in flight, so that it is not tried again before the next start.
            Err(error) => tracing::error!(%error, "an attempt to send a message ended"),
        }
    }

    /// Sends all due messages and waits for the outcomes. Returns the number of attempts.
    pub async fn round(&mut self) -> Result<usize> {
        let mut attempts = 0;
        loop {
            self.store().await?;
            let is_sent = self.transport.is_some();
            while make_messages(&self.app, is_sent, EVENTS_PER_TRANSACTION)
                .await?
                .is_some()
            {}
            attempts += self.start(&Lease::permanent()).await?;
            if !self.wait().await {
                return Ok(attempts);
            }
            self.store().await?;
        }
    }

    /// Starts to send due messages and returns their number: codes first, then those of the plan.
    async fn start(&mut self, lease: &Lease) -> Result<usize> {
        if self.transport.is_none() || self.in_flight.len() >= self.concurrency {
            return Ok(0);
        }
        let now = self.app.clock.now();
        let mut db = self.app.store.read().await?;
        // Those in flight are due, too.
        let in_flight = self.in_flight.len();
        let limit = |count: usize| i64::try_from(count + in_flight).unwrap_or(i64::MAX);
        // With the tenant of each.
        let mut chosen: Vec<DueMessage> = Vec::new();
        let is_full = |outbox: &Self, chosen: &[DueMessage]| {
            outbox.in_flight.len() + chosen.len() >= outbox.concurrency
        };
        for id in mail::due_codes(&mut db, now, limit(self.concurrency), lease).await? {
            if !is_full(self, &chosen) && !self.in_flight.contains_key(&id) {
                let tenant = String::new();
                chosen.push(DueMessage { id, tenant });
            }
        }
        if self.plan.is_empty() || time::Instant::now() >= self.next_plan {
            let began = time::Instant::now();
            let plan = mail::due_in_turns(&mut db, now, limit(MAX_PLAN), lease).await?;
            self.plan = plan.into();
            let pause = began.elapsed().saturating_mul(PLAN_PAUSE);
            self.next_plan = time::Instant::now() + pause.clamp(MIN_PLAN_TIME, MAX_PLAN_TIME);
        }
        drop(db);
        let mut waiting = VecDeque::new();
        while let Some(due) = self.plan.pop_front() {
            if is_full(self, &chosen) {
                waiting.push_back(due);
                break;
            }
            if self.in_flight.contains_key(&due.id) {
                continue;
            }
            let chosen_tenants = chosen.iter().map(|chosen| &chosen.tenant);
            let of_tenant = self.in_flight.values().chain(chosen_tenants);
            if of_tenant.filter(|it| **it == due.tenant).count() >= self.concurrency_per_tenant() {
                waiting.push_back(due);
                continue;
            }
            chosen.push(due);
        }
        waiting.append(&mut self.plan);
        self.plan = waiting;
        self.start_chosen(chosen, now, lease).await
    }

    /// Claims messages and starts to send those that no other replica sends. Returns their number.
    async fn start_chosen(
        &mut self,
        chosen: Vec<DueMessage>,
        now: Instant,
        lease: &Lease,
    ) -> Result<usize> {
        let (Some(transport), false) = (self.transport.clone(), chosen.is_empty()) else {
            return Ok(0);
        };
        let ids: Vec<i64> = chosen.iter().map(|message| message.id).collect();
        let claimed = claims::claim(&self.app.store, Queue::Mail, ids, now, lease).await?;
        let mut tenants: HashMap<i64, String> = chosen
            .into_iter()
            .map(|message| (message.id, message.tenant))
            .collect();
        let mut db = self.app.store.read().await?;
        let messages = mail::waiting(&mut db, &claimed, now).await?;
        let started = messages.len();
        for message in messages {
            let tenant = tenants.remove(&message.id).unwrap_or_default();
            self.in_flight.insert(message.id, tenant);
            let (app, transport, lease) = (self.app.clone(), transport.clone(), lease.clone());
            self.tasks.spawn(async move {
                let attempt = attempt(&app, &transport, message);
                lease.while_current(attempt).await
            });
        }
        Ok(started)
    }

    /// Messages of one tenant that are sent at the same time: those of others find a free place.
    fn concurrency_per_tenant(&self) -> usize {
        self.concurrency.saturating_sub(FREE_FOR_OTHERS).max(1)
    }

    /// Stores the outcomes of finished attempts. Those that cannot be stored now are stored later; their messages are not
    /// sent again until then.
    pub async fn store(&mut self) -> Result<()> {
        while let Some(attempt) = self.tasks.try_join_next() {
            self.finish(attempt);
        }
        if self.finished.is_empty() {
            return Ok(());
        }
        // In one order at all replicas, which wait for each other's last message of an event.
        self.finished.sort_unstable_by_key(|attempt| attempt.id);
        let finished = self.finished.clone();
        self.app
            .store
            .write(Locks::none(), move |db| {
                Box::pin(async move {
                    for attempt in &finished {
                        mail::settle(db, attempt).await?;
                    }
                    Ok(())
                })
            })
            .await?;
        for attempt in self.finished.drain(..) {
            self.in_flight.remove(&attempt.id);
            if let MailOutcome::GivenUp { .. } = &attempt.outcome {
                // The problem can contain the recipient's address: `service mail list` has it.
                tracing::warn!(message = attempt.id, "an e-mail message was given up");
            }
        }
        Ok(())
    }
}

/// Sends a message once.
async fn attempt(app: &AppState, transport: &Transport, message: StoredMessage) -> MailAttempt {
    let span = tracing::trace_span!(
        target: TARGET,
        parent: None,
        "mail",
        otel.name = "send e-mail",
        otel.kind = "client",
        otel.status_code = Empty,
        booking.message.id = message.id,
        booking.message.kind = message.kind,
        booking.message.attempts = message.attempts,
    );
    traces::set_stored_parent(&span, message.trace_parent.as_deref());
    let sending = async {
        match reason_not_to_send(app, &message).await {
            Ok(None) => send(app, transport, &message).await,
            Ok(Some(reason)) => Err(SendError {
                problem: reason.to_owned(),
                is_final: true,
            }),
            Err(error) => Err(SendError {
                problem: error.to_string(),
                is_final: false,
            }),
        }
    };
    let sent = sending.instrument(span.clone()).await;
    if sent.is_err() {
        span.record("otel.status_code", "ERROR");
    }
    let at = app.clock.now();
    let outcome = match sent {
        Ok(()) => MailOutcome::Sent,
        Err(error) => failure(&message, error, at),
    };
    let metrics = &app.metrics;
    match &outcome {
        MailOutcome::Sent => {
            let due_ms = message.due_ms.unwrap_or(at.0);
            metrics.record_sent(Channel::Mail, at.0.saturating_sub(due_ms));
        }
        MailOutcome::Retry { .. } => {
            metrics.record_messages(Channel::Mail, MessageOutcome::Retried, 1);
        }
        MailOutcome::GivenUp { .. } => {
            metrics.record_messages(Channel::Mail, MessageOutcome::Failed, 1);
        }
    }
    MailAttempt {
        id: message.id,
        outcome,
        at,
    }
}

/// Returns the reason not to send a message any more, if there is one. While a reminder waited, the booking may have been
/// cancelled or moved, or the recipient may have left it or stopped its reminders.
async fn reason_not_to_send(
    app: &AppState,
    message: &StoredMessage,
) -> Result<Option<&'static str>> {
    if is_late(message, app.clock.now()) {
        return Ok(Some(
            "it is too late: the meeting has begun, or the code has expired",
        ));
    }
    if message.kind != Kind::Reminder.name() {
        return Ok(None);
    }
    let MessageData::Booking(booking) = serde_json::from_str(&message.data)? else {
        return Ok(None);
    };
    let is_host = Role::from_name(&message.role).is_some_and(Role::is_host);
    let mut db = app.store.read().await?;
    let reminded = reminded_addresses(&mut db, &booking.uid, is_host).await?;
    Ok((!reminded.contains(&message.email))
        .then_some("the booking was cancelled or moved, or the recipient wants no reminder of it"))
}

async fn send(
    app: &AppState,
    transport: &Transport,
    message: &StoredMessage,
) -> Result<(), SendError> {
    match content(app, message) {
        Ok(content) => {
            let outgoing = Outgoing {
                message_id: message.message_id.clone(),
                language: content.recipient.person.language.clone(),
                to: mailbox(content.recipient.person),
                reply_to: content.counterpart.map(mailbox),
                rendered: content.rendered,
                invitation: content.invitation,
                stop_reminders: content.links.stop_reminders,
                date: Instant(message.created_ms),
            };
            transport.send(&outgoing).await
        }
        Err(error) => Err(SendError {
            problem: format!("the message could not be rendered: {error}"),
            is_final: true,
        }),
    }
}

fn mailbox(person: Person) -> Mailbox {
    Mailbox {
        name: person.name,
        email: person.email,
    }
}

fn failure(message: &StoredMessage, error: SendError, at: Instant) -> MailOutcome {
    let problem = error.problem;
    let delay = usize::try_from(message.attempts)
        .ok()
        .and_then(|failed| RETRY_DELAYS_MS.get(failed))
        .filter(|_| !error.is_final);
    match delay.map(|delay| Instant(at.0 + delay)) {
        Some(due) if is_late(message, due) => MailOutcome::GivenUp {
            problem: format!("the next attempt would be too late; {problem}"),
        },
        Some(due) => MailOutcome::Retry { problem, due },
        None => MailOutcome::GivenUp { problem },
    }
}

/// Returns true for a reminder of a meeting that has begun by then, and for a code that has expired.
fn is_late(message: &StoredMessage, at: Instant) -> bool {
    match serde_json::from_str(&message.data) {
        Ok(MessageData::Booking(booking)) => {
            message.kind == Kind::Reminder.name() && booking.start <= at
        }
        Ok(MessageData::Code(code)) => {
            Instant(message.created_ms).plus_minutes(code.valid_minutes) <= at
        }
        Err(_) => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn late_events_wait_less() {
        let took = Duration::from_millis(60);
        assert_eq!(batch_pause(took, false), took * 9);
        assert_eq!(batch_pause(took, true), took);
        assert_eq!(batch_pause(took * 100, false), MAX_BATCH_PAUSE);
    }
}
