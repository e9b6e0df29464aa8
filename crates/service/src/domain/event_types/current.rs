//! Event types of slots and bookings, from the cache if they are current.

use crate::app::AppState;
use crate::cache::calendars::CurrentEventType;
use crate::domain::event_types::group::find_group;
use crate::domain::event_types::names::EventTypeNames;
use crate::error::Result;
use crate::store::Db;
use crate::store::busy;
use crate::store::event_types::{GROUP_ID, Purpose};

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
    let catalogue = busy::versions(db, GROUP_ID, &[]).await?.catalogue;
    let stored = match group {
        Some(usernames) => {
            let organization = names.organization_slug.as_deref();
            let purpose = Purpose::Booking(organization.unwrap_or_default());
            find_group(db, usernames, purpose).await?
        }
        None => names.find(db).await?,
    };
    let cache = &app.calendar_cache;
    cache.add_event_type(db, key, stored, catalogue).await
}
