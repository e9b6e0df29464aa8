//! `service migrate --from … --to …`: data moves between a data directory and a PostgreSQL database.

#![cfg(unix)]
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    unreachable_pub,
    missing_docs,
    dead_code
)]

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::time::{Duration, Instant};

use booking_service::store::FILE_NAME;
use serde_json::{Value, json};
use sqlx::sqlite::SqliteConnectOptions;
use sqlx::{AssertSqlSafe, ConnectOptions, Connection, PgConnection};

#[path = "support/postgres.rs"]
mod postgres;
#[path = "support/process.rs"]
mod process;
use postgres::TestDatabase;
use process::{Process, run};

/// Links in responses are the same for all services.
const SERVE: [&str; 3] = ["--rate-limit-off", "--public-url", "http://127.0.0.1:1"];
const KEY_FILES: [&str; 2] = ["signing.key", "sealing.key"];

/// Reads whose responses are compared. `v1` is replaced by the key of the caller.
const READS: [&str; 52] = [
    "/v2/slots?eventTypeId=1&start=2027-03-02&end=2027-04-30",
    "/v2/slots?eventTypeId=2&start=2027-03-02&end=2027-04-30&timeZone=Asia/Kolkata",
    "/v2/slots?eventTypeId=3&start=2027-03-02&end=2027-04-30",
    "/v2/slots?eventTypeId=5&start=2027-03-02&end=2027-04-30",
    "/v2/slots?eventTypeId=7&start=2027-03-02&end=2027-04-30",
    "/v2/slots?eventTypeId=8&start=2027-03-02&end=2027-04-30&format=range",
    "/v2/bookings?take=100",
    "/v2/bookings?take=100&status=past&sortStart=desc",
    "/v2/bookings?take=100&status=cancelled&sortCreated=desc",
    "/v2/bookings?take=100&status=recurring",
    "/v2/bookings?search=ZOE",
    "/v2/bookings?search=%C5%82uk",
    "/v2/bookings?attendeeEmail=zoe%40example.org",
    "/v2/teams/1/bookings?take=250",
    "/v2/teams/1/bookings?take=250&status=upcoming,unconfirmed&sortEnd=asc",
    "/v2/teams/1/bookings?take=50&skip=50&status=past",
    "/v2/teams/1/bookings?search=onboard",
    "/v2/teams/1/bookings?search=ZOE",
    "/v2/teams/1/bookings?search=weekly%20zo",
    "/v2/teams/1/bookings?eventTypeIds=1,8&take=250",
    "/v2/organizations/1/teams/1/bookings?take=20",
    "/v2/event-types",
    "/v2/event-types/1",
    "/v2/event-types?username=ada",
    "/v2/teams/1/event-types",
    "/v2/teams/1/event-types/8",
    "/v2/schedules",
    "/v2/schedules/default",
    "/v2/teams",
    "/v2/teams/1",
    "/v2/teams/1/memberships",
    "/v2/teams/1/schedules",
    "/v2/me",
    "/v2/organizations/1/memberships",
    "/v2/organizations/1/roles",
    "/v2/organizations/1/teams/1/roles",
    "/v2/organizations/1/teams/1/roles/member_role/permissions",
    "/v2/organizations/1/ooo",
    "/v2/organizations/1/webhooks",
    "/v2/webhooks",
    "/v1/attendees?",
    "/v1/booking-references?",
    "/v1/bookings/2?",
    "/v1/bookings/1?",
    "/v1/destination-calendars?",
    "/v1/event-types?",
    "/v1/memberships?",
    "/v1/payments?",
    "/v1/schedules?",
    "/v1/teams?",
    "/v1/users?",
    "/v1/webhooks?",
];

fn block_on<T>(work: impl Future<Output = T>) -> T {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .unwrap();
    runtime.block_on(work)
}

