//! Free pages of the database file: their release, and truncation of the write-ahead log.
//!
//! Deleted rows leave free pages in the file. The service releases most of them in small steps,
//! between which other writers run; some stay for new rows. This needs `auto_vacuum = INCREMENTAL`;
//! `service vacuum` enables it for older databases. PostgreSQL does all of it itself.

use std::path::{Path, PathBuf};
use std::time::Duration;

use booking_store_engine::connection::Db;
use booking_store_engine::database::{FILE_NAME, connect_options};
use booking_store_engine::sql;
use sqlx::ConnectOptions;
use sqlx::sqlite::SqliteConnectOptions;
use tokio::time::sleep;

use crate::error::Result;
use crate::store::{Store, Subject};

/// Pages that are released per step: 1 MiB, which takes the only writer some milliseconds.
const PAGES_PER_STEP: i64 = 256;

/// Time for other writers between two steps.
const STEP_INTERVAL: Duration = Duration::from_millis(50);

/// Largest number of steps per run.
const MAX_STEPS: usize = 200;

/// Smallest number of free pages that stay.
const MIN_FREE_PAGES: i64 = 1024;

/// Divisor of the number of pages that gives the number of free pages that stay.
const FREE_PAGES_DIVISOR: i64 = 16;

/// Time to wait for readers of the write-ahead log, while writers wait.
const CHECKPOINT_TIMEOUT: Duration = Duration::from_secs(1);

/// Pages of a database.
#[derive(Clone, Copy, Debug, PartialEq, Eq, sqlx::FromRow)]
pub struct Pages {
    /// Number of pages.
    pub total: i64,
    /// Number of free pages.
    pub free: i64,
    /// True if free pages can be released in steps.
    pub incremental: bool,
}

impl Pages {
    fn releasable(self) -> i64 {
        let min_free = MIN_FREE_PAGES.max(self.total / FREE_PAGES_DIVISOR);
        if self.incremental {
            (self.free - min_free).max(0)
        } else {
            0
        }
    }
}

/// Counts pages.
pub async fn pages(db: &mut Db) -> Result<Pages, sqlx::Error> {
    sql::query_as(
        "SELECT page_count AS total, freelist_count AS free, auto_vacuum = 2 AS incremental
         FROM pragma_page_count(), pragma_freelist_count(), pragma_auto_vacuum()",
    )
    .fetch_one(db)
    .await
}

impl Store {
    /// Releases free pages to the file system. Returns their number.
    pub async fn release_free_pages(&self) -> Result<i64> {
        let mut released = 0;
        if !self.is_sqlite() {
            return Ok(released);
        }
        for _ in 0..MAX_STEPS {
            let mut db = self.read().await?;
            let step = pages(&mut db).await?.releasable().min(PAGES_PER_STEP);
            drop(db);
            if step == 0 {
                break;
            }
            let mut transaction = self.begin(&[Subject::Rows]).await?;
            sql::query(format!("PRAGMA incremental_vacuum({step})"))
                .execute(&mut transaction)
                .await?;
            transaction.commit().await?;
            released += step;
            sleep(STEP_INTERVAL).await;
        }
        Ok(released)
    }

    /// Truncates the write-ahead log if it is longer than `limit` bytes. SQLite resets it when
    /// there is no reader; this waits for readers.
    pub async fn truncate_wal(&self, limit: u64) -> Result<()> {
        let file = self.directory().join(FILE_NAME);
        if !self.is_sqlite() || wal_bytes(&file) <= limit {
            return Ok(());
        }
        let mut db = SqliteConnectOptions::new()
            .filename(file)
            .busy_timeout(CHECKPOINT_TIMEOUT)
            .connect()
            .await
            .map(Db::from)?;
        let is_empty = checkpoint_wal(&mut db).await;
        db.close().await?;
        if !is_empty? {
            tracing::warn!("the write-ahead log is long and in use");
        }
        Ok(())
    }
}

/// Rewrites the database without free pages and enables the release of free pages in steps. No
/// other process may use the database. Returns its bytes before and after.
pub async fn vacuum(directory: &Path) -> Result<(u64, u64), sqlx::Error> {
    let file = directory.join(FILE_NAME);
    let bytes = || file.metadata().map_or(0, |file| file.len()) + wal_bytes(&file);
    let before = bytes();
    let mut db = connect_options(&file).connect().await.map(Db::from)?;
    let result = async {
        sql::query("VACUUM").execute(&mut db).await?;
        checkpoint_wal(&mut db).await
    };
    let result = result.await;
    db.close().await?;
    result?;
    Ok((before, bytes()))
}

/// Truncates the write-ahead log. Returns false if a reader still uses it.
async fn checkpoint_wal(db: &mut Db) -> Result<bool, sqlx::Error> {
    let (busy, _, _): (i64, i64, i64) = sql::query_as("PRAGMA wal_checkpoint(TRUNCATE)")
        .fetch_one(db)
        .await?;
    Ok(busy == 0)
}

fn wal_bytes(file: &Path) -> u64 {
    let mut log = file.as_os_str().to_owned();
    log.push("-wal");
    PathBuf::from(log).metadata().map_or(0, |log| log.len())
}

#[cfg(test)]
mod tests {
    use std::time::Instant;

