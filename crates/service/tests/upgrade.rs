//! Upgrades: processes of this version and a database that a newer version has migrated.
//!
//! The newer version is a list of migrations that the tests run themselves. With `BOOKING_TEST_POSTGRES`, the database
//! is PostgreSQL.

#![cfg(unix)]
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    unreachable_pub,
    missing_docs,
    dead_code
)]

use std::path::PathBuf;
use std::process::Output;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use booking_service::store::{FILE_NAME, MIGRATIONS, POSTGRES_MIGRATIONS};
use serde_json::json;
use sqlx::migrate::{Migrate, Migration, MigrationType, Migrator};
use sqlx::sqlite::SqliteConnectOptions;
use sqlx::{AssertSqlSafe, Connection, PgConnection, SqlSafeStr, SqliteConnection};
use tempfile::TempDir;

#[path = "support/postgres.rs"]
mod postgres;
#[path = "support/process.rs"]
mod process;
use postgres::TestDatabase;
use process::{Process, run, serve_command};

/// Changes that the next version could make: this version knows nothing of them, and need not.
const EXPANSION: &str = "ALTER TABLE bookings ADD COLUMN note TEXT;
    ALTER TABLE event_types ADD COLUMN note TEXT NOT NULL DEFAULT '';
    CREATE TABLE notes (id BIGINT PRIMARY KEY, booking_id BIGINT REFERENCES bookings (id));
    CREATE INDEX bookings_by_note ON bookings (note)";

fn block_on<T>(work: impl Future<Output = T>) -> T {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .unwrap();
    runtime.block_on(work)
}

fn wait_until(what: &str, condition: impl Fn() -> bool) {
    let start = Instant::now();
    while !condition() {
        assert!(start.elapsed() < Duration::from_secs(20), "{what}");
        thread::sleep(Duration::from_millis(20));
    }
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8(bytes.to_vec()).unwrap()
}

/// Version of this program.
fn known() -> i64 {
    MIGRATIONS.iter().last().unwrap().version
}

/// A migration after those of this program.
fn later(number: i64, sql: impl Into<String>) -> Migration {
    let (description, sql) = ("later".into(), AssertSqlSafe(sql.into()).into_sql_str());
    Migration::new(
        known() + number,
        description,
        MigrationType::Simple,
        sql,
        false,
    )
}

/// A statement after which only versions from `oldest` may go on.
fn raise(oldest: i64) -> String {
    format!("UPDATE schema_compatibility SET oldest_version = {oldest}")
}

/// The first migrations of this program and some more.
fn migrator(known: &'static Migrator, count: usize, later: &[Migration]) -> Migrator {
    Migrator {
        migrations: [&known.migrations[..count], later].concat().into(),
        ..Migrator::DEFAULT
    }
}

/// Database and data directory.
struct Installation {
    directory: TempDir,
    database: Option<TestDatabase>,
}

impl Installation {
    fn new() -> Self {
        Self {
            directory: tempfile::tempdir().unwrap(),
            database: block_on(TestDatabase::create(None)),
        }
    }

    fn data(&self) -> PathBuf {
        self.directory.path().join("data")
    }

    fn url(&self) -> &str {
        &self.database.as_ref().unwrap().url
    }

    fn arguments(&self) -> Vec<&str> {
        match &self.database {
            Some(database) => vec!["--database-url", &database.url],
            None => Vec::new(),
        }
    }

    /// Starts a process with the demo's data and a log of its own.
    fn start(&self, name: &str) -> Process {
        let log = self.directory.path().join(name);
        let options = ["--demo", "--rate-limit-off"];
        Process::start_with(
            &self.data(),
            &[&options, &self.arguments()[..]].concat(),
            Some(log),
        )
    }

    /// Starts a process that must exit with an error of one line, and returns the line.
    fn rejected_start(&self) -> String {
        let mut command = serve_command(&self.data());
        command.args(["--port", "0"]).args(self.arguments());
        one_error(&command.output().unwrap())
    }

    /// Runs a command on the database.
    fn command(&self, command: &[&str]) -> Output {
        let data = self.data();
        let database = match &self.database {
            Some(database) => ["--database-url", &database.url],
            None => ["--data", data.to_str().unwrap()],
        };
        run(&[command, &database].concat())
    }

    /// Runs all migrations of this program and some later ones.
    fn migrate(&self, later: &[Migration]) {
        self.migrate_first(MIGRATIONS.iter().count(), later);
    }