fn sql(data: &Path, statements: &str) {
    block_on(async {
        let options = SqliteConnectOptions::new().filename(data.join(FILE_NAME));
        let mut db = options.connect().await.unwrap();
        sqlx::raw_sql(AssertSqlSafe(statements))
            .execute(&mut db)
            .await
            .unwrap();
        db.close().await.unwrap();
    });
}

fn postgres_sql(database: &TestDatabase, statements: &str) {
    block_on(async {
        let mut db = PgConnection::connect(&database.url).await.unwrap();
        sqlx::raw_sql(AssertSqlSafe(statements))
            .execute(&mut db)
            .await
            .unwrap();
        db.close().await.unwrap();
    });
}

fn postgres_values(database: &TestDatabase, query: &str) -> Vec<String> {
    block_on(async {
        let mut db = PgConnection::connect(&database.url).await.unwrap();
        let values = sqlx::query_scalar(AssertSqlSafe(query))
            .fetch_all(&mut db)
            .await
            .unwrap();
        db.close().await.unwrap();
        values
    })
}

fn sqlite_values(data: &Path, query: &str) -> Vec<String> {
    block_on(async {
        let options = SqliteConnectOptions::new().filename(data.join(FILE_NAME));
        let mut db = options.connect().await.unwrap();
        let values = sqlx::query_scalar(AssertSqlSafe(query))
            .fetch_all(&mut db)
            .await
            .unwrap();
        db.close().await.unwrap();
        values
    })
}

fn create_database() -> TestDatabase {
    block_on(TestDatabase::create(None)).expect("BOOKING_TEST_POSTGRES")
}

/// Runs the command and returns its standard output.
fn moved(from: &str, to: &str) -> String {
    let output = run(&["migrate", "--from", from, "--to", to]);
    let error = String::from_utf8(output.stderr).unwrap();
    assert!(output.status.success(), "{error}");
    String::from_utf8(output.stdout).unwrap()
}

/// Runs the command, which must fail, and returns its only line.
fn rejected(from: &str, to: &str) -> String {
    let output = run(&["migrate", "--from", from, "--to", to]);
    assert_eq!(output.status.code(), Some(1), "{from} {to}");
    assert_eq!(output.stdout, b"");
    let text = String::from_utf8(output.stderr).unwrap();
    let line = text.lines().last().unwrap();
    assert!(line.starts_with("booking-service: "), "{text}");
    line.to_owned()
}

/// Rows and checksums of the tables, from the output of a move.
fn checksums(output: &str) -> BTreeMap<&str, &str> {
    let lines = output.lines().skip(1);
    let tables = lines.take_while(|line| !line.starts_with("moved and compared"));
    tables
        .map(|line| line.split_once(' ').unwrap())
        .map(|(table, rest)| (table, rest.trim()))
        .collect()
}

fn copy_keys(from: &Path, to: &Path) {
    fs::create_dir_all(to).unwrap();
    for name in KEY_FILES {
        fs::copy(from.join(name), to.join(name)).unwrap();
    }
}

fn path(path: &Path) -> &str {
    path.to_str().unwrap()
}

