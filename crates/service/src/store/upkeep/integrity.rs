//! Integrity check of an SQLite file and its references, and of the service's invariants in either database. Violations
//! name rows by their ids and contain no other values.

use std::fmt::Display;
use std::path::Path;

use booking_store_engine::connection::Db;
use booking_store_engine::database::BUSY_TIMEOUT;
use booking_store_engine::sql::{self, Value};
use booking_wire::people::permission::{ORGANIZATION_PERMISSIONS, TEAM_PERMISSIONS};
use booking_zones::Zone;
use sqlx::ConnectOptions;
use sqlx::sqlite::SqliteConnectOptions;

use crate::store::event_types::{self, EventTypeFilter};
use crate::store::migrations;

/// Rows that are listed per invariant.
const MAX_LISTED_ROWS: usize = 20;

/// An invariant with a query for the rows that violate it, as one column of text.
struct Invariant {
    /// Description of a violation.
    description: &'static str,
    violations_query: &'static str,
}

/// `holds`: see `transitions::blocks_time`. The statements are for both databases: see `sql.rs`.
const INVARIANTS: [Invariant; 19] = [
    Invariant {
        description: "a host is in two bookings at one time",
        violations_query: "SELECT 'host ' || user_id || ', booking ' || booking_id FROM (
                SELECT user_id, booking_id, start_ms, max(end_ms) OVER (
                    PARTITION BY user_id ORDER BY start_ms, end_ms, booking_id
                    ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING
                ) AS busy_until FROM booking_hosts WHERE holds = 1
            ) AS times WHERE busy_until > start_ms",
    },
    Invariant {
        description: "a payment says otherwise than its booking",
        violations_query: "SELECT 'payment ' || p.id FROM payments p JOIN bookings b ON b.id = p.booking_id
            WHERE b.paid IS NULL OR p.success <> b.paid",
    },
    Invariant {
        description: "an accepted booking leaves its host free",
        violations_query: "SELECT 'booking ' || b.id FROM bookings b JOIN booking_hosts h ON h.booking_id = b.id
            WHERE b.status = 'accepted' AND h.holds <> 1",
    },
    Invariant {
        description: "a booking that does not take place keeps its host busy",
        violations_query: "SELECT 'booking ' || b.id FROM bookings b JOIN booking_hosts h ON h.booking_id = b.id
            WHERE b.status IN ('cancelled', 'rejected') AND h.holds = 1",
    },
    Invariant {
        description: "a host's time is not that of the booking",
        violations_query: "SELECT 'booking ' || b.id FROM bookings b JOIN booking_hosts h ON h.booking_id = b.id
            WHERE h.start_ms <> b.start_ms OR h.end_ms <> b.end_ms",
    },
    // Not of webhook deliveries: the organization of their webhooks may have been deleted since.
    Invariant {
        description: "what belongs to a booking is of another organization",
        violations_query: "SELECT 'booking ' || b.id || ', host ' || h.user_id FROM booking_hosts h
            JOIN bookings b ON b.id = h.booking_id WHERE h.organization_id IS DISTINCT FROM b.organization_id
            UNION ALL
            SELECT 'booking ' || b.id || ', attendee ' || a.id FROM attendees a
            JOIN bookings b ON b.id = a.booking_id WHERE a.organization_id IS DISTINCT FROM b.organization_id
            UNION ALL
            SELECT 'booking ' || b.id || ', mail event ' || e.id FROM mail_events e
            JOIN bookings b ON b.uid = e.booking_uid WHERE e.organization_id IS DISTINCT FROM b.organization_id
            UNION ALL
            SELECT 'booking ' || b.id || ', mail message ' || m.id FROM mail_messages m
            JOIN bookings b ON b.uid = m.booking_uid WHERE m.organization_id IS DISTINCT FROM b.organization_id",
    },
    Invariant {
        description: "a booking has more attendees than seats",
        violations_query: "SELECT 'booking ' || b.id FROM bookings b
            JOIN attendees a ON a.booking_id = b.id AND a.seat_uid IS NOT NULL
            WHERE b.seated = 1 GROUP BY b.id, b.seats HAVING count(*) > coalesce(b.seats, 1)",
    },
    Invariant {
        description: "visitors who come to the same time have two bookings",
        violations_query: "SELECT 'event type ' || event_type_id || ' at ' || start_ms FROM bookings
            WHERE seated = 1 AND status IN ('accepted', 'pending') AND event_type_id IS NOT NULL
            GROUP BY event_type_id, start_ms HAVING count(*) > 1",
    },
    Invariant {
        description: "a booking was moved to one that does not exist",
        violations_query: "SELECT 'booking ' || b.id FROM bookings b WHERE b.rescheduled_to_uid IS NOT NULL
            AND NOT EXISTS (SELECT 1 FROM bookings t WHERE t.uid = b.rescheduled_to_uid)",
    },
    Invariant {
        description: "a booking was moved from one that does not exist",
        violations_query: "SELECT 'booking ' || b.id FROM bookings b WHERE b.rescheduled_from_uid IS NOT NULL
            AND NOT EXISTS (SELECT 1 FROM bookings f WHERE f.uid = b.rescheduled_from_uid)",
    },
    Invariant {
        description: "a booking that was moved does not know what it was moved from",
        violations_query: "SELECT 'booking ' || t.id FROM bookings b JOIN bookings t ON t.uid = b.rescheduled_to_uid
            WHERE b.seated = 0 AND t.seated = 0
              AND (t.rescheduled_from_uid IS NULL OR t.rescheduled_from_uid <> b.uid)",
    },
    Invariant {
        description: "a booking was moved and still takes place",
        violations_query: "SELECT 'booking ' || id FROM bookings
            WHERE rescheduled_to_uid IS NOT NULL AND status NOT IN ('cancelled', 'rejected')",
    },
    Invariant {
        description: "bookings were moved in a circle",
        violations_query: "WITH RECURSIVE chain (origin, uid, length) AS (
                SELECT uid, rescheduled_to_uid, 1 FROM bookings WHERE rescheduled_to_uid IS NOT NULL
                UNION ALL
                SELECT c.origin, b.rescheduled_to_uid, c.length + 1 FROM chain c
                JOIN bookings b ON b.uid = c.uid
                WHERE b.rescheduled_to_uid IS NOT NULL AND c.length < 1000 AND c.uid <> c.origin
            ) SELECT 'booking ' || b.id FROM chain c JOIN bookings b ON b.uid = c.origin
            WHERE c.uid = c.origin OR c.length >= 1000",
    },
    Invariant {
        description: "the owner of an OAuth client does not exist",
        violations_query: "SELECT 'client ' || c.id FROM oauth_clients c
            WHERE NOT EXISTS (SELECT 1 FROM users u WHERE u.id = c.owner_id)",
    },
    Invariant {
        description: "a member has a role that does not exist or is another team's",
        violations_query: "SELECT 'membership ' || m.id FROM memberships m LEFT JOIN roles r ON r.id = m.role_id
            WHERE m.role_id IS NOT NULL
              AND (r.id IS NULL OR (r.kind = 'CUSTOM' AND r.team_id IS DISTINCT FROM m.team_id))
            UNION ALL
            SELECT 'member ' || m.user_id || ' of organization ' || m.organization_id
            FROM organization_members m LEFT JOIN roles r ON r.id = m.role_id
            WHERE m.role_id IS NOT NULL AND (r.id IS NULL OR (r.kind = 'CUSTOM'
              AND (r.team_id IS NOT NULL OR r.organization_id IS DISTINCT FROM m.organization_id)))",
    },
    Invariant {
        description: "a role belongs to nobody",
        violations_query: "SELECT 'role ' || id FROM roles
            WHERE kind = 'CUSTOM' AND team_id IS NULL AND organization_id IS NULL",
    },
    Invariant {
        description: "one of the service's own roles is missing",
        violations_query: "SELECT wanted.id FROM (SELECT 'owner_role' AS id UNION ALL SELECT 'admin_role'
                UNION ALL SELECT 'member_role') AS wanted
            WHERE NOT EXISTS (SELECT 1 FROM roles r WHERE r.id = wanted.id AND r.kind = 'SYSTEM')",
    },
    Invariant {
        description: "a user's own schedule does not exist or is somebody else's",
        violations_query: "SELECT 'user ' || u.id FROM users u WHERE u.default_schedule_id IS NOT NULL
            AND NOT EXISTS (SELECT 1 FROM schedules s WHERE s.id = u.default_schedule_id AND s.owner_id = u.id)",
    },
    Invariant {
        description: "working hours are no part of a day",
        violations_query: "SELECT 'hours ' || id || ' of schedule ' || schedule_id FROM schedule_hours
            WHERE from_minute < 0 OR to_minute > 1440 OR from_minute > to_minute",
    },
];

