//! Versions of the parts of a calendar, which triggers change.

use std::collections::HashMap;

use booking_store_engine::connection::Db;
use booking_store_engine::sql::QueryBuilder;
use serde::Deserialize;

use crate::error::Result;
use crate::store::rows::{json_rows, push_ids};

/// Versions that were current when they were read. A part that was read later is at least as new.
#[derive(Clone, Debug, Default)]
pub struct CalendarVersions {
    /// Event types with their hosts, names and working hours.
    pub catalogue: i64,
    /// Settings of event types that busy times depend on.
    pub buffers: i64,
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

/// Reads the versions of the catalogue, of an event type and of the busy times of users.
pub async fn versions(
    db: &mut Db,
    event_type_id: i64,
    user_ids: &[i64],
) -> Result<CalendarVersions> {
    let mut query = QueryBuilder::new(db.database(), "");
    query.push_sql(&json_rows!(
        "kind, id, version",
        "FROM calendar_versions WHERE (kind = 'catalogue' AND id = 0) OR (kind = 'buffers' AND id = 0)
         OR (kind = 'event_type' AND id = "
    ));
    query.push_bind(event_type_id);
    query.push(") OR (kind = 'host' AND id IN (");
    push_ids(&mut query, user_ids);
    query.push("))");
    let text: String = query.build_query_scalar().fetch_one(db).await?;
    let rows: Vec<Row<'_>> = serde_json::from_str(&text)?;
    let mut versions = CalendarVersions::default();
    for row in rows {
        match row.kind {
            "catalogue" => versions.catalogue = row.version,
            "buffers" => versions.buffers = row.version,
            "event_type" => versions.event_type = row.version,
            _ => {
                versions.by_host.insert(row.id, row.version);
            }
        }
    }
    Ok(versions)
}