    /// Runs SQLite's first `count` migrations, or as many of PostgreSQL that there are as many left, and some later ones.
    fn migrate_first(&self, count: usize, later: &[Migration]) {
        block_on(async {
            match &self.database {
                Some(database) => {
                    let left = MIGRATIONS.iter().count() - count;
                    let count = POSTGRES_MIGRATIONS.iter().count() - left;
                    let mut db = PgConnection::connect(&database.url).await.unwrap();
                    let migrator = migrator(&POSTGRES_MIGRATIONS, count, later);
                    migrator.run(&mut db).await.unwrap();
                    db.close().await.unwrap();
                }
                None => {
                    let mut db = self.sqlite().await;
                    let migrator = migrator(&MIGRATIONS, count, later);
                    migrator.run(&mut db).await.unwrap();
                    db.close().await.unwrap();
                }
            }
        });
    }

    async fn sqlite(&self) -> SqliteConnection {
        std::fs::create_dir_all(self.data()).unwrap();
        let options = SqliteConnectOptions::new()
            .filename(self.data().join(FILE_NAME))
            .create_if_missing(true)
            .foreign_keys(false)
            .busy_timeout(Duration::from_secs(10));
        SqliteConnection::connect_with(&options).await.unwrap()
    }

    /// Returns the result of a query for one number.
    fn number(&self, query: &str) -> i64 {
        block_on(async {
            match &self.database {
                Some(database) => {
                    let mut db = PgConnection::connect(&database.url).await.unwrap();
                    let number = sqlx::query_scalar(AssertSqlSafe(query))
                        .fetch_one(&mut db)
                        .await
                        .unwrap();
                    db.close().await.unwrap();
                    number
                }
                None => {
                    let mut db = self.sqlite().await;
                    let number = sqlx::query_scalar(AssertSqlSafe(query))
                        .fetch_one(&mut db)
                        .await
                        .unwrap();
                    db.close().await.unwrap();
                    number
                }
            }
        })
    }

    /// Runs statements.
    fn execute(&self, statements: &'static str) {
        block_on(async {
            match &self.database {
                Some(database) => {
                    let mut db = PgConnection::connect(&database.url).await.unwrap();
                    sqlx::raw_sql(statements).execute(&mut db).await.unwrap();
                    db.close().await.unwrap();
                }
                None => {
                    let mut db = self.sqlite().await;
                    sqlx::raw_sql(statements).execute(&mut db).await.unwrap();
                    db.close().await.unwrap();
                }
            }
        });
    }

    /// Number of migrations, bookings and users.
    fn state(&self) -> [i64; 3] {
        [
            "SELECT count(*) FROM _sqlx_migrations",
            "SELECT count(*) FROM bookings",
            "SELECT count(*) FROM users",
        ]
        .map(|query| self.number(query))
    }
}

/// Rows of the version before the search folded letters are indexed again.
#[test]
fn earlier_names_are_found_by_plain_letters_after_migration() {
    let installation = Installation::new();
    let is_earlier = |migration: &&Migration| migration.description != "search letters";
    installation.migrate_first(MIGRATIONS.iter().take_while(is_earlier).count(), &[]);
    installation.execute(
        "INSERT INTO users (id, username, email, name, time_zone)
             VALUES (901, 'h', 'h@example.org', 'Bjørn Groß', 'UTC');
         INSERT INTO event_types (id, owner_id, slug, settings, created_ms)
             VALUES (902, 901, 's', '{\"title\": \"Straße\"}', 0);
         INSERT INTO bookings (id, uid, title, status, start_ms, end_ms, created_ms, updated_ms, event_type_id)
             VALUES (903, 'u', 'Ærø', 'accepted', 0, 60000, 0, 0, 902);
         INSERT INTO attendees (booking_id, name, email, time_zone)
             VALUES (903, 'Zoë Łukasik', 'zoe.lukasik@example.org', 'UTC');",
    );
    installation.migrate(&[]);
    for (sqlite, postgres) in [
        (
            "user_search MATCH 'bjorn gross'",
            "users WHERE name_words @@ search_query('gross')",
        ),
        (
            "event_type_search MATCH 'strasse'",
            "event_types WHERE title_words @@ search_query('strasse')",
        ),
        (
            "booking_search MATCH 'aero'",
            "bookings WHERE title_words @@ search_query('aero')",
        ),
        (
            "attendee_search MATCH 'name : lukasik'",
            "attendees WHERE name_words @@ search_query('lukasik')",
        ),
        (
            "attendee_search MATCH 'email : lukasik'",
            "attendees WHERE email_words @@ search_query('lukasik')",
        ),
    ] {
        let rows = match &installation.database {
            Some(_) => postgres.to_owned(),
            None => format!("{} WHERE {sqlite}", sqlite.split(' ').next().unwrap()),
        };
        let found = installation.number(&format!("SELECT count(*) FROM {rows}"));
        assert_eq!(found, 1, "{rows}");
    }
}

