//! Questions to a database whether it keeps the service's promises. Answers name rows by their
//! ids, never by what they hold.

use std::path::Path;
use std::time::Duration;

use booking_wire::permission::{ORGANIZATION_PERMISSIONS, TEAM_PERMISSIONS};
use sqlx::sqlite::{SqliteConnectOptions, SqliteConnection};
use sqlx::{ConnectOptions, Connection};

use crate::store::connection::Db;
use crate::store::event_types::{self, Which};
use crate::store::upkeep::{self, Schema};

/// Rows that are named of those that break one promise.
const NAMED: usize = 20;

/// A promise, and a query for the rows that break it: one column of text.
struct Promise {
    words: &'static str,
    broken_by: &'static str,
}

const PROMISES: [Promise; 25] = [
    Promise {
        words: "a host is in two bookings at one time",
        broken_by: "SELECT 'host ' || user_id || ', booking ' || booking_id FROM (
                SELECT user_id, booking_id, start_ms, max(end_ms) OVER (
                    PARTITION BY user_id ORDER BY start_ms, end_ms, booking_id
                    ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING
                ) AS busy_until FROM booking_hosts WHERE holds = 1
            ) WHERE busy_until > start_ms",
    },
    Promise {
        words: "a payment says otherwise than its booking",
        broken_by: "SELECT 'payment ' || p.id FROM payments p JOIN bookings b ON b.id = p.booking_id
            WHERE b.paid IS NULL OR p.success <> b.paid",
    },
    Promise {
        words: "an accepted booking leaves its host free",
        broken_by: "SELECT 'booking ' || b.id FROM bookings b JOIN booking_hosts h ON h.booking_id = b.id
            WHERE b.status = 'accepted' AND h.holds <> 1",
    },
    Promise {
        words: "a booking that does not take place keeps its host busy",
        broken_by: "SELECT 'booking ' || b.id FROM bookings b JOIN booking_hosts h ON h.booking_id = b.id
            WHERE b.status IN ('cancelled', 'rejected') AND h.holds = 1",
    },
    Promise {
        words: "a host's time is not that of the booking",
        broken_by: "SELECT 'booking ' || b.id FROM bookings b JOIN booking_hosts h ON h.booking_id = b.id
            WHERE h.start_ms <> b.start_ms OR h.end_ms <> b.end_ms",
    },
    Promise {
        words: "a booking has more attendees than seats",
        broken_by: "SELECT 'booking ' || b.id FROM bookings b
            JOIN attendees a ON a.booking_id = b.id AND a.seat_uid IS NOT NULL
            WHERE b.seated = 1 GROUP BY b.id, b.seats HAVING count(*) > coalesce(b.seats, 1)",
    },
    Promise {
        words: "visitors who come to the same time have two bookings",
        broken_by: "SELECT 'event type ' || event_type_id || ' at ' || start_ms FROM bookings
            WHERE seated = 1 AND status IN ('accepted', 'pending') AND event_type_id IS NOT NULL
            GROUP BY event_type_id, start_ms HAVING count(*) > 1",
    },
    Promise {
        words: "an upcoming booking has no host",
        broken_by: "SELECT 'booking ' || b.id FROM bookings b
            WHERE b.status IN ('accepted', 'pending') AND b.end_ms > unixepoch() * 1000
            AND NOT EXISTS (SELECT 1 FROM booking_hosts h WHERE h.booking_id = b.id)",
    },
    Promise {
        words: "a booking was moved to one that does not exist",
        broken_by: "SELECT 'booking ' || b.id FROM bookings b WHERE b.rescheduled_to_uid IS NOT NULL
            AND NOT EXISTS (SELECT 1 FROM bookings t WHERE t.uid = b.rescheduled_to_uid)",
    },
    Promise {
        words: "a booking was moved from one that does not exist",
        broken_by: "SELECT 'booking ' || b.id FROM bookings b WHERE b.rescheduled_from_uid IS NOT NULL
            AND NOT EXISTS (SELECT 1 FROM bookings f WHERE f.uid = b.rescheduled_from_uid)",
    },
    Promise {
        words: "a booking that was moved does not know what it was moved from",
        broken_by: "SELECT 'booking ' || t.id FROM bookings b JOIN bookings t ON t.uid = b.rescheduled_to_uid
            WHERE b.seated = 0 AND t.seated = 0
              AND (t.rescheduled_from_uid IS NULL OR t.rescheduled_from_uid <> b.uid)",
    },
    Promise {
        words: "a booking was moved and still takes place",
        broken_by: "SELECT 'booking ' || id FROM bookings
            WHERE rescheduled_to_uid IS NOT NULL AND status NOT IN ('cancelled', 'rejected')",
    },
    Promise {
        words: "bookings were moved in a circle",
        broken_by: "WITH RECURSIVE chain (origin, uid, length) AS (
                SELECT uid, rescheduled_to_uid, 1 FROM bookings WHERE rescheduled_to_uid IS NOT NULL
                UNION ALL
                SELECT c.origin, b.rescheduled_to_uid, c.length + 1 FROM chain c
                JOIN bookings b ON b.uid = c.uid
                WHERE b.rescheduled_to_uid IS NOT NULL AND c.length < 1000 AND c.uid <> c.origin
            ) SELECT 'booking ' || b.id FROM chain c JOIN bookings b ON b.uid = c.origin
            WHERE c.uid = c.origin OR c.length >= 1000",
    },
    Promise {
        words: "what a booking holds is not valid JSON",
        broken_by: "SELECT 'booking ' || id FROM bookings
            WHERE NOT json_valid(responses) OR NOT json_valid(guests) OR NOT json_valid(metadata)
               OR json_type(responses) <> 'object' OR json_type(guests) <> 'array'
               OR json_type(metadata) <> 'object'",
    },
    Promise {
        words: "what an attendee answered is not valid JSON",
        broken_by: "SELECT 'attendee ' || id FROM attendees
            WHERE coalesce(NOT json_valid(responses) OR json_type(responses) <> 'object', 0)
               OR coalesce(NOT json_valid(metadata) OR json_type(metadata) <> 'object', 0)",
    },
    Promise {
        words: "the metadata of a user or team is not valid JSON",
        broken_by: "SELECT 'user ' || id FROM users WHERE NOT json_valid(metadata)
            UNION ALL SELECT 'team ' || id FROM teams WHERE NOT json_valid(metadata)",
    },
    Promise {
        words: "the owner of an OAuth client does not exist",
        broken_by: "SELECT 'client ' || c.id FROM oauth_clients c
            WHERE NOT EXISTS (SELECT 1 FROM users u WHERE u.id = c.owner_id)",
    },
    Promise {
        words: "a client's addresses or scopes are not valid JSON",
        broken_by: "SELECT 'client ' || id FROM oauth_clients WHERE NOT json_valid(redirect_uris)
               OR NOT json_valid(scopes)
               OR json_type(redirect_uris) <> 'array' OR json_type(scopes) <> 'array'",
    },
    Promise {
        words: "the scopes of an API key are not valid JSON",
        broken_by: "SELECT 'key ' || substr(hash, 1, 12) FROM api_keys
            WHERE coalesce(NOT json_valid(scopes) OR json_type(scopes) <> 'array', 0)",
    },
    Promise {
        words: "a webhook's triggers are not valid JSON",
        broken_by: "SELECT 'webhook ' || id FROM webhooks
            WHERE NOT json_valid(triggers) OR json_type(triggers) <> 'array'",
    },
    Promise {
        words: "a member has a role that does not exist or is another team's",
        broken_by: "SELECT 'membership ' || m.id FROM memberships m LEFT JOIN roles r ON r.id = m.role_id
            WHERE m.role_id IS NOT NULL
              AND (r.id IS NULL OR (r.kind = 'CUSTOM' AND r.team_id IS NOT m.team_id))
            UNION ALL
            SELECT 'member ' || m.user_id || ' of organization ' || m.organization_id
            FROM organization_members m LEFT JOIN roles r ON r.id = m.role_id
            WHERE m.role_id IS NOT NULL AND (r.id IS NULL OR (r.kind = 'CUSTOM'
              AND (r.team_id IS NOT NULL OR r.organization_id IS NOT m.organization_id)))",
    },
    Promise {
        words: "a role belongs to nobody",
        broken_by: "SELECT 'role ' || id FROM roles
            WHERE kind = 'CUSTOM' AND team_id IS NULL AND organization_id IS NULL",
    },
    Promise {
        words: "one of the service's own roles is missing",
        broken_by: "SELECT wanted.id FROM (SELECT 'owner_role' AS id UNION ALL SELECT 'admin_role'
                UNION ALL SELECT 'member_role') AS wanted
            WHERE NOT EXISTS (SELECT 1 FROM roles r WHERE r.id = wanted.id AND r.kind = 'SYSTEM')",
    },
    Promise {
        words: "a user's own schedule does not exist or is somebody else's",
        broken_by: "SELECT 'user ' || u.id FROM users u WHERE u.default_schedule_id IS NOT NULL
            AND NOT EXISTS (SELECT 1 FROM schedules s WHERE s.id = u.default_schedule_id AND s.owner_id = u.id)",
    },
    Promise {
        words: "working hours are no part of a day",
        broken_by: "SELECT 'hours ' || id || ' of schedule ' || schedule_id FROM schedule_hours
            WHERE from_minute < 0 OR to_minute > 1440 OR from_minute > to_minute
               OR (on_date IS NOT NULL AND date(on_date) IS NOT on_date)",
    },
];

