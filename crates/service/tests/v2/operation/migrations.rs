//! Migrations from every earlier version keep the data.

use std::path::Path;

use booking_service::store::bookings::payments;
use booking_service::store::hours::availabilities;
use booking_service::store::upkeep::integrity;
use booking_service::store::user_filter::UserFilter;
use booking_service::store::{Db, FILE_NAME, MIGRATIONS, Store, Subject};
use booking_store_engine::sql;
use sqlx::Connection;
use sqlx::sqlite::{SqliteConnectOptions, SqliteConnection};

/// Connection options that the service uses for migrations.
fn options(directory: &Path) -> SqliteConnectOptions {
    SqliteConnectOptions::new()
        .filename(directory.join(FILE_NAME))
        .create_if_missing(true)
        .foreign_keys(false)
}

#[tokio::test]
async fn database_of_every_earlier_version_is_migrated() {
    let versions = MIGRATIONS.migrations.len();
    assert!(versions >= 3);
    for applied in 0..=versions {
        let directory = tempfile::tempdir().unwrap();
        let mut connection = SqliteConnection::connect_with(&options(directory.path()))
            .await
            .unwrap();
        let earlier = sqlx::migrate::Migrator {
            migrations: MIGRATIONS.migrations[..applied].to_vec().into(),
            ..sqlx::migrate::Migrator::DEFAULT
        };
        earlier.run(&mut connection).await.unwrap();
        if applied > 0 {
            sqlx::query("INSERT INTO organizations (id, name, slug) VALUES (7, 'Kept', 'kept')")
                .execute(&mut connection)
                .await
                .unwrap();
        }
        connection.close().await.unwrap();

        let store = Store::open(directory.path()).await.unwrap();
        let mut db = store.read().await.unwrap();
        let stored: i64 = sql::query_scalar("SELECT count(*) FROM organizations WHERE id = 7")
            .fetch_one(&mut db)
            .await
            .unwrap();
        assert_eq!(stored, i64::from(applied > 0));
        let bookings: i64 = sql::query_scalar("SELECT count(*) FROM bookings")
            .fetch_one(&mut db)
            .await
            .unwrap();
        assert_eq!(bookings, 0);
    }
}

#[tokio::test]
async fn earlier_hours_and_prices_are_readable_after_migration() {
    let directory = tempfile::tempdir().unwrap();
    let mut connection = SqliteConnection::connect_with(&options(directory.path()))
        .await
        .unwrap();
    let earlier = sqlx::migrate::Migrator {
        migrations: MIGRATIONS.migrations[..7].to_vec().into(),
        ..sqlx::migrate::Migrator::DEFAULT
    };
    earlier.run(&mut connection).await.unwrap();
    sqlx::raw_sql(
        "INSERT INTO users (id, username, email, time_zone) VALUES (1, 'ada', 'ada@example.org', 'UTC');
         INSERT INTO schedules (id, owner_id, name, time_zone) VALUES (1, 1, 'Hours', 'UTC');
         INSERT INTO schedule_hours (schedule_id, weekday, on_date, from_minute, to_minute) VALUES
             (1, 1, NULL, 540, 1020), (1, 2, NULL, 540, 1020), (1, 3, NULL, 600, 660),
             (1, NULL, '2027-03-29', 540, 1020);
         INSERT INTO event_types (id, owner_id, slug, settings, created_ms)
         VALUES (1, 1, 'paid', '{\"price\": 500, \"currency\": \"eur\"}', 0);
         INSERT INTO bookings (id, uid, event_type_id, title, status, start_ms, end_ms, paid, created_ms, updated_ms)
         VALUES (1, 'one', 1, 'Paid', 'accepted', 1, 2, 1, 0, 0), (2, 'two', 1, 'Free', 'accepted', 1, 2, NULL, 0, 0)",
    )
    .execute(&mut connection)
    .await
    .unwrap();
    connection.close().await.unwrap();

    let store = Store::open(directory.path()).await.unwrap();
    let mut db = store.read().await.unwrap();
    let lines = availabilities::of_schedules(&mut db, &[1]).await.unwrap();
    let days: Vec<_> = lines.iter().map(|line| line.days.as_slice()).collect();
    assert_eq!(days, [&[1, 2][..], &[3], &[]]);
    assert_eq!(lines[2].date.as_deref(), Some("2027-03-29"));
    let payments = payments::list(&mut db, &UserFilter::All).await.unwrap();
    assert_eq!(payments.len(), 1);
    assert_eq!(
        (payments[0].amount, payments[0].currency.as_str()),
        (500, "eur")
    );
    assert!(payments[0].success);
}

