//! Baseline of SQLite: sequential durable transactions.

use std::path::Path;
use std::time::{Duration, Instant};

use sqlx::sqlite::{SqliteConnectOptions, SqliteJournalMode, SqliteSynchronous};
use sqlx::{ConnectOptions, Connection, SqliteConnection};

use crate::Outcome;
use crate::load::Sample;

/// Open database with one table.
pub(crate) struct InsertLoop {
    db: SqliteConnection,
    next: i64,
}

impl InsertLoop {
    /// Creates the database with the settings of the service.
    pub(crate) async fn open(directory: &Path) -> Outcome<Self> {
        let mut db = SqliteConnectOptions::new()
            .filename(directory.join("inserts.sqlite3"))
            .create_if_missing(true)
            .journal_mode(SqliteJournalMode::Wal)
            .synchronous(SqliteSynchronous::Full)
            .foreign_keys(true)
            .connect()
            .await?;
        sqlx::raw_sql(
            "CREATE TABLE bookings (id INTEGER PRIMARY KEY, uid TEXT NOT NULL UNIQUE,
             title TEXT NOT NULL, start_ms BIGINT NOT NULL, end_ms BIGINT NOT NULL);
             CREATE INDEX bookings_by_start ON bookings (start_ms)",
        )
        .execute(&mut db)
        .await?;
        Ok(Self { db, next: 0 })
    }

    /// Inserts rows for the given duration, each in a separate transaction.
    pub(crate) async fn run(&mut self, duration: Duration) -> Outcome<Sample> {
        let started = Instant::now();
        let mut sample = Sample::default();
        while started.elapsed() < duration {
            let insert_started = Instant::now();
            let mut transaction = self.db.begin_with("BEGIN IMMEDIATE").await?;
            let start = self.next * 1_800_000;
            sqlx::query("INSERT INTO bookings (uid, title, start_ms, end_ms) VALUES (?, ?, ?, ?)")
                .bind(format!("booking-{}", self.next))
                .bind("Intro call between Ada Brandt and Zoë Łukasik")
                .bind(start)
                .bind(start + 1_800_000)
                .execute(&mut *transaction)
                .await?;
            transaction.commit().await?;
            sample
                .micros
                .push(u64::try_from(insert_started.elapsed().as_micros())?);
            self.next += 1;
        }
        sample.duration = started.elapsed();
        Ok(sample)
    }
}