    use super::*;
    use sqlx::Connection as _;

    async fn store() -> (tempfile::TempDir, Store) {
        let directory = tempfile::tempdir().unwrap();
        let store = Store::open(directory.path()).await.unwrap();
        (directory, store)
    }

    async fn run(store: &Store, statements: &str) {
        let mut transaction = store.begin(&[Subject::Rows]).await.unwrap();
        sql::raw_sql(statements)
            .execute(&mut transaction)
            .await
            .unwrap();
        transaction.commit().await.unwrap();
    }

    /// Adds about 20 MB of rows.
    async fn fill(store: &Store) {
        run(
            store,
            "CREATE TABLE filling (id INTEGER PRIMARY KEY, body BLOB);
             WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 2500)
             INSERT INTO filling SELECT i, randomblob(8000) FROM n",
        )
        .await;
    }

    async fn pages_of(store: &Store) -> Pages {
        pages(&mut store.read().await.unwrap()).await.unwrap()
    }

    #[tokio::test]
    async fn release_of_free_pages_lets_writers_run_between_steps() {
        let (_directory, store) = store().await;
        fill(&store).await;
        let full = pages_of(&store).await;
        assert!(full.incremental);
        assert_eq!(store.release_free_pages().await.unwrap(), 0);
        run(&store, "DELETE FROM filling WHERE id % 50 <> 0").await;
        let before = pages_of(&store).await;
        assert_eq!(before.total, full.total);
        assert!(before.free > 3 * MIN_FREE_PAGES, "{before:?}");

        let release = tokio::spawn({
            let store = store.clone();
            async move { store.release_free_pages().await.unwrap() }
        });
        let mut writes = 0;
        let mut longest = Duration::ZERO;
        while !release.is_finished() {
            let started = Instant::now();
            run(&store, "UPDATE filling SET body = body WHERE id = 50").await;
            longest = longest.max(started.elapsed());
            writes += 1;
        }
        let released = release.await.unwrap();
        let after = pages_of(&store).await;
        // Pointer map pages are released, too.
        assert!(
            before.total - after.total >= released,
            "{before:?} {after:?}"
        );
        assert!(
            (MIN_FREE_PAGES - 8..=MIN_FREE_PAGES + 8).contains(&after.free),
            "{after:?}"
        );
        assert!(
            writes > 10 && longest < Duration::from_secs(2),
            "{writes} {longest:?}"
        );
        let mut db = store.read().await.unwrap();
        let sound: String = sql::query_scalar("PRAGMA integrity_check")
            .fetch_one(&mut db)
            .await
            .unwrap();
        let left: i64 = sql::query_scalar("SELECT count(*) FROM filling")
            .fetch_one(&mut db)
            .await
            .unwrap();
        assert_eq!((sound.as_str(), left), ("ok", 50));
    }

    #[tokio::test]
    async fn wal_is_truncated_after_last_reader_finishes() {
        let (directory, store) = store().await;
        let file = directory.path().join(FILE_NAME);
        run(
            &store,
            "CREATE TABLE filling (id INTEGER PRIMARY KEY, body BLOB)",
        )
        .await;
        // A reader keeps the log from being reused.
        let mut reader = store.read().await.unwrap();
        sql::raw_sql("BEGIN; SELECT count(*) FROM filling")
            .execute(&mut reader)
            .await
            .unwrap();
        for _ in 0..4 {
            run(
                &store,
                "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 800)
                 INSERT INTO filling (body) SELECT randomblob(8000) FROM n",
            )
            .await;
        }
        let limit = 16 * 1024 * 1024;
        assert!(wal_bytes(&file) > limit);
        store.truncate_wal(limit).await.unwrap();
        assert!(wal_bytes(&file) > limit);
        sql::raw_sql("COMMIT").execute(&mut reader).await.unwrap();
        store.truncate_wal(u64::MAX).await.unwrap();
        assert!(wal_bytes(&file) > limit);
        store.truncate_wal(limit).await.unwrap();
        assert_eq!(wal_bytes(&file), 0);
    }

    #[tokio::test]
    async fn vacuum_enables_incremental_vacuum_of_older_database() {
        let directory = tempfile::tempdir().unwrap();
        let file = directory.path().join(FILE_NAME);
        let older = SqliteConnectOptions::new()
            .filename(&file)
            .create_if_missing(true);
        let mut db = older.connect().await.unwrap();
        sqlx::raw_sql("CREATE TABLE first (id INTEGER)")
            .execute(&mut db)
            .await
            .unwrap();
        sqlx::raw_sql("DROP TABLE first")
            .execute(&mut db)
            .await
            .unwrap();
        db.close().await.unwrap();
        let store = Store::open(directory.path()).await.unwrap();
        fill(&store).await;
        run(&store, "DELETE FROM filling").await;
        assert!(!pages_of(&store).await.incremental);
        assert_eq!(store.release_free_pages().await.unwrap(), 0);
        store.close().await;

        let (before, after) = vacuum(directory.path()).await.unwrap();
        assert!(before > 16_000_000 && after < 2_000_000, "{before} {after}");
        let store = Store::open(directory.path()).await.unwrap();
        assert!(pages_of(&store).await.incremental);
    }
}