/// The line that a failed command prints.
fn one_error(output: &Output) -> String {
    assert_eq!(output.status.code(), Some(1), "{output:?}");
    let stderr = text(&output.stderr);
    assert_eq!(stderr.lines().count(), 1, "{stderr}");
    stderr
}

/// Books the next free slot and returns the status.
fn book(service: &Process) -> u16 {
    let slots = "/v2/slots?eventTypeId=1&start=2027-03-02&end=2027-04-30";
    let (status, free) = service.call("GET", slots, "", "");
    assert_eq!(status, 200, "{free}");
    let days = free["data"].as_object().unwrap();
    let body = json!({
        "start": days.values().next().unwrap()[0]["start"],
        "eventTypeId": 1,
        "attendee": {"name": "Zoë", "email": "zoe@example.org", "timeZone": "Europe/Rome"},
    });
    let (status, _) = service.call("POST", "/v2/bookings", "", &body.to_string());
    status
}

#[test]
fn schema_that_only_expands_is_used_by_the_earlier_version() {
    let installation = Installation::new();
    let service = installation.start("first");
    assert_eq!(book(&service), 201);
    installation.migrate(&[later(1, EXPANSION)]);
    assert_eq!(book(&service), 201);
    assert_eq!(service.readiness(), (200, "ready".to_owned()));
    let warning = format!("the database is at version {}", known() + 1);
    wait_until("the process has noticed", || {
        service.call_text("/readyz");
        service.log().contains(&warning)
    });
    assert_eq!(service.readiness(), (200, "ready".to_owned()));
    // The newer version writes, too.
    installation.number("UPDATE bookings SET note = 'new' WHERE id = 1 RETURNING id");
    installation.number("INSERT INTO notes (id, booking_id) VALUES (1, 1) RETURNING id");
    assert_eq!(book(&service), 201);
    assert_eq!(service.signal("-KILL"), None);

    // It may crash meanwhile, and an operator may use its commands.
    let service = installation.start("second");
    assert!(service.log().contains(&warning), "{}", service.log());
    assert_eq!(book(&service), 201);
    assert_eq!(service.readiness(), (200, "ready".to_owned()));
    assert!(installation.command(&["user", "list"]).status.success());
    let migrated = installation.command(&["migrate"]);
    assert_eq!(text(&migrated.stdout), format!("version {}\n", known() + 1));
    assert_eq!(service.signal("-TERM"), Some(0));
    let target = installation.directory.path().join("target");
    let target = target.to_str().unwrap();
    let moved = match &installation.database {
        Some(database) => run(&["migrate", "--from", &database.url, "--to", target]),
        None => {
            let copy = installation.command(&["backup", "--to", target]);
            assert!(copy.status.success(), "{copy:?}");
            let checked = installation.command(&["check"]);
            assert!(checked.status.success(), "{checked:?}");
            assert!(installation.command(&["vacuum"]).status.success());
            let data = installation.data();
            let url = "postgres://127.0.0.1:1/none";
            run(&["migrate", "--from", data.to_str().unwrap(), "--to", url])
        }
    };
    let refused = one_error(&moved);
    assert!(
        refused.contains("only the newer program can move"),
        "{refused}"
    );
}

#[test]
fn schema_that_excludes_the_earlier_version_is_not_written_by_it() {
    let installation = Installation::new();
    let service = installation.start("first");
    assert_eq!(book(&service), 201);
    installation.migrate(&[later(1, EXPANSION), later(2, raise(known() + 1))]);
    if installation.database.is_some() {
        // No health check is needed for that.
        wait_until("the process has noticed", || {
            service.log().contains("writes nothing")
        });
        assert_eq!(book(&service), 503);
    }
    let (version, known) = (known() + 2, known());
    let sentence =
        format!("the database is at version {version}, this program knows versions up to {known}:");
    wait_until("the process is not ready", || {
        service.call_text("/readyz").0 == 503
    });
    let (_, reason) = service.call_text("/readyz");
    assert!(
        reason.starts_with(&format!("migrations: {sentence}")),
        "{reason}"
    );
    assert_eq!(book(&service), 503);
    assert_eq!(service.call_text("/healthz").0, 200);
    assert_eq!(service.signal("-TERM"), Some(0));

    let before = installation.state();
    let refused = installation.rejected_start();
    assert!(refused.contains(&sentence), "{refused}");
    for command in [&["migrate"][..], &["user", "list"], &["demo"]] {
        if command == ["demo"] && installation.database.is_some() {
            continue;
        }
        let refused = one_error(&installation.command(command));
        assert!(refused.contains(&sentence), "{command:?}: {refused}");
    }
    assert_eq!(installation.state(), before);
}