/// Demo data, and rows of tables that it leaves empty. Returns keys of the API: of an owner and of a member.
fn fill(data: &Path) -> [String; 2] {
    let service = Process::start(data, &SERVE);
    let keys = ["ingrid", "ada"].map(|user| {
        let created = run(&["key", "create", "--data", path(data), "--user", user]);
        String::from_utf8(created.stdout).unwrap().trim().to_owned()
    });
    let [_, key] = &keys;
    let bearer = format!("authorization: Bearer {key}\r\n");
    let post = |target: &str, headers: &str, body: Value| {
        let (status, answer) = service.call("POST", target, headers, &body.to_string());
        assert!(matches!(status, 200 | 201), "{target}: {status} {answer}");
        answer["data"].clone()
    };
    let starts = |event_type: i64| -> Vec<Value> {
        let target = format!("/v2/slots?eventTypeId={event_type}&start=2027-03-02&end=2027-04-30");
        let (status, free) = service.call("GET", &target, &bearer, "");
        assert_eq!(status, 200, "{target}: {free}");
        let days = free["data"].as_object().unwrap().values();
        days.map(|day| day[0]["start"].clone()).collect()
    };
    let body = |event_type: i64, start: &Value, email: &str| {
        json!({
            "start": start, "eventTypeId": event_type,
            "attendee": {"name": "Zoë Łukasik", "email": email, "timeZone": "Europe/Rome"},
        })
    };
    post(
        "/v2/webhooks",
        &bearer,
        json!({
            "subscriberUrl": "http://127.0.0.1:9/hook", "active": true, "secret": "geheim",
            "triggers": ["BOOKING_CREATED", "BOOKING_CANCELLED", "BOOKING_RESCHEDULED"],
        }),
    );
    let starts_of_call = starts(1);
    let booked: Vec<Value> = (0..4)
        .map(|index| {
            let key = format!("idempotency-key: visitor-{index}\r\n");
            let body = body(1, &starts_of_call[index], "zoe@example.org");
            post("/v2/bookings", &key, body)
        })
        .collect();
    let uid = |index: usize| booked[index]["uid"].as_str().unwrap();
    let cancel = format!("/v2/bookings/{}/cancel", uid(0));
    post(&cancel, &bearer, json!({"cancellationReason": "Ill"}));
    let reschedule = format!("/v2/bookings/{}/reschedule", uid(1));
    post(&reschedule, &bearer, json!({"start": starts_of_call[8]}));
    post(
        "/v2/slots/reservations",
        "",
        json!({"eventTypeId": 1, "slotStart": starts_of_call[10]}),
    );
    // Some occurrences are taken.
    let is_booked = starts(7).iter().any(|start| {
        let mut series = body(7, start, "zoe@example.org");
        series["recurrenceCount"] = json!(2);
        let series = series.to_string();
        service.call("POST", "/v2/bookings", &bearer, &series).0 == 201
    });
    assert!(is_booked);
    let seats = starts(8);
    for email in ["a@example.org", "b@example.org"] {
        post("/v2/bookings", &bearer, body(8, &seats[0], email));
    }
    let (_, me) = service.call("GET", "/v2/me", &bearer, "");
    post(
        &format!("/v2/organizations/1/users/{}/ooo", me["data"]["id"]),
        &bearer,
        json!({"start": "2027-04-20T00:00:00Z", "end": "2027-04-21T23:59:59.999Z", "notes": "At sea"}),
    );
    assert_eq!(service.signal("-TERM"), Some(0));
    // What requests cannot make: a text that PostgreSQL cannot store, and ids of deleted rows.
    sql(
        data,
        "UPDATE api_keys SET label = 'a' || char(0) || 'b';
         UPDATE sqlite_sequence SET seq = 5000000 WHERE name = 'bookings';
         DELETE FROM sqlite_sequence WHERE name = 'payments';
         INSERT INTO sqlite_sequence (name, seq) VALUES ('payments', 77)",
    );
    keys
}

/// Responses of [`READS`].
fn responses(service: &Process, key: &str) -> Vec<(u16, Value)> {
    let bearer = format!("authorization: Bearer {key}\r\n");
    READS
        .iter()
        .map(|target| {
            let target = match target.starts_with("/v1") {
                true => format!("{target}apiKey={key}"),
                false => (*target).to_owned(),
            };
            service.call("GET", &target, &bearer, "")
        })
        .collect()
}

