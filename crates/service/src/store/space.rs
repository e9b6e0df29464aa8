//! Space that the database takes on the disk, and what gives it back.
//!
//! Deleted rows leave free pages in the file. The service gives most of them back in small steps,
//! between which others write; a few stay for the next rows. That works on databases that were made
//! for it (`auto_vacuum = INCREMENTAL`); older ones become so by `service vacuum`.

use std::path::{Path, PathBuf};
use std::time::Duration;

use sqlx::sqlite::SqliteConnectOptions;
use sqlx::{ConnectOptions, Connection};
use tokio::time::sleep;

use crate::error::Result;
use crate::store::connection::Db;
use crate::store::database::{FILE_NAME, Store, connect_options};

/// Pages that one step gives back: a mebibyte, some milliseconds of the only writer.
const STEP: i64 = 256;

/// Time for others to write between two steps.
const PAUSE: Duration = Duration::from_millis(50);

/// Steps at a time.
const MOST_STEPS: usize = 200;

/// Free pages that stay in any case.
const KEPT: i64 = 1024;

/// Part of all pages that stay free.
const KEPT_PART: i64 = 16;

/// Time for readers to leave the write-ahead log, while writers wait.
const LOG_PATIENCE: Duration = Duration::from_secs(1);

/// Pages of a database.
#[derive(Clone, Copy, Debug, PartialEq, Eq, sqlx::FromRow)]
pub struct Pages {
    /// All of them.
    pub total: i64,
    /// Those that hold nothing.
    pub free: i64,
    /// True if they can be given back in steps.
    pub incremental: bool,
}

impl Pages {
    fn to_give_back(self) -> i64 {
        let kept = KEPT.max(self.total / KEPT_PART);
        if self.incremental {
            (self.free - kept).max(0)
        } else {
            0
        }
    }
}

/// Counts pages.
pub async fn pages(db: &mut Db) -> Result<Pages, sqlx::Error> {
    sqlx::query_as(
        "SELECT page_count AS total, freelist_count AS free, auto_vacuum = 2 AS incremental
         FROM pragma_page_count(), pragma_freelist_count(), pragma_auto_vacuum()",
    )
    .fetch_one(db)
    .await
}

impl Store {
    /// Gives free pages back to the file system. Returns their number.
    pub async fn give_back_free_pages(&self) -> Result<i64> {
        let mut given = 0;
        for _ in 0..MOST_STEPS {
            let mut db = self.read().await?;
            let step = pages(&mut db).await?.to_give_back().min(STEP);
            drop(db);
            if step == 0 {
                break;
            }
            let mut transaction = self.begin().await?;
            sqlx::query(&format!("PRAGMA incremental_vacuum({step})"))
                .execute(&mut *transaction)
                .await?;
            transaction.commit().await?;
            given += step;
            sleep(PAUSE).await;
        }
        Ok(given)
    }

    /// Empties the write-ahead log if it is longer than `limit` bytes. SQLite does so by itself
    /// whenever there is no reader; where there always is one, this waits for it.
    pub async fn shorten_log(&self, limit: u64) -> Result<()> {
        let file = self.directory().join(FILE_NAME);
        if log_bytes(&file) <= limit {
            return Ok(());
        }
        let mut db = SqliteConnectOptions::new()
            .filename(file)
            .busy_timeout(LOG_PATIENCE)
            .connect()
            .await?;
        let emptied = empty_log(&mut db).await;
        db.close().await?;
        if !emptied? {
            tracing::warn!("the write-ahead log is long and in use");
        }
        Ok(())
    }
}

/// Rewrites the whole database without free pages, and so that they can be given back in steps from
/// then on. No other process may use it. Returns its bytes before and after.
pub async fn vacuum(directory: &Path) -> Result<(u64, u64), sqlx::Error> {
    let file = directory.join(FILE_NAME);
    let bytes = || file.metadata().map_or(0, |file| file.len()) + log_bytes(&file);
    let before = bytes();
    let mut db = connect_options(&file).connect().await?;
    let done = async {
        sqlx::query("VACUUM").execute(&mut db).await?;
        empty_log(&mut db).await
    };
    let done = done.await;
    db.close().await?;
    done?;
    Ok((before, bytes()))
}