/// A column with JSON.
struct JsonColumn {
    /// Description of a violation.
    description: &'static str,
    /// Kind of row, for the violation.
    row: &'static str,
    table: &'static str,
    key: Key,
    column: &'static str,
    json_type: JsonType,
}

/// A primary key of one column.
enum Key {
    Id,
    TextId,
    /// The key of an API key, which is listed by its first characters.
    Hash,
}

/// Type of a JSON document.
enum JsonType {
    Any,
    Array,
    Object,
}

const fn json_column(
    description: &'static str,
    row: &'static str,
    (table, key): (&'static str, Key),
    column: &'static str,
    json_type: JsonType,
) -> JsonColumn {
    JsonColumn {
        description,
        row,
        table,
        key,
        column,
        json_type,
    }
}

/// PostgreSQL before version 16 cannot test whether a text is JSON, so this is not an [`Invariant`].
const JSON_COLUMNS: [JsonColumn; 11] = {
    use JsonType::{Any, Array, Object};
    use Key::{Hash, Id, TextId};
    const BOOKING: &str = "what a booking holds is not valid JSON";
    const ATTENDEE: &str = "what an attendee answered is not valid JSON";
    const METADATA: &str = "the metadata of a user or team is not valid JSON";
    const CLIENT: &str = "a client's addresses or scopes are not valid JSON";
    const KEY: &str = "the scopes of an API key are not valid JSON";
    const WEBHOOK: &str = "a webhook's triggers are not valid JSON";
    [
        json_column(BOOKING, "booking", ("bookings", Id), "responses", Object),
        json_column(BOOKING, "booking", ("bookings", Id), "guests", Array),
        json_column(BOOKING, "booking", ("bookings", Id), "metadata", Object),
        json_column(ATTENDEE, "attendee", ("attendees", Id), "responses", Object),
        json_column(ATTENDEE, "attendee", ("attendees", Id), "metadata", Object),
        json_column(METADATA, "user", ("users", Id), "metadata", Any),
        json_column(METADATA, "team", ("teams", Id), "metadata", Any),
        json_column(
            CLIENT,
            "client",
            ("oauth_clients", TextId),
            "redirect_uris",
            Array,
        ),
        json_column(CLIENT, "client", ("oauth_clients", TextId), "scopes", Array),
        json_column(KEY, "key", ("api_keys", Hash), "scopes", Array),
        json_column(WEBHOOK, "webhook", ("webhooks", TextId), "triggers", Array),
    ]
};

/// Rows that are read at once.
const CHUNK_ROWS: usize = 1000;

/// Characters of the short id of an API key: `ID_CHARS` in `cli/keys.rs`.
const SHORT_KEY_CHARS: usize = 12;

/// Opens a database file read-only.
pub async fn open(file: &Path) -> Result<Db, sqlx::Error> {
    // Without a write-ahead log there is no writer, and the directory need not be writable.
    let mut log = file.as_os_str().to_owned();
    log.push("-wal");
    SqliteConnectOptions::new()
        .filename(file)
        .read_only(true)
        .immutable(!Path::new(&log).exists())
        .busy_timeout(BUSY_TIMEOUT)
        .disable_statement_logging()
        .connect()
        .await
        .map(Db::from)
}

/// Closes a connection of [`open`].
pub async fn close(db: Db) {
    // A read-only connection has nothing to lose.
    let _ = db.close().await;
}

/// Checks the file and its foreign keys; returns the violations.
pub async fn check_file(db: &mut Db) -> Result<Vec<String>, sqlx::Error> {
    let mut violations: Vec<String> =
        sql::query_scalar(format!("PRAGMA integrity_check({MAX_LISTED_ROWS})"))
            .fetch_all(&mut *db)
            .await?;
    violations.retain(|line| line != "ok");
    let broken: Vec<(String, Option<i64>, String)> =
        sql::query_as("SELECT \"table\", rowid, parent FROM pragma_foreign_key_check() LIMIT 20")
            .fetch_all(&mut *db)
            .await?;
    violations.extend(broken.into_iter().map(|(table, row, parent)| {
        let row = row.unwrap_or_default();
        format!("row {row} of {table} refers to a row of {parent} that does not exist")
    }));
    Ok(violations)
}

/// Checks the service's invariants; returns the violations. For a schema that this program may not use,
/// returns only a message about it.
pub async fn check_invariants(db: &mut Db) -> Result<Vec<String>, sqlx::Error> {
    let schema = migrations::schema(db).await?;
    if !schema.is_usable() {
        return Ok(vec![schema.to_string()]);
    }
    let mut violations = Vec::new();
    for invariant in &INVARIANTS {
        let rows: Vec<String> = sql::query_scalar(invariant.violations_query)
            .fetch_all(&mut *db)
            .await?;
        push_violations(&mut violations, invariant.description, &rows);
    }
    for column in &JSON_COLUMNS {
        let rows = match column.key {
            Key::Id => invalid_json(db, column, "id", i64::MIN).await?,
            Key::TextId => invalid_json(db, column, "id", String::new()).await?,
            Key::Hash => invalid_json(db, column, "hash", String::new()).await?,
        };
        push_violations(&mut violations, column.description, &rows);
    }
    for (description, rows) in [
        (
            "an upcoming booking has no host",
            bookings_without_host(db).await?,
        ),
        ("working hours are on no date", unknown_dates(db).await?),
        ("settings cannot be read", unreadable_settings(db).await?),
        ("a time zone is unknown", unknown_zones(db).await?),
        (
            "a role holds an unknown permission",
            unknown_permissions(db).await?,
        ),
    ] {
        push_violations(&mut violations, description, &rows);
    }
    Ok(violations)
}

fn push_violations(violations: &mut Vec<String>, description: &str, rows: &[String]) {
    violations.extend(
        rows.iter()
            .take(MAX_LISTED_ROWS)
            .map(|row| format!("{description}: {row}")),
    );
    if let Some(more @ 1..) = rows.len().checked_sub(MAX_LISTED_ROWS) {
        violations.push(format!("{description}: {more} more"));
    }
}

/// Returns the rows whose column is not JSON of its type, read in the order of the key from `first`.
async fn invalid_json<K>(
    db: &mut Db,
    column: &JsonColumn,
    key: &str,
    first: K,
) -> Result<Vec<String>, sqlx::Error>
where
    K: Clone + Display + Into<Value<'static>> + Send + Unpin,
    (K, String): sql::Row,
{
    let query = format!(
        "SELECT {key}, {column} FROM {table} WHERE {key} > ? AND {column} IS NOT NULL ORDER BY {key} LIMIT {CHUNK_ROWS}",
        table = column.table,
        column = column.column,
    );
    let mut invalid = Vec::new();
    let mut last = first;
    loop {
        let after: Value<'_> = last.clone().into();
        let rows: Vec<(K, String)> = sql::query_as(query.clone())
            .bind(after)
            .fetch_all(db)
            .await?;
        for (key, text) in &rows {
            let is_valid = serde_json::from_str(text).is_ok_and(|json: serde_json::Value| {
                match column.json_type {
                    JsonType::Any => true,
                    JsonType::Array => json.is_array(),
                    JsonType::Object => json.is_object(),
                }
            });
            if !is_valid {
                let mut id = key.to_string();
                if matches!(column.key, Key::Hash) {
                    id.truncate(SHORT_KEY_CHARS);
                }
                invalid.push(format!("{} {id}", column.row));
            }
        }
        match rows.last() {
            Some((key, _)) if rows.len() == CHUNK_ROWS => last = key.clone(),
            _ => return Ok(invalid),
        }
    }
}

async fn bookings_without_host(db: &mut Db) -> Result<Vec<String>, sqlx::Error> {
    sql::query_scalar(
        "SELECT 'booking ' || b.id FROM bookings b
         WHERE b.status IN ('accepted', 'pending') AND b.end_ms > ?
         AND NOT EXISTS (SELECT 1 FROM booking_hosts h WHERE h.booking_id = b.id)",
    )
    .bind(chrono::Utc::now().timestamp_millis())
    .fetch_all(db)
    .await
}

async fn unknown_dates(db: &mut Db) -> Result<Vec<String>, sqlx::Error> {
    let dates: Vec<(String, String)> = sql::query_as(
        "SELECT 'hours ' || id || ' of schedule ' || schedule_id, on_date FROM schedule_hours
         WHERE on_date IS NOT NULL",
    )
    .fetch_all(db)
    .await?;
    let is_date = |text: &str| {
        text.parse::<chrono::NaiveDate>()
            .is_ok_and(|date| date.to_string() == text)
    };
    let unknown = dates
        .into_iter()
        .filter(|(_, date)| !is_date(date))
        .map(|(row, _)| row);
    Ok(unknown.collect())
}

async fn unreadable_settings(db: &mut Db) -> Result<Vec<String>, sqlx::Error> {
    let ids: Vec<i64> = sql::query_scalar("SELECT id FROM event_types ORDER BY id")
        .fetch_all(&mut *db)
        .await?;
    let mut unreadable = Vec::new();
    for id in ids {
        if event_types::find(db, EventTypeFilter::Id(id))
            .await
            .is_err()
        {
            unreadable.push(format!("event type {id}"));
        }
    }
    Ok(unreadable)
}

async fn unknown_zones(db: &mut Db) -> Result<Vec<String>, sqlx::Error> {
    let zones: Vec<(String, String)> = sql::query_as(
        "SELECT 'user ' || id, time_zone FROM users
         UNION ALL SELECT 'team ' || id, time_zone FROM teams
         UNION ALL SELECT 'schedule ' || id, time_zone FROM schedules",
    )
    .fetch_all(db)
    .await?;
    let unknown = zones
        .into_iter()
        .filter(|(_, zone)| Zone::named(zone).is_none())
        .map(|(row, _)| row);
    Ok(unknown.collect())
}

async fn unknown_permissions(db: &mut Db) -> Result<Vec<String>, sqlx::Error> {
    let permissions: Vec<(String, bool, String)> = sql::query_as(
        "SELECT r.id, r.kind = 'SYSTEM' OR r.team_id IS NOT NULL, p.permission
         FROM role_permissions p JOIN roles r ON r.id = p.role_id ORDER BY r.id, p.position",
    )
    .fetch_all(db)
    .await?;
    let is_known = |is_team_role: bool, permission: &str| {
        if is_team_role {
            TEAM_PERMISSIONS.contains(&permission)
        } else {
            ORGANIZATION_PERMISSIONS.contains(&permission)
        }
    };
    let unknown = permissions
        .into_iter()
        .filter(|(_, is_team_role, permission)| !is_known(*is_team_role, permission))
        .map(|(role, ..)| format!("role {role}"));
    Ok(unknown.collect())
}