/// Books a slot and returns the id.
fn book(service: &Process) -> i64 {
    let target = "/v2/slots?eventTypeId=1&start=2027-03-02&end=2027-04-30";
    let (_, free) = service.call("GET", target, "", "");
    let days = free["data"].as_object().unwrap();
    let body = json!({
        "start": days.values().next_back().unwrap()[0]["start"], "eventTypeId": 1,
        "attendee": {"name": "Zoë", "email": "new@example.org", "timeZone": "Europe/Rome"},
    });
    let (status, answer) = service.call("POST", "/v2/bookings", "", &body.to_string());
    assert_eq!(status, 201, "{answer}");
    answer["data"]["id"].as_i64().unwrap()
}

/// Constraints and triggers of a database.
fn rules(database: &TestDatabase) -> Vec<String> {
    postgres_values(
        database,
        "SELECT conrelid::regclass::text || ' ' || conname::text || ' ' || pg_get_constraintdef(oid) FROM pg_constraint
         WHERE connamespace = 'public'::regnamespace AND conrelid <> 0
         UNION ALL SELECT tgname::text || ' ' || tgenabled::text || ' ' || pg_get_triggerdef(oid) FROM pg_trigger
         WHERE NOT tgisinternal ORDER BY 1",
    )
}

#[test]
#[ignore = "needs PostgreSQL"]
fn installation_moves_to_postgres_and_back_with_the_same_responses() {
    let directory = tempfile::tempdir().unwrap();
    let folder = |name: &str| directory.path().join(name);
    let (first, replica, last) = (folder("first"), folder("replica"), folder("last"));
    let keys = fill(&first);
    let database = create_database();

    let there = moved(path(&first), &database.url);
    let back = moved(&database.url, path(&last));
    let tables = checksums(&there);
    assert_eq!(tables, checksums(&back));
    for table in [
        "api_keys",
        "attendees",
        "booking_hosts",
        "bookings",
        "idempotency_keys",
        "oauth_tokens",
        "out_of_office",
        "reservation_hosts",
        "reservations",
        "roles",
        "webhook_deliveries",
        "webhook_events",
        "webhooks",
    ] {
        assert!(tables.contains_key(table), "{table}: {there}");
    }
    assert!(
        there.contains("Copy signing.key and sealing.key"),
        "{there}"
    );
    assert!(back.contains("Copy signing.key and sealing.key"), "{back}");
    let check = || run(&["check", "--data", path(&last)]);
    let without_keys = String::from_utf8(check().stdout).unwrap();
    assert!(
        without_keys.contains("signing.key is missing"),
        "{without_keys}"
    );
    copy_keys(&first, &last);
    let check = check();
    assert!(
        check.status.success(),
        "{}",
        String::from_utf8_lossy(&check.stdout)
    );
    for query in [
        "SELECT name || ' ' || coalesce(sql, '') FROM sqlite_master
         WHERE name NOT LIKE 'sqlite_stat%' ORDER BY type, name",
        "SELECT name || ' ' || seq FROM sqlite_sequence WHERE seq > 0 ORDER BY name",
    ] {
        let expected = sqlite_values(&first, query);
        assert_eq!(sqlite_values(&last, query), expected);
    }
    let fresh = create_database();
    assert!(
        run(&["migrate", "--database-url", &fresh.url])
            .status
            .success()
    );
    assert_eq!(rules(&database), rules(&fresh));

    let other = folder("other");
    let options = [
        "serve",
        "--port",
        "0",
        "--data",
        path(&other),
        "--database-url",
        &database.url,
    ];
    let output = String::from_utf8(run(&options).stderr).unwrap();
    assert!(
        output.contains("signing.key is missing") || output.contains("sealing.key is missing"),
        "{output}"
    );
    copy_keys(&first, &replica);
    let on_postgres = [&SERVE[..], &["--database-url", &database.url]].concat();
    let mut expected = None;
    for (data, options) in [
        (&first, &SERVE[..]),
        (&replica, &on_postgres),
        (&last, &SERVE[..]),
    ] {
        let service = Process::start_with(data, options, None);
        let responses = keys.each_ref().map(|key| responses(&service, key));
        let expected = expected.get_or_insert_with(|| responses.clone());
        let pairs = responses.iter().flatten().zip(expected.iter().flatten());
        for ((index, target), (response, expected)) in READS.iter().cycle().enumerate().zip(pairs) {
            let is_of_owner = index < READS.len();
            if is_of_owner && target.contains("teams/1/bookings?search=") {
                assert_ne!(expected.1["data"], json!([]), "{target}");
            }
            if is_of_owner || expected.0 == 200 {
                assert_eq!(response.0, 200, "{target}: {response:?}");
                assert_eq!(response, expected, "{target} of {data:?}");
            }
            assert_eq!(response.0, expected.0, "{target} of {data:?}");
        }
        assert!(book(&service) > 5_000_000, "{data:?}");
        assert_eq!(service.signal("-TERM"), Some(0));
    }
}