#[test]
#[ignore = "needs PostgreSQL"]
fn no_request_fails_while_a_newer_version_expands_the_schema() {
    let installation = Installation::new();
    let replicas = ["first", "second", "third"].map(|name| installation.start(name));
    let is_done = AtomicBool::new(false);
    let statuses = thread::scope(|scope| {
        let visitors = replicas.each_ref().map(|replica| {
            scope.spawn(|| {
                let mut statuses = Vec::new();
                while !is_done.load(Ordering::Relaxed) {
                    statuses.push(book(replica));
                    statuses.push(replica.call_text("/readyz").0);
                }
                statuses
            })
        });
        thread::sleep(Duration::from_millis(300));
        installation.migrate(&[later(1, EXPANSION)]);
        thread::sleep(Duration::from_secs(2));
        is_done.store(true, Ordering::Relaxed);
        visitors.map(|visitor| visitor.join().unwrap()).concat()
    });
    let count = |status| statuses.iter().filter(|other| **other == status).count();
    assert!(count(201) > 5, "{statuses:?}");
    // Visitors of several replicas choose the same slot.
    assert_eq!(
        count(200) + count(201) + count(409),
        statuses.len(),
        "{statuses:?}"
    );
}

#[test]
#[ignore = "needs PostgreSQL"]
fn version_that_waits_for_the_migration_of_a_newer_one_uses_its_schema() {
    let earlier = MIGRATIONS.iter().count() - 1;
    for (oldest, is_usable) in [(known(), true), (known() + 1, false)] {
        let installation = Installation::new();
        installation.migrate_first(earlier, &[]);
        let database = installation.url();
        let output = block_on(async {
            let mut db = PgConnection::connect(database).await.unwrap();
            db.lock().await.unwrap();
            let arguments = ["migrate", "--database-url", database].map(str::to_owned);
            let waiting = thread::spawn(move || run(&arguments.each_ref().map(String::as_str)));
            let waits = "SELECT count(*) FROM pg_locks WHERE locktype = 'advisory' AND NOT granted
                AND database = (SELECT oid FROM pg_database WHERE datname = current_database())";
            loop {
                let count: i64 = sqlx::query_scalar(waits).fetch_one(&mut db).await.unwrap();
                if count > 0 || waiting.is_finished() {
                    break;
                }
                tokio::time::sleep(Duration::from_millis(10)).await;
            }
            assert!(!waiting.is_finished());
            let all = POSTGRES_MIGRATIONS.iter().count();
            let mut newer = migrator(
                &POSTGRES_MIGRATIONS,
                all,
                &[later(1, format!("{EXPANSION};\n{}", raise(oldest)))],
            );
            newer.set_locking(false);
            newer.run(&mut db).await.unwrap();
            db.unlock().await.unwrap();
            waiting.join().unwrap()
        });
        assert_eq!(output.status.success(), is_usable, "{output:?}");
        if !is_usable {
            assert!(one_error(&output).contains("use the newer program"));
        }
    }
}

#[test]
#[ignore = "needs PostgreSQL"]
fn pending_migration_is_run_once_by_replicas_that_start_together() {
    let installation = Installation::new();
    installation.migrate_first(MIGRATIONS.iter().count() - 1, &[]);
    thread::scope(|scope| {
        let starts = ["first", "second", "third"].map(|name| {
            let installation = &installation;
            scope.spawn(move || {
                let log = installation.directory.path().join(name);
                let arguments = installation.arguments();
                Process::start_with(&installation.data(), &arguments, Some(log))
            })
        });
        for start in starts {
            let service = start.join().unwrap();
            assert_eq!(service.readiness(), (200, "ready".to_owned()));
        }
    });
    let newest = format!(
        "SELECT count(*) FROM _sqlx_migrations WHERE version = {}",
        known()
    );
    assert_eq!(installation.number(&newest), 1);
}