/// Opens a database file for reading only.
pub async fn open(file: &Path) -> Result<SqliteConnection, sqlx::Error> {
    // Without a write-ahead log nobody is writing, and then the directory need not be writable.
    let mut log = file.as_os_str().to_owned();
    log.push("-wal");
    SqliteConnectOptions::new()
        .filename(file)
        .read_only(true)
        .immutable(!Path::new(&log).exists())
        .busy_timeout(Duration::from_secs(5))
        .connect()
        .await
}

/// Closes what [`open`] has opened.
pub async fn close(db: SqliteConnection) {
    // It has only read.
    let _ = db.close().await;
}

/// What is wrong with the file itself and the references in it.
pub async fn soundness(db: &mut Db) -> Result<Vec<String>, sqlx::Error> {
    let mut found: Vec<String> = sqlx::query_scalar("PRAGMA integrity_check(20)")
        .fetch_all(&mut *db)
        .await?;
    found.retain(|line| line != "ok");
    let broken: Vec<(String, Option<i64>, String)> =
        sqlx::query_as("SELECT \"table\", rowid, parent FROM pragma_foreign_key_check() LIMIT 20")
            .fetch_all(&mut *db)
            .await?;
    found.extend(broken.into_iter().map(|(table, row, parent)| {
        let row = row.unwrap_or_default();
        format!("row {row} of {table} refers to a row of {parent} that does not exist")
    }));
    Ok(found)
}

