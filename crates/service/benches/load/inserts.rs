//! Baselines of the databases: sequential durable transactions.

use std::path::Path;
use std::time::{Duration, Instant};

use sqlx::sqlite::{SqliteConnectOptions, SqliteJournalMode, SqliteSynchronous};
use sqlx::{ConnectOptions, Connection, PgConnection, SqliteConnection};

use crate::Outcome;
use crate::load::Sample;

/// Open database with one table.
pub(crate) struct InsertLoop {
    db: Db,
    next: i64,
}

enum Db {
    Sqlite(SqliteConnection),
    Postgres(PgConnection),
}

const SQLITE_TABLE: &str =
    "CREATE TABLE plain_bookings (id INTEGER PRIMARY KEY, uid TEXT NOT NULL UNIQUE,
     title TEXT NOT NULL, start_ms BIGINT NOT NULL, end_ms BIGINT NOT NULL);
     CREATE INDEX plain_bookings_by_start ON plain_bookings (start_ms)";

const POSTGRES_TABLE: &str =
    "CREATE TABLE plain_bookings (id BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
     uid TEXT NOT NULL UNIQUE, title TEXT NOT NULL, start_ms BIGINT NOT NULL, end_ms BIGINT NOT NULL);
     CREATE INDEX plain_bookings_by_start ON plain_bookings (start_ms)";

const TITLE: &str = "Intro call between Ada Brandt and Zoë Łukasik";

impl InsertLoop {
    /// Creates an SQLite database with the settings of the service.
    pub(crate) async fn open_sqlite(directory: &Path) -> Outcome<Self> {
        let mut db = SqliteConnectOptions::new()
            .filename(directory.join("inserts.sqlite3"))
            .create_if_missing(true)
            .journal_mode(SqliteJournalMode::Wal)
            .synchronous(SqliteSynchronous::Full)
            .foreign_keys(true)
            .connect()
            .await?;
        sqlx::raw_sql(SQLITE_TABLE).execute(&mut db).await?;
        let db = Db::Sqlite(db);
        Ok(Self { db, next: 0 })
    }

    /// Creates a table in the PostgreSQL database of `url`.
    pub(crate) async fn open_postgres(url: &str) -> Outcome<Self> {
        let mut db = PgConnection::connect(url).await?;
        sqlx::raw_sql(POSTGRES_TABLE).execute(&mut db).await?;
        let db = Db::Postgres(db);
        Ok(Self { db, next: 0 })
    }

    /// Inserts rows for the given duration, each in a separate transaction.
    pub(crate) async fn run(&mut self, duration: Duration) -> Outcome<Sample> {
        let started = Instant::now();
        let mut sample = Sample::default();
        while started.elapsed() < duration {
            let insert_started = Instant::now();
            self.insert().await?;
            sample.record(insert_started);
            self.next += 1;
        }
        Ok(sample.end(started))
    }

    async fn insert(&mut self) -> Outcome {
        let (uid, start) = (format!("booking-{}", self.next), self.next * 1_800_000);
        match &mut self.db {
            Db::Sqlite(db) => {
                let mut transaction = db.begin_with("BEGIN IMMEDIATE").await?;
                sqlx::query(
                    "INSERT INTO plain_bookings (uid, title, start_ms, end_ms) VALUES (?, ?, ?, ?)",
                )
                .bind(uid)
                .bind(TITLE)
                .bind(start)
                .bind(start + 1_800_000)
                .execute(&mut *transaction)
                .await?;
                transaction.commit().await?;
            }
            Db::Postgres(db) => {
                let mut transaction = db.begin().await?;
                sqlx::query("INSERT INTO plain_bookings (uid, title, start_ms, end_ms) VALUES ($1, $2, $3, $4)")
                    .bind(uid)
                    .bind(TITLE)
                    .bind(start)
                    .bind(start + 1_800_000)
                    .execute(&mut *transaction)
                    .await?;
                transaction.commit().await?;
            }
        }
        Ok(())
    }
}
