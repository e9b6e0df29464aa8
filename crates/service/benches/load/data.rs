//! Test data and requests.

use std::ffi::OsStr;
use std::path::Path;

use booking_service::domain::demo::FILE_NAME;
use booking_service::store;
use serde_json::{Value, json};
use sqlx::sqlite::SqliteConnectOptions;
use sqlx::{ConnectOptions, Connection as _};

use crate::load::{self, Connection, Request};
use crate::{Outcome, process};

/// Start of the service's clock: a Monday.
pub(crate) const NOW: &str = "2027-03-01T08:00:00Z";
/// Event type of the three hosts.
const EVENT_TYPE: i64 = 9001;
/// First of the personal event types, each with a host of its own who has no bookings yet.
const FIRST_PERSONAL: i64 = 10_001;
/// Number of personal event types.
const PERSONAL_COUNT: i64 = 40;
/// Team of the long list.
const LONG_TEAM: i64 = 902;

/// Three hosts with 10,000 bookings, and a team of twenty with 100,000.
const FILL: &str = include_str!("fill.sql");

/// The personal event types and their hosts.
const FILL_PERSONAL: &str = "
WITH RECURSIVE n(i) AS (SELECT 10001 UNION ALL SELECT i + 1 FROM n WHERE i < 10040)
INSERT INTO users (id, organization_id, username, email, name, time_zone, default_schedule_id)
    SELECT i, 1, 'host' || i, 'host' || i || '@northwind.example', 'Host ' || i, 'UTC', i FROM n;
INSERT INTO schedules (id, owner_id, name, time_zone)
    SELECT id, id, 'Hours', time_zone FROM users WHERE id > 10000;
WITH days(day) AS (VALUES (1), (2), (3), (4), (5))
INSERT INTO schedule_hours (schedule_id, weekday, from_minute, to_minute)
    SELECT id, day, 540, 1020 FROM schedules, days WHERE id > 10000;
INSERT INTO event_types (id, owner_id, slug, settings, created_ms)
    SELECT host.id, host.id, 'personal', json_set(kind.settings, '$.lengthInMinutes', 15), kind.created_ms
    FROM event_types AS kind, users AS host WHERE kind.slug = 'intro-call' AND host.id > 10000;
INSERT INTO event_type_hosts (event_type_id, user_id) SELECT id, owner_id FROM event_types WHERE id > 10000;
";

/// Fills a fresh database in `directory`, whose tables a build of the service creates. Returns an API key with access to
/// all teams.
pub(crate) async fn fill(program: impl AsRef<OsStr>, directory: &Path) -> Outcome<String> {
    process::create_demo(program, directory).await?;
    let credentials: Value = serde_json::from_slice(&std::fs::read(directory.join(FILE_NAME))?)?;
    let mut db = SqliteConnectOptions::new()
        .filename(directory.join(store::FILE_NAME))
        .foreign_keys(true)
        .connect()
        .await?;
    let mut transaction = db.begin().await?;
    sqlx::raw_sql(FILL).execute(&mut *transaction).await?;
    sqlx::raw_sql(FILL_PERSONAL)
        .execute(&mut *transaction)
        .await?;
    transaction.commit().await?;
    db.close().await?;
    let api_key = credentials["apiKey"]
        .as_str()
        .ok_or("the demo data has no API key")?;
    Ok(api_key.to_owned())
}

/// Slots of one month in several time zones.
pub(crate) fn slot_requests() -> Outcome<Vec<Request>> {
    ["Europe/Rome", "America/Chicago", "Asia/Tokyo", "UTC"]
        .into_iter()
        .map(|zone| {
            let target = format!(
                "/v2/slots?eventTypeId={EVENT_TYPE}&start=2027-03-02&end=2027-04-01&timeZone={zone}"
            );
            load::get(&target, None)
        })
        .collect()
}

