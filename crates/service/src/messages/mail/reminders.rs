//! Records reminders when they are due.
//!
//! No request arrives at those instants, so the worker polls. A cursor in the database marks the last recorded instant:
//! each reminder of a booking is recorded once, also after a restart. A moved booking is another booking, whose reminders
//! are due later; those of the former one are not, as it is cancelled.

use std::collections::{BTreeSet, HashMap};

use booking_mail::message::Kind;
use booking_wire::Instant;
use booking_wire::formats::instant::MINUTE_MS;
use serde_json::Value;

use super::retries_and_limits::DEFAULT_REMINDERS;
use crate::app::AppState;
use crate::error::Result;
use crate::store::messages::mail_events::{NewMailEvent, insert_event};
use crate::store::messages::mail_reminders::{self, DueReminder};
use crate::store::{Db, Locks, Resource};

/// Longest period of due reminders per transaction, in milliseconds; bounds the time that requests wait for it.
const STEP_MS: i64 = 10 * MINUTE_MS;

/// Bookings per statement.
const BATCH_SIZE: i64 = 1_000;

/// Longest time in milliseconds that the cursor may be ahead. Beyond it, the clock was wrong.
const MAX_CLOCK_SKEW_MS: i64 = 60 * MINUTE_MS;

/// Minutes before the start of the reminders of event types.
#[derive(Clone, Debug, Default)]
struct Schedule {
    /// Of event types that have others than [`DEFAULT_REMINDERS`].
    own: HashMap<i64, Vec<i64>>,
}

impl Schedule {
    async fn read(db: &mut Db) -> Result<Self> {
        let mut own = HashMap::new();
        for (id, settings) in mail_reminders::event_types_with_reminders(db).await? {
            let settings: Value = serde_json::from_str(&settings)?;
            own.insert(id, reminder_minutes(&settings));
        }
        Ok(Self { own })
    }

    /// Returns all times before the start that an event type has.
    fn all(&self) -> BTreeSet<i64> {
        let own = self.own.values().flatten();
        own.chain(&DEFAULT_REMINDERS).copied().collect()
    }

    fn has(&self, event_type_id: Option<i64>, minutes: i64) -> bool {
        match event_type_id.and_then(|id| self.own.get(&id)) {
            Some(own) => own.contains(&minutes),
            None => DEFAULT_REMINDERS.contains(&minutes),
        }
    }
}

/// Returns the minutes before the start of an event type's reminders: `emailReminders` of its settings.
pub fn reminder_minutes(settings: &Value) -> Vec<i64> {
    let setting = &settings["emailReminders"];
    if setting["disabled"] == Value::Bool(true) {
        return Vec::new();
    }
    match setting["minutesBefore"].as_array() {
        Some(list) => list.iter().filter_map(Value::as_i64).collect(),
        None => DEFAULT_REMINDERS.to_vec(),
    }
}

/// Records the reminders that have become due since the last call.
pub async fn record_due(app: &AppState) -> Result<()> {
    while !record_step(app).await? {}
    Ok(())
}

/// Records the reminders of one step. Returns true if none are left.
async fn record_step(app: &AppState) -> Result<bool> {
    let now = app.clock.now();
    let mut db = app.store.read().await?;
    let cursor = mail_reminders::reminders_until(&mut db).await?;
    let cursor = match cursor {
        Some(cursor) if cursor.0 > now.0 + MAX_CLOCK_SKEW_MS => None,
        // The clock was set back a little: no reminder is recorded twice.
        Some(cursor) if cursor >= now => return Ok(true),
        cursor => cursor,
    };
    let schedule = Schedule::read(&mut db).await?;
    let Some(after) = cursor else {
        drop(db);
        store_step(app, Vec::new(), cursor, now, now).await?;
        return Ok(true);
    };
    let until = Instant(now.0.min(after.0 + STEP_MS));
    let mut due: Vec<(DueReminder, i64)> = Vec::new();
    for minutes in schedule.all() {
        let ahead = minutes * MINUTE_MS;
        let (from, to) = (
            Instant(now.0.max(after.0 + ahead)),
            Instant(until.0 + ahead),
        );
        // Too late: a later reminder follows soon, or the meeting starts soon.
        let is_late = |reminder: &DueReminder| (reminder.start_ms - now.0) * 2 < ahead;
        let found = due_between(&mut db, from, to, minutes).await?;
        due.extend(
            found
                .into_iter()
                .filter(|reminder| schedule.has(reminder.event_type_id, minutes))
                .filter(|reminder| !is_late(reminder))
                .map(|reminder| (reminder, minutes)),
        );
    }
    drop(db);
    // Not written at each poll without reminders: the next poll reads the same short period again.
    if due.is_empty() && until == now && now.0 - after.0 < STEP_MS / 10 {
        return Ok(true);
    }
    store_step(app, due, cursor, until, now).await?;
    Ok(until == now)
}

/// Lists all bookings that start after `from` and until `to`, in batches.
async fn due_between(
    db: &mut Db,
    from: Instant,
    to: Instant,
    minutes: i64,
) -> Result<Vec<DueReminder>> {
    let mut all: Vec<DueReminder> = Vec::new();
    loop {
        let after = match all.last() {
            Some(last) => (Instant(last.start_ms), last.booking_id),
            None => (from, i64::MAX),
        };
        let batch = mail_reminders::due_reminders(db, after, to, minutes, BATCH_SIZE).await?;
        let is_last = i64::try_from(batch.len()).is_ok_and(|count| count < BATCH_SIZE);
        all.extend(batch);
        if is_last {
            return Ok(all);
        }
    }
}

async fn store_step(
    app: &AppState,
    due: Vec<(DueReminder, i64)>,
    cursor: Option<Instant>,
    until: Instant,
    now: Instant,
) -> Result<()> {
    app.store
        .write(Locks::none().and(Resource::Mail), move |db| {
            Box::pin(async move {
                let stored = mail_reminders::reminders_until(db).await?;
                // Another replica, which leads now, has recorded them.
                if stored != cursor
                    && stored.is_some_and(|stored| stored.0 <= now.0 + MAX_CLOCK_SKEW_MS)
                {
                    return Ok(());
                }
                for (reminder, minutes) in due {
                    let event = NewMailEvent {
                        is_about_seats: false,
                        seat_uids: &[],
                        kind: Kind::Reminder,
                        booking_ids: &[reminder.booking_id],
                        details: "{}",
                        minutes_before: Some(minutes),
                        former_host_ids: &[],
                        now,
                    };
                    insert_event(db, &event).await?;
                }
                mail_reminders::set_reminders_until(db, until).await
            })
        })
        .await
}