/// Names and contents of the files of a directory, without the lock file, which commands create.
fn files(directory: &Path) -> BTreeMap<String, Vec<u8>> {
    let Ok(entries) = fs::read_dir(directory) else {
        return BTreeMap::new();
    };
    entries
        .map(|entry| entry.unwrap().path())
        .filter(|file| !file.ends_with("service.lock"))
        .map(|file| (file.display().to_string(), fs::read(&file).unwrap()))
        .collect()
}

/// An address without a server.
const NO_SERVER: &str = "postgres://postgres@127.0.0.1:1/booking";

#[test]
fn rejected_move_of_directory_changes_nothing() {
    let directory = tempfile::tempdir().unwrap();
    let folder = |name: &str| directory.path().join(name);
    let (missing, data, older, newer) = (
        folder("none"),
        folder("data"),
        folder("older"),
        folder("newer"),
    );
    for data in [&data, &older, &newer] {
        assert!(run(&["demo", "--data", path(data)]).status.success());
        // A command that ends under load leaves the write-ahead log, and readers change the files of its index.
        sql(data, "PRAGMA wal_checkpoint(TRUNCATE)");
    }
    sql(&older, "DELETE FROM _sqlx_migrations WHERE version > 14");
    sql(
        &newer,
        "UPDATE _sqlx_migrations SET version = 999 WHERE version = 14",
    );
    for (from, to, expected) in [
        (&missing, NO_SERVER, "holds no data"),
        (
            &older,
            NO_SERVER,
            "cannot open the source database: the database is at version 14",
        ),
        (&older, NO_SERVER, "run `booking-service migrate`"),
        (&newer, NO_SERVER, "use the newer program"),
        (&data, NO_SERVER, "cannot open the target database: "),
        (
            &data,
            "mysql://localhost/booking",
            "begins with `postgres://`",
        ),
        (&data, path(&data), "the same database"),
        (
            &data,
            path(&older),
            "one of --from and --to is a data directory",
        ),
    ] {
        let before = (files(from), files(Path::new(to)));
        let line = rejected(path(from), to);
        assert!(line.contains(expected), "{line}");
        assert_eq!((files(from), files(Path::new(to))), before, "{line}");
    }
    let line = rejected(NO_SERVER, path(&folder("new")));
    assert!(line.contains("cannot open the source database"), "{line}");
    assert!(!missing.exists() && !folder("new").exists());

    let service = Process::start(&data, &[]);
    let line = rejected(path(&data), NO_SERVER);
    assert!(
        line.contains(&format!("in use by process {}", service.id())),
        "{line}"
    );
    // Not without the other option.
    assert_eq!(
        run(&["migrate", "--from", path(&data)]).status.code(),
        Some(2)
    );
}

