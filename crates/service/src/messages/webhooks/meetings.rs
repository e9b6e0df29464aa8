//! Records events for starts and ends of meetings.
//!
//! No request arrives at those instants, so the worker polls. A cursor in the database marks the
//! last recorded event: each start and end is recorded once, also after a restart.

use booking_wire::{Instant, JsonMap, Trigger};

use crate::app::AppState;
use crate::error::Result;
use crate::messages::webhooks::events;
use crate::store::messages::meeting_events::{self, Cursor};
use crate::store::{Db, Subject};

/// Meetings per transaction; bounds the time that requests wait for it.
const BATCH_SIZE: i64 = 50;

/// Longest time in milliseconds that the cursor may lag behind while there are no events.
const MAX_LAG_MS: i64 = 60_000;

/// Longest time in milliseconds that the cursor may be ahead. Beyond it, the clock was wrong.
const MAX_CLOCK_SKEW_MS: i64 = 3_600_000;

/// Records events for the starts and ends since the last poll.
pub async fn record_due_events(app: &AppState) -> Result<()> {
    for trigger in [Trigger::MeetingStarted, Trigger::MeetingEnded] {
        while !record_batch(app, trigger).await? {}
    }
    Ok(())
}

/// Records one batch of events. Returns true if none are left.
async fn record_batch(app: &AppState, trigger: Trigger) -> Result<bool> {
    let now = app.clock.now();
    let mut db = app.store.read().await?;
    let before = meeting_events::cursor(&mut db, trigger).await?;
    let found = due(&mut db, trigger, before, now).await?;
    drop(db);
    let (after, is_complete) = match found.last() {
        Some(last) if found.len() >= BATCH_SIZE as usize => (*last, false),
        _ => (Cursor::at_end_of(now), true),
    };
    let is_done = before.is_some_and(|before| match before.until_ms - now.0 {
        // Many polls without events write one cursor.
        ..=0 => found.is_empty() && now.0 - before.until_ms < MAX_LAG_MS,
        // The clock was set back a little: no event is recorded twice.
        ahead => ahead <= MAX_CLOCK_SKEW_MS,
    });
    if is_done {
        return Ok(true);
    }
    let mut transaction = app.store.begin(&[Subject::Rows]).await?;
    // With the events: another replica that records them, too, waits here, and finds the cursor moved.
    if meeting_events::move_cursor(&mut transaction, trigger, before, after).await? {
        for meeting in &found {
            let extras = JsonMap::new();
            events::booking(&mut transaction, now, trigger, meeting.booking_id, extras).await?;
        }
        transaction.commit().await?;
    }
    Ok(is_complete)
}

/// Finds the starts or ends since the cursor. Without a valid one, only later ones are recorded.
async fn due(
    db: &mut Db,
    trigger: Trigger,
    cursor: Option<Cursor>,
    now: Instant,
) -> Result<Vec<Cursor>> {
    match cursor {
        Some(cursor)
            if cursor.until_ms <= now.0 && meeting_events::has_subscribers(db, trigger).await? =>
        {
            meeting_events::due_since(db, trigger, cursor, now, BATCH_SIZE).await
        }
        _ => Ok(Vec::new()),
    }
}
