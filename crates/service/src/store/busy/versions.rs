//! Versions of the parts of a calendar, which triggers change.

use std::collections::HashMap;

use booking_store_engine::connection::Db;
use booking_store_engine::sql::QueryBuilder;
use serde::Deserialize;

use crate::error::Result;
use crate::store::event_types::StoredEventType;
use crate::store::rows::{json_rows, push_ids};

/// Versions that were current when they were read. A part that was read later is at least as new.
#[derive(Clone, Debug, Default)]
pub struct CalendarVersions {
    /// The event type with its hosts, names and working hours.
    pub setup: i64,
    /// Bookings and reservations of the event type.
    pub event_type: i64,
    by_host: HashMap<i64, i64>,
}

impl CalendarVersions {
    /// Returns the version of a host's busy times.
    pub fn host(&self, user_id: i64) -> i64 {
        self.by_host.get(&user_id).copied().unwrap_or_default()
    }
}

/// In SQL, a JSON array in the order of the fields.
#[derive(Deserialize)]
struct Row<'a> {
    kind: &'a str,
    id: i64,
    version: i64,
}

/// Reads the versions of an event type and of the busy times of its hosts.
pub async fn versions(db: &mut Db, stored: &StoredEventType) -> Result<CalendarVersions> {
    let mut query = QueryBuilder::new(db.database(), "SELECT ");
    push_setup_version(&mut query, stored);
    query.push(", (");
    query.push_sql(&json_rows!(
        "kind, id, version",
        "FROM calendar_versions WHERE (kind = 'event_type' AND id = "
    ));
    query.push_bind(stored.wire.id);
    query.push(") OR (kind = 'host' AND id IN (");
    push_ids(&mut query, &stored.host_ids());
    query.push(")))");
    let (setup, text): (i64, String) = query.build_query_as().fetch_one(db).await?;
    let rows: Vec<Row<'_>> = serde_json::from_str(&text)?;
    let mut versions = CalendarVersions {
        setup,
        ..CalendarVersions::default()
    };
    for row in rows {
        match row.kind {
            "event_type" => versions.event_type = row.version,
            _ => {
                versions.by_host.insert(row.id, row.version);
            }
        }
    }
    Ok(versions)
}

/// Reads the version of what an event type was read from.
pub async fn setup_version(db: &mut Db, stored: &StoredEventType) -> Result<i64> {
    let mut query = QueryBuilder::new(db.database(), "SELECT ");
    push_setup_version(&mut query, stored);
    Ok(query.build_query_scalar().fetch_one(db).await?)
}

/// Adds the version of an event type with its hosts, names and working hours: the sum of the random versions of the event
/// type, its team, its owner and its hosts. A change of one of them changes it.
pub(super) fn push_setup_version(query: &mut QueryBuilder<'_>, stored: &StoredEventType) {
    query
        .push(
            "(SELECT CAST(coalesce(sum(version), 0) AS BIGINT) FROM setup_versions
             WHERE (kind = 'event_type' AND id = ",
        )
        .push_bind(stored.wire.id)
        .push(") OR (kind = 'team' AND id = ")
        .push_bind(stored.wire.team_id)
        .push(") OR (kind = 'person' AND id IN (");
    let mut people = stored.host_ids();
    people.extend(stored.wire.owner_id);
    push_ids(query, &people);
    query.push(")))");
}