#[test]
fn commands_for_sqlite_name_the_tools_of_postgres() {
    let directory = tempfile::tempdir().unwrap();
    let data = path(directory.path());
    for (command, tool) in [
        (&["backup", "--to", "copy"][..], "pg_dump"),
        (&["vacuum"], "VACUUM"),
    ] {
        for options in [
            &["--database-url", NO_SERVER][..],
            &["--data", data, "--database-url", NO_SERVER],
        ] {
            let output = run(&[command, options].concat());
            assert_eq!(output.status.code(), Some(1), "{command:?}");
            let text = String::from_utf8(output.stderr).unwrap();
            assert!(text.contains("PostgreSQL") && text.contains(tool), "{text}");
        }
    }
}

#[test]
#[ignore = "needs PostgreSQL"]
fn rejected_move_to_postgres_changes_nothing() {
    let directory = tempfile::tempdir().unwrap();
    let folder = |name: &str| directory.path().join(name);
    let data = folder("data");
    assert!(run(&["demo", "--data", path(&data)]).status.success());
    let count = |database: &TestDatabase| {
        let query = "SELECT (SELECT count(*) FROM users) || ' ' || (SELECT count(*) FROM bookings)
            || ' ' || (SELECT count(*) FROM roles) || ' ' || (SELECT count(*) FROM key_fingerprints)";
        postgres_values(database, query)
    };
    let migrated = || {
        let database = create_database();
        assert!(
            run(&["migrate", "--database-url", &database.url])
                .status
                .success()
        );
        database
    };
    let fresh = migrated();
    let rejects = |database: &TestDatabase, data: &Path, expected: &str| {
        let line = rejected(path(data), &database.url);
        assert!(line.contains(expected), "{line}");
    };

    let newer = migrated();
    postgres_sql(
        &newer,
        "UPDATE _sqlx_migrations SET version = 999 WHERE version = 17",
    );
    rejects(
        &newer,
        &data,
        "cannot open the target database: the database is at version 999",
    );
    let foreign = create_database();
    postgres_sql(&foreign, "CREATE TABLE shop (id INT)");
    rejects(&foreign, &data, "not made by this program");
    let filled = migrated();
    postgres_sql(
        &filled,
        "INSERT INTO organizations (name, slug) VALUES ('A', 'a')",
    );
    rejects(&filled, &data, "not empty, it has rows in organizations");
    let changed = migrated();
    postgres_sql(
        &changed,
        "UPDATE roles SET name = 'Boss' WHERE id = 'owner_role'",
    );
    rejects(&changed, &data, "not empty, it has rows in roles");

    // A failure after rows were copied: foreign keys and triggers are as before.
    for (damage, expected) in [
        ("UPDATE bookings SET rating = 1.5 WHERE id = 9", "the column rating of bookings"),
        ("UPDATE attendees SET booking_id = 777777 WHERE id = 9", "attendees_booking_id_fkey"),
        (
            "DROP TRIGGER booking_hosts_stay_apart_on_update; UPDATE booking_hosts SET holds = 1,
             start_ms = 1803859200000, end_ms = 1803862800000 WHERE user_id = 1 AND booking_id < 40",
            "booking_hosts_stay_apart",
        ),
    ] {
        let damaged = folder("damaged");
        fs::create_dir(&damaged).unwrap();
        fs::copy(data.join(FILE_NAME), damaged.join(FILE_NAME)).unwrap();
        sql(&damaged, &format!("PRAGMA foreign_keys = OFF; {damage}"));
        let before = files(&damaged);
        let target = migrated();
        rejects(&target, &damaged, expected);
        assert_eq!(count(&target), count(&fresh), "{damage}");
        assert_eq!(rules(&target), rules(&fresh), "{damage}");
        assert_eq!(files(&damaged), before);
        fs::remove_dir_all(&damaged).unwrap();
    }

    let target = migrated();
    let replica = Process::start_with(&folder("replica"), &["--database-url", &target.url], None);
    // It is ready a moment before it leads, which others notice by its lock.
    let locks = "SELECT count(*)::text FROM pg_locks JOIN pg_database ON pg_database.oid = pg_locks.database
        WHERE locktype = 'advisory' AND datname = current_database()";
    while postgres_values(&target, locks) == ["0"] {
        std::thread::sleep(Duration::from_millis(50));
    }
    rejects(&target, &data, "a service uses the target database");
    let line = rejected(&target.url, path(&folder("new")));
    assert!(
        line.contains("a service uses the source database"),
        "{line}"
    );
    drop(replica);
}