#[tokio::test]
async fn event_name_of_version_1_moves_to_custom_name() {
    let directory = tempfile::tempdir().unwrap();
    let mut connection = SqliteConnection::connect_with(&options(directory.path()))
        .await
        .unwrap();
    let earlier: Vec<_> = MIGRATIONS
        .migrations
        .iter()
        .filter(|migration| migration.version < 12)
        .cloned()
        .collect();
    let earlier = sqlx::migrate::Migrator {
        migrations: earlier.into(),
        ..sqlx::migrate::Migrator::DEFAULT
    };
    earlier.run(&mut connection).await.unwrap();
    sqlx::raw_sql(
        r#"INSERT INTO users (id, username, email, time_zone) VALUES (1, 'ada', 'ada@example.org', 'UTC');
         INSERT INTO event_types (id, owner_id, slug, settings, created_ms) VALUES
             (1, 1, 'a', '{"title": "A", "versionOne": {"eventName": "{HOST}", "position": 3}}', 0),
             (2, 1, 'b', '{"title": "B", "versionOne": {"eventName": null, "position": 4}}', 0),
             (3, 1, 'c', '{"title": "C"}', 0)"#,
    )
    .execute(&mut connection)
    .await
    .unwrap();
    connection.close().await.unwrap();

    let store = Store::open(directory.path()).await.unwrap();
    let mut db = store.read().await.unwrap();
    let settings: Vec<String> = sql::query_scalar("SELECT settings FROM event_types ORDER BY id")
        .fetch_all(&mut db)
        .await
        .unwrap();
    let settings: Vec<serde_json::Value> = settings
        .iter()
        .map(|text| serde_json::from_str(text).unwrap())
        .collect();
    assert_eq!(
        settings[0],
        serde_json::json!({"title": "A", "customName": "{HOST}", "versionOne": {"position": 3}})
    );
    assert!(settings[1].get("customName").is_none());
    assert_eq!(settings[2], serde_json::json!({"title": "C"}));
}

#[tokio::test]
async fn waiting_deliveries_keep_body_and_order() {
    let directory = tempfile::tempdir().unwrap();
    let options = SqliteConnectOptions::new()
        .filename(directory.path().join(FILE_NAME))
        .create_if_missing(true);
    let mut connection = SqliteConnection::connect_with(&options).await.unwrap();
    let earlier = sqlx::migrate::Migrator {
        migrations: MIGRATIONS.migrations[..8].to_vec().into(),
        ..sqlx::migrate::Migrator::DEFAULT
    };
    earlier.run(&mut connection).await.unwrap();
    sqlx::raw_sql(
        "INSERT INTO users (id, username, email, time_zone) VALUES (1, 'ada', 'ada@example.org', 'UTC');
         INSERT INTO webhooks (id, user_id, subscriber_url, triggers, active, version, created_ms)
         VALUES ('hook', 1, 'https://example.org', '[]', 1, '2021-10-20', 0);
         INSERT INTO webhook_deliveries (id, webhook_id, trigger_name, about, body, content_type, created_ms, due_ms, status)
         VALUES (1, 'hook', 'BOOKING_CREATED', 'a', 'first', 'application/json', 0, 5, 'waiting'),
             (2, 'hook', 'BOOKING_CANCELLED', 'a', 'second', 'application/json', 0, 5, 'waiting'),
             (3, 'hook', 'BOOKING_CREATED', 'b', 'other', 'application/json', 0, 5, 'waiting'),
             (4, 'hook', 'BOOKING_CREATED', 'c', printf('%.*c', 300000, 'x'), 'application/json', 0, 5, 'waiting'),
             (5, 'hook', 'BOOKING_CREATED', 'd', 'failed', 'application/json', 0, NULL, 'failed')",
    )
    .execute(&mut connection)
    .await
    .unwrap();
    connection.close().await.unwrap();

    let store = Store::open(directory.path()).await.unwrap();
    let mut db = store.read().await.unwrap();
    let stored: Vec<(i64, String, String, Option<i64>)> =
        sql::query_as("SELECT id, status, body, due_ms FROM webhook_deliveries ORDER BY id")
            .fetch_all(&mut db)
            .await
            .unwrap();
    let row = |id, status: &str, body: &str, due| (id, status.to_owned(), body.to_owned(), due);
    assert_eq!(
        stored,
        [
            row(1, "waiting", "first", Some(5)),
            row(2, "waiting", "second", None),
            row(3, "waiting", "other", Some(5)),
            row(4, "failed", "", None),
            row(5, "failed", "failed", None),
        ]
    );
}