/// False if a reader still uses the log.
async fn empty_log(db: &mut Db) -> Result<bool, sqlx::Error> {
    let (busy, _, _): (i64, i64, i64) = sqlx::query_as("PRAGMA wal_checkpoint(TRUNCATE)")
        .fetch_one(db)
        .await?;
    Ok(busy == 0)
}

fn log_bytes(file: &Path) -> u64 {
    let mut log = file.as_os_str().to_owned();
    log.push("-wal");
    PathBuf::from(log).metadata().map_or(0, |log| log.len())
}

#[cfg(test)]
mod tests {
    use std::time::Instant;

    use super::*;

    async fn store() -> (tempfile::TempDir, Store) {
        let directory = tempfile::tempdir().unwrap();
        let store = Store::open(directory.path()).await.unwrap();
        (directory, store)
    }

    async fn run(store: &Store, statements: &str) {
        let mut transaction = store.begin().await.unwrap();
        sqlx::raw_sql(statements)
            .execute(&mut *transaction)
            .await
            .unwrap();
        transaction.commit().await.unwrap();
    }

    /// Adds some twenty megabytes, in rows between those that stay.
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
    async fn free_pages_are_given_back_in_steps_between_which_others_write() {
        let (_directory, store) = store().await;
        fill(&store).await;
        let full = pages_of(&store).await;
        assert!(full.incremental);
        assert_eq!(store.give_back_free_pages().await.unwrap(), 0);
        run(&store, "DELETE FROM filling WHERE id % 50 <> 0").await;
        let before = pages_of(&store).await;
        assert_eq!(before.total, full.total);
        assert!(before.free > 3 * KEPT, "{before:?}");

        let giving = tokio::spawn({
            let store = store.clone();
            async move { store.give_back_free_pages().await.unwrap() }
        });
        let mut writes = 0;
        let mut longest = Duration::ZERO;
        while !giving.is_finished() {
            let started = Instant::now();
            run(&store, "UPDATE filling SET body = body WHERE id = 50").await;
            longest = longest.max(started.elapsed());
            writes += 1;
        }
        let given = giving.await.unwrap();
        let after = pages_of(&store).await;
        // Pages that only point to others go, too.
        assert!(before.total - after.total >= given, "{before:?} {after:?}");
        assert!((KEPT - 8..=KEPT + 8).contains(&after.free), "{after:?}");
        assert!(
            writes > 10 && longest < Duration::from_secs(2),
            "{writes} {longest:?}"
        );
        let mut db = store.read().await.unwrap();
        let sound: String = sqlx::query_scalar("PRAGMA integrity_check")
            .fetch_one(&mut *db)
            .await
            .unwrap();
        let left: i64 = sqlx::query_scalar("SELECT count(*) FROM filling")
            .fetch_one(&mut *db)
            .await
            .unwrap();
        assert_eq!((sound.as_str(), left), ("ok", 50));
    }

    #[tokio::test]
    async fn log_is_emptied_when_the_last_reader_of_it_is_done() {
        let (directory, store) = store().await;
        let file = directory.path().join(FILE_NAME);
        run(
            &store,
            "CREATE TABLE filling (id INTEGER PRIMARY KEY, body BLOB)",
        )
        .await;
        // A reader keeps the log from being reused.
        let mut reader = store.read().await.unwrap();
        sqlx::raw_sql("BEGIN; SELECT count(*) FROM filling")
            .execute(&mut *reader)
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
        assert!(log_bytes(&file) > limit);
        store.shorten_log(limit).await.unwrap();
        assert!(log_bytes(&file) > limit);
        sqlx::raw_sql("COMMIT").execute(&mut *reader).await.unwrap();
        store.shorten_log(u64::MAX).await.unwrap();
        assert!(log_bytes(&file) > limit);
        store.shorten_log(limit).await.unwrap();
        assert_eq!(log_bytes(&file), 0);
    }

    #[tokio::test]
    async fn vacuum_shrinks_a_database_and_lets_it_shrink_by_itself_from_then_on() {
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
        assert_eq!(store.give_back_free_pages().await.unwrap(), 0);
        store.close().await;

        let (before, after) = vacuum(directory.path()).await.unwrap();
        assert!(before > 16_000_000 && after < 2_000_000, "{before} {after}");
        let store = Store::open(directory.path()).await.unwrap();
        assert!(pages_of(&store).await.incremental);
    }
}