#[test]
#[ignore = "needs PostgreSQL"]
fn rejected_move_to_directory_changes_nothing() {
    let directory = tempfile::tempdir().unwrap();
    let folder = |name: &str| directory.path().join(name);
    let (data, target) = (folder("data"), folder("target"));
    assert!(run(&["demo", "--data", path(&data)]).status.success());
    let database = create_database();
    let rejects = |target: &Path, expected: &str| {
        let before = files(target);
        let line = rejected(&database.url, path(target));
        assert!(line.contains(expected), "{line}");
        assert_eq!(files(target), before, "{line}");
    };
    rejects(&target, "there are no tables in the database");
    assert!(!target.exists());
    let there = moved(path(&data), &database.url);
    rejects(&data, "not empty, it has rows in");
    let other_keys = folder("other");
    assert!(run(&["demo", "--data", path(&other_keys)]).status.success());
    rejects(&other_keys, "is not the key of this database");

    // A migrated database without data is replaced.
    assert!(run(&["migrate", "--data", path(&target)]).status.success());
    copy_keys(&data, &target);
    let back = moved(&database.url, path(&target));
    assert_eq!(checksums(&there), checksums(&back));
    assert!(back.contains("has the keys of the replicas"), "{back}");
    let names: Vec<String> = files(&target).into_keys().collect();
    assert_eq!(names.len(), 3, "{names:?}");
}

#[test]
#[ignore = "needs PostgreSQL and takes a minute"]
fn hundred_thousand_bookings_move_within_a_minute_each_way() {
    let directory = tempfile::tempdir().unwrap();
    let (first, last) = (
        directory.path().join("first"),
        directory.path().join("last"),
    );
    let demo = ["demo", "--now", "2027-03-01T08:00:00Z", "--data"];
    assert!(run(&[&demo[..], &[path(&first)]].concat()).status.success());
    let statements = include_str!("../benches/load/fill.sql");
    sql(&first, &format!("BEGIN; {statements}; COMMIT"));
    let database = create_database();
    let timed = |from: &str, to: &str| {
        let started = Instant::now();
        let output = moved(from, to);
        let elapsed = started.elapsed();
        println!("{output}{elapsed:?}");
        assert!(elapsed < Duration::from_secs(60), "{elapsed:?}");
        output
    };
    let there = timed(path(&first), &database.url);
    let back = timed(&database.url, path(&last));
    assert_eq!(checksums(&there), checksums(&back));
}

#[test]
#[ignore = "needs PostgreSQL"]
fn move_into_a_database_of_a_plain_user_has_no_warnings() {
    let directory = tempfile::tempdir().unwrap();
    let data = directory.path().join("data");
    assert!(run(&["demo", "--data", path(&data)]).status.success());
    let database = create_database();
    let role = format!("owner_of_{}", database.name);
    let name = &database.name;
    postgres_sql(
        &database,
        &format!("CREATE ROLE {role} LOGIN; ALTER DATABASE {name} OWNER TO {role}"),
    );
    let separator = if database.url.contains('?') { '&' } else { '?' };
    let url = format!("{}{separator}user={role}", database.url);
    let output = run(&["migrate", "--from", path(&data), "--to", &url]);
    let log = String::from_utf8(output.stderr).unwrap();
    postgres_sql(
        &database,
        &format!(
            "REASSIGN OWNED BY {role} TO CURRENT_USER; DROP OWNED BY {role}; DROP ROLE {role}"
        ),
    );
    assert!(output.status.success(), "{log}");
    assert!(!log.contains("WARN"), "{log}");
}