#[tokio::test]
async fn connection_has_durable_writes_and_foreign_keys() {
    let directory = tempfile::tempdir().unwrap();
    let store = Store::open(directory.path()).await.unwrap();
    let mut transaction = store.begin(&[Subject::Rows]).await.unwrap();
    for (pragma, expected) in [
        ("journal_mode", "wal"),
        ("synchronous", "2"),
        ("foreign_keys", "1"),
        ("auto_vacuum", "2"),
        ("journal_size_limit", "16777216"),
    ] {
        let sql = format!("SELECT CAST({pragma} AS TEXT) FROM pragma_{pragma}");
        let value: String = sql::query_scalar(sql)
            .fetch_one(&mut transaction)
            .await
            .unwrap();
        assert_eq!(value, expected, "{pragma}");
    }
}

/// Rows of every recreated table, with dangling references.
const ROWS_BEFORE_REFERENCES: &str = "
    INSERT INTO organizations (id, name, slug) VALUES (3, 'Northwind', 'northwind');
    INSERT INTO teams (id, organization_id, name, slug) VALUES (4, 3, 'Team', 'team');
    INSERT INTO users (id, organization_id, username, email, time_zone, default_schedule_id)
        VALUES (1, 3, 'ada', 'ada@example.org', 'UTC', 5), (2, NULL, 'bob', 'bob@example.org', 'UTC', 77);
    INSERT INTO oauth_clients (id, name, owner_id, secret_hash, redirect_uris, scopes, created_ms)
        VALUES ('kept', 'Kept', 1, 'a', '[]', '[]', 0), ('orphan', 'Orphan', 9, 'b', '[]', '[]', 0);
    INSERT INTO users (id, username, email, time_zone, oauth_client_id)
        VALUES (6, 'managed', 'managed@example.org', 'UTC', 'orphan');
    INSERT INTO oauth_tokens (hash, kind, oauth_client_id, user_id, expires_ms)
        VALUES ('t', 'access_token', 'orphan', 6, 1), ('u', 'access_token', 'kept', 1, 1);
    INSERT INTO webhooks (id, oauth_client_id, subscriber_url, triggers, active, version, created_ms)
        VALUES ('w', 'orphan', 'https://example.org', '[]', 1, '1', 0), ('x', 'kept', 'https://example.org', '[]', 1, '1', 0);
    INSERT INTO webhook_deliveries (webhook_id, trigger_name, about, body, content_type, created_ms)
        VALUES ('w', 'A', 'b', '', '', 0), ('x', 'A', 'b', '', '', 0);
    INSERT INTO organization_members (organization_id, user_id, role, role_id) VALUES (3, 1, 'OWNER', 'gone');
    INSERT INTO memberships (id, team_id, user_id, role, role_id, accepted)
        VALUES (7, 4, 1, 'OWNER', NULL, 1), (8, 4, 2, 'MEMBER', 'gone', 1);
    INSERT INTO schedules (id, owner_id, name, time_zone) VALUES (5, 1, 'Hours', 'UTC');
    INSERT INTO schedule_hours (schedule_id, weekday, from_minute, to_minute) VALUES (5, 1, 540, 1020);
    INSERT INTO event_types (id, team_id, slug, settings, created_ms, assign_all) VALUES (10, 4, 'all', '{}', 0, 1);
    INSERT INTO event_types (id, owner_id, slug, settings, created_ms, parent_id) VALUES (11, 1, 'own', '{}', 0, 10);
    INSERT INTO event_type_hosts (event_type_id, user_id) VALUES (10, 1);
    INSERT INTO bookings (id, uid, event_type_id, team_id, title, status, start_ms, end_ms, paid, created_ms, updated_ms)
        VALUES (12, 'b', 10, 4, 'T', 'accepted', 0, 60000, 0, 0, 0);
    INSERT INTO booking_hosts (booking_id, user_id, start_ms, end_ms, holds) VALUES (12, 1, 0, 60000, 1);
    INSERT INTO attendees (booking_id, name, email, time_zone, seat_uid) VALUES (12, 'Zoe', 'zoe@example.org', 'UTC', 's');
    INSERT INTO out_of_office (uuid, user_id, start_ms, end_ms, reason, created_ms) VALUES ('o', 1, 0, 1, 'sick', 0);
    INSERT INTO reservations (id, uid, event_type_id, start_ms, end_ms, until_ms, created_ms) VALUES (13, 'r', 10, 0, 1, 2, 0);
    INSERT INTO reservation_hosts (reservation_id, user_id) VALUES (13, 1);
    INSERT INTO app_credentials (id, user_id, app_slug, sealed_key, created_ms) VALUES (14, 1, 'a', x'00', 0);
    INSERT INTO booking_references (booking_id, type, uid, credential_id) VALUES (12, 't', 'u', 14), (12, 't', 'v', 99);
    INSERT INTO destination_calendars (user_id, integration, external_id) VALUES (1, 'i', 'e');";