/// Slots of the same month with unique queries, so that no response comes from a cache.
pub(crate) fn unique_slot_requests() -> Outcome<Vec<Request>> {
    (0..20_000)
        .map(|second| {
            let (hour, minute, second) = (second / 3600, second / 60 % 60, second % 60);
            let target = format!(
                "/v2/slots?eventTypeId={EVENT_TYPE}&start=2027-03-02T{hour:02}:{minute:02}:{second:02}Z&end=2027-04-01&timeZone=Europe/Rome"
            );
            load::get(&target, None)
        })
        .collect()
}

/// Pages of the long list with different filters, sort orders and offsets.
pub(crate) fn list_requests(api_key: &str) -> Outcome<Vec<Request>> {
    [
        "status=upcoming",
        "status=past&sortStart=desc&skip=1000",
        "status=cancelled&sortCreated=desc",
        "eventTypeIds=9002,9003&afterStart=2027-03-01T00:00:00Z&beforeEnd=2027-04-01T00:00:00Z",
        "status=upcoming,unconfirmed&sortEnd=asc&skip=5000",
        "attendeeEmail=visitor77@example.org",
    ]
    .into_iter()
    .map(|filter| {
        let target = format!("/v2/teams/{LONG_TEAM}/bookings?take=250&{filter}");
        load::get(&target, Some(api_key))
    })
    .collect()
}

/// Returns free starts of an event type in two years.
async fn free_starts(address: &str, event_type: i64) -> Outcome<Vec<String>> {
    let mut connection = Connection::open(address).await?;
    let mut starts = Vec::new();
    for quarter in [
        "start=2027-03-03&end=2027-05-31",
        "start=2027-06-01&end=2027-08-31",
        "start=2027-09-01&end=2027-11-30",
        "start=2027-12-01&end=2028-02-28",
        "start=2028-03-01&end=2028-05-31",
        "start=2028-06-01&end=2028-08-31",
        "start=2028-09-01&end=2028-11-30",
        "start=2028-12-01&end=2029-02-28",
    ] {
        let target = format!("/v2/slots?eventTypeId={event_type}&{quarter}");
        let response = connection.send(&load::get(&target, None)?).await?;
        let body: Value = serde_json::from_slice(&response)?;
        let days = body["data"].as_object().ok_or("the slots are unreadable")?;
        let slots = days.values().filter_map(Value::as_array).flatten();
        starts.extend(slots.filter_map(|slot| slot["start"].as_str().map(str::to_owned)));
    }
    if starts.len() < 1000 {
        return Err(format!("only {} starts can be booked", starts.len()).into());
    }
    Ok(starts)
}

/// Bookings of the three hosts, one per start.
pub(crate) async fn bookings(address: &str) -> Outcome<Vec<Request>> {
    bookings_of(address, EVENT_TYPE).await
}

/// Bookings of one host, one per start.
pub(crate) async fn bookings_of_one_host(address: &str) -> Outcome<Vec<Request>> {
    bookings_of(address, FIRST_PERSONAL).await
}

/// Bookings of the other personal event types in turns, each start for each.
pub(crate) async fn bookings_of_many_hosts(address: &str) -> Outcome<Vec<Request>> {
    // All have the same hours.
    let starts = free_starts(address, FIRST_PERSONAL).await?;
    let mut requests = Vec::new();
    for start in starts.iter().take(2_000) {
        for event_type in FIRST_PERSONAL + 1..FIRST_PERSONAL + PERSONAL_COUNT {
            requests.push(booking(start, event_type)?);
        }
    }
    Ok(requests)
}

async fn bookings_of(address: &str, event_type: i64) -> Outcome<Vec<Request>> {
    let starts = free_starts(address, event_type).await?;
    let requests = starts.iter().map(|start| booking(start, event_type));
    requests.collect()
}

/// A booking by a person who has no other one of this event type, as messages to one address are limited.
fn booking(start: &str, event_type: i64) -> Outcome<Request> {
    let digits: String = start.chars().filter(char::is_ascii_digit).collect();
    let email = format!("zoe{digits}.{event_type}@example.org");
    let body = json!({
        "start": start,
        "eventTypeId": event_type,
        "attendee": {"name": "Zoë Łukasik", "email": email, "timeZone": "Europe/Rome"},
    });
    load::post("/v2/bookings", &body)
}
