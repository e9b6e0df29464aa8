//! Election of the replica that runs the workers.

use std::time::Duration;

use sqlx::PgConnection;

use crate::error::Result;
use crate::store::clock_check::{self, server_now};
use crate::store::connection::Db;
use crate::store::database::Store;
use crate::store::reachability::answer_within;
use crate::store::schema::oldest_usable_version;
use crate::store::sql;
use crate::store::write_notifications::WriteListener;

/// Key of the advisory lock of the leader. Any number that other programs with the same database do not use.
const LEADER_LOCK: i64 = 0x626f_6f6b_696e_6701;

/// Longest time to acquire or confirm it.
const HOLD_TIMEOUT: Duration = Duration::from_secs(5);

const TRY_LOCK: &str = "SELECT pg_try_advisory_lock($1)";

/// Takes the leadership for a connection to PostgreSQL, until it ends. Returns false if a replica has it.
pub(super) async fn try_lock(db: &mut Db) -> Result<bool, sqlx::Error> {
    sql::query_scalar(TRY_LOCK)
        .bind(LEADER_LOCK)
        .fetch_one(db)
        .await
}

/// The right to do what one replica does at a time: send webhook messages in order, and clean up.
///
/// In PostgreSQL, it is a lock of a connection, which ends with the replica. A replica whose clock differs from the
/// server's does not lead, nor one that may not use the schema any more. SQLite has one replica. The leader listens for
/// the writes of the others.
#[derive(Debug, Default)]
pub struct Leadership(Option<(PgConnection, Option<WriteListener>)>);

impl Leadership {
    /// Acquires or confirms it. Returns false if another replica has it.
    ///
    /// # Errors
    ///
    /// If the database cannot be reached. The leadership is lost then.
    pub async fn hold(&mut self, store: &Store) -> Result<bool> {
        let Some(pool) = store.postgres() else {
            return Ok(true);
        };
        if let Some((mut connection, listener)) = self.0.take() {
            let check = check_clock_and_schema(store, &mut connection);
            if !answer_within(HOLD_TIMEOUT, check).await? {
                // The lock ends with the connection.
                return Ok(false);
            }
            self.0 = Some((connection, listener));
            return Ok(true);
        }
        let mut connection = pool.acquire().await?;
        let attempt = answer_within(HOLD_TIMEOUT, acquire(store, &mut connection)).await;
        if let Ok(false) = attempt {
            return Ok(false);
        }
        // Not back to the pool: the lock is that of the connection, which may have it also after a failure.
        let connection = connection.detach();
        attempt?;
        self.0 = Some((connection, store.listen_for_writes()));
        Ok(true)
    }
}

/// Returns true if the connection has the lock, and this replica may lead.
async fn acquire(store: &Store, connection: &mut PgConnection) -> Result<bool> {
    if !check_clock_and_schema(store, connection).await? {
        return Ok(false);
    }
    Ok(sqlx::query_scalar(TRY_LOCK)
        .bind(LEADER_LOCK)
        .fetch_one(connection)
        .await?)
}

/// Compares this machine's clock with that of the server of `connection`, and this version with the oldest one that may
/// use the schema; so do replicas that do not lead. Returns true if this replica may lead.
async fn check_clock_and_schema(store: &Store, connection: &mut PgConnection) -> Result<bool> {
    let before = clock_check::now();
    let (server, oldest): (i64, i64) = sqlx::query_as(concat!(
        "SELECT ",
        server_now!(),
        ", ",
        oldest_usable_version!()
    ))
    .fetch_one(connection)
    .await?;
    let clocks_agree = store.clock().compare(before, server).is_none();
    store.schema_watch().record_oldest_version(oldest);
    Ok(clocks_agree && store.schema_watch().is_usable())
}
