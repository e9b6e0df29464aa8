//! Tells that meetings start and end when their time has come.
//!
//! Nobody asks anything of the service at those moments, so it looks by itself, and remembers in
//! the database up to where it has told: each start and end is told once, also after a restart.

use booking_wire::{Instant, JsonMap, Trigger};

use crate::app::AppState;
use crate::error::Result;
use crate::store::Db;
use crate::store::meetings::{self, Mark};
use crate::webhooks::events;

/// How many meetings are told in one transaction: requests wait that long at most.
const AT_ONCE: i64 = 50;
/// How far the mark may stay behind while there is nothing to tell.
const BEHIND_MS: i64 = 60_000;
/// A mark that is further ahead was made while the clock was wrong.
const AHEAD_MS: i64 = 3_600_000;

/// Notes the starts and ends that have come since the last look.
pub async fn tell(app: &AppState) -> Result<()> {
    for trigger in [Trigger::MeetingStarted, Trigger::MeetingEnded] {
        while !tell_some(app, trigger).await? {}
    }
    Ok(())
}

/// Tells some and says whether those were all.
async fn tell_some(app: &AppState, trigger: Trigger) -> Result<bool> {
    let now = app.clock.now();
    let mut db = app.store.read().await?;
    let is_idle = match look(&mut db, trigger, now).await? {
        Look::Reset => false,
        Look::Since(mark, found) => found.is_empty() && now.0 - mark.until_ms < BEHIND_MS,
    };
    drop(db);
    if is_idle {
        return Ok(true);
    }
    // Read again: until now a meeting could still be called off.
    let mut transaction = app.store.begin().await?;
    let (mark, all) = match look(&mut transaction, trigger, now).await? {
        Look::Reset => (Mark::all_until(now), true),
        Look::Since(_, found) => {
            for meeting in &found {
                let extras = JsonMap::new();
                events::booking(&mut transaction, now, trigger, meeting.booking_id, extras).await?;
            }
            match found.last() {
                Some(last) if found.len() >= AT_ONCE as usize => (*last, false),
                _ => (Mark::all_until(now), true),
            }
        }
    };
    meetings::set_mark(&mut transaction, trigger, mark).await?;
    transaction.commit().await?;
    Ok(all)
}

enum Look {
    /// There is no mark that could be true: only what comes from here on is told.
    Reset,
    /// The mark, and what has come since.
    Since(Mark, Vec<Mark>),
}

async fn look(db: &mut Db, trigger: Trigger, now: Instant) -> Result<Look> {
    Ok(match meetings::mark(db, trigger).await? {
        None => Look::Reset,
        Some(mark) if mark.until_ms > now.0 + AHEAD_MS => Look::Reset,
        // The clock was put back a little: what has been told is not told again.
        Some(mark) if mark.until_ms > now.0 => Look::Since(mark, Vec::new()),
        Some(mark) if !meetings::is_wanted(db, trigger).await? => Look::Since(mark, Vec::new()),
        Some(mark) => {
            let found = meetings::since(db, trigger, mark, now, AT_ONCE).await?;
            Look::Since(mark, found)
        }
    })
}