#[tokio::test]
async fn reference_migration_keeps_rows_and_drops_dangling_references() {
    let directory = tempfile::tempdir().unwrap();
    let mut db = SqliteConnection::connect_with(&options(directory.path()))
        .await
        .unwrap();
    let earlier = sqlx::migrate::Migrator {
        migrations: MIGRATIONS.migrations[..8].to_vec().into(),
        ..sqlx::migrate::Migrator::DEFAULT
    };
    earlier.run(&mut db).await.unwrap();
    sqlx::raw_sql(ROWS_BEFORE_REFERENCES)
        .execute(&mut db)
        .await
        .unwrap();
    const TABLES: [&str; 18] = [
        "organizations",
        "teams",
        "oauth_clients",
        "users",
        "organization_members",
        "memberships",
        "schedules",
        "schedule_hours",
        "event_types",
        "event_type_hosts",
        "bookings",
        "booking_hosts",
        "attendees",
        "out_of_office",
        "reservations",
        "booking_references",
        "destination_calendars",
        "payments",
    ];
    async fn count(db: &mut Db, rows: &str) -> i64 {
        let sql = format!("SELECT count(*) FROM {rows}");
        sql::query_scalar(sql).fetch_one(db).await.unwrap()
    }
    let mut before = Vec::new();
    let mut db = Db::from(db);
    for table in TABLES {
        before.push(count(&mut db, table).await);
    }
    integrity::close(db).await;

    let store = Store::open(directory.path()).await.unwrap();
    let mut db = store.begin(&[Subject::Rows]).await.unwrap();
    for (table, before) in TABLES.iter().zip(before) {
        let deleted = i64::from(*table == "oauth_clients");
        assert_eq!(count(&mut db, table).await, before - deleted, "{table}");
    }
    for (rows, expected) in [
        ("oauth_tokens", 1),
        ("webhooks", 1),
        ("webhook_deliveries", 1),
        ("users WHERE oauth_client_id IS NOT NULL", 0),
        ("users WHERE default_schedule_id = 5", 1),
        ("users WHERE default_schedule_id IS NOT NULL", 1),
        ("memberships WHERE role_id IS NOT NULL", 0),
        ("organization_members WHERE role_id IS NOT NULL", 0),
        ("booking_references WHERE credential_id IS NOT NULL", 1),
        ("event_types WHERE parent_id = 10 AND owner_id = 1", 1),
        ("pragma_foreign_key_check", 0),
        ("sqlite_schema WHERE type = 'trigger'", 62),
    ] {
        assert_eq!(count(&mut db, rows).await, expected, "{rows}");
    }
    // The id of the deleted owner of a client (9) is not used again.
    let next: i64 = sql::query_scalar(
        "INSERT INTO users (username, email, time_zone) VALUES ('next', 'next@example.org', 'UTC') RETURNING id",
    )
    .fetch_one(&mut db)
    .await
    .unwrap();
    assert_eq!(next, 10);
    // The id of a deleted row is not used again.
    for (table, insert) in [
        (
            "teams",
            "INSERT INTO teams (name, slug) VALUES ('New', 'new') RETURNING id",
        ),
        (
            "event_types",
            "INSERT INTO event_types (owner_id, slug, settings, created_ms) VALUES (1, 'new', '{}', 0) RETURNING id",
        ),
        (
            "schedules",
            "INSERT INTO schedules (owner_id, name, time_zone) VALUES (1, 'New', 'UTC') RETURNING id",
        ),
        (
            "organizations",
            "INSERT INTO organizations (name, slug) VALUES ('New', 'new') RETURNING id",
        ),
    ] {
        let first: i64 = sql::query_scalar(insert).fetch_one(&mut db).await.unwrap();
        let delete = format!("DELETE FROM {table} WHERE id = {first}");
        sql::query(delete).execute(&mut db).await.unwrap();
        let second: i64 = sql::query_scalar(insert).fetch_one(&mut db).await.unwrap();
        assert!(second > first, "{table}: {second} after {first}");
    }
    let owner = sql::query("DELETE FROM users WHERE id = 1")
        .execute(&mut db)
        .await;
    assert!(booking_service::store::is_orphan(&owner.unwrap_err()));
}

#[tokio::test]
async fn migration_with_foreign_keys_on_fails() {
    let directory = tempfile::tempdir().unwrap();
    let with_keys = options(directory.path()).foreign_keys(true);
    let mut db = SqliteConnection::connect_with(&with_keys).await.unwrap();
    assert!(MIGRATIONS.run(&mut db).await.is_err());
}
