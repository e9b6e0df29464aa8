//! Event types of slots and bookings, from the cache if they are current.

use crate::app::AppState;
use crate::cache::calendars::CurrentEventType;
use crate::domain::event_types::group::find_group;
use crate::domain::event_types::names::EventTypeNames;
use crate::error::{Error, Result};
use crate::store::Db;
use crate::store::busy;
use crate::store::event_types::{Purpose, StoredEventType};

/// Finds the event type with these names, or that of the group of these user names.
pub async fn find_current(
    app: &AppState,
    db: &mut Db,
    names: &EventTypeNames,
    group: Option<&[String]>,
) -> Result<CurrentEventType> {
    let key = format!("{names:?} {group:?}");
    if let Some(current) = app.calendar_cache.event_type(db, &key).await? {
        return Ok(current);
    }
    let cache = &app.calendar_cache;
    let mut stored = find(db, names, group).await?;
    for _ in 0..MAX_ATTEMPTS {
        // What the versions belong to is known now. What is read after them is as new.
        let versions = busy::versions(db, &stored).await?;
        let again = find(db, names, group).await?;
        if has_same_parts(&stored, &again) {
            return Ok(cache.add_event_type(key, again, versions));
        }
        stored = again;
    }
    Err(Error::ConcurrentChange)
}

/// Attempts to read an event type whose owner, team or hosts change at the same time.
const MAX_ATTEMPTS: usize = 5;

async fn find(
    db: &mut Db,
    names: &EventTypeNames,
    group: Option<&[String]>,
) -> Result<StoredEventType> {
    match group {
        Some(usernames) => {
            let organization = names.organization_slug.as_deref();
            let purpose = Purpose::Booking(organization.unwrap_or_default());
            find_group(db, usernames, purpose).await
        }
        None => names.find(db).await,
    }
}

/// Returns true if two event types have the same versions.
fn has_same_parts(one: &StoredEventType, other: &StoredEventType) -> bool {
    let ids =
        |stored: &StoredEventType| (stored.wire.id, stored.wire.team_id, stored.wire.owner_id);
    ids(one) == ids(other) && one.host_ids() == other.host_ids()
}
