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
    let is_idle = match poll(&mut db, trigger, now).await? {
        Poll::Reset => false,
        Poll::Since(cursor, found) => found.is_empty() && now.0 - cursor.until_ms < MAX_LAG_MS,
    };
    drop(db);
    if is_idle {
        return Ok(true);
    }
    // Read again inside the transaction: a meeting may have been cancelled in between.
    let mut transaction = app.store.begin(&[Subject::Rows]).await?;
    let (cursor, is_complete) = match poll(&mut transaction, trigger, now).await? {
        Poll::Reset => (Cursor::at_end_of(now), true),
        Poll::Since(_, found) => {
            for meeting in &found {
                let extras = JsonMap::new();
                events::booking(&mut transaction, now, trigger, meeting.booking_id, extras).await?;
            }
            match found.last() {
                Some(last) if found.len() >= BATCH_SIZE as usize => (*last, false),
                _ => (Cursor::at_end_of(now), true),
            }
        }
    };
    meeting_events::set_cursor(&mut transaction, trigger, cursor).await?;
    transaction.commit().await?;
    Ok(is_complete)
}

enum Poll {
    /// No valid cursor: only later starts and ends are recorded.
    Reset,
    /// The cursor and the starts or ends since then.
    Since(Cursor, Vec<Cursor>),
}

async fn poll(db: &mut Db, trigger: Trigger, now: Instant) -> Result<Poll> {
    Ok(match meeting_events::cursor(db, trigger).await? {
        None => Poll::Reset,
        Some(cursor) if cursor.until_ms > now.0 + MAX_CLOCK_SKEW_MS => Poll::Reset,
        // The clock was set back a little: no event is recorded twice.
        Some(cursor) if cursor.until_ms > now.0 => Poll::Since(cursor, Vec::new()),
        Some(cursor) if !meeting_events::has_subscribers(db, trigger).await? => {
            Poll::Since(cursor, Vec::new())
        }
        Some(cursor) => {
            let found = meeting_events::due_since(db, trigger, cursor, now, BATCH_SIZE).await?;
            Poll::Since(cursor, found)
        }
    })
}