/// What breaks the service's own promises. Asks only if the tables are those of this version.
pub async fn promises(db: &mut Db) -> Result<Vec<String>, sqlx::Error> {
    let schema = upkeep::schema(db).await?;
    if schema != Schema::Current {
        return Ok(vec![schema.to_string()]);
    }
    let mut found = Vec::new();
    for promise in &PROMISES {
        let rows: Vec<String> = sqlx::query_scalar(promise.broken_by)
            .fetch_all(&mut *db)
            .await?;
        note(&mut found, promise.words, &rows);
    }
    note(
        &mut found,
        "settings cannot be read",
        &unreadable_settings(db).await?,
    );
    note(
        &mut found,
        "a time zone is unknown",
        &unknown_zones(db).await?,
    );
    note(
        &mut found,
        "a role holds an unknown permission",
        &unknown_permissions(db).await?,
    );
    Ok(found)
}

fn note(found: &mut Vec<String>, words: &str, rows: &[String]) {
    found.extend(rows.iter().take(NAMED).map(|row| format!("{words}: {row}")));
    if let Some(more @ 1..) = rows.len().checked_sub(NAMED) {
        found.push(format!("{words}: {more} more"));
    }
}

async fn unreadable_settings(db: &mut Db) -> Result<Vec<String>, sqlx::Error> {
    let ids: Vec<i64> = sqlx::query_scalar("SELECT id FROM event_types ORDER BY id")
        .fetch_all(&mut *db)
        .await?;
    let mut unreadable = Vec::new();
    for id in ids {
        if event_types::find(db, Which::Id(id)).await.is_err() {
            unreadable.push(format!("event type {id}"));
        }
    }
    Ok(unreadable)
}

async fn unknown_zones(db: &mut Db) -> Result<Vec<String>, sqlx::Error> {
    let zones: Vec<(String, String)> = sqlx::query_as(
        "SELECT 'user ' || id, time_zone FROM users
         UNION ALL SELECT 'team ' || id, time_zone FROM teams
         UNION ALL SELECT 'schedule ' || id, time_zone FROM schedules",
    )
    .fetch_all(db)
    .await?;
    let unknown = zones
        .into_iter()
        .filter(|(_, zone)| zone.parse::<chrono_tz::Tz>().is_err())
        .map(|(row, _)| row);
    Ok(unknown.collect())
}

async fn unknown_permissions(db: &mut Db) -> Result<Vec<String>, sqlx::Error> {
    let held: Vec<(String, bool, String)> = sqlx::query_as(
        "SELECT r.id, r.kind = 'SYSTEM' OR r.team_id IS NOT NULL, p.permission
         FROM role_permissions p JOIN roles r ON r.id = p.role_id ORDER BY r.id, p.position",
    )
    .fetch_all(db)
    .await?;
    let is_known = |of_team: bool, permission: &str| {
        if of_team {
            TEAM_PERMISSIONS.contains(&permission)
        } else {
            ORGANIZATION_PERMISSIONS.contains(&permission)
        }
    };
    let unknown = held
        .into_iter()
        .filter(|(_, of_team, permission)| !is_known(*of_team, permission))
        .map(|(role, ..)| format!("role {role}"));
    Ok(unknown.collect())
}
