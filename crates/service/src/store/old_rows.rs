//! Deletion of rows that are no longer needed.
//!
//! It is done in small transactions with pauses, as SQLite has one writer, for which bookings would wait.

use booking_store_engine::sql;
use booking_wire::Instant;
use tokio::time::{self, sleep};

use crate::error::Result;
use crate::store::{Locks, Store};

/// Rows that are deleted in a transaction: it takes some milliseconds.
const ROWS_PER_TRANSACTION: i64 = 500;

/// Time for other writers between two transactions, as a multiple of the time that one takes.
const PAUSE: u32 = 4;

/// Rows of a table that are no longer needed.
#[derive(Clone, Debug)]
pub struct OldRows {
    /// Table.
    pub table: &'static str,
    /// Column of its primary key.
    pub key: &'static str,
    /// Condition, whose parameter `?1` is the current instant.
    pub condition: String,
    /// Column by whose index these rows are found. PostgreSQL, which does not know how few there are, would read the whole
    /// table instead unless it has to sort by it.
    pub order: &'static str,
}

impl Store {
    /// Deletes old rows. Returns their number.
    pub async fn delete_old_rows(&self, old: OldRows, now: Instant) -> Result<u64> {
        let OldRows {
            table,
            key,
            condition,
            order,
        } = old;
        let old = |columns: &str, limit: i64| {
            format!(
                "SELECT {columns} FROM {table} WHERE {condition} ORDER BY {order} LIMIT {limit}"
            )
        };
        let count = format!("SELECT count(*) FROM ({}) AS first", old("1", 1));
        let delete = format!(
            "DELETE FROM {table} WHERE {key} IN ({})",
            old(key, ROWS_PER_TRANSACTION)
        );
        let mut deleted = 0;
        loop {
            let mut db = self.read().await?;
            let count: i64 = sql::query_scalar(count.clone())
                .bind(now.0)
                .fetch_one(&mut db)
                .await?;
            drop(db);
            if count == 0 {
                return Ok(deleted);
            }
            let began = time::Instant::now();
            let delete = delete.clone();
            deleted += self
                .write(Locks::none(), move |db| {
                    Box::pin(async move {
                        let delete = sql::query(delete).bind(now.0);
                        Ok(delete.execute(db).await?.rows_affected())
                    })
                })
                .await?;
            sleep(began.elapsed() * PAUSE).await;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::store::Subject;
    use crate::store::upkeep::idempotency;

    const OLD: i64 = 2_200;

    #[tokio::test]
    async fn old_rows_are_deleted_in_transactions_between_which_others_write() {
        let directory = tempfile::tempdir().unwrap();
        let store = Store::open(directory.path()).await.unwrap();
        let now = Instant(1_803_888_000_000);
        let mut transaction = store.begin(&[Subject::Rows]).await.unwrap();
        sql::query(
            "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i <= ?1)
             INSERT INTO idempotency_keys (hash, request_hash, status, body, created_ms)
             SELECT i, '', 201, '', CASE WHEN i <= ?1 THEN 0 ELSE ?2 END FROM n",
        )
        .bind(OLD)
        .bind(now.0)
        .execute(&mut transaction)
        .await
        .unwrap();
        transaction.commit().await.unwrap();

        let deletion = tokio::spawn({
            let store = store.clone();
            async move { store.delete_old_rows(idempotency::expired(), now).await }
        });
        let mut counts = Vec::new();
        while !deletion.is_finished() {
            let mut writer = store.begin(&[Subject::Rows]).await.unwrap();
            let count: i64 = sql::query_scalar("SELECT count(*) FROM idempotency_keys")
                .fetch_one(&mut writer)
                .await
                .unwrap();
            writer.commit().await.unwrap();
            counts.push(count);
        }
        counts.dedup();
        assert_eq!(deletion.await.unwrap().unwrap(), OLD.unsigned_abs());
        assert!(counts.len() > 2, "{counts:?}");
        let rows = "SELECT count(*) FROM idempotency_keys";
        let mut db = store.read().await.unwrap();
        let left: i64 = sql::query_scalar(rows).fetch_one(&mut db).await.unwrap();
        assert_eq!(left, 1);
    }
}
