//! `booking-service check` finds the same in both databases.

#![cfg(unix)]
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    unreachable_pub,
    missing_docs,
    dead_code
)]

use std::path::Path;

use booking_service::store::FILE_NAME;
use sqlx::sqlite::SqliteConnectOptions;
use sqlx::{AssertSqlSafe, Connection, PgConnection, SqliteConnection};

#[path = "support/postgres.rs"]
mod postgres;
#[path = "support/process.rs"]
mod process;
use postgres::TestDatabase;
use process::run;

/// Statements for both databases, and what the check says about the rows then.
const DAMAGES: [(&str, &str); 18] = [
    (
        "UPDATE bookings SET responses = '[' WHERE id = 1",
        "what a booking holds is not valid JSON: booking 1",
    ),
    (
        "UPDATE bookings SET metadata = '[]' WHERE id = 2",
        "what a booking holds is not valid JSON: booking 2",
    ),
    (
        "UPDATE attendees SET responses = '3' WHERE booking_id = 1",
        "what an attendee answered is not valid JSON: attendee ",
    ),
    (
        "UPDATE users SET metadata = '' WHERE id = 1",
        "the metadata of a user or team is not valid JSON: user 1",
    ),
    (
        "UPDATE oauth_clients SET redirect_uris = '{}'",
        "a client's addresses or scopes are not valid JSON: client ",
    ),
    (
        "UPDATE api_keys SET scopes = '5'",
        "the scopes of an API key are not valid JSON: key ",
    ),
    (
        "UPDATE users SET time_zone = 'Nowhere' WHERE id = 1",
        "a time zone is unknown: user 1",
    ),
    (
        "UPDATE bookings SET rescheduled_to_uid = 'none' WHERE id = 3",
        "a booking was moved to one that does not exist: booking 3",
    ),
    (
        "UPDATE bookings SET rescheduled_to_uid = uid, rescheduled_from_uid = uid WHERE id = 4",
        "bookings were moved in a circle: booking 4",
    ),
    (
        "DELETE FROM booking_hosts WHERE booking_id = 5;
         UPDATE bookings SET status = 'accepted', end_ms = 9000000000000 WHERE id = 5",
        "an upcoming booking has no host: booking 5",
    ),
    (
        "UPDATE booking_hosts SET holds = 0 WHERE booking_id = 6;
         UPDATE bookings SET status = 'accepted' WHERE id = 6",
        "an accepted booking leaves its host free: booking 6",
    ),
    (
        "UPDATE bookings SET start_ms = start_ms - 60000 WHERE id = 7",
        "a host's time is not that of the booking: booking 7",
    ),
    (
        "UPDATE attendees SET organization_id = 77 WHERE booking_id = 8",
        "what belongs to a booking is of another organization: booking 8, attendee ",
    ),
    (
        "INSERT INTO role_permissions (role_id, permission, position) VALUES ('member_role', 'fly.anywhere', 99)",
        "a role holds an unknown permission: role member_role",
    ),
    (
        "UPDATE roles SET kind = 'CUSTOM' WHERE id = 'owner_role'",
        "one of the service's own roles is missing: owner_role",
    ),
    (
        "INSERT INTO schedule_hours (id, schedule_id, weekday, on_date, from_minute, to_minute)
         VALUES (901, 1, NULL, '2027-02-30', 0, 60)",
        "working hours are on no date: hours 901 of schedule 1",
    ),
    (
        "UPDATE schedule_hours SET from_minute = 700, to_minute = 600 WHERE id = 1",
        "working hours are no part of a day: hours 1 of schedule ",
    ),
    (
        "UPDATE event_types SET settings = '[]' WHERE id = 1",
        "settings cannot be read: event type 1",
    ),
];

/// Runs the check and returns its exit code and its findings.
fn check(options: &[&str]) -> (Option<i32>, Vec<String>) {
    let output = run(&[&["check"], options].concat());
    let text = String::from_utf8(output.stdout).unwrap();
    assert!(
        output.status.success()
            || output.stderr.ends_with(b"finding\n")
            || output.stderr.ends_with(b"findings\n"),
        "{}",
        String::from_utf8_lossy(&output.stderr)
    );
    let lines = text.lines().filter(|line| !line.contains("pg_amcheck"));
    (output.status.code(), lines.map(str::to_owned).collect())
}

async fn damage_file(data: &Path, statement: &str) {
    // Triggers keep hosts and bookings alike.
    let options = SqliteConnectOptions::new()
        .filename(data.join(FILE_NAME))
        .foreign_keys(false);
    let mut db = SqliteConnection::connect_with(&options).await.unwrap();
    let triggers: Vec<String> = sqlx::query_scalar(
        "SELECT name FROM sqlite_master WHERE type = 'trigger' AND sql NOT LIKE '%search%'",
    )
    .fetch_all(&mut db)
    .await
    .unwrap();
    for trigger in triggers {
        let drop = format!("DROP TRIGGER \"{trigger}\"");
        sqlx::query(AssertSqlSafe(drop))
            .execute(&mut db)
            .await
            .unwrap();
    }
    sqlx::raw_sql(AssertSqlSafe(statement))
        .execute(&mut db)
        .await
        .unwrap();
    db.close().await.unwrap();
}

async fn damage_postgres(url: &str, statement: &str) {
    let mut db = PgConnection::connect(url).await.unwrap();
    sqlx::raw_sql(AssertSqlSafe(format!(
        "SET session_replication_role = 'replica'; {statement}"
    )))
    .execute(&mut db)
    .await
    .unwrap();
    db.close().await.unwrap();
}

#[tokio::test]
async fn damages_are_found_in_both_databases() {
    let directory = tempfile::tempdir().unwrap();
    let data = directory.path().join("data");
    let data_option = data.to_str().unwrap();
    let made = run(&["demo", "--data", data_option]);
    assert!(made.status.success(), "{made:?}");
    let database = TestDatabase::create(None).await;
    let mut options = vec![vec!["--data", data_option]];
    if let Some(database) = &database {
        let moved = run(&["migrate", "--from", data_option, "--to", &database.url]);
        assert!(moved.status.success(), "{moved:?}");
        options.push(vec!["--database-url", &database.url]);
    }
    for options in &options {
        let (code, lines) = check(options);
        assert_eq!(code, Some(0), "{lines:?}");
        assert!(lines[0].starts_with("time zone data 20"), "{lines:?}");
        assert!(lines[1].ends_with(": sound"), "{lines:?}");
    }
    for (statement, expected) in DAMAGES {
        damage_file(&data, statement).await;
        if let Some(database) = &database {
            damage_postgres(&database.url, statement).await;
        }
        let mut findings = Vec::new();
        for options in &options {
            let (code, mut lines) = check(options);
            assert_eq!(code, Some(1), "{statement}");
            assert!(
                lines.iter().any(|line| line.starts_with(expected)),
                "{options:?} {statement}: {lines:#?}"
            );
            lines.sort();
            findings.push(lines);
        }
        assert!(
            findings.iter().all(|lines| *lines == findings[0]),
            "{findings:#?}"
        );
    }
}
